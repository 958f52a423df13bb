"""A league's files with one damage, drawn by a number: a value, a row, a part of a JSON
text, a byte, or the end of a file.
"""

import json
import os
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from forging import forge

from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store import sums, versions

VALUES: tuple[object, ...] = (
    *(
        "",
        "x",
        "[]",
        "{}",
        "0" * 64,
        "9999-12-31T23:59:59+14:00",
        -1,
        0,
        1,
        3,
        2**63 - 1,
        0.5,
        float("inf"),
        None,
    ),
    *(b"", b"\xff\xfe", bytes(32)),
)
PARTS: tuple[object, ...] = (
    None,
    0,
    -1,
    1,
    2**53,
    10**30,
    "",
    "x",
    [],
    [[]],
    {},
    True,
    0.5,
    "0" * 64,
    [0, 0],
    [[0, 0]],
)
FEW_BYTES = 200


def forge_league(connection: sqlite3.Connection, statements: str = "") -> None:
    """Run these statements, then work out every sum again, those of links and of tables
    that were set aside among them.
    """
    forge(connection, statements)
    for table in ("links", "set_aside"):
        names = [name for name, _, _ in versions.columns(table)]
        for number, *row in connection.execute(f"SELECT rowid, * FROM {table}").fetchall():
            values = dict(zip(names, row, strict=True))
            del values["sum"]
            connection.execute(
                f"UPDATE {table} SET sum = ? WHERE rowid = ?", (sums.row_sum(table, values), number)
            )
    connection.commit()


def damage(folder: Path, chance: Random) -> str:
    """Damage a file of a league once. Return in words what was done, "" if it was
    nothing.
    """
    kind = chance.randrange(5)
    if kind == 4:
        return _file_damaged(folder, chance)
    name = "queue.db" if kind == 3 else "arena.db"
    with closing(sqlite3.connect(folder / name, isolation_level=None)) as connection:
        what = (
            _text_damaged(connection, chance)
            if kind in (1, 2)
            else _row_damaged(connection, chance)
        )
        if what and name == "arena.db" and chance.random() < 0.7:
            try:
                forge_league(connection)
            except (ValueError, TypeError, AttributeError, sqlite3.Error):
                what += ", with sums as they were"
    return f"{name}: {what}" if what else ""


def _row_damaged(connection: sqlite3.Connection, chance: Random) -> str:
    tables = [
        name
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%STRICT'"
        )
    ]
    table = chance.choice(tables)
    rows = [row for (row,) in connection.execute(f"SELECT rowid FROM {table}")]
    if not rows:
        return ""
    row = chance.choice(rows)
    if chance.random() < 0.2:
        connection.execute(
            f"DELETE FROM {table} WHERE rowid = ? OR ?", (row, chance.random() < 0.5)
        )
        return f"rows of {table} are deleted"
    column = chance.choice(
        [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
    )
    value = chance.choice(VALUES)
    new = "CAST(? AS TEXT)" if isinstance(value, bytes) and chance.random() < 0.7 else "?"
    try:
        connection.execute(f"UPDATE {table} SET {column} = {new} WHERE rowid = ?", (value, row))
    except sqlite3.Error:  # the type of the column, or a key, does not allow it
        return ""
    return f"{column} of {table} is {value!r}"


def _text_damaged(connection: sqlite3.Connection, chance: Random) -> str:
    """Damage a part of a link, after which later links may name the digests of those
    before them, or of a definition.
    """
    links = [
        json.loads(text) for (text,) in connection.execute("SELECT text FROM links ORDER BY number")
    ]
    at = chance.randrange(len(links))
    if chance.random() < 0.5:
        event, text = chance.choice(
            connection.execute("SELECT id, definition FROM events").fetchall()
        )
        definition = json.loads(text)
        what = _part_damaged(definition, chance)
        connection.execute(
            "UPDATE events SET definition = ? WHERE id = ?", (_written(definition).decode(), event)
        )
        return f"definition of {event}: {what}"
    what = _part_damaged(links[at], chance)
    written = [_written(link) for link in links[: at + 1]]
    for link in links[at + 1 :]:
        link["before"] = sha256(b"khiva-link-1\0" + written[-1]).hexdigest()
        written.append(_written(link))
    for number, text in enumerate(written):
        connection.execute("UPDATE links SET text = ? WHERE number = ?", (text.decode(), number))
    return f"link {at}: {what}"


def _written(value: Any) -> bytes:
    try:
        return canonical(value)
    except (ValueError, TypeError, OverflowError):  # numbers that the arena never writes
        return json.dumps(value).encode()


def _part_damaged(value: Any, chance: Random) -> str:
    place = chance.choice([*_places(value, ())])
    for key in place[:-1]:
        value = value[key]
    if chance.random() < 0.2:
        del value[place[-1]]
        return f"{place} is deleted"
    value[place[-1]] = chance.choice(PARTS)
    return f"{place} is {value[place[-1]]!r}"


def _places(value: Any, place: tuple[Any, ...]) -> Any:
    for key in (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    ):
        yield (*place, key)
        yield from _places(value[key], (*place, key))


def _file_damaged(folder: Path, chance: Random) -> str:
    file = chance.choice(
        sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    )
    size = file.stat().st_size
    if chance.random() < 0.3:
        os.truncate(file, at := chance.randrange(size))
        return f"{file.name} ends at {at}"
    data = bytearray(file.read_bytes())
    at = chance.randrange(size if chance.random() < 0.5 else min(size, FEW_BYTES))
    data[at] ^= 1 << chance.randrange(8)
    file.write_bytes(data)
    return f"byte {at} of {file.name}"
