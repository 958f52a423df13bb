"""The command's side of the hub (hub.py): its start, its orders and its end."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from types import TracebackType
from typing import Any, Self

import msgspec

from khiva_arena.entrants.guests import HUB
from khiva_arena.errors import ArenaError
from khiva_arena.sandbox.reap import MARK, end_helper
from khiva_arena.sandbox.stops import block

END_SECONDS = 5.0


class Hub:
    """A hub that runs from its making to ``close``. Meanwhile the words of guests can be staged in this process.

    Raises ArenaError if it cannot be started.
    """

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="khiva-arena-hub-")  # of mode 700: nobody else can sit down
        self.socket = os.path.join(self._folder, "hub")
        words = [sys.executable, "-P", "-m", "khiva_arena.seats.hub"]
        # Its mark differs from that of strays that bots leave behind, and a later run ends it if we are dead. Ctrl-C is for us.
        environment = os.environ | {MARK: f"{os.getpid()}-hub"}
        pipe = subprocess.PIPE
        try:
            with block((signal.SIGINT,)):
                self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, start_new_session=True, env=environment)
        except OSError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise ArenaError(f"the process that receives players cannot be started: {error}") from None
        os.environ[HUB] = self.socket

    def say(self, order: dict[str, Any]) -> None:
        """Give the hub an order. Raises ArenaError if it has ended."""
        assert self._process.stdin
        try:
            self._process.stdin.write(msgspec.json.encode(order) + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise ArenaError(self._ending()) from None

    def hear(self) -> dict[str, Any]:
        """Wait for the hub's next message. Raises ArenaError if it has ended."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise ArenaError(self._ending())
        return dict(msgspec.json.decode(line))

    def _ending(self) -> str:
        return f"the process that receives players has ended, with status {self._process.wait()}; nobody can take a seat"

    def close(self) -> None:
        """End the hub. Idempotent."""
        os.environ.pop(HUB, None)
        end_helper(self._process, END_SECONDS)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
