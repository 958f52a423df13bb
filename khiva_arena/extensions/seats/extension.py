"""The hook that the extension ``seats`` fills: guests at the table."""

from collections.abc import Sequence

from khiva_arena.common.say import Say
from khiva_arena.competition.run.guest_seats import GUESTS, Seating
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot


def _seating(settings: Settings, entrants: Sequence[Bot], say: Say) -> Seating:
    """Return the context in which guests have their seats. Raises ConfigError."""
    # not above: it starts processes, which a refusal needs not
    from khiva_arena.extensions.seats.seating import seating

    return seating(settings, entrants, say)


EXTENSION = (GUESTS.filled(_seating),)
