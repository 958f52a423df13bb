"""Events and matches of a store, found by the words of a user. Damaged ones are
refused: only `verify` reads them. in_bundle.py does the same for a bundle.
"""

import gc
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from khiva_arena.common.result import Result
from khiva_arena.common.say import Say
from khiva_arena.competition.events.results import of_row
from khiva_arena.competition.events.stored import bare_timetable, damaged, refuse_damaged
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.rating.schedule.formats import Shape
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow, MatchRow, Store, VoidRow
from khiva_arena.records.store.reads import BESIDE

if TYPE_CHECKING:  # for the types of readers; a run needs none of it before its first match
    from khiva_arena.rating.report.capped import EndedByCap

_ORDINAL = re.compile("0|[1-9][0-9]{0,17}")
CHANGED = "was changed since it was written"


def events_of(store: Store, words: tuple[str, ...]) -> list[EventRow]:
    """Return the events that ``words`` name by number or by the beginning of their id;
    all events for no words.

    Raises ConfigError for a word that fits none or several, StoreError for an event or
    a file that is damaged.
    """
    events = named_events(store, words)
    for event in events:
        check_rows(store, event)
    check_file(store)
    return events


def ended_by_cap(store: Store, event: EventRow) -> "EndedByCap | None":
    """Return the cap that ended an event short, closed since or not; None if none did,
    or if it has gone on since.
    """
    from khiva_arena.rating.report.capped import EndedByCap  # not above: few events have a cap

    row = next(reversed(store.caps(event.id)), None)
    if row is None or not row.number or row.recorded != len(store.recorded(event.id)):
        return None
    is_over = store.conclusion(event.id) is not None and not event.closed
    return None if is_over else EndedByCap(row.cap, row.spent, row.at_least, row.currency)


def may_be_capped(definition: Definition, recorded: Collection[int]) -> bool:
    """Tell whether an event can have ended by a cap with these matches: whole tables,
    the first of the schedule, at least one.
    ``recorded``: ordinals.
    """
    # not above: few events have a cap
    from khiva_arena.competition.events.extending import can_be_extended

    if not recorded or not can_be_extended(definition) or len(recorded) % definition.seats:
        return False
    return {*recorded} == {*range(len(recorded))}


def rated_events(
    store: Store, words: tuple[str, ...], say: Say, *, names: bool = True
) -> list[EventRow]:
    """Return the events that count for results: without words, those that were closed
    before they were over are left out, unless a cap had ended them.

    say: gets a line on each event that is left out.
    names: whether an event that is named is included, as that line then says.

    Raises ConfigError and StoreError as ``events_of`` does.
    """
    events = events_of(store, words)
    closed_events = [event for event in events if event.closed and not words]
    closed_events = [event for event in closed_events if ended_by_cap(store, event) is None]
    for event in closed_events:
        how_far = f"{len(store.recorded(event.id))} of {bare_timetable(event).matches} matches"
        include = f"; name event {event.number} to include it" if names else ""
        say(f"event {event.number} was closed with {how_far} recorded and is not rated{include}")
    return [event for event in events if event not in closed_events]


def check_file(store: Store) -> None:
    """Raise StoreError if SQLite finds the file damaged: a damaged index can hide that
    a row was changed.
    """
    if problem := store.first_damage():
        advice = f"`khiva-arena verify {quote(str(store.folder))}` says what is sound"
        raise StoreError(f"{store.folder}: the file is damaged: {problem}; {advice}")


def check_rows(store: Store, event: EventRow) -> None:
    """Raise StoreError if an event's own rows were changed, or a row was lost or added:
    one missing match would change every number.
    """
    refuse_damaged(store, event)
    for problem in (*(f"{part} {CHANGED}" for part in event.changed), *store.changed(event.id)):
        damaged(store, f"event {event.number}", problem)


