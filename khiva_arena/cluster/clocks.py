"""Whether a worker's clock runs as ours does. What a worker counts between two answers is held against what has passed here:
each task began after it was sent and ended before it was heard of, so the way of messages makes bounds wider and never wrong."""

import time
from typing import NamedTuple

from khiva_arena.cluster.messages import TaskDone

SHARE, LEAST = 0.02, 0.5
"""A clock is wrong if it differs by such a part and so many seconds more. Nothing that keeps clocks right moves them so much."""
JUMP_SECONDS = 60.0
WINDOW_SECONDS = 60.0
"""Answers are held against the first of so long a time, so that a clock that ran right for hours does not hide that it no longer
does."""
_BOOT = getattr(time, "CLOCK_BOOTTIME", None)


class ClockReading(NamedTuple):
    """When a task was done.

    sent, heard: by our clock
    began, ended: by the worker's
    day: its time of day then
    """

    sent: float
    heard: float
    began: float
    ended: float
    day: float


def now() -> float:
    """Seconds of a clock that is never set, and goes on while a machine sleeps if the system has one that does."""
    return time.monotonic() if _BOOT is None else time.clock_gettime(_BOOT)


def reading(done: TaskDone, sent: float) -> ClockReading:
    """Of an answer that comes in now."""
    return ClockReading(sent, now(), done.ended - done.seconds, done.ended, done.day)


def runs_fast(first: ClockReading, last: ClockReading) -> str:
    """That more has passed for a worker than there was time for, "" if that is not so. For one answer alone: the same twice."""
    counted, most = last.ended - first.began, last.heard - first.sent
    if counted <= most * (1 + SHARE) + LEAST:
        return ""
    return f"its clock runs fast: it counted {counted:.1f} s while {most:.1f} s passed here"


def runs_slow(first: ClockReading, last: ClockReading) -> str:
    """That less has passed for it than must have, or that its time of day was set; "" if neither is so."""
    counted, least = last.ended - first.began, last.sent - first.heard
    if counted < least * (1 - SHARE) - LEAST:
        return f"its clock runs slow, or stood still: it counted {counted:.1f} s while {least:.1f} s passed here"
    jump = (last.day - last.ended) - (first.day - first.ended)
    if abs(jump) > JUMP_SECONDS:
        return f"its time of day was set by {jump:+,.0f} s"
    return ""
