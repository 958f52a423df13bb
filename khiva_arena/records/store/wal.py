"""The -wal file of a database: bounded, and emptied whenever no reader holds it back.

SQLite moves what the file holds into the database at each checkpoint, but not what an
open reader still looks at, and it never makes the file smaller by itself.
"""

import sqlite3
from pathlib import Path

LIMIT = 4 << 20
"""The bytes that a -wal file keeps once all of it is moved: as much as SQLite lets come
together before it moves anything.
"""
TRY_MS = 100
"""The wait for readers in the way."""
CLOSE_MS = 1_000
"""The same at the end of a writer."""


def is_left(database: Path) -> bool:
    """Tell whether the file of a database is not all of it: something is left in its
    -wal file.
    """
    file = database.with_name(f"{database.name}-wal")
    return file.exists() and file.stat().st_size > 0


def bound(connection: sqlite3.Connection) -> None:
    """Let the -wal file be cut to its limit once all of it was moved and the next row
    is written.
    """
    connection.execute(f"PRAGMA journal_size_limit = {LIMIT}")


def empty(connection: sqlite3.Connection, wait_ms: int = TRY_MS) -> bool:
    """Move all that the -wal file holds into the database and cut the file to nothing.
    Return whether that was possible: a reader may be in the way, and then the file
    stays, whole. The same holds for a full disk, of which the next write tells.
    """
    (before,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {wait_ms}")
    try:
        (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error:
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {before}")
    return not is_busy
