"""Intervals that hold however often a table was looked at before it was played on.
docs/how-ratings-work.md F15.

Extending an event until a result pleases, or stopping it then, finds something false
far more often than in one of twenty cases. Two ways allow for that. Looks that were
planned (``boundary``): the critical value after S seeds is C sqrt(N / S) for N seeds in
all, with the constant C of O'Brien and Fleming for that many looks. Looks that were not
(``mixture``): a normal mixture over all differences that there may be, which holds at
every number of seeds at once; rho says where it is sharpest. Both are values of a
normal distribution, whose level is then that of Student's t.
"""

from math import log, sqrt
from statistics import NormalDist

import msgspec
import numpy as np

from khiva_arena.rating.ratings.scale import LEVEL
from khiva_arena.rating.ratings.student import Floats, Ints, ndtr, stdtrit

O_BRIEN_FLEMING = (
    1.960,
    1.977,
    2.004,
    2.024,
    2.040,
    2.053,
    2.063,
    2.072,
    2.080,
    2.087,
    2.092,
    2.098,
    2.102,
    2.106,
    2.110,
    2.114,
    2.117,
    2.120,
    2.123,
    2.126,
)
"""The constants for 1 to 20 equally spaced looks, two-sided 5 % in all (Jennison and
Turnbull, table 2.3).
"""
MOST_LOOKS = len(O_BRIEN_FLEMING)
_SHARPEST = (
    3 / 7.8
)  # of the first event's seeds: a mixture with this rho is sharpest at three times as many
_SMALLEST = 1e-12  # below, nobody tells one level from another


class Looks(msgspec.Struct, frozen=True):
    """The allowance of a table for looks.

    rho: of the mixture; 0: none.
    boundary: the critical value at one seed; at S seeds it is less by a factor of
        sqrt(S). 0: no looks were planned.
    """

    rho: float = 0.0
    boundary: float = 0.0

    def __bool__(self) -> bool:
        """Tell whether there was a look before."""
        return bool(self.rho or self.boundary)

    def critical(self, seeds: Ints | int, level: float) -> Floats:
        """Return by element the half width in standard errors of an interval that errs
        with probability ``level`` at any look.
        ``seeds``: 2 or more.
        """
        counts = np.asarray(seeds).ravel().tolist()
        of_each = {count: self._of(count, level) for count in set(counts)}
        return np.array([of_each[count] for count in counts]).reshape(np.shape(seeds))

    def _of(self, seeds: int, level: float) -> float:
        if self.rho:
            total = seeds + self.rho
            z = sqrt(total / seeds * log(total / (self.rho * level**2)))
            level = max(_SMALLEST, 2 * float(ndtr(-z)))
        elif self.boundary:
            normal = NormalDist()
            z = (
                self.boundary
                / sqrt(seeds)
                * normal.inv_cdf(1 - level / 2)
                / normal.inv_cdf((1 + LEVEL) / 2)
            )
            level = max(_SMALLEST, 2 * float(ndtr(-z)))
        return -float(stdtrit(seeds - 1, level / 2))


ONE_LOOK = Looks()
"""The allowance of a table that was played as planned, and not looked at before."""


def unplanned(first_seeds: int) -> Looks:
    """Return the mixture for events that were extended, or stopped. ``first_seeds``: of
    the first event of the chain.
    """
    return Looks(rho=first_seeds * _SHARPEST)


def planned(looks: int, seeds: int) -> Looks:
    """Return the boundary for so many looks, the last after so many seeds."""
    return Looks(boundary=O_BRIEN_FLEMING[looks - 1] * sqrt(seeds))
