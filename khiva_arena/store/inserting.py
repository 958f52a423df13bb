"""Rows that are written in one transaction, each with its sum, and the tally of their event."""

import sqlite3
from typing import Any

from khiva_arena.store import sums


class Insertion:
    """The rows of one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._sums: list[str] = []

    def __call__(self, table: str, values: dict[str, Any]) -> None:
        """Insert a row. ``values``: by column, without the sum."""
        total = sums.row_sum(table, values)
        self._sums.append(total)
        marks = ", ".join(f":{name}" for name in (*values, "sum"))
        names = ", ".join((*values, "sum"))
        self._connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", {**values, "sum": total})

    def tally(self, event: str) -> None:
        """Count the rows in the tally of their event: the last thing in a transaction."""
        row = self._connection.execute("SELECT count, total FROM tallies WHERE event = ?", (event,)).fetchone()
        count, total = row or (0, "0")
        values = (event, count + len(self._sums), sums.add(total, self._sums))
        again = "ON CONFLICT (event) DO UPDATE SET count = excluded.count, total = excluded.total"
        self._connection.execute(f"INSERT INTO tallies VALUES (?, ?, ?) {again}", values)
