"""Modules that a meter gets wrong which has misread one sentence of protocol/METER.md,
their ticks counted by hand.
"""

from by_hand import LIMIT, SMALL, ByHand
from wasm import OPCODES, Function, Made, sized, start, vector

PRICES = {"plain": 1, "float": 4, "divide": 8, "store": 4, "load": 4}
"""The price of each class of instructions that only take operands and leave results,
over a memory of at most 16 pages.
"""
TRAP = "i32.const 0 i32.const 0 i32.div_u drop"
PAIR = "i32.const 1 drop"
QUIET = {"f32": "i32.const -3 f32.reinterpret_i32", "f64": "i64.const -3 f64.reinterpret_i64"}
"""Code that makes a NaN with a sign and other bits than the canonical one, for 2
ticks.
"""
ONE_OPERAND = ("ceil", "floor", "trunc", "nearest", "sqrt")
TWO_OPERANDS = ("add", "sub", "mul", "div", "min", "max")
KEPT = {"abs": "abs", "neg": "neg", "copysign": "{0}.const -1 {0}.copysign"}
SIXTEEN = " ".join(["i32"] * 16)
DROPS = "drop " * 16
FITS = 1_000_000


# --- section 3: each instruction's price ---


def _used(name: str) -> tuple[str, int]:
    """Return code that runs an instruction once and leaves nothing, and its ticks: a
    constant or a drop is one.
    """
    row = OPCODES[name]
    operands, _, results = row.types.partition(">")
    constants = " ".join(f"{type_}.const 1" for type_ in operands.split())
    code = (
        f"{constants} {name}{' 0' if row.price in ('load', 'store') else ''} "
        f"{'drop' if results else ''}"
    )
    return code, len(operands.split()) + PRICES[row.price] + len(results.split())


def _class(price: str, type_: str) -> ByHand:
    """Return a module that runs once each instruction of a class whose name begins with
    a type.
    """
    names = [
        row.name
        for row in OPCODES.values()
        if row.price == price and row.name.startswith(f"{type_}.") and row.types.partition(">")[0]
    ]
    code, ticks = zip(*map(_used, names), strict=True)
    return ByHand(
        f"each instruction of {type_} that is {price}",
        start(" ".join(code), memory=SMALL),
        sum(ticks),
    )


CLASSES = tuple(
    _class(price, type_)
    for price, types in (
        ("plain", "i32 i64 f32 f64"),
        ("float", "i32 i64 f32 f64"),
        ("divide", "i32 i64 f32 f64"),
        ("load", "i32 i64 f32 f64"),
        ("store", "i32 i64 f32 f64"),
    )
    for type_ in types.split()
)
CONSTANTS = ByHand(
    "constants, variables, select and drop",
    start(
        "i32.const 1 i64.const 2 f32.const 3 f64.const 4 local.set 0 global.set 0 drop drop"
        " global.get 0 local.get 0 local.tee 0 drop i32.const 0 i32.const 0 i32.const 0 "
        "select drop drop memory.size drop",
        locals="f64",
        globals=("f32",),
    ),
    8 + 4 + 6 + 2,
)


# --- section 3: memory ---


def _load(name: str, memory: bytes, price: int) -> ByHand:
    return ByHand(
        f"a load where memory {name}",
        start("i32.const 0 i32.load 0 drop", memory=memory),
        1 + price + 1,
    )


def _growth(name: str, pages: int, memory: bytes, used: int, end: str = "") -> ByHand:
    return ByHand(
        f"growth by {pages} pages where memory {name}",
        start(f"i32.const 0 i32.const {pages} memory.grow i32.store 0", memory=memory),
        used,
        end,
    )


