"""Connections of browsers: how many there are of each network, and how each ends when
its peer is gone.
"""

import ipaddress
import socket
import ssl
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import trio

from khiva_arena.extensions.serve.guard import MOST_BYTES

RECEIVED_MOST = 1 << 14
"""The bytes that are taken from a connection at a time: the others wait in the system
until those are answered.
"""
SEND_SECONDS = 30.0
"""The time that a reader may take for a piece of an answer before it loses its
connection.
"""
HANDSHAKE_SECONDS = 10.0
"""The time that a peer may take to agree on TLS."""


class ConnectionBounds(NamedTuple):
    """The bounds of a server's connections.

    most: at a time.
    of_an_address: of them from one address of another machine.
    tls: what they speak below HTTP; None for nothing.
    """

    most: int
    of_an_address: int
    tls: ssl.SSLContext | None = None


@lru_cache(maxsize=1_000)
def network_of(address: str) -> str:
    """Return what stands for an address: of IPv6 its network, since one customer has
    billions of addresses.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:  # of a proxy's making
        return address[:64]
    if isinstance(parsed, ipaddress.IPv6Address) and not parsed.is_loopback:
        return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def is_loopback(address: str) -> bool:
    """Tell whether an address, or a network, is that of this machine."""
    return address.startswith("127.") or address in ("::1", "::ffff:127.0.0.1")


@dataclass(eq=False, slots=True)
class PeerConnection:
    """A connection as Hypercorn uses it; a peer that is gone, or takes too long to
    read, loses it.

    stream: with or without TLS.
    socket: below it.
    network: stands for the address of the peer.
    scope: of all tasks of the connection.
    stays: whether it stays while there are too many.
    """

    stream: trio.SocketStream | trio.SSLStream[trio.SocketStream]
    socket: trio.socket.SocketType
    network: str
    scope: trio.CancelScope
    stays: bool = False

    @property
    def is_safe(self) -> bool:
        """Whether the connection speaks TLS."""
        return isinstance(self.stream, trio.SSLStream)

    async def shake_hands(self) -> None:
        """Agree on TLS, if it is spoken. Raises TooSlowError."""
        if isinstance(self.stream, trio.SSLStream):
            with trio.fail_after(HANDSHAKE_SECONDS):
                await self.stream.do_handshake()

    async def send_all(self, data: bytes) -> None:
        try:
            for start in range(0, len(data), MOST_BYTES):
                with trio.fail_after(SEND_SECONDS):
                    await self.stream.send_all(data[start : start + MOST_BYTES])
        except (
            trio.BrokenResourceError,
            trio.ClosedResourceError,
            trio.BusyResourceError,
            trio.TooSlowError,
        ) as error:
            self.scope.cancel()  # Hypercorn would answer all else that came on the connection
            raise trio.BrokenResourceError("nobody reads") from error

    async def receive_some(self, most: int) -> bytes:
        return bytes(await self.stream.receive_some(min(most, RECEIVED_MOST)))

    async def send_eof(self) -> None:
        if isinstance(self.stream, trio.SocketStream):  # TLS has no such thing
            await self.stream.send_eof()

    async def aclose(self) -> None:
        await self.stream.aclose()


def connection_of(plain: socket.socket, network: str, tls: ssl.SSLContext | None) -> PeerConnection:
    """Return the connection of a socket that was accepted. ``tls``: what is spoken
    below HTTP; None for nothing.
    """
    below = trio.SocketStream(trio.socket.from_stdlib_socket(plain))
    stream = trio.SSLStream(below, tls, server_side=True, https_compatible=True) if tls else below
    return PeerConnection(stream, below.socket, network, trio.CancelScope())


class Connections:
    """The connections that there are. ``bounds``: of them."""

    def __init__(self, bounds: ConnectionBounds) -> None:
        self._bounds = bounds
        self._from_the_oldest: dict[PeerConnection, None] = {}
        self._of_networks = Counter[str]()

    def has_place(self, network: str) -> bool:
        """Tell whether there is a place for one more; if there are too many, the oldest
        that does not stay is closed for it.
        """
        if not is_loopback(network) and self._of_networks[network] >= self._bounds.of_an_address:
            return False
        if len(self._from_the_oldest) < self._bounds.most:
            return True
        oldest = next((one for one in self._from_the_oldest if not one.stays), None)
        if oldest is None:
            return False
        oldest.socket.close()  # which ends its task
        self.remove(oldest)
        return True

    def add(self, connection: PeerConnection) -> None:
        """Add a connection, for which there is a place."""
        self._from_the_oldest[connection] = None
        self._of_networks[connection.network] += 1

    def remove(self, connection: PeerConnection) -> None:
        """Give a place back, unless that has been done."""
        if self._from_the_oldest.pop(connection, self) is None:
            self._of_networks[connection.network] -= 1
            if not self._of_networks[connection.network]:
                del self._of_networks[connection.network]
