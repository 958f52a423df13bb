"""The seasons of a league: spans of its batches, each with a table of its own."""

from datetime import UTC, datetime
from pathlib import Path

from khiva_arena.errors import ConfigError
from khiva_arena.events.selection import StoreSelection
from khiva_arena.events.stored import is_league
from khiva_arena.league.walked import walked
from khiva_arena.say import Say, say_nothing
from khiva_arena.store.db import Store
from khiva_arena.text import harmless
from khiva_arena.words import count

ALL = "all"
"""The word for all seasons together, which is no season's name."""


def words_of(folder: Path, selection: StoreSelection, say: Say = say_nothing) -> tuple[str, ...]:
    """Return the words that name the selected events of a store, () for all: of a league whose season is not said, the batches of
    the one that is played. ``say``: gets a line on that. Raises ConfigError as ``batches_of``."""
    if selection.season is None:
        if selection.words or not is_league(folder) or (season := _newest_season(folder)) is None:
            return selection.words
        say(harmless(f"the table of {season}; --season {ALL} counts all batches"))
        return batches_of(folder, season)
    if selection.words:
        raise ConfigError("--season names the events: leave the others out")
    return () if selection.season == ALL and is_league(folder) else batches_of(folder, selection.season)


def _newest_season(folder: Path) -> str | None:
    """Return the name of the season in which the newest batch is that is over in the league of a folder; None if that is the
    first one."""
    with Store.read(folder) as store:
        now = walked(store)
    place = now.chain.season_of(now.chain.over) if now else 0
    return now.chain.seasons[place].name if now and place > 0 else None


def public_words_of(folder: Path, selection: StoreSelection, say: Say, *, of_season: bool = False) -> tuple[str, ...]:
    """Return the words that name the selected events: those that are named one by one, or else those of a league's batches, or of
    the season that is named, whose secrets are public by now. ``of_season``: without any word, of the season that is played."""
    if selection.words or not is_league(folder):
        return words_of(folder, selection)
    selected = words_of(folder, selection, say) if of_season or selection.season is not None else ()
    with Store.read(folder) as store:
        now = walked(store)
        newest = now.chain.revealed(datetime.now(UTC)) if now else 0
        batches = store.event_ids()
    among = set(selected or batches)
    public = tuple(event for event in batches[:newest] if event in among)
    if len(public) == len(batches):
        return ()
    if hidden := len(among) - len(public):
        say(f"{count(hidden, 'batch is', 'batches are')} not public yet, and left out; name them to see them")
    if not public:
        whose = selection.season or "the league"
        raise ConfigError(f"{folder}: no batch of {whose} is public yet; `khiva-arena league status` says how it stands")
    return public


def batches_of(folder: Path, season: str) -> tuple[str, ...]:
    """Return the ids of the events of a season's batches, as words that name them.

    Raises ConfigError if the store is no league's, or has no such season or no batch of it.
    """
    with Store.read(folder) as store:
        now = walked(store)
        if now is None:
            raise ConfigError(f"--season: {folder} is no league")
        names = [one.name for one in now.chain.seasons]
        if season not in names:
            raise ConfigError(f"--season {season}: no such season; there are {', '.join(names)}, and {ALL} for all of them")
        span = now.chain.batches_in(names.index(season))
        events = store.event_ids()[span.start - 1 : span.stop - 1]
    if not events:
        raise ConfigError(f"--season {season}: no batch of it has been drawn yet")
    return tuple(events)