NO_MOST, ABOVE, FAR_ABOVE = b"\0\1", b"\1\1\x81\x20", b"\1\1\x80\x80\4"
MEMORY = (
    _load("has at most 65 pages", b"\1\1\x41", 30),
    _load("has at most 4,097 pages, which count as 4,096", ABOVE, 50),
    _load("has at most 65,536 pages, which count as 4,096", FAR_ABOVE, 50),
    _growth("says no maximum", 4_096, NO_MOST, LIMIT, "time"),
    _growth("says no maximum", 4_097, NO_MOST, 2 + 2_000 + 4),
    _growth("has at most 4,097 pages, which count as 4,096", 4_096, ABOVE, LIMIT, "time"),
    _growth("has at most 4,097 pages, which count as 4,096", 4_097, ABOVE, 2 + 2_000 + 4),
    _growth("has at most 65,536 pages, which count as 4,096", 4_097, FAR_ABOVE, 2 + 2_000 + 4),
    _growth("has as many pages as it may have", 0, b"\1\1\1", 2 + 2_000 + 4),
    _growth("has one page of two", 1, b"\1\1\2", 2 + 2_000 + 10_000 + 4),
    _growth("has one page of two", 3, b"\1\1\2", 2 + 2_000 + 4),
    *(
        ByHand(
            f"memory.fill of {length} bytes",
            start(f"i32.const 0 i32.const 1 i32.const {length} memory.fill"),
            3 + 200 + length // 8,
        )
        for length in (7, 8, 15, 16)
    ),
    ByHand(
        "memory.copy of 24 bytes",
        start("i32.const 0 i32.const 1 i32.const 24 memory.copy"),
        3 + 200 + 3,
    ),
    ByHand(
        "memory.init that traps pays",
        start("i32.const 0 i32.const 0 i32.const 800 memory.init 0", data=(b"1",)),
        3 + 200 + 100,
        "own",
    ),
    ByHand(
        "memory.copy of more than 2^31 bytes",
        start("i32.const 0 i32.const 0 i32.const -1 memory.copy"),
        LIMIT,
        "time",
    ),
)


# --- section 2: blocks that pay ---

BLOCKS = (
    ByHand(
        "a br that is never reached names nothing",
        start(f"block block br 0 br 1 end {TRAP} end {PAIR}"),
        1 + 11 + 2,
        "own",
    ),
    ByHand(
        "a br_if that is never reached names nothing",
        start(f"block block br 0 i32.const 0 br_if 1 end {TRAP} end {PAIR}"),
        1 + 11 + 2,
        "own",
    ),
    ByHand(
        "a br_table that is never reached names nothing",
        start(f"block block br 0 i32.const 0 br_table 1 1 1 end {TRAP} end {PAIR}"),
        1 + 11 + 2,
        "own",
    ),
    ByHand(
        "a br_table names by its default",
        start(f"block block i32.const 0 br_table 1 0 1 end {TRAP} end {PAIR}"),
        11 + 11,
        "own",
    ),
    ByHand(
        "a br_table names by an entry that is not taken",
        start(f"block block i32.const 5 br_table 1 1 0 end {TRAP} end {PAIR}"),
        11 + 11,
        "own",
    ),
    ByHand(
        "a br names the block that it leaves",
        start(f"block block i32.const 0 if br 2 end {TRAP} end end {PAIR}"),
        2 + 11,
        "own",
    ),
    ByHand(
        "a br_if ends a block",
        start(f"block {TRAP.replace('drop', 'br_if 0')} {PAIR} end {PAIR}"),
        11,
        "own",
    ),
    ByHand(
        "behind a br_if a block begins",
        start(f"block i32.const 0 br_if 0 {TRAP} {PAIR} end {PAIR}"),
        2 + 13,
        "own",
    ),
    ByHand("a loop ends a block", start(f"{TRAP} loop {PAIR} end"), 11, "own"),
    ByHand("an if ends a block", start(f"{TRAP} i32.const 1 if {PAIR} end"), 11 + 2, "own"),
    ByHand(
        "an else ends a block",
        start(f"i32.const 1 if {TRAP} else {PAIR} end {PAIR}"),
        2 + 11,
        "own",
    ),
    ByHand(
        "the end of an if ends a block", start(f"i32.const 1 if {TRAP} end {PAIR}"), 2 + 11, "own"
    ),
    ByHand(
        "the end of an if with an else ends a block",
        start(f"i32.const 0 if {PAIR} else {TRAP} end {PAIR}"),
        2 + 11,
        "own",
    ),
    ByHand(
        "the end of a loop that a branch names ends no block",
        start(f"loop i32.const 0 br_if 0 {TRAP} end {PAIR}"),
        2 + 13,
        "own",
    ),
    ByHand(
        "behind a dead end of a loop a block begins",
        start(f"i32.const 1 if loop return end {PAIR} end"),
        2 + 1,
    ),
    ByHand(
        "behind a dead end of a block a block begins",
        start(f"block i32.const 1 if {PAIR} end br 0 end {TRAP}"),
        2 + 2 + 1 + 11,
        "own",
    ),
    ByHand(
        "an if within code that is never reached",
        start("block br 0 i32.const 1 if br 1 else br 0 end loop br 0 end end i32.const 1 drop"),
        1 + 2,
    ),
    ByHand(
        "an else behind code that is never reached",
        start(f"i32.const 0 if unreachable {PAIR} else {PAIR} {PAIR} end {PAIR}"),
        2 + 4 + 2,
    ),
    ByHand(
        "a call to the runner ends a block",
        start(f"call 0 drop {TRAP}", imports=("sched_yield",)),
        20_008 + 1 + 11,
        "own",
    ),
    ByHand(
        "a block pays before a call to the runner",
        start(f"{TRAP} call 0 drop", imports=("sched_yield",)),
        11 + 20_008,
        "own",
    ),
    ByHand(
        "an indirect call ends no block",
        bytes(
            Made(
                [Function(f"i32.const 1 call_indirect 1 {PAIR}"), Function("unreachable")],
                table=(1,),
            )
        ),
        1 + 40 + 2 + 1,
        "own",
    ),
    ByHand(
        "each kind of instruction that is never reached is free",
        bytes(
            Made(
                [
                    Function(
                        "block br 0 return unreachable call 1 i32.const 1 call_indirect 1 "
                        "i32.const 1 br_if 0"
                        " i32.const 1 br_table 1 0 1 i32.const 1 memory.grow drop"
                        " i32.const 1 i32.const 1 i32.const 1 memory.fill data.drop 0 f32.const 1"
                        " i32.trunc_sat_f32_s drop i32.const 1 i32.load 0 drop f64.const 1 "
                        "f64.sqrt drop end i32.const 1 drop"
                    ),
                    Function(""),
                ],
                table=(1,),
                data=(b"1",),
            )
        ),
        1 + 2,
    ),
    ByHand("just enough ticks", start("loop i32.const 1 drop br 0 end"), LIMIT, "time"),
)


