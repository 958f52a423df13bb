"""How sure a measured figure is: medians with their intervals, and whether one version
is faster than another.
"""

from collections.abc import Sequence
from math import comb
from statistics import median
from typing import NamedTuple

LEAST = 7
"""Samples, of which the median lies between the smallest and the largest with 98 %.
Fewer say nothing.
"""
CONFIDENCE = 0.95


class Spread(NamedTuple):
    """Of samples of one figure.

    value: their median
    low, high: an interval that holds the true median with at least 95 %, whatever the
        samples' distribution
    n: how many there are
    """

    value: float
    low: float
    high: float
    n: int

    @property
    def error(self) -> float:
        """Half the interval, as a part of the median."""
        return (self.high - self.low) / 2 / abs(self.value) if self.value else 0.0


def spread(samples: Sequence[float]) -> Spread:
    """The median of at least LEAST samples, and its interval by order statistics: how
    many of n samples lie below the true median is binomial with 1/2.
    """
    if len(samples) < LEAST:
        raise ValueError(f"{len(samples)} samples say nothing; {LEAST} are the least")
    ordered, n = sorted(samples), len(samples)
    outside, cut = 0.0, 0
    while outside + comb(n, cut) / 2**n <= (1 - CONFIDENCE) / 2:
        outside += comb(n, cut) / 2**n
        cut += 1
    return Spread(median(ordered), ordered[cut - 1], ordered[n - cut], n)


def told(ratio: Spread, *, lower_is_better: bool) -> str:
    """What a ratio of this version to another one says."""
    if ratio.low <= 1 <= ratio.high:
        return "not told"
    return "faster" if (ratio.high < 1) == lower_is_better else "slower"
