"""Bundles of events that are over, each with the standings that follow from its records alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import structs

from khiva_arena import __version__
from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.events.find import damaged, matches_of, voids_of
from khiva_arena.events.places import as_reported, has_places
from khiva_arena.events.pools import in_common, pooled, standings_of
from khiva_arena.events.results import of_record
from khiva_arena.events.stored import bare_timetable
from khiva_arena.replay.record import Record
from khiva_arena.report import places
from khiva_arena.report.table import to_json
from khiva_arena.result import Measured, Result
from khiva_arena.schedule import formats
from khiva_arena.schedule.formats import ScheduledMatch, Shape
from khiva_arena.schedule.timetable import Timetable
from khiva_arena.store import bundle
from khiva_arena.store.db import EventRow, Store
from khiva_arena.store.new_file import new_file

MEASURED = Measured._fields
"""The columns that were measured on one machine in one run, which nobody else can check."""


@dataclass(slots=True)
class BundledMatches:
    """The matches of an event, from their records alone.

    event: with the run's secret.
    timetable: of the event.
    results: in schedule order.
    """

    event: EventRow
    timetable: Timetable
    results: list[Result] = field(default_factory=list)

    def add(self, match: ScheduledMatch, record: Record, voids: int) -> None:
        """Add a match. ``voids``: void attempts at it."""
        self.results.append(of_record(self.event, match, record, voids))

    def of_round(self, shape: Shape) -> list[Result] | None:
        """Return the results of a round, None unless all its matches are there."""
        after = shape.first_ordinal + shape.matches
        results = [result for result in self.results if shape.first_ordinal <= result.ordinal < after]
        return results if len(results) == shape.matches else None


class WrittenBundle(NamedTuple):
    """A bundle that was written.

    matches: the number of its matches.
    digest: the sum over all its lines.
    """

    matches: int
    digest: str


def write_bundle(path: Path, store: Store, events: Sequence[EventRow]) -> WrittenBundle:
    """Write events of a store into a new file.

    Raises ConfigError if an event is not over, StoreError if one is damaged, ArenaError if the file cannot be written.
    """
    _check_over(store, events)
    with new_file(path) as file:
        writer = bundle.Writer(file, __version__)
        members = [_add_event(writer, store, structs.replace(event, number=number)) for number, event in enumerate(events, 1)]
        for table in tables_of(members):
            writer.add(table)
        return WrittenBundle(sum(len(member.results) for member in members), writer.end())


def _check_over(store: Store, events: Sequence[EventRow]) -> None:
    """Raise ConfigError with every event that cannot be published yet: its secrets are private until it is over."""
    problems = []
    for event in events:
        if event.closed:
            reason = f"event {event.number} ({event.id}) was closed before it was over, and only complete events are bundled"
            problems.append(f"{store.folder}: {reason}; name only events that are over")
        elif store.conclusion(event.id) is None:
            done, planned = len(store.recorded(event.id)), bare_timetable(event).matches
            how_far = f"event {event.number} ({event.id}) is not over: {done} of {planned} matches are recorded"
            problems.append(
                f"{store.folder}: {how_far}; finish it with the command that began it, or name only events that are over"
            )
    if not events:
        problems.append(f"{store.folder}: no event to bundle; `khiva-arena run` plays one")
    if problems:
        raise ConfigError(problems)


def _add_event(writer: bundle.Writer, store: Store, event: EventRow) -> BundledMatches:
    """Add an event to a bundle with its secrets, voids and matches. Return its matches."""
    bots = [bundle.BotEntry(bot.name, bot.identity, bot.version, bot.complete) for bot in event.bots]
    public = msgspec.UNSET if event.public is None else event.public
    writer.add(bundle.EventLine(event.id, event.definition.plain(), event.commitment, list(event.engines), bots, public))
    for seed, secret in sorted(store.reveals(event.id).items()):
        writer.add(bundle.RevealLine(seed, secret.hex()))
    voids: dict[int, int] = {}
    for void in voids_of(store, event):
        writer.add(bundle.VoidLine(void.ordinal, void.attempt))
        voids[void.ordinal] = void.attempt
    matches = BundledMatches(event, bare_timetable(event))
    for match in matches_of(store, event):
        try:
            record = match.parsed()
        except RecordError as error:
            damaged(store, f"match {event.number}/{match.ordinal}", str(error))
        writer.add(bundle.MatchLine(match.ordinal, msgspec.json.decode(match.record)))
        seated = tuple(seat.bot for seat in match.seats)
        matches.add(
            ScheduledMatch(match.ordinal, match.seed, match.lineup, match.rotation, seated), record, voids.get(match.ordinal, 0)
        )
    writer.add(bundle.OverLine(store.conclusion(event.id) or ""))
    return matches


def tables_of(members: Sequence[BundledMatches]) -> list[bundle.StandingsLine]:
    """Return the tables that ``standings --json`` gives for these events; measured columns are null."""
    by_id = {member.event.id: member for member in members}
    tables = []
    for events in pooled([member.event for member in members]):
        matches = [by_id[event.id] for event in events]
        table = to_json(standings_of(events, [result for member in matches for result in member.results]))
        rows = [{key: None if key in MEASURED else value for key, value in row.items()} for row in table["rows"]]
        placed = [places.to_json(places_of(member)) for member in matches if has_places(member.event)]
        extras = {"rows": rows, **({"places": placed} if placed else {})}
        tables.append(bundle.StandingsLine({**in_common(events), **table, **extras}))
    return tables


def places_of(matches: BundledMatches) -> places.Places:
    """Return the places of an event from its records alone. Its format must have places."""
    timetable = matches.timetable
    rounds = [results for shape in timetable.shapes if (results := matches.of_round(shape)) is not None]
    placings = formats.places(timetable.terms, rounds)
    return as_reported(matches.event, placings, len(rounds), len(timetable.shapes))
