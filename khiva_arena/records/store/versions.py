"""The versions of a store's schema: their tables, and how an older file is brought up
to date.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files

VERSION = 8
READABLE = (2, 3, 4, 5, 6, 7, VERSION)  # an older one is brought up to date when it is written


def stand_in(connection: sqlite3.Connection) -> None:
    """Give a store of an older version, opened to read, the tables it lacks: empty
    ones, in memory.
    """
    if is_older(connection):
        connection.executescript(
            _additions(version_of(connection)).replace("CREATE TABLE", "CREATE TEMP TABLE")
        )


def is_older(connection: sqlite3.Connection) -> bool:
    """Tell whether a store is of an older version, and lacks tables."""
    return version_of(connection) < VERSION


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Make the tables that a store of an older version lacks, in place of those of
    ``stand_in``, in one transaction.
    """
    lacking = connection.execute(
        "SELECT name FROM temp.sqlite_master WHERE type = 'table'"
    ).fetchall()
    drops = "".join(f"DROP TABLE temp.{name};" for (name,) in lacking)
    additions = _additions(version_of(connection))
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE; {drops} {additions} PRAGMA user_version = {VERSION}; COMMIT;"
        )
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@cache
def schema(version: int = VERSION) -> str:
    return _text_of("schema.sql") + _additions(READABLE[0], version)


def _additions(after: int, version: int = VERSION) -> str:
    """Return the SQL that the versions after one have added, up to another."""
    return "".join(_text_of(f"schema_{number}.sql") for number in range(after + 1, version + 1))


def _text_of(name: str) -> str:
    return files(__package__).joinpath(name).read_text()


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def statements(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    return set(connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall())


@contextmanager
def _empty(version: int) -> Iterator[sqlite3.Connection]:
    """Open an empty store in memory. It is not kept, since threads cannot share it."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema(version))
        yield connection
    finally:
        connection.close()


@cache
def statements_of(version: int) -> set[tuple[str, str, str]]:
    with _empty(version) as store:
        return statements(store)


def columns(table: str) -> tuple[tuple[str, str, bool], ...]:
    """Return the name and type of each column, and whether it may be NULL."""
    return _columns()[table]


@cache
def _columns() -> dict[str, tuple[tuple[str, str, bool], ...]]:
    query = (
        'SELECT m.name, c.name, c.type, NOT c."notnull" FROM sqlite_master m, '
        "pragma_table_info(m.name) c ORDER BY c.cid"
    )
    found: dict[str, tuple[tuple[str, str, bool], ...]] = {}
    with _empty(VERSION) as store:
        for table, name, kind, may_be_null in store.execute(query):
            found[table] = (*found.get(table, ()), (name, kind, bool(may_be_null)))
    return found
