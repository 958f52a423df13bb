"""The seal of a store: a hash that tells that the file was found sound as it is.

The hash is taken before everything in the file is read and found sound. While the file
has this hash, nothing in it need be checked again, and very many rows are read without
their sums.

A seal is derived. It lies beside the file and fits that file alone: a change of any
byte ends it, even by an arena that knows of no seal. If it is lost, cut short or out of
date, everything is checked, which takes time and nothing else; so nobody waits for the
disk when it is written. Like a sum it finds damage, not deceit.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.records.store import private, shape

SEAL = "arena.seal"
DRAFT = f"{SEAL}-new"
HEAD = "khiva-seal-1"  # raise the number when a seal is to promise more
MOST_BYTES = 200
PIECE = 2**20
OPEN_FILES = "/dev/fd"
OTHERS = ("-wal", "-journal")  # rows that SQLite has not moved into the file yet

_Mark = tuple[int, ...] | None
"""Device, number, size and times of a file, which change when it is written; None if
there is no file.
"""


class _State(NamedTuple):
    """The state of a store.

    mark: of its file.
    writes_by_others: a number that changes if others write.
    own_writes: how many rows were written here.
    """

    mark: _Mark
    writes_by_others: int
    own_writes: int


class Seal:
    """The knowledge whether an open store is sound without a look at its rows."""

    def __init__(self, path: Path, connection: sqlite3.Connection, *, trusted: bool) -> None:
        """Prepare the seal of a store. ``path``: the store's file. ``trusted``: whether
        a seal that is there counts.
        """
        self._path = path
        self._connection = connection
        self._has_looked = not trusted
        self._sealed_state: _State | None = None

    def begin(self) -> None:
        """Look at the seal now: a writer's first row ends it."""
        self.holds()

    def holds(self) -> bool:
        """Tell whether the file is, byte by byte, the one that was sealed. Asked after
        rows were read, the answer is about them.
        """
        if not self._has_looked:
            self._has_looked = True
            self._sealed_state = self._look()
        return self._sealed_state is not None and self._sealed_state == self._now()

    def is_kept(self) -> bool:
        """Tell whether the file was sealed when opened and only this connection has
        written since.
        """
        if self.holds():
            return True
        if self._sealed_state is None:
            return False
        now = self._now()
        return (
            now.own_writes > self._sealed_state.own_writes
            and now.writes_by_others == self._sealed_state.writes_by_others
        )

    def put(self, is_sound: Callable[[], bool]) -> None:
        """Seal the store if ``is_sound``, which reads the file anew, finds its contents
        sound. Earlier reads and writes prove nothing, since the file may have been
        damaged meanwhile. Raises OSError if the seal cannot be written.
        """
        if self.holds():
            return
        with _one_moment(self._connection):
            if (
                content := _content(self._path)
            ) and is_sound():  # in this order: a later change does not have this hash
                _write(self._path.parent, content)

    def _look(self) -> _State | None:
        try:
            seal = regular_files.read(self._path.with_name(SEAL), MOST_BYTES, follow=False)
            size = os.stat(self._path).st_size
            if not seal.startswith(_beginning(size)):
                return None
            with _one_moment(self._connection):
                state = self._now()
                return state if _content(self._path) == seal else None
        except (
            OSError,
            *shape.REFUSED,
        ) as error:  # whoever then checks everything says what is wrong
            if shape.is_interrupt(error):
                raise KeyboardInterrupt from None
            return None

    def _now(self) -> _State:
        writes_by_others = self._connection.execute("PRAGMA data_version").fetchone()[0]
        return _State(_mark(self._path), writes_by_others, self._connection.total_changes)


@contextmanager
def _one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """Let nobody write to the file inside the ``with`` block. SQLite ensures this while
    a snapshot is held that lies in the file alone.
    """
    within = connection.in_transaction
    try:
        if not within:
            connection.execute("BEGIN")
        # BEGIN alone takes no snapshot: the first read does.
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield
    finally:
        with suppress(sqlite3.Error):  # the first error is the one to report
            if not within and connection.in_transaction:
                connection.execute("ROLLBACK")


def _content(path: Path) -> bytes | None:
    """Return the text of a seal for the file as it is; None if the file is not the
    whole store, or cannot be read.
    """
    file = path.parent.resolve() / path.name  # as SQLite has it open
    before = _mark(file)
    for end in OTHERS:
        with suppress(FileNotFoundError):
            if os.stat(f"{file}{end}").st_size:
                return None
    descriptor = _descriptor(file)
    if descriptor is None or before is None:
        return None
    hasher, size = sha256(), 0
    while piece := os.pread(descriptor, PIECE, size):
        hasher.update(piece)
        size += len(piece)
    return _beginning(size) + f"{hasher.hexdigest()}\n".encode() if _mark(file) == before else None


def _beginning(size: int) -> bytes:
    return f"{HEAD} {size} ".encode()


def _mark(path: Path) -> _Mark:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _descriptor(path: Path) -> int | None:
    """Return the descriptor by which SQLite has the file open, None if that cannot be
    told. The file is not opened a second time: a process loses all its locks on a file
    as soon as it closes the file once.
    """
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
