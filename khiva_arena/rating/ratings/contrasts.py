"""Contrasts named before the results: differences of some bots alone, and the trend of
bots along a line.

A contrast is a sum of numbers with weights that add up to 0. Its variance comes from
the whole covariance. So the part that the bots have in common, such as the deals that
all of them played, is not counted twice. docs/how-ratings-work.md F4.
"""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt

import msgspec
import numpy as np

from khiva_arena.rating.ratings.compare import los, together
from khiva_arena.rating.ratings.elo import Ratings
from khiva_arena.rating.ratings.match_arrays import Floats, Ints

_ROUNDING = 1e-9  # Elo


class Contrast(msgspec.Struct, frozen=True):
    """A difference, or a trend.

    elo: Elo, how large it is; None if a bot has no number.
    low, high: ends of its interval; None where the results give none.
    los: how likely it is above 0; None if ``low`` and ``high`` are both None.
    """

    elo: float | None
    low: float | None
    high: float | None
    los: float | None


def differences_among(
    ratings: Ratings, bots: Sequence[int]
) -> tuple[tuple[int, int, Contrast], ...]:
    """Return each two of a set that was named before, the first of them less the other.
    Intervals hold 95 % for all pairs of the set at once; the likelihood is of the pair
    alone.
    """
    superior = los(ratings)
    level = together(len(bots))
    return tuple(
        (i, j, _difference(ratings, superior, i, j, level)) for i, j in combinations(bots, 2)
    )


def _difference(ratings: Ratings, superior: Floats, i: int, j: int, level: float) -> Contrast:
    elo, error = ratings.between(i, j)
    low, high = ratings.ends(i, j)
    chance = float(superior[i, j])
    if elo is not None and error is not None:
        seeds = min(ratings.seeds[i], ratings.seeds[j])
        wider = float(ratings.widening.critical(seeds, level) / ratings.widening.critical(seeds))
        low, high = elo - error * wider, elo + error * wider
    return Contrast(elo, low, high, None if np.isnan(chance) else chance)


def trend(ratings: Ratings, bots: Sequence[int], at: Sequence[float]) -> Contrast | None:
    """Return how far the straight line through bots ``at`` these places rises from the
    first place to the last. It is by least squares, with the error of such a sum of
    their numbers. None for bots at one place, or of which one has no error.
    """
    places = np.asarray(at, dtype=np.float64) - np.mean(at)
    if len(bots) < 2 or not np.ptp(places):
        return None
    weights = places / float(places @ places) * np.ptp(places)
    elos = [ratings.elo[bot] for bot in bots]
    same_group = len({ratings.groups[bot] for bot in bots}) == 1
    variance = float(weights @ ratings.covariance[np.ix_(list(bots), list(bots))] @ weights)
    if any(elo is None for elo in elos) or not same_group or not variance > _ROUNDING:
        return None
    rise, se = float(weights @ np.array(elos, dtype=np.float64)), sqrt(variance)
    seeds = min(ratings.seeds[bot] for bot in bots)
    error = ratings.widening.half_width(se, seeds)
    if error is None:
        return None
    freedom: Ints = np.array([seeds])
    return Contrast(
        rise,
        rise - error,
        rise + error,
        float(ratings.widening.superior(freedom, np.array([rise / se]))[0]),
    )
