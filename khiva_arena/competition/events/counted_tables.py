"""The tables of a bundle as far as they are counted. Nothing here needs numpy: a page
that checks bundles has none.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from khiva_arena.competition.events.bundled_matches import BundledMatches, MatchesByEvent
from khiva_arena.competition.events.conditions import entrants_of, pooled, settings_of
from khiva_arena.competition.events.league_order import LeagueOrder
from khiva_arena.competition.events.round_places import places_of
from khiva_arena.rating.report import places
from khiva_arena.rating.report.counted import CountedTable, counted, to_json
from khiva_arena.rating.report.entrants import with_unique_names
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.rows import EventRow


class CountedPool(NamedTuple):
    """A table of events of a bundle.

    counts: its numbers.
    names: of its bots, by their identities.
    plain: the counted part of the table that ``standings --json`` prints, as a file has
        it.
    """

    counts: CountedTable
    names: dict[str, str]
    plain: dict[str, Any]


def counted_tables(
    members: Sequence[BundledMatches], links: Sequence[dict[str, Any]] = ()
) -> list[CountedPool]:
    """Return the tables of ``bundling.tables_of``, in their order, as far as they are
    counted.

    links: of the league whose batches the events are.

    Raises RecordError for links that no league has written.
    """
    bundled = MatchesByEvent(members, links)
    order = (
        bundled.league_order() if any(member.event.definition.batch for member in members) else None
    )
    return [
        _table(bundled, events, order) for events in pooled([member.event for member in members])
    ]


def _table(
    bundled: MatchesByEvent, events: Sequence[EventRow], order: LeagueOrder | None
) -> CountedPool:
    names = {bot.id: bot.name for bot in with_unique_names(entrants_of(events))}
    identities = {event.id: [bot.identity for bot in event.bots] for event in events}
    table = counted(bundled.results(*events), identities)
    placed = [places.to_json(of) for event in events if (of := places_of(bundled, event))]
    plain = {
        **settings_of(events),
        **to_json(table, names),
        **({"places": placed} if placed else {}),
        **({"fewest_batches": order.batches((), identities).fewest} if order else {}),
    }
    return CountedPool(table, names, json.loads(canonical(plain)))
