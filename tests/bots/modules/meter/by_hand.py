"""Modules whose ticks were counted by hand from protocol/METER.md: one for each class
of instructions and each rule on blocks.
"""

from typing import NamedTuple

from wasm import Function, Made, sections_of, start

LIMIT = 1_000_000
"""The ticks that each of them has."""
SMALL = b"\1\1\x10"
"""A memory of at most 16 pages."""
COUNT = "local.get 0 i32.const 1 i32.add local.tee 0"
SEGMENT = (b"12345678",)


class ByHand(NamedTuple):
    """A module and how it runs.

    name: what it shows.
    module: its bytes.
    used: the ticks that it uses.
    end: as ``wasm_vm.Ran`` has it.
    """

    name: str
    module: bytes
    used: int
    end: str = ""


def _memory(pages: bytes, used: int) -> ByHand:
    return ByHand(
        f"a load where memory is {pages.hex()}",
        start("i32.const 0 i32.load 0 drop", memory=pages),
        used,
    )


def _large(code: int) -> bytes:
    """A module that jumps in every way that can be cold, and whose code section has so
    many bytes.

    Beside cold it uses 8 + 1 + 40 ticks for its calls, 1 + 10 for br_table, 2 behind
    that, 2 in the arm of an if, 2 behind it, 2 in the other arm, 4 each before and
    behind the br_if of a loop, and 20 in each of two longer loops. Cold are two calls,
    three times each, br_table, and three blocks: behind that, behind the first if, and
    the other arm. The block behind the second if has nothing in it. Cold is the br_if
    of the last loop, too: it ends 33 bytes behind the beginning of the loop.
    """
    nine = "i32.const 1 drop " * 9
    words = f"""call 1 i32.const 1 call_indirect 1 block i32.const 0 br_table 0 0 end
    i32.const 1 if i32.const 1 drop else unreachable end i32.const 0 if unreachable else
      i32.const 1 drop end
    loop i32.const 1 drop i32.const 0 br_if 0 i32.const 1 drop end i32.const 1 drop
    loop {nine} nop i32.const 0 br_if 0 end loop {nine} nop nop i32.const 0 br_if 0 end"""
    padding = code
    while True:
        functions = [Function(words), Function("nop"), Function(b"\0" + b"\1" * padding)]
        module = bytes(Made(functions, table=(1,), memory=SMALL))
        more = len(dict(sections_of(module))[10]) - code
        if not more:
            return module
        padding -= more


