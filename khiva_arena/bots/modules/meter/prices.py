"""Price list number 2, as data: ticks by class of instructions, by call to the runner,
by byte and by page.

A price is never changed: another price is another list with another number. How long a
tick of each class takes was measured (``tests/benchmarks/meter.py``), and
protocol/METER.md has the results.
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
"""The price of a load in ticks: of the first step whose pages hold the maximum of the
module's memory. A load that waits for memory takes longer, the more memory there is.
"""
COLD = ((2**18, 0), (2**20, 10), (3 * 2**20, 14), (2**23, 30), (2**25, 50))
"""How many ticks *cold* is: those of the first step whose bytes hold the module's code
section. A jump takes longer, the more code there is, since the processor's caches do
not hold it all.
"""
COLD_TIMES = {"call": 3, "indirect": 3, "jump": 1}
"""How many times cold an instruction pays beside its price, by class. A block behind an
``else`` or an ``end`` pays it once.
"""
NEAR = 32
"""A branch to a loop that begins at most so many bytes before the branch's end is not
cold.
"""
PAGES = LOADS[-1][0]
"""The most pages of memory, of 64 KiB."""
BULK_SHIFT = 3
"""A bulk instruction pays a tick for each 2 ** BULK_SHIFT bytes, its length rounded
down.
"""
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
"""The bytes of stack of a parameter, of a local, and of an operand where the function
has most of them.
"""
HEIGHT_LIMIT = 1_000_000
"""The bytes of stack that a module may use."""
WORST_NANOSECONDS = 5
"""What a tick lasts at the most on a machine at rest; beside much other work one shape
took 6.7. The backstop is at 15.
"""
STACK_BYTES = 1_800_000
"""The bytes of stack that a VM has to offer, so that it never overflows before
HEIGHT_LIMIT.
"""


class Prices(NamedTuple):
    """The prices that hold for a module.

    load: of a load, in ticks.
    cold: of a jump, in ticks, beside the price of its instruction.
    """

    load: int
    cold: int


def prices(pages: int, code: int) -> Prices:
    """Return the prices for a module whose memory has at most so many pages, and whose
    code section has so many bytes.
    """
    load, cold = (
        next(price for most, price in steps if held <= most)
        for steps, held in ((LOADS, pages), (COLD, code))
    )
    return Prices(load, cold)
