"""Pages and sockets for browsers of this machine alone, on a loopback port, with a token in the address.

The token is the first part of each path. It is no cookie: browsers send cookies to every port of a host, so that any other local
server could collect it. ``Host`` is checked, since a name that an attacker owns may point to 127.0.0.1, and ``Origin``, since any
page may open a WebSocket anywhere.

Connections are accepted here instead of by Hypercorn's own loop, which does not bound their number and never ends one that does
not read: it shields its sending from cancellation. They speak HTTP/1.1 and WebSocket alone.
"""

import errno
import logging
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass

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

LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 200
"""The most connections at a time; a browser opens about six for a page. Beyond that the oldest goes that has shown no token; if
all have shown it, the new one."""
SEND_SECONDS = 30.0
"""The time that a reader may take for a piece of an answer before it loses its connection."""
IDLE_SECONDS = 5.0
"""The time that a connection may take between two requests, or for the head of one."""
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""The errors of accepting while there are too many files; later it works again."""
_LOGGER = logging.getLogger(__name__)


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
    listener = _listening(port)
    port = listener.socket.getsockname()[1]
    app = Guard(Starlette(routes=[Mount(f"/{token}", routes=list(routes))]), token, port, once)
    streams: dict[_Stream, None] = {}  # from the oldest on
    try:
        async with trio.open_nursery() as nursery:
            task_status.started(port)
            while True:
                stream = await _accepted(listener)
                if len(streams) >= MOST_CONNECTIONS and not _one_closed(streams):
                    await trio.aclose_forcefully(stream)
                else:
                    streams[connection := _Stream(stream)] = None
                    nursery.start_soon(_talk, connection, app, streams)
    finally:
        listener.socket.close()


def _one_closed(streams: "dict[_Stream, None]") -> bool:
    """Close the oldest connection that has shown no token. Returns whether there was one."""
    for stream in streams:
        if not stream.known:
            stream.socket.close()  # which ends its task
            del streams[stream]
            return True
    return False


def _listening(port: int) -> trio.SocketListener:
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
        return trio.SocketListener(trio.socket.from_stdlib_socket(listener))
    except BaseException:
        listener.close()
        raise


async def _accepted(listener: trio.SocketListener) -> trio.SocketStream:
    while True:
        try:
            return await listener.accept()
        except OSError as error:
            if error.errno not in _FULL:
                raise
            await trio.sleep(0.1)


@dataclass(eq=False, slots=True)
class _Stream:
    """A connection as Hypercorn uses it; a peer that takes too long to read loses it.

    stream: the connection
    known: whether a request on it had the token
    """

    stream: trio.SocketStream
    known: bool = False

    @property
    def socket(self) -> trio.socket.SocketType:
        return self.stream.socket

    async def send_all(self, data: bytes) -> None:
        for start in range(0, len(data), MOST_BYTES):
            with trio.move_on_after(SEND_SECONDS) as scope:
                await self.stream.send_all(data[start : start + MOST_BYTES])
            if scope.cancelled_caught:
                await trio.aclose_forcefully(self.stream)
                raise trio.BrokenResourceError("it does not read")

    async def receive_some(self, most: int) -> bytes:
        return await self.stream.receive_some(most)

    async def send_eof(self) -> None:
        await self.stream.send_eof()

    async def aclose(self) -> None:
        await self.stream.aclose()


class _Server(TCPServer):
    """Hypercorn's side of a connection, without HTTP/2, which no browser speaks here, and gone as soon as its peer is."""

    async def run(self) -> None:
        client, server = self.stream.socket.getpeername(), self.stream.socket.getsockname()
        try:
            async with TaskGroup() as group:
                self._task_group = group
                self.protocol = H11Protocol(  # type: ignore[assignment]
                    self.app, self.config, self.context, group, ConnectionState({}), False, client, server, self.protocol_send
                )
                await self.idle_task.restart(group, self._idle_timeout)
                await self._read_data()
                await self.idle_task.stop()
        finally:
            await self._close()


async def _talk(stream: _Stream, app: Guard, streams: dict[_Stream, None]) -> None:
    """Answer the requests of one connection. An error in it ends this connection alone."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        stream.known = stream.known or not app.refusal(scope)
        await app(scope, receive, send)

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_close_when_cancelled, stream)
            await _Server(ASGIWrapper(answer), _config(), WorkerContext(None), ConnectionState({}), stream).run()  # type: ignore[arg-type]
            nursery.cancel_scope.cancel()
    except Exception:  # about a peer's bytes; Hypercorn has logged errors of the application
        _LOGGER.debug("a connection ends", exc_info=True)
    finally:
        streams.pop(stream, None)
        stream.socket.close()


async def _close_when_cancelled(stream: _Stream) -> None:
    try:
        await trio.sleep_forever()
    finally:
        stream.socket.close()  # a shielded send in there ends by this alone


def _config() -> Config:
    config = Config()
    config.accesslog = None
    config.errorlog = _LOGGER  # errors of our own code, with their tracebacks, for this process's stderr
    config.include_server_header = False
    config.keep_alive_timeout = IDLE_SECONDS
    config.h11_max_incomplete_size = MOST_BYTES
    config.websocket_max_message_size = MOST_BYTES
    return config
