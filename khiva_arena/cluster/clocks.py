"""A check whether a worker's clock runs as this machine's does.

The time that a worker counts between two answers is compared with the time that has passed here. Each task began after it was
sent and ended before it was heard of, so slow messages widen the bounds and never make them wrong.
"""

import time
from typing import NamedTuple

from khiva_arena.cluster.messages import TaskDone

SHARE, LEAST = 0.02, 0.5
"""A clock is wrong if it differs by this share and so many seconds more. Nothing that keeps clocks right moves them so much."""
JUMP_SECONDS = 60.0
WINDOW_SECONDS = 60.0
"""The age up to which the first answer is the one to compare with. So hours of a right clock do not hide that it no longer is."""
_BOOT = getattr(time, "CLOCK_BOOTTIME", None)


class ClockReading(NamedTuple):
    """The times of one task.

    sent, heard: seconds by this machine's clock
    began, ended: seconds by the worker's clock
    day: the worker's time of day, at the end
    """

    sent: float
    heard: float
    began: float
    ended: float
    day: float


def now() -> float:
    """Return the seconds of a clock that is never set, and that goes on while a machine sleeps if the system has such a clock."""
    return time.monotonic() if _BOOT is None else time.clock_gettime(_BOOT)


def reading(answer: TaskDone, sent_at: float) -> ClockReading:
    """Return the times of an answer that comes in now."""
    return ClockReading(sent_at, now(), answer.ended - answer.seconds, answer.ended, answer.day)


def runs_fast(first: ClockReading, last: ClockReading) -> str:
    """Explain why a worker's clock is fast: it counted more time than there was; "" if it is not. For one answer pass it
    twice."""
    its_seconds, our_seconds = last.ended - first.began, last.heard - first.sent
    if its_seconds <= our_seconds * (1 + SHARE) + LEAST:
        return ""
    return f"its clock runs fast: it counted {its_seconds:.1f} s while {our_seconds:.1f} s passed here"


def runs_slow(first: ClockReading, last: ClockReading) -> str:
    """Explain why a worker's clock is slow, stood still or had its time of day set; "" if it is neither."""
    its_seconds, our_seconds = last.ended - first.began, last.sent - first.heard
    if its_seconds < our_seconds * (1 - SHARE) - LEAST:
        return f"its clock runs slow, or stood still: it counted {its_seconds:.1f} s while {our_seconds:.1f} s passed here"
    jump = (last.day - last.ended) - (first.day - first.ended)
    if abs(jump) > JUMP_SECONDS:
        return f"its time of day was set by {jump:+,.0f} s"
    return ""
