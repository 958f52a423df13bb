"""The matches of an event of a bundle, from their records alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from khiva_arena.common.result import Result, Spent
from khiva_arena.competition.events.league_order import LeagueOrder, league_order
from khiva_arena.competition.events.results import of_record
from khiva_arena.rating.report.capped import EndedByCap
from khiva_arena.rating.schedule.formats import ScheduledMatch, Shape
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.record import Record
from khiva_arena.records.store.rows import EventRow


@dataclass(slots=True)
class BundledMatches:
    """The matches of an event, from their records alone.

    event: with the run's secret.
    timetable: of the event.
    results: in schedule order.
    digests: of their records.
    capped: the cap that ended the event; None if none did.
    """

    event: EventRow
    timetable: Timetable
    results: list[Result] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    capped: EndedByCap | None = None

    def add(
        self, match: ScheduledMatch, record: Record, voids: int, spent: Sequence[Spent | None] = ()
    ) -> None:
        """Add a match. ``voids``: void attempts at it. ``spent``: what its bots
        reported.
        """
        self.results.append(of_record(self.event, match, record, voids, spent))
        self.digests.append(record.digest)

    def of_round(self, shape: Shape) -> list[Result] | None:
        """Return the results of a round, None unless all its matches are there."""
        after = shape.first_ordinal + shape.matches
        results = [
            result for result in self.results if shape.first_ordinal <= result.ordinal < after
        ]
        return results if len(results) == shape.matches else None


class MatchesByEvent:
    """The matches of the events of a bundle. Nothing here needs numpy.

    members: by the id of the event.
    """

    def __init__(
        self, members: Sequence[BundledMatches], links: Sequence[dict[str, Any]] = ()
    ) -> None:
        """Take the matches of each event. ``links``: of the league whose batches the
        events are.
        """
        self.members = {member.event.id: member for member in members}
        self._links = links

    def capped(self, event: EventRow) -> EndedByCap | None:
        return self.members[event.id].capped

    def league_order(self, links: int | None = None) -> LeagueOrder | None:
        return league_order(
            self._links[:links],
            lambda event: self.members[event].event if event in self.members else None,
        )

    def results(self, *events: EventRow) -> Iterable[Result]:
        return (result for event in events for result in self.members[event.id].results)

    def of_round(self, event: EventRow, shape: Shape) -> list[Result] | None:
        return self.members[event.id].of_round(shape)
