"""Who is above whom: likelihood of superiority, and ranks as intervals. Sources: reference/ratings.md F4, section 5.

Ranks. Bot j is certainly above i if its Elo is higher by more than c SE_ij, where c makes all such statements about all n bots
hold together with 95 %. c is that of Tukey's range: for independent bots with equal errors |d_ij| / SE_ij of all pairs stays
below q/sqrt(2) with 95 %, q the 95 % quantile of the range of n standard normal numbers; with unequal errors (Hayter 1984) it
stays below more often. Few seeds: the level that c leaves to one pair is kept and its t quantile taken, with blocks - 1 degrees
of freedom of the pair's bot that has fewer. This is the max-t method with independence in place of the estimated correlations:
with fewer seeds than bots those are of too low a rank, and a simulation from them gives too small a c.
"""

from functools import lru_cache
from math import pi, sqrt

import numpy as np

from khiva_arena.ratings.elo import LEVEL, Ratings
from khiva_arena.ratings.pairs import Floats, Ints
from khiva_arena.ratings.quasi import differences
from khiva_arena.ratings.student import ndtr, stdtr, stdtrit


def los(ratings: Ratings) -> Floats:
    """(n, n) how likely it is that bot i is stronger than j: the t distribution at d_ij / SE_ij, so that .975 is where the 95 %
    interval of the difference ends at 0. The normal of F4 is its limit for many seeds.

    NaN on the diagonal, and where the two are not compared: no rating, different groups, fewer than two seeds, or all seeds say
    the same of them.
    """
    difference, error, freedom = _pairs(ratings)
    chance = np.full(difference.shape, np.nan)
    there = ~np.isnan(error) & (error > 0)  # it is 0 between two numbers that are given
    chance[there] = stdtr(freedom[there], difference[there] / error[there])
    return chance


def rank_intervals(ratings: Ratings) -> tuple[tuple[int, int] | None, ...]:
    """By bot (best, worst) rank among all bots with a rating that have played, 95 % for all together; None for others.

    A bot that is not compared with others, as ``los`` says, may be before or behind each of them.
    """
    difference, error, freedom = _pairs(ratings)
    ranked = [elo is not None and seeds > 0 for elo, seeds in zip(ratings.elo, ratings.seeds, strict=True)]
    bots = sum(ranked)
    if not bots:
        return (None,) * len(ranked)
    least = np.full(difference.shape, np.inf)
    there = ~np.isnan(error)
    least[there] = stdtrit(freedom[there], 1 - together(bots) / 2) * error[there] if bots > 1 else np.inf
    above = (difference > least).sum(axis=1)  # how many each one is certainly above
    below = (-difference > least).sum(axis=1)
    return tuple((int(below[bot]) + 1, bots - int(above[bot])) if there else None for bot, there in enumerate(ranked))


@lru_cache
def together(bots: int) -> float:
    """The level of one comparison of two at which all comparisons of ``bots`` >= 2 hold together with 95 %."""
    return 2 * float(ndtr(-range_quantile(bots, LEVEL) / sqrt(2)))


def range_quantile(bots: int, level: float) -> float:
    """q with P(range of ``bots`` standard normal numbers <= q) = level; to 1e-9 or better.

    P = n times the integral of phi(x) (Phi(x) - Phi(x - q))^(n - 1), the largest number being x.
    """
    x = np.linspace(-9, 9, 721)  # the integrand vanishes with all its derivatives at the ends: plain sums converge fast
    density, below = np.exp(-x * x / 2) / sqrt(2 * pi) * (x[1] - x[0]), ndtr(x)
    low, high = 0.0, 20.0
    for _ in range(45):
        middle = (low + high) / 2
        inside = bots * float(density @ (below - ndtr(x - middle)) ** (bots - 1))
        low, high = (middle, high) if inside < level else (low, middle)
    return (low + high) / 2


def _pairs(ratings: Ratings) -> tuple[Floats, Floats, Ints]:
    """(n, n) difference, standard error, degrees of freedom of every two bots; error NaN and difference 0 if not compared."""
    elo = np.array([np.nan if value is None else value for value in ratings.elo], dtype=np.float64)
    groups, seeds = np.array(ratings.groups), np.array(ratings.seeds)
    difference = elo[:, None] - elo
    variance = differences(ratings.covariance)
    fewer = np.minimum(seeds[:, None], seeds)
    compared = (groups[:, None] == groups) & (fewer > 1) & ~np.isnan(difference) & ~np.isnan(variance)
    compared &= ~ratings.still & ~np.eye(len(elo), dtype=np.bool_)
    error = np.where(compared, np.sqrt(np.maximum(0, np.where(compared, variance, 0))), np.nan)
    return np.where(compared, difference, 0.0), error, fewer - 1
