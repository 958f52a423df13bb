"""The places of a store's swiss and knockout events, for ``standings``."""

from khiva_arena.cli import event as events
from khiva_arena.report.places import HEADS, Placed, Places
from khiva_arena.schedule.formats import KnockoutDetail, Place, SwissDetail
from khiva_arena.store.db import EventRow, Store


def places_of(store: Store, event: EventRow) -> Places | None:
    """An event's places; None if its format has none beside the ratings."""
    form = event.definition["format"]
    if form not in HEADS:
        return None
    found, rounds = events.places(store, event)
    of = len(events.bare_timetable(event).shapes)
    return Places(event.id, event.number, form, rounds, of, tuple(placed(event, place) for place in found))


def placed(event: EventRow, place: Place) -> Placed:
    """A place as a report shows it. Its format is one that has places."""
    bot = event.bots[place.bot]
    common = (place.place, bot.identity, bot.name, place.score)
    if isinstance(place.detail, SwissDetail):
        swiss = place.detail
        return Placed(*common, swiss.byes, points=swiss.points, tables=swiss.tables, opponents=swiss.opponents)
    assert isinstance(place.detail, KnockoutDetail)
    out = place.detail.out
    return Placed(*common, place.detail.byes, out=None if out is None else out + 1)
