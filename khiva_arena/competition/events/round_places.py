"""The places of the bots of an event whose format is played in rounds: counted, and
never fitted.
"""

from functools import partial
from typing import Protocol

from khiva_arena.common.result import Result
from khiva_arena.competition.events import stored
from khiva_arena.rating.report import places
from khiva_arena.rating.schedule.formats import FORMATS, Placing, Shape
from khiva_arena.records.store.rows import EventRow


class Rounds(Protocol):
    """Where results of rounds come from."""

    def of_round(self, event: EventRow, shape: Shape) -> list[Result] | None:
        """Return the results of a round, None unless all its matches are recorded."""


def places_of(source: Rounds, event: EventRow) -> places.Places | None:
    """Return an event's places; None if its format has none beside the ratings."""
    form = event.definition.format
    if not FORMATS[form].IN_ROUNDS:
        return None
    placings, rounds, of = stored.places(event, partial(source.of_round, event))
    rows = tuple(_placed(event, placing, over=rounds == of) for placing in placings)
    return places.Places(event.id, event.number, form, rounds, of, rows)


def _placed(event: EventRow, placing: Placing, *, over: bool) -> places.Placed:
    bot, detail = event.bots[placing.bot], placing.detail
    assert detail is not None
    return places.Placed(
        placing.place, bot.identity, bot.name, placing.score, detail.byes, detail.columns(over=over)
    )
