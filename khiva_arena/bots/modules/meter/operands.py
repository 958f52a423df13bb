"""The types of the operands at a point of a function's body, and values in its code."""

from . import bounds
from .reader import invalid, refuse, unsigned
from .walked import ANY, OpenBlock


class Operands:
    """The stack of operand types, and a reader of the values that follow an opcode.

    A walk through a body sets the values below.
    """

    _code: bytes
    _stack: bytearray
    _controls: list[OpenBlock]
    _floor: int
    _operands: int

    def _raise_operands(self) -> None:
        self._operands = len(self._stack)
        if self._operands > bounds.OPERANDS:
            refuse(f"more than {bounds.OPERANDS:,} operands at once", "divide the function")

    def _pop(self, type_: int = ANY) -> int:
        """Take an operand of a type; return its type, ``ANY`` for one that comes from
        nowhere.
        """
        if len(self._stack) == self._floor:
            if self._controls[-1].open_ended:
                return type_
            invalid("an operand is missing")
        top = self._stack.pop()
        if top != type_ and top != ANY and type_ != ANY:
            invalid("an operand of the wrong type")
        return top or type_

    def _pop_all(self, types: bytes) -> None:
        """Take operands of types, the last one first; those that come from nowhere take
        no time.
        """
        stack = self._stack
        held = len(stack) - self._floor
        if held < len(types) and self._controls[-1].open_ended:
            types = types[len(types) - held :]
        if held >= len(types) and stack.endswith(types):
            del stack[len(stack) - len(types) :]
            return
        for type_ in reversed(types):
            self._pop(type_)

    def _number(self, pos: int, what: str, length: int) -> tuple[int, int]:
        """Read an index into ``length`` values and return it with the offset behind
        it.
        """
        index, pos = unsigned(self._code, pos)
        if index >= length:
            invalid(f"{what} {index} does not exist")
        return index, pos

    def _no_memory_index(self, pos: int) -> int:
        """Check the byte that names the first memory; return the offset behind it."""
        if self._code[pos]:
            refuse("several memories", "use one memory")
        return pos + 1

    def _address(self, pos: int, most: int) -> int:
        """Read alignment and offset of a load or store."""
        alignment, pos = unsigned(self._code, pos)
        if alignment >= 64:
            refuse("several memories", "use one memory")
        if alignment > most:
            invalid("an alignment above the natural one")
        _, pos = unsigned(self._code, pos)
        return pos
