"""The differences between two plain values that should be equal.

Such values are the standings in a bundle and those computed from its records.
"""

from collections.abc import Iterator
from math import isclose
from typing import Any

ROUNDING = 0.002  # of numbers with three digits behind the point, fitted on another machine
_SHOWN = 80
COUNTED = (
    *(
        "events",
        "extends",
        "game",
        "rules",
        "rules_version",
        "time",
        "policy",
        "isolation",
        "limits",
        "ponder",
        "clock",
        "meter",
    ),
    *(
        "seats",
        "matches",
        "tables",
        "blocks",
        "fault_free_matches",
        "left_out",
        "places",
        "fewest_batches",
    ),
)
OF_A_BOT = ("bot", "name", "matches", "seeds", "finishes", "faults", "voids", "score", "ties")
"""The keys of a table and of its rows that follow from the records by counting alone:
every engine version gets the same.
"""
_LATER, _BEFORE = ("extends", "rules"), ("0.1.", "0.2.")
"""Those that tables of 0.1.0 and 0.2.0 lack, and what the names of these versions begin
with.
"""


def part_of(table: dict[str, Any], *, counted: bool) -> dict[str, Any]:
    """Return the counted or the fitted part of a table of standings, with its rows by
    bot, since their order is fitted.
    """
    rows = _by_bot(table.get("rows"))
    if isinstance(rows, dict):
        rows = {
            bot: {k: value for k, value in row.items() if (k in OF_A_BOT) == counted}
            for bot, row in rows.items()
        }
    return {
        **{key: value for key, value in table.items() if (key in COUNTED) == counted},
        "rows": rows,
    }


def counted_differences(
    stored: dict[str, Any], computed: dict[str, Any], *, engine: str
) -> Iterator[str]:
    """Yield every difference of the counted parts of two tables of standings, a line
    each.

    engine: the version that says it wrote ``stored``. Tables of early ones lack some
        keys; these had no events in ticks.
    """
    may_lack = engine.startswith(_BEFORE) and "clock" not in computed
    there = {
        key: value
        for key, value in computed.items()
        if key in stored or not (may_lack and key in _LATER)
    }
    yield from differences(
        "", part_of(stored, counted=True), part_of(there, counted=True), all_keys=True
    )


def _by_bot(rows: Any) -> Any:
    """Return rows by their bot; return them unchanged if they are not rows, as in a
    forged table. A map comes back in a list: it would be taken for rows by their bot.
    """
    have_bots = isinstance(rows, list) and all(
        isinstance(row, dict) and isinstance(row.get("bot"), str) for row in rows
    )
    if not have_bots or len({row["bot"] for row in rows}) < len(rows):
        return [rows] if isinstance(rows, dict) else rows
    return {row["bot"]: row for row in rows}


def differences(path: str, stored: Any, computed: Any, all_keys: bool) -> Iterator[str]:
    """Yield every difference, a line each: "rows.0.elo is 3.0, the records give
    2.5". ``path``: the path of the value, "" at the top.

    Fractional numbers may differ by their rounding. With ``all_keys`` false, maps are
    compared in the keys that both have: another engine may have more or less.
    """
    if isinstance(stored, dict) and isinstance(computed, dict):
        for key in sorted(stored.keys() | computed.keys()):
            name = f"{path}.{key}" if path else key
            if key in stored and key in computed:
                yield from differences(name, stored[key], computed[key], all_keys)
            elif all_keys:
                yield (
                    f"{name} is {'missing' if key in computed else 'not in what the records give'}"
                )
    elif isinstance(stored, list) and isinstance(computed, list) and len(stored) == len(computed):
        for place, (stored_item, computed_item) in enumerate(zip(stored, computed, strict=True)):
            yield from differences(f"{path}.{place}", stored_item, computed_item, all_keys)
    elif not _same(stored, computed):
        yield f"{path} is {str(stored)[:_SHOWN]}, the records give {str(computed)[:_SHOWN]}"


def _same(stored: Any, computed: Any) -> bool:
    if isinstance(stored, float) and isinstance(computed, float):
        return isclose(stored, computed, rel_tol=1e-6, abs_tol=ROUNDING)
    return type(stored) is type(computed) and bool(stored == computed)
