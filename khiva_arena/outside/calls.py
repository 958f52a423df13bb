"""What the arena and the process of a game say to each other: frames of msgpack, a u32 big-endian length before each."""

import socket
import struct
from typing import Any

import msgspec

from khiva_arena.words import an

VARIABLE = "KHIVA_ARENA_HANDED_GAMES"
"""Of the environment: the games that a command was handed."""
DONE, FAULT, RULES, CONFIG, ILLEGAL = "done", "fault", "rules", "config", "illegal"
"""What comes of a call: its value; the game's fault, in words; errors that the contract allows, with their texts."""
FORK, KILL, STOP = b"F", b"K", b"S"
"""STOP: as KILL, once it has said where it is."""
NUMBER = struct.Struct("<q")
HEADER = struct.Struct(">I")
CPU_SECONDS = 10.0
"""For the import, and for each call but a check."""
WALL_SECONDS = 60.0
STOP_SECONDS = 1.0
"""To say where it is."""
LOOK_SECONDS = 20.0
"""For a look at a game, in all, after which no further step is begun."""
LOOK_CPU_SECONDS = 30.0
"""In which it has to end then."""
MOST_BYTES = 16 * 2**20
"""In one answer."""


class Spec(msgspec.Struct, frozen=True):
    """What code the process is to run; see ``GameSource``.

    folder: the files of the game's own code, by how their paths begin: they are read from source, and named with the line in
        which something was raised.
    """

    module: str
    path: str
    content: bytes | None
    attribute: str
    folder: str


class Unplain(Exception):
    """A game gave something that it must not give; the text says what."""


def _refuse(value: Any) -> Any:
    raise Unplain(f"gives {an(type(value).__name__)}, which is no plain value")


_encode = msgspec.msgpack.Encoder(enc_hook=_refuse).encode
_decode = msgspec.msgpack.Decoder().decode


def framed(value: Any) -> bytes:
    """A frame. Raises Unplain for what cannot be said."""
    payload = bytes(encoded(value))
    return HEADER.pack(len(payload)) + payload


def encoded(value: Any) -> msgspec.Raw:
    """A value, or a part of one. Raises Unplain."""
    try:
        made = _encode(value)
    except (OverflowError, TypeError, ValueError, RecursionError) as error:
        raise Unplain(f"gives what is no plain value: {error}") from None
    if len(made) > MOST_BYTES:
        raise Unplain(f"gives {len(made):,} bytes, more than {MOST_BYTES >> 20} MiB")
    return msgspec.Raw(made)


def strictly(value: Any) -> msgspec.Raw:
    """The same of what a game gives to bots, in which nothing may arrive as something else: a set or a tuple as a list, a date as
    a text. Raises Unplain."""
    made = encoded(value)
    try:
        same = _decode(made) == value
    except msgspec.MsgspecError:
        return made  # whoever reads it says why
    kind = "" if same else _stranger(value)
    if kind:
        raise Unplain(f"gives a {kind}, which is no plain value")
    return made


def _stranger(value: Any) -> str:
    """The type of the first part that msgpack has no form for, "" if all have one."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return next((found for part in parts if (found := _stranger(part))), "")
    return "" if value is None or isinstance(value, int | str | float) else type(value).__name__


def payload_of(source: socket.socket) -> bytes:
    """The next payload, b"" at the end of input."""
    header = _exactly(source, HEADER.size)
    return _exactly(source, HEADER.unpack(header)[0]) if header else b""


def _exactly(source: socket.socket, size: int) -> bytes:
    held = bytearray()
    while len(held) < size:
        data = source.recv(min(size - len(held), 1 << 20))
        if not data:
            return b""
        held += data
    return bytes(held)
