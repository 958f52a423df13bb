"""The number of seeds that an answer takes, from how much this store's results vary.
docs/how-ratings-work.md F4, F12.

An error shrinks with the root of the seeds: variance after S seeds = variance now *
seeds now / S, if the same bots go on to play the same line-ups. The t quantile is that
of the S seeds. The variance itself is an estimate. Taken for one of blocks - 1 degrees
of freedom, its own 95 % interval (chi-square) gives the interval of the seeds, and with
few seeds that is wide.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import ceil, isnan, sqrt

from khiva_arena.errors import ConfigError
from khiva_arena.rating.ratings.elo import FEWEST_SEEDS, LEVEL, Ratings
from khiva_arena.rating.ratings.student import chdtri, stdtrit
from khiva_arena.rating.ratings.widening import Widening, of_interval

__all__ = [
    "FEWEST_SEEDS",
    "MOST_SEEDS",
    "NORMAL",
    "POWER",
    "GapNeed",
    "Need",
    "errors_after",
    "for_error",
    "for_gap",
    "for_order",
]

MOST_SEEDS = 10**9
NORMAL = 1.96
"""The 95 % quantile with very many seeds."""
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Need:
    """The number of seeds in all, those already played included. A number is at least
    2, since one seed has no error; MOST_SEEDS means more than can be played.

    seeds: how many it takes.
    low, high: the 95 % interval of that, from how well the variance is known.
    """

    seeds: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class GapNeed:
    """The seeds needed to see a true gap of a given size between two neighbours in the
    order of Elo.

    upper, lower: the two bots.
    elo: Elo, the present gap; None if the results give no error between the two.
    error: Elo, half width of its 95 % interval; None as ``elo``.
    need: seeds; None as in ``for_error``.
    """

    upper: int
    lower: int
    elo: float | None
    error: float | None
    need: Need | None


def for_error(ratings: Ratings, error: float, pool: bool = False) -> tuple[Need | None, ...]:
    """Return for each bot the seeds for a 95 % half width of ``error`` Elo against the
    anchor, or against the mean of the pool.

    None: the anchor itself; no usable error yet (see ``Ratings.error``); fewer than
        FEWEST_SEEDS seeds; or no variance at all, which says nothing about the next
        seed. Raises ConfigError if the error is not above 0.
    """
    _above_0("error", error)
    critical = _critical(ratings)
    needs = []
    for bot, _ in enumerate(ratings.elo):
        if pool:
            usable, se, blocks = (
                ratings.pool_error[bot] is not None,
                ratings.pool_se[bot],
                ratings.seeds[bot],
            )
        else:
            blocks = min(ratings.seeds[bot], ratings.seeds[ratings.anchor])
            usable, se = bot != ratings.anchor and ratings.error[bot] is not None, ratings.se[bot]
        needs.append(
            _need(se, blocks, ratings.blocks, error, critical)
            if usable and se is not None
            else None
        )
    return tuple(needs)


def errors_after(ratings: Ratings, seeds: int) -> tuple[float | None, ...]:
    """Return for each bot the 95 % half width against the anchor to expect after so
    many seeds in all, at the same line-ups. None as in ``for_error``.
    """
    critical = _critical(ratings)
    after: list[float | None] = []
    for bot, _ in enumerate(ratings.elo):
        blocks, se = min(ratings.seeds[bot], ratings.seeds[ratings.anchor]), ratings.se[bot]
        usable = bot != ratings.anchor and ratings.error[bot] is not None and se is not None
        if not usable or se is None or blocks < FEWEST_SEEDS or se < 1e-9:
            after.append(None)
            continue
        then = max(2, seeds * blocks // ratings.blocks)
        after.append(critical(then) * se * sqrt(blocks / then))
    return tuple(after)


def for_gap(ratings: Ratings, gap: float, power: float = POWER) -> tuple[GapNeed, ...]:
    """Return the seeds to find a true gap of ``gap`` Elo, for each two neighbours in
    the order of Elo among the bots that met another. After these seeds the 95 %
    interval of the difference leaves 0 out on the right side with probability
    ``power``. Bots that the results place at no finite distance from any other, such as
    one that lost everything, are left out: more seeds do not help there.

    Raises ConfigError if the gap is not above 0, or the power not from 0.5 to below 1.
    """
    _above_0("gap", gap)
    if not 0.5 <= power < 1:
        raise ConfigError(
            f"power is {power:g}: give how often the gap is to be found, from 0.5 to below "
            "1, such as 0.8"
        )

    critical = _critical(ratings)

    def quantiles(seeds: int) -> float:
        return critical(seeds) + float(stdtrit(seeds - 1, power))

    bots = [bot for bot, elo in enumerate(ratings.elo) if elo is not None and ratings.seeds[bot]]
    often = Counter(ratings.groups[bot] for bot in bots)
    if (
        max(often.values(), default=0) > 1
    ):  # a bot at no finite distance from any other stands between no two
        bots = [bot for bot in bots if often[ratings.groups[bot]] > 1]
    order = sorted(
        bots, key=lambda bot: -round(ratings.elo[bot] or 0.0, 6)
    )  # rounding of the fit must not decide ties
    needs = []
    for upper, lower in pairwise(order):
        distance, error = ratings.between(upper, lower)
        v = ratings.covariance
        variance = float(v[upper, upper] + v[lower, lower] - 2 * v[upper, lower])
        blocks = min(ratings.seeds[upper], ratings.seeds[lower])
        usable = error is not None and not isnan(variance)
        need = (
            _need(sqrt(max(0.0, variance)), blocks, ratings.blocks, gap, quantiles)
            if usable
            else None
        )
        needs.append(GapNeed(upper, lower, distance if usable else None, error, need))
    return tuple(needs)


def for_order(
    ratings: Ratings, upper: int, lower: int, level: float, widening: Widening
) -> Need | None:
    """Return the seeds after which ``ranks`` calls a bot certainly above another one,
    if they stay as far apart as they are.

    level: of one comparison of two, as ``compare.together`` gives it.
    widening: of the table after these seeds.

    None: the upper one is not above, there is no error between the two, or the variance
        is not known, as in ``for_error``.
    """
    distance, error = ratings.between(upper, lower)
    if distance is None or error is None or distance <= 0:
        return None
    v = ratings.covariance
    se = sqrt(max(0.0, float(v[upper, upper] + v[lower, lower] - 2 * v[upper, lower])))
    blocks = min(ratings.seeds[upper], ratings.seeds[lower])
    return _need(
        se, blocks, ratings.blocks, distance, lambda seeds: float(widening.certain(seeds, level))
    )


def _need(
    se: float, blocks: int, all_blocks: int, reach: float, quantile: Callable[[int], float]
) -> Need | None:
    """Return the seeds after which quantile * standard error is down to ``reach``. A
    bot that played on a part of the seeds is assumed to keep playing on that part.
    """
    if blocks < FEWEST_SEEDS or se < 1e-9:
        return None
    freedom, tail = blocks - 1, (1 - LEVEL) / 2
    spread = [se * sqrt(freedom / chdtri(freedom, p)) for p in (tail, 1 - tail)]
    seeds, low, high = (
        min(MOST_SEEDS, ceil(_fewest(error * sqrt(blocks), reach, quantile) * all_blocks / blocks))
        for error in (se, *spread)
    )
    return Need(seeds, low, high)


def _fewest(deviation: float, reach: float, quantile: Callable[[int], float]) -> int:
    """Return the smallest n >= 2 with quantile(n) * deviation / sqrt(n) <= reach, which
    falls in n.
    """

    def enough(n: int) -> bool:
        return quantile(n) * deviation / sqrt(n) <= reach

    high = 2
    while not enough(high):
        if high >= MOST_SEEDS:
            return MOST_SEEDS
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return max(2, high)


def _critical(ratings: Ratings) -> Callable[[int], float]:
    """Return the function from seeds to the half width of a 95 % interval in standard
    errors.
    """
    return partial(of_interval, ratings.widening)


def _above_0(name: str, value: float) -> None:
    if not 0 < value < float("inf"):
        raise ConfigError(f"{name} is {value:g}: give a number of Elo above 0, such as 20")
