"""The store of a match in ticks with persons, for ``khiva-arena play --out``."""

from pathlib import Path
from shlex import quote

from msgspec import structs

from khiva_arena.arbiter.match import Outcome
from khiva_arena.competition.events import stored
from khiva_arena.competition.playing.jobs import match_row
from khiva_arena.competition.settings.alone import MatchAlone
from khiva_arena.competition.settings.one_match import OneMatch
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.store.db import RUN_SECRET, Store, now

NOT_STORED = (
    "--out: only a match in ticks can be stored and checked; add --clock ticks, with modules "
    "for bots, or leave --out out"
)


def alone_of(setup: OneMatch, folder: Path) -> MatchAlone:
    """Return the event of a match that the store in a folder can take. A store that
    does not exist is made.

    Raises ConfigError for another match, or one that is there already; StoreError or
    Unwritten if the store cannot be written.
    """
    if setup.alone is None:
        raise ConfigError(NOT_STORED)
    if Store.check(folder):
        with Store.read(folder) as known:  # a store that refuses the match is not written
            _refuse(known, setup.alone)
    stored.refuse_league(folder)
    with Store.write(folder) as store:
        _refuse(store, setup.alone)
    return setup.alone


def _refuse(store: Store, alone: MatchAlone) -> None:
    """Raise ConfigError if a store is a league's, or has the match of an event that is
    to be added.
    """
    stored.refuse_league(store.folder, store)
    if known := store.event(alone.event.id):
        raise ConfigError(
            f"--out {store.folder}: event {known.number} is a match of this deal and these "
            "players; give another --seed"
        )


def store_match(folder: Path, alone: MatchAlone, outcome: Outcome) -> str:
    """Store a match that was played, with its modules and secrets: all of it or, but
    for modules, nothing. Return where it is, in words.

    Raises ConfigError, StoreError or Unwritten.
    """
    event = structs.replace(alone.event, created=now())
    match = Timetable(event.terms()).match(0)
    assert match is not None
    stored.keep_modules(folder, event.definition)
    with Store.write(folder) as store:
        _refuse(store, alone)
        store.add_played(
            event,
            match_row(event.id, match, outcome),
            {0: event.seed_secret(0), RUN_SECRET: event.secret},
        )
        number = store.newest_number()
    return (
        f"stored as match {number}/0, never to be rated; next: khiva-arena verify "
        f"{quote(str(folder))} --rerun-bots"
    )