def named_events(store: Store, words: tuple[str, ...]) -> list[EventRow]:
    """Return the events that ``words`` name, damaged ones included; all events for no
    words.

    Raises ConfigError for a word that fits none or several.
    """
    rows = store.events()
    if not words:
        return rows
    return [_one_event(rows, word) for word in words]


def in_order(events: Sequence[EventRow]) -> list[EventRow]:
    """Return each event once, by number, however often and in whatever order events
    were named.
    """
    return [event for _, event in sorted({event.number: event for event in events}.items())]


def matches_of(store: Store, event: EventRow, beside: Sequence[str] = BESIDE) -> Iterator[MatchRow]:
    """Yield the recorded matches of an event. ``beside``: the measurements that are
    read, too.

    Raises StoreError at the first match whose place or bots differ from the schedule,
    or whose seats differ from its record.
    """
    timetable = bare_timetable(event)
    for row in store.matches(event.id, beside=beside):
        yield _in_its_place(store, event, timetable, row)


def sound_results(store: Store, event: EventRow, shape: Shape) -> list[Result] | None:
    """Return the results of a round to draw from, None unless all its matches are
    recorded.

    Raises StoreError if a match was changed since it was written: all that is played
    later would follow from it.
    """
    places = (shape.first_ordinal, shape.first_ordinal + shape.matches - 1)
    if store.count(event.id, *places) != shape.matches:
        return None
    timetable, rows = bare_timetable(event), store.matches(event.id, *places, beside=())
    return [of_row(event, _in_its_place(store, event, timetable, row)) for row in rows]


def _in_its_place(store: Store, event: EventRow, timetable: Timetable, row: MatchRow) -> MatchRow:
    bots = (
        [seat.bot for seat in row.seats]
        if [seat.seat for seat in row.seats] == list(range(len(row.seats)))
        else []
    )
    _check_place(store, event, timetable, row.ordinal, (row.seed, row.lineup, row.rotation), bots)
    if not row.intact:
        damaged(store, f"match {event.number}/{row.ordinal}", f"it {CHANGED}")
    # not above: a new store holds no match
    from khiva_arena.competition.events.record_check import why_not_as_recorded

    if problem := why_not_as_recorded(event, row):
        damaged(store, f"match {event.number}/{row.ordinal}", problem)
    return row


def voids_of(store: Store, event: EventRow) -> list[VoidRow]:
    """Return the void matches of an event. Raises StoreError if one was changed, or is
    not in its place in the schedule.
    """
    timetable = bare_timetable(event)
    rows = store.voids(event.id)
    for row in rows:
        rotation = row.ordinal % timetable.seats
        _check_place(
            store, event, timetable, row.ordinal, (row.seed, row.lineup, rotation), row.bots
        )
        if not row.intact:
            damaged(store, f"void {event.number}/{row.ordinal}", f"it {CHANGED}")
    return rows


def check_event(store: Store, event: EventRow, *, alone: bool = False) -> None:
    """Raise StoreError unless all of an event is as it was written, before more is
    added to it. ``alone``: the pages of the file, which other events fill, are not
    looked at. ``check_matches`` is enough after ``events_of``, which looks at the rest.
    """
    if store.is_known_sound():
        refuse_damaged(store, event)
    else:
        check_rows(store, event)
        if not alone:
            check_file(store)
    check_matches(store, event)


def check_matches(store: Store, event: EventRow) -> None:
    """Raise StoreError unless each match of an event, and each void one, is as it was
    written and in its place.

    A seal spares the sums. Rows are compared with their records all the same, since a
    stranger can write a seal.
    """
    with uncollected():
        for _ in matches_of(store, event, () if store.is_known_sound() else BESIDE):
            pass
    voids_of(store, event)


@contextmanager
def uncollected() -> Iterator[None]:
    """Turn off the cycle collector while very much is read or replayed. No cycles arise
    there, and looking for some takes a tenth of the time.
    """
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


