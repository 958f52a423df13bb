"""The lock of a store, which admits one writer."""

import fcntl
import os
import time
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import StoreError
from khiva_arena.records.store import private

LOCK = "arena.lock"
LOCK_SECONDS = (
    0.5  # for an arbiter that is just ending, or a command that looks whether there is one
)


def lock(folder: Path) -> int:
    """Take the lock of a store that is to be written. Raises StoreError when another
    arbiter has it.
    """
    descriptor = private.open_file(folder / LOCK, os.O_RDWR)
    if took_lock(descriptor):
        return descriptor
    os.close(descriptor)
    raise _in_use(folder)


def took_lock(descriptor: int) -> bool:
    """Take the lock of an open file, and tell whether that was possible: whoever has it
    and is just ending gets a moment.
    """
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
        time.sleep(0.02)


def check_unlocked(folder: Path) -> None:
    """Raise StoreError if an arbiter is at work on a store; a first look, before bots
    are built and started.
    """
    if is_locked(folder):
        raise _in_use(folder)


def is_locked(folder: Path) -> bool:
    """Tell whether an arbiter is at work on a store."""
    try:
        file = regular_files.open_file(folder / LOCK, follow=False)
    except FileNotFoundError:
        return False
    with file:
        return _is_taken(file.fileno())


def _is_taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _in_use(folder: Path) -> StoreError:
    return StoreError(
        f"{folder}: another arbiter is at work on this store; wait for it, or give another --out"
    )
