"""What a game draws its table with on a terminal: words, coloured pieces, and blocks of them. It knows no terminal.

A game that draws its table has a ``terminal.py`` in its folder, found by its name, with one function::

    def draw(view, names, rules) -> list[Block | Flow]

``view`` is what one seat knows, ``names`` are by seat, ``rules`` is the rules map. What matters most stands last: it is
nearest to what is typed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from khiva_arena.games.base import Plain


class PaintedText(NamedTuple):
    """A piece on the table. It is told from others by its text, too: not everybody sees colours.

    text: short, such as P5.
    colour: one of ``COLOURS``; "" for none.
    """

    text: str
    colour: str = ""


COLOURS = ("white", "blue", "green", "pink", "black", "red", "yellow", "violet", "brown")
Cell = str | PaintedText | Sequence[str | PaintedText]
"""Parts follow each other with a space between them."""
NOTHING = "-"


class Block(NamedTuple):
    """Rows of cells below each other. Without one it is not shown.

    rows: the first cell of each says what it is of.
    head: above the columns; () for none.
    own: the row that is the seat's own, shown as such; -1 for none.
    """

    rows: Sequence[Sequence[Cell]]
    head: Sequence[str] = ()
    own: int = -1


class Flow(NamedTuple):
    """Cells beside each other, as many as fit.

    title: what they are.
    """

    cells: Sequence[Cell]
    title: str


Draw = Callable[[Mapping[str, Plain], Sequence[str], Mapping[str, Plain]], list[Block | Flow]]


def some(pieces: Sequence[str | PaintedText]) -> Cell:
    """These, or a sign that there is none."""
    return pieces or NOTHING


def words(name: object) -> str:
    """A name of the code as words."""
    return str(name).replace("_", " ")
