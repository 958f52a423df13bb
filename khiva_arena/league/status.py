"""How a league stands, from its store and its queue, for people and pages."""

from pathlib import Path

import msgspec

from khiva_arena.errors import ConfigError
from khiva_arena.events.stored import bare_timetable, is_league, stored_event
from khiva_arena.league.chain.links import read_link
from khiva_arena.league.chain.stored_chain import chain_of
from khiva_arena.league.draw.counts import Counts
from khiva_arena.league.draw.next_batch import add_batch
from khiva_arena.league.folder import FINAL, QUEUE, SETTINGS
from khiva_arena.league.public_state import read_state
from khiva_arena.league.submissions.queue import Queue
from khiva_arena.store.db import Store


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
    waiting: what waits in the queue, a line each.
    seasons: their names, in order.
    """

    name: str
    link: int | None
    digest: str
    batches: int
    recorded: int
    planned: int
    bots: tuple[BotStatus, ...]
    waiting: tuple[str, ...]
    seasons: tuple[str, ...] = ()


def status_of(folder: Path) -> LeagueStatus:
    """Return how the league in a folder stands. Raises ConfigError if there is none, StoreError if it is damaged."""
    if not is_league(folder):
        raise ConfigError(f"{folder}: no league here, since it has no {SETTINGS}; `khiva-arena league new` makes one")
    names: dict[str, str] = {}
    waiting: list[str] = []
    if (folder / QUEUE).exists():
        with Queue(folder) as queue:
            names = {author.id: author.name for author in queue.authors()}
            waiting += [f"{entry.family_name} is {entry.state}" for entry in queue.entries("waiting", "accepted")]
            changes = queue.changes()
    else:
        changes = []
    if not _has_store(folder):
        return LeagueStatus(folder.absolute().name, None, "", 0, 0, 0, (), tuple(waiting))
    with Store.read(folder) as store:
        chain = chain_of(store)
        if chain is None:
            return LeagueStatus(folder.absolute().name, None, "", 0, 0, 0, (), tuple(waiting))
        counts = Counts()
        for event in store.events():
            if event.definition.batch:
                add_batch(counts, event.definition)
        recorded = planned = 0
        if chain.open:
            row = stored_event(store, chain.open.event)
            recorded, planned = len(store.recorded(row.id)), bare_timetable(row).matches
    waiting += [f"season {change.why} is to begin" for change in changes if change.state == "season"]
    waiting += [
        f"{chain.bots[change.identity].name} is to be {change.state}" for change in changes if change.identity in chain.bots
    ]
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
    seasons = tuple(name for name, _ in chain.seasons)
    place = (chain.founded.name, chain.links - 1, chain.digest, chain.batches)
    return LeagueStatus(*place, recorded, planned, bots, tuple(waiting), seasons)


def active_families(folder: Path, author: str) -> set[str]:
    """Return the families of an author that have an active version, as the player of the league in a folder has published it.
    ``author``: the id. Raises StoreError if that cannot be read."""
    published = read_state(folder)
    return {bot.family for bot in published.bots if bot.author == author and bot.state == "active"} if published else set()


def receipt_of(folder: Path) -> str:
    """Return the newest link of the league in a folder, or around the final there, as `verify --seen` finds it; "" for any other
    store."""
    league = folder.absolute().parent if folder.name.startswith(FINAL) else folder
    if not folder.is_dir() or not is_league(league) or not _has_store(league):
        return ""
    with Store.read(league) as store:
        links = store.links()
    return f"link {links[-1].number} {read_link(links[-1].text).digest}" if links else ""


def _has_store(folder: Path) -> bool:
    from khiva_arena.store.files import FILE

    return (folder / FILE).is_file()
