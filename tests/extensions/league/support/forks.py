"""Helper processes of a command as forks of a process that has imported already what
they would import.
"""

import functools
import multiprocessing
import os
import runpy
import signal
import sys
import warnings
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import IO, Any

THREADS = "OPENBLAS_NUM_THREADS"
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(
    [
        "khiva_arena.interface.commands.report",
        "khiva_arena.extensions.league.player.newest_table",
        "khiva_arena.extensions.league.commands.league_serve",
    ]
)


class Fork:
    """A module of Python that is run as ``python -m`` would: as much of ``Popen`` as
    those ask for who start a helper.

    pid: the number of the process.
    returncode: its exit code, None as long as it runs; of a signal, the negative
        number.
    stderr: its errors.
    """

    def __init__(self, words: Sequence[str], *, is_text: bool = False) -> None:
        self.returncode: int | None = None
        ours, theirs = _SERVER.Pipe(duplex=False)
        with ours, theirs:
            self.stderr: IO[Any] = os.fdopen(os.dup(ours.fileno()), "r" if is_text else "rb")
            self._process = _SERVER.Process(target=_run, args=(list(words), theirs), daemon=True)
            self._process.start()
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """Return the exit code, None as long as it runs."""
        return self._ended(0)

    def wait(self) -> int | None:
        """Wait for its end, and return the exit code."""
        return self._ended(None)

    def _ended(self, seconds: float | None) -> int | None:
        if self.returncode is None:
            self._process.join(seconds)
            self.returncode = self._process.exitcode
            if self.returncode is not None:
                self._process.close()
        return self.returncode

    def kill(self) -> None:
        """Kill it."""
        if self.poll() is None:
            self._process.kill()

    def communicate(self) -> None:
        """Wait for its end, and close what is open for it."""
        self.wait()
        self.stderr.close()


@functools.cache
def serve() -> None:
    """Start the process that forks, which would else be started in the middle of a
    command.
    """
    before = os.environ.get(THREADS)
    os.environ[THREADS] = "1"  # as helpers have it
    try:
        Fork(["this"]).communicate()
    finally:
        del os.environ[THREADS]
        os.environ.update({THREADS: before} if before else {})


def _run(words: list[str], errors: Connection) -> None:
    """Run a module in place of all that this process would do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, descriptor in enumerate((nothing, nothing, errors.fileno())):
        os.dup2(descriptor, number)
    os.close(nothing)
    errors.close()
    sys.argv = words
    warnings.simplefilter("ignore", RuntimeWarning)  # that the module has been imported before
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)
