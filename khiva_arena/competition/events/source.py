"""The results of events as tables and pages read them, from a store or from a bundle
that was checked.
"""

from collections.abc import Collection, Iterable
from typing import Protocol

import msgspec

from khiva_arena.common.result import Result
from khiva_arena.competition.events.find import CHANGED, ended_by_cap
from khiva_arena.competition.events.league_order import LeagueOrder, league_order
from khiva_arena.competition.events.pools import results_of
from khiva_arena.competition.events.stored import (
    damaged,
    refuse_damaged,
    refuse_no_batch,
    round_results,
)
from khiva_arena.errors import RecordError
from khiva_arena.rating.report.capped import EndedByCap
from khiva_arena.rating.schedule.formats import Shape
from khiva_arena.records.replay.record import Record
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.queries import RoomTaken


class ResultSource(Protocol):
    """A store or a bundle that is read event by event."""

    def results(self, *events: EventRow) -> Iterable[Result]:
        """Return the results that ratings need, event by event in schedule order."""

    def of_round(self, event: EventRow, shape: Shape) -> list[Result] | None:
        """Return the results of a round, None unless all its matches are recorded."""

    def recorded(self, event: EventRow) -> int:
        """Return the number of recorded matches."""

    def capped(self, event: EventRow) -> EndedByCap | None:
        """Return the cap that ended an event short; None if none did, if it has gone on
        since, or if that is not known.
        """

    def secrets(self, event: EventRow) -> dict[int, bytes]:
        """Return the revealed secrets of an event by seed; that of the run is under
        RUN_SECRET.
        """

    def records(self, event: EventRow, ordinals: Collection[int]) -> dict[int, Record]:
        """Return the records at these places of the schedule, as far as there are
        any.
        """

    def digest(self, event: EventRow) -> str | None:
        """Return the run digest of an event that is over or was closed, None for one
        that is still to be played.
        """

    def league_order(self, links: int | None = None) -> LeagueOrder | None:
        """Return what orders the tables of a league, None without one. ``links``: how
        many of the first ones count; None: all.
        """

    def room_of_transcripts(self, event: EventRow) -> list[RoomTaken]:
        """Return the room that transcripts of an event take in a store; [] if none were
        to be kept.
        """


class StoredResults:
    """A store as a ``ResultSource``.

    store: an open one.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def results(self, *events: EventRow) -> Iterable[Result]:
        return results_of(self.store, *events)

    def of_round(self, event: EventRow, shape: Shape) -> list[Result] | None:
        return round_results(self.store, event, shape)

    def recorded(self, event: EventRow) -> int:
        return len(self.store.recorded(event.id))

    def capped(self, event: EventRow) -> EndedByCap | None:
        return ended_by_cap(self.store, event)

    def digest(self, event: EventRow) -> str | None:
        return self.store.conclusion(event.id)

    def room_of_transcripts(self, event: EventRow) -> list[RoomTaken]:
        return self.store.room_of_transcripts(event.id)

    def league_order(self, links: int | None = None) -> LeagueOrder | None:
        """Return what orders the tables of the league, None without one. Raises
        StoreError if a link is damaged.
        """
        rows = self.store.links()[:links]
        for link in rows:
            if not link.intact:
                damaged(self.store, f"link {link.number} of the league", CHANGED)
        try:
            return league_order((msgspec.json.decode(link.text) for link in rows), self._batch)
        except (RecordError, msgspec.MsgspecError) as error:
            damaged(self.store, "the chain of the league", str(error))

    def _batch(self, event: str) -> EventRow | None:
        """Return the event of a batch, None if it is not here. Raises StoreError if it
        is damaged.
        """
        row = self.store.event(event)
        if row:
            refuse_damaged(self.store, row)
            refuse_no_batch(self.store, row)
        return row

    def secrets(self, event: EventRow) -> dict[int, bytes]:
        return self.store.reveals(event.id)

    def records(self, event: EventRow, ordinals: Collection[int]) -> dict[int, Record]:
        """Return the records at these places of the schedule. Raises StoreError if one
        of them is damaged.
        """
        records = {}
        for row in filter(None, (self.store.match(event.id, ordinal) for ordinal in ordinals)):
            try:
                records[row.ordinal] = row.parsed()
            except RecordError as error:
                damaged(self.store, f"match {event.number}/{row.ordinal}", str(error))
        return records
