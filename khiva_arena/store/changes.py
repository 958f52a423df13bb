"""Changes, losses and additions in an event's rows since they were written.

Changes that reading a match, a void or an event itself shows are not looked for here.
"""

from collections.abc import Callable, Iterable
from typing import Any

from khiva_arena.store import sums

TABLES = (
    "engines",
    "bots",
    "matches",
    "seats",
    "voids",
    "reveals",
    "conclusions",
    "beacons",
    "page_faults",
    "void_causes",
    "times",
    "closures",
)
"""The tables whose rows an event's tally counts, beside its own row."""
READ_ALONE = ("reveals", "conclusions")
READ_WITH = {
    "page_faults": ("matches", ("ordinal",)),
    "times": ("matches", ("ordinal",)),
    "void_causes": ("voids", ("ordinal", "attempt")),
}
"""Tables that are read with rows of another one, and the columns that lead there: nobody reads a row that leads to none."""


def changes(
    event: str,
    rows: Callable[..., list[tuple[Any, ...]]],
    pieces: Callable[..., Iterable[list[tuple[Any, ...]]]],
    checked_rows: Callable[..., Iterable[tuple[dict[str, Any], bool]]],
) -> list[str]:
    """Return each change in words.

    rows: returns the rows of a query.
    pieces: yields the rows of a query, some at a time.
    checked: returns the rows of a table under a condition, each with whether it is as it was written.
    """
    problems = [
        f"the row in {table} was changed since it was written: {row}"
        for table in READ_ALONE
        for row, intact in checked_rows(table, "event = ?", event)
        if not intact
    ]
    for table, (parent, columns) in READ_WITH.items():
        condition = " AND ".join(f"{parent}.{column} = {table}.{column}" for column in ("event", *columns))
        alone = f"event = ? AND NOT EXISTS (SELECT 1 FROM {parent} WHERE {condition})"
        problems += [f"the row in {table} belongs to no row in {parent}: {row}" for row, _ in checked_rows(table, alone, event)]
    count, total = 0, "0"
    for query in ("events WHERE id = ?", *(f"{table} WHERE event = ?" for table in TABLES)):
        for sums_read in pieces(f"SELECT sum FROM {query}", event):  # not all at once: a large event has millions
            count, total = count + len(sums_read), sums.add(total, (str(row[0]) for row in sums_read))
    tally_now = (count, total)
    tally = rows("SELECT count, total FROM tallies WHERE event = ?", event)
    if tally != [tally_now]:
        claim = f"{tally[0][0]} rows" if tally else "nothing"
        problems.append(f"its tally says {claim}, and there are {tally_now[0]}: some were lost, added or changed")
    return problems
