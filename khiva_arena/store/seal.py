"""The seal of a store: the hash of its file, taken before all that lies in that file was read and found sound. While the file
has that hash, nothing in it need be checked again, and very many rows are read without their sums.

A seal is derived. It lies beside the file and fits that one alone: whatever changes a byte, be it an arena that knows of no
seal, ends it. If it is lost, cut short or out of date, everything is checked, which takes time and nothing else; so nobody waits
for the disk when it is written. Like a sum it finds damage, not deceit.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from khiva_arena.sandbox import regular_files
from khiva_arena.store import private, shape

SEAL = "arena.seal"
DRAFT = f"{SEAL}-new"
HEAD = "khiva-seal-1"  # another number once more is to be known of what is sealed
MOST_BYTES = 200
PIECE = 2**20
OPEN_FILES = "/dev/fd"
OTHERS = ("-wal", "-journal")  # what SQLite keeps beside a file before it is moved into that

_Mark = tuple[int, ...] | None
"""Of a file: device, number, size and times, which change with what is written to it; None if there is none."""


class _State(NamedTuple):
    """Of a store. mark: of its file. others: a number that changes if others write. own: how many rows were written here."""

    mark: _Mark
    others: int
    own: int


class Seal:
    """What of an open store is known to be sound without a look at its rows."""

    def __init__(self, path: Path, connection: sqlite3.Connection, *, believed: bool) -> None:
        """``path``: its file. ``believed``: whether a seal that is there counts."""
        self._path = path
        self._connection = connection
        self._looked = not believed
        self._sealed: _State | None = None

    def begin(self) -> None:
        """Look at the seal now: a writer's first row ends it."""
        self.holds()

    def holds(self) -> bool:
        """Whether the file is, byte by byte, the one that was sealed. Asked after rows were read, the answer is about them."""
        if not self._looked:
            self._looked = True
            self._sealed = self._look()
        return self._sealed is not None and self._sealed == self._now()

    def kept(self) -> bool:
        """Whether it was, when it was opened, and nothing was written since but by whoever opened it."""
        if self.holds():
            return True
        if self._sealed is None:
            return False
        now = self._now()
        return now.own > self._sealed.own and now.others == self._sealed.others

    def put(self, is_sound: Callable[[], bool]) -> None:
        """Seal the store if ``is_sound``, which reads the file anew, says so of what lies there now: what was read or written
        before proves nothing, since the file may have been damaged meanwhile. Raises OSError if the seal cannot be written."""
        if self.holds():
            return
        with _one_moment(self._connection):
            if (content := _content(self._path)) and is_sound():  # in this order: a later change does not have this hash
                _write(self._path.parent, content)

    def _look(self) -> _State | None:
        try:
            claimed = regular_files.read(self._path.with_name(SEAL), MOST_BYTES, follow=False)
            size = os.stat(self._path).st_size
            if not claimed.startswith(_beginning(size)):
                return None
            with _one_moment(self._connection):
                state = self._now()
                return state if _content(self._path) == claimed else None
        except (OSError, *shape.REFUSED) as error:  # whoever then checks everything says what is wrong
            if shape.is_interrupt(error):
                raise KeyboardInterrupt from None
            return None

    def _now(self) -> _State:
        others = self._connection.execute("PRAGMA data_version").fetchone()[0]
        return _State(_mark(self._path), others, self._connection.total_changes)


@contextmanager
def _one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """As long as a snapshot is held that lies in the file alone, SQLite lets nobody write to that."""
    within = connection.in_transaction
    if not within:
        connection.execute("BEGIN")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield
    finally:
        if not within:
            connection.execute("ROLLBACK")


def _content(path: Path) -> bytes | None:
    """What a seal says of the file as it is; None if it is not the whole store, or cannot be read."""
    file = path.parent.resolve() / path.name  # as SQLite has it open
    before = _mark(file)
    for end in OTHERS:
        with suppress(FileNotFoundError):
            if os.stat(f"{file}{end}").st_size:
                return None
    descriptor = _descriptor(file)
    if descriptor is None or before is None:
        return None
    hashed, size = sha256(), 0
    while piece := os.pread(descriptor, PIECE, size):
        hashed.update(piece)
        size += len(piece)
    return _beginning(size) + f"{hashed.hexdigest()}\n".encode() if _mark(file) == before else None


def _beginning(size: int) -> bytes:
    return f"{HEAD} {size} ".encode()


def _mark(path: Path) -> _Mark:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _descriptor(path: Path) -> int | None:
    """By which SQLite has the file open, None if that cannot be told. It is not opened a second time, since all locks that a
    process holds on a file are lost as soon as it closes it once."""
    looked_for = os.lstat(path)
    for name in os.listdir(OPEN_FILES):
        with suppress(OSError):  # the listing's own, which is closed by now
            if os.path.samestat(os.fstat(int(name)), looked_for):
                return int(name)
    return None


def _write(folder: Path, content: bytes) -> None:
    draft = folder / DRAFT
    draft.unlink(missing_ok=True)  # what a kill has left
    descriptor = private.open_file(draft, os.O_WRONLY)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)
    draft.replace(folder / SEAL)
