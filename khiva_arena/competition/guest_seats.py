"""A test whether a table has players who are no local program, and the context for their seats."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from khiva_arena.entrants.bots import Bot
from khiva_arena.say import Say
from khiva_arena.settings.settings import Settings

if TYPE_CHECKING:
    from khiva_arena.seats.seating import Links


def seating_of(first: Settings, entrants: Sequence[Bot], say: Say) -> "Callable[[], AbstractContextManager[Links | None]]":
    """Return the context in which these bots are played, see ``seats/seating.py``. Raises ConfigError if that cannot be."""
    if not any(bot.guest for bot in entrants):
        return nullcontext
    from khiva_arena.seats import seating  # not above: most tables have no guests

    return seating.seating(first, entrants, say)
