"""The hub's side of relays (relay.py, which has the protocol): bots that play from other machines.

A *place* is a name for which a relay is expected. A *life* is one relay process: it may lose its connection and come back, until
``reconnect`` seconds have passed; then its sessions are lost, as they are at once if another life takes the place. While nobody
is there, a session waits for as long. What comes from a relay can only become bytes on a seat's stdout and stderr, or its end;
one that sends anything else is cut off.
"""

import hmac
import secrets
import ssl
import time
from collections import deque
from functools import partial
from statistics import median, quantiles
from typing import Any

import msgspec
import trio

from khiva_arena.web.links import Link, Seated
from khiva_arena.web.orders import tell
from khiva_arena.web.relay_protocol import (
    COUNTED_OF_RELAY,
    DEAD_SECONDS,
    GREET_SECONDS,
    LIFE_BYTES,
    VERSION,
    Channel,
    Frames,
    LinkBreach,
    number,
    packed,
    packed_json,
    proof,
)
from khiva_arena.web.remote_seat import RemoteSeat

CHUNK = 65_536
STRANGERS_MOST = 16
HELLO_MOST = 4_096
AGAIN_SECONDS = 0.5
"""Between two arrivals at one place."""
WRONG_SECONDS = 1.0
PING_SECONDS = 1.0
PING_FIRST = (5, 0.05)
PINGS_KEPT = 1_001
_Stream = trio.abc.Stream


class Refused(Exception):
    """A relay is not taken. ``final``: it need not come again."""

    def __init__(self, text: str, *, final: bool = True) -> None:
        super().__init__(text)
        self.final = final


class Life:
    """One relay process.

    word: what it calls itself.
    keeps: whether one process of its bot plays many matches.
    connection: the one that it has now, if any.
    arriving: where it came last.
    gone: set when it is over for good.
    """

    def __init__(self, word: str, keeps: bool) -> None:
        self.word = word
        self.keeps = keeps
        self.channel = Channel()
        self.connection: Connection | None = None
        self.arriving: _Stream | None = None
        self.gone = trio.Event()
        self._sessions: dict[int, RemoteSeat] = {}
        self._last = 0
        self._stray = 0

    def open(self, link: Link) -> RemoteSeat:
        """A seat that it is to play."""
        self._last += 1
        session = RemoteSeat(link, partial(self._put, session=self._last))
        self._sessions[self._last] = session
        session.number = self._last
        self._put(b"o", session=self._last)
        return session

    def close(self, session: RemoteSeat) -> None:
        """It is over; what still comes is dropped, up to what may be on its way."""
        del self._sessions[session.number]
        self._stray += session.may_still_come()
        if not session.exited and not self.gone.is_set():
            self._put(b"k", session=session.number)

    def end(self) -> None:
        """It will not come back."""
        self.gone.set()
        for session in self._sessions.values():
            session.over.set()

    def _put(self, kind: bytes, data: bytes = b"", *, session: int) -> None:
        frame = self.channel.made(kind, session, data)
        if self.connection:
            self.connection.send(frame)

    def take(self, kind: bytes, number_: int, data: bytes) -> None:
        """A counted frame. Raises LinkBreach."""
        if session := self._sessions.get(number_):
            session.take(kind, data)
            return
        self._stray -= len(data) + 1
        if not 0 < number_ <= self._last or self._stray < 0:
            raise LinkBreach("bytes for no session")


class Connection:
    """A connection of a relay that has shown that it knows the token."""

    def __init__(self, stream: _Stream, place: "RelayPlace", life: Life) -> None:
        self._stream = stream
        self._place = place
        self._life = life
        self._out = bytearray()
        self._more = trio.Event()
        self._pinged: tuple[bytes, float] | None = None
        self.scope = trio.CancelScope()
        self.ended = trio.Event()
        self._told = False

    def send(self, data: bytes) -> None:
        """As soon as the other side takes it. What is held is bounded by the windows of its sessions."""
        self._out += data
        self._more.set()

    async def serve(self) -> str:
        """Until it is lost. Returns what the relay sent that it may not, if that is why."""
        why = ""
        try:
            with self.scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._write)
                    nursery.start_soon(self._ping)
                    try:
                        await self._read()
                    except LinkBreach as breach:
                        why = str(breach)
                    nursery.cancel_scope.cancel()
        finally:
            self.ended.set()
        return why

    async def bye(self, over: bool) -> None:
        """The arena ends."""
        with trio.move_on_after(1.0):
            self.send(packed_json(b"b", over=over))
            await self.ended.wait()  # the relay closes it

    async def _write(self) -> None:
        while True:
            await self._more.wait()
            self._more = trio.Event()
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
            if due := channel.came():
                self.send(due)
        elif kind == b"a":
            channel.acknowledged(number(data, ">Q"))
        elif kind == b"q" and self._pinged and data == self._pinged[0]:
            self._place.round_trips.append(time.monotonic() - self._pinged[1])
            self._pinged = None
        else:
            raise LinkBreach(f"a frame of kind {kind!r} that nobody asked for")

    async def _ping(self) -> None:
        """Also finds out when the other side is not there any more, which TCP may never say."""
        first, soon = PING_FIRST
        while True:
            self._pinged = (secrets.token_bytes(8), time.monotonic())
            self.send(packed(b"p", 0, self._pinged[0]))
            while True:
                await trio.sleep(soon if first else PING_SECONDS)
                if not self._pinged:
                    break
                if time.monotonic() - self._pinged[1] > DEAD_SECONDS:
                    self.scope.cancel()
            first -= first > 0
            if not first and not self._told:
                tell({"here": self._place.name, "kept": self._life.keeps, **self._place.figures()})
                self._told = True


