"""Pages and sockets for browsers: of this machine alone, with a token in the address,
or of everybody.

``serve`` serves on a loopback port. The token is the first part of each path. It is no
cookie: browsers send cookies to every port of a host, so that any other local server
could collect it. ``Host`` is checked, since a name that an attacker owns may point to
127.0.0.1, and ``Origin``, since any page may open a WebSocket anywhere. ``answer_all``
is below it and leaves open who is answered.

Connections are accepted here instead of by Hypercorn's own loop, which does not bound
their number and never ends one that does not read: it shields its sending from
cancellation. They speak HTTP/1.1 and WebSocket alone. A peer that is gone costs nothing
more: its connection ends at the first answer that cannot be sent, whatever it has asked
for beyond that.
"""

import errno
import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from math import ceil

import h11
import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.events import Closed, Event
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount
from starlette.types import Receive, Scope, Send

from khiva_arena.extensions.serve.connections import (
    ConnectionBounds,
    Connections,
    PeerConnection,
    connection_of,
    network_of,
)
from khiva_arena.extensions.serve.guard import MOST_BYTES, Guard
from khiva_arena.extensions.serve.once import OnceOnly

FIRST_INHERITED = 3
"""The descriptor at which a service manager puts the first socket."""
LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 200
"""The most connections at a time; a browser opens about six for a page. Beyond that the
oldest goes that has shown no token; if all have shown it, the new one.
"""
MOST_REQUESTS = 20
"""The requests of a connection; whoever has more of them connects again, behind all who
wait.
"""
IDLE_SECONDS = 5.0
"""The time that a connection may take between two requests, or for the head of one."""
BACKLOG = 1_024
"""The connections that may wait until they are accepted: more readers may come at
once.
"""
NEW_MOST = 0.05
"""The part of all places that newcomers get at a time."""
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""The errors of accepting while there are too many files; later it works again."""
_NO_LISTENER = (errno.EBADF, errno.EINVAL, errno.ENOTSOCK)
"""The errors of a socket that does not listen; any other is of one peer, or of the
network below it.
"""
_LOGGER = logging.getLogger(__name__)


def new_token() -> str:
    """Return a token that nobody guesses, of letters that stay themselves in an
    address.
    """
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
    """Serve routes below ``/TOKEN/`` until this is cancelled; then the port and all
    connections are closed.

    A route of ``/`` is the page at ``address()``. Reports the port: nursery.start()
    returns it. Raises OSError if the port is taken.

    once: an address that leads to one of the routes
    """
    listener = listening(LOOPBACK, port)
    port = listener.getsockname()[1]
    guard = Guard(Starlette(routes=[Mount(f"/{token}", routes=list(routes))]), token, port, once)

    async def answer(
        connection: PeerConnection, scope: Scope, receive: Receive, send: Send
    ) -> None:
        connection.stays = connection.stays or not guard.refusal(scope)
        await guard(scope, receive, send)

    task_status.started(port)
    await answer_all(listener, answer, ConnectionBounds(MOST_CONNECTIONS, MOST_CONNECTIONS))


async def answer_all(
    listener: socket.socket, answer: "Responder", bounds: ConnectionBounds
) -> None:
    """Answer all connections until this is cancelled; then they are closed, and the
    listener is. ``answer``: takes each request, and says of its connection whether it
    stays while there are too many.
    """
    connections = Connections(bounds)
    try:
        async with trio.open_nursery() as nursery:
            while True:
                await trio.lowlevel.wait_readable(listener)
                try:
                    for new in _newcomers(listener, connections, bounds):
                        nursery.start_soon(_talk, new, answer, connections)
                except OSError as error:
                    if error.errno in _NO_LISTENER:
                        raise
                    if error.errno not in _FULL:
                        _LOGGER.exception("a connection is not accepted")
                    await trio.sleep(0.1)
    finally:
        listener.close()


def _newcomers(
    listener: socket.socket, connections: Connections, bounds: ConnectionBounds
) -> Iterator[PeerConnection]:
    """Accept connections that wait, and yield those that got a place. Raises OSError.

    Between two calls every connection goes a step. All that get no place are accepted
    at once, since others wait behind them. Of the others some are, so that none has to
    go before its first request was read.
    """
    places = ceil(bounds.most * NEW_MOST)
    with suppress(BlockingIOError, ConnectionError):  # no more wait, or one has gone again
        for _ in range(BACKLOG):
            plain, address_ = listener.accept()
            connection = _placed(plain, address_[0], connections, bounds)
            if connection is None:
                continue
            yield connection
            places -= 1
            if not places:
                return


def _placed(
    plain: socket.socket, host: str, connections: Connections, bounds: ConnectionBounds
) -> PeerConnection | None:
    """Return the connection of a socket once it has a place; close it and return None
    if it gets none.
    """
    connection = None
    try:
        network = network_of(host)
        if connections.has_place(network):
            connection = connection_of(plain, network, bounds.tls)
            connections.add(connection)
    except Exception:  # one peer keeps out no other
        _LOGGER.exception("a connection is not taken")
    finally:
        if connection is None:
            plain.close()
    return connection


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address. Raises OSError."""
    family, *_, address_ = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address_)
        listener.listen(BACKLOG)
        listener.setblocking(False)
        return listener
    except BaseException:
        listener.close()
        raise


