"""What a hostile hand writes into every field: escape sequences, marks that turn the
direction of writing, a forged line.
"""

import json
import sqlite3
from pathlib import Path
from typing import Any

from bundling import forged, lines_of
from forging import add_strikes, forge

FORGED = "FORGED: all matches are sound"
EVIL = f"\x1b]0;owned\x07\x1b[2J\x9b31m\r\x7f\x08\u202e\u2028\n{FORGED}"
BOT = f"""
import sys, struct, msgpack
read = sys.stdin.buffer.read
def say(message):
    data = msgpack.packb(message)
    sys.stdout.buffer.write(struct.pack(">I", len(data)) + data)
    sys.stdout.buffer.flush()
sys.stderr.write({EVIL!r} + "\\n\\ttab" * 3)
sys.stderr.flush()
while head := read(4):
    message = msgpack.unpackb(read(struct.unpack(">I", head)[0]))
    if message["type"] == "hello":
        say({{"type": "hello", "proto": 1, "name": "a" if sys.argv[1] != "hello" else {EVIL!r},
            {EVIL!r}: 1}})
    if message["type"] == "decide":
        if sys.argv[1] == "type":
            say({{"type": {EVIL!r}, {EVIL!r}: {EVIL!r}}})
        if sys.argv[1] == "key":
            say({{"type": "act", "req": message["req"], "choice": 0, {EVIL!r}: 0.5}})
        say({{"type": "act", "req": message["req"], "choice": 0}})
"""
"""A bot that keeps the protocol except for one thing: its name in hello, the type of
its answer, or a key in it.
"""


def harmless(text: str) -> None:
    """Raise AssertionError if anything in it reaches into a terminal, or a line was
    forged.
    """
    bad = [letter for letter in text if letter != "\n" and not letter.isprintable()]
    assert not bad, (sorted(set(bad)), text[-2000:])
    assert not any(line.startswith(FORGED) for line in text.split("\n")), text[-2000:]


def evil_bot(folder: Path, how: str) -> Path:
    """A folder with the bot."""
    folder.mkdir()
    (folder / "main.py").write_text(BOT)
    toml = {"name": f"evil-{how}", "version": "1", "run": f"{{python}} main.py {how}"}
    (folder / "bot.toml").write_text(
        "".join(f"{key} = {json.dumps(value)}\n" for key, value in toml.items())
    )
    return folder


BESIDE = [
    ("matches", "finished"),
    ("seats", "notes"),
    *(("bots", column) for column in ("version", "asked_as", "folder")),
    *(("events", column) for column in ("created", "engine", "commitment")),
    *(("conclusions", column) for column in ("digest", "at")),
]
"""Columns whose words are not held against anything when a table is printed."""
HELD = [
    *(("matches", column) for column in ("id", "digest", "record")),
    *(("seats", column) for column in ("verdict", "faults")),
    *(("bots", column) for column in ("name", "identity")),
    ("events", "definition"),
]


def evil_store(folder: Path, table: str, column: str) -> None:
    """Write evil into a column of a store, as a forger does."""
    connection = sqlite3.connect(folder / "arena.db", isolation_level=None)
    (old,) = connection.execute(f"SELECT {column} FROM {table} LIMIT 1").fetchone()
    quoted = EVIL.replace("'", "''")
    number = "|| rowid" if column == "id" else ""
    forge(connection, f"UPDATE {table} SET {column} = '{quoted}' {number}")
    if column == "engine":  # a title names them where there are several
        forge(connection, "INSERT INTO engines SELECT id, '0.1.0', created, '' FROM events")
    if str(old).startswith("["):  # faults
        faults = json.dumps([["illegal", EVIL, 1]]).replace("'", "''")
        forge(connection, f"UPDATE seats SET faults = '{faults}'")
    if str(old).startswith("{"):
        for rotten in rotted(json.loads(old)):
            forge(
                connection, f"UPDATE {table} SET {column} = '{json.dumps(rotten)}' WHERE rowid = 1"
            )
    connection.close()


def evil_details(folder: Path) -> None:
    """Write evil where the arena keeps what was said of a fault, of faults that the
    record has, too.
    """
    connection = sqlite3.connect(folder / "arena.db", isolation_level=None)
    add_strikes(connection, [EVIL] * 2)
    forge(connection)
    connection.close()


def rotted(value: Any) -> list[Any]:
    """Copies of a value with evil in place of one of its words each."""
    if isinstance(value, str):
        return [EVIL]
    items = (
        list(value.items())
        if isinstance(value, dict)
        else list(enumerate(value))
        if isinstance(value, list)
        else []
    )
    found = []
    for key, old in items:
        for rotten in rotted(old)[:3]:
            copy = value.copy()
            copy[key] = rotten
            found.append(copy)
    return found


def evil_bundles(path: Path) -> list[bytes]:
    """The bundle with evil in place of one word of each kind of line."""
    lines = lines_of(path)
    first = {line["kind"]: number for number, line in reversed(list(enumerate(lines)))}
    return [
        forged([*lines[:at], rotten, *lines[at + 1 :]])
        for at in first.values()
        for rotten in rotted(lines[at])
    ]
