"""How a league stands, from its store and its queue, for people and pages."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from khiva_arena.competition.events.durations import AROUND, mean_time
from khiva_arena.competition.events.stored import bare_timetable, damaged, stored_batch
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.folder import QUEUE, check_league, has_store
from khiva_arena.extensions.league.pace import Pace
from khiva_arena.extensions.league.public_state import read_state
from khiva_arena.extensions.league.settings import options_of
from khiva_arena.extensions.league.submissions.beside_entries import RosterChange
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.queue_rows import QueueEntry
from khiva_arena.extensions.league.waiting import WaitingItem, waiting_of
from khiva_arena.extensions.league.walked import walked
from khiva_arena.records.store.db import Store


class BotStatus(msgspec.Struct, frozen=True):
    """A bot of the roster.

    name: in the league.
    identity: in the league.
    state: active, suspended or retired.
    author: its author's name, as far as that is known; "" for an anchor.
    tables: that it has been drawn for.
    place: in the newest table that was made; None if it has none yet.
    """

    name: str
    identity: str
    state: str
    author: str
    tables: int
    place: int | None = None


class LeagueStatus(msgspec.Struct, frozen=True):
    """How a league stands.

    name: of the league.
    link, digest: of the newest link; None and "" before the league is founded.
    batches: how many were drawn.
    recorded, planned: matches of the batch that is played; 0 if none is.
    bots: of the roster.
    waiting: what waits in the queue.
    seasons: their names, in order.
    next_begin: when the next batch begins, UTC, if the settings let it wait; "" if they
        do not, or a batch is played.
    takes: how long a batch takes, in words, by the matches of the newest one that is
        over; "" before there is one.
    """

    name: str
    link: int | None
    digest: str
    batches: int
    recorded: int
    planned: int
    bots: tuple[BotStatus, ...]
    waiting: tuple[WaitingItem, ...]
    seasons: tuple[str, ...] = ()
    next_begin: str = ""
    takes: str = ""


def next_begin(pace: Pace, chain: Chain) -> datetime | None:
    """Return when the next batch of a league may begin, None for at once."""
    at = datetime.now(UTC)
    begin = pace.next_begin(at, chain.made, chain.drawn_today)
    return begin if begin > max(at, chain.made) else None


def estimate(store: Store, number: int, matches: int, jobs: int) -> str:
    """Return in words how long so many matches will take, by those of a batch; "" if it
    has none. ``number``: of the batch.
    ``jobs``: how many are played at a time.
    """
    ids = store.event_ids(number, number)
    time = (
        mean_time(store.seconds(ids[0]), f"the matches of batch {number}", AROUND) if ids else None
    )
    return f"{time.of(matches, jobs)}, by {time.source}" if time else ""


def _takes(store: Store, number: int) -> str:
    """Return in words how long a batch takes, by the newest one that is
    over. ``number``: of it. Raises StoreError.
    """
    ids = store.event_ids(number, number)
    if not ids:
        damaged(store, f"batch {number}", "its event is missing")
    return estimate(store, number, bare_timetable(stored_batch(store, ids[0])).matches, 1)


def status_of(folder: Path) -> LeagueStatus:
    """Return how the league in a folder stands. Raises ConfigError if there is none,
    StoreError if it is damaged.
    """
    check_league(folder)
    names: dict[str, str] = {}
    entries: list[QueueEntry] = []
    changes: list[RosterChange] = []
    if (folder / QUEUE).exists():
        with Queue(folder) as queue:
            names = {author.id: author.name for author in queue.authors()}
            entries, changes = queue.entries("waiting", "accepted"), queue.changes()
    if not has_store(folder):
        return _unfounded(folder, entries, changes)
    with Store.read(folder) as store:
        now = walked(store)
        if now is None:
            return _unfounded(folder, entries, changes)
        chain, counts = now.chain, now.counts
        recorded = planned = 0
        if chain.open:
            row = stored_batch(store, chain.open.event)
            recorded, planned = len(store.recorded(row.id)), bare_timetable(row).matches
        takes = _takes(store, chain.over) if chain.over else ""
    published = read_state(folder)
    table = published.table["standings"][0]["rows"] if published and published.table else []
    places = {row["bot"]: row["rank"] for row in table}
    bots = tuple(
        BotStatus(
            bot.name,
            bot.identity,
            bot.state,
            names.get(bot.author, bot.author),
            counts.tables[bot.identity],
            places.get(bot.identity),
        )
        for bot in chain.bots.values()
    )
    seasons = tuple(season.name for season in chain.seasons)
    begin = None if chain.open else next_begin(options_of(folder).pace, chain)
    return LeagueStatus(
        name=chain.founded.name,
        link=chain.links - 1,
        digest=chain.digest,
        batches=chain.batches,
        recorded=recorded,
        planned=planned,
        bots=bots,
        waiting=waiting_of(folder, entries, changes, chain),
        seasons=seasons,
        next_begin=begin.isoformat(timespec="minutes") if begin else "",
        takes=takes,
    )


def _unfounded(
    folder: Path, entries: list[QueueEntry], changes: list[RosterChange]
) -> LeagueStatus:
    return LeagueStatus(
        folder.absolute().name, None, "", 0, 0, 0, (), waiting_of(folder, entries, changes, None)
    )


def active_families(folder: Path, author: str) -> set[str]:
    """Return the families of an author that have an active version, as the player of
    the league in a folder has published it.
    ``author``: the id. Raises StoreError if that cannot be read.
    """
    published = read_state(folder)
    return (
        {bot.family for bot in published.bots if bot.author == author and bot.state == "active"}
        if published
        else set()
    )