class RelayPlace:
    """A name for which a relay is expected."""

    def __init__(self, name: str, token: str, file: str, kept: bool, waits: float) -> None:
        self.name, self.token, self.file, self.kept = name, token, file, kept
        self._waits = waits
        self.life: Life | None = None
        self.arrived = trio.Event()
        self.round_trips: deque[float] = deque(maxlen=PINGS_KEPT)
        self.away = 0
        self.away_s = 0.0
        self.arrived_at = -AGAIN_SECONDS

    async def seated(self, link: Link) -> None:
        """A match, or the trial start before it. If it returns without an exit, the link is lost."""
        with trio.move_on_after(self._waits):
            while self.life is None or self.life.connection is None:
                await self.arrived.wait()
        life = self.life
        if life is None or life.connection is None:
            return
        session = life.open(link)
        try:
            await session.play()
        finally:
            life.close(session)

    def figures(self) -> dict[str, Any]:
        """Of all of its connections so far: round trips in ms, and how often and for how long it was away."""
        trips = [1000 * trip for trip in self.round_trips]
        high = quantiles(trips, n=20)[-1] if len(trips) > 1 else None
        half = median(trips) if trips else None
        return {"relay": self.name, "rtt_ms": half, "rtt_high_ms": high, "away": self.away, "away_s": self.away_s}


