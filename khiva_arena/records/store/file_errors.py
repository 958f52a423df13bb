"""Find damage in a store's file, and say SQLite's errors with what to do about them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EACCES, EDQUOT, EFBIG, ENOSPC, EROFS
from pathlib import Path

from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.errors import StoreError, StoreFull
from khiva_arena.records.store import shape
from khiva_arena.records.store.files import FILE
from khiva_arena.records.store.versions import statements, statements_of, version_of

PROBLEMS_MOST = 20
MAKE_WRITABLE = "; make it writable and run the same command again, or give another --out"
MALFORMED = "database disk image is malformed"
FREE_SPACE = "; free some space and run the same command again, nothing that was recorded is lost"
_NO_ROOM = (
    "SQLITE_FULL",
    *(f"SQLITE_IOERR_{what}" for what in ("WRITE", "FSYNC", "DIR_FSYNC", "TRUNCATE", "SHMSIZE")),
)


def damage(connection: sqlite3.Connection) -> list[str]:
    """Return each damage of the file: pages and rows by SQLite's own check, and tables
    that are not those of a store.
    """
    problems: list[str] = []
    try:
        if statements(connection) != statements_of(version_of(connection)):
            problems.append("its tables are not those of a store")
        problems += _of_pages(connection)
        rows = connection.execute("PRAGMA foreign_key_check").fetchall()
        problems += [
            f"row {row} of {table} belongs to nothing in {parent}"
            for table, row, parent, _ in rows[:PROBLEMS_MOST]
        ]
    except shape.REFUSED as error:
        if shape.is_interrupt(error):
            raise KeyboardInterrupt from None
        problems.append(_words(error))
    return [harmless(problem, LONGEST) for problem in problems]


def first_damage(connection: sqlite3.Connection) -> str:
    """Return the first damage that SQLite finds in the pages of the file, "" for none.
    An index may hide from all queries that the row itself was changed.
    """
    try:
        problem = _of_pages(connection)
    except shape.REFUSED as error:
        if shape.is_interrupt(error):
            raise KeyboardInterrupt from None
        return _words(error)
    return harmless(problem[0], LONGEST) if problem else ""


def _of_pages(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(f"PRAGMA integrity_check({PROBLEMS_MOST})").fetchall()
    return [
        line
        for (text,) in rows
        for line in str(text).splitlines()
        if not line.startswith(("ok", "*** in database"))
    ]


@contextmanager
def explain_errors(folder: Path) -> Iterator[None]:
    """Replace an error of SQLite or the disk by one line for the user: StoreFull if the
    disk is full, else StoreError.
    """
    try:
        yield
    except shape.REFUSED as error:
        if shape.is_interrupt(error):
            raise KeyboardInterrupt from None
        text = _words(error)
        kind = (
            StoreFull
            if "full" in text or getattr(error, "sqlite_errorname", "") in _NO_ROOM
            else StoreError
        )
        raise kind(f"{folder / FILE}: {text}{_advice(text)}") from error
    except OSError as error:
        no_room = error.errno in (ENOSPC, EDQUOT, EFBIG)
        advice = (
            FREE_SPACE
            if no_room
            else {EROFS: MAKE_WRITABLE, EACCES: MAKE_WRITABLE}.get(error.errno or 0, "")
        )
        raise (StoreFull if no_room else StoreError)(
            f"{folder}: {error.strerror or error}{advice}"
        ) from error


def _words(error: Exception) -> str:
    """Return SQLite's message, made harmless since names of a hostile file may stand in
    it.
    """
    return (
        MALFORMED
        if isinstance(error, UnicodeDecodeError)
        else harmless(" ".join(str(error).split()), LONGEST)
    )


def _advice(text: str) -> str:
    hints = {
        "full": FREE_SPACE,
        "locked": "; another program holds it: end that and run the same command again",
        "readonly": (
            "; it cannot be written: check the permissions of the folder, then run the same "
            "command again"
        ),
        "unable to open": "; check the permissions of the folder; if it cannot be written, copy "
        "arena.db and arena.db-wal to one that can",
        "disk I/O": "; the disk is full or refuses: free some space or mend it, and run the same "
        "command again, nothing that was recorded is lost",
        "malformed": (
            "; it is damaged: restore a copy to continue; `khiva-arena verify` says what is "
            "sound, if it can be read"
        ),
        "no such": "; it is damaged: restore a copy to continue",
        "too big": (
            "; a row of it is larger than any that an arbiter writes: `khiva-arena verify` "
            "says which; restore a copy"
        ),
        "not a database": "; it is damaged or not a store: restore a copy, or give another folder",
        "unsupported file format": "; it is damaged: restore a copy to continue",
    }
    return next(
        (hint for word, hint in hints.items() if word in text),
        "; `khiva-arena verify` says what is sound",
    )
