"""Sums over rows, so that no byte of a store can change unnoticed.

Each row ends in a sum over all of its columns. An event's tally counts its rows and adds their sums up, so that a row that was
lost or added is noticed, too. This finds damage, not deceit: whoever writes rows can compute their sums.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from json.encoder import encode_basestring_ascii
from math import isfinite
from typing import Any

DIGITS = 16
_MODULUS = 16**DIGITS
ColumnTypes = tuple[tuple[str, str, bool], ...]
"""Name, type, and whether it may be NULL; the sum is the last."""
EMPTY: dict[str, tuple[type, Any]] = {"TEXT": (str, ""), "INTEGER": (int, -1), "REAL": (float, 0.0), "BLOB": (bytes, b"")}
"""By the type of a column: the type of its values, and the value that replaces one of another type."""


def row_sum(table: str, values: Mapping[str, Any]) -> str:
    """The sum of a row, 16 hex digits. ``values``: its columns without the sum itself."""
    return _sums(table, tuple(values), [tuple(values.values())])[0]


def _sums(table: str, names: tuple[str, ...], rows: Sequence[Sequence[Any]]) -> list[str]:
    """The sums of rows of these columns, and perhaps more columns after them.

    Hashed is "khiva-row-1\\0" and the JSON of [table, [name, value], ...] by name. It is put together column by column, since
    every row of a store is checked for a report, and json.dumps row by row takes three times as long.
    """
    order, form = _form(table, names)
    columns = list(zip(*rows, strict=True))
    texts = zip(*(_json(columns[i]) for i in order), strict=True)
    return [sha256((form % text).encode()).hexdigest()[:DIGITS] for text in texts]


@cache
def _form(table: str, names: tuple[str, ...]) -> tuple[tuple[int, ...], str]:
    """Where the columns are, by name, and what is hashed with a gap for each value."""
    order = tuple(sorted(range(len(names)), key=names.__getitem__))
    return order, f'khiva-row-1\0["{table}", ' + ", ".join(f'["{names[i]}", %s]' for i in order) + "]"


def _json(values: Sequence[Any]) -> Iterable[str]:
    """Each value of a column as JSON."""
    types = set(map(type, values))
    if types == {str}:
        return map(encode_basestring_ascii, values)
    if types == {int}:
        return map(repr, values)
    return map(_one, values)


def _one(value: Any) -> str:
    if type(value) is float:
        if value.is_integer():
            return repr(int(value))  # SQLite, too, takes 2 and 2.0 for one
        if isfinite(value):
            return repr(value)
    return json.dumps(["blob", value.hex()] if isinstance(value, bytes) else value)


def add(total: str, sums: Iterable[str]) -> str:
    """``total`` with more sums added to it, in any order; anything else counts as nothing."""
    return f"{(_number(total) + sum(map(_number, sums))) % _MODULUS:0{DIGITS}x}"


def _number(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return 0


def check(table: str, columns: ColumnTypes, row: Sequence[Any]) -> tuple[dict[str, Any], bool]:
    """A row by column, its sum left out, and whether it is as it was written. A damaged file may hold values of any type
    anywhere: a value of another type than its column's is read as an empty one."""
    return check_all(table, columns, [row])[0]


def check_all(table: str, columns: ColumnTypes, rows: Sequence[Sequence[Any]]) -> list[tuple[dict[str, Any], bool]]:
    """The same of many rows."""
    names, types = _shape(columns)
    checked = []
    for row, due in zip(rows, _sums(table, names, rows) if rows else (), strict=True):
        named = dict(zip(names, row, strict=False))
        if tuple(map(type, row)) != types:
            for name, kind, nullable in columns[:-1]:
                if not isinstance(named[name], EMPTY[kind][0]) and not (nullable and named[name] is None):
                    named[name] = EMPTY[kind][1]
        checked.append((named, bool(row[-1] == due)))
    return checked


@cache
def _shape(columns: ColumnTypes) -> tuple[tuple[str, ...], tuple[type, ...]]:
    """The names of columns without the sum, and the types of a row in which nothing is NULL."""
    return tuple(name for name, _, _ in columns[:-1]), tuple(EMPTY[kind][0] for _, kind, _ in columns)
