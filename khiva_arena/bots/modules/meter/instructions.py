"""The instructions that have a price, as data: opcode, immediates, types of operands
and results, class of price.
"""

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from .prices import COLD_TIMES, PLAIN, Prices

TYPES = {"i32": 0x7F, "i64": 0x7E, "f32": 0x7D, "f64": 0x7C}
"""The types of values, as bytes of the binary format."""


class Treatment(IntEnum):
    """What an instruction needs from the walk beside its operands and results."""

    SIMPLE = 0
    LOCAL_GET = 1
    CONSTANT = 2
    MEMORY = 3
    LOCAL_SET = 4
    LOCAL_TEE = 5
    FLOAT = 6
    BLOCK = 7
    LOOP = 8
    IF = 9
    ELSE = 10
    END = 11
    BR = 12
    BR_IF = 13
    BR_TABLE = 14
    RETURN = 15
    UNREACHABLE = 16
    CALL = 17
    CALL_INDIRECT = 18
    DROP = 19
    SELECT = 20
    GLOBAL_GET = 21
    GLOBAL_SET = 22
    MEMORY_SIZE = 23
    MEMORY_GROW = 24
    PREFIX = 25
    MEMORY_INIT = 26
    DATA_DROP = 27
    MEMORY_COPY = 28
    MEMORY_FILL = 29
    REFUSED = 30


class Instruction(NamedTuple):
    """An instruction.

    kind: how the walk treats it.
    pops: the types of its operands, the topmost last.
    pushes: the types of its results.
    price: in ticks.
    detail: the bits of a constant, or the largest exponent of the alignment of a load
        or store; of others 1 if it is heavy.
    """

    kind: Treatment
    pops: bytes
    pushes: bytes
    price: int
    detail: int = 0


class Priced(NamedTuple):
    """An instruction in the table of those that have a price.

    opcode: its byte; behind the prefix 0xFC 0xFC00 more than its number.
    name: as the text format has it.
    kind: how the walk treats it.
    types: of operands and results, as "i32 i32>i64".
    price: its class.
    detail: the bits of a constant, or the largest exponent of the alignment of a load
        or store.
    """

    opcode: int
    name: str
    kind: Treatment
    types: str
    price: str
    detail: int = 0


