"""The seasons of a league: spans of its batches, each with a table of its own."""

from datetime import UTC, datetime
from pathlib import Path

from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.stored import is_league
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.walked import walked
from khiva_arena.records.store.db import Store
from khiva_arena.words import count

ALL = "all"
"""The word for all seasons together, which is no season's name."""


def words_of(folder: Path, season: str | None, say: Say) -> tuple[str, ...]:
    """Return the words that name the batches of a season, () for all; None: of the one
    that is played, on which ``say`` gets a line. Raises ConfigError as ``batches_of``.
    """
    if season is None:
        if (season := _newest_season(folder)) is None:
            return ()
        say(harmless(f"the table of {season}; --season {ALL} counts all batches"))
    return () if season == ALL and is_league(folder) else batches_of(folder, season)


def _newest_season(folder: Path) -> str | None:
    """Return the name of the season in which the newest batch is that is over in the
    league of a folder; None if that is the first one.
    """
    with Store.read(folder) as store:
        now = walked(store)
    place = now.chain.season_of(now.chain.over) if now else 0
    return now.chain.seasons[place].name if now and place > 0 else None


def public_words_of(
    folder: Path, season: str | None, say: Say, *, of_season: bool
) -> tuple[str, ...]:
    """Return the words that name the batches, of the season that is named, whose
    secrets are public by now. ``of_season``: without a name, of the season that is
    played. Raises ConfigError as ``batches_of``, and if none is public.
    """
    if not is_league(folder):
        return words_of(folder, season, say)
    selected = words_of(folder, season, say) if of_season or season is not None else ()
    with Store.read(folder) as store:
        now = walked(store)
        newest = now.chain.revealed(datetime.now(UTC)) if now else 0
        batches = store.event_ids()
    among = set(selected or batches)
    public = tuple(event for event in batches[:newest] if event in among)
    if len(public) == len(batches):
        return ()
    if hidden := len(among) - len(public):
        say(
            f"{count(hidden, 'batch is', 'batches are')} not public yet, and left out; "
            "name them to see them"
        )
    if not public:
        whose = season or "the league"
        raise ConfigError(
            f"{folder}: no batch of {whose} is public yet; `khiva-arena league status` "
            "says how far it is"
        )
    return public


def batches_of(folder: Path, season: str) -> tuple[str, ...]:
    """Return the ids of the events of a season's batches, as words that name them.

    Raises ConfigError if the store is no league's, or has no such season or no batch of
    it.
    """
    with Store.read(folder) as store:
        now = walked(store)
        if now is None:
            raise ConfigError(f"--season: {folder} is no league")
        names = [one.name for one in now.chain.seasons]
        if season not in names:
            raise ConfigError(
                f"--season {season}: no such season; there are {', '.join(names)}, and "
                f"{ALL} for all of them"
            )
        span = now.chain.batches_in(names.index(season))
        events = store.event_ids()[span.start - 1 : span.stop - 1]
    if not events:
        raise ConfigError(f"--season {season}: no batch of it has been drawn yet")
    return tuple(events)
