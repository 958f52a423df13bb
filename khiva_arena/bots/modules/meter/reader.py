"""Read the parts of a WebAssembly binary: bytes, numbers of variable length, names and
counts, each with its bounds.
"""

from typing import NoReturn


class ModuleRefused(ValueError):
    """A WebAssembly module that cannot be metered. The text is one line: the place, the
    reason, and a remedy.
    """


def invalid(what: str) -> NoReturn:
    """Raise ``ModuleRefused`` for bytes that the specification of WebAssembly does not
    allow.
    """
    raise ModuleRefused(f"not valid WebAssembly: {what}; build the module again")


def refuse(what: str, remedy: str) -> NoReturn:
    """Raise ``ModuleRefused`` for a feature that may be valid WebAssembly and that the
    meter does not offer.
    """
    raise ModuleRefused(f"not taken by the meter: {what}; {remedy}")


def unsigned(data: bytes, pos: int) -> tuple[int, int]:
    """Return the unsigned number of 32 bits at an offset, in LEB128, and the offset
    behind it.
    """
    value = 0
    for shift in range(0, 35, 7):
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 32:
                break
            return value, pos
    invalid("a number of more than 32 bits")


def signed(data: bytes, pos: int, bits: int) -> tuple[int, int]:
    """Return the signed number at an offset, in LEB128 of at most ``bits`` bits, and
    the offset behind it.
    """
    value = 0
    for shift in range(0, bits, 7):
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            value -= (byte & 0x40) << (shift + 1)
            if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
                break
            return value, pos
    invalid(f"a number of more than {bits} bits")


PADDING = bytes(16)
"""Bytes behind those of a reader, so that a number or an instruction that is cut short
is noticed when it has been read.
"""


class Bytes:
    """Reads values one behind the other. Each method raises ``ModuleRefused`` if the
    bytes end before the value does.

    data: the bytes, with ``PADDING`` behind them.
    pos: the offset of the next value.
    end: the offset at which the bytes end.
    """

    __slots__ = ("data", "end", "pos")

    def __init__(self, data: bytes) -> None:
        self.data, self.pos, self.end = data + PADDING, 0, len(data)

    def __bool__(self) -> bool:
        return self.pos < self.end

    def byte(self) -> int:
        """Read a byte."""
        return self.take(1)[0]

    def take(self, length: int) -> bytes:
        """Read so many bytes."""
        first, self.pos = self.pos, self.pos + length
        if self.pos > self.end:
            invalid("the bytes end too early")
        return self.data[first : self.pos]

    def number(self) -> int:
        """Read an unsigned number of 32 bits."""
        value, self.pos = unsigned(self.data, self.pos)
        self.take(0)
        return value

    def signed(self, bits: int) -> int:
        """Read a signed number of at most ``bits`` bits."""
        value, self.pos = signed(self.data, self.pos, bits)
        self.take(0)
        return value

    def name(self) -> str:
        """Read a name, which is UTF-8 behind its length in bytes."""
        try:
            return self.take(self.number()).decode()
        except UnicodeDecodeError:
            invalid("a name that is not UTF-8")

    def count(self, what: str, most: int) -> int:
        """Read how many values follow; above ``most`` the module is refused. ``what``
        names them in the message.
        """
        value = self.number()
        if value > most:
            refuse(f"{value:,} {what}, above the bound of {most:,}", "make the module smaller")
        return value

    def index(self, what: str, length: int) -> int:
        """Read an index into ``length`` values. ``what`` names one of them in the
        message.
        """
        value = self.number()
        if value >= length:
            invalid(f"{what} {value} does not exist")
        return value

    def part(self) -> "Bytes":
        """Read a part that stands behind its length in bytes, as a reader of its
        own.
        """
        return Bytes(self.take(self.number()))

    def finish(self, what: str) -> None:
        """Check that all bytes have been read. ``what`` names the part in the
        message.
        """
        if self:
            invalid(f"bytes behind the end of {what}")
