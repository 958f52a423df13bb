"""The messages between the arena and the process of a game: frames of msgpack, a u32
big-endian length before each.
"""

import socket
import struct
from typing import Any

import msgspec

from khiva_arena.words import an

DONE, FAULT, RULES, CONFIG, ILLEGAL = "done", "fault", "rules", "config", "illegal"
"""Kinds of answer to a call: its value; the game's fault, in words; errors that the
contract allows, with their texts.
"""
FORK, KILL, STOP = b"F", b"K", b"S"
"""Requests to the process. STOP ends a fork as KILL does, once the fork has told its
place.
"""
NUMBER = struct.Struct("<q")
HEADER = struct.Struct(">I")
CPU_SECONDS = 10.0
"""Seconds of CPU for the import, and for each call but a check."""
WALL_SECONDS = 60.0
STOP_SECONDS = 1.0
"""Seconds for a fork to tell its place."""
LOOK_SECONDS = 20.0
"""Seconds for a look at a game, in all, after which no further step is begun."""
LOOK_CPU_SECONDS = 30.0
"""Seconds of CPU within which a look at a game has to end."""
MOST_BYTES = 16 * 2**20
"""Bytes of one answer, at most."""


class Spec(msgspec.Struct, frozen=True):
    """The code that the process is to run; see ``GameSource``.

    folder: the beginning of the paths of the game's own files. They are read from
        source, and named with the line in which something was raised.
    files: the game's files of source as they were hashed, by path.
    """

    module: str
    path: str
    content: bytes | None
    attribute: str
    folder: str
    files: dict[str, bytes]


class Unplain(Exception):
    """A value that a game must not give; the text describes it."""


def _refuse(value: Any) -> Any:
    raise Unplain(f"gives {an(type(value).__name__)}, which is no plain value")


_encode = msgspec.msgpack.Encoder(enc_hook=_refuse).encode
_decode = msgspec.msgpack.Decoder().decode


def frame_of(value: Any) -> bytes:
    """Return a frame. Raises Unplain for a value that cannot be sent."""
    payload = bytes(encode(value))
    return HEADER.pack(len(payload)) + payload


def encode(value: Any) -> msgspec.Raw:
    """Return a value, or a part of one, as msgpack. Raises Unplain."""
    try:
        data = _encode(value)
    except (OverflowError, TypeError, ValueError, RecursionError) as error:
        raise Unplain(f"gives what is no plain value: {error}") from None
    if len(data) > MOST_BYTES:
        raise Unplain(f"gives {len(data):,} bytes, more than {MOST_BYTES >> 20} MiB")
    return msgspec.Raw(data)


def strictly(value: Any) -> msgspec.Raw:
    """Return a value that a game gives to bots as msgpack. Raises Unplain if a part
    would arrive as another type.

    So a set or a tuple may not arrive as a list, nor a date as a text.
    """
    data = encode(value)
    try:
        is_same = _decode(data) == value
    except msgspec.MsgspecError:
        return data  # the reader reports the reason
    kind = "" if is_same else _stranger(value)
    if kind:
        raise Unplain(f"gives a {kind}, which is no plain value")
    return data


def _stranger(value: Any) -> str:
    """Return the type of the first part that msgpack has no form for, "" if all have
    one.
    """
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return next((name for part in parts if (name := _stranger(part))), "")
    return "" if value is None or isinstance(value, int | str | float) else type(value).__name__


def payload_of(source: socket.socket) -> bytes:
    """Return the next payload, b"" at the end of input."""
    header = _exactly(source, HEADER.size)
    return _exactly(source, HEADER.unpack(header)[0]) if header else b""


def _exactly(source: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = source.recv(min(size - len(data), 1 << 20))
        if not piece:
            return b""
        data += piece
    return bytes(data)
