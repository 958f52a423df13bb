"""The pieces of code that the meter adds to a function."""

from .prices import BULK_SHIFT, HEIGHT_LIMIT, PAGE

_NAN = {0x7D: b"\x43\0\0\xc0\x7f", 0x7C: b"\x44\0\0\0\0\0\0\xf8\x7f"}
"""A constant of each type of floats: its canonical NaN, whose sign is positive."""
_EQUAL = {0x7D: b"\x5b", 0x7C: b"\x61"}


def leb(value: int) -> bytes:
    """Return a number that is not negative in LEB128, unsigned."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def sleb(value: int) -> bytes:
    """Return a number in LEB128, signed."""
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value & 0x7F])


class Pieces:
    """Makes the pieces for a module, whose ticks, height and pages are the three
    globals behind its own.

    A piece that may trap branches to a block around the whole function, ``depth``
    labels up.
    """

    def __init__(self, globals_: int) -> None:
        ticks, height, pages = leb(globals_), leb(globals_ + 1), leb(globals_ + 2)
        self._get_ticks, self._set_ticks = b"\x23" + ticks, b"\x24" + ticks
        self._get_height, self._set_height = b"\x23" + height, b"\x24" + height
        self._get_pages, self._set_pages = b"\x23" + pages, b"\x24" + pages
        self._before = self._after = b""

    def count_in(self, counter: int) -> None:
        """Let each payment from now on be added to a global of type i64, too: the ticks
        before it, less those after.
        """
        get, set_ = b"\x23" + leb(counter), b"\x24" + leb(counter)
        self._before = get + self._get_ticks + b"\x7c" + set_
        self._after = get + self._get_ticks + b"\x7d" + set_

    def stop_below(self, next_: int, function: int) -> None:
        """Let each payment from now on call a function of four numbers if fewer ticks
        are left than a global (i64) says.
        """
        call = b"\x41\x7f" * 4 + b"\x10" + leb(function) + b"\x1a"
        self._after = self._get_ticks + b"\x23" + leb(next_) + b"\x53\x04\x40" + call + b"\x0b"

    def _paid(self, depth: int) -> bytes:
        """Take the price that is on the stack from the ticks, and trap if they become
        negative.
        """
        return (
            b"\x7d"
            + self._set_ticks
            + self._after
            + self._get_ticks
            + b"\x42\0\x53\x0d"
            + leb(depth)
        )

    def pay(self, price: int, depth: int) -> bytes:
        """Return the payment of a block; one that costs nothing has none."""
        return (
            self._before + self._get_ticks + b"\x42" + sleb(price) + self._paid(depth)
            if price
            else b""
        )

    def pay_bytes(self, scratch: int, depth: int) -> bytes:
        """Return the payment by the length that is on the stack, and stays
        there. ``scratch``: a local of type i32.
        """
        local = leb(scratch)
        length = self._before + b"\x22" + local + self._get_ticks + b"\x20" + local + b"\xad"
        return length + b"\x42" + sleb(BULK_SHIFT) + b"\x88" + self._paid(depth)

    def pay_pages(self, scratch: int, depth: int, most: int) -> bytes:
        """Return the payment by the pages on the stack, which are there twice behind
        it: nothing for more than ``most``, since there growing fails. ``scratch``: a
        local of type i32.
        """
        local = leb(scratch)
        pages = (
            self._before
            + b"\x22"
            + local
            + self._get_ticks
            + b"\x20"
            + local
            + b"\x41\0\x20"
            + local
        )
        within = b"\x41" + sleb(most) + b"\x4d\x1b\xad"
        return pages + within + b"\x42" + sleb(PAGE) + b"\x7e" + self._paid(depth) + b"\x20" + local

    def trap_if_refused(self, scratch: int, depth: int) -> bytes:
        """Return the code that traps behind a growth that the machine refused: the
        result is -1, although the pages there are and those asked for are no more than
        the runner allows. The result stays; the pages asked for, below it, do not.

        scratch: a local of type i32
        """
        local = leb(scratch)
        within = b"\x21" + local + b"\xad\x3f\0\xad\x7c" + self._get_pages + b"\xad\x58"
        failed = b"\x20" + local + b"\x41\x7f\x46"
        trap = b"\x04\x40\x41\x7f" + self._set_pages + b"\x0c" + leb(depth + 1) + b"\x0b"
        return within + failed + b"\x71" + trap + b"\x20" + local

    def canonical(self, type_: int, scratch: int) -> bytes:
        """Return the code that makes a NaN on the stack canonical. ``scratch``: a local
        of the type of the float.
        """
        local = leb(scratch)
        return b"\x22" + local + _NAN[type_] + (b"\x20" + local) * 2 + _EQUAL[type_] + b"\x1b"

    def head(self, height: int, block: bytes) -> bytes:
        """Return the beginning of a function: the height is counted, and the block
        opened in which its body stands.

        height: of the function, in bytes of stack.
        block: the type of its results as a block's.
        """
        add = self._get_height + b"\x41" + sleb(height) + b"\x6a" + self._set_height
        return (
            b"\x02\x40"
            + add
            + self._get_height
            + b"\x41"
            + sleb(HEIGHT_LIMIT)
            + b"\x4b\x0d\0\x02"
            + block
        )

    def tail(self, height: int) -> bytes:
        """Return the end of a function: the height is given back, and behind the return
        is the place where it traps.
        """
        return (
            b"\x0b"
            + self._get_height
            + b"\x41"
            + sleb(height)
            + b"\x6b"
            + self._set_height
            + b"\x0f\x0b\0\x0b"
        )
