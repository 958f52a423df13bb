"""The check that a file has the shape of a store, before anything in it is used.

A file that somebody sent may hold views and triggers in place of tables, which compute
without end, names that are escape sequences, and rows as large as memory. So its schema
is not trusted, the size of results is limited, and before the first query on a table
each of its statements has to be the arena's own.
"""

import re
import sqlite3
from functools import cache
from pathlib import Path

from khiva_arena.common.text import harmless
from khiva_arena.errors import StoreError
from khiva_arena.records.replay import league_format

LONGEST_ROW = 16 * 2**20
"""The bytes of one row at most: a line of a bundle, which holds a record, is no
longer.
"""
MOST_STATEMENTS = 100
REFUSED = (sqlite3.Error, UnicodeDecodeError)
"""The errors that a query raises; the latter if SQLite's message about a damaged schema
is no text.
"""
PULSE = 20_000
"""The instructions of SQLite between two looks for Ctrl-C, some 0.2 ms."""
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: LONGEST_ROW,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 10,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}
_NAMED = 60
_COMMENT = re.compile(r"--[^\n]*")
_Statement = tuple[str, str, str, str | None]
"""The type, name, table and SQL of a statement; the SQL is None for an index that
SQLite makes itself.
"""


def harden(connection: sqlite3.Connection) -> None:
    """Limit the harm that a hostile file can do to a program that opens it. To be
    called before the first query.
    """
    for limit, limit_value in LIMITS.items():
        connection.setlimit(limit, limit_value)
    # Else Ctrl-C waits for the end of a query. SQLite drops what this raises and says
    # "interrupted": see ``is_interrupt``.
    connection.set_progress_handler(lambda: 0, PULSE)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


def is_interrupt(error: BaseException) -> bool:
    """Tell whether Ctrl-C ended a query."""
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT


def check(file: Path, connection: sqlite3.Connection, schema: str) -> None:
    """Raise StoreError unless the tables of a file are those of a schema, statement by
    statement, and nothing else is there: no view, no trigger, no virtual table.
    Comments may differ.
    """
    expected = _made_by(schema)
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT ?"
    statements = [_plain(row) for row in connection.execute(query, (MOST_STATEMENTS,)).fetchall()]
    strange = [row for row in statements if row not in expected]
    if strange or len(statements) != len(expected):
        raise StoreError(
            f"{file}: its tables are not those of a store: {_why(strange, expected, statements)}; "
            "it is damaged or was made by others: restore a copy, or give another folder"
        )


def check_league(file: Path, connection: sqlite3.Connection) -> None:
    """Raise StoreError for a league of another format, ConfigError for any league if
    the extension that knows leagues is not installed. Damage is for others to find, so
    that `verify` says what is sound.
    """
    try:
        links = connection.execute("SELECT text FROM links WHERE number = 0").fetchall()
        for (text,) in links:
            league_format.check_link(league_format.values_of(text))
        batches = []
        if (
            not links
        ):  # as in a store of shards: a chain says of all batches beside it what they are
            query = "SELECT definition FROM events WHERE instr(definition, '\"batch\":')"
            batches = [league_format.values_of(text) for (text,) in connection.execute(query)]
        for definition in batches:
            league_format.check_definition(definition)
        if links or any(map(league_format.is_batch, batches)):
            league_format.check_installed(file.parent)
    except league_format.OtherFormat as error:
        raise StoreError(f"{file}: {error}") from None
    except REFUSED as error:
        if is_interrupt(error):
            raise


def _why(
    strange: list[_Statement], expected: frozenset[_Statement], statements: list[_Statement]
) -> str:
    if not strange:
        return f"there is no {' '.join(min(expected - set(statements))[:2])}"
    kind, name = (harmless(word, _NAMED) for word in strange[0][:2])
    is_known = strange[0][:2] in {row[:2] for row in expected}
    return (
        f"{kind} {name} differs"
        if is_known
        else f"there is {'an' if kind[:1] in 'aeiou' else 'a'} {kind} {name}"
    )


def _plain(row: tuple[object, ...]) -> _Statement:
    """Return a row of sqlite_master without comments and line ends. In a damaged file
    it may hold values of any type.
    """
    kind, name, table, sql = row
    text = None if sql is None else " ".join(_COMMENT.sub(" ", str(sql)).split())
    return str(kind), str(name), str(table), text


@cache
def _made_by(schema: str) -> frozenset[_Statement]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema)
        return frozenset(
            _plain(row)
            for row in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
        )
    finally:
        connection.close()
