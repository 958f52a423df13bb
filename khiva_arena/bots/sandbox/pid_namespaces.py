"""Tell the PID namespaces of processes apart."""

import os
from functools import cache

from khiva_arena.bots.sandbox import system


def namespace(pid: str) -> int:
    """Return the namespace in which a number means this process: a container has its
    own. 0 where /proc is missing.
    """
    return os.stat(f"/proc/{pid}/ns/pid").st_ino if system.PROC else 0


def depth_of(pid: str) -> int:
    """Return how many namespaces a process has a number in: one more than this process
    if its namespace was made in this one's.

    Raises OSError.
    """
    return len(_field(pid, "NSpid").split())


@cache
def own_depth() -> int:
    return depth_of("self")


def first_of_namespace(pid: str) -> str:
    """Return the ancestor of a process, or itself, whose parent is not in its
    namespace. Raises OSError.
    """
    depth = depth_of(pid)
    while (parent := _field(pid, "PPid")) != "0" and depth_of(parent) == depth:
        pid = parent
    return pid


def _field(pid: str, name: str) -> str:
    """Return a field of a process's status, "" if this kernel has none of that name.
    Raises OSError.
    """
    with open(f"/proc/{pid}/status", errors="replace") as file:
        status = file.read()
    return status.partition(f"\n{name}:")[2].partition("\n")[0].strip()
