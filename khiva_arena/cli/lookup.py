"""Find in a store what a user named, and refuse what is damaged: only `verify` looks at that."""

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import NoReturn

from khiva_arena.cli.event import bare_timetable, check_stored
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.replay import seeds
from khiva_arena.schedule.timetable import Timetable
from khiva_arena.store.db import EventRow, MatchRow, Store, VoidRow

CHANGED = "was changed since it was written"


def events_of(store: Store, words: tuple[str, ...]) -> list[EventRow]:
    """The events that ``words`` name by number or by the beginning of their id; all of them for no words.

    Raises ConfigError for a word that fits none or several, StoreError for an event that is damaged.
    """
    found = named_events(store, words)
    for event in found:
        _check_rows(store, event)
    return found


def _check_rows(store: Store, event: EventRow) -> None:
    """The event's own rows, and that no row was lost or added: a match that is missed would change every number."""
    try:
        check_stored(event)
    except StoreError as error:
        damaged(store, f"event {event.number}", str(error))
    for problem in (*(f"{what} {CHANGED}" for what in event.changed), *store.changed(event.id)):
        damaged(store, f"event {event.number}", problem)


def named_events(store: Store, words: tuple[str, ...]) -> list[EventRow]:
    """The same, damaged ones as they are."""
    rows = store.events()
    if not words:
        return rows
    return [_one_event(rows, word) for word in words]


def damaged(store: Store, what: str, how: str) -> NoReturn:
    """Raise StoreError: what was changed or lost in the store since it was written."""
    raise StoreError(f"{store.folder}: {what} is damaged: {how}; `khiva-arena verify {quote(str(store.folder))}` says more")


def matches_of(store: Store, event: EventRow) -> Iterator[MatchRow]:
    """The fixed matches of an event. Raises StoreError at the first one that is not where and of what its event says."""
    timetable = bare_timetable(event.definition)
    for row in store.matches(event.id):
        sits = [seat.bot for seat in row.seats] if [seat.seat for seat in row.seats] == list(range(len(row.seats))) else []
        _check_place(store, event, timetable, row.ordinal, (row.seed, row.lineup, row.rotation), sits)
        if not row.intact:
            damaged(store, f"match {event.number}/{row.ordinal}", f"it {CHANGED}")
        yield row


def voids_of(store: Store, event: EventRow) -> list[VoidRow]:
    """The void matches of an event, checked in the same way."""
    timetable = bare_timetable(event.definition)
    rows = store.voids(event.id)
    for row in rows:
        rotation = row.ordinal % timetable.seats
        _check_place(store, event, timetable, row.ordinal, (row.seed, row.lineup, rotation), row.bots)
        if not row.intact:
            damaged(store, f"void {event.number}/{row.ordinal}", f"it {CHANGED}")
    return rows


def check_event(store: Store, event: EventRow) -> None:
    """Raise StoreError unless all of an event is as it was written: before more is added to it."""
    _check_rows(store, event)
    for _ in matches_of(store, event):
        pass
    voids_of(store, event)


def _check_place(
    store: Store, event: EventRow, timetable: Timetable, ordinal: int, place: tuple[int, int, int], sits: Sequence[int]
) -> None:
    where = f"match {event.number}/{ordinal}"
    if timetable.place(ordinal) != place:
        damaged(store, where, "the schedule has no such match")
    if len(sits) != timetable.seats or not all(0 <= bot < len(event.bots) for bot in sits):
        damaged(store, where, "its seats are not those of its event")


def _one_event(rows: list[EventRow], word: str) -> EventRow:
    fits = [row for row in rows if str(row.number) == word] or [row for row in rows if row.id.startswith(word)]
    if len(fits) != 1:
        known = ", ".join(f"{row.number} ({row.id})" for row in rows) or "none yet"
        raise ConfigError(f"{'no event' if not fits else 'several events'} {word!r} here; there are {known}")
    return fits[0]


def match_of(store: Store, word: str) -> tuple[EventRow, MatchRow]:
    """The match that ``word`` names: EVENT/ORDINAL as `show` lists it, an ordinal where the store has one event, or the
    beginning of its id. Raises ConfigError for a word that fits none or several."""
    event, _, rest = word.rpartition("/")
    among = events_of(store, (event,) if event else ())
    alone = len(among) == 1  # an ordinal says enough
    fits = [(row, match) for row in among for match in matches_of(store, row) if _fits(match, rest, alone)]
    if alone:
        fits = [(row, match) for row, match in fits if str(match.ordinal) == rest] or fits
    if len(fits) != 1:
        what = "no fixed match" if not fits else f"{len(fits)} matches"
        raise ConfigError(f"{what} {word!r} in {store.folder}; `khiva-arena show {store.folder}` lists them as EVENT/ORDINAL")
    return fits[0]


def _fits(match: MatchRow, word: str, alone: bool) -> bool:
    return (alone and str(match.ordinal) == word) or match.id.startswith(word)


def secret_of(store: Store, event: EventRow, seed: int) -> tuple[bytes, bool]:
    """The secret of a seed, and whether it is the revealed one; else it comes from the store's private copy."""
    revealed = store.reveals(event.id).get(seed)
    if revealed is not None:
        return revealed, True
    return seeds.seed_secret(event.secret, seed), False
