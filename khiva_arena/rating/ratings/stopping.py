"""Estimates after a sequential test, corrected for the moment at which it stopped.

A test that stops when the score looks good makes the plain mean too high; ordering the
outcomes corrects that (Siegmund, Sequential Analysis, 1985, chapter 3). The LLR over
blocks is taken for a Brownian motion that, from the first look on, ends at either of
two bounds. An outcome is worse than another if it met the lower bound sooner, or the
upper bound later, or stood lower at the same time. The estimate is the true score at
which a worse outcome has probability 1/2; the ends of the 95 % interval are those at
which it has 97.5 % and 2.5 %. Tested against fishtest's published figures, which are
made in this way with a first look at block 0.
"""

from collections.abc import Callable
from functools import cache
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from khiva_arena.rating.ratings.match_arrays import Floats
from khiva_arena.rating.ratings.student import log_ndtr, ndtr

Z = 1.959963984540054  # normal quantile of a 95 % interval
_MOST_ELO = 1000.0  # estimates end here
_NODES = 48  # of the integral over where the LLR stood at the first look
_FAR = 8.0  # standard deviations that it is taken over
_CLOSE_ENOUGH = 1e-12  # of a score
# of the blocks before the first look; in simulations intervals hold above, and in 1 of
# 10 to 1 of 4 cases below
_SOONER = 0.5


class BlockScores(NamedTuple):
    """How many blocks were played, and the mean and variance of their scores."""

    blocks: float
    mean: float
    variance: float


class StoppedScore(NamedTuple):
    """A score by a test that may have stopped early.

    middle: the median-unbiased score
    low, high: the ends of its 95 % interval
    los: how likely a worse outcome is at a true score of 1/2
    """

    middle: float
    low: float
    high: float
    los: float


def after_stop(
    scores: BlockScores,
    hypotheses: tuple[float, float],
    bounds: tuple[float, float],
    first: int = 0,
    quantile: float = Z,
) -> StoppedScore | None:
    """Return the score that a stopped test shows.

    hypotheses: the score of each, the lower one first.
    bounds: of the LLR.
    first: blocks before the first look at the bounds.
    quantile: the normal one, or wider if few blocks make the variance an estimate.

    Scores end at those of 1000 Elo. An LLR beyond its bound after the first look, an
    overshoot, counts as one that met the bound earlier at the same slope.

    None if a motion of that slope would have met the bound long before the first look,
    though the test went on after it: then the LLR was no Brownian motion. That happens
    if nearly all blocks end alike, and a few others make up all of the variance.
    """
    (blocks, mean, variance), (s0, s1), (lower, upper) = scores, hypotheses, bounds
    slope = (mean - (s0 + s1) / 2) * (s1 - s0) / variance
    at = min(upper, max(lower, blocks * slope))
    time = max(float(first), at / slope) if at in bounds else blocks
    if blocks > first and at in bounds and at / slope < _SOONER * first:
        return None

    def worse(score: float) -> float:
        v = variance + (score - mean) ** 2  # the likeliest variance if the true score is this
        drift, spread = (score - (s0 + s1) / 2) * (s1 - s0) / v, (s1 - s0) ** 2 / v
        if blocks <= first:
            return normal((mean - score) * sqrt(blocks / v))
        return chance_of_worse(drift, spread, time, at, bounds, first)

    tail, step = normal(-quantile), sqrt(variance / blocks)
    middle, low, high = (_falls_to(worse, chance, mean, step) for chance in (0.5, 1 - tail, tail))
    return StoppedScore(middle, low, high, worse(0.5))


def chance_of_worse(
    drift: float,
    variance: float,
    time: float,
    at: float,
    bounds: tuple[float, float],
    first: float = 0,
) -> float:
    """Return the probability that a Brownian motion from 0 does worse than to stand
    ``at`` after ``time``, lower <= at <= upper. The bounds end it from the time
    ``first`` on. ``drift`` and ``variance`` are of one unit of time.
    """
    lower, upper = bounds
    if first == 0:
        return float(
            _worse_between(
                drift, variance, time, np.array([at]), np.array([lower]), np.array([upper])
            )[0]
        )
    middle, sd = drift * first, sqrt(variance * first)
    chance_ended = float(normal((lower - middle) / sd))
    low, high = max(lower, middle - _FAR * sd), min(upper, middle + _FAR * sd)
    if low >= high:
        return chance_ended
    nodes, weights = _legendre()
    start = (low + high) / 2 + (high - low) / 2 * nodes
    density = (
        np.exp(-(((start - middle) / sd) ** 2) / 2)
        / (sd * sqrt(2 * np.pi))
        * weights
        * (high - low)
        / 2
    )
    later = _worse_between(
        drift, variance, max(time - first, 1e-9), at - start, lower - start, upper - start
    )
    return min(1.0, chance_ended + float(density @ later))


