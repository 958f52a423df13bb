"""Pages and sockets for browsers: of this machine alone, with a token in the address, or of everybody.

``serve`` serves on a loopback port. The token is the first part of each path. It is no cookie: browsers send cookies to every
port of a host, so that any other local server could collect it. ``Host`` is checked, since a name that an attacker owns may point
to 127.0.0.1, and ``Origin``, since any page may open a WebSocket anywhere. ``answer_all`` is below it and leaves open who is
answered.

Connections are accepted here instead of by Hypercorn's own loop, which does not bound their number and never ends one that does
not read: it shields its sending from cancellation. They speak HTTP/1.1 and WebSocket alone.
"""

import errno
import logging
import os
import secrets
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount
from starlette.types import Receive, Scope, Send

from khiva_arena.web.guard import MOST_BYTES, Guard
from khiva_arena.web.once import OnceOnly

FIRST_INHERITED = 3
"""The descriptor at which a service manager puts the first socket."""
LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 200
"""The most connections at a time; a browser opens about six for a page. Beyond that the oldest goes that has shown no token; if
all have shown it, the new one."""
SEND_SECONDS = 30.0
"""The time that a reader may take for a piece of an answer before it loses its connection."""
IDLE_SECONDS = 5.0
"""The time that a connection may take between two requests, or for the head of one."""
HANDSHAKE_SECONDS = 10.0
"""The time that a peer may take to agree on TLS."""
BACKLOG = 512
"""The connections that may wait until they are accepted: more readers may come at once."""
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""The errors of accepting while there are too many files; later it works again."""
_LOGGER = logging.getLogger(__name__)


class ConnectionBounds(NamedTuple):
    """The bounds of a server's connections.

    most: at a time.
    of_an_address: of them from one address of another machine.
    tls: what they speak below HTTP; None for nothing.
    """

    most: int
    of_an_address: int
    tls: ssl.SSLContext | None = None


def new_token() -> str:
    """Return a token that nobody guesses, of letters that stay themselves in an address."""
    return secrets.token_urlsafe(24)


def address(port: int, token: str) -> str:
    """Return the address that a person opens."""
    return f"http://{LOOPBACK}:{port}/{token}/"


async def serve(
    routes: Sequence[BaseRoute],
    *,
    token: str,
    port: int = 0,
    once: OnceOnly | None = None,
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve routes below ``/TOKEN/`` until this is cancelled; then the port and all connections are closed.

    A route of ``/`` is the page at ``address()``. Reports the port: nursery.start() returns it. Raises OSError if the port is
    taken.

    once: an address that leads to one of the routes
    """
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(listening(LOOPBACK, port)))
    port = listener.socket.getsockname()[1]
    guard = Guard(Starlette(routes=[Mount(f"/{token}", routes=list(routes))]), token, port, once)

    async def answer(connection: PeerConnection, scope: Scope, receive: Receive, send: Send) -> None:
        connection.stays = connection.stays or not guard.refusal(scope)
        await guard(scope, receive, send)

    task_status.started(port)
    await answer_all(listener, answer, ConnectionBounds(MOST_CONNECTIONS, MOST_CONNECTIONS))


async def answer_all(listener: trio.SocketListener, answer: "Responder", bounds: ConnectionBounds) -> None:
    """Answer all connections until this is cancelled; then they are closed, and the listener is. ``answer``: takes each request,
    and says of its connection whether it stays while there are too many."""
    connections: dict[PeerConnection, None] = {}  # from the oldest on
    try:
        async with trio.open_nursery() as nursery:
            while True:
                plain = await _accepted(listener)
                if _too_many(connections, plain, bounds):
                    await trio.aclose_forcefully(plain)
                else:
                    connections[connection := _connection(plain, bounds.tls)] = None
                    nursery.start_soon(_talk, connection, answer, connections)
    finally:
        listener.socket.close()


