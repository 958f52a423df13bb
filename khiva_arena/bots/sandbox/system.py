"""The facilities of Linux that this system has, determined once, and only here: macOS
has none of them.

Each is tested for; the name of the system does not matter.
"""

import os
import resource
import select
import sys
from typing import NamedTuple

PROC = os.path.isdir("/proc/self/task")
"""True if files in /proc describe processes: without them children, environment, memory
and waits of a process cannot be seen.
"""
PIDFD = hasattr(os, "pidfd_open") and hasattr(os, "waitid")
"""True if the end of a child can be seen without reaping it, and waited for by a
descriptor.
"""
EPOLL = hasattr(select, "epoll")
"""True if one descriptor can stand for all pipes of a match."""
LIMITS_OF_OTHERS = hasattr(resource, "prlimit")
"""True if the limits of a process can be set from outside."""
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes that 1 in ``ru_maxrss`` stands for, which only the system's name shows."""

UNSEEN = "this system does not tell what a process uses, or which others it has started"
"""The text in place of a figure if there is no ``PROC``."""


def why_no_levels() -> str:
    """Return why no level that confines bots can work here, "" if there is no such
    reason.
    """
    if not sys.platform.startswith("linux"):
        return "only Linux has it"
    return "" if PROC else "there is no /proc here"


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Scheduling(NamedTuple):
    """The way in which the system gives a thread time.

    niceness: as os.getpriority tells it
    policy: 0 where the system does not tell it
    cores: the cores on which the thread may run; none where the system does not tell
        them
    """

    niceness: int
    policy: int
    cores: set[int]


def scheduling(thread: int) -> Scheduling:
    """Return a thread's scheduling; 0 stands for the calling thread."""
    policy = os.sched_getscheduler(thread) if hasattr(os, "sched_getscheduler") else 0
    may_use = os.sched_getaffinity(thread) if hasattr(os, "sched_getaffinity") else set()
    return Scheduling(os.getpriority(os.PRIO_PROCESS, thread), policy, may_use)


def lives(pid: str) -> bool:
    """Tell whether there is a process of a number, which may be any text."""
    if PROC:
        return os.path.exists(f"/proc/{pid}")
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True  # somebody else's
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    return True
