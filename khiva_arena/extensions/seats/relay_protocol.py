"""The relay protocol, version 1, for both sides: relay.py, which is on another machine,
and relays.py.

Over TCP or TLS both sides send frames: a letter, a session (u32), a length (u32, at
most MOST) and that many bytes. Numbers are big-endian. First come these frames, each
with a JSON object:

    G  arena: a nonce
    H  relay: its name, a nonce, ``life`` (drawn by each relay process), ``run`` and
       ``got`` of the arena that it knows, if it keeps, and a proof: HMAC-SHA256 by the
       token over both nonces, the name and the side that says it
    W  arena: its own proof, the ``run``, ``got``, whether it ``resumed``, and after how
       many seconds a lost link is lost for good
    R  arena, in place of W: why not, and whether that is ``final``, which counts with
       its own proof alone: any listener there may say anything

A session is a bot in one match. The arena sends ``o`` (begin), ``d`` (bytes for stdin),
``n`` (end of input) and ``k`` (end it now). The relay sends:

    1, 2  bytes of stdout and stderr; none in a ``1``: stdout was closed
    i     the bot closed its input
    x     how its program ended, in digits as Python has them; none: the relay itself
          has failed. The last frame of a session

``c``, from both sides, says that so many (u32) bytes more may be sent; a session begins
with WINDOW bytes each way.

All these frames of sessions are counted. A side that connects again says how many
frames it got, and the other side sends the rest again, so that no byte is lost or
doubled. Not counted are ``a`` (u64: so many came, you need not keep them), ``p`` and
``q`` (a ping and its echo), and ``b`` (the arena ends; ``over``: and needs nobody any
more).
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import os
import stat
import struct
from collections import deque
from pathlib import Path
from typing import Any, Iterator  # noqa: UP035 - for Python 3.9

VERSION = 1
HEAD = struct.Struct(">cII")
MOST = 65_536
WINDOW = 262_144
GRANT = WINDOW // 4
ACK_EVERY = 32
LIFE_BYTES = 16
LONGEST_TOKEN = 256
DEAD_SECONDS = 10.0
"""The silence after which a connection is dead, though the arena sends a ping each
second.
"""
GREET_SECONDS = 10.0
POSIX = os.name == "posix"
COUNTED_OF_ARENA, COUNTED_OF_RELAY, NOT_COUNTED = b"odnkc", b"12ixc", b"apqbGHWR"


class LinkBreach(Exception):
    """A message of the other side that the protocol does not allow."""


def packed(kind: bytes, session: int = 0, data: bytes = b"") -> bytes:
    """Encode a frame."""
    return HEAD.pack(kind, session, len(data)) + data


def packed_json(kind: bytes, **values: Any) -> bytes:
    """Encode a frame with a JSON object."""
    return packed(kind, 0, json.dumps(values).encode())


def proof(token: str, side: str, name: str, nonce_of_arena: str, nonce_of_relay: str) -> str:
    """Return the proof that a side, "arena" or "relay", knows the token, without saying
    the token.
    """
    text = "\0".join(("khiva-relay-1", side, name, nonce_of_arena, nonce_of_relay))
    return hmac.new(token.encode(), text.encode(), "sha256").hexdigest()


def same(shown: object, expected: str) -> bool:
    """Tell whether a side has shown the proof that is expected. ``shown`` may be
    anything that came over the wire.
    """
    return isinstance(shown, str) and hmac.compare_digest(
        shown.encode(errors="replace"), expected.encode()
    )


class Frames:
    """A buffer that turns bytes into frames. ``limit``: the most bytes of a frame."""

    def __init__(self, limit: int = MOST) -> None:
        self.limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, int, bytes]]:
        """Yield all whole frames: kind, session and bytes. Raises LinkBreach."""
        self._buffer += data
        at = 0
        try:
            while len(self._buffer) - at >= HEAD.size:
                kind, session, size = HEAD.unpack_from(self._buffer, at)
                if size > self.limit:
                    raise LinkBreach(f"a frame of {size} bytes; {self.limit} are allowed")
                end = at + HEAD.size + size
                if len(self._buffer) < end:
                    break
                data, at = bytes(self._buffer[end - size : end]), end
                yield kind, session, data
        finally:
            del self._buffer[:at]


class Channel:
    """Counted frames, of which each arrives once and in order although connections are
    lost.

    got: how many came from the other side.
    kept_bytes: of frames that the other side has not acknowledged.
    """

    def __init__(self) -> None:
        self.got = 0
        self.kept_bytes = 0
        self._first = 0
        self._kept: deque[bytes] = deque()

    def encode(self, kind: bytes, session: int, data: bytes = b"") -> bytes:
        """Encode a frame, which is kept until the other side says that it came."""
        frame = packed(kind, session, data)
        self._kept.append(frame)
        self.kept_bytes += len(frame)
        return frame

    def count_frame(self) -> bytes:
        """Count a frame of the other side. Returns the acknowledgement that is due, b""
        if none is.
        """
        self.got += 1
        return b"" if self.got % ACK_EVERY else packed(b"a", 0, struct.pack(">Q", self.got))

    def acknowledged(self, count: int) -> bool:
        """Forget the first ``count`` frames of this side, which came. Returns whether
        that is more than was known.

        Raises LinkBreach for an impossible count.
        """
        is_new = count > self._first
        if not self._first <= count <= self._first + len(self._kept):
            raise LinkBreach("an impossible count of frames that came")
        while self._first < count:
            self.kept_bytes -= len(self._kept.popleft())
            self._first += 1
        return is_new

    def again(self, count: int) -> bytes:
        """Return the frames to send again: all after the first ``count``, which came.
        Raises LinkBreach.
        """
        self.acknowledged(count)
        return b"".join(self._kept)


def values_of(data: bytes) -> dict[str, Any]:
    """Return the JSON object of a frame. Raises LinkBreach."""
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):  # brackets may be deeper than Python goes
        values = None
    if not isinstance(values, dict):
        raise LinkBreach("no JSON object")
    return values


def number(data: bytes, form: str) -> int:
    """Return the number of a frame. Raises LinkBreach."""
    if len(data) != struct.calcsize(form):
        raise LinkBreach("a number of another size")
    return int(struct.unpack(form, data)[0])


def address(text: str) -> tuple[str, int]:
    """Return host and port of "HOST:PORT" or "[::1]:PORT". Raises ValueError."""
    host, colon, port = text.rpartition(":")
    host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{text!r} is not an address; write HOST:PORT, as 127.0.0.1:7421")
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Tell whether a host names this machine alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def token_folder() -> Path:
    """Return the folder of the tokens, a file for each name, unless the user names
    another folder.
    """
    return (
        Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        / "khiva-arena"
        / "tokens"
    )


def read_token(file: Path) -> str:
    """Return the token in a file.

    Raises OSError, and ValueError if there is no such file, it holds no token, or
    others may read it or have written it.
    """
    if not file.exists():
        raise ValueError(
            f"{file}: no such file; copy the token there from the arena's machine, or name "
            "it by --token FILE"
        )
    with file.open(encoding="ascii", errors="replace") as stream:
        status = os.fstat(stream.fileno())
        if POSIX and stat.S_IMODE(status.st_mode) & 0o077:
            raise ValueError(
                f"{file}: other users may read this token; chmod 600 it, or let the arena "
                "make another one"
            )
        if POSIX and status.st_uid != os.geteuid():
            raise ValueError(
                f"{file}: belongs to another user, who knows this token; let the arena "
                "make another one, or copy it as yourself"
            )
        token = stream.read(LONGEST_TOKEN + 2).strip()
    if not 16 <= len(token) <= LONGEST_TOKEN:
        raise ValueError(f"{file}: holds no token; the arena makes one when it waits for the relay")
    return token