def _too_many(connections: "dict[PeerConnection, None]", new: trio.SocketStream, bounds: ConnectionBounds) -> bool:
    """Tell whether there is no place for a new connection; if there are too many, the oldest that does not stay is closed."""
    host = _host(new.socket)
    if not _is_loopback(host) and sum(one.host == host for one in connections) >= bounds.of_an_address:
        return True
    if len(connections) < bounds.most:
        return False
    for connection in connections:
        if not connection.stays:
            connection.socket.close()  # which ends its task
            del connections[connection]
            return False
    return True


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address. Raises OSError."""
    family, *_, address_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address_)
        listener.listen(BACKLOG)
        return listener
    except BaseException:
        listener.close()
        raise


def inherited() -> socket.socket:
    """Return the listening socket that a service manager has handed over, by ``LISTEN_FDS``. Raises OSError if there is none."""
    if (os.environ.get("LISTEN_PID"), os.environ.get("LISTEN_FDS")) != (str(os.getpid()), "1"):
        raise OSError(errno.ENOTSOCK, "no listening socket was handed over")
    listener = socket.socket(fileno=FIRST_INHERITED)
    listener.set_inheritable(False)
    if not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        raise OSError(errno.ENOTSOCK, "what was handed over does not listen")
    return listener


def _host(socket_: trio.socket.SocketType) -> str:
    try:
        return str(socket_.getpeername()[0])
    except OSError:  # it has gone again
        return ""


def _is_loopback(host: str) -> bool:
    return host.startswith("127.") or host == "::1"


async def _accepted(listener: trio.SocketListener) -> trio.SocketStream:
    while True:
        try:
            return await listener.accept()
        except OSError as error:
            if error.errno not in _FULL:
                raise
            await trio.sleep(0.1)


@dataclass(eq=False, slots=True)
class PeerConnection:
    """A connection as Hypercorn uses it; a peer that takes too long to read loses it.

    stream: with or without TLS.
    socket: below it.
    host: the address of the peer.
    stays: whether it stays while there are too many.
    """

    stream: trio.SocketStream | trio.SSLStream[trio.SocketStream]
    socket: trio.socket.SocketType
    host: str
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
        for start in range(0, len(data), MOST_BYTES):
            with trio.move_on_after(SEND_SECONDS) as scope:
                await self.stream.send_all(data[start : start + MOST_BYTES])
            if scope.cancelled_caught:
                await trio.aclose_forcefully(self.stream)
                raise trio.BrokenResourceError("it does not read")

    async def receive_some(self, most: int) -> bytes:
        return bytes(await self.stream.receive_some(most))

    async def send_eof(self) -> None:
        if isinstance(self.stream, trio.SocketStream):  # TLS has no such thing
            await self.stream.send_eof()

    async def aclose(self) -> None:
        await self.stream.aclose()


Responder = Callable[[PeerConnection, Scope, Receive, Send], Awaitable[None]]


def _connection(plain: trio.SocketStream, tls: ssl.SSLContext | None) -> PeerConnection:
    stream = trio.SSLStream(plain, tls, server_side=True, https_compatible=True) if tls else plain
    return PeerConnection(stream, plain.socket, _host(plain.socket))


class _Server(TCPServer):
    """Hypercorn's side of a connection, without HTTP/2, which no browser speaks here, and gone as soon as its peer is."""

    stream: PeerConnection  # type: ignore[assignment]

    async def run(self) -> None:
        client, server = self.stream.socket.getpeername()[:2], self.stream.socket.getsockname()[:2]
        safe = self.stream.is_safe
        try:
            async with TaskGroup() as group:
                self._task_group = group
                self.protocol = H11Protocol(  # type: ignore[assignment]
                    self.app, self.config, self.context, group, ConnectionState({}), safe, client, server, self.protocol_send
                )
                await self.idle_task.restart(group, self._idle_timeout)
                await self._read_data()
                await self.idle_task.stop()
        finally:
            await self._close()


async def _talk(connection: PeerConnection, answer: Responder, connections: dict[PeerConnection, None]) -> None:
    """Answer the requests of one connection. An error in it ends this connection alone."""
    app = ASGIWrapper(partial(answer, connection))
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_close_when_cancelled, connection)
            await connection.shake_hands()
            await _Server(app, _config(), WorkerContext(None), ConnectionState({}), connection).run()  # type: ignore[arg-type]
            nursery.cancel_scope.cancel()
    except Exception:  # about a peer's bytes; Hypercorn has logged errors of the application
        _LOGGER.debug("a connection ends", exc_info=True)
    finally:
        connections.pop(connection, None)
        connection.socket.close()


async def _close_when_cancelled(connection: PeerConnection) -> None:
    try:
        await trio.sleep_forever()
    finally:
        connection.socket.close()  # a shielded send in there ends by this alone


def _config() -> Config:
    config = Config()
    config.accesslog = None
    config.errorlog = _LOGGER  # errors of our own code, with their tracebacks, for this process's stderr
    config.include_server_header = False
    config.keep_alive_timeout = IDLE_SECONDS
    config.h11_max_incomplete_size = MOST_BYTES
    config.websocket_max_message_size = MOST_BYTES
    return config
