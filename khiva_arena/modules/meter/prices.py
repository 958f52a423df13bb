"""Price list number 1, as data: ticks by class of instructions, by call to the runner, by byte and by page.

A price is never changed: another price is another list with another number. How long a tick of each class takes was measured
(``tests/benchmarks/meter.py``), and protocol/METER.md has the results.
"""

from typing import NamedTuple

NUMBER = 2
PLAIN = {
    "free": 0,
    "plain": 1,
    "float": 4,
    "divide": 8,
    "store": 4,
    "call": 8,
    "jump": 10,
    "indirect": 40,
    "bulk": 200,
    "grow": 2_000,
}
"""The price of an instruction in ticks, by its class."""
LOADS = ((16, 4), (64, 10), (256, 30), (4_096, 50))
"""The price of a load in ticks: of the first step whose pages hold the maximum of the module's memory. A load that waits for
memory takes longer, the more memory there is."""
PAGES = LOADS[-1][0]
"""The most pages of memory, of 64 KiB."""
BULK_SHIFT = 3
"""A bulk instruction pays a tick for each 2 ** BULK_SHIFT bytes, its length rounded down."""
PAGE = 10_000
"""What memory.grow pays for a page, if there can be so many pages at all."""
CALL = 20_000
"""What a call to the runner pays before it works."""
BYTE = 1
"""What the runner takes for a byte that it reads or writes."""
RANDOM_BYTE = 4
"""What the runner takes for a byte of random_get."""
IOVEC = 100
"""What the runner takes for each pair of pointer and length."""
SUBSCRIPTION = 1_000
"""What the runner takes for each subscription of poll_oneoff."""
IOVECS = 1_024
"""The most pairs or subscriptions of a call; with more it fails."""
FRAME = 128
"""The bytes of stack of a call."""
SLOT = 16
"""The bytes of stack of a parameter, of a local, and of an operand where the function has most of them."""
HEIGHT_LIMIT = 1_000_000
"""The bytes of stack that a module may use."""
STACK_BYTES = 1_800_000
"""The bytes of stack that a VM has to offer, so that it never overflows before HEIGHT_LIMIT."""


class Prices(NamedTuple):
    """The prices that hold for a module.

    load: of a load, in ticks.
    pages: the maximum of the module's memory.
    """

    load: int
    pages: int


def prices(pages: int) -> Prices:
    """Return the prices for a module whose memory has at most so many pages, at most ``PAGES``."""
    return Prices(next(price for most, price in LOADS if pages <= most), pages)
