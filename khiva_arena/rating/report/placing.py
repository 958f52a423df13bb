"""The order of bots in a league: of its tables, and of those that its finals seat.
Nothing is loaded here that a fit needs.

Who has played little has a wide interval, and is high in a table by luck as often as by
strength. So a bot counts for what is sure of it, and has no place before it has played
in some batches. Then a new version of a bot gains nothing by being new. Nor does an
author gain who enters one after another: those that are retired have no place, and one
of many would be lucky.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar


class RatedBot(Protocol):
    """A bot with the numbers that its place follows from; each is rounded, and None for
    n/a.
    """

    @property
    def bot(self) -> str:
        """Its identity."""

    @property
    def elo(self) -> float | None:
        """Its rating, relative to the anchor."""

    @property
    def least(self) -> float | None:
        """The lower end of the 95 % interval of that, relative to the other bots."""


Rated = TypeVar("Rated", bound=RatedBot)


class Batches(NamedTuple):
    """The batches that the bots of a league have played in.

    of: by identity, how many, over all seasons; more than ``fewest`` are not counted.
    fewest: that a bot needs for a place.
    retired: the bots that have no place, however many they have played in.
    """

    of: Mapping[str, int]
    fewest: int
    retired: frozenset[str] = frozenset()


def least_of(elo: float | None, pool_error: float | None, low: float | None) -> float | None:
    """Return the lower end of the interval that orders a league.

    elo: relative to the anchor.
    pool_error: half of its interval against the bots that it is connected with; None if
        there are none, as for a bot that took all points.
    low: lower end of its interval against the anchor, which is taken then.
    """
    return low if elo is None or pool_error is None else elo - pool_error


def in_order(bots: Sequence[Rated], batches: Batches) -> list[tuple[Rated, int | None]]:
    """Return bots in the order of a league's table, each with its place: 1 is best, and
    equal ones share one. Those without a place come last, with None: they have no
    rating, or have played in too few batches, or are retired. Equal ones stay in the
    order given, which is that of their entry.
    """
    placed: list[Rated] = []
    rest: list[Rated] = []
    for bot in sorted(bots, key=_key):
        has_place = (
            bot.elo is not None
            and batches.of.get(bot.bot, 0) >= batches.fewest
            and bot.bot not in batches.retired
        )
        (placed if has_place else rest).append(bot)
    keys = [*map(_key, placed)]
    return [(bot, 1 + bisect_left(keys, key)) for bot, key in zip(placed, keys, strict=True)] + [
        (bot, None) for bot in rest
    ]


def _key(bot: RatedBot) -> tuple[bool, bool, float, float]:
    """Return what sorts a bot: by the lower end of its interval, then by its rating;
    what is not known comes last.
    """
    return bot.elo is None, bot.least is None, -(bot.least or 0.0), -(bot.elo or 0.0)
