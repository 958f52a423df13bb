"""The relay's reading of frames from the arena, and the errors of a connection in
words.
"""

from __future__ import annotations

import socket
import ssl
import time
from typing import Any, Iterator  # noqa: UP035 - for Python 3.9

from khiva_arena.extensions.seats.relay_protocol import HEAD, MOST, LinkBreach, same, values_of

CHUNK = 65_536
LONGEST_LINE = 300
OTHER = "it speaks another protocol"


class Ended(Exception):
    """The end of the relay, which has nothing left to do: the exit code, and a text for
    the user.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def read_now(connection: socket.socket) -> bytes | None:
    """Return the bytes that are there now, b"" at the end of the connection; None if
    nothing is there.
    """
    try:
        return connection.recv(CHUNK)
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return None


def receive_frames(connection: socket.socket, until: float) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield frames that come before ``until`` on a connection that blocks: kind,
    session and bytes.

    Bytes after the last frame that is asked for are not read. Raises LinkBreach,
    TimeoutError and ConnectionError.
    """
    while True:
        head = _exactly(connection, HEAD.size, until)
        kind, session, size = HEAD.unpack(head)
        if size > MOST:
            raise LinkBreach(OTHER)
        yield kind, session, _exactly(connection, size, until)


def _exactly(connection: socket.socket, size: int, until: float) -> bytes:
    data = b""
    while len(data) < size:
        if (seconds := until - time.monotonic()) <= 0:  # it may come a byte at a time
            raise TimeoutError
        connection.settimeout(seconds)
        chunk = connection.recv(size - len(data))
        if not chunk:
            raise ConnectionError("the other side closed it")
        data += chunk
    return data


def object_of(
    frames: Iterator[tuple[bytes, int, bytes]], expected_kind: bytes, shown_proof: str = ""
) -> dict[str, Any]:
    """Return the object of the next frame. Raises LinkBreach, ConnectionError, Ended.

    shown_proof: the arena's proof, with which a refusal may be final
    """
    kind, _, data = next(frames)
    if kind not in (expected_kind, b"R"):
        raise LinkBreach(OTHER)
    try:
        values = values_of(data)
    except LinkBreach:
        raise LinkBreach(OTHER) from None
    if kind == b"R":
        text = harmless(str(values.get("text")))
        if shown_proof and values.get("final") and same(values.get("proof"), shown_proof):
            raise Ended(2, text)
        raise ConnectionError(text)
    return values


def explain(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message}); name it with --ca FILE"
    if isinstance(error, ssl.SSLError):
        return "it speaks no TLS, which this address needs"
    if isinstance(error, (TimeoutError, socket.timeout)):
        return "no answer; an arena that expects TLS needs --tls or --ca here"
    return harmless(str(getattr(error, "strerror", None) or error))


def harmless(text: str) -> str:
    """Return a line that others wrote, safe for a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:LONGEST_LINE])


def address_text(pair: tuple[str, int]) -> str:
    return f"[{pair[0]}]:{pair[1]}" if ":" in pair[0] else f"{pair[0]}:{pair[1]}"
