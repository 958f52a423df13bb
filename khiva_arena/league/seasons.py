"""The seasons of a league: spans of its batches, each with a table of its own."""

from datetime import UTC, datetime
from pathlib import Path

from khiva_arena.errors import ConfigError
from khiva_arena.events.selection import StoreSelection
from khiva_arena.events.stored import is_league
from khiva_arena.league.chain.stored_chain import chain_of
from khiva_arena.say import Say
from khiva_arena.store.db import Store
from khiva_arena.words import count


def words_of(folder: Path, selection: StoreSelection) -> tuple[str, ...]:
    """Return the words that name the selected events of a store, () for all. Raises ConfigError as ``batches_of``."""
    if selection.season is None:
        return selection.words
    if selection.words:
        raise ConfigError("--season names the events: leave the others out")
    return batches_of(folder, selection.season)


def public_words_of(folder: Path, selection: StoreSelection, say: Say) -> tuple[str, ...]:
    """Return the words as ``words_of`` does; without any, those of a league's batches whose secrets are public by now."""
    words = words_of(folder, selection)
    if words or not is_league(folder):
        return words
    with Store.read(folder) as store:
        chain = chain_of(store)
        newest = chain.revealed(datetime.now(UTC)) if chain else 0
        batches = [(event.id, event.definition.batch) for event in store.events()]
    public = tuple(event for event, batch in batches if batch and batch.number <= newest)
    if len(public) == len(batches):
        return ()
    say(f"{count(len(batches) - len(public), 'batch is', 'batches are')} not public yet, and left out; name them to see them")
    if not public:
        raise ConfigError(f"{folder}: no batch of the league is public yet; `khiva-arena league status` says how it stands")
    return public


def batches_of(folder: Path, season: str) -> tuple[str, ...]:
    """Return the ids of the events of a season's batches, as words that name them.

    Raises ConfigError if the store is no league's, or has no such season or no batch of it.
    """
    with Store.read(folder) as store:
        chain = chain_of(store)
        if chain is None:
            raise ConfigError(f"--season: {folder} is no league")
        names = [name for name, _ in chain.seasons]
        if season not in names:
            raise ConfigError(f"--season {season}: no such season; there are {', '.join(names) or 'none'}")
        starts = [first for _, first in chain.seasons] + [chain.batches + 1]
        at = names.index(season)
        numbers = range(starts[at], starts[at + 1])
        events = [event.id for event in store.events() if event.definition.batch and event.definition.batch.number in numbers]
    if not events:
        raise ConfigError(f"--season {season}: no batch of it has been drawn yet")
    return tuple(events)