_CONTROL = (
    Priced(0x00, "unreachable", Treatment.UNREACHABLE, ">", "plain"),
    Priced(0x01, "nop", Treatment.SIMPLE, ">", "free"),
    Priced(0x02, "block", Treatment.BLOCK, ">", "free"),
    Priced(0x03, "loop", Treatment.LOOP, ">", "free"),
    Priced(0x04, "if", Treatment.IF, "i32>", "plain"),
    Priced(0x05, "else", Treatment.ELSE, ">", "free"),
    Priced(0x0B, "end", Treatment.END, ">", "free"),
    Priced(0x0C, "br", Treatment.BR, ">", "plain"),
    Priced(0x0D, "br_if", Treatment.BR_IF, "i32>", "plain"),
    Priced(0x0E, "br_table", Treatment.BR_TABLE, "i32>", "jump"),
    Priced(0x0F, "return", Treatment.RETURN, ">", "plain"),
    Priced(0x10, "call", Treatment.CALL, ">", "call"),
    Priced(0x11, "call_indirect", Treatment.CALL_INDIRECT, "i32>", "indirect"),
    Priced(0x1A, "drop", Treatment.DROP, ">", "plain"),
    Priced(0x1B, "select", Treatment.SELECT, "i32>", "plain"),
    Priced(0x20, "local.get", Treatment.LOCAL_GET, ">", "plain"),
    Priced(0x21, "local.set", Treatment.LOCAL_SET, ">", "plain"),
    Priced(0x22, "local.tee", Treatment.LOCAL_TEE, ">", "plain"),
    Priced(0x23, "global.get", Treatment.GLOBAL_GET, ">", "plain"),
    Priced(0x24, "global.set", Treatment.GLOBAL_SET, ">", "plain"),
    Priced(0x3F, "memory.size", Treatment.MEMORY_SIZE, ">i32", "plain"),
    Priced(0x40, "memory.grow", Treatment.MEMORY_GROW, "i32>i32", "grow"),
    Priced(0x41, "i32.const", Treatment.CONSTANT, ">i32", "plain", 32),
    Priced(0x42, "i64.const", Treatment.CONSTANT, ">i64", "plain", 64),
    Priced(0x43, "f32.const", Treatment.CONSTANT, ">f32", "plain"),
    Priced(0x44, "f64.const", Treatment.CONSTANT, ">f64", "plain"),
    Priced(0xFC08, "memory.init", Treatment.MEMORY_INIT, "i32 i32 i32>", "bulk"),
    Priced(0xFC09, "data.drop", Treatment.DATA_DROP, ">", "bulk"),
    Priced(0xFC0A, "memory.copy", Treatment.MEMORY_COPY, "i32 i32 i32>", "bulk"),
    Priced(0xFC0B, "memory.fill", Treatment.MEMORY_FILL, "i32 i32 i32>", "bulk"),
)
_LOADS = """i32.load 2, i64.load 3, f32.load 2, f64.load 3, i32.load8_s 0, i32.load8_u 0,
i32.load16_s 1, i32.load16_u 1, i64.load8_s 0, i64.load8_u 0, i64.load16_s 1, i64.load16_u 1,
i64.load32_s 2, i64.load32_u 2"""
_STORES = """i32.store 2, i64.store 3, f32.store 2, f64.store 3, i32.store8 0, i32.store16 1,
i64.store8 0, i64.store16 1, i64.store32 2"""
_COMPARISONS = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u"
_INTEGERS = "add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr"
_UNARY_FLOATS = "abs neg ceil floor trunc nearest sqrt"
_BINARY_FLOATS = "add sub mul div min max copysign"
# A conversion's name begins with its result's type and ends with its operand's.
_CONVERSIONS = """i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u
i64.extend_i32_s i64.extend_i32_u i64.trunc_f32_s i64.trunc_f32_u i64.trunc_f64_s
i64.trunc_f64_u f32.convert_i32_s f32.convert_i32_u f32.convert_i64_s f32.convert_i64_u
f32.demote_f64 f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s f64.convert_i64_u
f64.promote_f32 i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64"""
_EXTENSIONS = "i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s"
_SATURATING = """i32.trunc_sat_f32_s i32.trunc_sat_f32_u i32.trunc_sat_f64_s i32.trunc_sat_f64_u
i64.trunc_sat_f32_s i64.trunc_sat_f32_u i64.trunc_sat_f64_s i64.trunc_sat_f64_u"""
_SLOW = {"div", "div_s", "div_u", "rem_s", "rem_u", "sqrt"}
_EXACT = {"abs", "neg", "copysign"}
"""Operations on floats that change a sign alone, so that the bits of a NaN are the same
everywhere.
"""


def _accesses(first: int, names: str, form: str, price: str) -> Iterator[Priced]:
    """Yield loads or stores from an opcode on; a name stands before the largest
    exponent of its alignment.
    """
    for opcode, words in enumerate(names.split(","), first):
        name, alignment = words.split()
        yield Priced(opcode, name, Treatment.MEMORY, form.format(name[:3]), price, int(alignment))


def _operations(first: int, type_: str, names: str, form: str) -> Iterator[Priced]:
    """Yield the operations of a type from an opcode on."""
    floats = type_[0] == "f"
    for opcode, name in enumerate(names.split(), first):
        kind = (
            Treatment.FLOAT
            if floats and form.endswith("{0}") and name not in _EXACT
            else Treatment.SIMPLE
        )
        price = "divide" if name in _SLOW else "float" if floats else "plain"
        yield Priced(opcode, f"{type_}.{name}", kind, form.format(type_), price)


