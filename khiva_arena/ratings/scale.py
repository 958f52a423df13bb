"""The Elo scale, the level of intervals, and what any of the fits comes to."""

from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from khiva_arena.ratings.effects import Effect
from khiva_arena.ratings.fit import Bound
from khiva_arena.ratings.pairs import Floats
from khiva_arena.ratings.student import stdtrit

ELO_PER_NAT = 400 / log(10)
LEVEL = 0.95
FEWEST_SEEDS = 5  # below, a variance is hardly known at all


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Numbers (n,) and covariances (n, n) in Elo, of the kind asked for and of the model; NaN where there is none.

    seen: covariances for ``nothing_seen``: CR0 of the blocks without the ghost; the model's without the part that only given
        numbers make uncertain; the model's.
    still: (n, n) as in ``Ratings``; on its diagonal, of the number itself against what is given.
    bread: (n, n) nats squared, inverse Hessian of the ratings on the unanchored scale; zero rows for bots not in the fit.
    """

    elo: Floats
    variance: Floats
    model_variance: Floats
    seen: tuple[Floats, Floats, Floats]
    still: npt.NDArray[np.bool_]
    bread: Floats
    bounds: tuple[Bound, ...]
    groups: tuple[int, ...]
    effects: tuple[Effect, ...] = ()


def half_width(se: float, blocks: int) -> float | None:
    """Half width of the 95 % interval: t quantile with blocks - 1 degrees of freedom; None below two blocks.

    ``blocks``: of the bot that has fewer of the two compared. With all bots on all seeds that is B.
    """
    if blocks < 2:
        return None
    return se * float(stdtrit(blocks - 1, (1 + LEVEL) / 2))
