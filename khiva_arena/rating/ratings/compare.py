"""The order of bots: likelihood of superiority, and ranks as intervals. Formulas:
docs/how-ratings-work.md F4.

Ranks. Bot j is certainly above i if its Elo is higher by more than c SE_ij. The factor
c makes all such statements about all n bots hold together with 95 %; it is that of
Tukey's range. Let q be the 95 % quantile of the range of n standard normal numbers. For
independent bots with equal errors |d_ij| / SE_ij of all pairs stays below q/sqrt(2)
with 95 %. With unequal errors (Hayter 1984) it stays below more often. Few seeds: the
level that c leaves to one pair is kept and its t quantile taken, with blocks - 1
degrees of freedom of the pair's bot that has fewer.

This is the max-t method with independence in place of the estimated correlations: with
fewer seeds than bots the estimates are of too low a rank, and a simulation from them
gives too small a c.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import pi, prod, sqrt

import numpy as np
import numpy.typing as npt

from khiva_arena.rating.ratings.elo import ELO_PER_NAT, LEVEL, Ratings
from khiva_arena.rating.ratings.match_arrays import Floats, Ints
from khiva_arena.rating.ratings.quasi import differences
from khiva_arena.rating.ratings.student import ndtr
from khiva_arena.rating.ratings.widening import Widening

Mask = npt.NDArray[np.bool_]
FEWEST_AT_TWO_SEATS = 4


def los(ratings: Ratings) -> Floats:
    """Return (n, n) how likely it is that bot i is stronger than j. It is the t
    distribution at d_ij / SE_ij, so that .975 is where the 95 % interval of the
    difference ends at 0. The normal of F4 is its limit for many seeds. Where all points
    flow one way, ``oneway`` gives the number.

    NaN on the diagonal, and if the two are not compared: no rating, no points that flow
    from one to the other, fewer than two seeds, or all seeds say the same of them
    though points flow both ways.
    """
    difference, error, freedom = _pairs(ratings)
    chance = np.full(difference.shape, np.nan)
    has_error = ~np.isnan(error) & (error > 0)  # it is 0 between two numbers that are given
    chance[has_error] = ratings.widening.superior(
        freedom[has_error] + 1, difference[has_error] / error[has_error]
    )
    shares = _shares_by_count(ratings)
    chance = np.fmax(chance, np.where(shares < 1, 1 - shares, np.nan))
    return np.asarray(np.fmin(chance, np.where(shares.T < 1, shares.T, np.nan)))


def rank_intervals(ratings: Ratings) -> tuple[tuple[int, int] | None, ...]:
    """Return by bot (best, worst) rank among all bots with a rating that have played,
    95 % for all together; None for others.

    A bot that is not compared with others, as ``los`` tells, may be before or behind
    each of them.
    """
    has_rank, above = _has_rank(ratings), certainly_above(ratings)
    better, worse = above.sum(axis=1), above.sum(axis=0)
    ranks = (
        (int(worse[bot]) + 1, sum(has_rank) - int(better[bot])) for bot in range(len(has_rank))
    )
    return tuple(
        interval if is_ranked else None for interval, is_ranked in zip(ranks, has_rank, strict=True)
    )


def fewest_for_ranks(ratings: Ratings) -> int:
    """Return how many seeds the ranks need: three are too few at two seats, where the
    luck of the seat is large.
    """
    return FEWEST_AT_TWO_SEATS if ratings.two_seats else 0


def certainly_above(ratings: Ratings) -> Mask:
    """Return (n, n) whether bot i is certainly above bot j, 95 % for all together.

    If the results cut the bots into groups, with all of one certainly above all of the
    other, fewer comparisons are left: c is then that of the ranges of the groups
    together, and so on until none is cut any more. So a bot that is certainly last
    costs the others nothing.
    """
    has_rank = _has_rank(ratings)
    pairs, shares = _pairs(ratings), _shares_by_count(ratings)
    too_few = np.minimum.outer(ratings.seeds, ratings.seeds) < fewest_for_ranks(ratings)
    above = np.zeros(shares.shape, dtype=np.bool_)
    groups, cut = [np.flatnonzero(has_rank)], True
    while cut and (sizes := sorted(len(group) for group in groups if len(group) > 1)):
        certain = _certainly(pairs, shares, together(*sizes), ratings.widening) & ~too_few
        for group in groups:
            above[np.ix_(group, group)] = certain[np.ix_(group, group)]
        parts = [part for group in groups for part in _parts(group, above)]
        cut, groups = len(parts) > len(groups), parts
    return above


def _has_rank(ratings: Ratings) -> list[bool]:
    """Return which bots have a rating and have played."""
    return [
        elo is not None and seeds > 0 for elo, seeds in zip(ratings.elo, ratings.seeds, strict=True)
    ]


def _certainly(
    pairs: tuple[Floats, Floats, Ints], shares: Floats, level: float, widening: Widening
) -> npt.NDArray[np.bool_]:
    """Return (n, n) whether bot i is above bot j, if one comparison of two may err with
    that probability.
    """
    difference, error, freedom = pairs
    threshold = np.full(difference.shape, np.inf)
    has_error = ~np.isnan(error)
    threshold[has_error] = widening.certain(freedom[has_error] + 1, level) * error[has_error]
    return np.asarray((difference > threshold) | (shares < level / 2))


def _parts(group: Ints, above: npt.NDArray[np.bool_]) -> list[Ints]:
    """Split a group of bots so that of two bots in different parts one is certainly
    above the other. The parts are the connected components of pairs of which neither is
    certainly above the other.
    """
    inside = above[np.ix_(group, group)]
    near = (~(inside | inside.T)).astype(np.float32)
    while True:
        further = (near @ near > 0).astype(np.float32)
        if (further == near).all():
            break
        near = further
    first = np.argmax(near > 0, axis=1)
    return [group[first == number] for number in np.unique(first)]


@lru_cache
def together(*bots: int) -> float:
    """Return the level of one comparison of two at which all comparisons of each two
    bots hold together with 95 %. ``bots``: the sizes, 2 or more, of the groups within
    which bots are compared.
    """
    return 2 * float(ndtr(-range_quantile(bots, LEVEL) / sqrt(2)))


def range_quantile(bots: Sequence[int], level: float) -> float:
    """Return q with P(range <= q) = level for as many standard normal numbers, in each
    of several groups at once; to 1e-9 or better.

    For n numbers P = n times the integral of phi(x) (Phi(x) - Phi(x - q))^(n - 1), the
    largest number being x.
    """
    x = np.linspace(
        -9, 9, 721
    )  # the integrand vanishes with all its derivatives at the ends: plain sums converge fast
    density, below = np.exp(-x * x / 2) / sqrt(2 * pi) * (x[1] - x[0]), ndtr(x)
    low, high = 0.0, 20.0
    for _ in range(45):
        middle = (low + high) / 2
        within = below - ndtr(x - middle)
        inside = prod(
            (n * float(density @ within ** (n - 1))) ** often for n, often in Counter(bots).items()
        )
        low, high = (middle, high) if inside < level else (low, middle)
    return (low + high) / 2


def _shares_by_count(ratings: Ratings) -> Floats:
    """Return (n, n) how likely bot i would have taken all points of as many seeds as it
    did from bot j, were it not stronger: half for each seed. 1 if it did not take all
    points, or if it was one seed.
    """
    oneway = ratings.oneway
    if oneway is None:
        return np.ones((len(ratings.elo),) * 2)
    return np.where(oneway.above & (oneway.met > 1), 0.5**oneway.met, 1.0)


def _pairs(ratings: Ratings) -> tuple[Floats, Floats, Ints]:
    """Return (n, n) difference, standard error, degrees of freedom of every two bots;
    error NaN and difference 0 if not compared. Where all points flow one way, the
    numbers are those with one pair given back.
    """
    elo = np.array([np.nan if value is None else value for value in ratings.elo], dtype=np.float64)
    groups, seeds = np.array(ratings.groups), np.array(ratings.seeds)
    difference = elo[:, None] - elo
    variance = differences(ratings.covariance)
    fewer = np.minimum(seeds[:, None], seeds)
    comparable = (
        (groups[:, None] == groups) & (fewer > 1) & ~np.isnan(difference) & ~np.isnan(variance)
    )
    comparable &= ~ratings.no_variance_seen & ~np.eye(len(elo), dtype=np.bool_)
    error = np.where(comparable, np.sqrt(np.maximum(0, np.where(comparable, variance, 0))), np.nan)
    difference, freedom = np.where(comparable, difference, 0.0), fewer - 1
    if ratings.oneway is None:
        return difference, error, freedom
    has_error = ~np.isnan(ratings.oneway.error)
    distance, errors = (
        ELO_PER_NAT * nats for nats in (ratings.oneway.distance, ratings.oneway.error)
    )
    error, freedom = (
        np.where(has_error, errors, error),
        np.where(has_error, ratings.oneway.freedom, freedom),
    )
    return np.where(has_error, distance, difference), error, freedom
