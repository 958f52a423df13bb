"""Walk through the body of a function: check its types, count its highest operands, and
say where the meter adds code.

The walk keeps the types of the operands on a stack, as the specification's algorithm
for validation does. Code that cannot be reached is checked likewise and left out of the
rewritten module, so that nothing in it needs a price.
"""

from collections.abc import Callable

from . import bounds
from .edits import Edits
from .instructions import TYPES, Instruction, Treatment, refusal
from .operands import Operands
from .parse import FunctionType, Module, local_types
from .pieces import Pieces
from .prices import CALL, NEAR
from .reader import PADDING, invalid, refuse, signed, unsigned
from .walked import OpenBlock, Walked

# The loop compares with these for each instruction; they are looked up once.
_SIMPLE, _LOCAL_GET, _CONSTANT, _MEMORY = (
    Treatment.SIMPLE,
    Treatment.LOCAL_GET,
    Treatment.CONSTANT,
    Treatment.MEMORY,
)
_LOCAL_SET, _LOCAL_TEE, _FLOAT, _PREFIX = (
    Treatment.LOCAL_SET,
    Treatment.LOCAL_TEE,
    Treatment.FLOAT,
    Treatment.PREFIX,
)


class Walk(Operands):
    """A walk through one body; ``run`` makes it.

    module: the module of the function.
    table: the instructions by opcode.
    pieces: makes the code that is added.
    cold: what a block pays more to which a jump leads.
    """

    def __init__(
        self, module: Module, table: dict[int, Instruction], pieces: Pieces, cold: int
    ) -> None:
        self._module, self._table, self._pieces, self._cold = module, table, pieces, cold

    def run(self, body: bytes, type_: FunctionType) -> Walked:
        """Walk through the body of a function of a type, or raise ``ModuleRefused``."""
        self._locals, first = local_types(body, type_.params)
        self._code, self._end = body + PADDING, len(body)
        self._stack = bytearray()
        self._controls = [OpenBlock(Treatment.BLOCK, type_, first, 0, True)]
        edits = self._edits = Edits(self._pieces, len(self._locals), self._cold)
        self._floor = self._operands = self._targets = self._heavy = 0
        self._edits.begin_block(first, 1)
        end = self._instructions(first)
        slots = len(self._locals) + self._operands
        return Walked(
            edits.edits, first, end, slots, edits.scratch, self._targets, edits.effort, self._heavy
        )

    def _instructions(self, pos: int) -> int:
        """Walk through the instructions from an offset on; return the offset of the
        last.
        """
        code, table, stack, edits = self._code, self._table, self._stack, self._edits
        locals_, length = self._locals, len(self._locals)
        first = pos
        while self._controls:
            if pos >= self._end:
                invalid("the bytes of a function end too early")
            first = pos
            kind, pops, pushes, price, detail = table[code[pos]]
            pos += 1
            if kind is _PREFIX:
                number, pos = unsigned(code, pos)
                if (row := table.get(0xFC00 + number)) is None:
                    refuse(*refusal(0xFC00 + number))
                kind, pops, pushes, price, detail = row
            edits.price += price
            if kind is _LOCAL_GET or kind is _LOCAL_SET or kind is _LOCAL_TEE:
                index = code[pos]
                pos += 1
                if index > 0x7F:
                    index, pos = unsigned(code, pos - 1)
                if index >= length:
                    invalid(f"local {index} does not exist")
                if kind is _LOCAL_GET:
                    stack.append(locals_[index])
                else:
                    self._pop(locals_[index])
                    if kind is _LOCAL_TEE:
                        stack.append(locals_[index])
                        continue
            elif kind is _CONSTANT:
                if detail:
                    if code[pos] > 0x7F:
                        _, pos = signed(code, pos, detail)
                    else:
                        pos += 1
                else:
                    pos += 4 if pushes == b"\x7d" else 8
                stack += pushes
            else:
                if pops:
                    self._pop_all(pops)
                if kind is _MEMORY:
                    pos = self._address(pos, detail)
                else:
                    self._heavy += detail
                    if kind is not _SIMPLE and kind is not _FLOAT:
                        pos = _STEPS[kind](self, first, pos)
                stack += pushes
                if kind is _FLOAT:
                    edits.make_canonical(first, pos, pushes[0])
            if len(stack) > self._operands and edits.dead < 0:
                self._raise_operands()
        if pos != self._end:
            invalid("bytes behind the end of a function")
        return first

    # OpenBlock.

    def _die(self, pos: int) -> None:
        """Note that the code behind a branch cannot be reached, and takes its operands
        from nowhere.
        """
        self._edits.die(pos)
        self._controls[-1].open_ended = True
        del self._stack[self._floor :]

    def _block_type(self, pos: int) -> tuple[FunctionType, int]:
        code = self._code[pos]
        if code == 0x40:
            return FunctionType(b"", b""), pos + 1
        if code in TYPES.values():
            return FunctionType(b"", bytes([code])), pos + 1
        index, behind = signed(self._code, pos, 33)
        if index < 0:
            refuse("a block of values that are no numbers", "build without SIMD and references")
        if index >= len(self._module.types):
            invalid(f"type {index} does not exist")
        return self._module.types[index], behind

    def _open(self, kind: Treatment, pos: int) -> int:
        type_, pos = self._block_type(pos)
        self._pop_all(type_.params)
        self._controls.append(OpenBlock(kind, type_, pos, len(self._stack), self._edits.dead < 0))
        if len(self._controls) > bounds.NESTING:
            refuse(f"more than {bounds.NESTING:,} blocks within one another", "divide the function")
        self._floor = len(self._stack)
        self._stack += type_.params
        if kind is not Treatment.BLOCK:
            self._edits.begin_block(pos, len(self._controls))
        return pos

    def _block(self, _: int, pos: int) -> int:
        return self._open(Treatment.BLOCK, pos)

    def _loop(self, _: int, pos: int) -> int:
        return self._open(Treatment.LOOP, pos)

    def _if(self, _: int, pos: int) -> int:
        return self._open(Treatment.IF, pos)

    def _close(self, first: int) -> OpenBlock:
        """Check what the innermost block leaves, at its ``else`` or ``end``."""
        control = self._controls[-1]
        self._pop_all(control.type.results)
        if len(self._stack) != control.floor:
            invalid("operands are left at the end of a block")
        return control

    def _else(self, first: int, pos: int) -> int:
        control = self._close(first)
        if control.kind is not Treatment.IF:
            invalid("an else without an if")
        if control.live:
            self._edits.revive(first)
        control.kind, control.open_ended = Treatment.ELSE, False
        self._stack += control.type.params
        self._edits.begin_block(pos, len(self._controls), jump=True)
        return pos

    def _end_(self, first: int, pos: int) -> int:
        control = self._close(first)
        if control.kind is Treatment.IF and control.type.params != control.type.results:
            invalid("an if without an else that leaves other operands than it takes")
        divided = (
            self._edits.dead >= 0
            or control.kind in (Treatment.IF, Treatment.ELSE)
            or (control.kind is Treatment.BLOCK and control.target)
        )
        if control.live:
            self._edits.revive(first)
        self._controls.pop()
        if not self._controls:
            self._edits.end_block()
            return pos
        self._floor = self._controls[-1].floor
        self._stack += control.type.results
        if divided:
            self._edits.begin_block(pos, len(self._controls), jump=True)
        return pos

    def _label(self, pos: int) -> tuple[bytes, int]:
        """Read a branch's label, and let it pay; return the types that it takes along,
        and the offset behind it.
        """
        index, pos = self._number(pos, "label", len(self._controls))
        control = self._controls[-1 - index]
        if control.kind is Treatment.LOOP and pos - control.begin > NEAR:
            self._edits.price += self._cold
        return self._carry(self._target(index)), pos

    def _target(self, index: int) -> bytes:
        control = self._controls[-1 - index]
        control.target |= self._edits.dead < 0
        return control.type.params if control.kind is Treatment.LOOP else control.type.results

    def _carry(self, types: bytes, times: int = 1) -> bytes:
        """Let a branch pay for the values that it carries beyond the first; return
        their types. ``times``: to so many labels.
        """
        more = max(0, len(types) - 1)
        self._edits.price += more
        self._heavy += times * more
        return types

    def _br(self, _: int, pos: int) -> int:
        types, pos = self._label(pos)
        self._pop_all(types)
        self._die(pos)
        return pos

    def _br_if(self, _: int, pos: int) -> int:
        types, pos = self._label(pos)
        self._pop_all(types)
        self._stack += types
        self._edits.begin_block(pos, len(self._controls))
        return pos

    def _br_table(self, _: int, pos: int) -> int:
        length, pos = unsigned(self._code, pos)
        if length >= self._end - pos:
            invalid("the bytes of a function end too early")
        if length > bounds.BR_TABLE:
            refuse(f"a br_table of more than {bounds.BR_TABLE:,} entries", "divide it")
        self._targets += length + 1
        labels = set()
        for _index in range(length + 1):
            label, pos = self._number(pos, "label", len(self._controls))
            labels.add(label)
        types = self._target(label)
        self._carry(types, length + 1)
        for other in map(self._target, labels):
            if len(other) != len(types):
                invalid("labels of a br_table that take different operands")
            top = self._stack[max(self._floor, len(self._stack) - len(other)) :]
            self._pop_all(other)
            self._stack += bytes(len(other) - len(top)) + top
        self._pop_all(types)
        self._die(pos)
        return pos

    def _return(self, first: int, pos: int) -> int:
        self._carry(self._controls[0].type.results)
        self._pop_all(self._controls[0].type.results)
        self._edits.leave(first, pos, len(self._controls) - 1)
        self._die(pos)
        return pos

    def _unreachable(self, _: int, pos: int) -> int:
        self._die(pos)
        return pos

    # Calls and variables.

    def _apply(self, type_: FunctionType) -> None:
        self._pop_all(type_.params)
        self._stack += type_.results
        self._heavy += max(0, len(type_.results) - 1)

    def _call(self, _: int, pos: int) -> int:
        index, pos = self._number(pos, "function", len(self._module.functions))
        self._apply(self._module.types[self._module.functions[index]])
        if index < len(self._module.imports):
            self._edits.price += CALL
            self._edits.begin_block(pos, len(self._controls))
        return pos

    def _call_indirect(self, _: int, pos: int) -> int:
        index, pos = self._number(pos, "type", len(self._module.types))
        _table, pos = self._number(pos, "table", 0 if self._module.table is None else 1)
        self._apply(self._module.types[index])
        return pos

    def _drop(self, _: int, pos: int) -> int:
        self._pop()
        return pos

    def _select(self, _: int, pos: int) -> int:
        self._stack.append(self._pop(self._pop()))
        return pos

    def _global_get(self, _: int, pos: int) -> int:
        index, pos = self._number(pos, "global", len(self._module.globals))
        self._stack.append(self._module.globals[index].type)
        return pos

    def _global_set(self, _: int, pos: int) -> int:
        index, pos = self._number(pos, "global", len(self._module.globals))
        if not self._module.globals[index].mutable:
            invalid(f"global {index} is set, and is a constant")
        self._pop(self._module.globals[index].type)
        return pos

    # Memory.

    def _memory_size(self, _: int, pos: int) -> int:
        return self._no_memory_index(pos)

    def _memory_grow(self, first: int, pos: int) -> int:
        self._edits.grow(
            first, end := self._no_memory_index(pos), len(self._controls), self._module.pages[1]
        )
        return end

    def _segment(self, pos: int) -> int:
        """Read the index of a data segment, which the section of data counts
        announces.
        """
        if self._module.datas is None:
            invalid("a data segment is named without a section of data counts")
        return self._number(pos, "data segment", self._module.datas)[1]

    def _memory_init(self, first: int, pos: int) -> int:
        self._edits.pay_bytes(first, len(self._controls))
        return self._no_memory_index(self._segment(pos))

    def _data_drop(self, _: int, pos: int) -> int:
        return self._segment(pos)

    def _memory_copy(self, first: int, pos: int) -> int:
        self._edits.pay_bytes(first, len(self._controls))
        return self._no_memory_index(self._no_memory_index(pos))

    def _memory_fill(self, first: int, pos: int) -> int:
        self._edits.pay_bytes(first, len(self._controls))
        return self._no_memory_index(pos)

    def _refused(self, first: int, _: int) -> int:
        refuse(*refusal(self._code[first]))


