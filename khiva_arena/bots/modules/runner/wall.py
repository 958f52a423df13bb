"""The system of a module that plays by the wall clock: the process's own descriptors,
clocks and random numbers.
"""

import posix
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

CLOCKS = (
    time.CLOCK_REALTIME,
    time.CLOCK_MONOTONIC,
    time.CLOCK_PROCESS_CPUTIME_ID,
    time.CLOCK_THREAD_CPUTIME_ID,
)
PIECE = 65_536


class Wall:
    """The descriptors 0, 1 and 2 of this process, and the machine's clocks.
    ``caller.System`` says what each method does.
    """

    read = staticmethod(posix.readv)
    write = staticmethod(posix.writev)
    close = staticmethod(posix.close)

    def now(self, clock: int) -> int:
        return time.clock_gettime_ns(CLOCKS[clock])

    def resolution(self, clock: int) -> int:
        return max(1, round(time.clock_getres(CLOCKS[clock]) * 1e9))

    def random(self, view: memoryview) -> None:
        for at in range(
            0, len(view), PIECE
        ):  # the copy is the host's memory, and a module may ask for gigabytes
            piece = view[at : at + PIECE]
            piece[:] = posix.urandom(len(piece))

    def pay(self, ticks: int) -> None:
        pass  # nobody is charged by the wall clock

    def wait(self, descriptors: "Sequence[int]", nanoseconds: int | None) -> "Sequence[int]":
        if not descriptors:
            time.sleep((nanoseconds or 0) / 1e9)
            return ()
        from select import poll  # not above: few modules wait for anything but a read

        poller = poll()
        for descriptor in set(descriptors):
            poller.register(descriptor, 1 if descriptor == 0 else 4)
        return [
            descriptor
            for descriptor, _ in poller.poll(None if nanoseconds is None else nanoseconds / 1e6)
        ]
