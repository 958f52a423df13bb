"""A seat whose module pays in ticks: what it reads and writes, a clock that shows what
it has spent, and chance of its own.

Theory of operation
===================

A module waits within a call of its own, with its frames on the machine's stack, so each
seat has a thread. One thread runs at any time: as a module until that stands still, and
then as the host, until the host names the seat that runs next (baton.py). From the last
byte of an answer on a module stands still inside its ``fd_write``, until it is asked
again. What it wrote behind that byte answers the next questions, without running.

Nothing here depends on the machine: no clock but the ticks, no chance but the seat's
key, no error but the module's own. A module that waits for more than it was given would
wait for ever: its time is up. The one exception is the backstop: a run that takes far
more of the processor than its ticks may cost is given up, and its thread is left behind
until the process ends.
"""

import _thread
import time
from _blake2 import blake2b

from . import line
from .caller import scatter
from .instance import Instance, OutOfTicks, StackFull, Trapped
from .vm import exports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from .vm import Vm

HEAD, LARGEST_FRAME = 4, 65_536
"""Bytes of a frame's length, and most bytes behind it; see SPEC.md."""
KEPT_FRAMES = 20
"""Whole frames that are kept of what a module writes in one run: more than the arbiter
opens.
"""
NOTES = 65_536
"""Bytes of stderr that are kept of one run."""
TICKS_A_NANO = 10
BLOCKS = 16
"""Blocks of 64 random bytes that are made at once."""
BACKSTOP_SECONDS, BACKSTOP_A_TICK = 1.0, 15e-9
"""CPU time after which a run is given up: more than twice the worst row of METER.md a
used tick, and what a start takes.
"""
THREAD_STACK = 8 << 20
"""Bytes of a thread's stack: the VM's own, and the host's frames on top."""
GIVEN_UP = line.BACKSTOP, b""
BADF = 9


