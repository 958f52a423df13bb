"""Sums over rows, so that no byte of a store changes unnoticed, and the changes that
they find, in words.

Each row ends in a sum over all of its columns. An event's tally counts its rows and
adds their sums up, so that a row that was lost or added is noticed, too. This finds
damage, not deceit: whoever writes rows can compute their sums. Changes that reading a
match, a void or an event itself shows are not looked for here.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from itertools import repeat
from json.encoder import encode_basestring_ascii
from math import isfinite
from operator import eq
from typing import Any, NamedTuple

DIGITS = 16
_MODULUS = 16**DIGITS
ColumnTypes = tuple[tuple[str, str, bool], ...]
"""The name and type of each column, and whether it may be NULL; the sum is the last."""
EMPTY: dict[str, tuple[type, Any]] = {
    "TEXT": (str, ""),
    "INTEGER": (int, -1),
    "REAL": (float, 0.0),
    "BLOB": (bytes, b""),
}
"""By the type of a column, the type of its values, and the value that replaces one of
another type.
"""

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
    "cells",
    "set_aside",
    "spent",
    "void_spent",
    "caps",
    "transcripts",
)
"""The tables whose rows an event's tally counts, beside its own row."""
READ_ALONE = ("reveals", "conclusions", "set_aside", "caps")
READ_WITH = {
    "page_faults": ("matches", ("ordinal",)),
    "times": ("matches", ("ordinal",)),
    "cells": ("matches", ("ordinal",)),
    "spent": ("matches", ("ordinal",)),
    "transcripts": ("matches", ("ordinal",)),
    "void_causes": ("voids", ("ordinal", "attempt")),
    "void_spent": ("voids", ("ordinal", "attempt")),
}
"""Tables that are read with rows of another one, and the columns that lead there:
nobody reads a row that leads to none.
"""


def row_sum(table: str, values: Mapping[str, Any]) -> str:
    """Return the sum of a row, 16 hex digits. ``values``: its columns without the sum
    itself.
    """
    return _sums(table, tuple(values), [(value,) for value in values.values()])[0]


def _sums(table: str, names: tuple[str, ...], columns: Sequence[Sequence[Any]]) -> list[str]:
    """Return the sums of rows, which are given column by column: these columns, and
    perhaps more after them.

    Hashed is "khiva-row-1\\0" and the JSON of [table, [name, value], ...] by name. It
    is put together column by column, since every row of a store is checked for a
    report, and json.dumps row by row takes three times as long.
    """
    order, form = _form(table, names)
    texts = zip(*(_json(columns[i]) for i in order), strict=True)
    return [sha256((form % text).encode()).hexdigest()[:DIGITS] for text in texts]


@cache
def _form(table: str, names: tuple[str, ...]) -> tuple[tuple[int, ...], str]:
    """Return the order of the columns by name, and the hashed text with a gap for each
    value.
    """
    order = tuple(sorted(range(len(names)), key=names.__getitem__))
    return order, f'khiva-row-1\0["{table}", ' + ", ".join(
        f'["{names[i]}", %s]' for i in order
    ) + "]"


def _json(values: Sequence[Any]) -> Iterable[str]:
    """Return each value of a column as JSON."""
    types = set(map(type, values))
    if types == {str}:
        return map(encode_basestring_ascii, values)
    if types == {int}:
        return map(repr, values)
    if types == {float} and all(map(isfinite, values)):
        return [
            repr(int(value)) if value.is_integer() else repr(value) for value in values
        ]  # as _one, which costs a call
    return map(_one, values)


def _one(value: Any) -> str:
    if type(value) is float:
        if value.is_integer():
            return repr(int(value))  # SQLite, too, takes 2 and 2.0 for one
        if isfinite(value):
            return repr(value)
    return json.dumps(["blob", value.hex()] if isinstance(value, bytes) else value)


def add(total: str, sums: Iterable[str]) -> str:
    """Return ``total`` with more sums added to it, in any order; anything else counts
    as nothing.
    """
    texts = [total, *sums]
    try:
        number = sum(map(int, texts, repeat(16)))
    except ValueError:
        # A damaged sum counts as nothing: the tally does not fit then, which is the
        # finding.
        number = sum(map(_number, texts))
    return f"{number % _MODULUS:0{DIGITS}x}"


