"""A bot behind the arbiter's own pipes, with figures that the check needs and a match
does not.
"""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import trio

from khiva_arena.arbiter.fairness import CpuSample, sample_of
from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.wire import Arrival
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.text import printable

MOMENT = 0.005
_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


class BotProcess:
    """A bot at seat 0 of a wire of its own."""

    def __init__(self, command: Command, sandbox: Sandbox) -> None:
        """Start the bot. Raises HostFault."""
        self._wire = wire = Processes((command,), sandbox)
        self._early: list[Arrival] = []
        self.send = wire.send
        self.exceeded_limit = wire.exceeded_limit
        self.doing = wire.doing
        self.describe_exit = wire.describe_exit
        self.describe_end = wire.describe_end
        self.close = wire.close

    async def receive(self, deadline: float) -> Sequence[Arrival]:
        """Wait until something has come and return it; return nothing at
        ``deadline``.
        """
        if not self._early:
            return await self._wire.receive(deadline)
        early, self._early = self._early, []
        return [*early, *self._wire.look()]

    async def end_input(self, deadline: float) -> bool:
        """End the bot's input once it has taken all that was sent. Return True if it
        did in time.
        """
        while not self._wire.end_input(0):
            if trio.current_time() > deadline:
                return False
            self._early += self._wire.look()  # by which more is written, too
            await trio.sleep(MOMENT)
        return True

    def processes(self) -> list[int]:
        """Return the bot's own living processes, without the processes that wrap
        them.
        """
        return self._wire.processes(0)

    def program(self) -> int | None:
        """Return the process that the bot's program was started as, inside its
        wrapping. None if there is none.
        """
        return self._wire.program(0)

    def account(self) -> CpuSample:
        """Return the processor use of the bot's processes so far, as the arbiter counts
        it.
        """
        return sample_of(self._wire.uses())

    def peak(self) -> int:
        """Return the sum of the peaks of memory of the living processes in bytes, pages
        of files included.
        """
        total = 0
        for pid in self.processes():
            with suppress(OSError):  # it ended meanwhile
                match = _PEAK.search(Path(f"/proc/{pid}/status").read_text(errors="replace"))
                total += int(match[1]) * 1024 if match else 0
        return total


def words_of(pid: int) -> str:
    """Return a process's command line, "" if it has ended."""
    with suppress(OSError):
        descriptor = os.open(f"/proc/{pid}/cmdline", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return printable(os.read(descriptor, 400).rstrip(b"\0").replace(b"\0", b" "))
        finally:
            os.close(descriptor)
    return ""
