"""The live screen as a process of its own, which takes nothing from the arbiter: both
sides of it.

The arbiter starts it, ends it, and never waits for it while matches are played. The
process is ``python -m`` with the descriptor of the stream, the bytes of it that were
shown already, and the arbiter's process id. It draws on stderr until its stdin ends.
"""

import os
import select
import subprocess
import sys
from contextlib import suppress

from khiva_arena.bots.sandbox.proc_usage import children
from khiva_arena.bots.sandbox.reap import end_helper, start_helper

END_SECONDS = 1.0
"""The time that a screen may take to end."""
NICENESS = 10
FIRST_SECONDS = 0.5
"""The time before the first frame: a run that is over by then needs no screen; nothing
large is imported until then.
"""


class ScreenProcess:
    """The arbiter's side: one screen at a time, or none."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, descriptor: int, bytes_shown: int) -> None:
        """Draw the stream of a descriptor, which is closed here; if that is not
        possible, there is no screen.

        bytes_shown: bytes that it reads first and that the user has been shown already
        """
        words = [__name__, str(descriptor), str(bytes_shown), str(os.getpid())]
        pipe, null = (
            subprocess.PIPE,
            subprocess.DEVNULL,
        )  # the end of its stdin shows the screen that we are done, or dead
        try:
            self._process = start_helper(
                "screen", words, stdin=pipe, stdout=null, pass_fds=[descriptor], bufsize=0
            )
        except OSError:
            self._process = None
        finally:
            os.close(descriptor)

    def lives(self) -> bool:
        """Tell whether the screen is running, so that the user sees the run there."""
        return self._process is not None and self._process.poll() is None

    def end(self, *, at_once: bool = False) -> None:
        """Let the screen take itself off the terminal. One that takes too long is
        killed, or any if ``at_once``. Idempotent.
        """
        process, self._process = self._process, None
        if process is not None:
            end_helper(process, 0.0 if at_once else END_SECONDS)


def cpu_seconds_of(arbiter: int) -> float:
    """Return CPU seconds of the run: of the arbiter, its workers, and the bots that
    have ended.
    """
    ticks = 0
    for pid in [arbiter, *(child for child in children(arbiter) if child != os.getpid())]:
        with suppress(OSError, ValueError):  # it has ended, and the arbiter has its count by now
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _has_arbiter_ended(seconds: float) -> bool:
    """Tell whether the arbiter has ended: it holds the other end of our stdin and never
    writes to it.
    """
    return bool(select.select([0], [], [], seconds)[0])


def main() -> int:
    """Draw the screen. Returns 1 if the terminal or the stream has gone."""
    descriptor, bytes_shown, arbiter = map(int, sys.argv[1:4])
    os.nice(NICENESS)  # bots come first
    if _has_arbiter_ended(FIRST_SECONDS):
        return 0
    from khiva_arena.common.stream import NotAStream
    from khiva_arena.display.terminal.tty import in_front
    from khiva_arena.display.terminal.viewer import Source, Viewer, follow

    stream = sys.stderr
    viewer = Viewer(Source(descriptor, bytes_shown), lambda: cpu_seconds_of(arbiter))
    try:
        follow(
            viewer,
            stream,
            _has_arbiter_ended,
            gone=lambda: _has_arbiter_ended(0),
            front=lambda: in_front(arbiter, stream),
        )
    except (OSError, NotAStream):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