def _number(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return 0


class CheckedRow(NamedTuple):
    """A row of a table.

    values: by column, its sum left out
    intact: True if it is as it was written
    """

    values: dict[str, Any]
    intact: bool


def check_all(
    table: str, columns: ColumnTypes, rows: Sequence[Sequence[Any]], *, sealed: bool = False
) -> list[CheckedRow]:
    """Return many rows by column, each with whether it is as it was
    written. ``sealed``: as in ``check_rows``.
    """
    names = [name for name, _, _ in columns[:-1]]
    return [
        CheckedRow(dict(zip(names, row, strict=False)), intact)
        for row, intact in check_rows(table, columns, rows, sealed=sealed)
    ]


def check_rows(
    table: str, columns: ColumnTypes, rows: Sequence[Sequence[Any]], *, sealed: bool = False
) -> Iterator[tuple[Sequence[Any], bool]]:
    """Yield each row with its sum, and whether it is as it was written. A damaged file
    may hold values of any type anywhere: a value of another type than its column's is
    read as an empty one.

    sealed: the sums are known to be right. Types are checked all the same, since a
        stranger can write a seal.
    """
    if not rows:
        return iter(())
    names, types = _shape(columns)
    values = list(zip(*rows, strict=True))
    all_typed = all(
        kinds.issuperset(map(type, of_column))
        for kinds, of_column in zip(types, values, strict=True)
    )
    if sealed and all_typed:
        return zip(rows, repeat(True))
    intact = map(eq, _sums(table, names, values), values[-1])
    return zip(
        rows if all_typed else [_with_types(columns, row) for row in rows], intact, strict=True
    )


def _with_types(columns: ColumnTypes, row: Sequence[Any]) -> list[Any]:
    return [
        value
        if isinstance(value, EMPTY[kind][0]) or (nullable and value is None)
        else EMPTY[kind][1]
        for value, (_, kind, nullable) in zip(row, columns, strict=True)
    ]


@cache
def _shape(columns: ColumnTypes) -> tuple[tuple[str, ...], list[set[type]]]:
    """Return the names of columns without the sum, and the types that the values of
    each may have, the sum's included.
    """
    types = [
        {EMPTY[kind][0], type(None)} if nullable else {EMPTY[kind][0]}
        for _, kind, nullable in columns
    ]
    return tuple(name for name, _, _ in columns[:-1]), types


def changes(
    event: str,
    rows: Callable[..., list[tuple[Any, ...]]],
    pieces: Callable[..., Iterable[list[tuple[Any, ...]]]],
    checked_rows: Callable[..., Iterable[tuple[dict[str, Any], bool]]],
) -> list[str]:
    """Return each change in words.

    rows: returns the rows of a query.
    pieces: yields the rows of a query, some at a time.
    checked_rows: returns the rows of a table under a condition, each with whether it is
        as it was written.
    """
    problems = [
        f"the row in {table} was changed since it was written: {row}"
        for table in READ_ALONE
        for row, intact in checked_rows(table, "event = ?", event)
        if not intact
    ]
    for table, (parent, columns) in READ_WITH.items():
        condition = " AND ".join(
            f"{parent}.{column} = {table}.{column}" for column in ("event", *columns)
        )
        alone = f"event = ? AND NOT EXISTS (SELECT 1 FROM {parent} WHERE {condition})"
        problems += [
            f"the row in {table} belongs to no row in {parent}: {row}"
            for row, _ in checked_rows(table, alone, event)
        ]
    count, total = 0, "0"
    for query in ("events WHERE id = ?", *(f"{table} WHERE event = ?" for table in TABLES)):
        for sums_read in pieces(
            f"SELECT sum FROM {query}", event
        ):  # not all at once: a large event has millions
            count, total = count + len(sums_read), add(total, (str(row[0]) for row in sums_read))
    tally_now = (count, total)
    tally = rows("SELECT count, total FROM tallies WHERE event = ?", event)
    if tally != [tally_now]:
        claim = f"{tally[0][0]} rows" if tally else "nothing"
        problems.append(
            f"its tally says {claim}, and there are {tally_now[0]}: some were lost, added "
            "or changed"
        )
    return problems
