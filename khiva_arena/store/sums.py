"""Sums over rows, so that no byte of a store can change unnoticed, whatever else vouches for it.

Each row ends in a sum over all of its columns. An event's tally counts its rows and adds their sums up, so that a row that was
lost or added is noticed, too. This finds damage, not deceit: whoever writes rows can work out their sums.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

DIGITS = 16
_MODULUS = 16**DIGITS
EMPTY: dict[str, tuple[type, Any]] = {"TEXT": (str, ""), "INTEGER": (int, -1), "REAL": (float, 0.0), "BLOB": (bytes, b"")}
"""By the type of a column: that of its values, and what a value of another type is read as."""


def row_sum(table: str, values: Mapping[str, Any]) -> str:
    """The sum of a row, 16 hex digits. ``values``: its columns but for the sum itself."""
    plain = [table, *([name, _plain(values[name])] for name in sorted(values))]
    return sha256(b"khiva-row-1\0" + json.dumps(plain).encode()).hexdigest()[:DIGITS]


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return ["blob", value.hex()]
    return int(value) if isinstance(value, float) and value.is_integer() else value  # SQLite, too, takes 2 and 2.0 for one


def add(total: str, sums: Iterable[str]) -> str:
    """``total`` with more sums added to it, in any order; what is no sum counts as nothing."""
    return f"{(_number(total) + sum(map(_number, sums))) % _MODULUS:0{DIGITS}x}"


def _number(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return 0


def check(table: str, columns: Sequence[tuple[str, str, bool]], row: Sequence[Any]) -> tuple[dict[str, Any], bool]:
    """A row by column, its sum left out, and whether it is as it was written. ``columns``: name, type and whether it may be
    NULL. A damaged file may hold values of any type anywhere: one that is not of its column's is read as an empty one."""
    named = {name: value for (name, _, _), value in zip(columns, row, strict=True)}
    said = named.pop("sum")
    intact = bool(said == row_sum(table, named))
    for name, kind, nullable in columns:
        if name in named and not isinstance(named[name], EMPTY[kind][0]) and not (nullable and named[name] is None):
            named[name] = EMPTY[kind][1]
    return named, intact
