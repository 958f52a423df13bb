"""Transcripts: the whole stderr of a bot in a match, packed while it is read, and
unpacked by step.

Packed is DEFLATE without a header, over entries: the number of a step and a length, u32
big-endian each, and so many bytes.
"""

import struct
import zlib
from collections.abc import Iterator

from khiva_arena.common.result import Transcript

PACKED_MOST = 2**20
"""Bytes of a packed transcript at most: some 8 MiB of text, so that a bot that floods
its stderr fills no store.
"""
UNPACKED_MOST = 2**24
"""Bytes of its entries at most: whoever unpacks it holds them in memory."""
STEPS_MOST = 100_000
"""The number of the last step at most: no match is as long, and each step takes
memory.
"""
_LEVEL, _RAW = 6, -15  # zlib's word for no header
_BLOCK, _BLOCK_LEAST = 2**16, 2**9
_ENTRY = struct.Struct(">II")
ENTRIES_MOST = STEPS_MOST + UNPACKED_MOST // _BLOCK_LEAST
"""A packer makes an entry for each step of each block: more of them would only take
time to read.
"""
_LAST_BLOCK = b"\x03\x00"
"""An empty last block of DEFLATE: a piece that was dropped leaves the compressor
without a state in which it could end.
"""


class Packer:
    """A packer of one bot's stderr as it comes. It holds 64 KiB of it, and what it
    packed.
    """

    __slots__ = (
        "_block",
        "_deflate",
        "_entry",
        "_is_full",
        "_most",
        "_packed",
        "_size",
        "_step",
        "_waiting",
        "total",
    )

    def __init__(self, most: int) -> None:
        """Begin before the first request. ``most``: bytes of the packed transcript."""
        self.total = 0
        self._most = min(most, PACKED_MOST)
        self._block = min(
            _BLOCK, max(_BLOCK_LEAST, self._most // 8)
        )  # a block that does not fit is dropped whole
        self._deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
        self._step = self._size = 0
        self._entry = -1  # where the entry of this step begins among the bytes that wait
        self._waiting, self._packed = bytearray(), bytearray()
        self._is_full = False

    def begin_step(self, step: int) -> None:
        """Note that the bot is now sent the request of a step: bytes added from here on
        belong to it.
        """
        self._entry = self._entry if step == self._step else -1
        self._step = step

    def add(self, data: bytes) -> None:
        """Take in more bytes. Those that have no room are only counted."""
        self.total += len(data)
        for at in range(0, len(data), self._block):
            if self._is_full:
                return
            piece = data[at : at + self._block]
            if self._entry < 0:
                self._entry = len(self._waiting)
                self._waiting += bytes(_ENTRY.size)
            self._waiting += piece
            _ENTRY.pack_into(
                self._waiting,
                self._entry,
                self._step,
                len(self._waiting) - self._entry - _ENTRY.size,
            )
            if len(self._waiting) >= self._block:
                self._pack()

    def end(self) -> Transcript:
        """Return the transcript, once the output has ended."""
        if self._waiting and not self._is_full:
            self._pack()
        return Transcript(bytes(self._packed + _LAST_BLOCK) if self._packed else b"", self.total)

    def _pack(self) -> None:
        packed = self._deflate.compress(self._waiting) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        self._size += len(self._waiting)
        self._waiting.clear()
        self._entry = -1
        if (
            len(self._packed) + len(packed) + len(_LAST_BLOCK) > self._most
            or self._size > UNPACKED_MOST
        ):
            self._is_full = True
        else:
            self._packed += packed


def check_size(packed: bytes, total: int) -> None:
    """Raise ValueError for bytes that no packer wrote, or that hold more than
    ``total``. No text is made of them.
    """
    if (kept := sum(len(text) for _, text in _entries(packed))) > total:
        raise ValueError(f"a transcript of {total} bytes holds {kept}")


def unpacked(packed: bytes) -> list[tuple[int, bytes]]:
    """Return the bytes by step, in the order in which they came; step 0 is the start.
    Raises ValueError for bytes that no packer wrote.
    """
    steps: list[tuple[int, bytearray]] = []
    for step, text in _entries(packed):
        if not steps or step > steps[-1][0]:
            steps.append((step, bytearray()))
        steps[-1][1].extend(text)
    return [(step, bytes(text)) for step, text in steps]


def _entries(packed: bytes) -> Iterator[tuple[int, memoryview]]:
    inflate = zlib.decompressobj(_RAW)
    try:
        data = inflate.decompress(packed, UNPACKED_MOST + 1) if packed else b""
    except zlib.error as error:
        raise ValueError(f"a transcript is damaged ({error})") from None
    if packed and (
        len(data) > UNPACKED_MOST
        or not inflate.eof
        or inflate.unused_data
        or len(packed) > PACKED_MOST
    ):
        raise ValueError("a transcript is damaged, or larger than any that an arbiter writes")
    whole, at, before, entries = memoryview(data), 0, 0, 0
    while at < len(data):
        if at + _ENTRY.size > len(data):
            raise ValueError("a transcript is cut short")
        step, length = _ENTRY.unpack_from(data, at)
        at += _ENTRY.size + length
        entries += 1
        if (
            at > len(data)
            or not length
            or not before <= step <= STEPS_MOST
            or entries > ENTRIES_MOST
        ):
            raise ValueError("a transcript has an entry that no arbiter writes")
        yield step, whole[at - length : at]
        before = step
