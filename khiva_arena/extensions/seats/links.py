"""The hub's side of links: each comes to a unix socket of this user alone, with a
player's name.
"""

from collections.abc import Awaitable, Callable
from functools import partial

import trio

from khiva_arena.extensions.seats.contained import contained
from khiva_arena.extensions.seats.link_protocol import FAILED, LONGEST_NAME, record

CHUNK = 65_536
FAILED_SECONDS = 5.0
"""The most time in which a link has to take the word that the hub has failed."""
Seated = Callable[["Link"], Awaitable[None]]


class Link:
    """The hub's side of one link: the pipes of a seat in one match, or at its trial
    start.
    """

    def __init__(self, stream: trio.SocketStream, first: bytes) -> None:
        self._stream = stream
        self._first = first
        self._sending = trio.Lock()
        self._unsent = bytearray()

    async def receive(self) -> bytes:
        """Return bytes that the arbiter has sent; b"" at the end of input, or if the
        arbiter has ended the seat.
        """
        data, self._first = self._first, b""
        if data:
            return data
        try:
            return bytes(await self._stream.receive_some(CHUNK))
        except trio.BrokenResourceError:
            return b""

    async def send(self, data: bytes) -> bool:
        """Send records of link_protocol.py. Returns whether the seat still takes them.

        The rest of a record whose sending was cancelled goes before the next one.
        """
        try:
            async with self._sending:
                self._unsent += data
                while self._unsent:
                    del self._unsent[: await self._stream.socket.send(self._unsent)]
        except (OSError, trio.ClosedResourceError):
            return False
        return True

    async def fail(self) -> None:
        """Say that the hub itself has failed at this seat, which is no player's fault:
        the match is void.
        """
        with trio.move_on_after(FAILED_SECONDS):
            await self.send(record(FAILED, b""))


async def listen(
    path: str, players: dict[str, Seated], *, task_status: trio.TaskStatus[None]
) -> None:
    """Seat each link that comes to the socket, until cancelled. ``players``: by
    name.
    """
    listener = trio.socket.socket(trio.socket.AF_UNIX)
    await listener.bind(path)
    listener.listen()

    async def welcome(stream: trio.SocketStream) -> None:
        async with stream:
            buffer = b""
            while b"\n" not in buffer and len(buffer) <= LONGEST_NAME:
                data = await stream.receive_some(CHUNK)
                if not data:
                    return
                buffer += data
            name, _, rest = buffer.partition(b"\n")
            if seated := players.get(name.decode(errors="replace")):
                link = Link(stream, rest)
                try:
                    await seated(link)
                except Exception:
                    await link.fail()
                    raise

    task_status.started()
    await trio.serve_listeners(partial(contained, welcome), [trio.SocketListener(listener)])
