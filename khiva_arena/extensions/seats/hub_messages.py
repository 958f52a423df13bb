"""The messages between the hub and the command that started it: a JSON object a line,
on stdin and stdout.
"""

import os
from typing import Any

import msgspec
import trio


class Orders:
    """The orders of the command, from stdin."""

    def __init__(self) -> None:
        self._stream = trio.lowlevel.FdStream(os.dup(0))
        self._buffer = bytearray()

    async def next(self) -> dict[str, Any] | None:
        """Return the next order; None at the end."""
        while b"\n" not in self._buffer:
            data = await self._stream.receive_some(1 << 20)
            if not data:
                return None
            self._buffer += data
        line, _, rest = self._buffer.partition(b"\n")
        self._buffer = rest
        return dict(msgspec.json.decode(line))


def tell(message: dict[str, Any]) -> None:
    """Write a message to the command: a line, which the command always takes at
    once.
    """
    os.write(1, msgspec.json.encode(message) + b"\n")
