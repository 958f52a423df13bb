"""Calls that Python has no name for, and what the zoo is told about its surroundings."""

import ctypes
import os
import sys
from collections.abc import Callable

CALLS = {  # by machine: x86_64, aarch64
    "exit": (60, 93),
    "process_vm_readv": (310, 270),
    "ptrace": (101, 117),
    "shmget": (29, 194),
    "unshare": (272, 97),
    "mount": (165, 40),
    "umount2": (166, 39),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "ioprio_set": (251, 30),
}
# An attack is told what a clever one would find out: the arbiter's process, its store, another bot's file, a shared key.
ARBITER, STORE, OTHER_BOT, SHARED_KEY = (f"ZOO_{name}" for name in ("ARBITER", "STORE", "OTHER_BOT", "SHARED_KEY"))


def call(name: str, *words: object) -> int:
    """A system call. Raises OSError."""
    number = CALLS[name][os.uname().machine == "aarch64"]
    result = ctypes.CDLL(None, use_errno=True).syscall(number, *words)
    if result < 0:
        failed(ctypes.get_errno())
    return int(result)


def failed(number: int) -> None:
    """Raise what a system call failed with."""
    raise OSError(number, os.strerror(number))


def told(name: str) -> str:
    """What we were told, or something that is nowhere."""
    return os.environ.get(name, "0" if name != STORE else "/nowhere")


def siblings() -> list[int]:
    """The other bots of our match, as far as we see them: they carry our mark as their last word."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    return [pid for pid in pids if pid not in (1, os.getpid()) and words_of(pid)[-1:] == [sys.argv[-1]]]


def words_of(pid: int) -> list[str]:
    """A process's command line; nothing where it cannot be read."""
    try:
        with open(f"/proc/{pid}/cmdline", errors="replace") as file:
            return file.read().rstrip("\0").split("\0")
    except OSError:
        return []


def read(path: str) -> bytes:
    """The beginning of a file that is not ours."""
    with open(path, "rb") as file:
        return file.read(4096)


def got(path: str) -> str:
    """What we got of a file that is not ours."""
    return f"{len(read(path))} bytes of {path}"


def in_child(attack: Callable[[], object]) -> None:
    """Try it in a child, whose end undoes it."""
    pid = os.fork()
    if pid == 0:
        try:
            attack()
        except OSError as error:
            os._exit(error.errno or 1)
        os._exit(0)
    if code := os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
        failed(code)
