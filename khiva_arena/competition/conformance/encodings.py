"""Every way to write a value in MessagePack. A bot has to understand all, though an
arbiter sends the shortest.
"""

import struct
from itertools import cycle
from typing import Any

from khiva_arena.bots.protocol.codec import HEADER
from khiva_arena.errors import InternalError

_UNSIGNED = (
    (0xCC, ">B", 0xFF),
    (0xCD, ">H", 0xFFFF),
    (0xCE, ">I", 0xFFFF_FFFF),
    (0xCF, ">Q", (1 << 64) - 1),
)
_SIGNED = (
    (0xD0, ">b", 1 << 7),
    (0xD1, ">h", 1 << 15),
    (0xD2, ">i", 1 << 31),
    (0xD3, ">q", 1 << 63),
)
_TEXTS = ((0xD9, ">B", 0xFF), (0xDA, ">H", 0xFFFF), (0xDB, ">I", 0xFFFF_FFFF))
_ARRAYS = ((0xDC, ">H", 0xFFFF), (0xDD, ">I", 0xFFFF_FFFF))
_MAPS = ((0xDE, ">H", 0xFFFF), (0xDF, ">I", 0xFFFF_FFFF))


def frame_of(payload: bytes) -> bytes:
    """Return a frame with this payload."""
    return len(payload).to_bytes(HEADER, "big") + payload


class Encoder:
    """An encoder of plain values as frames. ``widest``: always the longest form; else
    the possible forms are used in turn.
    """

    def __init__(self, *, widest: bool) -> None:
        self._widest = widest
        self._turn = cycle(range(12))

    def frame(self, value: Any) -> bytes:
        """Encode a value as a whole frame."""
        return frame_of(self._value(value))

    def _value(self, value: Any) -> bytes:
        if value is None:
            return b"\xc0"
        if isinstance(value, bool):
            return b"\xc3" if value else b"\xc2"
        if isinstance(value, int):
            return self._integer(value)
        if isinstance(value, str):
            data = value.encode()
            return self._pick(_lengths(_TEXTS, len(data), 0xA0, 31)) + data
        if isinstance(value, list | tuple):
            return self._pick(_lengths(_ARRAYS, len(value), 0x90, 15)) + b"".join(
                map(self._value, value)
            )
        if isinstance(value, dict):
            pairs = b"".join(self._value(key) + self._value(item) for key, item in value.items())
            return self._pick(_lengths(_MAPS, len(value), 0x80, 15)) + pairs
        raise InternalError(f"{value!r} is not a plain value")

    def _integer(self, value: int) -> bytes:
        forms = [
            bytes([tag]) + struct.pack(layout, value)
            for tag, layout, limit in _SIGNED
            if -limit <= value < limit
        ]
        if value >= 0:
            forms += [
                bytes([tag]) + struct.pack(layout, value)
                for tag, layout, limit in _UNSIGNED
                if value <= limit
            ]
        if -32 <= value < 128:
            forms.append(struct.pack(">b", value))
        return self._pick(forms)

    def _pick(self, forms: list[bytes]) -> bytes:
        forms.sort(key=len)
        return forms[-1] if self._widest else forms[next(self._turn) % len(forms)]


def _lengths(
    table: tuple[tuple[int, str, int], ...], size: int, short: int, short_most: int
) -> list[bytes]:
    """Return every form of a head that says a length."""
    forms = [
        bytes([tag]) + struct.pack(layout, size) for tag, layout, limit in table if size <= limit
    ]
    return [bytes([short + size]), *forms] if size <= short_most else forms
