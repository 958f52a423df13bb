"""Numbers, names and tables as text. Nothing here is computed."""

import re
from collections.abc import Sequence
from itertools import accumulate
from textwrap import wrap

ROUGH = "~"  # before an error from few seeds
WIDEST_NAME, NARROWEST_NAME = 24, 10
_NARROW_NAME = 16
MOST_IN_TEXT = 60  # bots in a matrix for people; more are for programs
GAP = "  "
_MARK = re.compile(r"#[0-9a-f]{4}$")


def number(value: float | None, digits: int, sign: str = "") -> str:
    return (
        "n/a" if value is None else f"{round(value, digits) + 0.0:{sign}.{digits}f}"
    )  # + 0.0: no minus zero


def elo(bound: str, value: float | None) -> str:
    """Return Elo as text; a number that the results bound on one side only always has
    its sign.
    """
    return bound + number(value, 1)


def error(value: float | None, low: float | None, high: float | None, rough: bool) -> str:
    """Return a half width; if points flow one way only, the one end of the interval
    that there is.
    """
    if value is None and low is not None:
        bound = f">={number(low, 1)}"
    elif value is None and high is not None:
        bound = f"<={number(high, 1)}"
    else:
        bound = number(value, 1)
    return ROUGH + bound if rough and bound != "n/a" else bound


def chance(value: float | None) -> str:
    """Return percent, never quite 0 or 100: no results make anything certain."""
    return (
        "<0.1"
        if value is not None and value < 0.05
        else ">99.9"
        if value is not None and value >= 99.95
        else number(value, 1)
    )


def interval(low: float | None, high: float | None, digits: int, sign: str = "") -> str:
    """Return "low .. high", n/a if there is none."""
    return (
        "n/a"
        if low is None or high is None
        else f"{number(low, digits, sign)} .. {number(high, digits, sign)}"
    )


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes: a Chinese letter takes two,
    an accent of its own none.
    """
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # as tabulate measures; not above: few names need it

    return wcswidth(text)


def short(name: str, width: int = WIDEST_NAME) -> str:
    """Shorten a name to at most ``width`` columns; the id that distinguishes two bots
    of one name is kept.
    """
    if columns_of(name) <= width:
        return name
    mark = match[0] if (match := _MARK.search(name)) else ""
    return cut(name, width - 3 - len(mark)) + "..." + mark


def cut(name: str, width: int) -> str:
    """Return as much of a name as fits into ``width`` columns."""
    beginning = name[:width]
    while columns_of(beginning) > width:
        beginning = beginning[:-1]
    return beginning


def table(rows: Sequence[Sequence[str]], to_left: Sequence[int] = ()) -> list[str]:
    """Return lines of a plain table, its first row the headers; columns are aligned
    right except those in ``to_left``.
    """
    from tabulate import tabulate  # not above: it takes long, and many commands print no table

    alignment = ["left" if i in to_left else "right" for i in range(len(rows[0]))]
    text = tabulate(
        rows, tablefmt="plain", colalign=alignment, disable_numparse=True, preserve_whitespace=True
    )
    return [line.rstrip() for line in text.split("\n")]


def listing(rows: Sequence[Sequence[str]], width: int, right: Sequence[int] = ()) -> list[str]:
    """Return lines of a plain table, headers being its first row. If it is too wide,
    the last column continues on the next lines, and is broken where it has two spaces
    if that is necessary. ``right``: columns that are aligned to the right.
    """
    columns = len(rows[0])
    room = width - sum(
        max(map(columns_of, column)) + len(GAP)
        for column in [*zip(*rows, strict=True)][: columns - 1]
    )
    out: list[Sequence[str]] = []
    for *row, last in rows:
        parts = last.split(GAP) if GAP in last else last.split(" ")
        by = GAP if GAP in last else " "
        cells = [parts[0]]
        for part in parts[1:]:
            longer = cells[-1] + by + part
            cells = [*cells[:-1], longer] if columns_of(longer) <= room else [*cells, part]
        out += [[*(row if i == 0 else [""] * len(row)), cell] for i, cell in enumerate(cells)]
    return table(out, to_left=[i for i in range(columns) if i not in right])


def paragraphs(notes: Sequence[str], width: int) -> list[str]:
    """Return each note on lines of its own, none longer than ``width`` unless a word
    is.
    """
    lines = [line for note in notes for line in _ascii_lines(note, width)]
    if all(map(str.isascii, lines)):
        return lines
    return [line for note in notes for line in _wrap(note, width)]


def _ascii_lines(note: str, width: int) -> list[str]:
    """Wrap a note between words: a flag, a name or a digest is read, and copied, as
    one.
    """
    return wrap(note, width, subsequent_indent=GAP, break_long_words=False, break_on_hyphens=False)


def _wrap(note: str, width: int) -> list[str]:
    """Wrap a note like ``wrap``, for letters that take more than one column, or
    none.
    """
    lines = [""]
    for word in note.split():
        longer = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if columns_of(longer) > width and lines[-1].strip():
            lines.append(GAP + word)
        else:
            lines[-1] = longer
    return lines


def matrix(names: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return a square table of bots against bots, cut into blocks of columns that fit;
    columns are headed by the rows' numbers.
    """
    if len(names) > MOST_IN_TEXT:
        return [f"{len(names)} bots are too many to print one against the other: ask for --json."]
    heads = [str(i + 1) for i in range(len(names))]
    columns = [
        [head, *column] for head, column in zip(heads, zip(*cells, strict=True), strict=True)
    ]
    return blocks(
        [["", *heads], ["bot", *(short(name, _NARROW_NAME) for name in names)]],
        columns,
        width,
        to_left=(1,),
    )


def fitting(
    rows: Sequence[Sequence[str]], width: int, first: int = 1, to_left: Sequence[int] = (0,)
) -> list[str]:
    """Return a table by rows, headers being its first; if it is too wide it is cut into
    several, each with the ``first`` columns.
    """
    columns = [*zip(*rows, strict=True)]
    return blocks(columns[:first], columns[first:], width, to_left)


def blocks(
    first: Sequence[Sequence[str]],
    columns: Sequence[Sequence[str]],
    width: int,
    to_left: Sequence[int] = (),
) -> list[str]:
    """Return a table of columns, cut into several if it is too wide; each begins with
    the columns ``first``.
    """
    room = width - sum(max(map(columns_of, column)) + len(GAP) for column in first)
    lines: list[str] = []
    while columns:
        ends = list(accumulate(max(map(columns_of, column)) + len(GAP) for column in columns))
        fits = max(1, sum(end - len(GAP) <= room for end in ends))
        lines += [
            *([""] if lines else []),
            *table([*zip(*first, *columns[:fits], strict=True)], to_left),
        ]
        columns = columns[fits:]
    return lines