def inherited() -> socket.socket:
    """Return the listening socket that a service manager has handed over, by
    ``LISTEN_FDS``. Raises OSError if there is none.
    """
    if (os.environ.get("LISTEN_PID"), os.environ.get("LISTEN_FDS")) != (str(os.getpid()), "1"):
        raise OSError(errno.ENOTSOCK, "no listening socket was handed over")
    listener = socket.socket(fileno=FIRST_INHERITED)
    listener.set_inheritable(False)
    listener.setblocking(False)
    if not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        raise OSError(errno.ENOTSOCK, "what was handed over does not listen")
    return listener


Responder = Callable[[PeerConnection, Scope, Receive, Send], Awaitable[None]]


class _Requests(H11Protocol):
    """Hypercorn's reading of requests, without the ways to HTTP/2: an ``Upgrade`` to it
    is an ordinary request.
    """

    async def _check_protocol(self, _event: object) -> None:
        pass

    @property
    def is_answering(self) -> bool:
        """Whether an answer has begun, and its end has yet to be sent."""
        return self.stream is not None and self.connection.our_state in (
            h11.SEND_BODY,
            h11.DONE,
            h11.MUST_CLOSE,
        )


class _Server(TCPServer):
    """Hypercorn's side of a connection, without HTTP/2, which no browser speaks here,
    and gone as soon as its peer is.
    """

    stream: PeerConnection  # type: ignore[assignment]
    protocol: _Requests  # type: ignore[assignment]

    async def run(self) -> None:
        client, server = self.stream.socket.getpeername()[:2], self.stream.socket.getsockname()[:2]
        safe = self.stream.is_safe
        try:
            async with TaskGroup() as group:
                self._task_group = group
                self.protocol = _Requests(
                    self.app,
                    self.config,
                    self.context,
                    group,
                    ConnectionState({}),
                    safe,
                    client,
                    server,
                    self.protocol_send,
                )
                await self.idle_task.restart(group, self._idle_timeout)
                await self._read_data()
                await self.idle_task.stop()
        finally:
            await self._close()

    async def protocol_send(self, event: Event) -> None:
        if not (
            isinstance(event, Closed) and self.protocol.is_answering
        ):  # the end of the last answer closes
            await super().protocol_send(event)


async def _talk(connection: PeerConnection, answer: Responder, connections: Connections) -> None:
    """Answer the requests of one connection. An error in it ends this connection
    alone.
    """
    app = ASGIWrapper(partial(answer, connection))
    try:
        with connection.scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_close_when_cancelled, connection)
                await connection.shake_hands()
                context, state = WorkerContext(None), ConnectionState({})
                server = _Server(app, _config(), context, state, connection)  # type: ignore[arg-type]
                await server.run()
                nursery.cancel_scope.cancel()
    except Exception:  # about a peer's bytes; Hypercorn has logged errors of the application
        _LOGGER.debug("a connection ends", exc_info=True)
    finally:
        connections.remove(connection)
        connection.socket.close()


async def _close_when_cancelled(connection: PeerConnection) -> None:
    try:
        await trio.sleep_forever()
    finally:
        connection.socket.close()  # a shielded send in there ends by this alone


def _config() -> Config:
    config = Config()
    config.accesslog = None
    config.errorlog = (
        _LOGGER  # errors of our own code, with their tracebacks, for this process's stderr
    )
    config.include_server_header = False
    config.keep_alive_timeout = IDLE_SECONDS
    config.keep_alive_max_requests = MOST_REQUESTS
    config.h11_max_incomplete_size = MOST_BYTES
    config.websocket_max_message_size = MOST_BYTES
    return config
