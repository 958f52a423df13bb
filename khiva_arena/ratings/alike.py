"""The likeness of two bots' matches on one seed: whether the seed decides all of them or none.

Of a pair of bots, w = m u is the weight of its m matches on a seed, and u that of one match; p is its share over all seeds. The
correlation of two matches on a seed is c. The residual score s - w p then has the variance w u p (1 - p) (1 + (m - 1) c). All
pairs that vary give one c. A pair that took all points of each seed shows nothing of c, and takes the c of the others. If no pair
varies, c is 1, since nothing then speaks against the seed deciding all. The design effect of m matches is 1 + (m - 1) c: so many
count as one.
"""

from typing import NamedTuple

import numpy as np

from khiva_arena.ratings.match_arrays import Floats
from khiva_arena.ratings.pairs import PairCells, sums_at

_ROUNDING = 1e-9


class Alikeness(NamedTuple):
    """The correlation of two matches of one pair on one seed.

    correlation: 0..1.
    seen: whether pairs that vary show it.
    """

    correlation: float
    seen: bool

    def design_effects(self, matches: Floats) -> Floats:
        """Return how many matches on one seed count as one, for each number of matches."""
        return 1 + np.maximum(0.0, matches - 1) * self.correlation


UNKNOWN = Alikeness(1.0, seen=False)
"""The likeness where no pair varies: as if each seed decided all of its matches."""


def alikeness(cells: PairCells) -> Alikeness:
    """Pool the correlation over all pairs that vary."""
    _, at = np.unique(cells.low * cells.bots + cells.high, return_inverse=True)
    weights, scores = sums_at(at, cells.weight, at.max(initial=-1) + 1), sums_at(at, cells.score, at.max(initial=-1) + 1)
    share, part = (scores / weights)[at], cells.weight / weights[at]
    varies = (share > _ROUNDING) & (share < 1 - _ROUNDING) & (part < 1 - _ROUNDING)
    share, part, weight = share[varies], part[varies], cells.weight[varies]
    alone = weight * cells.unit * share * (1 - share)
    # the share was drawn to the seed's own score
    square = (cells.score[varies] - weight * share) ** 2 / (1 - part)
    more = float(alone @ (weight / cells.unit - 1))
    if more < _ROUNDING:
        return UNKNOWN
    return Alikeness(float(np.clip((square.sum() - alone.sum()) / more, 0, 1)), seen=True)
