"""Close an event before it is over: its secrets are revealed, and nobody continues it."""

from collections.abc import Iterable

from khiva_arena.errors import ConfigError
from khiva_arena.events.find import check_event, events_of
from khiva_arena.events.stored import bare_timetable
from khiva_arena.shards.note import read_note
from khiva_arena.store.db import RUN_SECRET, EventRow, Store


def to_close(store: Store, word: str) -> EventRow:
    """The event that ``word`` names. Raises ConfigError if it is over, or closed already."""
    (event,) = events_of(store, (word,))
    if event.closed:
        raise ConfigError(f"{store.folder}: event {event.number} was closed at {event.closed}; nothing is left to close")
    if store.conclusion(event.id) is not None:
        raise ConfigError(f"{store.folder}: event {event.number} is over, so that there is nothing to close")
    return event


def how_far(store: Store, event: EventRow) -> str:
    """How much of an event is recorded."""
    return f"{len(store.recorded(event.id))} of {bare_timetable(event).matches} matches are recorded"


def of_a_shard(store: Store, event: EventRow) -> list[str]:
    """What to know before a shard of an event is closed, or several that were merged, in lines; [] if it is no such event."""
    note = read_note(store.folder, event.id)
    if note is None or note.of < 2:
        return []
    what, then = f"this is shard {note.which} of", "no merge takes this store; what it holds may be left as it is"
    if not note.shard:
        what, then = "into this store shards were merged of", "no merge adds to it"
    return [f"{what} {note.plan}: the deals of all shards become known, also those that others still play, and {then}"]


def close(store: Store, event: EventRow) -> None:
    """Close it, and reveal the run's secret and that of each seed that has a match: nobody will play on any of them."""
    check_event(store, event)
    known = store.reveals(event.id)
    secrets = {seed: event.seed_secret(seed) for seed in sorted(_played(store, event)) if seed not in known}
    store.close_event(event.id, secrets | {RUN_SECRET: event.secret})


def _played(store: Store, event: EventRow) -> Iterable[int]:
    timetable = bare_timetable(event)
    return {place[0] for ordinal in store.recorded(event.id) if (place := timetable.place(ordinal))}
