"""A page of results that a run keeps up to date: on each complete seed another process writes it anew.

That process yields to the bots: it has the lowest priority, at most one works at a time, and after each there is a pause. So all
together take no more than a tenth of a core. A page that cannot be written ends with one warning, and no run.
"""

import os
import shlex
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from khiva_arena.sandbox.reap import start_helper
from khiva_arena.say import Say

NICENESS = 19
PAUSE = 9
"""The pause before the next page, as a multiple of the time that the last page took."""


class LivePage:
    """The page of one run, or none. Leaving the block ends the process that works it out, if there is one.

    folder: the store.
    path: of the page; None if none was asked for.
    say: takes a line for people.
    is_requested: whether the user asked for the file, so that it is named to them; else it is served, and goes with the run.
    """

    def __init__(self, folder: Path, path: Path | None, say: Say, *, is_requested: bool = True) -> None:
        self._folder, self._path, self._say, self._requested = folder, path, say, is_requested
        self._process: subprocess.Popen[bytes] | None = None
        self._old = False
        self._start_time = self._pause_until = time.monotonic()

    def __enter__(self) -> "LivePage":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def recorded(self, events: Sequence[str], *, whole_seed: bool) -> None:
        """Note that a match was recorded. Never waits. ``events``: the ids of the events that the page shows."""
        if self._path is None:
            return
        self._old |= whole_seed
        if self._process is not None and self._process.poll() is not None:
            self._check()
        if self._old and self._process is None and time.monotonic() >= self._pause_until:
            self._old = False
            self._start(events)

    def finish(self, events: Sequence[str]) -> None:
        """Write the final page, and wait for it."""
        if self._path is None:
            return
        self._end()
        self._start(events)
        if self._process is not None:
            self._process.wait()
            self._check()
        if self._path is not None and self._requested:
            self._say(f"page of results: {self._path}; open it in a browser")

    def _start(self, events: Sequence[str]) -> None:
        words = ["khiva_arena", "report", "--out", str(self._path), "--", str(self._folder), *events]
        null = subprocess.DEVNULL
        try:
            self._process = start_helper("report", words, stdin=null, stdout=null, stderr=subprocess.PIPE)
        except OSError as error:
            self._give_up(str(error))
            return
        self._start_time = time.monotonic()
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, self._process.pid, NICENESS)

    def _check(self) -> None:
        """Note how the process has ended."""
        process, self._process = self._process, None
        assert process is not None
        assert process.stderr is not None
        with process.stderr:
            stderr = process.stderr.read().decode(errors="replace").strip()
        now = time.monotonic()
        self._pause_until = now + PAUSE * (now - self._start_time)
        if process.returncode:
            self._give_up(stderr.rpartition("\n")[2].removeprefix("khiva-arena: error: ") or f"exit code {process.returncode}")

    def _give_up(self, reason: str) -> None:
        again = shlex.join(["khiva-arena", "report", str(self._folder), *(["--out", str(self._path)] if self._requested else [])])
        self._path = None
        self._say(f"the page of results ends early: {reason}; later: {again}", warning=True)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
