"""The selection of the bots of a store that are rated.

A match counts if all bots at its table are rated, so that the rest is as if the other
bots had never played.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from khiva_arena.common.result import Result
from khiva_arena.errors import ConfigError
from khiva_arena.records.store.db import EventRow
from khiva_arena.words import meant


class Among(NamedTuple):
    """The bots that a user asks for, by name or by the beginning of their ids.

    only: these and no others; () for all.
    exclude: not these.
    """

    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The words for the line above a table; "" if all bots count."""
        only = f"only {', '.join(self.only)}" if self.only else ""
        without = f"without {', '.join(self.exclude)}" if self.exclude else ""
        return ", ".join(filter(None, (only, without)))


EVERYBODY = Among()


class StoreSelection(NamedTuple):
    """The events and bots of a store that a command is to show.

    event: events as arguments, by number or the beginning of their ids.
    events: the same by flags.
    only: bots, see ``Among``.
    exclude: bots, see ``Among``.
    season: of a league, whose batches are the events; None for no such choice.
    """

    event: tuple[str, ...]
    events: tuple[str, ...]
    only: tuple[str, ...]
    exclude: tuple[str, ...]
    season: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The events, () for all."""
        return (*self.event, *self.events)

    @property
    def among(self) -> Among:
        """The bots."""
        return Among(self.only, self.exclude)


def check_among(among: Among, events: Sequence[EventRow]) -> None:
    """Raise ConfigError for each word that names no bot of these events, or if fewer
    than two are left in all of them.
    """
    bots = [bot for event in events for bot in event.bots]
    names = list(dict.fromkeys(bot.name for bot in bots))
    words_known = {word for bot in bots for word in _words(bot.name, bot.identity)}
    problems = [
        f"{flag} {word}: no bot called {word!r}{meant(word, names)}; there are {', '.join(names)}"
        for flag, words in (("--only", among.only), ("--exclude", among.exclude))
        for word in words
        if word not in words_known
    ]
    if (
        not problems
        and among != EVERYBODY
        and bots
        and not any(len(counting(event, among)) > 1 for event in events)
    ):
        problems = [
            f"{among.words}: no event has two or more of these bots, so there is nothing to rate"
        ]
    if problems:
        raise ConfigError(problems)


def _words(name: str, identity: str) -> tuple[str, ...]:
    """Return the words that name a bot. In a table, bots of one name have the beginning
    of their ids added.
    """
    return name, identity, f"{name}#{identity[:4]}"


def counting(event: EventRow, among: Among) -> set[int]:
    """Return the bots of an event that count, by position."""

    def fits(position: int, words: Collection[str]) -> bool:
        bot = event.bots[position]
        return any(word in words for word in _words(bot.name, bot.identity))

    places = range(len(event.bots))
    only = {position for position in places if not among.only or fits(position, among.only)}
    return {position for position in only if not fits(position, among.exclude)}


def counting_in(events: Iterable[EventRow], among: Among) -> dict[str, set[int]]:
    """Return the bots that count in each event, by position, by the id of the event."""
    return {event.id: counting(event, among) for event in events}


def of_those(
    events: Iterable[EventRow], among: Among, results: Iterable[Result]
) -> Iterator[Result]:
    """Return the results of matches at which all bots count."""
    count = counting_in(events, among)
    return (result for result in results if count[result.event].issuperset(result.bots))
