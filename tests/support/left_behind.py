"""Processes that tests have started and not ended: bots whose arbiter is gone, and what
else was started for a run of the tests.

The run's own processes have a variable of it in their environment. Bots get an
environment of their own, in which their arbiter's mark is: an arbiter that starts would
end them likewise.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from waiting import until

from khiva_arena.bots.sandbox import reap, system

RUN = "KHIVA_TESTS_RUN"
SECONDS = 30.0
"""How long a process may take to end by itself after the last test."""


_is_nested = False


def begin() -> None:
    """Give a run of the tests the variable by which its processes are known, before its
    workers start.
    """
    global _is_nested
    _is_nested = RUN in os.environ  # a test has started it: bots of other tests are not its own
    os.environ[RUN] = f"{os.getpid()}-{time.time_ns()}"


def now() -> float:
    """Return the time since the system was started, by which starts of processes are
    counted.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME) if system.PROC else 0.0


def end_processes_since(began: float, seconds: float | None = None) -> list[str]:
    """Kill each process that this run has started since then and that does not end by
    itself, and return their commands.
    """
    if not system.PROC:
        return []
    until(lambda: not left(began), SECONDS if seconds is None else seconds)
    found = left(began)
    for pid in found:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return list(found.values())


def left(began: float) -> dict[int, str]:
    """Return the command of each process of this run, but of its ancestors and itself,
    and of zombies.
    """
    found: dict[int, str] = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile, or is another user's
            _, _, rest = (path / "stat").read_text(errors="replace").rpartition(")")
            state, *fields = rest.split()
            started = int(fields[18]) / os.sysconf("SC_CLK_TCK")
            if state in "ZX" or int(path.name) == os.getpid() or started < began - 1:
                continue
            if _is_of_this_run(path):
                found[int(path.name)] = (
                    (path / "cmdline")
                    .read_bytes()
                    .replace(b"\0", b" ")
                    .decode(errors="replace")[:200]
                )
    return found


def _is_of_this_run(process: Path) -> bool:
    """Tell whether a process has the variable of this run, or is a bot whose arbiter is
    gone. Raises OSError.
    """
    if f"\0{RUN}={os.environ.get(RUN)}\0".encode() in b"\0" + (process / "environ").read_bytes():
        return True
    arbiters = [] if _is_nested else reap._arbiters_of(process.name)
    return bool(arbiters) and not any(system.lives(str(arbiter)) for arbiter in arbiters)
