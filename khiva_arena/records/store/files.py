"""The files of a store, opened to read or to write."""

import os
import sqlite3
from errno import EINVAL, EISDIR
from pathlib import Path
from typing import NamedTuple

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import StoreError
from khiva_arena.records.store import private, shape, wal
from khiva_arena.records.store.locks import LOCK, is_locked
from khiva_arena.records.store.seal import SEAL
from khiva_arena.records.store.versions import READABLE, VERSION, schema, stand_in, version_of

_LEAGUES = 7
"""The first version that holds leagues."""
FILE = "arena.db"
ALONE = "mode=ro&immutable=1"
"""The words that make SQLite read a file without others beside it."""
LOG = "log.jsonl"
NOT_PLAYED = "not-played.json"
"""The file with the bots that an event was to have and that do not play in it."""
TRIALS = "trials.jsonl"
"""The file with the results of the trial matches that bots played before an event."""
LEAGUE = "league.toml"
"""The file with the settings of a league, which makes a store's folder that of a
league.
"""
FINAL = "final-"
"""The beginning of the name of a folder with a final, in that of its league."""
MODULES = "modules"
"""The folder with the modules of events in ticks, each named by its hash."""
PRIVATE_MODULES = "not-published"
"""The file in that folder which says that the league of a final does not publish its
bots. Copies of the folder have it, too.
"""
APPLICATION = 0x4B484956  # "KHIV"
BUSY_SECONDS = 10.0  # for another program that holds the file


def narrow(folder: Path) -> None:
    """Take all rights of others to the files of a store that is to be written: from now
    on they hold a secret.
    """
    private.narrow(
        folder / f"{name}{end}"
        for name in (FILE, LOCK, LOG, SEAL)
        for end in ("", "-wal", "-shm", "-journal")
    )


class FileId(NamedTuple):
    """The place of a file on its disk: a file or link that replaces it has another
    one.
    """

    device: int
    number: int


