"""A bot that takes more than it is given, at its second decision: taker.py HOW. Needs
no library, and the zoo's kit on its path.

Says what it was refused on stderr, and plays on. What it takes it keeps.
"""

import ctypes
import mmap
import os
import resource
import signal
import sys
import threading
import time
from contextlib import suppress

from talk import Bot, hang

MIB = 1 << 20
kept = []


def memory() -> None:
    kept.extend(b"x" * (8 * MIB) for _ in range(64))


def shared(size: int = 512 * MIB, flags: int = mmap.MAP_SHARED) -> None:
    area = mmap.mmap(-1, size, flags=flags)
    for at in range(0, size, MIB):
        area[at : at + MIB] = b"x" * MIB
    kept.append(area)
    hang()


def children() -> None:
    for _ in range(6):
        if os.fork() == 0:
            shared(64 * MIB, mmap.MAP_PRIVATE)
    hang()


def orphans() -> None:
    """Memory in processes whose parents are gone."""
    for _ in range(6):
        if os.fork() == 0:
            if os.fork() == 0:
                shared(64 * MIB, mmap.MAP_PRIVATE)
            os._exit(0)
        os.wait()
    hang()


def processes() -> None:
    for _ in range(200):
        if os.fork() == 0:
            hang()


def many_orphans() -> None:
    for _ in range(200):
        pid = os.fork()
        if pid == 0:
            if os.fork() == 0:
                time.sleep(20)
            os._exit(0)
        os.waitpid(pid, 0)
    hang()


def threads() -> None:
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(20,), daemon=True).start()


def file_size() -> None:
    with open(os.path.join(os.environ["HOME"], "large"), "wb") as file:
        file.truncate(512 * MIB)


def open_files() -> None:
    kept.extend(os.open("/dev/null", os.O_RDONLY) for _ in range(5_000))


def cpu() -> None:
    while True:
        pass


def scratch() -> None:
    for number in range(64):
        with open(os.path.join(os.environ["HOME"], f"file{number}"), "wb") as file:
            file.write(b"x" * MIB)
    hang()


def many_files() -> None:
    for number in range(12_000):
        with open(os.path.join(os.environ["HOME"], f"file{number}"), "wb"):
            pass
    hang()


def burns() -> None:
    """A thread and a child that compute all along, asked or not."""
    threading.Thread(target=spin, daemon=True).start()
    if os.fork() == 0:
        spin()


def spin() -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        pass
    os._exit(0)


def stirs() -> None:
    """The same with a timer that has the system send SIGCONT all the time, so that it
    is never stopped for long.
    """
    event = (ctypes.c_char * 64)()
    ctypes.c_int.from_buffer(event, 8).value = signal.SIGCONT
    libc, timer = ctypes.CDLL(None, use_errno=True), ctypes.c_void_p()
    if libc.timer_create(time.CLOCK_MONOTONIC, event, ctypes.byref(timer)):
        raise OSError(ctypes.get_errno(), "timer_create")
    signal.signal(signal.SIGCONT, lambda *_: None)  # what is ignored is not sent
    often = (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000)
    libc.timer_settime(timer, 0, often, None)
    threading.Thread(target=spin, daemon=True).start()


def nothing() -> None:
    pass


def sleeps() -> None:
    time.sleep(0.2)


HOW = {
    function.__name__.replace("_", "-"): function
    for function in (
        memory,
        shared,
        children,
        orphans,
        processes,
        many_orphans,
        threads,
        file_size,
        open_files,
        cpu,
        scratch,
        many_files,
        burns,
        stirs,
        nothing,
        sleeps,
    )
}


def main(how: str, copes: bool) -> None:
    """Play one match. Unless it ``copes``, it dies of what it is refused."""
    bot = Bot()
    bot.read()
    bot.greet()
    decisions = 0
    while message := bot.read():
        if message["type"] == "decide":
            decisions += 1
            if decisions == 2 or (how == "sleeps" and decisions < 10):
                with suppress(*((OSError, MemoryError, RuntimeError) if copes else ())):
                    HOW[how]()
            bot.answer(message)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"used {used.ru_utime + used.ru_stime:.3f}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], "copes" in sys.argv[2:])
