"""The hub's side of relays (relay_protocol.py has the protocol): bots that play from
other machines.

A *place* (relay_place.py) is a name for which a relay is expected. A *life*
(relay_life.py) is one relay process. It may lose its connection and come back, until
``reconnect`` seconds have passed. Then its sessions (remote_seat.py) are lost, as they
are at once if another life takes the place. While no relay is there, a session waits
for as long.

Bytes of a relay can only become bytes on a seat's stdout and stderr, or its end; a
relay that sends anything else is cut off.

A connection that has not yet shown that it knows a token is a stranger. If strangers
are too many, the oldest goes first, so that they do not keep out a relay that knows its
token.
"""

import hmac
import ipaddress
import secrets
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import msgspec
import trio

from khiva_arena.entrants.guests import REMOTE, seat_of, trips_file
from khiva_arena.extensions.seats.contained import contained
from khiva_arena.extensions.seats.hub_messages import tell
from khiva_arena.extensions.seats.links import Seated
from khiva_arena.extensions.seats.relay_life import Connection, Life
from khiva_arena.extensions.seats.relay_place import AGAIN_SECONDS, RelayPlace
from khiva_arena.extensions.seats.relay_protocol import (
    GREET_SECONDS,
    LIFE_BYTES,
    VERSION,
    Frames,
    LinkBreach,
    packed_json,
    proof,
)

FIRST_SECONDS = 2.0
"""The time for the first byte of a connection."""
HELLO_MOST = 4_096
WRONG_SECONDS = 1.0
_Stream = trio.abc.Stream

STRANGERS_MOST = 256
STRANGERS_OF_AN_ADDRESS = 64
"""The most strangers of one address. A relay shows its token within two round trips, so
to keep it out somebody has to connect as often in that time.
"""


class Refused(Exception):
    """A refusal of a relay.

    final: the relay need not come again
    shown: the arena's proof, for a relay that has given its own
    """

    def __init__(self, text: str, *, final: bool = True, own_proof: str = "") -> None:
        super().__init__(text)
        self.final = final
        self.own_proof = own_proof


class Relays:
    """The relays of a run, from the command's first order.

    The order has ``listen`` with host and port, ``tls`` with the files of certificate
    and key or null, ``reconnect_s`` and ``waits_s``. Under ``relays`` it has for each
    name the token and whether its bot may be ``kept``.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        self._host, self._port = order["listen"]
        self._tls: list[str] | None = order["tls"]
        self._reconnect: float = order["reconnect_s"]
        self._run = secrets.token_hex(LIFE_BYTES)
        waits, hub = order["waits_s"], order["socket"]
        self._places = {
            name: RelayPlace(name, row["token"], row["kept"], trips_file(hub, name), waits)
            for name, row in order["relays"].items()
        }
        self._strangers = Strangers()
        self._nursery: trio.Nursery | None = None

    def seats(self) -> dict[str, Seated]:
        """Return the functions that seat each relay's bot, by name."""
        return {seat_of(REMOTE, name): place.seated for name, place in self._places.items()}

    async def serve(self, *, task_status: trio.TaskStatus[int]) -> None:
        """Serve relays until cancelled; reports the port. Raises OSError."""
        context = None
        if self._tls:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*self._tls)
        listeners = await trio.open_tcp_listeners(self._port, host=self._host)
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started(listeners[0].socket.getsockname()[1])
            await trio.serve_listeners(partial(contained, self._arrive, context), listeners)

    async def order(self, order: dict[str, Any]) -> None:
        """Tell the command the figures, and send the relays away first if the order
        says whether the run is ``over``.
        """
        figures = [place.figures() for place in self._places.values()]
        if "over" in order:
            await self.bye(order["over"])
        tell({"figures": figures})

    async def bye(self, over: bool) -> None:
        """Tell all relays that the arena ends."""
        async with trio.open_nursery() as nursery:
            for place in self._places.values():
                place.over = True
                if place.life and place.life.connection:
                    nursery.start_soon(contained, place.life.connection.bye, over)

    # --- arriving ---

    async def _arrive(self, context: ssl.SSLContext | None, plain: trio.SocketStream) -> None:
        stream: _Stream = (
            trio.SSLStream(plain, context, server_side=True, https_compatible=True)
            if context
            else plain
        )
        relay = None
        async with stream if not context else plain:
            try:
                host = plain.socket.getpeername()[0]
                with self._strangers.arrived(host, GREET_SECONDS) as scope:
                    if context:
                        await _first_byte(plain)
                    relay = await self._greet(stream, plain, scope)
            except (
                OSError,
                trio.BrokenResourceError,
                trio.ClosedResourceError,
                trio.TooSlowError,
                LinkBreach,
            ):
                return
            except Refused as refusal:
                with trio.move_on_after(WRONG_SECONDS):
                    await _refuse(stream, refusal)
                return
            if relay:
                await self._serve_relay(stream, *relay)

    async def _greet(
        self, stream: _Stream, plain: trio.SocketStream, scope: trio.CancelScope
    ) -> tuple[RelayPlace, Life, int, bool]:
        """Greet a relay. Returns its place, its life, how many frames it got, and
        whether it goes on.

        Raises Refused, LinkBreach and TooSlowError. ``scope``: the relay's place among
        strangers.
        """
        nonce = secrets.token_hex(LIFE_BYTES)
        await stream.send_all(packed_json(b"G", arena=VERSION, nonce=nonce))
        await _first_byte(plain)
        try:
            hello = msgspec.json.decode(await _hello(stream), type=RelayHello)
        except msgspec.MsgspecError:
            raise Refused(f"this arena speaks version {VERSION} of the relay protocol") from None
        place = self._places.get(hello.name)
        token = place.token if place else secrets.token_hex(LIFE_BYTES)
        if not hmac.compare_digest(
            hello.proof.encode(), proof(token, "relay", hello.name, nonce, hello.nonce).encode()
        ):
            await trio.sleep(WRONG_SECONDS)
            raise Refused(
                f"no relay of the name {hello.name[:64]} with this token is expected"
            )  # a stranger hears no more
        assert place
        self._strangers.keep(scope)
        own_proof = proof(place.token, "arena", hello.name, nonce, hello.nonce)
        if hello.kept and not place.kept:
            reason = "a process that is kept may remember other matches"
            raise Refused(
                f"{reason}: the organiser has to allow --keep, by --kept {place.name}",
                own_proof=own_proof,
            )
        life, resumed = await self._life_of(place, hello, own_proof)
        life.arriving = stream
        welcome = packed_json(
            b"W",
            proof=own_proof,
            run=self._run,
            got=life.channel.got,
            resumed=resumed,
            reconnect=self._reconnect,
        )
        await stream.send_all(welcome)
        return place, life, hello.got if resumed else 0, resumed

    async def _life_of(
        self, place: RelayPlace, hello: "RelayHello", own_proof: str
    ) -> tuple[Life, bool]:
        """Return the life of a relay, and whether it goes on instead of beginning.
        Raises Refused if another one is there.
        """
        life = place.life
        if life is None or life.word != hello.life or hello.run != self._run:
            if life and life.connection and life.word != hello.life:
                raise Refused(
                    f"a relay of the name {place.name} is connected already; one bot, one name",
                    own_proof=own_proof,
                )
            if life:
                await _leave(life)
                life.end()
            place.life = Life(hello.life, hello.kept)
            return place.life, False
        await _leave(life)  # now, since the count that is told next must stay true
        return life, True

    async def _serve_relay(
        self, stream: _Stream, place: RelayPlace, life: Life, frames: int, resumed: bool
    ) -> None:
        await trio.sleep_until(place.arrived_at + AGAIN_SECONDS)
        if place.life is not life or life.arriving is not stream:
            return  # it came once more meanwhile
        place.arrived_at = trio.current_time()
        connection = Connection(stream, life, place.note_trip, place.tell_arrival)
        reason = ""
        try:
            connection.send(life.channel.again(frames))
            life.connection = connection
            place.note_arrival(resumed=resumed)
            reason = await connection.serve()
        except LinkBreach as breach:  # by its count
            reason = str(breach)
        except Exception as error:
            life.fail(error)
            raise
        finally:
            if life.connection is connection or reason:
                place.note_loss(reason)
            if life.connection is connection:
                life.connection = None
                assert self._nursery
                self._nursery.start_soon(
                    contained, place.wait_for, life, time.monotonic(), self._reconnect
                )
        if reason:
            life.end()
            with trio.move_on_after(WRONG_SECONDS):
                await _refuse(stream, Refused(f"cut off, having sent {reason}", final=False))


