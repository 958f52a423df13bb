"""Rows that are written in one transaction, each with its sum, and the tally of their
event.
"""

import json
import sqlite3
from typing import Any

import msgspec
from msgspec import structs

from khiva_arena.records.store import sums
from khiva_arena.records.store.rows import EventRow, LinkRow, MatchRow, VoidRow

_BESIDE = ("seats", "times", "cell", "spent", "intact", "transcripts")
OF_A_MATCH = [name for name in MatchRow.__struct_fields__ if name not in _BESIDE]
"""The columns of ``matches`` without the sum."""
MEASURED = {"cpu": "cpu_s", "paused": "paused"}
"""The columns of seats that hold a field of Measured, and that field."""


class Insertion:
    """The rows of one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._sums: list[str] = []

    def __call__(self, table: str, values: dict[str, Any]) -> None:
        """Insert a row. ``values``: by column, without the sum."""
        total = sums.row_sum(table, values)
        if table in sums.TABLES or table == "events":  # links are no event's
            self._sums.append(total)
        marks = ", ".join(f":{name}" for name in (*values, "sum"))
        names = ", ".join((*values, "sum"))
        self._connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})", {**values, "sum": total}
        )

    def tally(self, event: str) -> None:
        """Count the rows in the tally of their event: the last step of a
        transaction.
        """
        # In the transaction of the rows: a kill leaves neither rows without their tally
        # nor a tally without its rows.
        row = self._connection.execute(
            "SELECT count, total FROM tallies WHERE event = ?", (event,)
        ).fetchone()
        count, total = row or (0, "0")
        values = (event, count + len(self._sums), sums.add(total, self._sums))
        again = "ON CONFLICT (event) DO UPDATE SET count = excluded.count, total = excluded.total"
        self._connection.execute(f"INSERT INTO tallies VALUES (?, ?, ?) {again}", values)


def insert_event(insert: Insertion, event: EventRow) -> None:
    """Insert the row of an event and those of its bots."""
    values = {
        name: getattr(event, name) for name in ("id", "number", "created", "commitment", "secret")
    }
    insert("events", {**values, "definition": event.text, "engine": event.engines[0]})
    for position, bot in enumerate(event.bots):
        insert(
            "bots",
            {
                "event": event.id,
                "position": position,
                **structs.asdict(bot),
                "complete": int(bot.complete),
            },
        )


def insert_match(insert: Insertion, match: MatchRow) -> None:
    """Insert all rows of a match."""
    insert("matches", {name: getattr(match, name) for name in OF_A_MATCH})
    key = {"event": match.event, "ordinal": match.ordinal}
    for seat in match.seats:
        row = structs.asdict(seat)
        measured = row.pop("measured")
        columns = {column: getattr(measured, name) for column, name in MEASURED.items()}
        insert("seats", {**key, **row, **columns, "faults": json.dumps(seat.faults)})
        if measured.page_faults:
            insert("page_faults", {**key, "seat": seat.seat, "major": measured.page_faults})
    if match.times is not None:
        insert("times", {**key, "by_seat": msgspec.json.encode(match.times).decode()})
    if match.cell is not None:
        insert("cells", {**key, "level": str(match.cell)})
    if any(match.spent):
        insert("spent", {**key, "by_seat": msgspec.json.encode(match.spent).decode()})
    for transcript in match.transcripts:
        values = structs.asdict(transcript)
        del values["intact"]
        insert("transcripts", {**key, **values})


def insert_void(insert: Insertion, void: VoidRow) -> None:
    """Insert all rows of a void attempt."""
    values = structs.asdict(void) | {"bots": json.dumps(void.bots), "cpu": json.dumps(void.cpu)}
    del values["intact"], values["causes"], values["spent"]
    insert("voids", values)
    key = {"event": void.event, "ordinal": void.ordinal, "attempt": void.attempt}
    if void.causes:
        insert("void_causes", {**key, "seats": json.dumps(void.causes)})
    if any(void.spent):
        insert("void_spent", {**key, "by_seat": msgspec.json.encode(void.spent).decode()})


def insert_link(insert: Insertion, link: LinkRow) -> None:
    """Insert a link of a league's chain."""
    insert("links", {"number": link.number, "text": link.text})
