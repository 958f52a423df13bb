"""What pages are made from: the state of a league, its history, names of authors, and what waits."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from khiva_arena.league.public_state import (
    PublicBatch,
    PublicBot,
    PublicLeague,
    RatingThen,
    TableThen,
)

BEFORE_THE_FIRST = "no batch is drawn yet"


class WaitingBot(NamedTuple):
    """A bot that waits.

    name: of its family.
    state: what it waits for, in words.
    """

    name: str
    state: str


class Point(NamedTuple):
    """A point of a line over time.

    batch: after which it is.
    elo, error: relative to the anchor, and its 95 % half width; None for n/a.
    version: of the bot.
    """

    batch: int
    elo: float
    error: float | None
    version: int


class LeagueView:
    """A league as pages show it.

    league: its state.
    history: the table as it stood after each batch, the oldest first.
    names: of authors, by their ids.
    waiting: what waits in the queue.
    """

    def __init__(
        self, league: PublicLeague, history: Sequence[TableThen], names: Mapping[str, str], waiting: Sequence[WaitingBot]
    ) -> None:
        self.league, self.history, self.names, self.waiting = league, history, names, waiting

    @property
    def newest(self) -> PublicBatch | None:
        """The newest batch, whether it is over or not; None before the first."""
        return self.league.batches[-1] if self.league.batches else None

    @property
    def commitment(self) -> str:
        """The commitment of the newest batch, in words before the first."""
        return self.newest.commitment if self.newest else BEFORE_THE_FIRST

    @property
    def open(self) -> PublicBatch | None:
        """The batch that is played, None if none is."""
        return self.newest if self.newest and not self.newest.over_at else None

    @property
    def over(self) -> int:
        """How many batches are over."""
        return sum(bool(batch.over_at) for batch in self.league.batches)

    @property
    def receipt(self) -> str:
        """The newest link and the newest commitment, as `verify --seen` finds them in any text."""
        return f"{self.league.receipt}; commitment {self.commitment}"

    def bot(self, name: str) -> PublicBot | None:
        """Return a bot by its name, None if there is none."""
        return next((bot for bot in self.league.bots if bot.name == name), None)

    def family(self, family: str) -> list[PublicBot]:
        """Return the versions of a family, the oldest first."""
        return sorted((bot for bot in self.league.bots if bot.family == family), key=lambda bot: bot.version)

    def active_of(self, author: str) -> set[str]:
        """Return the families of an author that have an active version. ``author``: the id."""
        return {bot.family for bot in self.league.bots if bot.author == author and bot.state == "active"}

    def author(self, bot: PublicBot) -> str:
        """Return the name of a bot's author as far as it is known."""
        return self.names.get(bot.author, "name removed") if bot.author else "anchor"

    @cached_property
    def pool(self) -> dict[str, Any] | None:
        """The newest table: that of the newest batch in it, since other conditions begin another one."""
        return newest_pool(self.league.table, self.league.batches)

    @cached_property
    def bots(self) -> dict[str, PublicBot]:
        """All bots by their identities."""
        return {bot.identity: bot for bot in self.league.bots}

    @cached_property
    def rows(self) -> dict[str, dict[str, Any]]:
        """The rows of the newest table by the identities of their bots, the best first."""
        return {row["bot"]: row for row in self.pool["rows"]} if self.pool else {}

    @property
    def placed(self) -> int:
        """How many rows of the newest table are above its line: others are still finding their place, or retired."""
        return sum(row["rank"] is not None for row in self.rows.values())

    def line_of(self, bots: Sequence[PublicBot]) -> list[Point]:
        """Return the line over time of versions of one bot: after each batch, the newest one that was rated."""
        versions = {bot.identity: bot.version for bot in bots}
        points = []
        for then in self.history:
            rated = [one for one in then.ratings if one.identity in versions and one.elo is not None]
            if rated:
                newest: RatingThen = max(rated, key=lambda one: versions[one.identity])
                points.append(Point(then.batch, newest.elo or 0.0, newest.error, versions[newest.identity]))
        return points


def newest_pool(
    table: dict[str, Any] | None,
    batches: Sequence[PublicBatch],
) -> dict[str, Any] | None:
    """Return the newest of the tables that `standings --json` has printed, None if there is none."""
    pools = (table or {}).get("standings", [])
    events = [batch.event for batch in reversed(batches)]
    of_an_event = {event: pool for pool in pools for event in pool["events"]}
    return next((of_an_event[event] for event in events if event in of_an_event), pools[-1] if pools else None)


def when(time: str) -> str:
    """Return a time in UTC, which files write by ISO 8601, as pages show it."""
    return time.replace("T", " ").replace("+00:00", " UTC")


def number(value: float | None, digits: int = 0) -> str:
    """Return a number as tables show it."""
    return "n/a" if value is None else f"{value:.{digits}f}"


def elo_text(row: Mapping[str, Any]) -> str:
    """Return a rating with its error and what bounds it."""
    error = "" if row["error"] is None else f" \u00b1 {number(row['error'])}"
    return f"{row['bound']}{number(row['elo'])}{error}"


def ranks_text(row: Mapping[str, Any]) -> str:
    """Return the ranks that are still possible for a bot."""
    if not row["rank_interval"]:
        return "n/a"
    first, last = row["rank_interval"]
    return str(first) if first == last else f"{first}-{last}"


def faults_text(row: Mapping[str, Any]) -> str:
    """Return the faults of a bot, by kind."""
    return ", ".join(f"{often} {kind}" for kind, often in row["faults"].items() if often)
