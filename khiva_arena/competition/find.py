"""Find in a store or a bundle what a user named, and refuse what is damaged, which only `verify` reads."""

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Any, NoReturn

from khiva_arena.competition.events import bare_timetable, check_stored
from khiva_arena.errors import ConfigError, RecordError, StoreError
from khiva_arena.protocol.messages import INT_MOST
from khiva_arena.replay import seeds
from khiva_arena.replay.record import Record, canonical
from khiva_arena.result import Policy
from khiva_arena.schedule.timetable import Timetable
from khiva_arena.store import bundle
from khiva_arena.store.db import EventRow, MatchRow, Store, VoidRow

_ORDINAL = re.compile("0|[1-9][0-9]{0,17}")
CHANGED = "was changed since it was written"


def events_of(store: Store, words: tuple[str, ...]) -> list[EventRow]:
    """The events that ``words`` name by number or by the beginning of their id; all of them for no words.

    Raises ConfigError for a word that fits none or several, StoreError for an event or a file that is damaged.
    """
    events = named_events(store, words)
    for event in events:
        _check_rows(store, event)
    check_file(store)
    return events


def check_file(store: Store) -> None:
    """Raise StoreError if SQLite finds the file damaged: an index can hide from us that the row itself was changed."""
    if problem := store.first_damage():
        advice = f"`khiva-arena verify {quote(str(store.folder))}` says what is sound"
        raise StoreError(f"{store.folder}: the file is damaged: {problem}; {advice}")


def _check_rows(store: Store, event: EventRow) -> None:
    """Check the event's own rows, and that no row was lost or added: one missing match would change every number."""
    try:
        check_stored(event)
    except StoreError as error:
        damaged(store, f"event {event.number}", str(error))
    for problem in (*(f"{what} {CHANGED}" for what in event.changed), *store.changed(event.id)):
        damaged(store, f"event {event.number}", problem)


def named_events(store: Store, words: tuple[str, ...]) -> list[EventRow]:
    """The same, damaged ones included."""
    rows = store.events()
    if not words:
        return rows
    return [_one_event(rows, word) for word in words]


def in_order(events: Sequence[EventRow]) -> list[EventRow]:
    """Each event once, by number, in whatever way they were named."""
    return [event for _, event in sorted({event.number: event for event in events}.items())]


def damaged(store: Store, what: str, how: str) -> NoReturn:
    """Raise StoreError: what was changed or lost in the store since it was written."""
    raise StoreError(f"{store.folder}: {what} is damaged: {how}; `khiva-arena verify {quote(str(store.folder))}` says more")


def matches_of(store: Store, event: EventRow) -> Iterator[MatchRow]:
    """The recorded matches of an event. Raises StoreError at the first one whose place or bots are not those of the schedule."""
    timetable = bare_timetable(event)
    for row in store.matches(event.id):
        yield _in_its_place(store, event, timetable, row)


def _in_its_place(store: Store, event: EventRow, timetable: Timetable, row: MatchRow) -> MatchRow:
    sits = [seat.bot for seat in row.seats] if [seat.seat for seat in row.seats] == list(range(len(row.seats))) else []
    _check_place(store, event, timetable, row.ordinal, (row.seed, row.lineup, row.rotation), sits)
    if not row.intact:
        damaged(store, f"match {event.number}/{row.ordinal}", f"it {CHANGED}")
    return row


def voids_of(store: Store, event: EventRow) -> list[VoidRow]:
    """The void matches of an event, checked in the same way."""
    timetable = bare_timetable(event)
    rows = store.voids(event.id)
    for row in rows:
        rotation = row.ordinal % timetable.seats
        _check_place(store, event, timetable, row.ordinal, (row.seed, row.lineup, rotation), row.bots)
        if not row.intact:
            damaged(store, f"void {event.number}/{row.ordinal}", f"it {CHANGED}")
    return rows


