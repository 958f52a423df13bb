"""The Elo scale, the level of intervals, and what any of the fits comes to."""

from dataclasses import dataclass
from math import log

from khiva_arena.ratings.effects import Effect
from khiva_arena.ratings.fit import Bound
from khiva_arena.ratings.pairs import Floats
from khiva_arena.ratings.student import stdtrit

ELO_PER_NAT = 400 / log(10)
LEVEL = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Numbers (n,) and covariances (n, n) in Elo, of the kind asked for and of the model; NaN where there is none."""

    elo: Floats
    variance: Floats
    model_variance: Floats
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
