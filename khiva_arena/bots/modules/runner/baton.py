"""The host of a table, as work that goes on in whichever thread has just come to a
standstill.

Theory of operation
===================

Each module has a thread (seat_in_ticks.py). If the host had one as well, each question
would take two changes of threads, and these take longer than a quick module. So the
host is a generator. It yields the seat that is to run, and that seat's thread resumes
the generator once its module stands still. A question takes one change of threads, and
none if the same seat is asked again.

The thread that began only watches. A run that takes more of the processor than it may
is given up: then the watching thread resumes the generator, and the thread of the run
is left behind. ``run_end`` of a seat decides between the two.
"""

import _thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from .seat_in_ticks import TickSeat

    Work = Generator[TickSeat, None, Any]

LOOK = 0.5
"""Seconds between two looks at a run's CPU time."""


def run(work: "Work") -> "Any":
    """Do work of the host to its end. ``work``: yields each seat that is to run.
    Returns and raises what it does.
    """
    return _Baton(work).run()


class _Baton:
    """The work, and who has it."""

    def __init__(self, work: "Work") -> None:
        self._work = work
        self._result: Any = None
        self._mistake: BaseException | None = None
        self._over = _thread.allocate_lock()
        self._over.acquire()

    def run(self) -> "Any":
        self._go_on()
        begin: tuple[object, float] = None, 0.0
        left_behind: list[TickSeat] = []
        while not self._over.acquire(True, LOOK):
            for seat in left_behind:
                seat.give_up()
            seat = self._seat
            end, cpu = seat.run_end, seat.cpu()
            if cpu is None or end.locked():
                continue
            if end is not begin[0]:
                begin = end, cpu
            elif cpu - begin[1] > seat.most_cpu() and end.acquire(False):
                seat.give_up()
                left_behind.append(seat)
                self._go_on()
        if self._mistake is not None:
            raise self._mistake
        return self._result

    def _go_on(self) -> None:
        """Resume the work until it yields the next seat, and wake that. Called by the
        one thread that does not wait.
        """
        try:
            self._seat = next(self._work)
            self._seat.wake(self._go_on)
        except StopIteration as end:
            self._result = end.value
            self._over.release()
        except BaseException as mistake:
            self._mistake = mistake
            self._over.release()
