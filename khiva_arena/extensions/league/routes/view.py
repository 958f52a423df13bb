"""What pages are made from: the state of a league, its history, names of authors, and
what waits.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import structs

from khiva_arena.extensions.league.public_state import (
    BatchMatches,
    PublicBatch,
    PublicBot,
    PublicLeague,
    PublicMatch,
    RatingThen,
    TableThen,
)
from khiva_arena.extensions.league.routes.intervals import DrawnInterval, interval_of
from khiva_arena.extensions.league.routes.public_folder import PublicFolder
from khiva_arena.rating.report.first_place import RankedRow, first_place

BEFORE_THE_FIRST = "no batch is drawn yet"
LOOK_BACK = 20
"""The batches in which the newest matches of a bot are looked for."""


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
    rating: relative to the anchor; its value is known.
    version: of the bot.
    anchor: identity of the anchor.
    """

    batch: int
    rating: DrawnInterval
    version: int
    anchor: str = ""


class OwnMatch(NamedTuple):
    """A match of a bot.

    batch: its number.
    match: as it is public.
    seat: in which the bot sat.
    identities: of the bots, by seat.
    """

    batch: int
    match: PublicMatch
    seat: int
    identities: tuple[str, ...]

    @property
    def rank(self) -> int:
        """The place of the bot."""
        return self.match.ranks[self.seat]


class LeagueView:
    """A league as pages show it.

    league: its state.
    names: of authors, by their ids.
    waiting: what waits in the queue.
    matches_of: returns the matches of a batch by its number, None if they are not
        public.
    """

    def __init__(
        self,
        league: PublicLeague,
        folder: PublicFolder,
        names: Mapping[str, str],
        waiting: Sequence[WaitingBot],
    ) -> None:
        self.league, self._folder, self.names, self.waiting = league, folder, names, waiting

    @property
    def history(self) -> Sequence[TableThen]:
        """The table as it stood after each batch, the oldest first."""
        return self._folder.history()

    def matches_of(self, number: int) -> BatchMatches | None:
        """Return the matches of a batch, None if they are not public."""
        return self._folder.matches(number)

    @cached_property
    def batches(self) -> list[PublicBatch]:
        """All batches, the oldest first."""
        newest = self.league.batches
        older = self._folder.batches()[: newest[0].number - 1] if newest else []
        return [*older, *newest]

    def batch(self, number: int) -> PublicBatch | None:
        """Return a batch, None if there is none."""
        batch = next((one for one in self.batches[number - 1 : number] if number > 0), None)
        return batch and structs.replace(
            batch, revealed=bool(batch.over_at) and number <= self.league.revealed
        )

    def season_table(self, number: int) -> dict[str, Any] | None:
        """Return the table of a season, None before there is one. ``number``: of the
        season, from 1.
        """
        is_newest = self.league.seasons[number - 1][0] == self.league.table_season
        return newest_pool(self.league.table if is_newest else self._folder.season(number))

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
        return self.newest.number - (not self.newest.over_at) if self.newest else 0

    @property
    def receipt(self) -> str:
        """The newest link and the newest commitment, as `verify --seen` finds them in
        any text.
        """
        return f"{self.league.receipt}; commitment {self.commitment}"

    def bot(self, name: str) -> PublicBot | None:
        """Return a bot by its name, None if there is none."""
        return next((bot for bot in self.league.bots if bot.name == name), None)

    def family(self, family: str) -> list[PublicBot]:
        """Return the versions of a family, the oldest first."""
        return sorted(
            (bot for bot in self.league.bots if bot.family == family), key=lambda bot: bot.version
        )

    def active_of(self, author: str) -> set[str]:
        """Return the families of an author that have an active version. ``author``: the
        id.
        """
        return {
            bot.family for bot in self.league.bots if bot.author == author and bot.state == "active"
        }

    def author(self, bot: PublicBot) -> str:
        """Return the name of a bot's author as far as it is known."""
        return self.names.get(bot.author, "name removed") if bot.author else "anchor"

    @cached_property
    def pool(self) -> dict[str, Any] | None:
        """The newest table."""
        return newest_pool(self.league.table)

    @cached_property
    def bots(self) -> dict[str, PublicBot]:
        """All bots by their identities."""
        return {bot.identity: bot for bot in self.league.bots}

    @cached_property
    def rows(self) -> dict[str, dict[str, Any]]:
        """The rows of the newest table by the identities of their bots, the best
        first.
        """
        return {row["bot"]: row for row in self.pool["rows"]} if self.pool else {}

    @property
    def placed(self) -> int:
        """How many rows of the newest table are above its line: others are still
        finding their place, or retired.
        """
        return sum(row["rank"] is not None for row in self.rows.values())

    def line_of(self, bots: Sequence[PublicBot]) -> list[Point]:
        """Return the line over time of versions of one bot: after each batch, the
        newest one that was rated.
        """
        versions = {bot.identity: bot.version for bot in bots}
        points = []
        for then in self.history:
            rated = [
                one for one in then.ratings if one.identity in versions and one.elo is not None
            ]
            if rated:
                newest: RatingThen = max(rated, key=lambda one: versions[one.identity])
                rating = DrawnInterval(newest.elo, newest.low, newest.high, newest.bound)
                points.append(Point(then.batch, rating, versions[newest.identity], then.anchor))
        return points

    @cached_property
    def over_at(self) -> dict[int, str]:
        """When each batch was over, UTC, by its number."""
        return {batch.number: batch.over_at for batch in self.league.batches}

    @property
    def lead(self) -> str:
        """Who leads the table, and whether that can be luck, in a sentence; "" while
        fewer than two bots have a place.
        """
        rated = [
            row for row in self.rows.values() if row["elo"] is not None and row["rank"] is not None
        ]
        if self.pool is None or len(rated) < 2:
            return ""
        ranked = [
            RankedRow(
                row["name"], row["rank"], row["rank_interval"] and tuple(row["rank_interval"])
            )
            for row in rated
        ]
        return first_place(ranked, self.pool["blocks"]).sentence("leads", so_far=True)

    def newest_matches(self, bot: PublicBot) -> Iterator[OwnMatch]:
        """Yield the public matches of a bot in the last batches that it may have sat
        in, the newest first.
        """
        for number in range(end := self._last_of(bot), max(0, end - LOOK_BACK), -1):
            of_batch = self.matches_of(number)
            if of_batch is None or bot.identity not in of_batch.bots:
                continue
            for match in reversed(of_batch.matches):
                identities = tuple(of_batch.bots[at] for at in match.bots)
                if bot.identity in identities:
                    yield OwnMatch(number, match, identities.index(bot.identity), identities)

    def _last_of(self, bot: PublicBot) -> int:
        """Return the last batch in which a bot may have sat. A bot that left is in no
        table after that, and not every batch has a table of its own.
        """
        newest = max((batch.number for batch in self.league.batches if batch.revealed), default=0)
        later = newest
        for then in () if bot.state == "active" else reversed(self.history):
            if any(one.identity == bot.identity for one in then.ratings):
                return min(later, newest)
            later = then.batch
        return newest