def check_event(store: Store, event: EventRow) -> None:
    """Raise StoreError unless all of an event is as it was written: before more is added to it."""
    if store.is_known_sound(event.id):
        return
    _check_rows(store, event)
    check_file(store)
    with uncollected():
        for _ in matches_of(store, event):
            pass
    voids_of(store, event)
    store.found_sound(event.id)


def check_others(store: Store) -> None:
    """Find out of events that nobody needed to check whether they are sound: only if all are, can a store be sealed."""
    for event in store.events():
        try:
            check_event(store, event)
        except StoreError:
            return  # `verify` names it; it stood in nobody's way


@contextmanager
def uncollected() -> Iterator[None]:
    """While very much is read or replayed: no cycles are in it, and to look for some takes a tenth of the time."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


def _check_place(
    store: Store, event: EventRow, timetable: Timetable, ordinal: int, place: tuple[int, int, int], sits: Sequence[int]
) -> None:
    where = f"match {event.number}/{ordinal}"
    if timetable.place(ordinal) != place:
        damaged(store, where, "the schedule has no such match")
    if len(sits) != timetable.seats or min(sits) < 0 or max(sits) >= len(event.bots):
        damaged(store, where, "its seats are not those of its event")


def _one_event(rows: list[EventRow], word: str) -> EventRow:
    fits = [row for row in rows if _names(word, row.number, row.id)]
    if len(fits) != 1:
        known = ", ".join(f"{row.number} ({row.id})" for row in rows) or "none yet"
        raise ConfigError(f"{'no event' if not fits else 'several events'} {word!r} here; there are {known}")
    return fits[0]


def _names(word: str, number: int, event: str) -> bool:
    """Whether a word names an event: its number, or the beginning of its id."""
    return word == str(number) or begins(event, word)


def begins(name: str, word: str) -> bool:
    """Whether an id begins with a word. Up to five digits never do: they are the number of an event or a match, and must not
    name another one if that is not there."""
    return name.startswith(word) and not (word.isdecimal() and len(word) <= 5)


def match_of(store: Store, word: str) -> tuple[EventRow, MatchRow]:
    """The match that ``word`` names: EVENT/ORDINAL as `show` lists it, an ordinal if the store has one event, or the
    beginning of its id. Raises ConfigError for a word that fits none or several."""
    event, _, rest = word.rpartition("/")
    among = events_of(store, (event,) if event else ())
    alone = len(among) == 1  # an ordinal says enough
    fits = [(row, match) for row in among for match in _fits(store, row, rest, alone)]
    if len(fits) != 1:
        what = "no recorded match" if not fits else f"{len(fits)} matches"
        raise ConfigError(f"{what} {word!r} in {store.folder}; `khiva-arena show {store.folder}` lists them as EVENT/ORDINAL")
    return fits[0]


def _fits(store: Store, event: EventRow, word: str, alone: bool) -> list[MatchRow]:
    """The matches of an event that ``word`` names: by its ordinal, if that says enough, else by the beginning of their ids. No
    others are read, since an event may have very many."""
    timetable = bare_timetable(event)
    ordinal = int(word) if alone and _ORDINAL.fullmatch(word) else None
    by_ordinal = None if ordinal is None else store.match(event.id, ordinal)
    found = [by_ordinal] if by_ordinal else [row for row in store.matches_with(event.id, word) if begins(row.id, word)]
    return [_in_its_place(store, event, timetable, row) for row in found]


def secret_of(store: Store, event: EventRow, seed: int) -> tuple[bytes, bool]:
    """The secret of a seed, and whether it is the revealed one; else it comes from the store's private copy."""
    revealed = store.reveals(event.id).get(seed)
    if revealed is not None:
        return revealed, True
    return event.seed_secret(seed), False