def _conversions(first: int, names: str) -> Iterator[Priced]:
    """Yield conversions from an opcode on."""
    for opcode, name in enumerate(names.split(), first):
        to, source = name[:3], name.removesuffix("_s").removesuffix("_u")[-3:]
        source = to if name in _EXTENSIONS.split() else source
        kind = Treatment.FLOAT if "mote" in name else Treatment.SIMPLE
        exact = "f" not in source + to or "reinterpret" in name
        yield Priced(opcode, name, kind, f"{source}>{to}", "plain" if exact else "float")


ROWS = (
    *_CONTROL,
    *_accesses(0x28, _LOADS, "i32>{0}", "load"),
    *_accesses(0x36, _STORES, "i32 {0}>", "store"),
    *_operations(0x45, "i32", "eqz", "{0}>i32"),
    *_operations(0x46, "i32", _COMPARISONS, "{0} {0}>i32"),
    *_operations(0x50, "i64", "eqz", "{0}>i32"),
    *_operations(0x51, "i64", _COMPARISONS, "{0} {0}>i32"),
    *_operations(0x5B, "f32", "eq ne lt gt le ge", "{0} {0}>i32"),
    *_operations(0x61, "f64", "eq ne lt gt le ge", "{0} {0}>i32"),
    *_operations(0x67, "i32", "clz ctz popcnt", "{0}>{0}"),
    *_operations(0x6A, "i32", _INTEGERS, "{0} {0}>{0}"),
    *_operations(0x79, "i64", "clz ctz popcnt", "{0}>{0}"),
    *_operations(0x7C, "i64", _INTEGERS, "{0} {0}>{0}"),
    *_operations(0x8B, "f32", _UNARY_FLOATS, "{0}>{0}"),
    *_operations(0x92, "f32", _BINARY_FLOATS, "{0} {0}>{0}"),
    *_operations(0x99, "f64", _UNARY_FLOATS, "{0}>{0}"),
    *_operations(0xA0, "f64", _BINARY_FLOATS, "{0} {0}>{0}"),
    *_conversions(0xA7, _CONVERSIONS),
    *_conversions(0xC0, _EXTENSIONS),
    *_conversions(0xFC00, _SATURATING),
)
"""Every instruction that has a price."""
_REFUSED = (
    (
        {*range(0x06, 0x0B), 0x18, 0x19, 0x1F},
        "exceptions",
        "build without them, as with -fno-exceptions",
    ),
    ({0x12, 0x13, 0x15}, "tail calls", "build without -mtail-call"),
    ({0xFB}, "garbage-collected types", "build for linear memory"),
    ({0xFD}, "SIMD", "build without -msimd128"),
    ({0xFE}, "threads", "build without -pthread and -matomics"),
    (
        {0x1C, 0x25, 0x26, *range(0xD0, 0xD7), *range(0xFC0C, 0xFC12)},
        "operations on tables and references",
        "build without them",
    ),
)


_HEAVY = {"indirect", "grow", "bulk", "float", "divide"}
"""The classes whose instructions become far more code of the machine than they have
bytes.
"""


def refusal(opcode: int) -> tuple[str, str]:
    """Return the name of the feature that an opcode without a price belongs to, and how
    to build without it.
    """
    for opcodes, feature, remedy in _REFUSED:
        if opcode in opcodes:
            return feature, remedy
    return f"the instruction 0x{opcode:02x}", "build without it"


def _types(names: str) -> bytes:
    return bytes(TYPES[name] for name in names.split())


def instructions(prices: Prices) -> dict[int, Instruction]:
    """Return the instructions by opcode, all 256 first bytes among them, with the
    prices that hold for a module.
    """
    table = {opcode: Instruction(Treatment.REFUSED, b"", b"", 0) for opcode in range(256)}
    table[0xFC] = Instruction(Treatment.PREFIX, b"", b"", 0)
    ticks = PLAIN | {"load": prices.load}
    ticks |= {name: ticks[name] + times * prices.cold for name, times in COLD_TIMES.items()}
    for row in ROWS:
        pops, pushes = row.types.split(">")
        table[row.opcode] = Instruction(
            row.kind,
            _types(pops),
            _types(pushes),
            ticks[row.price],
            row.detail or row.price in _HEAVY,
        )
    return table
