"""Keeps a digest of each row of the vectors of modules, in price_list_<number>.json
beside this file: ``make vectors``.

A row that is new is added. One that differs, or is missing, is named and never written:
other ticks of a module or other bytes for a seat are another price list, by section 14
of protocol/METER.md. The column ``rewritten`` is left out: it is what one meter makes,
and section 10 takes other bytes that count alike.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent.parent / "support")]

from golden import VECTORS, entries, settle  # noqa: E402 - found beside this folder

from khiva_arena.bots.modules.meter import prices  # noqa: E402

FILES = ("modules.json", "bounds.json", "runner.json", "ticks.json")
KEPT_FILE = HERE / f"price_list_{prices.NUMBER}.json"
OPEN = "rewritten"
"""The column that may change."""
DIGITS = 16

Kept = dict[str, dict[str, str]]
"""By file: the digest of each row by its name."""


def named(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each row of a file of vectors, behind its name: items of lists and maps,
    and other values as they are.
    """
    for key, value in content.items():
        if isinstance(value, dict):
            yield from ((f"{key}: {name}", item) for name, item in value.items())
        elif isinstance(value, list):
            yield from (
                (f"{key}: {item.get('name') or item['header']['match']}", item) for item in value
            )
        else:
            yield key, value


def digest(row: Any) -> str:
    """Return the digest of a row's bytes as they stand in its file, the open column
    left out.
    """
    held = (
        {column: value for column, value in row.items() if column != OPEN}
        if isinstance(row, dict)
        else row
    )
    return sha256(json.dumps(held).encode()).hexdigest()[:DIGITS]


def standing(folder: Path = VECTORS) -> Kept:
    """Return the digests of the rows that stand in the files now."""
    found: Kept = {}
    for file in FILES:
        rows = [
            (name, digest(row))
            for name, row in named(json.loads((folder / file).read_text("utf-8")))
        ]
        found[file] = dict(rows)
        if len(rows) > len(found[file]):
            raise LookupError(f"{file}: two rows have one name")
    return found


def kept() -> Kept:
    """Return the digests that are kept; none if the price list is a new one."""
    found: Kept = json.loads(KEPT_FILE.read_text("utf-8")) if KEPT_FILE.is_file() else {}
    return found


def changed(held: Kept, now: Kept) -> list[str]:
    """Return the rows that are kept and are missing or differ, each behind its file."""
    return [
        f"{file}: {name}"
        for file, rows in held.items()
        for name, was in rows.items()
        if now[file].get(name) != was
    ]


def main() -> int:
    """Add the rows that are new, or name those that differ."""
    held, now = kept(), standing()
    if wrong := changed(held, now):
        print(
            "\n".join(
                [
                    *wrong,
                    (
                        f"these rows differ from those of price list {prices.NUMBER}, which is "
                        "another price list"
                    ),
                ]
            )
        )
        return 1
    return settle({KEPT_FILE: entries({file: held.get(file, {}) | now[file] for file in FILES})})


if __name__ == "__main__":
    sys.exit(main())
