"""A life of a relay, which is one relay process as the hub knows it, and its
connection.

A life may lose its connection and come back; its sessions last as long as the life
does.
"""

import secrets
import time
from collections.abc import Callable
from functools import partial

import trio

from khiva_arena.extensions.seats.links import Link
from khiva_arena.extensions.seats.relay_protocol import (
    COUNTED_OF_RELAY,
    DEAD_SECONDS,
    Channel,
    Frames,
    LinkBreach,
    number,
    packed,
    packed_json,
)
from khiva_arena.extensions.seats.remote_seat import RemoteSeat

CHUNK = 65_536
PING_SECONDS = 1.0
# The first pings come quickly: so the round trip is known soon after a relay has come.
PING_FIRST = (5, 0.05)


class Life:
    """A relay process, as the hub knows it.

    word: its own name for itself, drawn by each process.
    keeps: whether one process of its bot plays many matches.
    connection: its present connection, if any.
    arriving: the stream on which it arrived last.
    gone: set when it is over for good.
    """

    def __init__(self, word: str, keeps: bool) -> None:
        self.word = word
        self.keeps = keeps
        self.channel = Channel()
        self.connection: Connection | None = None
        self.arriving: trio.abc.Stream | None = None
        self.gone = trio.Event()
        self._sessions: dict[int, RemoteSeat] = {}
        self._last = 0
        self._stray = 0

    def open(self, link: Link) -> RemoteSeat:
        """Open a session: a seat that the relay is to play."""
        self._last += 1
        session = RemoteSeat(link, partial(self._put, session=self._last))
        self._sessions[self._last] = session
        session.number = self._last
        self._put(b"o", session=self._last)
        return session

    def close(self, session: RemoteSeat) -> None:
        """Close a session. Bytes of the session that still come are dropped, up to the
        amount that may be on its way.
        """
        del self._sessions[session.number]
        self._stray += session.may_still_come()
        if not session.exited and not self.gone.is_set():
            self._put(b"k", session=session.number)

    def end(self) -> None:
        """End the life for good, and all its sessions."""
        self.gone.set()
        for session in self._sessions.values():
            session.over.set()

    def fail(self, error: Exception) -> None:
        """End all sessions by an error of the hub itself, and the life with them."""
        for session in self._sessions.values():
            session.fail(error)
        self.gone.set()

    def _put(self, kind: bytes, data: bytes = b"", *, session: int) -> None:
        frame = self.channel.encode(kind, session, data)
        if self.connection:
            self.connection.send(frame)

    def take(self, kind: bytes, number_: int, data: bytes) -> None:
        """Take a counted frame. Raises LinkBreach. Another error ends the frame's
        session, and is raised by its ``play``.
        """
        if session := self._sessions.get(number_):
            try:
                session.take(kind, data)
            except LinkBreach:
                raise
            except Exception as error:
                session.fail(error)
            return
        self._stray -= len(data) + 1
        if not 0 < number_ <= self._last or self._stray < 0:
            raise LinkBreach("bytes for no session")


class Connection:
    """A connection of a relay that has shown that it knows the token."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        life: Life,
        note: Callable[[float], None],
        tell: Callable[[], None],
    ) -> None:
        """Take over the stream. ``note`` gets each round trip in seconds; ``tell`` is
        called once some are known.
        """
        self._stream = stream
        self._life = life
        self._note_trip = note
        self._tell_known = tell
        self._out = bytearray()
        self._has_output = trio.Event()
        self._pinged: tuple[bytes, float] | None = None
        self.scope = trio.CancelScope()
        self.ended = trio.Event()
        self._has_reported = False

    def send(self, data: bytes) -> None:
        """Queue bytes for the other side. The windows of its sessions bound how many
        are held.
        """
        self._out += data
        self._has_output.set()

    async def serve(self) -> str:
        """Serve until the connection is lost. Returns the relay's forbidden message in
        words if that is why, else "".
        """
        reason = ""
        try:
            with self.scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._write)
                    nursery.start_soon(self._ping)
                    try:
                        await self._read()
                    except LinkBreach as breach:
                        reason = str(breach)
                    nursery.cancel_scope.cancel()
        finally:
            self.ended.set()
        return reason

    async def bye(self, over: bool) -> None:
        """Tell the relay that the arena ends, and whether the run is ``over``."""
        with trio.move_on_after(1.0):
            self.send(packed_json(b"b", over=over))
            await self.ended.wait()  # the relay closes it

    async def _write(self) -> None:
        while True:
            await self._has_output.wait()
            self._has_output = trio.Event()
            data, self._out = self._out, bytearray()
            try:
                await self._stream.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                self.scope.cancel()

    async def _read(self) -> None:
        frames = Frames()
        while True:
            try:
                data = bytes(await self._stream.receive_some(CHUNK))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return
            if not data:
                return
            for kind, session, content in frames.feed(data):
                self._take(kind, session, content)

    def _take(self, kind: bytes, session: int, data: bytes) -> None:
        channel = self._life.channel
        if kind in COUNTED_OF_RELAY:
            self._life.take(kind, session, data)
            if acknowledgement := channel.count_frame():
                self.send(acknowledgement)
        elif kind == b"a":
            if not channel.acknowledged(number(data, ">Q")):
                raise LinkBreach(
                    "a count of frames that came, twice"
                )  # or it could send that without end
        elif kind == b"q" and self._pinged and data == self._pinged[0]:
            self._note_trip(time.monotonic() - self._pinged[1])
            self._pinged = None
        else:
            raise LinkBreach(f"a frame of kind {kind!r} that nobody asked for")

    async def _ping(self) -> None:
        """Send pings and measure round trips. A missing echo ends the connection: TCP
        may never tell that its end is gone.
        """
        first, soon = PING_FIRST
        while True:
            # Random, so that an echo of an earlier ping is not taken for this one.
            self._pinged = (secrets.token_bytes(8), time.monotonic())
            self.send(packed(b"p", 0, self._pinged[0]))
            while True:
                await trio.sleep(soon if first else PING_SECONDS)
                if not self._pinged:
                    break
                if time.monotonic() - self._pinged[1] > DEAD_SECONDS:
                    self.scope.cancel()
            first -= first > 0
            if not first and not self._has_reported:
                self._has_reported = True
                self._tell_known()
