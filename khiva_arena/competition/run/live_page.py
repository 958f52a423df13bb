"""A page of results that a run keeps up to date: on each complete seed another process
writes it anew.

That process yields to the bots: it has the lowest priority, at most one works at a
time, and after each there is a pause. So all together take no more than a tenth of a
core. A page that cannot be written ends with one warning, and no run.
"""

import os
import shlex
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from khiva_arena.bots.sandbox.reap import start_helper
from khiva_arena.common.say import Say

NICENESS = 19
PAUSE = 9
"""The pause before the next page, as a multiple of the time that the last page took."""


class LivePage:
    """The page of one run, or none. Leaving the block ends the process that works it
    out, if there is one.

    folder: the store.
    path: of the page; None if none was asked for.
    say: takes a line for people.
    is_requested: whether the user asked for the file, so that it is named to them; else
        it is served, and goes with the run.
    settings: the name of the file with the run's settings; "" for flags alone.
    """

    def __init__(
        self,
        folder: Path,
        path: Path | None,
        say: Say,
        *,
        is_requested: bool = True,
        settings: str = "",
    ) -> None:
        self._folder, self._path, self._say, self._requested, self._settings = (
            folder,
            path,
            say,
            is_requested,
            settings,
        )
        self._process = Background()
        self._old = False
        self._start_time = self._pause_until = time.monotonic()

    def __enter__(self) -> "LivePage":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()

    def recorded(self, events: Sequence[str], *, whole_seed: bool) -> None:
        """Note that a match was recorded. Never waits. ``events``: the ids of the
        events that the page shows.
        """
        if self._path is None:
            return
        self._old |= whole_seed
        self._check()
        if self._old and not self._process.is_there and time.monotonic() >= self._pause_until:
            self._old = False
            self._start(events)

    def finish(self, events: Sequence[str]) -> None:
        """Write the final page, and wait for it."""
        if self._path is None:
            return
        self._process.kill()
        self._start(events)
        self._process.wait()
        self._check()
        if self._path is not None and self._requested:
            self._say(f"page of results: {self._path}; open it in a browser")

    def _start(self, events: Sequence[str]) -> None:
        words = [
            "khiva_arena",
            "report",
            "--out",
            str(self._path),
            f"--settings-file={self._settings}",
        ]
        words += ["--", str(self._folder), *events]
        try:
            self._process.start("report", words)
        except OSError as error:
            self._give_up(str(error))
            return
        self._start_time = time.monotonic()

    def _check(self) -> None:
        """Note how the process has ended, if it has."""
        failure = self._process.failure()
        if failure is None:
            return
        now = time.monotonic()
        self._pause_until = now + PAUSE * (now - self._start_time)
        if failure:
            self._give_up(failure)

    def _give_up(self, reason: str) -> None:
        again = shlex.join(
            [
                "khiva-arena",
                "report",
                str(self._folder),
                *(["--out", str(self._path)] if self._requested else []),
            ]
        )
        self._path = None
        self._say(f"the page of results ends early: {reason}; later: {again}", warning=True)


class Background:
    """A process that makes a file while matches are played, or none yet. It has the
    lowest priority, so it yields to bots.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_there(self) -> bool:
        """True from the start of a process until its end was taken."""
        return self._process is not None

    def start(self, name: str, words: Sequence[str]) -> None:
        """Start a process, as ``start_helper`` does. Raises OSError."""
        null = subprocess.DEVNULL
        self._process = start_helper(name, words, stdin=null, stdout=null, stderr=subprocess.PIPE)
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, self._process.pid, NICENESS)

    def failure(self) -> str | None:
        """Take the end of a process: return why it failed, "" if it did not, None while
        it works. Never waits.
        """
        if self._process is None or self._process.poll() is None:
            return None
        process, self._process = self._process, None
        assert process.stderr is not None
        with process.stderr:
            stderr = process.stderr.read().decode(errors="replace").strip()
        last_line = stderr.rpartition("\n")[2].removeprefix("khiva-arena: error: ")
        return (last_line or f"exit code {process.returncode}") if process.returncode else ""

    def wait(self) -> None:
        """Wait for the end of the process."""
        if self._process is not None:
            self._process.wait()

    def kill(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
