"""The files of an entry below ``bots``: its draft, the lock of the command that enters
it, and the league's copy of its bot.
"""

import os
import re
import shutil
from pathlib import Path
from typing import Self

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import ConfigError, StagingError
from khiva_arena.extensions.league.folder import BOTS
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.records.store import locks, private

SHORT = 32
"""The hex digits of an identity that name a bot's folder: too many for two bots to be
made that share them.
"""
DRAFT = "draft-"
"""The beginning of the name of a folder with a bot that is being checked; the number of
its entry follows.
"""


def copy_of(folder: Path, identity: str) -> Path:
    """Return the folder with the copy that a league in a folder has of a
    bot. ``identity``: of its files and commands.

    Raises ConfigError for one that is no hash: the server can write into the queue.
    """
    if not re.fullmatch("[0-9a-f]{64}", identity):
        raise ConfigError(
            f"the queue names a bot by {identity[:40]!r}, which is no identity; it was "
            "altered: restore a copy"
        )
    return folder / BOTS / identity[:SHORT]


def draft_of(folder: Path, number: int) -> Path:
    """Return the folder in which the bot of an entry is checked."""
    return folder / BOTS / f"{DRAFT}{number}"


def _lock_of(folder: Path, number: int) -> Path:
    return folder / BOTS / f"enter-{number}.lock"


class EntryLock:
    """The lock that tells others a command is at work on an entry, until the command
    ends, however it does.

    is_taken: whether this command has it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._number, self._descriptor = folder, 0, -1
        self.is_taken = False

    def take(self, number: int) -> None:
        """Take the lock of an entry. Raises StagingError."""
        path, self._number = _lock_of(self._folder, number), number
        try:
            private.make_folder(path.parent)
            self._descriptor = private.open_file(path, os.O_RDWR)
        except OSError as error:
            raise StagingError(f"{path}: {error.strerror or error}") from None
        self.is_taken = locks.took_lock(self._descriptor)
        if not self.is_taken:
            raise StagingError(
                f"{path}: another `khiva-arena league enter` is at work on it; wait for that"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_taken:
            _lock_of(self._folder, self._number).unlink(missing_ok=True)
        if self._descriptor >= 0:
            os.close(self._descriptor)


def is_at_work(folder: Path, number: int) -> bool:
    """Tell whether a command is at work on an entry that is held."""
    try:
        file = regular_files.open_file(_lock_of(folder, number), follow=False)
    except FileNotFoundError:
        return False
    with file:
        return not locks.took_lock(file.fileno())


def take_back(folder: Path, queue: Queue, number: int, why: str) -> None:
    """Refuse an entry that is not in the league yet, and remove what there is of
    it. ``why``: for its author.
    """
    queue.refuse(number, why)
    forget(folder, queue, number)


def forget(folder: Path, queue: Queue, number: int) -> None:
    """Remove the files of an entry that was refused: its lock, and the copy of its bot,
    unless another entry has the same bot.
    """
    _lock_of(folder, number).unlink(missing_ok=True)
    with queue.hold():  # so that nobody adds one meanwhile
        identity = queue.entry(number).identity
        if identity and all(
            entry.identity != identity or entry.state == "refused" for entry in queue.entries()
        ):
            shutil.rmtree(copy_of(folder, identity), ignore_errors=True)


def take_back_older(folder: Path, queue: Queue, number: int) -> None:
    """Take back what killed commands have left of the bot whose newer entry this is."""
    newer = queue.entry(number)
    for older in queue.entries("waiting", "accepted") if newer.state == "accepted" else ():
        if (
            older.held
            and older.family == newer.family
            and older.number < number
            and not is_at_work(folder, older.number)
        ):
            take_back(folder, queue, older.number, f"entry {number} of this bot took its place")
