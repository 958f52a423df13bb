"""Python as on a system that has nothing of what only Linux has: put this folder on the
PYTHONPATH. It holds for the arena and its workers, and not for bots, whose environment
is their own. The runner of modules starts without this: a program of test_not_linux.py
that stands for Python, at NOT_LINUX_PYTHON, has it executed there first.

What is taken away: what macOS lacks by what mypy knows (test_not_linux.py compares) and
more, and all below /proc. trio keeps what it has: how it waits itself is its own
affair.
"""

import _ctypes
import builtins
import ctypes
import errno
import fcntl
import io
import os
import posix
import resource
import select
import signal
import sys
import time
import types
from contextlib import suppress

LACKING = {
    os: (
        *(
            "memfd_create",
            "pidfd_open",
            "pipe2",
            "sched_getaffinity",
            "sched_getscheduler",
            "sched_setaffinity",
            "setresgid",
        ),
        *("setresuid", "setxattr", "waitid", "O_PATH", "process_cpu_count"),
    ),
    resource: ("prlimit",),
    select: ("epoll", *(name for name in dir(select) if name.startswith("EPOLL"))),
    signal: ("pidfd_send_signal", "SIGRTMAX", "SIGRTMIN"),
    time: ("CLOCK_BOOTTIME",),
    fcntl: ("F_SETPIPE_SZ", "F_SETLEASE"),
}
LACKING[posix] = LACKING[os]
HIDDEN = "/proc"
CALLS = ("prctl", "syscall")

with suppress(ImportError):  # the runner of modules has no packages
    import trio._core._io_epoll

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
        if name in CALLS:
            raise AttributeError(name)
        return super().__getattr__(name)


def dlsym(handle: int, name: str, real=_ctypes.dlsym) -> int:  # type: ignore[no-untyped-def]
    if name in CALLS:
        raise OSError(name)
    return int(real(handle, name))


for module, names in LACKING.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
for name in ("open", "listdir", "scandir", "readlink", "stat", "lstat", "access", "statvfs"):
    without_proc(os, name)
    if hasattr(posix, name):
        without_proc(posix, name)
without_proc(builtins, "open")
io.open = builtins.open  # type: ignore[assignment]
ctypes.CDLL = NoPrctl  # type: ignore[misc]
_ctypes.dlsym = dlsym
sys.executable = os.environ.get("NOT_LINUX_PYTHON", sys.executable)
sys.platform = "darwin"
