"""A bot at the end of the arbiter's own pipes, and what the check wants to see of it beyond what a match does."""

import os
import re
from contextlib import suppress
from pathlib import Path

import trio

from khiva_arena.arbiter import usage
from khiva_arena.arbiter.hog import Look
from khiva_arena.arbiter.isolation import WRAPPED
from khiva_arena.arbiter.notes import printable
from khiva_arena.arbiter.process import PROCESSES_SEEN, Processes

MOMENT = 0.005
_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


class Line(Processes):
    """One bot. Its only seat is 0."""

    async def end_input(self, deadline: float) -> bool:
        """End the bot's input once it has taken all that was sent. Returns whether it did in time."""
        while not self._input_ended(self._bots[0]):
            if trio.current_time() > deadline:
                return False
            came = self._poll(0.0)  # it hands over what is unsaid, too
            self._unsaid = list(came)
            await trio.sleep(MOMENT)
        return True

    def processes(self) -> list[int]:
        """The bot's own processes that live, what wraps them left out."""
        started = self.pid(0)
        if started is None:
            return []
        wrapping = {started, *usage.children(started)[:1]} if self._sandbox.level in WRAPPED else set[int]()
        return [pid for pid in usage.tree(started, PROCESSES_SEEN) if pid not in wrapping]

    def program(self) -> int | None:
        """The process that the bot's program was started as, inside of what wraps it. None if there is none."""
        return self.own(0)

    def account(self) -> Look:
        """What its processes have had of the processor so far, as the arbiter counts it."""
        return Look(trio.current_time(), self.run_delays(), self.cpu())

    def peak(self) -> int:
        """Bytes of memory that the processes alive now had at most, each for itself, what they share with files included."""
        total = 0
        for pid in self.processes():
            with suppress(OSError):  # it ended while we looked
                found = _PEAK.search(Path(f"/proc/{pid}/status").read_text(errors="replace"))
                total += int(found[1]) * 1024 if found else 0
        return total


def words_of(pid: int) -> str:
    """A process's command line, "" where it has ended."""
    with suppress(OSError):
        descriptor = os.open(f"/proc/{pid}/cmdline", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return printable(os.read(descriptor, 400).rstrip(b"\0").replace(b"\0", b" "))
        finally:
            os.close(descriptor)
    return ""