class TickSeat:
    """A module at a table, and the ``System`` that it sees.

    notes: what it wrote on stderr and nobody has taken yet
    run_end: of the run in progress, or the last one: a lock that is acquired by whoever
        ends it, the module or the backstop
    """

    def __init__(self, vm: "Vm", module: int, most_bytes: int) -> None:
        """Make an instance; nothing runs before ``open``.

        most_bytes: how far its memory may grow

        Raises Unfit, Trapped, VmFailed.
        """
        self.notes = bytearray()
        self._inbox: list[memoryview] = []
        self._out = bytearray()
        self._is_input_over = False
        self._end: tuple[int, bytes] | None = None
        self._draws, self._drawn = 0, b""
        self._granted = self._left = self._spent = 0
        self._has_thread = False
        self._clock: int | None = None
        self._resume: Callable[[], None] = lambda: None
        self._mistake: BaseException | None = None
        self._turn, self.run_end = _thread.allocate_lock(), _thread.allocate_lock()
        self._turn.acquire()
        self._vm, self._module = vm, module
        self._instance = Instance(vm, module, self, most_bytes)
        self._instance.allow(most_bytes)

    # --- orders ---

    def open(self, key: bytes, patience: int = 1, payload: bytes | None = None) -> None:
        """Begin a match.

        key: the seed of its random numbers
        patience: how many times as much of the processor as in play its ticks may take
        payload: what it reads from descriptor 3, None if it has none
        """
        self._key, self._patience = key, patience
        if payload is not None:
            self._instance.add_payload(payload)

    def drop(self) -> None:
        """Give a seat in which nothing runs back to the VM."""
        self._instance.drop()

    def say(self, frame: bytes) -> None:
        """Keep a frame to be read."""
        if frame:
            self._inbox.append(memoryview(frame))

    def ask(self, ticks: int) -> "Generator[TickSeat, None, tuple[int, int, bytes]]":
        """Yield this seat if it is to run until it has written a whole frame, for so
        many ticks at most.

        Returns a word of line.py, the ticks that it took and the word's bytes.
        """
        if frame := self._taken():
            return line.ANSWERED, 0, frame
        spent = yield from self._run(ticks)
        if frame := self._taken():
            return line.ANSWERED, spent, frame
        word, told = self._end or (line.TIMEOUT, b"")
        return word, spent, told

    def finish(self, ticks: int) -> "Generator[TickSeat, None, tuple[int, int, bytes]]":
        """End the input, and yield this seat if it is to run to its end, for so many
        ticks at most.
        """
        self._is_input_over = True
        return line.ANSWERED, (yield from self._run(ticks)), b""

    def ticks_by_function(self) -> "list[tuple[int, bytes]]":
        """Return the ticks that were paid in a function, and its name, the most first;
        [] if the module does not count them.
        """
        if self._end == GIVEN_UP:
            return []  # it still runs
        rows = self._instance.ticks_by_function(exports(self._vm, self._module))
        return sorted(((paid, name.encode()) for name, paid in rows if paid), reverse=True)

    def _run(self, ticks: int) -> "Generator[TickSeat, None, int]":
        """Yield this seat if it can run. Return the ticks that were spent, 0 if the run
        was given up.
        """
        if self._end is not None or not ticks:
            return 0
        self._granted = ticks
        self._instance.grant(ticks)
        self.run_end = _thread.allocate_lock()
        yield self
        if self._mistake is not None:
            raise self._mistake
        if self._end == GIVEN_UP:
            return 0
        spent = ticks - max(0, self._left)
        self._spent += spent
        return spent

    # --- its thread, seen from others ---

    def wake(self, resume: "Callable[[], None]") -> None:
        """Let the module run. ``resume``: called on its thread once it stands still, or
        has ended.
        """
        self._resume = resume
        if self._has_thread:
            self._turn.release()
        else:
            self._has_thread = True
            _thread.stack_size(THREAD_STACK)
            _thread.start_new_thread(self._play, ())

    def most_cpu(self) -> float:
        """Return the seconds of CPU that the run may have taken by now, for the ticks
        that it has used.
        """
        return self._patience * (
            BACKSTOP_SECONDS + BACKSTOP_A_TICK * (self._granted - self._instance.ticks)
        )

    def cpu(self) -> float | None:
        """Return the seconds of CPU of the module's thread; None if it has not begun,
        or has ended.
        """
        try:
            return time.clock_gettime(self._clock) if self._clock is not None else None
        except OSError:
            return None

    def give_up(self) -> None:
        """End the seat, and take its ticks. Call this again and again: a block may pay
        meanwhile, and write what it had.
        """
        self._end = GIVEN_UP
        self._instance.take_all_ticks()

    # --- what the module has written ---

    def _taken(self) -> bytes:
        """Take the first whole frame, or bytes that can be none, from what the module
        wrote; b"" if it is not whole.
        """
        out = self._out
        if self._end == GIVEN_UP or (len(out) < HEAD and not (out and out[0])):
            return b""
        size = int.from_bytes(out[:HEAD], "big")
        if out[0] or not 0 < size <= LARGEST_FRAME:
            size = len(out) - HEAD  # the arbiter says what is wrong with it
        if len(out) < HEAD + size:
            return b""
        frame = bytes(out[: HEAD + size])
        del out[: HEAD + size]
        return frame

    # --- the module's thread ---

    def _play(self) -> None:
        end, left, mistake = None, 0, None
        try:
            clock_of = getattr(
                time, "pthread_getcpuclockid", None
            )  # macOS has none: there it is that of the whole process
            self._clock = (
                clock_of(_thread.get_ident()) if clock_of else time.CLOCK_PROCESS_CPUTIME_ID
            )
            end = self._run_to_the_end()
            left = self._instance.ticks
        except BaseException as problem:
            mistake = problem
        if self.run_end.acquire(False):
            self._left, self._end, self._mistake = left, end, mistake
            self._resume()

    def _run_to_the_end(self) -> tuple[int, bytes]:
        try:
            return line.EXITED, (self._instance.run() & 0xFFFF_FFFF).to_bytes(4, "big")
        except OutOfTicks:
            return line.TIMEOUT, b""
        except StackFull as trap:
            return line.STACK, str(trap).encode()
        except Trapped as trap:
            return line.TRAPPED, str(trap).encode()

    def _stand_still(self) -> None:
        left = self._instance.ticks
        if self.run_end.acquire(False):
            self._left = left
            self._resume()
        self._turn.acquire()  # for ever, if the run was given up

    # --- the system ---

    def pay(self, ticks: int) -> None:
        """Take ticks. Raises OutOfTicks if there are too few."""
        self._instance.ticks = left = self._instance.ticks - ticks
        if left < 0:
            raise OutOfTicks

    def read(self, descriptor: int, views: "Sequence[memoryview]") -> int:
        """Give the rest of one frame at the most."""
        if descriptor != 0:
            raise OSError(BADF, "not open for reading")
        room = sum(map(len, views))
        if not room or (not self._inbox and self._is_input_over):
            return 0
        if not self._inbox:
            self.pay(max(0, self._instance.ticks) + 1)
        data = self._inbox[0][:room]
        self.pay(len(data))
        rest = self._inbox[0][len(data) :]
        self._inbox[:1] = [rest] if rest else []
        scatter(data, views)
        return len(data)

    def write(self, descriptor: int, views: "Sequence[memoryview]") -> int:
        """Take all; stand still behind the last byte of an answer."""
        if descriptor == 0:
            raise OSError(BADF, "not open for writing")
        size = sum(map(len, views))
        self.pay(size)
        kept, most = (
            (self._out, KEPT_FRAMES * (HEAD + LARGEST_FRAME))
            if descriptor == 1
            else (self.notes, NOTES)
        )
        for view in views:
            if len(kept) >= most:
                break
            kept += view[: most - len(kept)]
        if descriptor == 1 and self._is_whole():
            self._stand_still()
        return size

    def _is_whole(self) -> bool:
        out = self._out
        size = int.from_bytes(out[:HEAD], "big")
        return bool(out) and (
            out[0] != 0
            or (len(out) >= HEAD and not HEAD <= len(out) < HEAD + size <= HEAD + LARGEST_FRAME)
        )

    def close(self, descriptor: int) -> None:
        """Do nothing: what is written there later is refused before it comes here."""

    def now(self, clock: int) -> int:
        """Return the nanoseconds that stand for what the module has spent."""
        return (self._spent + self._granted - max(0, self._instance.ticks)) // TICKS_A_NANO

    def resolution(self, clock: int) -> int:
        """Return a nanosecond."""
        return 1

    def random(self, view: memoryview) -> None:
        """Fill a view from the stream of the seat's key: BLAKE2b under it of 0, 1, 2
        and so on, as u64.
        """
        at = 0
        while at < len(view):
            if not self._drawn:
                first, self._draws = self._draws, self._draws + BLOCKS
                numbers = range(first, self._draws)
                self._drawn = b"".join(
                    [
                        blake2b(number.to_bytes(8, "big"), key=self._key).digest()
                        for number in numbers
                    ]
                )
            piece = self._drawn[: len(view) - at]
            view[at : at + len(piece)] = piece
            self._drawn = self._drawn[len(piece) :]
            at += len(piece)

    def wait(self, descriptors: "Sequence[int]", nanoseconds: int | None) -> "Sequence[int]":
        """Find every descriptor ready; otherwise spend the time that is waited for."""
        if not descriptors:
            self.pay((nanoseconds or 0) * TICKS_A_NANO)
        return descriptors
