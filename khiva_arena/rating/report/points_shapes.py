"""The published shapes of points by source; they are part of those of a table."""

from msgspec import Struct


class BotPoints(Struct, frozen=True):
    """Where the points of a bot come from.

    bot: its id.
    matches, seeds: how many of its matches were replayed, on how many deals.
    means: points a match from each source: those that count, then those that do not;
        none without a match.
    errors: half the width of the 95 % interval of each; null below two seeds.
    """

    bot: str
    matches: int
    seeds: int
    means: list[float | None]
    errors: list[float | None]


class Lead(Struct, frozen=True):
    """By how much the first bot makes more points a match than the others at its
    tables, beyond the error.

    bot: its id.
    total: how many more it makes in all.
    source: of which most of them come, beyond the error; null if no single one explains
        it.
    own, others: points from this source, of the bot and of the mean of the others.
    more, error: their difference, and half the width of its interval, in which all
        sources are 95 % certain at once.
    """

    bot: str
    total: float | None
    source: str | None = None
    own: float | None = None
    others: float | None = None
    more: float | None = None
    error: float | None = None


class PointsBySource(Struct, frozen=True):
    """Where the points of each bot come from, in rated matches without a forfeit that
    were replayed.

    matches, of: how many were replayed, of how many.
    counted, uncounted: the names of the sources, and of what is held and counts
        nothing.
    rows: the bots, best first.
    lead: of the first bot; null if it makes no more points beyond the error, or too few
        seeds tell.
    why_none: the reason why no match was replayed, in words; "" if some were.
    """

    matches: int
    of: int
    counted: list[str]
    uncounted: list[str]
    rows: list[BotPoints]
    lead: Lead | None
    why_none: str = ""
