"""Bytes that a hostile bot might send: grown from nothing, or from real frames by
mutation. All chance is ``random.Random``'s, so that a seed, or hypothesis, decides.
"""

import json
import math
import struct
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgpack
from jobs import job
from scripted import honest, play

from khiva_arena.bots.sandbox.command import Command

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors" / "frames.json"
REQ = 1_000
BIG = 2**53 - 1
EDGES = (
    0,
    1,
    31,
    32,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    2**31,
    2**32 - 1,
    2**32,
    BIG - 1,
    BIG,
    BIG + 1,
    2**63,
    2**64 - 1,
)
WORDS = (
    "type",
    "act",
    "hello",
    "req",
    "choice",
    "proto",
    "name",
    "version",
    "caps",
    "note",
    "",
    "\u00e9",
    "\0",
    "x" * 64,
    "x" * 65,
    "\u00e9" * 64,
    "  ",
    "\x1b[m",
)
BAD_TEXT = (b"\xc3\x28", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff", b"ab\xe2\x82")


def framed(payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + payload


@cache
def corpus() -> tuple[bytes, ...]:
    """Payloads of the published vectors, whole or not, and of both directions of a real
    match.
    """
    published = [bytes.fromhex(vector["hex"])[4:] for vector in json.loads(VECTORS.read_text())]
    said: list[bytes] = []

    def heard(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        answers = honest(message)
        said.extend(data[4:] for _, data in answers)
        return answers

    _, wire = play(job([Command((), "")] * 2), [heard, heard])
    told = [msgpack.packb(message) for _, message in wire.sent[:40]]
    return tuple(payload for payload in dict.fromkeys(published + said[:20] + told) if payload)


# --- trees just inside and just outside of the profile, in any encoding ---


def integer(chance: Random, number: int) -> bytes:
    """A number in one of the encodings that hold it, the shortest or not."""
    fits = [tag for tag, form in _INTEGERS.items() if _packs(form, number)]
    shortest = [bytes([number & 0xFF])] if -32 <= number <= 127 else []
    return chance.choice(
        shortest + [bytes([tag]) + struct.pack(_INTEGERS[tag], number) for tag in fits]
    )


_INTEGERS = {
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}


def _packs(form: str, number: int) -> bool:
    bits = 8 * struct.calcsize(form)
    return (
        0 <= number < 2**bits
        if form[1].isupper()
        else -(2 ** (bits - 1)) <= number < 2 ** (bits - 1)
    )


def text(chance: Random, data: bytes) -> bytes:
    """A string of these bytes, valid or not, with a length of any width."""
    return _sized(chance, len(data), 0xA0, 31, {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}) + data


def _sized(chance: Random, size: int, short: int, most: int, long: dict[int, str]) -> bytes:
    forms = [
        bytes([tag]) + struct.pack(form, size) for tag, form in long.items() if _packs(form, size)
    ]
    return chance.choice(forms + [bytes([short + size])] * 3 if size <= most else forms)


def tree(chance: Random, room: int, hostile: float) -> bytes:
    """A value with at most ``room`` levels below it; ``hostile`` is how likely each
    part of it is outside of the profile.
    """
    if chance.random() < hostile:
        return chance.choice(_OUTSIDE)(chance)
    kind = chance.randrange(9) if room > 0 else chance.randrange(6)
    if kind < 2:
        return integer(chance, number(chance))
    if kind < 4:
        return text(chance, word(chance, hostile))
    if kind < 6:
        return chance.choice((b"\xc0", b"\xc2", b"\xc3"))
    size = chance.choice((0, 1, 1, 2, 3))
    if kind == 6:
        head = _sized(chance, size, 0x90, 15, {0xDC: ">H", 0xDD: ">I"})
        return head + b"".join(tree(chance, room - 1, hostile) for _ in range(size))
    return mapping(
        chance, [(word(chance, hostile), tree(chance, room - 1, hostile)) for _ in range(size)]
    )


def mapping(chance: Random, pairs: Sequence[tuple[bytes, bytes]]) -> bytes:
    """A map of encoded values."""
    head = _sized(chance, len(pairs), 0x80, 15, {0xDE: ">H", 0xDF: ">I"})
    return head + b"".join(text(chance, key) + value for key, value in pairs)


def number(chance: Random) -> int:
    edge = chance.choice(EDGES) if chance.random() < 0.3 else chance.randrange(300)
    return max(edge * chance.choice((1, 1, -1)), -(2**63))


def word(chance: Random, hostile: float) -> bytes:
    return chance.choice(BAD_TEXT) if chance.random() < hostile else chance.choice(WORDS).encode()


def nest(levels: int) -> Callable[[Random], bytes]:
    return lambda chance: (
        b"".join(chance.choice((b"\x91", b"\x81\xa1k", b"\xdc\0\1")) for _ in range(levels))
        + b"\x90"
    )


_OUTSIDE: list[Callable[[Random], bytes]] = [
    lambda chance: b"\xca" + struct.pack(">f", chance.choice((0.0, 5.0, -0.5, math.inf, math.nan))),
    lambda chance: (
        b"\xcb" + struct.pack(">d", chance.choice((0.0, 5.0, 1e308, -math.inf, math.nan)))
    ),
    lambda chance: chance.choice((b"\xc4\x00", b"\xc4\x01x", b"\xc5\0\1x", b"\xc6\0\0\0\1x")),
    lambda chance: chance.choice(
        (
            b"\xd4\x05\x00",
            b"\xd6\xff\0\0\0\1",
            b"\xc7\x02\x07ab",
            b"\xd8\xff" + bytes(16),
            b"\xc7\x0c\xff" + bytes(12),
        )
    ),
    lambda chance: integer(chance, chance.choice((2**53, -(2**53), 2**63, 2**64 - 1, -(2**63)))),
    lambda chance: text(chance, chance.choice(BAD_TEXT)),
    lambda chance: b"\x81" + tree(chance, 1, 0.0) + b"\x01",
    lambda chance: b"\xc1",
    lambda chance: nest(chance.choice((14, 15, 16, 17, 40)))(chance),
    lambda chance: (
        chance.choice((b"\xdd", b"\xdf", b"\xdb", b"\xc6"))
        + struct.pack(">I", chance.choice(EDGES[:12]))
    ),
]


def message(chance: Random, req: int = REQ) -> bytes:
    """An act or a hello: its fields in any order, some twice, some missing, some of
    another kind, some unknown.
    """
    hostile = chance.choice((0.0, 0.0, 0.02, 0.2))
    real = {
        b"type": chance.choice((b"\xa3act", b"\xa3act", b"\xa5hello")),
        b"req": integer(chance, req + chance.choice((0, 0, 0, 0, -1, 1))),
        b"choice": integer(chance, chance.choice((0, 1, 5, -1, BIG, 300))),
        b"proto": integer(chance, chance.choice((1, 1, 1, 2))),
        b"name": text(chance, chance.choice(WORDS).encode()),
        b"version": text(chance, chance.choice(WORDS).encode()),
        b"caps": chance.choice(
            (b"\x90", b"\x91\xa1a", b"\x91\xa0", b"\x92\xa1a\xa1b", b"\xdc\0\1\x01", b"\x80")
        ),
    }
    pairs = list(real.items())[: chance.choice((5, 5, 6, 7))]
    for _ in range(chance.choice((0, 0, 1, 2, 4))):
        what = chance.randrange(4)
        at = chance.randrange(len(pairs) + 1)
        if what == 0 and pairs:
            del pairs[at % len(pairs)]
        elif what == 1:
            pairs.insert(at, (chance.choice(list(real)), tree(chance, 2, hostile)))
        elif what == 2:
            pairs.insert(at, (word(chance, hostile), nest(chance.choice((13, 14, 15)))(chance)))
        else:
            pairs.insert(at, (word(chance, hostile), tree(chance, 4, hostile)))
    if chance.random() < 0.5:
        chance.shuffle(pairs)
    return mapping(chance, pairs)


# --- mutation ---


def mutate(chance: Random, data: bytes) -> bytes:
    """One to four changes: a bit, a byte, a run of bytes, a number that is likely a
    length, a splice, a cut.
    """
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(8)
        if kind == 0 and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        elif kind == 1 and at < len(data):
            data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        elif kind == 2:
            data = data[:at] + chance.randbytes(chance.choice((1, 1, 2, 4, 9))) + data[at:]
        elif kind == 3:
            data = data[:at] + data[at + chance.choice((1, 1, 2, 5, 30)) :]
        elif kind == 4:
            data = data[:at] + tree(chance, 3, 0.3) + data[at + chance.randrange(3) :]
        elif kind == 5:
            other = chance.choice(corpus())
            data = data[:at] + other[chance.randrange(len(other)) :]
        elif kind == 6:
            data = data[:at]
        elif at < len(data):
            data = (
                data[:at]
                + data[at : at + chance.randrange(1, 20)] * chance.choice((2, 3))
                + data[at:]
            )
    return data


def payload(chance: Random, req: int = REQ) -> bytes:
    """A payload of any kind."""
    kind = chance.randrange(10)
    if kind < 4:
        return message(chance, req)
    if kind < 5:
        return tree(chance, 5, 0.05)
    return mutate(chance, message(chance, req) if kind < 7 else chance.choice(corpus()))


def stream(chance: Random, req: int, calm: float = 0.0) -> bytes:
    """A few frames, most of them whole, with lengths that lie now and then, or other
    bytes between them. ``calm``: how likely there are only acts for this request or
    earlier ones, or nothing.
    """
    if chance.random() < calm:
        return (
            b"".join(_act(chance, req, req - REQ) for _ in range(chance.choice((0, 1, 1, 1, 2, 6))))
            if req >= REQ
            else b""
        )
    parts = []
    for _ in range(chance.choice((0, 1, 1, 2, 3, 6))):
        kind = chance.randrange(20)
        if kind < 9:
            parts.append(_act(chance, req))
        elif kind < 16:
            parts.append(framed(payload(chance, req)))
        elif kind == 16:
            parts.append(
                struct.pack(">I", chance.choice(EDGES[:12])) + chance.randbytes(chance.randrange(9))
            )
        elif kind == 17:
            parts.append(mutate(chance, framed(message(chance, req))))
        elif kind == 18:
            parts.append(_act(chance, req) * chance.choice((2, 16, 17, 18, 25)))
        else:
            parts.append(_act(chance, req)[: chance.randrange(12)])
    return b"".join(parts)


def _act(chance: Random, req: int, latest: int = 2) -> bytes:
    late = chance.choice((0, 0, 0, 0, 1, 1, 2))
    return framed(
        msgpack.packb(
            {"type": "act", "req": req - min(late, latest), "choice": chance.randrange(5)}
        )
    )


def hello(chance: Random) -> bytes:
    """A hello that is accepted, most often."""
    good = framed(msgpack.packb({"type": "hello", "proto": 1, "name": "bot"}))
    return (
        good
        if chance.random() < 0.8
        else chance.choice((b"", framed(message(chance)), mutate(chance, good)))
    )
