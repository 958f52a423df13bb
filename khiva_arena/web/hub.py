"""The hub: a process of its own at which players arrive who are no programs of this machine, ``python -m khiva_arena.web.hub``.

The command that needs it starts it (hub_process.py) and says on its stdin what there is to be done, a JSON object a line; the
hub answers on stdout likewise, and ends at the end of its stdin, so that it never outlives the command. At the table a link
(link.py) stands for each player; it comes to a unix socket here, which only this user can reach, and says for whom it stands.
"""

import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import trio

from khiva_arena.web.link_protocol import LONGEST_NAME

CHUNK = 65_536
Seated = Callable[["Link"], Awaitable[None]]


class Link:
    """The hub's side of one link: the pipes of a seat in one match, or at its trial start."""

    def __init__(self, stream: trio.SocketStream, first: bytes) -> None:
        self._stream = stream
        self._first = first
        self._sending = trio.Lock()

    async def receive(self) -> bytes:
        """What the arbiter has sent; b"" at the end of input, or if the arbiter has ended the seat."""
        data, self._first = self._first, b""
        if data:
            return data
        try:
            return bytes(await self._stream.receive_some(CHUNK))
        except trio.BrokenResourceError:
            return b""

    async def send(self, data: bytes) -> bool:
        """Records of link_protocol.py. Returns whether the seat still takes them."""
        try:
            async with self._sending:
                await self._stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return False
        return True


async def listen(path: str, players: dict[str, Seated], *, task_status: trio.TaskStatus[None]) -> None:
    """Seat whoever comes to the socket, until cancelled. ``players``: by name."""
    listener = trio.socket.socket(trio.socket.AF_UNIX)
    await listener.bind(path)
    listener.listen()

    async def one(stream: trio.SocketStream) -> None:
        async with stream:
            held = b""
            while b"\n" not in held and len(held) <= LONGEST_NAME:
                data = await stream.receive_some(CHUNK)
                if not data:
                    return
                held += data
            name, _, rest = held.partition(b"\n")
            if seated := players.get(name.decode(errors="replace")):
                await seated(Link(stream, rest))

    task_status.started()
    await trio.serve_listeners(one, [trio.SocketListener(listener)])


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


async def _main() -> None:
    orders = Orders()
    first = await orders.next()
    if first is None:
        return
    async with trio.open_nursery() as nursery:
        if "relays" in first:
            await _with_relays(first, orders, nursery)
        else:
            await _with_persons(first, orders, nursery)
        nursery.cancel_scope.cancel()


async def _with_persons(first: dict[str, Any], orders: Orders, nursery: trio.Nursery) -> None:
    from khiva_arena.web.persons import Persons  # not above: Starlette comes with it

    persons = Persons(first)
    await nursery.start(listen, first["socket"], persons.seats())
    tell({"addresses": await nursery.start(persons.serve)})
    while (order := await orders.next()) is not None:
        await persons.order(order)


async def _with_relays(first: dict[str, Any], orders: Orders, nursery: trio.Nursery) -> None:
    from khiva_arena.web.relays import Relays

    relays = Relays(first)
    await nursery.start(listen, first["socket"], relays.seats())
    try:
        tell({"port": await nursery.start(relays.serve)})
    except OSError as error:
        tell({"cannot": error.strerror or str(error)})
        return
    while (order := await orders.next()) is not None:
        await relays.order(order)
    await relays.bye(over=False)


def main() -> int:
    """Serve until the command ends."""
    trio.run(_main)
    return 0


if __name__ == "__main__":
    sys.exit(main())
