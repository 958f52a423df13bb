"""The pairs of bots in matches, summed by block and pair: all that a fit needs, in
numpy arrays.

Pairs of a match that count:
- every pair of seats, by final rank: ahead 1, tied 1/2, behind 0. Final ranks put
  forfeited seats last, so a forfeiter loses to all who did not forfeit, and forfeiters
  compare by when they forfeited;
- two copies of one bot: not counted, they say nothing about it;
- if a seat failed to start: only pairs with such a seat. The others played another game
  than they came for.
A pair of a match with K seats weighs 3 / (K + 1) (1, .75, .6, .5 for K = 2..5):
docs/how-ratings-work.md F2.
"""

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np
import numpy.typing as npt

from khiva_arena.common.result import Result
from khiva_arena.rating.ratings.match_arrays import Floats, Ints, Matches, TableArrays, tables_of


class PairCells(msgspec.Struct, frozen=True, eq=False):
    """The pairs of matches as cells: one for each block and pair of bots that met in
    it, in order of block, low, high. c cells.

    bots: how many there are.
    blocks: how many there are, numbered from 0.
    block: (c,) its number.
    low, high: (c,) the two bots; low < high.
    weight: (c,) summed weights of the pair.
    score: (c,) the points of ``low``, 0..weight.
    unit: the weight of one pair of one match, of the largest table there is.
    """

    bots: int
    blocks: int
    block: Ints
    low: Ints
    high: Ints
    weight: Floats
    score: Floats
    unit: float = 1.0

    def only(self, keep: npt.NDArray[np.bool_]) -> "PairCells":
        """Return the cells for which ``keep`` is true; the remaining blocks are
        numbered from 0 again.
        """
        old = self.block[keep]
        new = np.ones(len(old), dtype=np.bool_)
        new[1:] = old[1:] != old[:-1]  # blocks come in order
        parts = self.low[keep], self.high[keep], self.weight[keep], self.score[keep]
        return PairCells(
            self.bots, int(new.sum()), np.cumsum(new, dtype=np.int64) - 1, *parts, self.unit
        )

    def over_all_blocks(self) -> "PairCells":
        """Sum the cells over all blocks, to one for each pair: all that the estimate
        needs, while its errors need the blocks.
        """
        if self.blocks <= 1:
            return self
        pairs, at = np.unique(self.low * self.bots + self.high, return_inverse=True)
        low, high = np.divmod(pairs, self.bots)
        weight, score = sums_at(at, self.weight, len(pairs)), sums_at(at, self.score, len(pairs))
        return PairCells(self.bots, 1, np.zeros_like(low), low, high, weight, score, self.unit)


class Meetings(msgspec.Struct, frozen=True, eq=False):
    """Counted pairs, c of them, of the same two seats at tables of one size, one for
    each match.

    seats: of the tables.
    i, j: the two seats, from 0; i < j.
    block: (c,) of the match.
    bots: (c, seats) all bots of the match.
    ahead: (c,) the score of the bot at i against the one at j: 1, 1/2 or 0.
    weight: of each pair.
    """

    seats: int
    i: int
    j: int
    block: Ints
    bots: Ints
    ahead: Floats
    weight: float


def pair_cells(matches: Iterable[Result] | Matches, bots: int) -> PairCells:
    """Sum matches of ``bots`` bots into cells. Time is near linear in the matches,
    memory in the cells.

    Raises ValueError if a match names a bot outside 0..bots-1, or bots and ranks are of
    different length.
    """
    return cells_of_tables(tables_of(matches), bots)


def cells_of_tables(tables: Iterable[TableArrays], bots: int) -> PairCells:
    """Sum arrays of matches into cells, one array after the other. Raises ValueError if
    a bot is out of range, or a rank is missing.
    """
    parts = []
    largest = 2
    for table in tables:
        largest = max(largest, table.bots.shape[1])
        parts.append(
            _by_key(*_concat([_summands(meeting, bots) for meeting in meetings(table, bots)]))
        )
    keys, weight, score = parts[0] if len(parts) == 1 else _by_key(*_concat(parts))
    block, pair = np.divmod(keys, max(1, bots * bots))
    low, high = np.divmod(pair, max(1, bots))
    cells = PairCells(bots, 0, block, low, high, weight, score, pair_weight(largest))
    return cells.only(
        np.ones(len(keys), dtype=np.bool_)
    )  # blocks without a counted pair do not count


def meetings(tables: TableArrays, bots: int) -> Iterator[Meetings]:
    """Yield the counted pairs, one entry for each pair of seats. Raises ValueError if a
    bot is out of range, or a rank is missing.
    """
    bot, rank, unstarted = tables.bots, tables.ranks, tables.unstarted
    if rank.shape != bot.shape or (bot < 0).any() or (bot >= bots).any():
        raise ValueError("a match needs a bot in range and a rank for each seat")
    all_started = True if unstarted is None else ~unstarted.any(axis=1)
    seats = bot.shape[1]
    for i in range(seats):
        for j in range(i + 1, seats):
            counts = bot[:, i] != bot[:, j]
            if unstarted is not None:
                counts &= all_started | unstarted[:, i] | unstarted[:, j]
            ahead = (1.0 + np.sign(rank[counts, j] - rank[counts, i])) / 2
            yield Meetings(
                seats, i, j, tables.block[counts], bot[counts], ahead, pair_weight(seats)
            )


def pair_weight(seats: int) -> float:
    """Return the weight of one pair of a match of so many seats."""
    return 3 / (seats + 1)


def _summands(meeting: Meetings, bots: int) -> tuple[Ints, Floats, Floats]:
    """Return key, weight and score of every pair."""
    a, b = meeting.bots[:, meeting.i], meeting.bots[:, meeting.j]
    weight = np.full(len(a), meeting.weight)
    key = (meeting.block * bots + np.minimum(a, b)) * bots + np.maximum(a, b)
    return key, weight, weight * np.where(a < b, meeting.ahead, 1 - meeting.ahead)


def _concat(parts: list[tuple[Ints, Floats, Floats]]) -> tuple[Ints, Floats, Floats]:
    if not parts:
        return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
    keys, weights, scores = zip(*parts, strict=True)
    return np.concatenate(keys), np.concatenate(weights), np.concatenate(scores)


def _by_key(keys: Ints, weight: Floats, score: Floats) -> tuple[Ints, Floats, Floats]:
    """Sum over equal keys; the keys come out sorted."""
    distinct, at = np.unique(keys, return_inverse=True)
    size = len(distinct)
    return distinct, sums_at(at, weight, size), sums_at(at, score, size)


def sums_at(at: Ints, values: Floats, size: int) -> Floats:
    """Return (size,) the sum of the values at each index."""
    return np.asarray(np.bincount(at, values, size), dtype=np.float64)
