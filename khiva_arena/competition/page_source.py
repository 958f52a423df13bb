"""Where a page of results takes its events from: a store, or a bundle that was checked as ``verify`` checks it."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from khiva_arena.competition.audit_bundle import BundledEvent, BundledEvents
from khiva_arena.competition.audit_event import audit
from khiva_arena.competition.events import bare_timetable, timetable_of
from khiva_arena.competition.find import events_of, matches_of, open_bundle, voids_of
from khiva_arena.competition.places import as_reported, has_places
from khiva_arena.competition.results import of_row
from khiva_arena.competition.tables import PooledTable, table_of_results, tables_of
from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.replay.record import Record
from khiva_arena.result import Result
from khiva_arena.schedule import formats
from khiva_arena.schedule.seating import ScheduledMatch
from khiva_arena.schedule.timetable import Timetable
from khiva_arena.store.db import RUN_SECRET, EventRow, Store


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A match that a page shows.

    result: how it ended.
    record: canonical JSON, or a record that was read already.
    details: by seat, what was said of each of its faults.
    notes: by seat, what its bot wrote on stderr; empty if that is not known.
    seconds: that it took; None if that is not known.
    """

    result: Result
    record: str | Record
    details: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    seconds: float | None = None

    def parsed(self) -> Record:
        """The record. Raises RecordError."""
        return self.record if isinstance(self.record, Record) else Record.from_json(self.record)


class PageSource(Protocol):
    """What a page is made from.

    kind: "store" or "bundle".
    verify: the command that checks it.
    events: those the page shows.
    tables: of them.
    """

    kind: str
    verify: str
    events: Sequence[EventRow]
    tables: Sequence[PooledTable]

    def matches(self, event: EventRow) -> Iterator[RecordedMatch]:
        """In the order of the schedule."""

    def timetable(self, event: EventRow) -> Timetable:
        """With its rounds as far as they are drawn."""

    def voids(self, event: EventRow) -> int:
        """Attempts that the host spoilt."""

    def secrets(self, event: EventRow) -> dict[int, bytes]:
        """What is revealed, by seed; RUN_SECRET: of the run."""

    def digest(self, event: EventRow) -> str | None:
        """The run digest of an event that is over."""


@contextmanager
def page_source(path: Path, words: Sequence[str]) -> Iterator[PageSource]:
    """A store, or a bundle. ``words``: the events, by number or the beginning of their ids.

    Raises ConfigError for what is not there, StoreError or RecordError for what cannot be read, is damaged or does not verify.
    """
    if path.is_file():
        if words:
            raise ConfigError("a bundle is shown as a whole: leave out the events")
        yield _Bundle(path)
        return
    tables = tables_of(path, words, names=SECTIONS)
    with Store.read(path) as store:
        yield _Store(store, words, tables)


SECTIONS = ("crosstable", "seats", "cycles", "connectivity")


class _Store:
    """See ``PageSource``."""

    kind = "store"

    def __init__(self, store: Store, words: Sequence[str], tables: Sequence[PooledTable]) -> None:
        self._store = store
        self.verify = shlex.join(["khiva-arena", "verify", store.folder.name])
        self.events = events_of(store, tuple(words))
        self.tables = tables

    def matches(self, event: EventRow) -> Iterator[RecordedMatch]:
        for row in matches_of(self._store, event):
            details = tuple(tuple(str(detail) for _, detail, _ in seat.faults) for seat in row.seats)
            notes = tuple(seat.notes for seat in row.seats)
            yield RecordedMatch(of_row(event, row), row.record, details, notes, row.seconds)

    def timetable(self, event: EventRow) -> Timetable:
        return timetable_of(self._store, event)

    def voids(self, event: EventRow) -> int:
        return sum(void.attempt for void in voids_of(self._store, event))

    def secrets(self, event: EventRow) -> dict[int, bytes]:
        return self._store.reveals(event.id)

    def digest(self, event: EventRow) -> str | None:
        return self._store.conclusion(event.id)
