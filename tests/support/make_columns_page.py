"""make schema: the generated parts of docs/standings.md, the lists of columns and of
sections. A change shows in their diff.
"""

from collections.abc import Iterable
from pathlib import Path
from textwrap import fill

from generated_parts import write

from khiva_arena.rating.report.columns import (
    BETWEEN,
    DETAILS,
    FIRST,
    LAST,
    ONLY_JSON,
    TABLE,
    Column,
)
from khiva_arena.rating.report.section_names import SAYS

PAGE = Path(__file__).parents[2] / "docs" / "standings.md"
WIDE = 120


def parts() -> dict[str, str]:
    """Return each part by the name in its marks."""
    widths = fill(
        f"Columns leave a table that is too wide in this order: {_order()}. A line below "
        "the table names them.",
        WIDE,
    )
    lists = {"columns": _list(TABLE), "details": _list(DETAILS), "json": _list(ONLY_JSON)}
    return lists | {
        "widths": widths,
        "sections": _items((f"**{name}**", says) for name, says in SAYS.items()),
    }


def _list(columns: tuple[Column, ...]) -> str:
    """Return a list of columns in Markdown, each with its key in JSON."""
    heads = (
        f"**{column.head}** (`{column.field}`)" if column.head else f"`{column.field}`"
        for column in columns
    )
    return _items(zip(heads, (column.doc for column in columns), strict=True))


def _items(rows: Iterable[tuple[str, str]]) -> str:
    """Return an item a row, its lines no wider than the page."""
    return "\n".join(
        fill(f"- {head}: {says}.", WIDE, subsequent_indent="  ", break_on_hyphens=False)
        for head, says in rows
    )


def _order() -> str:
    """Return in words the order in which columns leave a table."""
    turns: dict[int, list[str]] = {}
    turns |= {
        BETWEEN: ["the places between the first and the last"],
        LAST: ["the last place"],
        FIRST: ["1st"],
    }
    for column in TABLE:
        if column.leaves:
            turns.setdefault(column.leaves, []).append(column.head)
    return ", ".join(" and ".join(heads) for _, heads in sorted(turns.items()))


if __name__ == "__main__":
    write(PAGE, parts())
