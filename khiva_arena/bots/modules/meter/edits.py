"""The changes to the bytes of a function's body, among them the payments of its
blocks.
"""

from typing import NamedTuple

from . import bounds
from .instructions import TYPES
from .pieces import Pieces, leb
from .reader import refuse

_I32 = TYPES["i32"]


class Edit(NamedTuple):
    """A change to the bytes of a body: those from ``first`` until ``end`` are replaced
    by ``code``.
    """

    first: int
    end: int
    code: bytes


class Edits:
    """Collects the edits of a body, from its beginning to its end. All are dropped
    where code cannot be reached.

    edits: those so far, in order.
    price: of the block that pays and is open, in ticks.
    dead: the offset from which on code cannot be reached; -1 where it can.
    scratch: the types of locals that the edits need behind the function's own.
    """

    __slots__ = (
        "_blocks",
        "_cold",
        "_depth",
        "_locals",
        "_more",
        "_pieces",
        "_slot",
        "dead",
        "edits",
        "price",
        "scratch",
    )

    def __init__(self, pieces: Pieces, locals_: int, cold: int) -> None:
        self._pieces, self._locals, self._cold = pieces, locals_, cold
        self.edits: list[Edit] = []
        self.scratch: list[int] = []
        self.price = self._blocks = self._depth = self._more = 0
        self.dead = self._slot = -1  # the slot is the edit that pays for the block

    @property
    def effort(self) -> int:
        """The effort of compiling the blocks so far, as ``bounds.EFFORT`` counts it."""
        return self._blocks * (100 + self._locals)

    def begin_block(self, pos: int, depth: int, *, jump: bool = False) -> None:
        """End the block that pays, if one is open, and begin another at an offset.

        depth: how many labels are around it.
        jump: it stands behind an ``else`` or an ``end``.
        """
        if self.dead < 0:
            self.end_block()
            self._slot, self._depth, self.price = len(self.edits), depth, 0
            self._more = self._cold if jump else 0
            self.edits.append(Edit(pos, pos, b""))

    def end_block(self) -> None:
        """Write the payment of the block that is open at its beginning."""
        if self._slot < 0:
            return
        pos = self.edits[self._slot].first
        price = self.price and self.price + self._more
        self.edits[self._slot] = Edit(pos, pos, self._pieces.pay(price, self._depth))
        self._slot = -1
        self._blocks += 1
        if self.effort > bounds.EFFORT:
            refuse(
                f"{self._blocks:,} blocks and {self._locals:,} locals, too many to compile",
                "divide the function",
            )

    def die(self, pos: int) -> None:
        """Note that the code from an offset on cannot be reached."""
        if self.dead < 0:
            self.end_block()
            self.dead = pos

    def revive(self, pos: int) -> None:
        """Leave out the code that cannot be reached, up to an offset."""
        if self.dead >= 0:
            self.edits.append(Edit(self.dead, pos, b""))
            self.dead = -1

    def leave(self, first: int, end: int, depth: int) -> None:
        """Make a return a branch to the end of the body."""
        if self.dead < 0:
            self.edits.append(Edit(first, end, b"\x0c" + leb(depth)))

    def pay_bytes(self, first: int, depth: int) -> None:
        """Let the bulk instruction at an offset pay by its length."""
        if self.dead < 0:
            self.edits.append(
                Edit(first, first, self._pieces.pay_bytes(self._scratch_local(_I32), depth))
            )

    def grow(self, first: int, end: int, depth: int, most: int) -> None:
        """Let the growth between two offsets pay by its pages, and trap if the machine
        refuses it. ``most``: the maximum of the memory.
        """
        if self.dead < 0:
            scratch = self._scratch_local(_I32)
            self.edits.append(Edit(first, first, self._pieces.pay_pages(scratch, depth, most)))
            self.edits.append(Edit(end, end, self._pieces.trap_if_refused(scratch, depth)))

    def make_canonical(self, first: int, pos: int, type_: int) -> None:
        """Make the NaN canonical that the operation between two offsets leaves. The
        code behind the operation before is taken out if this one takes its result at
        once.
        """
        if self.dead >= 0:
            return
        last = self.edits[-1]
        if last.first == first and last.code.startswith(b"\x22"):
            self.edits.pop()
        self.edits.append(Edit(pos, pos, self._pieces.canonical(type_, self._scratch_local(type_))))

    def _scratch_local(self, type_: int) -> int:
        """Return the index of a local of a type, beyond those of the function."""
        if type_ not in self.scratch:
            self.scratch.append(type_)
        return self._locals + self.scratch.index(type_)
