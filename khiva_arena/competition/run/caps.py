"""Caps on what bots spend: the hook of the extension that knows what bots report of
it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from khiva_arena.common.hooks import Hook
from khiva_arena.common.say import Say

if TYPE_CHECKING:  # numpy comes with budget, and tables load this module, too
    from khiva_arena.competition.run.budget import Proposal
    from khiva_arena.competition.settings.settings import Settings
    from khiva_arena.entrants.bots import Bot


class Caps(Protocol):
    """Caps on what bots spend."""

    def propose(
        self,
        stages: "Sequence[Settings]",
        entrants: "Sequence[Bot]",
        cap: str,
        say: Say,
        *,
        new_event: bool,
    ) -> "Proposal":
        """Return the line-ups and seeds that a cap allows, with the limit that keeps
        it. ``cap``: as it was typed.

        An event of these settings that has been begun keeps its line-ups and seeds,
        unless ``new_event``. One that is over is extended if the cap is higher than the
        one that chose its seeds.

        Raises ConfigError if the bots report no cost, or costs in several currencies,
        or if one seed costs more than the cap.
        """


CAPS: Hook[Caps] = Hook("spending")
