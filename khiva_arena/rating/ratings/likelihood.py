"""Likelihood ratios of results, for sequential tests. Formulas:
docs/how-ratings-work.md F7.

The input is how many blocks had which score. LLR = blocks * sum p ln(p1 / p0), with p
the shares of the scores. p0 and p1 are the likeliest distributions that have the mean
of a hypothesis, or for normalised Elo the mean less 1/2 over the standard deviation.
See Van den Bergh, support_MLE_multinomial and normalized_elo_practical.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import log10, sqrt
from typing import NamedTuple

import numpy as np

from khiva_arena.rating.ratings.match_arrays import Floats

MOST_T = 0.6  # of a block; likeliest_with_t is found for all histograms up to it
_EMPTY = 1e-3  # blocks that a value which was not seen counts as, so that it is possible
_STEPS = 200
_TILTS = 6

Histogram = Mapping[Fraction, float] | Mapping[float, float]


def llr_of_scores(histogram: Histogram, s0: float, s1: float) -> float:
    """Return the log likelihood ratio of a mean score s1 to s0. A value with 0 blocks
    counts as possible; some value must be below both scores and some above.
    """
    values, counts = arrays(histogram)
    at0, at1 = (likeliest_with_mean(values, counts / counts.sum(), s) for s in (s0, s1))
    return float(counts @ (np.log(at1) - np.log(at0)))


def llr_of_ts(histogram: Histogram, t0: float, t1: float) -> float:
    """Return the log likelihood ratio of t1 to t0, where t is (mean - 1/2) / sd of a
    block. A value with 0 blocks counts as possible.
    """
    values, counts = arrays(histogram)
    at0, at1 = (likeliest_with_t(values, counts / counts.sum(), t) for t in (t0, t1))
    return float(counts @ (np.log(at1) - np.log(at0)))


def score_of(elo: float) -> float:
    """Return the expected score at a difference in Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return the Elo difference at which the score is expected; infinite at 0 and 1."""
    if not 0 < score < 1:
        return float("inf") if score >= 1 else float("-inf")
    return -400 * log10(1 / score - 1)


class ValueCounts(NamedTuple):
    """The values of a histogram, each with its count."""

    values: Floats
    counts: Floats


class Moments(NamedTuple):
    """The mean and the standard deviation of a distribution."""

    mean: float
    sd: float


def arrays(histogram: Histogram) -> ValueCounts:
    """Return a histogram as arrays; a value with 0 blocks counts as a little."""
    values = np.array([float(value) for value in histogram])
    counts = np.array([float(count) for count in histogram.values()])
    return ValueCounts(values, np.where(counts == 0, _EMPTY, counts))


def likeliest_with_mean(values: Floats, p: Floats, mean: float) -> Floats:
    """Return the distribution of values with that mean that makes p likeliest; the mean
    is between some of the values.
    """
    away = values - mean
    return np.asarray(p / (1 + _root(away, p) * away))


def likeliest_with_t(values: Floats, p: Floats, t: float) -> Floats:
    """Return the distribution of values with (mean - 1/2) / sd = t that makes p
    likeliest.

    A fixed point (normalized_elo_practical, section 4.1), begun near it: from the
    uniform distribution or from p itself it is sometimes not found.
    """
    now = p
    for _ in range(_TILTS):
        sought = 0.5 + t * moments(values, now).sd
        if not values.min() < sought < values.max():
            break
        now = likeliest_with_mean(values, p, sought)
    for _ in range(_STEPS):
        mean, sd = moments(values, now)
        away = values - 0.5 - t * sd * (1 + ((values - mean) / sd) ** 2) / 2
        before, now = now, np.asarray(p / (1 + _root(away, p) * away))
        if float(np.abs(now - before).max()) < 1e-11:
            break
    return now


def moments(values: Floats, p: Floats) -> Moments:
    """Return the mean and the standard deviation of values with the probabilities
    ``p``.
    """
    mean = float(p @ values)
    return Moments(mean, sqrt(float(p @ (values - mean) ** 2)))


def _root(away: Floats, p: Floats) -> float:
    """Return x with sum p away / (1 + x away) = 0 and every 1 + x away > 0, where away
    has both signs.

    The sum falls from +inf to -inf between its poles, so Newton kept inside a shrinking
    bracket cannot miss.
    """
    low, high = -1 / float(away.max()), -1 / float(away.min())
    x = 0.0
    for _ in range(_STEPS):
        terms = away / (1 + x * away)
        value = float(p @ terms)
        if value > 0:
            low = x
        else:
            high = x
        step = value / float(p @ (terms * terms))
        nearer = x + step
        if not low < nearer < high:
            nearer = (low + high) / 2
        if abs(nearer - x) <= 1e-15 * (high - low) or nearer in (low, high):
            return nearer
        x = nearer
    return x
