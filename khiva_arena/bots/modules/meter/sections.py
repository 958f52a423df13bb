"""Divide a module into its sections."""

from . import bounds
from .reader import Bytes, invalid, refuse

_ORDER = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11)
"""The numbers of the sections in the order in which they stand."""


def reader_of(sections: dict[int, bytes], number: int) -> Bytes:
    """Return a reader of a section; one that is missing has no entries."""
    return Bytes(sections.get(number, b"\0"))


def read_sections(data: bytes) -> tuple[dict[int, bytes], bytes]:
    """Return the bytes of each section, and those of the name section, "" without
    one.
    """
    reader = Bytes(data)
    if reader.take(4) != b"\0asm":
        invalid("it does not begin as a module does")
    if reader.take(4) != b"\1\0\0\0":
        refuse(
            "a component, or another version of the format",
            "build a core module, as for wasm32-wasip1",
        )
    sections: dict[int, bytes] = {}
    names, last = b"", -1
    for _ in range(bounds.SECTIONS + 1):
        if not reader:
            return sections, names
        number = reader.byte()
        content = reader.part()
        if number == 0:
            if content.name() == "name":
                names = content.take(content.end - content.pos)
            continue
        if number == 13:
            refuse("exceptions", "build without them, as with -fno-exceptions")
        if number not in _ORDER:
            invalid(f"section {number}")
        place = _ORDER.index(number)
        if place <= last:
            invalid(f"section {number} twice, or behind one that follows it")
        sections[number], last = content.take(content.end), place
    refuse(f"more than {bounds.SECTIONS:,} sections", "make the module smaller")


def announced(reader: Bytes) -> int:
    """Read the number of data segments from the section of data counts."""
    number = reader.number()
    reader.finish("the data count")
    return number
