"""Python as on a system that has nothing of what only Linux has: put this folder on the PYTHONPATH. It holds for the arena and
its workers, and not for bots, whose environment is their own.

What is taken away: what macOS lacks by what mypy knows (test_not_linux.py compares) and more, and all below /proc. trio keeps
what it has: how it waits itself is its own affair.
"""

import builtins
import ctypes
import errno
import fcntl
import io
import os
import resource
import select
import signal
import sys
import time
import types

import trio._core._io_epoll

LACKING = {
    os: (
        *("memfd_create", "pidfd_open", "pipe2", "sched_getaffinity", "sched_getscheduler", "sched_setaffinity", "setresgid"),
        *("setresuid", "setxattr", "waitid", "O_PATH", "process_cpu_count"),
    ),
    resource: ("prlimit",),
    select: ("epoll", *(name for name in dir(select) if name.startswith("EPOLL"))),
    signal: ("pidfd_send_signal", "SIGRTMAX", "SIGRTMIN"),
    time: ("CLOCK_BOOTTIME",),
    fcntl: ("F_SETPIPE_SZ", "F_SETLEASE"),
}
HIDDEN = "/proc"

trio._core._io_epoll.select = types.SimpleNamespace(**vars(select))  # type: ignore[assignment]


def without_proc(module: object, name: str) -> None:
    """Make a function that takes a path find nothing there."""
    real = getattr(module, name)

    def call(path=".", *words, **named):  # type: ignore[no-untyped-def]
        if isinstance(path, (str, bytes, os.PathLike)):
            text = os.path.normpath(os.fsdecode(path))
            if text == HIDDEN or text.startswith(f"{HIDDEN}/"):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), text)
        return real(path, *words, **named)

    setattr(module, name, call)


class NoPrctl(ctypes.CDLL):
    def __getattr__(self, name: str):  # type: ignore[no-untyped-def]
        if name in ("prctl", "syscall"):
            raise AttributeError(name)
        return super().__getattr__(name)


for module, names in LACKING.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
for name in ("open", "listdir", "scandir", "readlink", "stat", "lstat", "access", "statvfs"):
    without_proc(os, name)
without_proc(builtins, "open")
io.open = builtins.open  # type: ignore[assignment]
ctypes.CDLL = NoPrctl  # type: ignore[misc]
sys.platform = "darwin"
