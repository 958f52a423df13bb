"""Numbers, names and tables as text. Nothing here is computed."""

import re
from collections.abc import Sequence
from itertools import accumulate
from textwrap import wrap

WIDTH = 100
WIDEST_NAME, NARROWEST_NAME = 24, 10
_NARROW_NAME = 16
MOST_IN_TEXT = 60  # bots in a matrix for people; more are for programs
GAP = "  "
_MARK = re.compile(r"#[0-9a-f]{4}$")


def number(value: float | None, digits: int, sign: str = "") -> str:
    return "n/a" if value is None else f"{round(value, digits) + 0.0:{sign}.{digits}f}"  # + 0.0: no minus zero


def elo(bound: str, value: float | None) -> str:
    """A number that the results bound on one side only never stands without its sign."""
    return bound + number(value, 1)


def chance(value: float | None) -> str:
    """Percent, never quite 0 or 100: no results make sure."""
    return "<0.1" if value is not None and value < 0.05 else ">99.9" if value is not None and value >= 99.95 else number(value, 1)


def interval(low: float | None, high: float | None, digits: int, sign: str = "") -> str:
    """ "low .. high", n/a where there is none."""
    return "n/a" if low is None or high is None else f"{number(low, digits, sign)} .. {number(high, digits, sign)}"


def count(n: int, noun: str, plural: str = "s") -> str:
    return f"{n} {noun}{'' if n == 1 else plural}"


def short(name: str, width: int = WIDEST_NAME) -> str:
    """At most ``width`` long; the id that tells two of one name apart stays on."""
    if len(name) <= width:
        return name
    mark = found[0] if (found := _MARK.search(name)) else ""
    return name[: width - 3 - len(mark)] + "..." + mark


def table(rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> list[str]:
    """Lines of a plain table, headers being its first row; columns are aligned to the right but for those in ``left``."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = [str.ljust if i in left else str.rjust for i in range(len(widths))]
    cut = [[put(cell, width) for put, cell, width in zip(aligned, row, widths, strict=True)] for row in rows]
    return [GAP.join(row).rstrip() for row in cut]


def paragraphs(notes: Sequence[str], width: int) -> list[str]:
    """Each note on lines of its own, none longer than ``width``."""
    return [line for note in notes for line in wrap(note, width, subsequent_indent=GAP)]


def matrix(names: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> list[str]:
    """A square table of bots against bots, cut into blocks of columns that fit; columns are headed by the rows' numbers."""
    if len(names) > MOST_IN_TEXT:
        return [f"{len(names)} bots are too many to print one against the other: ask for --json."]
    heads = [str(i + 1) for i in range(len(names))]
    columns = [[head, *column] for head, column in zip(heads, zip(*cells, strict=True), strict=True)]
    return blocks([["", *heads], ["bot", *(short(name, _NARROW_NAME) for name in names)]], columns, width, left=(1,))


def blocks(first: Sequence[Sequence[str]], columns: Sequence[Sequence[str]], width: int, left: Sequence[int] = ()) -> list[str]:
    """A table of columns, cut into several where it is too wide; each begins with the columns ``first``."""
    room = width - sum(max(map(len, column)) + len(GAP) for column in first)
    lines: list[str] = []
    while columns:
        ends = list(accumulate(max(map(len, column)) + len(GAP) for column in columns))
        taken = max(1, sum(end - len(GAP) <= room for end in ends))
        lines += [*([""] if lines else []), *table([*zip(*first, *columns[:taken], strict=True)], left)]
        columns = columns[taken:]
    return lines
