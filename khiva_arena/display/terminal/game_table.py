"""A table on a terminal as its game draws it (games/sheet.py), and numbered choices."""

import json
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from khiva_arena.common.text import ISOLATES, harmless
from khiva_arena.games.asked import numbers_of
from khiva_arena.games.base import Plain
from khiva_arena.games.registry import NAMES
from khiva_arena.games.sheet import Block, Cell, Draw, Flow, PaintedText

INKS = {
    "white": "grey0 on grey93",
    "blue": "grey100 on dodger_blue3",
    "green": "grey100 on dark_green",
    "pink": "grey0 on plum2",
    "black": "grey100 on grey15",
    "red": "grey100 on red3",
    "yellow": "grey0 on gold1",
    "violet": "grey100 on purple4",
    "brown": "grey100 on orange4",
}
"""Ink and ground by colour of a piece, so that it shows on a dark terminal and on a
light one.
"""
LONGEST_FACT = 400
MOST_LINES = 60
AT_ONCE = 12
"""The number of choices beyond which a person is asked in two steps, as on a page."""
FEWEST = 4
"""The number of choices of a row, in steps of one number, from which on the row is
listed by its ends.
"""
_NUMBER = re.compile(r"\d+")


def drawing_of(game: str) -> Draw:
    """Return the function by which a game draws its table, or, if it has none, a list
    of all that its seat knows.
    """
    name = f"khiva_arena.games.{game}.terminal"
    if game not in NAMES or find_spec(name) is None:
        return _facts
    draw: Draw = import_module(name).draw
    return draw


def _facts(
    view: Mapping[str, Plain], _names: Sequence[str], _rules: Mapping[str, Plain]
) -> list[Block | Flow]:
    rows: list[list[Cell]] = []
    for key, value in view.items():
        # A board, say.
        lines = (
            [line[:LONGEST_FACT] for line in value.splitlines()]
            if type(value) is str and "\n" in value
            else [_brief(value)]
        )
        rows += [
            [key.replace("_", " ") if at == 0 else "", line]
            for at, line in enumerate(lines[:MOST_LINES])
        ]
    return [Block(rows)]


def _brief(value: Plain) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_FACT else f"{text[:LONGEST_FACT]} ..."


def table(blocks: Sequence[Block | Flow]) -> RenderableType:
    """Return blocks below each other."""
    return Group(
        *(
            _flow(block) if isinstance(block, Flow) else _block(block)
            for block in blocks
            if block[0]
        )
    )


def _flow(flow: Flow) -> RenderableType:
    cells = Columns([_text(cell) for cell in flow.cells], padding=(0, 2), column_first=True)
    return Group(Text(flow.title, style="dim"), Padding(cells, (0, 0, 1, 1)))


def _block(block: Block) -> RenderableType:
    columns = [Column(name, overflow="fold") for name in block.head]
    grid = Table(
        *columns, box=None, show_header=bool(block.head), header_style="dim", padding=(0, 2, 0, 0)
    )
    if not block.head:
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
    for at, row in enumerate(block.rows):
        grid.add_row(*map(_text, row), style="bold" if at == block.own else None)
    return Padding(grid, (0, 0, 1, 0))


def _text(cell: Cell) -> Text:
    parts = [cell] if isinstance(cell, str | PaintedText) else cell
    return Text(" ").join([_part(part) for part in parts])


def _part(part: str | PaintedText) -> Text:
    if isinstance(part, PaintedText):
        return Text(harmless(part.text), style=INKS.get(part.colour, ""))
    return Text(harmless(part, keep=ISOLATES))


class Listed(NamedTuple):
    """A line that can be typed.

    text: the words behind its number.
    choice: the index of the choice, -1 for a first part of several.
    """

    text: str
    choice: int


def typable(texts: Sequence[str], first: str = "") -> list[Listed]:
    """Return the lines that can be typed: all choices, or their first parts if there
    are more than AT_ONCE with parts in common.

    Once such a part is chosen as ``first``, the rests of its choices are returned.
    """
    whole = [Listed(text, at) for at, text in enumerate(texts)]
    parts = [text.split(", ")[0] for text in texts]
    groups = list(dict.fromkeys(parts))
    if len(texts) <= AT_ONCE or not 1 < len(groups) < len(texts):
        return whole
    if not first:
        return [
            Listed(group, parts.index(group) if parts.count(group) == 1 else -1) for group in groups
        ]
    return [
        Listed(text[len(first) + 2 :] or text, at)
        for at, text in enumerate(texts)
        if parts[at] == first
    ]


def meant_by_words(typed: str, texts: Sequence[str]) -> int:
    """Return the choice whose words were typed, in whichever step; -1 for none."""
    return -1 if typed.isdigit() else choice_meant(typed, texts)


def choices(texts: Sequence[str]) -> RenderableType:
    """Return all choices with the number to type for each: "2-87 bid 10, 20, ..., 860"
    stands for a long row.
    """
    cells: list[Text] = []
    typed = numbers_of(texts)
    at = 0
    while at < len(texts):
        many = _row(texts, at)
        last = at + many - 1
        if many < FEWEST:
            many, number, text = 1, f"{typed[at]}", texts[at]
        else:
            numbers = [_NUMBER.findall(texts[place])[0] for place in (at + 1, last)]
            number, text = (
                f"{typed[at]}-{typed[last]}",
                f"{texts[at]}, {numbers[0]}, ..., {numbers[1]}",
            )
        cells.append(Text.assemble((number, "bold"), "  ", text))
        at += many
    return Columns(cells, padding=(0, 3), column_first=True)


def _row(texts: Sequence[str], at: int) -> int:
    """Return how many texts from here on differ in their one number alone, which grows
    by the same step.
    """
    bare, numbers = _NUMBER.sub("#", texts[at]), _NUMBER.findall(texts[at])
    if len(numbers) != 1:
        return 1
    values = [int(numbers[0])]
    for text in texts[at + 1 :]:
        if _NUMBER.sub("#", text) != bare:
            break
        value = int(_NUMBER.findall(text)[0])
        if len(values) > 1 and value - values[-1] != values[1] - values[0]:
            break
        values.append(value)
    return len(values)


def choice_meant(typed: str, texts: Sequence[str]) -> int:
    """Return the choice that a line means: by its number, by its words, or by a
    beginning that no other has. -1 for none.
    """
    if typed.isascii() and typed.isdigit():
        numbers = numbers_of(texts)
        return numbers.index(number) if (number := int(typed[:9])) in numbers else -1
    words = typed.casefold()
    equal = [at for at, text in enumerate(texts) if text.casefold() == words]
    matching = equal or [
        at for at, text in enumerate(texts) if words and text.casefold().startswith(words)
    ]
    return matching[0] if len(matching) == 1 else -1
