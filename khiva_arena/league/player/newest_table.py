"""The table of all batches that are over, worked out by a process of its own that the player starts.

The fit of a year takes seconds, and the next batch does not wait for it. Only this process loads what a fit needs.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from khiva_arena.errors import ArenaError, StoreError
from khiva_arena.events.league_order import LeagueOrder
from khiva_arena.events.pools import conditions, standings_of, titles
from khiva_arena.events.source import StoredResults
from khiva_arena.events.tables import PooledTable, league_table
from khiva_arena.league.chain.stored_chain import chain_of
from khiva_arena.league.folder import SUMS
from khiva_arena.league.player.publish import NEWEST, NewestTable
from khiva_arena.league.player.sums import data_of
from khiva_arena.league.public_state import RatingThen, TableThen
from khiva_arena.report.sections import SectionRequest, sections
from khiva_arena.store import private
from khiva_arena.store.db import EventRow, Store
from khiva_arena.store.new_file import new_file

MOST_IN_CROSSTABLE = 64
"""The most bots whose table has all pairs of them, which are n squared."""


class _Batch(NamedTuple):
    """A batch that is over.

    number: from 1.
    event: its event.
    run_digest: over its matches.
    """

    number: int
    event: EventRow
    run_digest: str


def write_newest(folder: Path) -> None:
    """Work out the tables of the league in a folder. Raises StoreError if it is damaged."""
    with Store.read(folder) as store:
        newest = newest_table(store)
    path = folder / SUMS / NEWEST
    path.unlink(missing_ok=True)
    with new_file(path, replaces=b"{", mode=private.FILE) as file:
        file.write(msgspec.json.encode(newest))


def newest_table(store: Store) -> NewestTable:
    """Return the tables of a league of which a batch is over. Raises StoreError if it is damaged."""
    chain = chain_of(store)
    if chain is None or not chain.overs:
        raise StoreError(f"{store.folder}: no batch is over yet")
    events = {event.id: event for event in store.events()}
    batches = [_Batch(link.batch, events[link.event], link.run_digest) for link in chain.overs]
    last = batches[-1].event
    pooled = [batch for batch in batches if conditions(batch.event.definition) == conditions(last.definition)]
    order = StoredResults(store).league_order()
    table = _table(store, order, pooled)
    ends = [*(first for _, first in chain.seasons[1:]), len(batches) + 1]
    spans = {name: range(first, end) for (name, first), end in zip(chain.seasons, ends, strict=False)}
    by_season = {name: [batch for batch in batches if batch.number in span] for name, span in spans.items()}
    newest = chain.seasons[-1][0] if chain.seasons else ""
    of_season = [batch for batch in by_season.pop(newest, ()) if batch in pooled]
    active = {bot.identity for bot in last.bots}
    ratings = [RatingThen(row.bot, row.elo, row.error) for row in table.standings.rows if row.bot in active]
    return NewestTable(
        run_digest=batches[-1].run_digest,
        then=TableThen(len(batches), tuple(rating for rating in ratings if rating.elo is not None)),
        table=_plain(table),
        closed_seasons={name: _plain(_table(store, order, _alike(of_it))) for name, of_it in by_season.items() if of_it},
        season_table=_plain(table if of_season == pooled else _table(store, order, of_season)) if of_season else None,
    )


def _alike(batches: Sequence[_Batch]) -> list[_Batch]:
    """Return the batches of a season that were played on the conditions of its last one."""
    last = conditions(batches[-1].event.definition)
    return [batch for batch in batches if conditions(batch.event.definition) == last]


def _table(store: Store, order: LeagueOrder | None, batches: Sequence[_Batch]) -> PooledTable:
    """Return the table of batches that make one. ``order``: of the league."""
    events = [batch.event for batch in batches]
    fitted = standings_of(events, data_of(store, [(batch.event, batch.run_digest) for batch in batches]))
    standings = league_table(fitted, order, events)
    names = ("crosstable",) if len(standings.rows) <= MOST_IN_CROSSTABLE else ()
    return PooledTable(titles([events])[0], events, standings, sections(standings, SectionRequest(names, ())), [])


def _plain(table: PooledTable) -> dict[str, Any]:
    return {"standings": [table.to_json()]}


if __name__ == "__main__":
    try:
        write_newest(Path(sys.argv[1]))
    except ArenaError as error:
        sys.exit(str(error))
