"""The arbiter's side of the live screen: started, looked after and ended, and never waited for while matches are played."""

import os
import subprocess
import sys
from contextlib import suppress

from khiva_arena.arbiter.reap import MARK
from khiva_arena.cli.watching.events_file import EventsFile

END_SECONDS = 1.0
"""How long a screen may take to end."""


class ScreenProcess:
    """One at a time, or none."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, file: EventsFile, begin_at: int) -> None:
        """Draw what the file holds from there on; what it holds by now was told already. Where that cannot be, there is none."""
        try:
            descriptor = file.reading(begin_at)
        except OSError:
            return
        words = [str(descriptor), str(file.size - begin_at), str(os.getpid())]
        # The mark tells it from what bots leave behind: nobody here takes it for a stray, and a later run ends it if we are dead.
        environment = os.environ | {MARK: f"{os.getpid()}-screen", "OPENBLAS_NUM_THREADS": "1"}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "khiva_arena.cli.watching.screen", *words],
                stdin=subprocess.PIPE,  # its end tells the screen that we are done, or dead
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the arbiter
                pass_fds=[descriptor],
                env=environment,
                bufsize=0,
            )
        except OSError:
            self._process = None
        finally:
            os.close(descriptor)

    def lives(self) -> bool:
        """Whether what is said can be seen on it."""
        return self._process is not None and self._process.poll() is None

    def end(self, *, at_once: bool = False) -> None:
        """Let it take itself off the terminal; one that takes too long is killed, as it is ``at_once``. Idempotent."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin
        process.stdin.close()
        try:
            if not at_once:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(END_SECONDS)
        finally:  # of an impatient interrupt, too
            if process.poll() is None:
                process.kill()
                process.wait()
