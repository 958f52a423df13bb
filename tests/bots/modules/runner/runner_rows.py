"""Modules that call the runner, with the orders to it: what the rows of
protocol/vectors/runner.json are made of.

The modules use their memory alike. A module answers with the pair at ``PAIR``, which is
a frame at ``HEAD``. Its calls put their results into the frame, from ``BODY`` on. Other
pairs, subscriptions and texts begin at ``OTHER``.
"""

import re
import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

from golden import framed
from wasm import assemble, sized, start, vector

from khiva_arena.bots.modules.meter.imports import PARAMS

DONE, PAIR, HEAD, BODY, OTHER = 0, 8, 16, 20, 1_024
SIZE = 65_536
"""The bytes of a page, and of the memory of most rows."""
PLENTY = 1_000_000
KEY = bytes(range(8))
HOST = 8 + 20_000
"""The ticks of ``call`` and of the runner being called."""
WRITE = 4 + HOST + 100
"""The ticks of four constants, ``fd_write`` and one pair, before its bytes."""
NOTE = 1 + HOST + 4
"""The ticks of ``note``, before its call's own arguments."""
ALL = -1
"""The highest address there is, and the greatest count."""
ASK, SAY, END = "ask", "say", "end"
_NOTHING: Mapping[int, bytes] = {}


class Row(NamedTuple):
    """A row before it is played.

    name: what it shows.
    module: before it is rewritten.
    orders: to the runner, each its word, ticks and bytes.
    by_hand: the word and the ticks of each answer, counted from METER.md.
    key: the seat's own number.
    most_bytes: how far the module's memory may grow.
    payload: what the module reads from descriptor 3, None if it has none.
    """

    name: str
    module: bytes
    orders: tuple[tuple[str, int, bytes], ...]
    by_hand: tuple[tuple[str, int], ...]
    key: bytes = KEY
    most_bytes: int = SIZE
    payload: bytes | None = None


def ask(*frames: bytes, ticks: int = PLENTY) -> tuple[tuple[str, int, bytes], ...]:
    """Return the orders of a question. The last of ``frames`` comes with it, the others
    before it.
    """
    return (*((SAY, 0, frame) for frame in frames[:-1]), (ASK, ticks, b"".join(frames[-1:])))


def end(ticks: int = PLENTY) -> tuple[tuple[str, int, bytes], ...]:
    """Return the order that ends the input."""
    return ((END, ticks, b""),)


def call(name: str, *words: int) -> str:
    """Return the code of a call, which leaves its error number as an operand."""
    letters = zip(PARAMS[name], words, strict=True)
    return " ".join(
        [
            *(f"{'i64' if letter == 'I' else 'i32'}.const {word}" for letter, word in letters),
            f"${name}",
        ]
    )


def note(place: int, name: str, *words: int) -> str:
    """Return the code of a call whose error number is byte ``place`` of the answer."""
    return f"i32.const {BODY + place} {call(name, *words)} i32.store8 0\n"


def notes(*calls: tuple[Any, ...]) -> str:
    """Return the code of calls whose error numbers are the first bytes of the
    answer.
    """
    return "".join(note(place, *words) for place, words in enumerate(calls))


def write(pointer: int = PAIR, *, to: int = 1, count: int = 1) -> str:
    """Return the code that writes pairs of pointer and length."""
    return call("fd_write", to, pointer, count, DONE) + " drop\n"


def read(place: int, pointer: int = OTHER, count: int = 1) -> str:
    """Return the code that reads into pairs of pointer and length; the count of bytes
    is at ``place`` of the answer.
    """
    return call("fd_read", 0, pointer, count, BODY + place) + " drop\n"


def pairs(*each: tuple[int, int]) -> bytes:
    """Return pairs of pointer and length as they lie in memory."""
    return b"".join(struct.pack("<II", *pair) for pair in each)


def bot(
    code: str, data: Mapping[int, bytes] = _NOTHING, *, size: int = 0, memory: bytes = b"\1\1\1"
) -> bytes:
    """Return a module of code in which calls stand as ``$name``.

    data: what its memory begins with
    size: bytes of its answer, 0 if it has no frame
    """
    imports = tuple(dict.fromkeys(re.findall(r"\$(\w+)", code)))
    words = re.sub(r"\$(\w+)", lambda found: f"call {imports.index(found[1])}", code)
    frame = {PAIR: pairs((HEAD, 4 + size)), HEAD: struct.pack(">I", size)} if size else {}
    pieces = [
        b"\0" + assemble(f"i32.const {at}") + b"\x0b" + sized(piece)
        for at, piece in {**frame, **data}.items()
    ]
    return start(
        words, imports=imports, memory=memory, sections={11: vector(pieces)} if pieces else {}
    )


def text(*pieces: bytes) -> dict[int, bytes]:
    """Return what lies at ``OTHER``: a pair for each piece, and the pieces behind
    them.
    """
    at, listed, found = OTHER + 8 * len(pieces), [], b""
    for piece in pieces:
        listed.append((at + len(found), len(piece)))
        found += piece
    return {OTHER: pairs(*listed) + found}


def time(word: int, nanoseconds: int, *, clock: int = 1, absolute: bool = False) -> bytes:
    """Return a subscription to a time."""
    return struct.pack("<QB7xI4xQQH6x", word, 0, clock, nanoseconds, 0, absolute)


def descriptor(word: int, number: int, kind: int = 1) -> bytes:
    """Return a subscription to a descriptor, by default to read from it."""
    return struct.pack("<QB7xI28x", word, kind, number)


FRAME = framed(b"hello")
OTHER_FRAME = framed(b"bye")
