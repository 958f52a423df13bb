"""The scores of each bot against each other, with intervals and expectations.
docs/how-ratings-work.md F4.

Each score is compared with the score that the ratings expect.
"""

from collections.abc import Iterable

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from khiva_arena.common.result import Result
from khiva_arena.rating.ratings.elo import Ratings
from khiva_arena.rating.ratings.match_arrays import Floats, Ints, Matches, tables_of
from khiva_arena.rating.ratings.pairs import PairCells, meetings
from khiva_arena.rating.ratings.proportions import BlockRows, proportions
from khiva_arena.rating.ratings.surprise import surprises


class Crosstable(msgspec.Struct, frozen=True, eq=False):
    """Arrays (n, n); row i, column j is the score of bot i against bot j. NaN: none.
    The diagonal is NaN, or 0 for counts.

    score: mean pair score, 0..1, weighted as in the fit; NaN if the two never met.
    low, high: its 95 % interval, clustered on blocks (see ``proportions``); NaN with
        fewer than two blocks.
    blocks: seeds on which the two met.
    significant: whether the interval leaves 1/2 out. One of twenty pairs of equal bots
        does so by chance.
    expected: score by the ratings, 0..1; NaN if a bot has none.
    surprise: (score - expected) / standard error of that difference, see ``surprise``:
        near standard normal if the ratings say all; with few blocks it is beyond 2
        somewhat more often.
    """

    score: Floats
    low: Floats
    high: Floats
    blocks: Ints
    significant: npt.NDArray[np.bool_]
    expected: Floats
    surprise: Floats


def crosstable(cells: PairCells, ratings: Ratings) -> Crosstable:
    """Return the scores of all pairs of the rated bots. ``cells``: of the matches that
    were rated.
    """
    bots = len(ratings.elo)
    pairs, at = np.unique(cells.low * bots + cells.high, return_inverse=True)
    low, high = np.divmod(pairs, bots)
    rows = BlockRows(at, cells.score, cells.weight)
    shares = proportions(rows, len(pairs), ratings.widening)
    elo = np.array([np.nan if elo is None else elo for elo in ratings.elo])
    expectation = 1 / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    np.fill_diagonal(expectation, np.nan)
    blocks = np.zeros((bots, bots), dtype=np.int64)
    blocks[low, high] = blocks[high, low] = shares.blocks

    def table(above: Floats, below: Floats) -> Floats:
        array = np.full((bots, bots), np.nan)
        array[low, high], array[high, low] = above, below
        return array

    lows, highs = table(shares.low, 1 - shares.high), table(shares.high, 1 - shares.low)
    return Crosstable(
        score=table(shares.share, 1 - shares.share),
        low=lows,
        high=highs,
        blocks=blocks,
        significant=(lows > 0.5) | (highs < 0.5),
        expected=expectation,
        surprise=surprises(cells, ratings),
    )


def games_together(matches: Iterable[Result] | Matches, bots: int) -> Ints:
    """Return (n, n) matches in which two bots met in a counted pair; more copies at a
    table make no more of them.
    """
    games = np.zeros(bots * bots, dtype=np.int64)
    for tables in tables_of(matches):
        rows = [np.zeros(0, dtype=np.int64)]
        # the match takes the place of its block
        by_match = replace(tables, block=np.arange(len(tables.block)))
        for meeting in meetings(by_match, bots):
            a, b = meeting.bots[:, meeting.i], meeting.bots[:, meeting.j]
            rows.append((meeting.block * bots + np.minimum(a, b)) * bots + np.maximum(a, b))
        games += np.bincount(np.unique(np.concatenate(rows)) % (bots * bots), minlength=bots * bots)
    upper = games.reshape(bots, bots)
    return np.asarray(upper + upper.T)