@cache
def _legendre() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(_NODES)


def _worse_between(
    drift: float, variance: float, time: float, at: Floats, lower: Floats, upper: Floats
) -> Floats:
    """Return the chance of a worse outcome with bounds from the start, for several
    bounds of equal distance.

    By reflection (method of images): every term is at most about 1 in size, so that no
    drift, however far from what was seen, overflows or cancels.
    """
    s, gamma = variance * time, drift / variance  # time in units of variance, drift by it
    root, width = sqrt(s), float(upper[0] - lower[0])
    far_out = 2 + ceil(5 * root / width)  # images beyond 10 sd add less than rounding does
    k = np.arange(-far_out, far_out + 1, dtype=np.float64)
    at, lower, upper = at[:, None], lower[:, None], upper[:, None]
    # ended at the lower bound before: first passages to a bound at the distance of each
    # image
    place = 2 * k * width - lower
    c, sign, size = np.abs(place), np.sign(place), abs(gamma)
    # still between the bounds and not above ``at``: a normal law around every image of
    # the start, with alternate signs
    images = 2 * k * width + 0 * upper, 2 * upper + 2 * k * width
    ends = [(end - image - gamma * s) / root for image in images for end in (lower, at)]
    flips = [np.where(end > 0, -1.0, 1.0) for end in ends[::2]]  # take the smaller tail
    tails = [
        flip * end for flip, both in zip(flips, (ends[:2], ends[2:]), strict=True) for end in both
    ]
    soon, late, *laws = log_ndtr(np.stack([(size * s - c) / root, (-size * s - c) / root, *tails]))
    hit = np.exp(gamma * lower - size * c + soon)
    hit += np.exp(gamma * lower + size * c + late)
    worse = (sign * hit).sum(axis=1)
    for image, flip, near, far, positive in zip(
        images, flips, laws[::2], laws[1::2], (1.0, -1.0), strict=True
    ):
        worse += positive * (
            flip * (np.exp(gamma * image + far) - np.exp(gamma * image + near))
        ).sum(axis=1)
    return np.asarray(np.clip(worse, 0, 1))


def normal(z: float) -> float:
    return float(ndtr(z))


def _falls_to(chance: Callable[[float], float], target: float, start: float, step: float) -> float:
    """Return where a falling function of the score first has a value, going out from
    ``start``; the end of the scale if it never has.

    The search goes out, since far from the seen score the likeliest variance is so
    large that the chance turns back.
    """
    ends = tuple(1 / (1 + 10 ** (-elo / 400)) for elo in (-_MOST_ELO, _MOST_ELO))
    point = min(ends[1], max(ends[0], start))
    up = chance(point) > target
    while True:
        next_point = min(ends[1], point + step) if up else max(ends[0], point - step)
        if (chance(next_point) > target) != up:
            return root(lambda score: chance(score) - target, point, next_point)
        if next_point in ends:
            return next_point
        point, step = next_point, step * 1.5


def root(function: Callable[[float], float], a: float, b: float) -> float:
    """Return where a continuous function is 0 between two places at which it has
    different signs, to ``_CLOSE_ENOUGH``.

    Chandrupatla's method (1997): inverse quadratic interpolation if the last three
    points allow it, else halving.
    """
    at_a, at_b = function(a), function(b)
    share = 0.5  # of the way from a to b
    while True:
        x = a + share * (b - a)
        at_x = function(x)
        if (at_x > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            b, at_b, c, at_c = a, at_a, b, at_b
        a, at_a = x, at_x
        best, at_best = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        step_least = _CLOSE_ENOUGH / abs(b - c)
        if at_best == 0 or step_least > 0.5:
            return best
        xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        share = 0.5
        if phi**2 < xi and (1 - phi) ** 2 < 1 - xi:
            share = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            share += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        share = min(1 - step_least, max(step_least, share))
