"""Places in a store's events that are played in rounds, for ``standings``."""

from collections.abc import Sequence

from khiva_arena.events import stored
from khiva_arena.report.places import Placed, Places
from khiva_arena.schedule.formats import FORMATS, Placing
from khiva_arena.store.db import EventRow, Store


def has_places(event: EventRow) -> bool:
    """Tell whether an event's format gives places beside the ratings."""
    return FORMATS[event.definition.format].IN_ROUNDS


def places_of(store: Store, event: EventRow) -> Places | None:
    """Return an event's places; None if its format has none beside the ratings."""
    if not has_places(event):
        return None
    placings, rounds = stored.places(store, event)
    return as_reported(event, placings, rounds, len(stored.bare_timetable(event).shapes))


def as_reported(event: EventRow, placings: Sequence[Placing], rounds: int, of: int) -> Places:
    """Return an event's places as a report shows them, with ``rounds`` of ``of`` rounds complete. Its format must have places."""
    rows = tuple(_placed(event, placing, over=rounds == of) for placing in placings)
    return Places(event.id, event.number, event.definition.format, rounds, of, rows)


def _placed(event: EventRow, placing: Placing, *, over: bool) -> Placed:
    bot, detail = event.bots[placing.bot], placing.detail
    assert detail is not None
    return Placed(placing.place, bot.identity, bot.name, placing.score, detail.byes, detail.columns(over=over))
