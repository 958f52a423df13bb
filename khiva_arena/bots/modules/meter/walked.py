"""Results of a walk through a function's body, and the blocks that are open in it."""

from typing import NamedTuple

from .edits import Edit
from .instructions import Treatment
from .parse import FunctionType

ANY = 0
"""Stands for any type of an operand: one that code that cannot be reached takes from
nowhere.
"""


class Walked(NamedTuple):
    """A body that has been walked through.

    edits: the changes to its bytes, in order.
    first, end: the offsets of its first instruction and of its last ``end``.
    slots: its parameters, its locals, and the most operands that it holds at once.
    scratch: the types of locals that the edits need behind its own.
    targets: the entries of its br_tables.
    effort: of compiling it, as ``bounds.EFFORT`` counts it.
    heavy: its heavy instructions, and the values that calls and branches carry beyond
        the first.
    """

    edits: list[Edit]
    first: int
    end: int
    slots: int
    scratch: list[int]
    targets: int
    effort: int
    heavy: int


class OpenBlock:
    """A block that is open.

    kind: BLOCK, LOOP, IF, ELSE; a function is a BLOCK.
    type: of the operands that it takes, and of those that it leaves.
    begin: the offset of its first instruction.
    floor: the height of the operands below its own.
    live: its beginning can be reached.
    open_ended: the code within it cannot be reached any more, so that operands come
        from nowhere.
    target: a branch that can be reached names it.
    """

    __slots__ = ("begin", "floor", "kind", "live", "open_ended", "target", "type")

    def __init__(
        self, kind: Treatment, type_: FunctionType, begin: int, floor: int, live: bool
    ) -> None:
        self.kind, self.type, self.begin, self.floor, self.live = kind, type_, begin, floor, live
        self.open_ended = self.target = False
