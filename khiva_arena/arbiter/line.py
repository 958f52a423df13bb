"""Batches between the arbiter and a runner of modules, over the runner's stdin and stdout: items behind one length.

A batch is a u32 length and as many bytes of items. An item is its seat and its kind (a byte each), ticks (u64), a u32 length and
as many bytes. All numbers are big-endian. The runner gives one batch for each that it gets.
"""

import struct
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

LENGTH = struct.Struct(">I")
HEAD = struct.Struct(">BBQI")
LARGEST = 1 << 28
"""Most bytes of a batch."""


class TickOrder(IntEnum):
    """What the arbiter tells a runner about a seat.

    OPEN: start a module; bytes: its key of random numbers (u64), the digest of its compiled code (32 bytes), the code's path.
    SAY: keep a frame to be read; nothing runs.
    ASK: keep a frame, and run until a whole frame is written, for so many ticks at most.
    END: end the input, run for so many ticks at most, and drop the module.
    """

    OPEN = 0
    SAY = 1
    ASK = 2
    END = 3


class Word(IntEnum):
    """What a runner tells of a seat, for each OPEN, ASK and END, with the ticks that were spent; STDERR comes before it.

    ANSWERED: bytes: the frame that was written.
    EXITED: bytes: the exit code (u32).
    TRAPPED: bytes: the name of the trap, and behind a zero byte the function's.
    REFUSED: bytes: why the module cannot be played.
    """

    STDERR = 0
    ANSWERED = 1
    TIMEOUT = 2
    EXITED = 3
    TRAPPED = 4
    STACK = 5
    BACKSTOP = 6
    REFUSED = 7


class Item(NamedTuple):
    """An item of a batch; ``kind`` is an ``TickOrder`` or a ``Word``, ``ticks`` a limit or what was spent."""

    seat: int
    kind: int
    ticks: int = 0
    data: bytes = b""


def batch(items: Iterable[Item]) -> bytes:
    """Return the bytes of a batch."""
    parts = []
    for seat, kind, ticks, data in items:
        parts.append(HEAD.pack(seat, kind, ticks, len(data)))
        parts.append(data)
    body = b"".join(parts)
    return LENGTH.pack(len(body)) + body


def missing(data: bytes | bytearray) -> int:
    """Return how many bytes a batch still lacks, negative if there are too many. Raises ValueError if it is too large."""
    if len(data) < LENGTH.size:
        return LENGTH.size - len(data)
    (length,) = LENGTH.unpack_from(data)
    if length > LARGEST:
        raise ValueError(f"a batch of {length:,} bytes")
    return LENGTH.size + int(length) - len(data)


def items_of(data: bytes | bytearray) -> list[Item]:
    """Return the items of a whole batch. Raises ValueError if they do not fill it."""
    items = []
    at = LENGTH.size
    while at < len(data):
        if at + HEAD.size > len(data):
            raise ValueError("an item is cut off")
        seat, kind, ticks, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        if at + length > len(data):
            raise ValueError("an item is cut off")
        items.append(Item(seat, kind, ticks, bytes(data[at : at + length])))
        at += length
    return items
