"""The share of the differences between bots that no rating can express: rock, paper,
scissors. docs/how-ratings-work.md F11.

A_ij = ln((s + 1/2) / (w - s + 1/2)) from the points s that bot i made of bot j in games
of weight w: the log odds, held finite by half a point for each side. That half point
alone bends the odds of unequal bots, and would look like a cycle; so the same is
computed of the points that the ratings expect, and D is the difference. The transitive
part of D is the differences r_i - r_j next to it in squares (the row means if all met
all). The rest is cyclic, and the share is |cyclic|^2 / |A|^2.

Noise alone makes a cyclic part. By leaving out one block (seed) at a time its expected
square is estimated, and that of A, and both are taken off. The rest varies around 0 if
there are no cycles.
"""

from itertools import pairwise
from math import sqrt

import msgspec
import numpy as np

from khiva_arena.rating.ratings.elo import Ratings, half_width
from khiva_arena.rating.ratings.match_arrays import Floats
from khiva_arena.rating.ratings.pairs import PairCells, sums_at

_HALF = 0.5
_ROUNDING = 1e-6  # a standard error of the share below this is rounding


class Intransitivity(msgspec.Struct, frozen=True):
    """Shares of the squared log odds of all pairs that met.

    share: the cyclic one without what noise makes up, 0 if it comes out below.
    low, high: 95 % interval, leaving out one block at a time, t quantile; within 0..1.
        If low is above 0, noise alone is an unlikely reason for the cyclic part.
    raw: the cyclic share as measured.
    noise: the part of ``raw`` that noise alone is expected to make.
    pairs: how many pairs met.
    """

    share: float
    low: float
    high: float
    raw: float
    noise: float
    pairs: int


def intransitivity(cells: PairCells, ratings: Ratings) -> Intransitivity | None:
    """Return the cyclic share of the differences between the bots. None if there is no
    basis for a number: no three bots that all met each other or met in a longer ring,
    fewer than two blocks, blocks that all say the same, or differences that are more
    noise than not.
    """
    has_elo = np.array([elo is not None for elo in ratings.elo])
    cells = cells.only(has_elo[cells.low] & has_elo[cells.high])
    pairs, at = np.unique(cells.low * cells.bots + cells.high, return_inverse=True)
    low, high = np.divmod(pairs, cells.bots)
    laplacian = np.zeros((cells.bots, cells.bots))
    for row, column, sign in ((low, low, 1), (high, high, 1), (low, high, -1), (high, low, -1)):
        np.add.at(laplacian, (row, column), sign)
    if cells.blocks < 2 or len(pairs) <= np.linalg.matrix_rank(laplacian):
        return None
    back = np.linalg.pinv(laplacian).astype(np.float64)
    elo = np.array([elo or 0.0 for elo in ratings.elo])
    expectation = 1 / (1 + 10 ** ((elo[high] - elo[low]) / 400))
    weight, score = sums_at(at, cells.weight, len(pairs)), sums_at(at, cells.score, len(pairs))

    odds, beyond = _odds(weight, score, expectation)
    transitive = back @ (sums_at(low, beyond, cells.bots) - sums_at(high, beyond, cells.bots))
    cyclic = beyond - (transitive[low] - transitive[high])

    # without a block only its own pairs change: by ``moved`` in the log odds, and by
    # ``turned`` in what is beyond the ratings
    weight_left = weight[at] - cells.weight
    odds_left, beyond_left = _odds(
        weight_left, np.clip(score[at] - cells.score, 0, weight_left), expectation[at]
    )
    moved, turned = odds_left - odds[at], beyond_left - beyond[at]
    start = np.searchsorted(cells.block, np.arange(cells.blocks + 1)).tolist()
    pulled = np.array([_pull(cells, turned, back, first, last) for first, last in pairwise(start)])
    # the square of the change's own cyclic part
    cyclic_moved = np.maximum(0, _by_block(cells, turned**2) - pulled)
    noise = float(cyclic_moved.sum()) * (cells.blocks - 1) / cells.blocks
    noise_of_all = float((moved**2).sum()) * (cells.blocks - 1) / cells.blocks
    length = float(odds @ odds)
    if length <= 2 * noise_of_all:
        return None

    share = (float(cyclic @ cyclic) - noise) / (length - noise_of_all)
    cyclic_left = float(cyclic @ cyclic) + 2 * _by_block(cells, cyclic[at] * turned) + cyclic_moved
    whole_left = length + _by_block(cells, odds_left**2 - odds[at] ** 2)
    jumps = (cyclic_left - noise) / (whole_left - noise_of_all)
    se = sqrt(float(((jumps - jumps.mean()) ** 2).sum()) * (cells.blocks - 1) / cells.blocks)
    error = half_width(se, cells.blocks)
    if error is None or se < _ROUNDING:
        return None
    return Intransitivity(
        share=max(0.0, share),
        low=min(1.0, max(0.0, share - error)),
        high=min(1.0, max(0.0, share + error)),
        raw=float(cyclic @ cyclic) / length,
        noise=noise / length,
        pairs=len(pairs),
    )


def _odds(weight: Floats, score: Floats, expected: Floats) -> tuple[Floats, Floats]:
    """Return log odds with half a point more for each side, and how far they are beyond
    those of the expected score.
    """
    odds = np.log((score + _HALF) / (weight - score + _HALF))
    return odds, odds - np.log((weight * expected + _HALF) / (weight * (1 - expected) + _HALF))


def _pull(cells: PairCells, change: Floats, back: Floats, first: int, last: int) -> float:
    """Return the square of the transitive part of a change in the pairs of one block,
    cells first..last-1.
    """
    low, high, change = cells.low[first:last], cells.high[first:last], change[first:last]
    pull = sums_at(low, change, cells.bots) - sums_at(high, change, cells.bots)
    return float(pull @ back @ pull)


def _by_block(cells: PairCells, values: Floats) -> Floats:
    return sums_at(cells.block, values, cells.blocks)
