"""The score of a bot against a rung, its Elo with a 95 % interval, and the number of
seeds that a mark needs.
"""

from collections.abc import Iterable
from math import ceil, log, log10
from typing import NamedTuple

from khiva_arena.common.result import Result

CHANCE_BEYOND = 0.025
"""That the true value lies below a 95 % interval."""
CLEAR_ELO = 50.0
"""The distance from a threshold at which a mark is to stay the same in 95 of 100
gradings.
"""
ALIKE = 0.25
"""How much more the mean over a deal varies than that of two independent matches, as a
share. Shipped bots have 0.12.
"""
_NORMAL, _ONE_SIDED = 1.96, 1.645
_ELO_A_NAT = 400 / log(10)


class RungScore(NamedTuple):
    """The score of a bot against a rung.

    score: from 0 to 1.
    elo: above the rung's bot.
    low, high: the ends of the 95 % interval of that, over seeds; None if the results
        leave the end open.
    """

    score: float
    elo: float
    low: float | None
    high: float | None


SAME_BOT = RungScore(0.5, 0.0, 0.0, 0.0)
"""The score of the rung's own bot against itself, without a match."""


def score_of(results: Iterable[Result], seeds: int) -> RungScore:
    """Return the score of bot 0 in matches against bot 1. ``seeds``: the deals of these
    matches.
    """
    from khiva_arena.rating.ratings.elo import rate  # not above: numpy comes with it

    ratings = rate(results, 2, 1)
    score, (elo, _) = ratings.score[0], ratings.between(0, 1)
    assert score is not None
    assert elo is not None
    low, high = ratings.ends(0, 1)
    if low is None and high is None:
        low, high = _ends_if_alike(score, seeds)
    return RungScore(score, elo, low, high)


def _ends_if_alike(score: float, seeds: int) -> tuple[float | None, float | None]:
    """Return the ends of the interval if every seed has the same score, so that nothing
    was seen of how much seeds differ.

    So many equal seeds are that likely only if at least a share of all possible seeds
    are like them. Others could score all or nothing.
    """
    share = CHANCE_BEYOND ** (1 / seeds)
    return _elo_of(score * share), _elo_of(1 - (1 - score) * share)


def _elo_of(score: float) -> float | None:
    return 400 * log10(score / (1 - score)) if 0 < score < 1 else None


def seeds_for(threshold: float) -> int:
    """Return how many deals of two matches each make a mark certain: a bot
    ``CLEAR_ELO`` above the threshold passes in 95 of 100 gradings.

    The interval is that of the normal law, and matches of a deal are as much alike as
    ``ALIKE`` says.
    """
    score = 1 / (1 + 10 ** (-(abs(threshold) + CLEAR_ELO) / 400))
    slope = _ELO_A_NAT / (score * (1 - score))
    variance_of_a_seed = score * (1 - score) / 2 * (1 + ALIKE)
    return ceil(variance_of_a_seed * (slope * (_NORMAL + _ONE_SIDED) / CLEAR_ELO) ** 2)
