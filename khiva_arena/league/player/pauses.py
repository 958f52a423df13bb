"""The pauses of a league's player after errors that nobody foresaw: none of them ends a league, and none is met again at once."""

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from khiva_arena.league import failures
from khiva_arena.league.player.refusals import HowLong
from khiva_arena.machine import is_unforeseen
from khiva_arena.say import Say
from khiva_arena.terminal.interrupts import if_interrupted

if TYPE_CHECKING:
    from pathlib import Path

    from khiva_arena.league.player.player import Player

FIRST_SECONDS, MOST_SECONDS = 60.0, 600.0
"""The first pause. Each one is twice as long as the one before, up to the most, until a batch is over."""


class Pauses:
    """The pauses of one command.

    player: the newest one; None before the first one.
    """

    def __init__(self, folder: "Path", how_long: HowLong, say: Say) -> None:
        self._folder, self._how_long, self._say = folder, how_long, say
        self.player: Player | None = None
        self._over, self._seconds = -1, FIRST_SECONDS

    def after(self, error: Exception) -> None:
        """Keep the trace of an error, and wait.

        Raise the error if it is none that nobody foresaw, if the player was told how many batches to play, or if it may begin no
        other one by now.
        """
        until = self._how_long.until
        if not is_unforeseen(error) or self.player is None or self._how_long.batches is not None:
            raise error
        if until and datetime.now(UTC) >= until:
            raise error
        chain = self.player.chain
        if chain.over != self._over:
            self._over, self._seconds = chain.over, FIRST_SECONDS
        told = failures.keep(self._folder, f"batch-{chain.over + 1}", error)
        self._say(f"the arena failed at batch {chain.over + 1}; tried again in {self._seconds:.0f} s: {told}", warning=True)
        with if_interrupted(self._say, self.player.how_far):
            time.sleep(self._seconds)
        self._seconds = min(2 * self._seconds, MOST_SECONDS)
