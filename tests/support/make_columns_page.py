"""make schema: the generated parts of docs/standings.md, the tables of columns and of sections. A change shows in their diff."""

import sys
from collections.abc import Sequence
from pathlib import Path

from khiva_arena.rating.report.columns import BETWEEN, DETAILS, FIRST, LAST, ONLY_JSON, TABLE, Column
from khiva_arena.rating.report.section_names import SAYS

PAGE = Path(__file__).parents[2] / "docs" / "standings.md"


def parts() -> dict[str, str]:
    """Return each part by the name in its marks."""
    widths = f"Columns leave a table that is too wide in this order: {_order()}; a line names those that went."
    tables = {"columns": _list(TABLE), "details": _list(DETAILS), "json": _list(ONLY_JSON)}
    return tables | {"widths": widths, "sections": _table([("section", "what it says"), *SAYS.items()])}


def _list(columns: tuple[Column, ...]) -> str:
    """Return a table of columns in Markdown; without heads if they have none."""
    rows = [("column", "in JSON", "what it is"), *((column.head, f"`{column.field}`", column.doc) for column in columns)]
    return _table(rows if any(column.head for column in columns) else [cells[1:] for cells in rows])


def _table(rows: Sequence[Sequence[str]]) -> str:
    heads, *lines = [f"| {' | '.join(cells)} |" for cells in rows]
    return "\n".join([heads, "|" + "---|" * len(rows[0]), *lines])


def _order() -> str:
    """Return in words the order in which columns leave a table."""
    turns: dict[int, list[str]] = {}
    turns |= {BETWEEN: ["the places between the first and the last"], LAST: ["the last place"], FIRST: ["1st"]}
    for column in TABLE:
        if column.leaves:
            turns.setdefault(column.leaves, []).append(column.head)
    return ", ".join(" and ".join(heads) for _, heads in sorted(turns.items()))


def current(text: str) -> str:
    """Return a page with its generated parts as they should be. Raises ValueError if it lacks the marks of one."""
    for name, part in parts().items():
        begin, end = f"<!-- generated: {name} -->", f"<!-- end of {name} -->"
        start, stop = text.index(begin) + len(begin), text.index(end)
        text = f"{text[:start]}\n\n{part}\n\n{text[stop:]}"
    return text


if __name__ == "__main__":
    if "--write" not in sys.argv:
        sys.exit("nothing is written without --write")
    PAGE.write_text(current(PAGE.read_text("utf-8")), "utf-8")
