"""Reading from the arena on the relay's side, and what is wrong with a connection, in words."""

from __future__ import annotations

import json
import socket
import ssl
import time
from typing import Any, Iterator  # noqa: UP035 - for Python 3.9

from khiva_arena.web.relay_protocol import HEAD, MOST, LinkBreach

CHUNK = 65_536


class Ended(Exception):
    """The relay has nothing left to do: with this exit code, having said why."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def read_now(connection: socket.socket) -> bytes | None:
    """None if nothing is there now."""
    try:
        return connection.recv(CHUNK)
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return None


def received(connection: socket.socket) -> Iterator[tuple[bytes, int, bytes]]:
    """Frames, of a connection that blocks; bytes after the last one that is asked for are not read."""
    while True:
        head = _exactly(connection, HEAD.size)
        kind, session, size = HEAD.unpack(head)
        if size > MOST:
            raise LinkBreach("it speaks another protocol")
        yield kind, session, _exactly(connection, size)


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise ConnectionError("the other side closed it")
        data += more
    return data


def object_of(frames: Iterator[tuple[bytes, int, bytes]], expected: bytes, until: float) -> dict[str, Any]:
    kind, _, data = next(frames)
    if kind not in (expected, b"R") or time.monotonic() > until:
        raise LinkBreach("it speaks another protocol")
    try:
        values = dict(json.loads(data))
    except (ValueError, TypeError):
        raise LinkBreach("it speaks another protocol") from None
    if kind == b"R":
        if values.get("final"):
            raise Ended(2, harmless(str(values.get("text"))))
        raise ConnectionError(harmless(str(values.get("text"))))
    return values


def why(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message}); name it with --ca FILE"
    if isinstance(error, ssl.SSLError):
        return "it speaks no TLS, which this address needs"
    if isinstance(error, (TimeoutError, socket.timeout)):
        return "no answer; an arena that expects TLS needs --tls or --ca here"
    return harmless(str(getattr(error, "strerror", None) or error))


def harmless(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def shown(where: tuple[str, int]) -> str:
    return f"[{where[0]}]:{where[1]}" if ":" in where[0] else f"{where[0]}:{where[1]}"
