"""A seat that a relay plays, in one match: bytes between its link and the relay's
frames, within windows.
"""

import struct
from typing import Protocol

import trio

from khiva_arena.extensions.seats import link, link_protocol
from khiva_arena.extensions.seats.links import Link
from khiva_arena.extensions.seats.relay_protocol import GRANT, MOST, WINDOW, LinkBreach, number

LOOK_SECONDS = 0.05
FRAMES_MOST = 4_096
"""The frames of a session that may still be on their way when it is over, beside its
bytes.
"""
DEADLY = (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 13, 14, 15, 24, 25, 31)
"""The signals by which a program can be said to have ended; any other would do
something else to the link, so 9 stands for it.
"""
_KINDS = {b"1": link_protocol.OUT, b"2": link_protocol.ERR}


class Put(Protocol):
    """A function that sends a counted frame of the session."""

    def __call__(self, kind: bytes, data: bytes = b"") -> None: ...


class RemoteSeat:
    """A seat that a relay plays, in one match.

    number: in its relay's life, from 1.
    over: set when nothing more is to be passed.
    exited: whether the relay has said how the program ended, or that it has itself
        failed.
    """

    def __init__(self, link: Link, put: Put) -> None:
        self.number = 0
        self.over = trio.Event()
        self.exited = False
        self._error: Exception | None = None
        self._link = link
        self._put = put
        self._may_send = WINDOW
        self._may_come = WINDOW
        self._closed: set[bytes] = set()
        self._more = trio.Event()
        self._buffer = bytearray()
        self._came = 0
        self._something = trio.Event()

    async def play(self) -> None:
        """Pass bytes until the program or the seat has ended, or the link is lost.
        Raises the error of ``fail``.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._to_relay)
            nursery.start_soon(self._to_link)
            await self.over.wait()
            nursery.cancel_scope.cancel()
        if self._error:
            raise self._error

    def fail(self, error: Exception) -> None:
        """End the session by an error of the hub itself."""
        self._error = error
        self.over.set()

    def may_still_come(self) -> int:
        """Return how many bytes and frames together may still come of this session."""
        return 0 if self.exited else self._may_come + FRAMES_MOST

    def take(self, kind: bytes, data: bytes) -> None:
        """Take a frame of the relay. Raises LinkBreach."""
        if self.exited:
            raise LinkBreach("bytes behind the end of a session")
        if kind == b"c":
            self._granted(number(data, ">I"))
        elif kind == b"x":
            # Without a status the relay itself has failed: the link is lost.
            self._for_the_link(link_protocol.exited(_status(data)) if data else b"")
            self.exited = True
        elif kind == b"i" or not data:
            if kind in self._closed or kind == b"2":
                raise LinkBreach("an end twice")
            self._closed.add(kind)
            self._for_the_link(
                link_protocol.record(link_protocol.DEAF if kind == b"i" else link_protocol.OUT, b"")
            )
        else:
            self._may_come -= len(data)
            if self._may_come < 0:
                raise LinkBreach("more than it may")
            self._came += len(data)
            self._for_the_link(link_protocol.record(_KINDS[kind], data))

    def _for_the_link(self, record: bytes) -> None:
        self._buffer += record
        self._something.set()

    def _granted(self, count: int) -> None:
        self._may_send += count
        # Without this bound a relay could have the hub hold any amount of bytes.
        if not 0 < count <= WINDOW or self._may_send > WINDOW:
            raise LinkBreach("an impossible window")
        self._more.set()

    async def _to_relay(self) -> None:
        while data := await self._link.receive():
            while data:
                while not self._may_send:
                    self._more = trio.Event()
                    await self._more.wait()
                part, data = data[: min(MOST, self._may_send)], data[min(MOST, self._may_send) :]
                self._may_send -= len(part)
                self._put(b"d", part)
        if await self._sits():
            self._put(b"n")
        while await self._sits():  # noqa: ASYNC110 - no event says that a process has ended
            await trio.sleep(LOOK_SECONDS)
        self.over.set()

    async def _sits(self) -> bool:
        """Tell whether the link is there; it may have ended its own side alone."""
        return await self._link.send(link_protocol.record(link_protocol.ERR, b""))

    async def _to_link(self) -> None:
        taken = 0
        while not self.over.is_set():
            await self._something.wait()
            self._something = trio.Event()
            (records, self._buffer), (came, self._came), last = (
                (self._buffer, bytearray()),
                (self._came, 0),
                self.exited,
            )
            if not await self._link.send(bytes(records)) or last:
                self.over.set()
            taken += came
            # A grant for each record would double the frames on the way.
            if taken >= GRANT:
                self._may_come += taken
                self._put(b"c", struct.pack(">I", taken))
                taken = 0


def _status(data: bytes) -> int:
    """Return the exit status as a program of this machine could have ended. Raises
    LinkBreach.

    255 stands for a larger status, and for LOST and GONE, which the link has for
    itself.
    """
    try:
        status = int(data.decode("ascii")) if len(data) <= 11 else None
    except ValueError:
        status = None
    if status is None:
        raise LinkBreach("no exit status")
    if status < 0:
        return status if -status in DEADLY else -9
    return 255 if status > 255 or status in (link.LOST, link.GONE) else status
