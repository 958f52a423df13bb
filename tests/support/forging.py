"""Change a store as a forger does: rows, and then all sums over rows, so that only
something else can give it away.
"""

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from khiva_arena.records.replay.record import Record, run_digest
from khiva_arena.records.store import sums, versions
from khiva_arena.records.store.sums import TABLES


def forge(connection: sqlite3.Connection, statements: str = "") -> None:
    """Run these statements, then work out every sum and tally again."""
    connection.executescript(statements)
    found: dict[str, list[str]] = {}
    there = {
        name for (name,) in connection.execute("SELECT name FROM sqlite_master")
    }  # version 2 has fewer
    # Those of a match that was taken out go with it, or they would give it away.
    for table in {"page_faults", "times", "cells", "spent", "transcripts"} & there:
        kept = (
            f"SELECT 1 FROM matches AS m WHERE (m.event, m.ordinal) = ({table}.event, "
            f"{table}.ordinal)"
        )
        connection.execute(f"DELETE FROM {table} WHERE NOT EXISTS ({kept})")
    for table in ("events", *(table for table in TABLES if table in there)):
        names = [name for name, _, _ in versions.columns(table)]
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


def rewrite_records(
    connection: sqlite3.Connection, change: Callable[[int, dict[str, Any]], None]
) -> None:
    """Change the plain record of each match of the one event, by ordinal, and all
    digests that follow from it, but no sum.
    """
    digests = []
    for ordinal, text in connection.execute(
        "SELECT ordinal, record FROM matches ORDER BY ordinal"
    ).fetchall():
        plain = json.loads(text)
        change(ordinal, plain)
        record = msgspec.convert(plain, Record)
        digests.append(record.digest)
        connection.execute(
            "UPDATE matches SET record = ?, digest = ? WHERE ordinal = ?",
            (record.to_json(), digests[-1], ordinal),
        )
    connection.execute("UPDATE conclusions SET digest = ?", (run_digest(digests),))


def add_strikes(connection: sqlite3.Connection, details: Sequence[str]) -> None:
    """Make faults of choices in match 0 of the one event, a fault for each of the
    details, which may be what a bot said. Choice 0 is what is played for a fault, and
    two forfeit nothing: so the match replays as before.
    """
    faults: dict[int, list[list[Any]]] = {}
    left = list(details)

    def strike(ordinal: int, plain: dict[str, Any]) -> None:
        for number, step in enumerate(plain["steps"] if ordinal == 0 else [], 1):
            for choice in step:
                of_seat = faults.setdefault(choice[0], [])
                if left and choice[1:] == [0, ""] and len(of_seat) < 2:
                    choice[2] = "illegal"
                    of_seat.append(["illegal", left.pop(0), number])

    rewrite_records(connection, strike)
    assert not left, "too few choices of match 0 are the default"
    for seat, of_seat in faults.items():
        connection.execute(
            "UPDATE seats SET faults = ? WHERE ordinal = 0 AND seat = ?",
            (json.dumps(of_seat), seat),
        )