def bundled_match(path: Path, word: str) -> tuple[Record, bytes]:
    """The record that ``word`` names in a bundle, in the same words as for a store, and the secret of its seed, 32 bytes.

    Raises ConfigError for a word that fits none or several or a file that cannot be read, StoreError if it is not a bundle,
    RecordError if it is damaged.
    """
    with opened_bundle(path) as reader:
        fits, secrets = _fits_in_bundle(reader, word)
    if len(fits) != 1:
        what = "no match" if not fits else "several matches"
        raise ConfigError(f"{what} {word!r} in {path}; name one as EVENT/ORDINAL, or by its id")
    event, raw = fits[0]
    record = _sound(Record.from_json(canonical(raw).decode()))
    for secret in secrets[event]:
        if seeds.commitment(record.header.match, secret) == record.header.commit:
            return record, secret
    raise RecordError(f"{path}: no secret in it opens the commitment of match {word!r}")


def bundled_matches(path: Path) -> Iterator[tuple[int, int, int, Record, bytes]]:
    """Each match of a bundle as it is read: the number of its event, its ordinal, its seed, its record, and the seed's secret, 32
    bytes. Nothing but the record's chain and its commitment is checked; ``verify`` checks the rest.

    Raises ConfigError for a file that cannot be read, StoreError if it is no bundle, RecordError if it is damaged.
    """
    number = at = 0
    secrets: list[tuple[int, bytes]] = []
    with opened_bundle(path) as reader:
        for line in reader.lines():
            if isinstance(line, bundle.EventLine):
                number, at, secrets = number + 1, 0, []
            elif isinstance(line, bundle.RevealLine):
                secrets.append((line.seed, bytes.fromhex(line.secret)))
            elif isinstance(line, bundle.MatchLine):
                record = _sound(Record.from_json(canonical(line.record).decode()))
                at = _opening(record, secrets, at)
                yield number, line.ordinal, secrets[at][0], record, secrets[at][1]


@contextmanager
def opened_bundle(path: Path) -> Iterator[bundle.Reader]:
    """An opened bundle; errors begin with its name."""
    try:
        with path.open("rb") as file:
            yield bundle.Reader(file)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from None
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def _opening(record: Record, secrets: Sequence[tuple[int, bytes]], at: int) -> int:
    """The index of the secret that opens a record's commitment. ``at``: that of the match before, since those of a seed stand
    together. Raises RecordError if there is none."""
    for index in chain(range(at, len(secrets)), range(at)):
        if seeds.commitment(record.header.match, secrets[index][1]) == record.header.commit:
            return index
    raise RecordError(f"no secret in it opens the commitment of match {record.header.match!r}")


def _sound(record: Record) -> Record:
    """Raise RecordError if a header of a stranger's file holds what no arena writes and ``replay.verify`` does not check."""
    header = record.header
    if header.policy not in list(Policy):
        raise RecordError(f"there is no policy {header.policy[:40]!r}")
    if set(header.time) != {"startup_ms", "turn_ms", "bank_ms"} or not all(0 <= ms <= INT_MOST for ms in header.time.values()):
        raise RecordError("its header lacks a limit, or has one that is not valid")
    if not all(seat.name.isprintable() for seat in header.seats):
        raise RecordError("a bot's name in it has unprintable characters")
    return record


def _fits_in_bundle(reader: bundle.Reader, word: str) -> tuple[list[tuple[int, dict[str, Any]]], dict[int, list[bytes]]]:
    """At most two of the records that a word fits, with the number of their event; and each event's secrets."""
    event, _, rest = word.rpartition("/")
    by_ordinal: list[tuple[int, dict[str, Any]]] = []
    by_id: list[tuple[int, dict[str, Any]]] = []
    secrets: dict[int, list[bytes]] = {}
    number, within = 0, False
    for line in reader.lines():
        if isinstance(line, bundle.EventLine):
            number += 1
            within = not event or _names(event, number, line.id)
            secrets[number] = []
        elif isinstance(line, bundle.RevealLine):
            secrets.setdefault(number, []).append(bytes.fromhex(line.secret))
        elif isinstance(line, bundle.MatchLine) and within:
            header = line.record.get("header")
            into = by_ordinal if str(line.ordinal) == rest else by_id
            if len(into) < 2 and (into is by_ordinal or (isinstance(header, dict) and begins(str(header.get("match")), rest))):
                into.append((number, line.record))
    return (by_ordinal if by_ordinal and (event or number == 1) else by_id), secrets
