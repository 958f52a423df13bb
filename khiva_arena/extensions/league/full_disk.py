"""A full disk under a league: an error that comes of one, and a player that waits until
there is room again.

A player ends by itself only after a day of waiting, so that a disk that was full for a
night ends no league.
"""

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from khiva_arena.common.machine import with_causes
from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.display.terminal.interrupts import if_interrupted
from khiva_arena.errors import StoreError, StoreFull
from khiva_arena.records.store import locks

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
FULL_IN_SQLITE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
FIRST_WAIT, LONGEST_WAIT = 60.0, 600.0
"""The seconds of the first wait, and of the longest; each takes twice as long as the
one before.
"""
MOST_WAITS = 86_400.0
"""The seconds of waiting after which a player ends."""
clock, pause = time.monotonic, time.sleep
"""The clock that waits go by, and what passes their time."""
T = TypeVar("T")


def disk_is_full(error: BaseException) -> bool:
    """Tell whether an error, one that caused it, or one of its group, says that a disk
    has no room or fails.
    """
    return any(map(_says_full, with_causes(error)))


def _says_full(error: BaseException) -> bool:
    if isinstance(error, sqlite3.Error):
        code = (
            getattr(error, "sqlite_errorcode", 0) & 0xFF
        )  # an extended code tells which call failed
        return code in FULL_IN_SQLITE or "disk is full" in str(error)
    return isinstance(error, OSError) and error.errno in FULL


def outlast(work: Callable[[], T], folder: Path, say: Say, *, waits: bool) -> T:
    """Return the result of a player's work, which is begun again and again while a disk
    is full.

    folder: of the league, which nobody else may play meanwhile.
    waits: whether there is any waiting.

    Raises StoreFull if the disk is full and there is no waiting, or it took a day, and
    whatever else ``work`` raises.
    """
    wait, waited = FIRST_WAIT, 0.0
    while True:
        began = clock()
        try:
            return work()
        except Exception as error:
            if not disk_is_full(error):
                raise
            full = error
        if (
            clock() - began > LONGEST_WAIT
        ):  # it has worked since: this is another time that the disk is full
            wait, waited = FIRST_WAIT, 0.0
        if not waits or waited >= MOST_WAITS:
            raise StoreFull(str(full)) from full
        if not waited:
            say(
                f"{_first_words(full)}; the player waits and goes on once there is room: "
                "nothing recorded is lost",
                warning=True,
            )
        with (
            if_interrupted(say, lambda: "the player waits for room on the disk"),
            kept_from_others(folder),
        ):
            pause(wait)
        waited += wait
        wait = min(2 * wait, LONGEST_WAIT)


def _first_words(error: Exception) -> str:
    """Return what is wrong, without advice to give the command again."""
    return harmless(str(error).partition("; ")[0])


@contextmanager
def kept_from_others(folder: Path) -> Iterator[bool]:
    """Hold the lock of a store during this context if that is possible, as it is while
    a player plays. Yield whether it is.
    """
    lock = -1
    with suppress(StoreError, OSError):  # without a lock, the next try says why
        lock = locks.lock(folder)
    try:
        yield lock >= 0
    finally:
        if lock >= 0:
            os.close(lock)
