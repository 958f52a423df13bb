"""The work of ``khiva-arena close``: the end, for good, of an event that is not
over.
"""

import shlex
from collections.abc import Iterable
from pathlib import Path

from khiva_arena.common.text import harmless
from khiva_arena.competition.events.find import check_event, ended_by_cap, events_of, may_be_capped
from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.question import agreed
from khiva_arena.errors import ConfigError
from khiva_arena.records.store.db import RUN_SECRET, EventRow, Store
from khiva_arena.records.store.shard_note import read_note


def close(store: Path, event: str, yes: bool) -> None:
    """Close the event, once the user has agreed."""
    Store.check(store)
    with Store.read(store) as db:
        row = _to_close(db, event)
        say(harmless(f"event {row.number} ({row.id}): {_how_far(db, row)}"))
        is_capped = ended_by_cap(db, row) is not None
        may_bundle = is_capped and may_be_capped(row.definition, db.recorded(row.id))
        if is_capped and not may_bundle:
            short = "a cap ended it, but not after whole tables, the first of the schedule"
            say(f"{short}, so no bundle will have it; a higher --spend goes on with it")
        for line in _warnings_of_shard(db, row):
            say(harmless(line))
    if not agreed("close it, reveal its secrets, and never continue it?", yes):
        say("nothing was changed")
        return
    with Store.write(store) as db:
        row = _to_close(db, row.id)
        _close(db, row)
        digest = db.conclusion(row.id)
    say(harmless(f"event {row.number} is closed: run digest {digest}; its secrets are revealed"))
    folder = shlex.quote(str(store))
    if is_capped:
        next_step = (
            f"; next: khiva-arena bundle {folder} capped.bundle {row.number}" if may_bundle else ""
        )
        say(harmless(f"tables keep it, and say that a cap ended it{next_step}"))
        return
    say(
        harmless(
            f"tables leave it out; to see it: khiva-arena standings {folder} {row.number}, "
            f"khiva-arena verify {folder}"
        )
    )


def _to_close(store: Store, word: str) -> EventRow:
    """Return the event that ``word`` names. Raises ConfigError if it is over, or closed
    already.
    """
    (event,) = events_of(store, (word,))
    if event.definition.batch:
        raise ConfigError(
            f"{store.folder}: event {event.number} is a batch of a league, which is never "
            "closed: play it on"
        )
    if event.closed:
        raise ConfigError(
            f"{store.folder}: event {event.number} was closed at {event.closed}; nothing "
            "is left to close"
        )
    if store.conclusion(event.id) is not None:
        raise ConfigError(
            f"{store.folder}: event {event.number} is over; there is nothing to close"
        )
    return event


def _how_far(store: Store, event: EventRow) -> str:
    """Return how much of an event is recorded."""
    return (
        f"{len(store.recorded(event.id))} of {bare_timetable(event).matches} matches are recorded"
    )


def _warnings_of_shard(store: Store, event: EventRow) -> list[str]:
    """Return the warnings before a shard, or several merged ones, are closed, a line
    each; [] for any other event.
    """
    note = read_note(store.folder, event.id)
    if note is None or note.of < 2:
        return []
    subject, effect = (
        f"this is shard {note.as_typed} of",
        "no merge takes this store; what it holds may be left as it is",
    )
    if not note.shard:
        subject, effect = "into this store shards were merged of", "no merge adds to it"
    return [
        (
            f"{subject} {note.plan}: the deals of all shards become known, also those that "
            f"others still play, and {effect}"
        )
    ]


def _close(store: Store, event: EventRow) -> None:
    """Close an event, and reveal the run's secret and that of each seed that has a
    match: nobody will play on any of them.
    """
    check_event(store, event)
    revealed = store.reveals(event.id)
    secrets = {
        seed: event.seed_secret(seed)
        for seed in sorted(_seeds_played(store, event))
        if seed not in revealed
    }
    store.close_event(event.id, secrets | {RUN_SECRET: event.secret})


def _seeds_played(store: Store, event: EventRow) -> Iterable[int]:
    timetable = bare_timetable(event)
    return {place[0] for ordinal in store.recorded(event.id) if (place := timetable.place(ordinal))}
