"""The command's side of the hub (hub.py): its start, its orders and its end."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from khiva_arena.bots.sandbox.reap import end_helper, start_helper
from khiva_arena.entrants.guests import HUB, LINK
from khiva_arena.errors import ArenaError

END_SECONDS = 5.0
CHECK_SECONDS = 0.5
"""The most time from the moment in which the links of a hub are closed to its end."""
LINK_PROGRAM = str(Path(__file__).with_name("link.py"))


class Hub:
    """A hub that runs from its making to ``close``. Meanwhile the words of guests can
    be staged in this process.

    handed: descriptors that are its own from then on, under their numbers here. This
        process closes them.

    Raises ArenaError if it cannot be started.
    """

    def __init__(self, handed: Sequence[int] = ()) -> None:
        self._folder = tempfile.mkdtemp(
            prefix="khiva-arena-hub-"
        )  # of mode 700: nobody else can sit down
        self.socket = os.path.join(self._folder, "hub")
        pipe = subprocess.PIPE
        try:
            self._process = start_helper(
                "hub", [f"{__package__}.hub"], stdin=pipe, stdout=pipe, pass_fds=tuple(handed)
            )
        except OSError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise ArenaError(
                f"the process that receives players cannot be started: {error}"
            ) from None
        finally:
            for descriptor in handed:
                os.close(descriptor)
        os.environ |= {HUB: self.socket, LINK: LINK_PROGRAM}

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

    def check(self) -> None:
        """Raise ArenaError if the hub has ended, or is ending."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(CHECK_SECONDS)
            raise ArenaError(self._ending())

    def _ending(self) -> str:
        return (
            f"the process that receives players has ended, with status {self._process.wait()}; "
            "nobody can take a seat"
        )

    def close(self) -> None:
        """End the hub. Idempotent."""
        for variable in (HUB, LINK):
            os.environ.pop(variable, None)
        end_helper(self._process, END_SECONDS)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
