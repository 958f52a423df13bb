"""Change a store as a forger does: rows, and then all sums over rows, so that only something else can give it away."""

import sqlite3

from khiva_arena.store import files, sums
from khiva_arena.store.changes import TABLES


def forge(connection: sqlite3.Connection, statements: str = "") -> None:
    """Run these statements, then work out every sum and tally again."""
    connection.executescript(statements)
    found: dict[str, list[str]] = {}
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}  # version 2 has fewer
    for table in {"page_faults", "times"} & there:  # those of a match that was taken out go with it, or they would give it away
        kept = f"SELECT 1 FROM matches AS m WHERE (m.event, m.ordinal) = ({table}.event, {table}.ordinal)"
        connection.execute(f"DELETE FROM {table} WHERE NOT EXISTS ({kept})")
    for table in ("events", *(table for table in TABLES if table in there)):
        names = [name for name, _, _ in files.columns(table)]
        for number, *row in connection.execute(f"SELECT rowid, * FROM {table}").fetchall():
            values = dict(zip(names, row, strict=True))
            del values["sum"]
            total = sums.row_sum(table, values)
            connection.execute(f"UPDATE {table} SET sum = ? WHERE rowid = ?", (total, number))
            found.setdefault(values["id" if table == "events" else "event"], []).append(total)
    for event, every in found.items():
        tally = (len(every), sums.add("0", every), event)
        connection.execute("UPDATE tallies SET count = ?, total = ? WHERE event = ?", tally)
    connection.commit()
