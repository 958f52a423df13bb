"""A module with another maximum of its memory, by which loads are priced."""

from .parse import MEMORY, memory_of
from .pieces import leb
from .reader import Bytes, ModuleRefused

PAGES_A_MIB = 16


class MoreAtTheStart(ModuleRefused):
    """A module that begins with more memory than it is to have at the most."""


def most_pages(module: bytes) -> int:
    """Return the maximum of a module's memory, in pages; 0 if it has none. Raises
    ``ModuleRefused`` for no module.
    """
    reader = Bytes(module)
    reader.take(8)
    while reader:
        number = reader.byte()
        section = reader.part()
        if number == MEMORY:
            return memory_of(section)[1]
    return 0


def with_memory(module: bytes, mib: int) -> bytes:
    """Return a module whose memory has another maximum, and every other byte is the
    same.

    mib: the maximum, in MiB

    Raises ``ModuleRefused`` for bytes that are no module of one memory, and
    ``MoreAtTheStart``.
    """
    reader, parts = Bytes(module), list[bytes]()
    parts.append(reader.take(8))
    while reader:
        first, number = reader.pos, reader.byte()
        section = reader.part()
        if number != MEMORY:
            parts.append(module[first : reader.pos])
            continue
        least = memory_of(section)[0]
        if least > mib * PAGES_A_MIB:
            raise MoreAtTheStart(
                f"{least:,} pages of memory at the start, above {mib} MiB; give it more memory"
            )
        limits = b"\1\1" + leb(least) + leb(mib * PAGES_A_MIB)
        parts += bytes([MEMORY]), leb(len(limits)), limits
    return b"".join(parts)
