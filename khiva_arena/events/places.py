"""Places in events that are played in rounds."""

from functools import partial

from khiva_arena.events import stored
from khiva_arena.events.source import ResultSource
from khiva_arena.report.places import Placed, Places
from khiva_arena.schedule.formats import FORMATS, Placing
from khiva_arena.store.db import EventRow


def places_of(source: ResultSource, event: EventRow) -> Places | None:
    """Return an event's places; None if its format has none beside the ratings."""
    form = event.definition.format
    if not FORMATS[form].IN_ROUNDS:
        return None
    placings, rounds, of = stored.places(event, partial(source.of_round, event))
    rows = tuple(_placed(event, placing, over=rounds == of) for placing in placings)
    return Places(event.id, event.number, form, rounds, of, rows)


def _placed(event: EventRow, placing: Placing, *, over: bool) -> Placed:
    bot, detail = event.bots[placing.bot], placing.detail
    assert detail is not None
    return Placed(placing.place, bot.identity, bot.name, placing.score, detail.byes, detail.columns(over=over))
