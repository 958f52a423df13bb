"""The table of a season, worked out by a process of its own that the player starts.

A fit may take seconds, and the next batch does not wait for it. Only this process loads
what a fit needs.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from khiva_arena.competition.events.conditions import conditions
from khiva_arena.competition.events.pool_tables import PooledTable, league_table
from khiva_arena.competition.events.pools import standings_of, titles
from khiva_arena.competition.events.source import StoredResults
from khiva_arena.competition.events.stored import stored_batch
from khiva_arena.errors import ArenaError, StoreError
from khiva_arena.extensions.league.chain.links import Over
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.chain.stored_chain import links_of
from khiva_arena.extensions.league.folder import PUBLIC, SUMS, make_public, write_public
from khiva_arena.extensions.league.player.published_before import NEWEST, NewestTable
from khiva_arena.extensions.league.player.sums import data_of
from khiva_arena.extensions.league.public_state import SEASONS, RatingThen, TableThen, season_file
from khiva_arena.extensions.league.walked import LeagueSoFar, walked
from khiva_arena.rating.report.sections import SectionRequest, sections
from khiva_arena.rating.report.standings import in_league_order
from khiva_arena.rating.report.values import Standings
from khiva_arena.records.store import private
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.new_file import new_file
from khiva_arena.records.store.reads import HIGHEST

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
    """Work out the table of the season that is played in the league of a folder. Raises
    StoreError if it is damaged.
    """
    with Store.read(folder) as store:
        newest = newest_table(store)
    path = folder / SUMS / NEWEST
    path.unlink(missing_ok=True)
    with new_file(path, replaces=b"{", mode=private.FILE) as file:
        file.write(msgspec.json.encode(newest))


def write_season(folder: Path, number: int) -> None:
    """Work out the table of a season that is over, in the league of a folder, and make
    it public. ``number``: of the season, from
    1. Raises StoreError if the store is damaged.
    """
    with Store.read(folder) as store:
        batches = _batches_of(store, _walked(store).chain, number - 1)
        order = StoredResults(store).league_order()  # of all links: once a season
        table = _plain(
            _pooled(
                batches,
                league_table(_fitted(store, batches), order, [batch.event for batch in batches]),
            )
        )
    make_public(folder / PUBLIC / SEASONS)
    write_public(folder, season_file(number), msgspec.json.encode(table))


def newest_table(store: Store) -> NewestTable:
    """Return the table of the season in which the newest batch is that is over. Raises
    StoreError if the store is damaged.
    """
    now = _walked(store)
    chain = now.chain
    season = chain.season_of(chain.over)
    batches = _batches_of(store, chain, season)
    table = _pooled(batches, in_league_order(_fitted(store, batches), now.batches))
    active = {bot.identity for bot in batches[-1].event.bots}
    rows = [row for row in table.standings.rows if row.bot in active]
    ratings = [
        RatingThen(row.bot, row.elo, row.error, row.low, row.high, row.bound) for row in rows
    ]
    return NewestTable(
        run_digest=batches[-1].run_digest,
        then=TableThen(
            chain.over,
            tuple(rating for rating in ratings if rating.elo is not None),
            anchor=table.standings.anchor,
        ),
        season=chain.seasons[season].name,
        table=_plain(table),
    )


def _walked(store: Store) -> LeagueSoFar:
    """Return a league of which a batch is over. Raises StoreError."""
    now = walked(store)
    if now is None or not now.chain.over:
        raise StoreError(f"{store.folder}: no batch is over yet")
    return now


def _batches_of(store: Store, chain: Chain, season: int) -> list[_Batch]:
    """Return the batches of a season that are over and were played on the conditions of
    its last one: others make another table.
    ``season``: its place among those of the chain. Raises StoreError.
    """
    spans = chain.seasons[season : season + 2]
    links = links_of(store, spans[0].link, spans[1].link if spans[1:] else HIGHEST)
    overs = [link for link in links if isinstance(link, Over)]
    batches = [
        _Batch(link.batch, stored_batch(store, link.event), link.run_digest) for link in overs
    ]
    last = conditions(batches[-1].event.definition)
    return [batch for batch in batches if conditions(batch.event.definition) == last]


def _fitted(store: Store, batches: Sequence[_Batch]) -> Standings:
    """Return the ratings of batches that make one table."""
    data = data_of(store, [(batch.event, batch.run_digest) for batch in batches])
    return standings_of([batch.event for batch in batches], data)


def _pooled(batches: Sequence[_Batch], standings: Standings) -> PooledTable:
    """Return the table of batches as it is printed."""
    events = [batch.event for batch in batches]
    names = ("crosstable",) if len(standings.rows) <= MOST_IN_CROSSTABLE else ()
    return PooledTable(
        titles([events])[0], events, standings, sections(standings, SectionRequest(names, ())), []
    )


def _plain(table: PooledTable) -> dict[str, Any]:
    return {"standings": [table.to_json()]}


if __name__ == "__main__":
    try:
        if sys.argv[2:]:
            write_season(Path(sys.argv[1]), int(sys.argv[2]))
        else:
            write_newest(Path(sys.argv[1]))
    except ArenaError as error:
        sys.exit(str(error))
