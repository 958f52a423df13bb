"""The matches of an event of a bundle, from their records alone."""

from dataclasses import dataclass, field

from khiva_arena.events.results import of_record
from khiva_arena.replay.record import Record
from khiva_arena.result import Result
from khiva_arena.schedule.formats import ScheduledMatch, Shape
from khiva_arena.schedule.timetable import Timetable
from khiva_arena.store.rows import EventRow


@dataclass(slots=True)
class BundledMatches:
    """The matches of an event, from their records alone.

    event: with the run's secret.
    timetable: of the event.
    results: in schedule order.
    digests: of their records.
    """

    event: EventRow
    timetable: Timetable
    results: list[Result] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)

    def add(self, match: ScheduledMatch, record: Record, voids: int) -> None:
        """Add a match. ``voids``: void attempts at it."""
        self.results.append(of_record(self.event, match, record, voids))
        self.digests.append(record.digest)

    def of_round(self, shape: Shape) -> list[Result] | None:
        """Return the results of a round, None unless all its matches are there."""
        after = shape.first_ordinal + shape.matches
        results = [result for result in self.results if shape.first_ordinal <= result.ordinal < after]
        return results if len(results) == shape.matches else None
