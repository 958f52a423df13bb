"""Words, coloured pieces and blocks with which a game draws its table, without knowing
any terminal.

A game that draws its table has a ``terminal.py`` in its folder, found by its name, with
one function::

    def draw(view, names, rules) -> list[Block | Flow]

``view`` is one seat's, ``names`` are by seat, ``rules`` is the rules map. The most
important block stands last: it is nearest to the line in which a person types.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from khiva_arena.games.base import Plain


class PaintedText(NamedTuple):
    """A piece on the table. Its text alone tells it from other pieces, too: not
    everybody sees colours.

    text: short, such as P5.
    colour: one of ``COLOURS``; "" for none.
    """

    text: str
    colour: str = ""


View = Mapping[str, Plain]
Names = Sequence[str]
COLOURS = ("white", "blue", "green", "pink", "black", "red", "yellow", "violet", "brown")
Cell = str | PaintedText | Sequence[str | PaintedText]
"""One cell of a block. The parts of a sequence stand beside each other with a space
between them.
"""
NOTHING = "-"


class Block(NamedTuple):
    """Rows of cells below each other. A block without rows is not shown.

    rows: the first cell of each is the row's title.
    head: above the columns; () for none.
    own: the row that is the seat's own, shown as such; -1 for none.
    """

    rows: Sequence[Sequence[Cell]]
    head: Sequence[str] = ()
    own: int = -1


class Flow(NamedTuple):
    """Cells beside each other, as many as fit.

    title: the name of the cells as a group.
    """

    cells: Sequence[Cell]
    title: str


Draw = Callable[[Mapping[str, Plain], Sequence[str], Mapping[str, Plain]], list[Block | Flow]]


def some(pieces: Sequence[str | PaintedText]) -> Cell:
    """Return the pieces, or ``NOTHING`` if there are none."""
    return pieces or NOTHING
