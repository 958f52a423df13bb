"""The tables of a bundle as far as they are counted. Nothing here needs numpy: a page that checks bundles has none."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from khiva_arena.events.bundled_matches import BundledMatches
from khiva_arena.events.conditions import entrants_of, pooled, settings_of
from khiva_arena.events.league_order import LeagueOrder, league_order
from khiva_arena.events.round_places import places_of
from khiva_arena.replay.record import canonical
from khiva_arena.report import places
from khiva_arena.report.counted import CountedTable, counted, to_json
from khiva_arena.report.entrants import with_unique_names
from khiva_arena.result import Result
from khiva_arena.schedule.formats import Shape
from khiva_arena.store.rows import EventRow


class CountedPool(NamedTuple):
    """A table of events of a bundle.

    counts: its numbers.
    names: of its bots, by their identities.
    plain: the counted part of the table that ``standings --json`` prints, as a file has it.
    """

    counts: CountedTable
    names: dict[str, str]
    plain: dict[str, Any]


class _Rounds:
    """The rounds of events of a bundle."""

    def __init__(self, members: dict[str, BundledMatches]) -> None:
        self._members = members

    def of_round(self, event: EventRow, shape: Shape) -> list[Result] | None:
        return self._members[event.id].of_round(shape)


def counted_tables(members: Sequence[BundledMatches], links: Sequence[dict[str, Any]] = ()) -> list[CountedPool]:
    """Return the tables of ``bundling.tables_of``, in their order, as far as they are counted.

    links: of the league whose batches the events are.

    Raises RecordError for links that no league has written.
    """
    by_id = {member.event.id: member for member in members}
    has_batches = any(member.event.definition.batch for member in members)
    order = league_order(links, lambda event: by_id[event].event if event in by_id else None) if has_batches else None
    return [_table(by_id, events, order) for events in pooled([member.event for member in members])]


def _table(members: dict[str, BundledMatches], events: Sequence[EventRow], order: LeagueOrder | None) -> CountedPool:
    names = {bot.id: bot.name for bot in with_unique_names(entrants_of(events))}
    identities = {event.id: [bot.identity for bot in event.bots] for event in events}
    table = counted((result for event in events for result in members[event.id].results), identities)
    placed = [places.to_json(of) for event in events if (of := places_of(_Rounds(members), event))]
    plain = {
        **settings_of(events),
        **to_json(table, names),
        **({"places": placed} if placed else {}),
        **({"fewest_batches": order.batches((), identities).fewest} if order else {}),
    }
    return CountedPool(table, names, json.loads(canonical(plain)))
