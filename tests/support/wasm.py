"""Make modules for tests of the meter: an assembler of words, and modules around the
code that it makes.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from khiva_arena.bots.modules.meter.imports import MODULE
from khiva_arena.bots.modules.meter.imports import TYPES as WASI
from khiva_arena.bots.modules.meter.instructions import ROWS, TYPES, Treatment

OPCODES = {row.name: row for row in ROWS}
_LABELS = (
    Treatment.BR,
    Treatment.BR_IF,
    Treatment.CALL,
    Treatment.LOCAL_GET,
    Treatment.LOCAL_SET,
    Treatment.LOCAL_TEE,
    Treatment.GLOBAL_GET,
    Treatment.GLOBAL_SET,
)


def uleb(value: int) -> bytes:
    """A number that is not negative in LEB128."""
    return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + uleb(value >> 7)


def sleb(value: int) -> bytes:
    """A signed number in LEB128."""
    return (
        bytes([value & 0x7F])
        if -64 <= value < 64
        else bytes([value & 0x7F | 0x80]) + sleb(value >> 7)
    )


def vector(items: Sequence[bytes]) -> bytes:
    """Items behind their number."""
    return uleb(len(items)) + b"".join(items)


def sized(data: bytes) -> bytes:
    """Bytes behind their length."""
    return uleb(len(data)) + data


def types(names: str) -> bytes:
    """The bytes of types: ``types("i32 f64")``."""
    return bytes(TYPES[name] for name in names.split())


def assemble(text: str) -> bytes:
    """The code of words: each instruction, then its immediates. A block's is ``:i32``,
    ``:3`` for a type, or nothing.
    """
    words = [word for line in text.splitlines() for word in line.partition(";")[0].split()]
    return b"".join(_assembled(words))


def _assembled(words: list[str]) -> Iterator[bytes]:
    at = 0

    def number() -> int:
        nonlocal at
        at += 1
        return int(words[at - 1], 0)

    while at < len(words):
        row = OPCODES[words[at]]
        at += 1
        yield bytes([row.opcode]) if row.opcode < 256 else b"\xfc" + uleb(row.opcode & 0xFF)
        match row.kind:
            case Treatment.BLOCK | Treatment.LOOP | Treatment.IF:
                given = at < len(words) and words[at].startswith(":")
                name = words[at][1:] if given else ""
                at += given
                yield (
                    b"\x40"
                    if not name
                    else bytes([TYPES[name]])
                    if name in TYPES
                    else sleb(int(name))
                )
            case Treatment.CONSTANT if row.name[0] == "i":
                yield sleb(number())
            case Treatment.CONSTANT:
                at += 1
                yield struct.pack(
                    "<f" if row.name.startswith("f32") else "<d", float(words[at - 1])
                )
            case Treatment.MEMORY:
                yield bytes([row.detail]) + uleb(number())
            case Treatment.BR_TABLE:
                yield vector([uleb(number()) for _ in range(number())]) + uleb(number())
            case Treatment.CALL_INDIRECT:
                yield uleb(number()) + b"\0"
            case Treatment.MEMORY_SIZE | Treatment.MEMORY_GROW | Treatment.MEMORY_FILL:
                yield b"\0"
            case Treatment.MEMORY_COPY:
                yield b"\0\0"
            case Treatment.MEMORY_INIT:
                yield uleb(number()) + b"\0"
            case Treatment.DATA_DROP:
                yield uleb(number())
            case kind if kind in _LABELS:
                yield uleb(number())


@dataclass
class Function:
    """A function: its code as words or bytes, the types of its parameters, results and
    locals.
    """

    code: str | bytes
    params: str = ""
    results: str = ""
    locals: str = ""

    def body(self) -> bytes:
        code = assemble(self.code) if isinstance(self.code, str) else self.code
        return sized(vector([b"\1" + types(name) for name in self.locals.split()]) + code + b"\x0b")


@dataclass
class Made:
    """A module that is made; ``bytes(made)`` is its binary form. Function
    ``len(imports)`` is exported as ``_start``.

    more: types behind those of the functions, as (params, results).
    sections: the content of a section in place of the one that would be made.
    exports: entries behind memory and _start.
    """

    functions: list[Function]
    imports: tuple[str, ...] = ()
    memory: bytes = b"\0\1"
    globals: tuple[str, ...] = ()
    table: tuple[int, ...] = ()
    data: tuple[bytes, ...] = ()
    more: tuple[tuple[str, str], ...] = ()
    exports: tuple[bytes, ...] = ()
    sections: dict[int, bytes] = field(default_factory=dict)

    def __bytes__(self) -> bytes:
        first = len(self.imports)
        types_ = [
            b"\x60" + sized(params) + sized(results)
            for params, results in (WASI[name] for name in self.imports)
        ]
        own = [(one.params, one.results) for one in self.functions] + list(self.more)
        types_ += [
            b"\x60" + sized(types(params)) + sized(types(results)) for params, results in own
        ]
        exports = [
            sized(b"memory") + b"\2\0",
            sized(b"_start") + b"\0" + uleb(first),
            *self.exports,
        ]
        made = {
            1: vector(types_),
            2: vector(
                [
                    sized(MODULE.encode()) + sized(one.encode()) + b"\0" + uleb(at)
                    for at, one in enumerate(self.imports)
                ]
            ),
            3: vector([uleb(first + at) for at in range(len(self.functions))]),
            5: b"\1" + self.memory,
            6: vector(
                [
                    bytes([TYPES[one], 1]) + assemble(f"{one}.const 0") + b"\x0b"
                    for one in self.globals
                ]
            ),
            7: vector(exports),
            10: vector([one.body() for one in self.functions]),
        }
        if self.table:
            made[4] = vector([b"\x70\0" + uleb(len(self.table) + 2)])
            made[9] = vector(
                [
                    b"\0"
                    + assemble("i32.const 1")
                    + b"\x0b"
                    + vector([uleb(index) for index in self.table])
                ]
            )
        if self.data:
            made[12] = uleb(len(self.data))
            made[11] = vector([b"\1" + sized(one) for one in self.data])
        return joined(made | self.sections)


def joined(sections: dict[int, bytes]) -> bytes:
    """A module of sections, in their order."""
    order = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11)
    places = sorted(
        sections, key=lambda number: order.index(number) if number in order else len(order)
    )
    return b"\0asm\1\0\0\0" + b"".join(
        bytes([number]) + sized(sections[number]) for number in places
    )


def start(code: str | bytes, **more: object) -> bytes:
    """A module whose ``_start`` is this code; ``locals`` are its locals, the rest as in
    ``Made``.
    """
    locals_ = str(more.pop("locals", ""))
    return bytes(Made([Function(code, locals=locals_)], **more))  # type: ignore[arg-type]


def sections_of(module: bytes) -> list[tuple[int, bytes]]:
    """The sections of a sound module: number and content."""
    found, at = [], 8
    while at < len(module):
        number, length, shift = module[at], 0, 0
        at += 1
        while True:
            length |= (module[at] & 0x7F) << shift
            shift += 7
            at += 1
            if module[at - 1] < 0x80:
                break
        found.append((number, module[at : at + length]))
        at += length
    return found