# --- section 6: the height of the stack ---


def _deep(name: str, code: str, ticks: int, slots: int, **more: object) -> ByHand:
    """Return a module whose ``_start`` calls function 1, which calls itself.

    ticks: what function 1 pays each time before it calls itself.
    slots: its parameters, locals, and the most operands at once.
    """
    first = str(more.pop("first", "call 1"))
    paid, own = int(str(more.pop("paid", 8))), int(str(more.pop("own", 0)))
    depth = (FITS - 128 - 16 * own) // (128 + 16 * slots)
    types = {key: str(more.pop(key, "")) for key in ("params", "results", "locals")}
    made = Made(
        [Function(first), Function(code, **types), Function("unreachable", results=SIXTEEN)], **more
    )  # type: ignore[arg-type]
    return ByHand(f"the height of {name}", bytes(made), paid + depth * ticks, "stack")


VALUES = (("", SIXTEEN), ("i32 i32 i32 i32", ""), ("i32 i32", "i32 i32"))
DEEP = (
    _deep("locals of each size", "call 1", 8, 4, locals="i32 i64 f32 f64"),
    _deep(
        "parameters",
        "local.get 0 local.get 1 call 1",
        10,
        4,
        params="i32 f64",
        first="i32.const 0 f64.const 0 call 1",
        paid=10,
        own=2,
    ),
    _deep(
        "operands that are gone before the call", f"{'i32.const 1 ' * 5}{'drop ' * 5}call 1", 18, 5
    ),
    _deep("operands that come behind the call", f"call 1 {'i32.const 1 ' * 5}{'drop ' * 5}", 18, 5),
    _deep(
        "operands that are never reached",
        f"call 1 unreachable {'i32.const 1 ' * 5}{'drop ' * 5}",
        9,
        0,
    ),
    _deep("results of a call", f"call 1 call 2 {DROPS}", 8 + 8 + 16, 16),
    _deep(
        "a dead end of a block, whose results count",
        f"call 1 block :3 unreachable end {DROPS}",
        9,
        16,
        more=VALUES,
    ),
    _deep(
        "an else, whose parameters count",
        f"call 1 {'i32.const 1 ' * 4}i32.const 0 if :4 unreachable else "
        f"{'i32.const 1 ' * 3}{'drop ' * 7} end",
        8 + 4 + 2,
        7,
        more=VALUES,
    ),
    _deep(
        "a block's parameters",
        "call 1 i32.const 1 i32.const 1 block :5 i32.const 1 drop end drop drop",
        8 + 6,
        3,
        more=VALUES,
    ),
    _deep(
        "operands around a block", "call 1 i32.const 1 block i32.const 1 drop end drop", 8 + 4, 2
    ),
    _deep(
        "operands of a br_if",
        "call 1 block :i32 i32.const 1 i32.const 0 br_if 0 end drop",
        8 + 3,
        2,
    ),
    _deep("operands around a branch", "call 1 block i32.const 1 br 0 end", 8 + 2, 1),
    _deep(
        "a block's result",
        "call 1 block :i32 i32.const 1 end i32.const 1 i32.const 1 drop drop drop",
        8 + 6,
        3,
    ),
    _deep(
        "a loop's result",
        "loop :i32 i32.const 1 end i32.const 1 i32.const 1 drop drop drop call 1",
        1 + 5 + 8,
        3,
    ),
    _deep(
        "blocks of nothing",
        "call 1 block block end end i32.const 1 i32.const 1 drop drop",
        8 + 4,
        2,
    ),
    _deep(
        "an if's result",
        "i32.const 1 if :i32 i32.const 1 else i32.const 1 end i32.const 1 i32.const 1 drop "
        "drop drop call 1",
        2 + 1 + 13,
        3,
    ),
    _deep("a select", "call 1 i32.const 1 i32.const 1 i32.const 1 select drop", 8 + 5, 3),
)
SIMPLE = [
    row.name
    for row in OPCODES.values()
    if row.price in PRICES and "." in row.name and row.types.partition(">")[0]
]
"""Instructions whose types stand in the table: operations, conversions, loads and
stores.
"""
KEEPING = " ".join(_used(name)[0].removesuffix("drop") for name in SIMPLE)
"""Code that runs each of them once and keeps the results."""
RESULTS = sum(OPCODES[name].types.partition(">")[2] != "" for name in SIMPLE)
REST = (
    "nop i32.const 1 drop i32.const 1 i32.const 1 i32.const 1 select local.get 0 local.set "
    "0 local.get 0 local.tee 0"
    " global.get 0 global.set 0 global.get 0 i64.const 1 f32.const 1 f64.const 1 memory.size"
)
REST_TICKS, REST_KEPT = 2 + 4 + 2 + 2 + 2 + 1 + 3 + 1, 1 + 1 + 1 + 3 + 1
BULK = (
    "i32.const 1 i32.const 0 i32.const 0 i32.const 0 memory.fill i32.const 0 i32.const 0 "
    "i32.const 0 memory.copy"
    " i32.const 0 i32.const 0 i32.const 0 memory.init 0 data.drop 0 i32.const 0 memory.grow"
    " f64.const 1 i32.const 1 call_indirect 1 i64.const 1 i64.const 1"
)
MANY = " ".join(["f64"] * 200)
OPERANDS = (
    _deep(
        "what each operation takes and leaves",
        f"call 1 {KEEPING} i32.const 1 unreachable",
        8
        + sum(_used(name)[1] - (OPCODES[name].types.partition(">")[2] != "") for name in SIMPLE)
        + 2,
        RESULTS + 1,
        memory=SMALL,
    ),
    _deep(
        "what variables, constants, drop and select take and leave",
        f"call 1 {REST} i32.const 1 unreachable",
        8 + REST_TICKS + 2,
        1 + REST_KEPT + 1,
        locals="i64",
        globals=("i64",),
    ),
    _deep(
        "what bulk instructions, growth and an indirect call take and leave",
        f"call 1 {BULK} unreachable",
        8 + 1 + 3 * 203 + 200 + 2_001 + 1 + 1 + 40 + 2 + 1,
        200 + 5,
        locals=MANY,
        table=(0,),
        data=(b"1",),
    ),
)
WAYS = (
    "",
    "return",
    "block br 1 end unreachable",
    "i32.const 0 br_table 0 0",
    "i32.const 1 if return end",
    "i32.const 1 br_if 0",
)
"""Ways out of a function."""
WAYS_TICKS = (0, 1, 1, 11, 3, 2)
ROUNDS = 8_000
"""More calls than fit within one another."""
COUNTED = "local.get 0 i32.const 1 i32.add local.tee 0 i32.const {} i32.lt_u br_if 0"
GIVEN_BACK = tuple(
    ByHand(
        f"the height is taken off behind {way or 'the end'}",
        bytes(
            Made(
                [Function(f"loop call 1 {COUNTED.format(ROUNDS)} end", locals="i32"), Function(way)]
            )
        ),
        ROUNDS * (8 + 7 + ticks),
    )
    for way, ticks in zip(WAYS, WAYS_TICKS, strict=True)
)
FULL = (
    ByHand(
        "the height of the results of a function whose end is dead, which do not count",
        bytes(Made([Function(f"call 1 {DROPS}"), Function("call 0 unreachable", results=SIXTEEN)])),
        FITS // (384 + 128) * (8 + 16 + 8 + 1),
        "stack",
    ),
    ByHand(
        "a height of 1,000,000 fits",
        bytes(Made([Function("call 1", locals="i32 i32 i32 i32"), Function("call 1")])),
        8 + 8 * ((FITS - 192) // 128),
        "stack",
    ),
    ByHand("a height that just fits", bytes(Made([Function(""), Function("")])), 0),
    ByHand(
        "a full stack takes no ticks of the function that does not fit",
        bytes(Made([Function(f"call 0 {PAIR}")])),
        (8 + 2) * (FITS // (128 + 16)),
        "stack",
    ),
)


# --- section 7: NaN ---


def _nan(name: str, code: str, ticks: int) -> ByHand:
    """Return a module that stores what an operation makes of a NaN. ``ticks``: of code
    that leaves a float.
    """
    type_ = name[:3]
    return ByHand(
        f"a NaN behind {name}", start(f"i32.const 0 {code} {type_}.store 0"), 1 + ticks + 4
    )


def _nans(type_: str) -> tuple[ByHand, ...]:
    """Return the modules of a type of floats."""
    slow = ("sqrt", "div")
    one = [
        _nan(f"{type_}.{name}", f"{QUIET[type_]} {type_}.{name}", 2 + (8 if name in slow else 4))
        for name in ONE_OPERAND
    ]
    two = [
        _nan(
            f"{type_}.{name}",
            f"{QUIET[type_]} {type_}.const 1 {type_}.{name}",
            3 + (8 if name in slow else 4),
        )
        for name in TWO_OPERANDS
    ]
    return *one, *two


NANS = (
    *_nans("f32"),
    *_nans("f64"),
    _nan("f32.demote_f64", f"{QUIET['f64']} f32.demote_f64", 6),
    _nan("f64.promote_f32", f"{QUIET['f32']} f64.promote_f32", 6),
    _nan("f64.neg, which keeps its bits", f"{QUIET['f64']} f64.neg", 6),
    _nan("f64.abs, which keeps its bits", f"{QUIET['f64']} f64.abs", 6),
    _nan("f64.copysign, which keeps its bits", f"{QUIET['f64']} f64.const 1 f64.copysign", 7),
    _nan("f32.neg, which keeps its bits", f"{QUIET['f32']} f32.neg", 6),
    _nan("f32.abs, which keeps its bits", f"{QUIET['f32']} f32.abs", 6),
    _nan("f32.copysign, which keeps its bits", f"{QUIET['f32']} f32.const 1 f32.copysign", 7),
    _nan("f64.add and f64.neg", f"{QUIET['f64']} f64.const 1 f64.add f64.neg", 3 + 4 + 4),
)
# --- section 1: forms that are taken ---


def _named(content: bytes) -> bytes:
    """Return a section of names."""
    return b"\0" + sized(sized(b"name") + content)


MANY_TYPES = ByHand(
    "functions of two results in a module of 63 types, the largest number of a type whose "
    "signed form is a byte",
    bytes(
        Made(
            [
                Function("i32.const 1 call 1 drop drop i32.const 1 call 2 drop drop"),
                Function("local.get 0 local.get 0", params="i32", results="i32 i32"),
                Function("local.get 0 i64.const 1", params="i32", results="i32 i64"),
            ],
            more=(("", ""),) * 60,
        )
    ),
    2 * (1 + 8 + 2) + 2 + 2,
)
"""A meter that puts a block around each of these functions has types of its own for
them, the numbers 63 and 64.
"""
_NAMES = b"\1" + sized(vector([b"\0" + sized(b"think")]))
FORMS = (
    MANY_TYPES,
    ByHand("a block whose type is the number 0", start("block :0 end i32.const 1 drop"), 2),
    ByHand(
        "a data segment that names its memory",
        start("", sections={11: vector([b"\2\0\x41\0\x0b" + sized(b"data")])}),
        0,
    ),
    ByHand(
        "names of functions, and behind them a section of names that is malformed",
        start("i32.const 1 drop") + _named(_NAMES) + _named(b"\1\x63"),
        2,
    ),
)
MISREAD = (
    *CLASSES,
    CONSTANTS,
    *MEMORY,
    *BLOCKS,
    *DEEP,
    *OPERANDS,
    *GIVEN_BACK,
    *FULL,
    *NANS,
    *FORMS,
)
"""All of them."""