def _check_place(
    store: Store,
    event: EventRow,
    timetable: Timetable,
    ordinal: int,
    place: tuple[int, int, int],
    bots: Sequence[int],
) -> None:
    name = f"match {event.number}/{ordinal}"
    if timetable.place(ordinal) != place:
        damaged(store, name, "the schedule has no such match")
    if len(bots) != timetable.seats or min(bots) < 0 or max(bots) >= len(event.bots):
        damaged(store, name, "its seats are not those of its event")


def _one_event(rows: list[EventRow], word: str) -> EventRow:
    fits = [row for row in rows if names_event(word, row.number, row.id)]
    if len(fits) != 1:
        names = ", ".join(f"{row.number} ({row.id})" for row in rows) or "none yet"
        raise ConfigError(
            f"{'no event' if not fits else 'several events'} {word!r} here; events here: {names}"
        )
    return fits[0]


def names_event(word: str, number: int, event: str) -> bool:
    """Tell whether a word names an event: its number, or the beginning of its id."""
    return word == str(number) or begins(event, word)


def begins(name: str, word: str) -> bool:
    """Tell whether an id begins with a word.

    Up to five digits never fit: they are the number of an event or a match, and must
    not name another if that is not there.
    """
    return name.startswith(word) and not (word.isdecimal() and len(word) <= 5)


class StoredMatch(NamedTuple):
    """A recorded match.

    event: its event.
    row: the match as the store holds it.
    """

    event: EventRow
    row: MatchRow


def match_of(store: Store, word: str) -> StoredMatch:
    """Return the match that ``word`` names: EVENT/ORDINAL as `show` lists it, or the
    beginning of its id. An ordinal suffices if the store has one event.

    Raises ConfigError for a word that fits none or several.
    """
    event_word, _, match_word = word.rpartition("/")
    among = events_of(store, (event_word,) if event_word else ())
    by_number = len(among) == 1  # an ordinal says enough
    fits = [
        StoredMatch(event, row)
        for event in among
        for row in _fits(store, event, match_word, by_number)
    ]
    if not fits and by_number and (reason := _why_void(store, among[0], match_word)):
        raise ConfigError(f"match {word!r} in {store.folder} is void: {reason}")
    if len(fits) != 1:
        number = "no recorded match" if not fits else f"{len(fits)} matches"
        if not fits and not by_number and word in [str(event.number) for event in among]:
            raise ConfigError(
                f"{word} is an event in {store.folder}, not a match; name one of its "
                f"matches, as {word}/0"
            )
        raise ConfigError(
            f"{number} {word!r} in {store.folder}; `khiva-arena show {store.folder}` lists "
            "them as EVENT/ORDINAL"
        )
    return fits[0]


def _fits(store: Store, event: EventRow, word: str, by_number: bool) -> list[MatchRow]:
    """Return the matches of an event that ``word`` names: by its ordinal, if
    ``by_number``, else by the beginning of their ids.

    No other matches are read, since an event may have very many.
    """
    timetable = bare_timetable(event)
    ordinal = int(word) if by_number and _ORDINAL.fullmatch(word) else None
    by_ordinal = None if ordinal is None else store.match(event.id, ordinal)
    rows = (
        [by_ordinal]
        if by_ordinal
        else [row for row in store.matches_with(event.id, word) if begins(row.id, word)]
    )
    return [_in_its_place(store, event, timetable, row) for row in rows]


def _why_void(store: Store, event: EventRow, word: str) -> str:
    """Return why the last attempt at a match that was not recorded was void; "" if
    there was none.
    """
    if not _ORDINAL.fullmatch(word):
        return ""
    return next(
        (row.why for row in reversed(voids_of(store, event)) if row.ordinal == int(word)), ""
    )


def secret_of(store: Store, event: EventRow, seed: int) -> bytes:
    """Return the revealed secret of a seed; before it is revealed, that of the store's
    private copy.
    """
    revealed = store.reveals(event.id).get(seed)
    return event.seed_secret(seed) if revealed is None else revealed
