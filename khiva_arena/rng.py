"""The stream khiva-stream-1: the arena's only source of chance in a game, in integers
and SHA-256 alone.

A stream is named by a 32-byte secret and a path of labels, one stream for each purpose
and ordinal. So the number of draws for one purpose never shifts another. Normative text
and vectors: ``protocol/SPEC.md`` and ``protocol/vectors/streams.json``.
"""

import struct
from collections.abc import Callable, MutableSequence
from typing import TypeVar

try:
    # Like the standard library's random: hashlib loads OpenSSL, and a bot that searches
    # would load it for each match.
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]  # before Python 3.12
    except ImportError:
        from hashlib import sha256

short_sha256 = sha256
"""SHA-256 that is quick for few bytes; of many, ``hashlib`` has the quicker one."""
T = TypeVar("T")
SECRET_BYTES = 32
_TWO_64 = 1 << 64
_four_u64 = struct.Struct(">4Q").unpack
_u64 = struct.Struct(">Q").pack
_u32 = struct.Struct(">I").pack
Change = Callable[[bytes, int, int], int]
_change: Change | None = None


class Stream:
    """A stream of unsigned 64-bit numbers.

    ``secret`` is 32 bytes; ``labels`` are the stream's name. Raises ValueError on a
    secret of another length.
    """

    __slots__ = ("_block", "_key", "_ready")

    def __init__(self, secret: bytes, *labels: str) -> None:
        if len(secret) != SECRET_BYTES:
            raise ValueError(f"a stream's secret is {SECRET_BYTES} bytes, not {len(secret)}")
        parts = [label.encode() for label in labels]
        self._key = sha256(
            b"khiva-stream-1\0" + secret + b"".join(_u32(len(e)) + e for e in parts)
        ).digest()
        self._block = 0
        self._ready: list[int] = []

    def u64(self) -> int:
        """Return the next number, 0 to 2**64 - 1. Block i is SHA-256(key || u64be(i)),
        read as four big-endian numbers.
        """
        if not self._ready:
            a, b, c, d = _four_u64(sha256(self._key + _u64(self._block)).digest())
            self._block += 1
            self._ready = [d, c, b, a]
        number = self._ready.pop()
        return (
            number
            if _change is None
            else _change(self._key, 4 * self._block - len(self._ready) - 1, number)
        )

    def blocks(self, count: int) -> bytes:
        """Return the next ``count`` whole blocks, 32 bytes each, which are four numbers
        of 8 bytes, big-endian. The rest of a block that was begun is thrown away.
        """
        first, key = self._block, self._key
        self._block, self._ready = first + count, []
        return b"".join(
            [sha256(key + _u64(block)).digest() for block in range(first, first + count)]
        )

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1, each equally likely: draws at or above the
        largest multiple of n are thrown away.
        """
        if n < 1:
            raise ValueError(f"below() takes a number of at least 1, not {n}")
        limit = _TWO_64 - _TWO_64 % n
        x = self.u64()
        while x >= limit:
            x = self.u64()
        return x % n

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle in place by Fisher-Yates: for i from the last index down to 1, swap
        item i with item below(i + 1).
        """
        u64 = self.u64
        for i in range(len(items) - 1, 0, -1):
            # below(i + 1), written out: this loop is a tenth of a random game's time.
            n = i + 1
            x = u64()
            while x >= _TWO_64 - _TWO_64 % n:
                x = u64()
            j = x % n
            items[i], items[j] = items[j], items[i]


class Changed:
    """A ``with`` block inside which ``change`` replaces each draw of any stream of this
    process. ``change`` gets the key of the stream, the place in it, from 0, and the
    number there. Only the check of games uses it, to see the effect of another draw:
    ``games/draws.py``.
    """

    def __init__(self, change: Change) -> None:
        self._mine = change

    def __enter__(self) -> None:
        global _change
        self._before, _change = _change, self._mine

    def __exit__(self, *_: object) -> None:
        global _change
        _change = self._before
