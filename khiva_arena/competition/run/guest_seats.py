"""The seats of players who are no local program, and the hook of the extension that
seats them.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

from khiva_arena.common.hooks import Hook
from khiva_arena.common.say import Say
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot

if TYPE_CHECKING:
    from khiva_arena.competition.run.run_events import LinkNewsSource

Seating = Callable[[], AbstractContextManager["LinkNewsSource | None"]]
"""Makes the context in which a table's guests have their seats. It gives the source of
news of their links, None without any.
"""


class SeatGuests(Protocol):
    """The function that seats guests."""

    def __call__(self, settings: Settings, entrants: Sequence[Bot], say: Say) -> Seating:
        """Return the context in which these bots are played. Raises ConfigError if they
        cannot be.
        """


GUESTS: Hook[SeatGuests] = Hook("seats")


def seating_of(first: Settings, entrants: Sequence[Bot], say: Say) -> Seating:
    """Return the context in which these bots are played. Raises ConfigError if they
    cannot be.
    """
    guests = [bot for bot in entrants if bot.guest]
    return (
        GUESTS.get(f"--bot {guests[0].asked_as}")(first, entrants, say) if guests else nullcontext
    )
