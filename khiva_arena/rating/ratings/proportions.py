"""Shares between 0 and 1 with intervals that know blocks: a shared seed is one
observation.

The variance of points/weight comes from leaving out one block at a time, v = (B - 1)/B
sum over blocks of (share without the block - share)^2. The share is then worth n =
share (1 - share) / v independent games. The interval is Wilson's for n games with a t
quantile of B - 1 degrees of freedom in place of the normal one. It stays within 0 and
1, and near them it covers more than a plain t interval. (In simulations of a strong bot
against a weak one the latter held the truth in 10 to 90 % of cases.) If all blocks are
equal, v says nothing and n is B.

Nor does v say anything if one side took everything. Then the other end is that of the
same results with one block gone the other way, the one that makes it the surest. Or, if
that is nearer to the share, Clopper and Pearson's for as many blocks, each of which the
one side took with its share of chance or less.
"""

from typing import NamedTuple

import msgspec
import numpy as np

from khiva_arena.rating.ratings.elo import LEVEL
from khiva_arena.rating.ratings.match_arrays import Floats, Ints
from khiva_arena.rating.ratings.pairs import sums_at
from khiva_arena.rating.ratings.widening import PLAIN, Widening

_ROUNDING = 1e-12  # a variance of blocks below this is rounding
_ALL = 1e-9  # a share nearer to 0 or 1 is everything


class Proportions(msgspec.Struct, frozen=True, eq=False):
    """Shares of g groups.

    share: (g,) points over weight, 0..1; NaN without a block.
    low, high: (g,) its 95 % interval; NaN below two blocks.
    size: (g,) independent matches that it is worth; NaN below two blocks.
    blocks: (g,) how many there are.
    """

    share: Floats
    low: Floats
    high: Floats
    size: Floats
    blocks: Ints


class BlockRows(NamedTuple):
    """Results by group and block, a row for each group and block.

    group: (r,) the group of each row, from 0.
    points: (r,) what the side won, at most the weight.
    weight: (r,) above 0.
    """

    group: Ints
    points: Floats
    weight: Floats


def proportions(rows: BlockRows, groups: int, widening: Widening = PLAIN) -> Proportions:
    """Return the share of each group, with its interval.

    widening: how many standard errors make an interval.
    """
    group, points, weight = rows
    blocks = np.bincount(group, minlength=groups)
    total, gain = sums_at(group, weight, groups), sums_at(group, points, groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = gain / total
        without = (gain[group] - points) / (total[group] - weight)
        variance = sums_at(group, (without - share[group]) ** 2, groups) * (blocks - 1) / blocks
        size = share * (1 - share) / variance
    size = np.where(blocks < 2, np.nan, np.where(variance < _ROUNDING, blocks, size))
    different, at = np.unique(blocks, return_inverse=True)
    t = np.array([widening.half_width(1.0, int(b)) or np.nan for b in different])[at]
    low, high = wilson(share, size, t)
    at_an_end = (blocks > 1) & ((share > 1 - _ALL) | (share < _ALL))
    if at_an_end.any():
        lowest = _of_all(rows, total, blocks, t)
        low = np.where(at_an_end, np.where(share > 0.5, lowest, 0.0), low)
        high = np.where(at_an_end, np.where(share < 0.5, 1 - lowest, 1.0), high)
    return Proportions(share, low, high, size, blocks)


def _of_all(rows: BlockRows, total: Floats, blocks: Ints, t: Floats) -> Floats:
    """Return the lower end of a share of 1 of each group, (g,)."""
    group, _, weight = rows
    with np.errstate(invalid="ignore", divide="ignore"):
        loss = 1 / blocks
        # by leaving out a block of those without the loss
        changes = ((total * loss)[group] / (total[group] - weight) - loss[group]) ** 2
        largest = np.zeros(len(total))
        np.maximum.at(largest, group, changes)
        variance = (blocks - 1) / blocks * (sums_at(group, changes, len(total)) - largest + loss**2)
        by_wilson = wilson(1 - loss, loss * (1 - loss) / variance, t)[0]
        by_count = ((1 - LEVEL) / 2) ** (1 / blocks)
    return np.fmax(np.where(loss < 1, by_wilson, 0.0), by_count)


def wilson(share: Floats, size: Floats, quantile: Floats) -> tuple[Floats, Floats]:
    """Return the ends of Wilson's interval: the p with |share - p| = quantile sqrt(p
    (1 - p) / size).
    """
    a = quantile**2 / size
    middle = (share + a / 2) / (1 + a)
    half = np.sqrt(a * share * (1 - share) + a * a / 4) / (1 + a)
    return np.asarray(np.clip(middle - half, 0, 1)), np.asarray(np.clip(middle + half, 0, 1))