_STEPS: dict[Treatment, Callable[[Walk, int, int], int]] = {
    Treatment.BLOCK: Walk._block,
    Treatment.LOOP: Walk._loop,
    Treatment.IF: Walk._if,
    Treatment.ELSE: Walk._else,
    Treatment.END: Walk._end_,
    Treatment.BR: Walk._br,
    Treatment.BR_IF: Walk._br_if,
    Treatment.BR_TABLE: Walk._br_table,
    Treatment.RETURN: Walk._return,
    Treatment.UNREACHABLE: Walk._unreachable,
    Treatment.CALL: Walk._call,
    Treatment.CALL_INDIRECT: Walk._call_indirect,
    Treatment.DROP: Walk._drop,
    Treatment.SELECT: Walk._select,
    Treatment.GLOBAL_GET: Walk._global_get,
    Treatment.GLOBAL_SET: Walk._global_set,
    Treatment.MEMORY_SIZE: Walk._memory_size,
    Treatment.MEMORY_GROW: Walk._memory_grow,
    Treatment.MEMORY_INIT: Walk._memory_init,
    Treatment.DATA_DROP: Walk._data_drop,
    Treatment.MEMORY_COPY: Walk._memory_copy,
    Treatment.MEMORY_FILL: Walk._memory_fill,
    Treatment.REFUSED: Walk._refused,
}
