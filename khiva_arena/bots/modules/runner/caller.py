"""The module that calls a function of WASI: its memory, descriptors and payload."""

from _struct import unpack_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    class System(Protocol):
        """The world behind a module's descriptors and clocks. A method raises OSError
        if the system refuses.
        """

        def read(self, descriptor: int, views: Sequence[memoryview]) -> int:
            """Read what there is, at most into all views, and wait for a first byte.
            Return the count of bytes, 0 at the end.
            """

        def write(self, descriptor: int, views: Sequence[memoryview]) -> int:
            """Write the views in turn. Return the count of bytes that were taken."""

        def close(self, descriptor: int) -> None:
            """Close a descriptor."""

        def now(self, clock: int) -> int:
            """Return nanoseconds by a clock of wasi.py: ``REAL``, ``STEADY``,
            ``SPENT`` by the process or ``SPENT_HERE`` by the thread.
            """

        def resolution(self, clock: int) -> int:
            """Return the nanoseconds of a clock's smallest step."""

        def random(self, view: memoryview) -> None:
            """Fill a view with random bytes."""

        def wait(self, descriptors: Sequence[int], nanoseconds: int | None) -> Sequence[int]:
            """Wait until a descriptor is ready, or so long; None: as long as it takes.
            Return the descriptors that are ready.
            """

        def pay(self, ticks: int) -> None:
            """Take the price of a call, as METER.md has it, before the call works."""


SUCCESS, BADF, FAULT, INVAL, IO, NOTSUP, SPIPE = 0, 8, 21, 28, 29, 58, 70
STANDARD, PAYLOAD = (0, 1, 2), 3
VECTOR, SUBSCRIPTION, EVENT, STATE = 8, 48, 32, 24


class Errno(Exception):
    """Signal the error number that a function answers with."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Exit(Exception):
    """Signal that the module ends, with a code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Caller:
    """A module at work.

    system: what lies behind its descriptors and clocks
    memory: returns its memory as it is now; a call of it makes every earlier view
        invalid
    open: descriptors that it has not closed
    """

    def __init__(self, system: "System", memory: "Callable[[], memoryview]") -> None:
        self.system = system
        self.memory = memory
        self.open = {*STANDARD}
        self._unread = memoryview(b"")

    def add_payload(self, payload: bytes) -> None:
        """Open descriptor 3, from which these bytes are read; b"" is a payload, too."""
        self.open.add(PAYLOAD)
        self._unread = memoryview(payload)

    def must_have(self, descriptor: int) -> None:
        """Raise Errno unless a descriptor is open."""
        if descriptor not in self.open:
            raise Errno(BADF)

    def read_payload(self, _descriptor: int, views: "Sequence[memoryview]") -> int:
        """Give the bytes of the payload that come next, as many as the views hold.
        Return their count, 0 at the end.
        """
        data = self._unread[: sum(map(len, views))]
        self.system.pay(len(data))
        self._unread = self._unread[len(data) :]
        scatter(data, views)
        return len(data)


def span(memory: memoryview, pointer: int, size: int) -> memoryview:
    """Return ``size`` bytes of memory at a pointer, neither negative. Raises Errno if
    they are not all there.
    """
    if pointer + size > len(memory):
        raise Errno(FAULT)
    return memory[pointer : pointer + size]


def scatter(data: bytes | memoryview, views: "Sequence[memoryview]") -> None:
    """Copy bytes into views, from the first one on; all views together have room for
    them.
    """
    copy, at = bytes(data), 0  # of bytes, slices are made faster
    for view in views:
        end = at + len(view)
        if end > len(copy):
            view[: len(copy) - at] = copy[at:]
            return
        view[:] = copy[at:end]
        at = end


def vectors_of(memory: memoryview, pointer: int, count: int) -> list[memoryview]:
    """Return the parts of memory that a list of pointers and sizes names, without empty
    ones.
    """
    table = unpack_from(f"<{2 * count}I", span(memory, pointer, count * VECTOR))
    # No function is called for each pair: a module pays 100 ticks for one, and each may
    # take 5 ns.
    views = [
        memory[at : at + size] for at, size in zip(table[::2], table[1::2], strict=True) if size
    ]
    if sum(map(len, views)) != sum(table[1::2]):  # a slice beyond the end is short
        raise Errno(FAULT)
    return views
