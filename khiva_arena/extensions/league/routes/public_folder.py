"""The public folder of a league as the server reads it: through a descriptor, and anew
whenever the player has written.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import msgspec

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import StoreError
from khiva_arena.extensions.league.public_state import (
    BATCH_LOG,
    HISTORY,
    MATCHES,
    STATE,
    BatchMatches,
    PublicBatch,
    PublicLeague,
    TableThen,
    batches_in,
    history_in,
    matches_in,
    season_file,
    state_in,
)

MOST_BYTES = 256 << 20
T = TypeVar("T")


class Stamp(NamedTuple):
    """The version of a file: another one has another stamp.

    inode: of the file.
    changed_ns: when it was written.
    size: in bytes.
    """

    inode: int
    changed_ns: int
    size: int


class PublicFolder:
    """The open public folder of a league. Its descriptor stays valid for a user who
    could not find the way there.

    path: where it is.
    """

    def __init__(self, path: Path) -> None:
        """Open the folder at a path. Raises OSError."""
        self.path = str(path)
        self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._kept: dict[str, tuple[Stamp, object]] = {}
        self._kept_lines: dict[str, tuple[int, int, list[Any]]] = {}

    def state(self) -> PublicLeague | None:
        """Return the state of the league, None before there is one. Raises StoreError
        if it cannot be read.
        """
        return self._read(STATE, state_in, None)

    def history(self) -> list[TableThen]:
        """Return the table as it stood after each batch. Raises StoreError if the file
        cannot be read.
        """
        return self._lines(HISTORY, history_in)

    def batches(self) -> list[PublicBatch]:
        """Return all batches, the oldest first. Raises StoreError if the file cannot be
        read.
        """
        return self._lines(BATCH_LOG, batches_in)

    def season(self, number: int) -> dict[str, Any] | None:
        """Return the table of a season that is over, None before there is
        one. ``number``: of the season, from 1. Raises StoreError if it cannot be read.
        """
        return self._read(season_file(number), msgspec.json.Decoder(dict).decode, None)

    def matches(self, batch: int) -> BatchMatches | None:
        """Return the matches of a batch, None if they are not public. Raises StoreError
        if they cannot be read.
        """
        name = f"{MATCHES}/{batch}.json"
        try:
            file, _ = self.open(name)
            with file:
                return matches_in(file.read(MOST_BYTES))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{name}: {error.strerror or error}") from None

    def stamps(self) -> tuple[Stamp | None, ...]:
        """Return the versions of the files that pages are made from."""
        return tuple(map(self.stamp, (STATE, HISTORY, BATCH_LOG)))

    def stamp(self, name: str) -> Stamp | None:
        """Return the version of a file, None if it is not there."""
        try:
            status = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError:
            return None
        return _stamp(status)

    def open(self, name: str) -> tuple[BinaryIO, Stamp]:
        """Open a file and return it with its version. Raises OSError if it is not
        there, or no file.
        """
        if not stat.S_ISREG(os.stat(name, dir_fd=self._descriptor, follow_symlinks=False).st_mode):
            raise FileNotFoundError(name)
        flags = os.O_RDONLY | os.O_NOFOLLOW | regular_files.CAREFULLY
        file = os.fdopen(os.open(name, flags, dir_fd=self._descriptor), "rb", buffering=0)
        return file, _stamp(os.fstat(file.fileno()))

    def _lines(self, name: str, add: Callable[[bytes, list[T]], None]) -> list[T]:
        """Return what the lines of a file hold to which lines are added: those that are
        new are read, all of another file.
        ``add``: adds what whole lines hold.
        """
        inode, size, values = self._kept_lines.get(name, (0, 0, []))
        stamp = self.stamp(name)
        if stamp is None:
            return []
        if stamp.inode != inode or stamp.size < size:
            inode, size, values = stamp.inode, 0, []
        if stamp.size > size:
            try:
                file, _ = self.open(name)
                with file:
                    file.seek(size)
                    data = file.read(MOST_BYTES)
            except OSError as error:
                raise StoreError(f"{name}: {error.strerror or error}") from None
            whole = data[: data.rfind(b"\n") + 1]
            add(whole, values)
            self._kept_lines[name] = inode, size + len(whole), values
        return values

    def _read(self, name: str, decode: Callable[[bytes], T], otherwise: T) -> T:
        """Return what a file holds. It is read again if it has become another one."""
        stamp = self.stamp(name)
        if stamp is None:
            return otherwise
        kept = self._kept.get(name)
        if kept is None or kept[0] != stamp:
            try:
                file, stamp = self.open(name)
                with file:
                    kept = stamp, decode(file.read(MOST_BYTES))
            except OSError as error:
                raise StoreError(f"{name}: {error.strerror or error}") from None
            self._kept[name] = kept
        return kept[1]  # type: ignore[return-value]


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_ino, status.st_mtime_ns, status.st_size)
