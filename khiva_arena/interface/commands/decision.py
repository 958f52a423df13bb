"""One decision of a stored match, with what the seat held there in words."""

from collections.abc import Mapping

from khiva_arena.games.base import Plain
from khiva_arena.games.sheet import NOTHING, Block, Cell, PaintedText
from khiva_arena.records.replay import decided
from khiva_arena.records.replay.decided import Decided, StoredDecision
from khiva_arena.records.replay.record import Header

HANDS = ("your hand", "your events", "hand")
"""The titles under which games draw what a seat holds."""


def decision_of(table: Decided, step: int, seat: int) -> StoredDecision:
    """Return the decision of a seat at a step. Raises ConfigError if its deal is not
    over, or the seat was not asked there.
    """
    return decided.decision_of(table, step, seat, hand_of)


def hand_of(header: Header, view: Mapping[str, Plain]) -> str:
    """Return in words what a seat holds, as its game draws it for a person; "" if its
    game draws no hand.
    """
    # not above: few commands draw anything
    from khiva_arena.display.terminal.game_table import drawing_of

    blocks = drawing_of(header.game)(view, [seat.name for seat in header.seats], header.rules)
    cells = [
        row[1]
        for block in blocks
        if isinstance(block, Block)
        for row in block.rows
        if row[0] in HANDS
    ]
    return ", ".join(text for cell in cells if (text := _text(cell)) != NOTHING)


def _text(cell: Cell) -> str:
    if isinstance(cell, PaintedText):
        return cell.text
    return cell if isinstance(cell, str) else " ".join(map(_text, cell))