class Relays:
    """All relays of a run, as the command's first order says: ``listen`` with host and port, ``tls`` with the files of
    certificate and key or null, ``reconnect_s`` and ``waits_s``, and under ``relays`` for each name its token, the file that has
    it, and whether it may be ``kept``."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._host, self._port = order["listen"]
        self._tls: list[str] | None = order["tls"]
        self._reconnect: float = order["reconnect_s"]
        self._run = secrets.token_hex(LIFE_BYTES)
        self._places = {name: RelayPlace(name, waits=order["waits_s"], **one) for name, one in order["relays"].items()}
        self._strangers = 0
        self._nursery: trio.Nursery | None = None

    def seats(self) -> dict[str, Seated]:
        """Who seats each, by name."""
        return {name: place.seated for name, place in self._places.items()}

    async def serve(self, *, task_status: trio.TaskStatus[int]) -> None:
        """Wait for relays until cancelled; reports the port. Raises OSError."""
        context = None
        if self._tls:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*self._tls)
        listeners = await trio.open_tcp_listeners(self._port, host=self._host)
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started(listeners[0].socket.getsockname()[1])
            await trio.serve_listeners(partial(self._arrive, context), listeners)

    async def order(self, order: dict[str, Any]) -> None:
        """The command says how the run ended, and gets the figures."""
        figures = [place.figures() for place in self._places.values()]
        await self.bye(order["over"])
        tell({"figures": figures})

    async def bye(self, over: bool) -> None:
        """Tell all relays that the arena ends."""
        async with trio.open_nursery() as nursery:
            for place in self._places.values():
                if place.life and place.life.connection:
                    nursery.start_soon(place.life.connection.bye, over)

    # --- arriving ---

    async def _arrive(self, context: ssl.SSLContext | None, plain: trio.SocketStream) -> None:
        stream: _Stream = trio.SSLStream(plain, context, server_side=True, https_compatible=True) if context else plain
        taken = None
        async with stream if not context else plain:
            if self._strangers >= STRANGERS_MOST:
                return
            self._strangers += 1
            try:
                with trio.move_on_after(GREET_SECONDS):
                    taken = await self._greeted(stream)
            except (trio.BrokenResourceError, trio.ClosedResourceError, LinkBreach):
                return
            except Refused as refusal:
                with trio.move_on_after(WRONG_SECONDS):
                    await _refuse(stream, refusal)
                return
            finally:
                self._strangers -= 1
            if taken:
                await self._connected(stream, *taken)

    async def _greeted(self, stream: _Stream) -> tuple[RelayPlace, Life, int]:
        """Raises Refused and LinkBreach."""
        nonce = secrets.token_hex(LIFE_BYTES)
        await stream.send_all(packed_json(b"G", arena=VERSION, nonce=nonce))
        try:
            hello = msgspec.json.decode(await _hello(stream), type=RelayHello)
        except msgspec.MsgspecError:
            raise Refused(f"this arena speaks version {VERSION} of the relay protocol") from None
        place = self._places.get(hello.name)
        token = place.token if place else secrets.token_hex(LIFE_BYTES)
        if not hmac.compare_digest(hello.proof.encode(), proof(token, "relay", hello.name, nonce, hello.nonce).encode()):
            await trio.sleep(WRONG_SECONDS)
            where = f" (the arena has it in {place.file})" if place else ""
            raise Refused(f"no relay of the name {hello.name[:64]} with this token is expected{where}")
        assert place
        if hello.kept and not place.kept:
            why = "a process that is kept may remember other matches"
            raise Refused(f"{why}: the organiser has to allow --keep, by --kept {place.name}")
        life, resumed = await self._life_of(place, hello)
        life.arriving = stream
        welcome = packed_json(
            b"W",
            proof=proof(place.token, "arena", hello.name, nonce, hello.nonce),
            run=self._run,
            got=life.channel.got,
            resumed=resumed,
            reconnect=self._reconnect,
        )
        await stream.send_all(welcome)
        return place, life, hello.got if resumed else 0

    async def _life_of(self, place: RelayPlace, hello: "RelayHello") -> tuple[Life, bool]:
        """The life that begins or, as the second value says, goes on. Raises Refused if another one is there."""
        life = place.life
        if life is None or life.word != hello.life or hello.run != self._run:
            if life and life.connection and life.word != hello.life:
                raise Refused(f"a relay of the name {place.name} is connected already; one bot, one name", final=True)
            if life:
                await _leave(life)
                life.end()
            place.life = Life(hello.life, hello.kept)
            return place.life, False
        await _leave(life)  # now: what is said next of how much came must stay true
        return life, True

    async def _connected(self, stream: _Stream, place: RelayPlace, life: Life, got: int) -> None:
        await trio.sleep_until(place.arrived_at + AGAIN_SECONDS)
        if place.life is not life or life.arriving is not stream:
            return  # it came once more meanwhile
        place.arrived_at = trio.current_time()
        connection = Connection(stream, place, life)
        why = ""
        try:
            connection.send(life.channel.again(got))
            life.connection = connection
            place.arrived.set()
            place.arrived = trio.Event()
            why = await connection.serve()
        except LinkBreach as breach:  # by its count
            why = str(breach)
        finally:
            if life.connection is connection:
                life.connection = None
                place.away += 1
                assert self._nursery
                self._nursery.start_soon(self._wait_for, place, life, time.monotonic())
        if why:
            life.end()
            with trio.move_on_after(WRONG_SECONDS):
                await _refuse(stream, Refused(f"cut off, having sent {why}", final=False))
        tell({"away": place.name, "why": why})

    async def _wait_for(self, place: RelayPlace, life: Life, since: float) -> None:
        """End a life that does not come back in time."""
        with trio.move_on_after(self._reconnect):
            while life.connection is None and not life.gone.is_set():
                await place.arrived.wait()
        place.away_s += time.monotonic() - since
        if life.connection is None:
            life.end()
            if place.life is life:
                place.life = None


class RelayHello(msgspec.Struct):
    """What a relay says first."""

    relay: int
    name: str
    life: str
    run: str
    got: int
    kept: bool
    nonce: str
    proof: str


async def _leave(life: Life) -> None:
    """End a connection that a relay has itself given up."""
    if connection := life.connection:
        connection.scope.cancel()
        await connection.ended.wait()


async def _hello(stream: _Stream) -> bytes:
    """Of one who then waits for the welcome. Raises LinkBreach."""
    frames = Frames(HELLO_MOST)
    while data := bytes(await stream.receive_some(HELLO_MOST)):
        for kind, _, content in frames.feed(data):
            if kind != b"H":
                break
            return content
    raise LinkBreach("no hello")


async def _refuse(stream: _Stream, refusal: Refused) -> None:
    try:
        await stream.send_all(packed_json(b"R", text=str(refusal), final=refusal.final))
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return
