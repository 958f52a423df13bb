"""The command's side of the hub (hub.py): start it, tell it things, end it."""

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import msgspec

from khiva_arena.entrants.guests import HUB
from khiva_arena.errors import ArenaError
from khiva_arena.sandbox.reap import MARK

END_SECONDS = 5.0


class Hub:
    """A hub that runs from its making to ``close``. While it does, the words of guests can be staged in this process.

    Raises ArenaError if it cannot be started.
    """

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="khiva-arena-hub-")  # of mode 700: nobody else can sit down
        self.socket = os.path.join(self._folder, "hub")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "khiva_arena.web.hub"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the command
            env=os.environ | {MARK: f"{os.getpid()}-hub"},
        )
        os.environ[HUB] = self.socket

    def say(self, order: dict[str, Any]) -> None:
        """Tell it something. Raises ArenaError if it has ended."""
        assert self._process.stdin
        try:
            self._process.stdin.write(msgspec.json.encode(order) + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise ArenaError(self._ended()) from None

    def hear(self) -> dict[str, Any]:
        """Wait for the next thing that it says. Raises ArenaError if it has ended."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise ArenaError(self._ended())
        return dict(msgspec.json.decode(line))

    def _ended(self) -> str:
        return f"the process at which players arrive has ended, with status {self._process.wait()}; nobody can take a seat"

    def close(self) -> None:
        """End it. Idempotent."""
        os.environ.pop(HUB, None)
        if self._process.stdin and not self._process.stdin.closed:
            with suppress(OSError):  # it has ended, and something for it was still held here
                self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