VALUES = ("", "i64 i64 i64")
THREE = "i64.const 1 i64.const 1 i64.const 1"
BY_HAND = (
    ByHand("a function of nothing", start(""), 0),
    ByHand("nop and the edges of blocks", start("nop block nop end loop end"), 0),
    ByHand("plain instructions", start("i32.const 1 i32.const 2 i32.add drop"), 4),
    ByHand("locals", start("local.get 0 local.tee 0 local.set 0", locals="i64"), 3),
    ByHand("globals", start("global.get 0 global.set 0", globals=("f64",)), 2),
    ByHand("select", start("i32.const 1 i32.const 2 i32.const 0 select drop"), 5),
    ByHand(
        "a conversion of integers",
        start("i64.const 1 i32.wrap_i64 i64.extend_i32_s i64.extend8_s drop"),
        5,
    ),
    ByHand("bits of a float", start("f64.const 1 f64.neg i64.reinterpret_f64 drop"), 4 + 3),
    ByHand(
        "division",
        start("i64.const 7 i64.const 2 i64.div_s i64.const 2 i64.rem_u drop"),
        1 + 1 + 8 + 1 + 8 + 1,
    ),
    ByHand("floats", start("f64.const 7 f64.const 2 f64.add f64.ceil drop"), 1 + 1 + 4 + 4 + 1),
    ByHand("comparison of floats", start("f32.const 7 f32.const 2 f32.lt drop"), 1 + 1 + 4 + 1),
    ByHand(
        "root and quotient",
        start("f64.const 7 f64.sqrt f64.const 2 f64.div drop"),
        1 + 8 + 1 + 8 + 1,
    ),
    ByHand(
        "conversions of floats",
        start("f64.const 7 i32.trunc_sat_f64_s f32.convert_i32_s f64.promote_f32 drop"),
        1 + 4 + 4 + 4 + 1,
    ),
    _memory(SMALL, 1 + 4 + 1),
    _memory(b"\1\1\x11", 1 + 10 + 1),
    _memory(b"\1\1\x40", 1 + 10 + 1),
    _memory(b"\1\1\x80\x02", 1 + 30 + 1),
    _memory(b"\1\1\x81\x02", 1 + 50 + 1),
    _memory(b"\0\1", 1 + 50 + 1),
    ByHand("a store", start("i32.const 0 i64.const 1 i64.store16 0"), 1 + 1 + 4),
    ByHand("memory.size", start("memory.size drop"), 2),
    ByHand(
        "memory.grow by two pages",
        start("i32.const 2 memory.grow drop"),
        1 + 2_000 + 2 * 10_000 + 1,
    ),
    ByHand(
        "memory.grow by more than there can be",
        start("i32.const -1 memory.grow drop"),
        1 + 2_000 + 1,
    ),
    ByHand(
        "memory.grow by the maximum fails, and pays",
        start("i32.const 16 memory.grow drop", memory=SMALL),
        162_002,
    ),
    ByHand(
        "memory.fill", start("i32.const 0 i32.const 1 i32.const 79 memory.fill"), 3 + 200 + 79 // 8
    ),
    ByHand(
        "memory.copy of nothing", start("i32.const 0 i32.const 1 i32.const 0 memory.copy"), 3 + 200
    ),
    ByHand(
        "memory.init and data.drop",
        start("i32.const 0 i32.const 0 i32.const 8 memory.init 0 data.drop 0", data=SEGMENT),
        3 + 201 + 200,
    ),
    ByHand(
        "memory.fill pays before it traps",
        start("i32.const 0 i32.const 1 i32.const 80000 memory.fill"),
        3 + 200 + 10_000,
        "own",
    ),
    ByHand(
        "memory.fill that cannot pay",
        start("i32.const 0 i32.const 1 i32.const -1 memory.fill"),
        LIMIT,
        "time",
    ),
    ByHand(
        "each round of a loop pays",
        start(f"loop {COUNT} i32.const 5 i32.lt_u br_if 0 end", locals="i32"),
        5 * 7,
    ),
    ByHand(
        "the arm of an if that is taken",
        start("i32.const 1 if i32.const 1 drop else unreachable unreachable end"),
        2 + 2,
    ),
    ByHand(
        "the other arm",
        start(
            "i32.const 0 if unreachable else i32.const 1 i32.const 1 drop drop end i32.const 1 drop"
        ),
        2 + 4 + 2,
    ),
    ByHand("an if of one arm", start("i32.const 0 if unreachable end i32.const 1 drop"), 2 + 2),
    ByHand(
        "code behind a branch is free",
        start("block br 0 i32.const 1 drop block i32.const 1 drop end end"),
        1,
    ),
    ByHand("code behind a return is free", start("return i32.const 1 drop"), 1),
    ByHand("br_table", start("block block i32.const 1 br_table 1 0 1 end unreachable end"), 1 + 10),
    ByHand(
        "a branch with three values",
        start(f"block :1 {THREE} br 0 end drop drop drop", more=(VALUES,)),
        3 + 1 + 2 + 3,
    ),
    ByHand(
        "br_if with three",
        start(f"block :1 {THREE} i32.const 0 br_if 0 end drop drop drop", more=(VALUES,)),
        4 + 1 + 2 + 3,
    ),
    ByHand(
        "br_table with three",
        start(f"block :1 {THREE} i32.const 0 br_table 1 0 0 end drop drop drop", more=(VALUES,)),
        4 + 12 + 3,
    ),
    ByHand(
        "a branch to a loop with two",
        start(
            "i64.const 1 i64.const 1 loop :1 drop drop local.get 0 i32.eqz if "
            "i32.const 1 local.set 0 i64.const 1 i64.const 1 br 1 end end",
            locals="i32",
            more=(("i64 i64", ""),),
        ),
        2 + 5 + 4 + 1 + 1 + 5,
    ),
    ByHand("a branch with one value", start("block :i64 i64.const 1 br 0 end drop"), 1 + 1 + 1),
    ByHand(
        "a return of three values",
        bytes(Made([Function("call 1 drop drop drop"), Function(f"{THREE} return", *VALUES)])),
        11 + 6,
    ),
    ByHand("code of 262,144 bytes", _large(2**18), 49 + 11 + 2 + 2 + 2 + 2 + 8 + 40),
    ByHand(
        "code of 262,145 bytes",
        _large(2**18 + 1),
        49 + 11 + 2 + 2 + 2 + 2 + 8 + 40 + (3 + 3 + 1 + 3 + 1) * 10,
    ),
    ByHand("a call", bytes(Made([Function("call 1"), Function("nop i32.const 1 drop")])), 8 + 2),
    ByHand(
        "call_indirect",
        bytes(Made([Function("i32.const 1 call_indirect 1"), Function("")], table=(1,))),
        1 + 40,
    ),
    ByHand("a call to the runner", start("call 0 drop", imports=("sched_yield",)), 8 + 20_000 + 1),
    ByHand(
        "a call to the runner that fails",
        start("i32.const 9 call 0 drop", imports=("fd_close",)),
        1 + 8 + 20_000 + 1,
    ),
    ByHand(
        "proc_exit",
        start("i32.const 3 call 0 i32.const 1 drop", imports=("proc_exit",)),
        1 + 20_008,
        "exit",
    ),
    ByHand("unreachable", start("unreachable"), 1, "own"),
    ByHand(
        "a block pays before it traps",
        start("i32.const 1 i32.const 0 i32.div_u i32.const 1 drop drop"),
        1 + 1 + 8 + 3,
        "own",
    ),
    ByHand(
        "an edge of a block that no branch names",
        start("block unreachable end i32.const 1 drop"),
        1,
        "own",
    ),
    ByHand(
        "an edge that nothing names goes on",
        start("i32.const 0 i32.const 0 i32.div_u drop block nop end i32.const 1 drop"),
        1 + 1 + 8 + 1 + 2,
        "own",
    ),
    ByHand(
        "an edge that a branch names ends a block",
        start(
            "block i32.const 0 br_if 0 i32.const 0 i32.const 0 i32.div_u drop end i32.const 1 drop"
        ),
        2 + 11,
        "own",
    ),
    ByHand(
        "a branch that is never reached names nothing",
        start(
            "block i32.const 0 i32.const 0 i32.div_u drop block br 0 br 1 end end i32.const 1 drop"
        ),
        11 + 1,
        "own",
    ),
    ByHand("no edge behind a loop", start("i32.const 1 drop loop unreachable end"), 2 + 1, "own"),
    ByHand(
        "behind a loop that ends",
        start("loop i32.const 0 i32.const 0 i32.div_u drop end i32.const 1 drop"),
        11 + 2,
        "own",
    ),
    ByHand(
        "a call of the module's own ends no block",
        bytes(Made([Function("call 1 i32.const 1 drop"), Function("unreachable")])),
        8 + 2 + 1,
        "own",
    ),
    ByHand("for ever", start("loop br 0 end"), LIMIT, "time"),
    ByHand(
        "more than is left",
        start("nop " + "i32.const 1 drop " * 5 + "loop br 0 end"),
        LIMIT,
        "time",
    ),
    ByHand("calls without end", bytes(Made([Function("call 0")])), 8 * 7_812, "stack"),
    ByHand(
        "the same with five locals and three operands",
        bytes(
            Made(
                [
                    Function(
                        "i32.const 1 i32.const 2 i32.const 3 call 0 drop drop drop",
                        locals="i64 f64 f64 f64 f64",
                    )
                ]
            )
        ),
        14 * 3_906,
        "stack",
    ),
)
"""All of them.

A call of a function without locals and operands takes 128 bytes of stack, of 1,000,000:
7,812 fit, and the next one traps before it pays. With five locals and three operands it
takes 256, and 3,906 fit.
"""