class RelayHello(msgspec.Struct):
    """The first message of a relay."""

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


async def _first_byte(plain: trio.SocketStream) -> None:
    """Wait for the first byte, without taking it. Raises TooSlowError and OSError."""
    with trio.fail_after(FIRST_SECONDS):
        await plain.socket.recv(1, trio.socket.MSG_PEEK)


async def _hello(stream: _Stream) -> bytes:
    """Return the hello of a relay, which then waits for the welcome. Raises
    LinkBreach.
    """
    frames = Frames(HELLO_MOST)
    while data := bytes(await stream.receive_some(HELLO_MOST)):
        for kind, _, content in frames.feed(data):
            if kind != b"H":
                break
            return content
    raise LinkBreach("no hello")


async def _refuse(stream: _Stream, refusal: Refused) -> None:
    try:
        await stream.send_all(
            packed_json(b"R", text=str(refusal), final=refusal.final, proof=refusal.own_proof)
        )
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return


class Strangers:
    """The strangers that wait, from the oldest on."""

    def __init__(self) -> None:
        self._waiting: dict[trio.CancelScope, str] = {}

    @contextmanager
    def arrived(self, host: str, seconds: float) -> Iterator[trio.CancelScope]:
        """Give a stranger its time. The scope ends early if others need the place,
        unless ``keep`` was called for it.
        """
        address = _network(host)
        same = [scope for scope, other in self._waiting.items() if other == address]
        if len(same) >= STRANGERS_OF_AN_ADDRESS:
            self._end(same[0])
        elif len(self._waiting) >= STRANGERS_MOST:
            self._end(next(iter(self._waiting)))
        with trio.move_on_after(seconds) as scope:
            self._waiting[scope] = address
            try:
                yield scope
            finally:
                self._waiting.pop(scope, None)

    def _end(self, scope: trio.CancelScope) -> None:
        del self._waiting[scope]
        scope.cancel()

    def keep(self, scope: trio.CancelScope) -> None:
        """Let a connection that has shown its token keep its place."""
        self._waiting.pop(scope, None)


def _network(host: str) -> str:
    """Return the network that counts as one address: of IPv6 the half that a provider
    gives to each customer.
    """
    address = ipaddress.ip_address(host.partition("%")[0])
    return (
        str(ipaddress.ip_network((address, 64), strict=False))
        if address.version == 6 and not address.ipv4_mapped
        else host
    )
