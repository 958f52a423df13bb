"""The source of a page of results: a store, or a bundle that was checked as ``verify``
checks it.
"""

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from khiva_arena.arbiter.stderr import NOT_STARTED
from khiva_arena.common.result import Result, Verdict
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.audit.bundle import audited_bundle
from khiva_arena.competition.events.bundling import BundledResults
from khiva_arena.competition.events.find import in_order, matches_of, rated_events, voids_of
from khiva_arena.competition.events.in_bundle import bundled_matches
from khiva_arena.competition.events.points import KnownPoints
from khiva_arena.competition.events.pool_tables import (
    PooledTable,
    TableRequest,
    tables_in,
    with_points,
)
from khiva_arena.competition.events.results import of_row
from khiva_arena.competition.events.selection import EVERYBODY, Among
from khiva_arena.competition.events.source import ResultSource, StoredResults
from khiva_arena.competition.events.stored import timetable_of
from khiva_arena.competition.events.watching import UNWATCHED, MatchWatch
from khiva_arena.competition.pages.names import rename, renamed
from khiva_arena.errors import ConfigError, RecordError, StoreError
from khiva_arena.games.registry import handing
from khiva_arena.rating.report.section_names import POINTS
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.record import Record
from khiva_arena.records.store import not_played
from khiva_arena.records.store.db import EventRow, SeatRow, Store
from khiva_arena.records.store.rows import NotPlayed, Times

if TYPE_CHECKING:
    from khiva_arena.competition.events.transcripts import SeatTranscript
    from khiva_arena.records.store.bundle import TranscriptEntry

SECTIONS = ("crosstable", "seats", POINTS)


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A match that a page shows.

    result: the result.
    record: canonical JSON, or a record that was read already.
    details: by seat, the detail of each of its faults.
    notes: by seat, its bot's words on stderr; empty if they are not known.
    seconds: its duration; None if that is not known.
    times: by seat, of each decision, see ``records.store.rows``; None if they are not
        known.
    transcripts: reads those that were kept, by seat.
    """

    result: Result
    record: str | Record
    details: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float | None = None
    times: Times | None = None
    transcripts: "Callable[[], Mapping[int, SeatTranscript]]" = dict

    def parsed(self) -> Record:
        """Return the parsed record. Raises RecordError."""
        return self.record if isinstance(self.record, Record) else Record.from_json(self.record)


class PageSource(ResultSource, Protocol):
    """A store or a bundle from which a page is made.

    kind: "store" or "bundle".
    verify: the command that checks it, without a folder or file: the reader of the page
        has them elsewhere.
    events: those the page shows.
    tables: of these events; ``tables_with_points`` adds where points come from.
    request: what these tables have so far.
    not_played: the bots that were left out of the events, each with the number of its
        event; a bundle has none.
    """

    kind: str
    verify: str
    events: list[EventRow]
    tables: list[PooledTable]
    request: TableRequest
    not_played: list[tuple[int, NotPlayed]]

    def matches(self, event: EventRow) -> Iterator[RecordedMatch]:
        """Yield the recorded matches of an event in the order of its schedule."""

    def timetable(self, event: EventRow) -> Timetable:
        """Return the timetable of an event, with its rounds as far as they are
        drawn.
        """

    def voids(self, event: EventRow) -> int:
        """Return the number of an event's attempts that the host spoilt."""


def tables_with_points(source: PageSource, known: KnownPoints) -> list[PooledTable]:
    """Return the tables of a page with the points of each bot by source.

    known: of matches whose replays are in a page, so that these are replayed once.
    """
    request = source.request._replace(names=SECTIONS, by_source=True)
    if source.request != request:  # the first page of this source
        source.tables = [with_points(source, table, request, known) for table in source.tables]
        source.request = request
    return source.tables


@contextmanager
def page_source(
    path: Path,
    words: Sequence[str],
    names: Mapping[str, str] | None = None,
    among: Among = EVERYBODY,
    say: Say = say_nothing,
    watch: MatchWatch = UNWATCHED,
) -> Iterator[PageSource]:
    """Open a store or a bundle to be shown.

    words: the events, by number or the beginning of their ids.
    names: other names for bots, see ``names.rename``.
    among: the bots that count in its tables, by the names that they have there.
    say: gets a line on each event that is left out, and before a long wait.
    watch: sees how far it has come, also while the page is made.

    Raises ConfigError for an event or bot that is not there, StoreError or RecordError
    if the source cannot be read, is damaged or does not verify.
    """
    request = TableRequest(names=[name for name in SECTIONS if name != POINTS], among=among)
    if path.is_file():
        if words:
            raise ConfigError("a bundle is shown as a whole: leave out the events")
        yield _Bundle(path, names or {}, request, watch)
        return
    with Store.read(path) as store:
        watch.watch(store)
        found = in_order(rated_events(store, tuple(words), say))
        kept = not_played.read(path)
        left_out = [(event.number, bot) for event in found for bot in kept.get(event.id, ())]
        events = rename(found, names or {}, [bot.name for _, bot in left_out])
        try:
            tables = tables_in(StoredResults(store), events, request, say)
            yield _Store(
                store, events, tables, request, bool(words), renamed(left_out, names or {})
            )
        except RecordError as error:  # of a match that whoever makes the page has replayed
            raise StoreError(
                f"{path}: {error}; `khiva-arena verify {shlex.quote(str(path))}` says more"
            ) from None


