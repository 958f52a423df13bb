"""The audit of a store: its events, the sums over its rows, and the pages of its
file.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING

from khiva_arena.common.result import Result
from khiva_arena.competition.audit.audit_report import AuditLine, AuditResult, Damage, OwnWord
from khiva_arena.competition.audit.cost import RerunCost
from khiva_arena.competition.audit.event import audit
from khiva_arena.competition.audit.sample import Sample
from khiva_arena.competition.events import stored
from khiva_arena.competition.events.find import CHANGED, named_events
from khiva_arena.competition.events.published_bots import published_in
from khiva_arena.competition.events.results import of_row
from khiva_arena.errors import StoreError
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.record import Record
from khiva_arena.records.store.bundle import OverLine, RevealLine
from khiva_arena.records.store.db import EventRow, MatchRow, Store

if TYPE_CHECKING:
    from khiva_arena.competition.audit.rerun import Rerunner  # few audits run bots

AT_ONCE = 32
"""The number of matches that are read together."""


def audit_store(
    store: Store,
    words: tuple[str, ...],
    jobs: int = 1,
    sample: int | None = None,
    rerunner: "Rerunner | None" = None,
) -> AuditResult:
    """Check the events that ``words`` name, all of them for no words.

    jobs: the number of processes.
    sample: the most matches of each event that are replayed; None for all.
    rerunner: runs the bots of events in ticks again.

    Raises ConfigError for a word that names none or several, StoreError if there is no
    match to check.
    """
    damage, published = store.damage(), published_in(store)
    result = audit(
        (StoredEvent(store, event, sample, published) for event in named_events(store, words)),
        jobs,
        rerunner,
    )
    result.problems += damage
    if not damage and not any(
        report.problems or report.sound or report.unconfirmed_matches for report in result.events
    ):
        selection = "of the events named" if words else "of it"
        nothing = (
            f"there is nothing to verify: no match {selection} is recorded yet; `khiva-arena "
            "run` plays some"
        )
        raise StoreError(f"{store.folder}: {nothing}")
    return result


def audit_unplayed(store: Store, events: Iterable[EventRow]) -> AuditResult:
    """Check events without a replay: the places, sums and hash chains of their matches,
    tallies and run digests.
    """
    return audit(StoredEvent(store, event, 0) for event in events)


class StoredEvent:
    """An event of a store, as an ``EventSource``."""

    bundled = False

    def __init__(
        self,
        store: Store,
        event: EventRow,
        sample: int | None = None,
        published: Collection[str] | None = None,
    ) -> None:
        self.event, self.published = event, published
        self._sample_size = sample
        self._store = store
        self._planned = 0

    @cached_property
    def _ordinals(self) -> Sequence[int] | StoreError:
        try:
            return sorted(self._store.recorded(self.event.id))
        except StoreError as error:
            return error

    @cached_property
    def sample(self) -> Sample | None:
        """The matches that are drawn to be replayed; None for all."""
        return (
            None if self._sample_size is None else Sample.draw(self._readable(), self._sample_size)
        )

    def _readable(self) -> Sequence[int]:
        """Return the ordinals of the recorded matches; those of all that are planned if
        the list of them cannot be read.
        """
        return range(self._planned) if isinstance(self._ordinals, StoreError) else self._ordinals

    def cost(self) -> RerunCost:
        cost, sample = RerunCost(), self.sample
        with suppress(StoreError):  # which shows when the event is checked
            for row in self._store.matches(self.event.id):
                if sample is None or row.ordinal in sample.ordinals:
                    cost = cost.with_match(_ticks_of(row.record))
        return cost

    def timetable(self) -> Timetable:
        timetable = stored.timetable_of(self._store, self.event)
        self._planned = timetable.matches
        return timetable

    def lines(self) -> Iterator[AuditLine]:
        """Yield all rows of the event; then, once they were compared with each other,
        damage that their sums show.
        """
        store, event = self._store, self.event.id
        yield from _read(
            "what is revealed",
            lambda: [RevealLine(k, secret.hex()) for k, secret in store.reveals(event).items()],
        )
        if isinstance(self._ordinals, StoreError):
            yield _unreadable("the list of its matches", self._ordinals)
        rest = iter(self._readable())
        while some := list(islice(rest, AT_ONCE)):
            yield from self._matches(some)
        yield from (Damage(f"{part} {CHANGED}") for part in self.event.changed)
        yield from _read("the void matches", lambda: store.voids(event))
        yield from _read(
            "its end", lambda: [OverLine(store.conclusion(event) or "", self.event.set_aside)]
        )
        yield from _read(
            "its modules",
            lambda: [*map(Damage, stored.damaged_modules(store.folder, self.event.definition))],
        )
        yield from _read(
            "the sums of its rows", lambda: [Damage(problem) for problem in store.changed(event)]
        )
        yield from _read(
            "its transcripts", lambda: [*map(Damage, store.changed_transcripts(event))]
        )

    def own_word(self) -> OwnWord:
        store, event = self._store, self.event.id
        try:
            return OwnWord(store.has_reports(event), bool(store.room_of_transcripts(event)))
        except StoreError:  # which was noted when the matches were read
            return OwnWord()

    def misfits_of_cap(self, recorded: Collection[int]) -> Iterable[str]:
        """Return none: the rows of a store have their own sums."""
        return ()

    def _matches(self, ordinals: list[int]) -> Iterator[AuditLine]:
        """Yield some matches: read together, or one by one unless all are there and
        intact, so that a damaged one hides no other.
        """
        try:
            rows = list(
                islice(
                    self._store.matches(self.event.id, ordinals[0], ordinals[-1]), len(ordinals) + 1
                )
            )
        except StoreError:
            rows = []
        if [row.ordinal for row in rows if row.intact] == ordinals and len(rows) == len(ordinals):
            yield from rows
            return
        for ordinal in ordinals:
            yield from _read(
                f"match {self.event.number}/{ordinal}", partial(self._match, ordinal), ordinal
            )

    def _match(self, ordinal: int) -> list[MatchRow]:
        row = self._store.match(self.event.id, ordinal)
        return [row] if row else []

    def results(self) -> Iterable[Result]:
        return (of_row(self.event, row) for row in self._store.matches(self.event.id))

    def keep(self, match: ScheduledMatch, record: Record, voids: int) -> None:
        """Do nothing: later rounds are drawn from the results that the store has."""


def _ticks_of(text: str) -> object:
    """Return the ticks that a record claims; None if it is no record. Only what is
    replayed is checked.
    """
    with suppress(ValueError, RecursionError):
        record = json.loads(text)
        return record.get("ticks") if isinstance(record, dict) else None
    return None


def _read(
    part: str, reader: Callable[[], Sequence[AuditLine]], ordinal: int | None = None
) -> Iterator[AuditLine]:
    """Yield the lines that ``reader`` gives, or Damage if the file is damaged
    there. ``ordinal``: of the match to which they belong.
    """
    try:
        lines = reader()
    except StoreError as error:
        lines = [_unreadable(part, error, ordinal)]
    yield from lines


def _unreadable(part: str, error: StoreError, ordinal: int | None = None) -> Damage:
    return Damage(f"{part} cannot be read: {error.__cause__ or error}", ordinal)