def newest_pool(table: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the newest of the tables that `standings --json` has printed, None if
    there is none.
    """
    pools = (table or {}).get("standings", [])
    return pools[-1] if pools else None


def when(time: str) -> str:
    """Return a time in UTC, which files write by ISO 8601, as pages show it."""
    return time.replace("T", " ").replace("+00:00", " UTC")


def number(value: float | None, digits: int = 0) -> str:
    """Return a number as tables show it."""
    return "n/a" if value is None else f"{value:.{digits}f}"


def interval_text(one: DrawnInterval) -> str:
    """Return an estimate with its error, or with the one end that the results show."""
    if one.value is None:
        return "n/a"
    if one.low is not None and one.high is not None:
        error = number((one.high - one.low) / 2)
    else:
        error = (
            f">={number(one.low)}"
            if one.low is not None
            else f"<={number(one.high)}"
            if one.high is not None
            else "n/a"
        )
    return f"{one.bound}{number(one.value)} \u00b1 {error}"


def elo_text(row: Mapping[str, Any]) -> str:
    """Return a rating with its error and what bounds it."""
    return interval_text(interval_of(row))


def ranks_text(row: Mapping[str, Any]) -> str:
    """Return the ranks that are still possible for a bot."""
    if not row["rank_interval"]:
        return "n/a"
    first, last = row["rank_interval"]
    return str(first) if first == last else f"{first}-{last}"


def faults_text(row: Mapping[str, Any]) -> str:
    """Return the faults of a bot, by kind."""
    return ", ".join(f"{often} {kind}" for kind, often in row["faults"].items() if often)
