"""The likeness of tables on one deal: are more matches on a deal worth as much as more
deals?

The design effect of shared deals is a ratio of two variances of the ratings: as they
were played, with all line-ups on the same deals, over as many tables on a deal each.
Both come from the same fit: scores are summed once over all tables of a seed, U_b, and
once over each table alone, U_t. If the tables of a seed were independent, the sums Q =
sum U' A (I - H_b A)^-1 U would be equal in the mean. A is the inverse information
(``bread``), H_b the information of the block; the factor between them takes away how
far the fit was drawn to each block's own luck (see ``covariance``). The design effect
is the ratio of the two.

Let u be the part of a table's variance that all tables of a bot on one seed share. Then
S seeds of m tables a bot have a variance of (u + (1 - u) / m) / S, and the design
effect is 1 + (m - 1) u: that gives u, and with it the effect of other line-ups.
"""

from math import exp, inf, sqrt

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from khiva_arena.rating.ratings.covariance import left_out
from khiva_arena.rating.ratings.elo import ELO_PER_NAT, FEWEST_SEEDS, Ratings, half_width
from khiva_arena.rating.ratings.match_arrays import Floats, Ints, Matches
from khiva_arena.rating.ratings.pairs import PairCells, cells_of_tables, sums_at
from khiva_arena.rating.ratings.rows import by_block, rows_of_cells

_MOST_BOTS = 200  # more would take as long as their errors do
_ROUNDING = 1e-9  # of a sum of squares, in information


class SharedDeals(msgspec.Struct, frozen=True):
    """The widening of a table's errors by shared deals.

    effect: the design effect: the variance over what it would be if each table had a
        deal of its own.
    low, high: its 95 % interval.
    tables: how many tables a bot plays on a seed, in the mean.
    """

    effect: float
    low: float
    high: float
    tables: float

    @property
    def alike(self) -> float:
        """The part of a table's variance that the other tables of a bot on the seed
        share, 0..1.
        """
        return min(1.0, max(0.0, (self.effect - 1) / (self.tables - 1)))

    def variance(self, tables: float) -> float:
        """Return the variance of a seed with that many tables a bot, in units of one
        table.
        """
        return self.alike + (1 - self.alike) / tables


def shared_deals(matches: Matches, cells: PairCells, ratings: Ratings) -> SharedDeals | None:
    """Return the design effect. ``cells``, ``ratings``: of these matches.

    None if nothing tells it: fewer than ``FEWEST_SEEDS`` seeds, one table a bot on
    each, over 200 bots, no two bots between which points flow both ways, or no
    variance.
    """
    numbers, seed_of = _tables(matches)
    often = sum(len(size.row) for size in matches.sizes) / max(1, sum(ratings.seeds))
    if (
        cells.blocks < FEWEST_SEEDS
        or often <= 1
        or cells.bots > _MOST_BOTS
        or len(np.unique(seed_of)) != cells.blocks
    ):
        return None
    sizes = [
        replace(size, block=number) for size, number in zip(matches.sizes, numbers, strict=True)
    ]
    alone = cells_of_tables((table for size in sizes for table in size.tables()), cells.bots)
    if alone.blocks != len(seed_of):  # a table at which nobody met another, as of copies of one bot
        return None
    of_seeds = _squares(cells, ratings)
    of_tables = sums_at(
        np.unique(seed_of, return_inverse=True)[1], _squares(alone, ratings), cells.blocks
    )
    total, without = float(of_seeds.sum()), float(of_tables.sum())
    if min(total, without) < _ROUNDING:
        return None
    effect = total / without
    error = (
        half_width(
            _error(of_seeds, of_tables, sum(count > 0 for count in ratings.seeds), often, effect),
            cells.blocks,
        )
        or inf
    )
    return SharedDeals(effect, effect * exp(-error), effect * exp(error), often)


def _error(of_seeds: Floats, of_tables: Floats, bots: int, often: float, effect: float) -> float:
    """Return the standard error of the logarithm of the effect, by leaving out one seed
    at a time. It is no less than that of sums of squares of normal numbers, since a few
    seeds may be alike by chance.
    """
    blocks = len(of_seeds)
    without = np.log((of_seeds.sum() - of_seeds) / (of_tables.sum() - of_tables))
    variance_seen = (blocks - 1) / blocks * float(((without - without.mean()) ** 2).sum())
    return sqrt(max(variance_seen, (1 - 1 / often) * 2 / ((bots - 1) * (blocks - 1)) / effect))


def _tables(matches: Matches) -> tuple[list[npt.NDArray[np.int32]], Ints]:
    """Return the number of the table of each match, by table size; and the seed of each
    table, in order.
    """
    names = ("event", "lineup")
    counts = [
        max((int(getattr(size, name).max(initial=0)) for size in matches.sizes), default=0) + 1
        for name in names
    ]
    keys = [
        (size.block.astype(np.int64) * counts[0] + size.event) * counts[1] + size.lineup
        for size in matches.sizes
    ]
    tables, number = np.unique(
        np.concatenate([np.zeros(0, dtype=np.int64), *keys]), return_inverse=True
    )
    ends = np.cumsum([len(key) for key in keys])[:-1]
    return [part.astype(np.int32) for part in np.split(number, ends)], np.asarray(
        tables // (counts[0] * counts[1])
    )


def _squares(cells: PairCells, ratings: Ratings) -> Floats:
    """Return (B,) U' A (I - H A)^-1 U of each block, over the pairs between which
    points flow both ways.
    """
    groups = np.array(ratings.groups)
    inside = groups[cells.low] == groups[cells.high]
    part = replace(cells, weight=cells.weight * inside, score=cells.score * inside)
    nats = np.array([0.0 if elo is None else elo / ELO_PER_NAT for elo in ratings.elo])
    squares = np.zeros(cells.blocks)
    for blocks, columns, scores, information in by_block(rows_of_cells(part, cells.bots), nats):
        z = left_out(columns, scores, information, ratings.bread)
        bread = ratings.bread[columns[:, :, None], columns[:, None, :]]
        squares[blocks] = np.einsum("bi,bij,bj->b", scores, bread, z)
    return squares
