"""The pauses of a league's player after errors that nobody foresaw, and after failures
of the machine that may pass: none of them ends a league, and none is met again at once.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from khiva_arena.arbiter.wire import HostFault
from khiva_arena.common.machine import OF_THE_MACHINE, is_unforeseen, with_causes
from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.display.terminal.interrupts import if_interrupted
from khiva_arena.errors import ArenaError, StagingError, StoreFull
from khiva_arena.extensions.league import failures
from khiva_arena.extensions.league.full_disk import disk_is_full
from khiva_arena.extensions.league.player.refusals import HowLong

if TYPE_CHECKING:
    from pathlib import Path

    from khiva_arena.extensions.league.player.player import Player

FIRST_SECONDS, MOST_SECONDS = 60.0, 600.0
"""The first pause. Each one is twice as long as the one before, up to the most, until a
batch is over.
"""
MOST_WORDS = 1_000
"""Characters of a failure of the machine that are said."""


class MachineFails(StagingError):
    """A failure of the machine that may pass: the same command goes on then, and nobody
    has to mend anything.
    """

    exit_code = 1


@contextmanager
def failing_machine_told() -> Iterator[None]:
    """Raise MachineFails for an error within the context if the machine has failed in a
    way that may pass.
    """
    try:
        yield
    except StoreFull:
        raise
    except Exception as error:
        if words := _of_passing(error):
            raise MachineFails(words) from error
        raise


def _of_passing(error: Exception) -> str:
    """Return the words of a failure of the machine that may pass, "" of any other
    error.

    A store that is damaged, a limit of memory that is too low, or an interpreter that
    is missing stays so until a person comes.
    """
    for one in with_causes(error):
        if isinstance(one, MemoryError | HostFault) or (
            isinstance(one, OSError) and one.errno in OF_THE_MACHINE
        ):
            told = error if isinstance(error, ArenaError) else one
            return str(told) or type(told).__name__
    return ""


class Pauses:
    """The pauses of one command.

    player: the newest one; None before the first one.
    """

    def __init__(self, folder: "Path", how_long: HowLong, say: Say) -> None:
        self._folder, self._how_long, self._say = folder, how_long, say
        self.player: Player | None = None
        self._over, self._seconds = -1, FIRST_SECONDS

    def after(self, error: Exception) -> None:
        """Keep the trace of an error that nobody foresaw, and wait; wait likewise after
        a failure of the machine that may pass.

        Raise any other error, and that of a full disk. Raise each if there is no player
        yet, if the player was told how many batches to play, or if it may begin no
        other one by now.
        """
        until, of_machine = self._how_long.until, _of_passing(error)
        if disk_is_full(error) or not (of_machine or is_unforeseen(error)):
            raise error
        if (
            self.player is None
            or self._how_long.batches is not None
            or (until and datetime.now(UTC) >= until)
        ):
            raise error
        chain = self.player.chain
        if chain.over != self._over:
            self._over, self._seconds = chain.over, FIRST_SECONDS
        batch, pause = chain.over + 1, f"{self._seconds:.0f} s"
        if of_machine:
            told = (
                f"this machine failed at batch {batch}; tried again in {pause}: "
                f"{harmless(of_machine, MOST_WORDS)}"
            )
        else:
            trace = failures.keep(self._folder, f"batch-{batch}", error)
            told = f"the arena failed at batch {batch}; tried again in {pause}: {trace}"
        self._say(told, warning=True)
        with if_interrupted(self._say, self.player.how_far):
            time.sleep(self._seconds)
        self._seconds = min(2 * self._seconds, MOST_SECONDS)