class _Store(StoredResults):
    """A store as a ``PageSource``."""

    kind = "store"

    def __init__(
        self,
        store: Store,
        events: list[EventRow],
        tables: list[PooledTable],
        request: TableRequest,
        selected: bool,
        not_played: list[tuple[int, NotPlayed]],
    ) -> None:
        super().__init__(store)
        self.request = request
        self.not_played = not_played
        self.events = events
        self.tables = tables
        self.verify = " ".join(
            ["khiva-arena verify STORE", *(str(event.number) for event in events if selected)]
        )
        self.verify += handing(
            (event.definition.game, event.definition.rules_version) for event in events
        )

    def matches(self, event: EventRow) -> Iterator[RecordedMatch]:
        for row in matches_of(self.store, event):
            details, notes = tuple(map(_details, row.seats)), tuple(map(_notes, row.seats))
            transcripts = partial(self._transcripts, event, row.ordinal)
            facts = details, notes, row.seconds, row.times, transcripts
            yield RecordedMatch(of_row(event, row), row.record, *facts)

    def _transcripts(self, event: EventRow, ordinal: int) -> "dict[int, SeatTranscript]":
        # not above: few pages show any
        from khiva_arena.competition.events.transcripts import transcripts_of

        return transcripts_of(self.store, event, ordinal)

    def timetable(self, event: EventRow) -> Timetable:
        return timetable_of(self.store, event)

    def voids(self, event: EventRow) -> int:
        return len(voids_of(self.store, event))


def _details(seat: SeatRow) -> tuple[str, ...]:
    """Return the detail of each fault, without the folder of a program that could not
    be started.
    """
    parts = [(verdict, *str(detail).partition(NOT_STARTED)) for verdict, detail, _ in seat.faults]
    return tuple(
        before + mark.rstrip(": ") if verdict == Verdict.START_FAILED else before + mark + reason
        for verdict, before, mark, reason in parts
    )


def _notes(seat: SeatRow) -> str:
    """Return a bot's words on stderr; "" for words of the arbiter in their place."""
    has_started = not any(verdict == Verdict.START_FAILED for verdict, _, _ in seat.faults)
    return seat.notes if has_started or not seat.notes.startswith(NOT_STARTED) else ""


class _Bundle(BundledResults):
    """A bundle as a ``PageSource``. It is checked whole before anything in it is
    shown.
    """

    kind = "bundle"

    def __init__(
        self, path: Path, names: Mapping[str, str], request: TableRequest, watch: MatchWatch
    ) -> None:
        result, bundled = audited_bundle(path, watch=watch)
        self._watch = watch
        if not result.sound:
            problem = next(
                iter(
                    [
                        *result.problems,
                        *(line for report in result.events for line in report.problems),
                    ]
                ),
                "",
            )
            raise RecordError(
                f"{path}: not sound: {problem}; `khiva-arena verify "
                f"{shlex.quote(str(path))}` says more"
            )
        super().__init__([row.matches for row in bundled.events], bundled.links)
        self._path = path
        self.not_played: list[tuple[int, NotPlayed]] = []
        self.verify = "khiva-arena verify BUNDLE"
        self.events = rename([row.event for row in bundled.events], names)
        self.verify += handing(
            (event.definition.game, event.definition.rules_version) for event in self.events
        )
        self.request = request
        self.tables = tables_in(self, self.events, request)

    def matches(self, event: EventRow) -> Iterator[RecordedMatch]:
        by_ordinal = {result.ordinal: result for result in self.results(event)}
        found = (one for one in bundled_matches(self._path) if one[0] == event.number)
        for done, match in enumerate(found, 1):
            self._watch.far(f"event {match.number}", done, len(by_ordinal))
            transcripts = partial(_of_bundle, match.transcripts)
            result = by_ordinal[match.ordinal]
            yield RecordedMatch(result, match.record, transcripts=transcripts)

    def timetable(self, event: EventRow) -> Timetable:
        return self.members[event.id].timetable

    def voids(self, event: EventRow) -> int:
        return sum(result.voids for result in self.results(event))

    def records(self, event: EventRow, ordinals: Collection[int]) -> dict[int, Record]:
        lines = bundled_matches(self._path)
        mine = (one for one in lines if one.number == event.number)
        return {one.ordinal: one.record for one in mine if one.ordinal in ordinals}


def _of_bundle(entries: Sequence["TranscriptEntry | None"]) -> "dict[int, SeatTranscript]":
    """Return the transcripts of a bundle that was checked, by seat."""
    # not above: few pages show any
    from khiva_arena.competition.events.transcripts import BUNDLE_HAS, transcript

    present = [(seat, entry) for seat, entry in enumerate(entries) if entry is not None]
    return {
        seat: transcript(entry.packed, entry.total)._replace(rest=BUNDLE_HAS)
        for seat, entry in present
    }