def file_id(path: Path) -> FileId | None:
    """Return which file is at a path, None if there is none."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    return FileId(status.st_dev, status.st_ino)


# --- opening ---


def open_to_read(folder: Path) -> sqlite3.Connection:
    """Return a connection that cannot write."""
    check_pieces(folder / FILE)
    path = folder.resolve() / FILE
    try:
        return _open_in_mode(path, _how_to_read(path))
    except sqlite3.OperationalError as error:
        if shape.is_interrupt(error) or _is_busy(error) or wal.is_left(path) or is_locked(folder):
            raise
        return _open_in_mode(
            path, ALONE
        )  # a full disk has no room for the files that SQLite writes to read


def _is_busy(error: sqlite3.OperationalError) -> bool:
    """Tell whether another program holds the file, and may be changing it."""
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _open_in_mode(path: Path, mode: str) -> sqlite3.Connection:
    connection = _connect(f"{path.as_uri()}?{mode}")
    try:
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(
            "PRAGMA schema_version"
        ).fetchone()  # the first look, for which SQLite makes its files
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        connection.text_factory = _text
        shape.harden(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _text(data: bytes) -> str:
    return data.decode(
        errors="backslashreplace"
    )  # damage is for the sums to find, not an error of the whole query


def _how_to_read(path: Path) -> str:
    """Return the mode in which SQLite opens the file.

    SQLite writes beside a database in WAL mode even to read it. If it cannot, as on a
    read-only disk, no arbiter is at work either. If nothing is left in the -wal file
    then, the one file is the whole store and will not change.
    """
    return "mode=ro" if os.access(path.parent, os.W_OK) or wal.is_left(path) else ALONE


def open_to_write(folder: Path) -> sqlite3.Connection:
    """Return a connection that writes; a store that does not exist is made. One of an
    older version stays so until its first row is written, since a command that refuses
    must leave it to the engine that made it.
    """
    path = folder / FILE
    check_pieces(path)
    _make_if_blank(path)
    connection = _connect(f"{path.absolute().as_uri()}?mode=rw")
    try:
        refuse_links(path)  # once more: one may have come since
        check_version(folder, connection)
        connection.execute("PRAGMA temp_store = MEMORY")
        stand_in(connection)
        wal.bound(connection)
        connection.set_progress_handler(
            None, 0
        )  # Ctrl-C lets a match be recorded that is being recorded
        # A match that was reported as recorded must outlive even a power cut. macOS has
        # the disk empty its cache only if asked.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def refuse_links(path: Path) -> None:
    """Raise StoreError if one of the files that SQLite opens is a link, or no file at
    all: SQLite would follow it.
    """
    for end in ("", "-wal", "-shm", "-journal"):
        try:
            regular_files.refuse_other(f"{path}{end}")
        except OSError as error:
            if error.errno not in (EINVAL, EISDIR):
                raise
            problem = f"{path}{end}: {error.strerror}"
            raise StoreError(
                f"{problem}; put the file itself there, or name the folder that it is in"
            ) from None


def check_pieces(path: Path) -> None:
    """Raise StoreError if only part of a store is there, or a link in place of a file.
    SQLite would throw away the contents of a -wal file beside an empty file, or lay
    them over a new one.
    """
    refuse_links(path)
    remains = f", and {FILE}-wal holds what is left of it" if wal.is_left(path) else ""
    if path.exists() and path.stat().st_size == 0:
        raise StoreError(
            f"{path}: it is empty{remains}: restore a copy, or remove both, and the next "
            "run begins a new store"
        )
    if not path.exists() and remains:
        raise StoreError(
            f"{path}: it is missing{remains}: put it back, or remove that, and the next "
            "run begins a new store"
        )


def _make_if_blank(path: Path) -> None:
    """Make an empty store under another name and move it into place: an interrupt at
    any moment leaves no half of a store.
    """
    if path.exists():
        connection = _connect(f"{path.absolute().as_uri()}?mode=rw")
        try:
            if not is_blank(connection):
                return
        finally:
            connection.close()
    draft = path.with_name(f"{FILE}-new")
    _remove(draft)
    try:
        _make(draft)
    except BaseException:
        _remove(draft)
        raise
    draft.replace(path)


def _make(draft: Path) -> None:
    """Make a store as one file without a -wal file, since SQLite may fail to move the
    contents of a -wal file, and not report it. SQLite gives the files beside it the
    mode of this one.
    """
    os.close(private.open_file(draft, os.O_RDWR))
    connection = sqlite3.connect(draft, isolation_level=None)
    try:
        versions = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
        connection.executescript(f"BEGIN; {schema()} {versions} COMMIT;")
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    log = Path(f"{draft}-wal")
    if log.exists() and log.stat().st_size:
        raise sqlite3.OperationalError("database or disk is full")


def _remove(draft: Path) -> None:
    for file in (draft, *(Path(f"{draft}{end}") for end in ("-wal", "-shm", "-journal"))):
        file.unlink(missing_ok=True)


def is_blank(connection: sqlite3.Connection) -> bool:
    """Tell whether nothing was ever stored in the file, as when a full disk or a kill
    interrupted its making.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return (application, tables) == (0, 0)


def check_version(folder: Path, connection: sqlite3.Connection) -> None:
    """Raise StoreError if the file is not a store, or a store of another version, or
    its tables are not those of its version, or if it is the store of a league of
    another format.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = version_of(connection)
    if application != APPLICATION:
        raise StoreError(f"{folder / FILE}: not a store of Khiva Arena; give another folder")
    if version not in READABLE:
        raise StoreError(
            f"{folder / FILE}: a store of version {version}; this engine reads versions "
            f"{READABLE[0]} to {VERSION}: use the engine that made it, or another folder"
        )
    shape.check(folder / FILE, connection, schema(version))
    if version >= _LEAGUES:
        shape.check_league(folder / FILE, connection)
