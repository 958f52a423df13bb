"""What the hub and the command that started it say to each other: a JSON object a line, on stdin and stdout."""

import os
from typing import Any

import msgspec
import trio


class Orders:
    """What the command says on stdin."""

    def __init__(self) -> None:
        self._stream = trio.lowlevel.FdStream(os.dup(0))
        self._held = bytearray()

    async def next(self) -> dict[str, Any] | None:
        """The next one; None at the end."""
        while b"\n" not in self._held:
            data = await self._stream.receive_some(1 << 20)
            if not data:
                return None
            self._held += data
        line, _, rest = self._held.partition(b"\n")
        self._held = rest
        return dict(msgspec.json.decode(line))


def tell(message: dict[str, Any]) -> None:
    """Say something to the command: a line, which it always takes at once."""
    os.write(1, msgspec.json.encode(message) + b"\n")
