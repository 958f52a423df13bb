"""The Elo scale, and the level of intervals."""

from math import log

from khiva_arena.rating.ratings.student import stdtrit

ELO_PER_NAT = 400 / log(10)
LEVEL = 0.95
FEWEST_SEEDS = 5  # below, a variance is hardly known at all


def half_width(se: float, blocks: int) -> float | None:
    """Return the half width of the 95 % interval: t quantile with blocks - 1 degrees of
    freedom; None below two blocks.

    ``blocks``: of the bot that has fewer of the two compared. With all bots on all
        seeds that is B.
    """
    if blocks < 2:
        return None
    return se * float(stdtrit(blocks - 1, (1 + LEVEL) / 2))
