"""Modules that are refused, one for each reason of protocol/METER.md, sections 1 and 8,
and modules that just reach a bound.

Each has that reason alone where a VM of today can tell: without it the module would be
valid.
"""

from wasm import Function, Made, assemble, sections_of, sized, start, uleb, vector

from khiva_arena.bots.modules.meter.imports import MODULE

I32, F64 = b"\x7f", b"\x7c"
ZERO = b"\x41\0\x0b"
MEMORY_EXPORT, START_EXPORT = sized(b"memory") + b"\2\0", sized(b"_start") + b"\0\0"


def section(number: int, content: bytes, code: str = "", **more: object) -> bytes:
    """A module with a section in place of its own."""
    return start(code, sections={number: content}, **more)


def imported(module: str, name: str, kind: bytes = b"\0\0") -> bytes:
    """A module with one import, by default a function whose type takes and gives
    nothing.
    """
    entry = sized(module.encode()) + sized(name.encode()) + kind
    return start(
        "", sections={2: vector([entry]), 7: vector([MEMORY_EXPORT, sized(b"_start") + b"\0\1"])}
    )


def exported(*entries: bytes) -> bytes:
    """A module with exports in place of its own."""
    return section(7, vector(list(entries)))


def types(entry: bytes) -> bytes:
    """A module with a type behind that of ``_start``."""
    return section(1, vector([b"\x60\0\0", entry]))


def elements(entry: bytes) -> bytes:
    """A module with a table and an element segment."""
    return start("", table=(0,), sections={9: vector([entry])})


IMPORTED_MEMORY = vector([sized(b"env") + sized(b"memory") + b"\2\0\1"])
_BEFORE, _MEMORY, _BEHIND = start("").partition(b"\5\3" + b"\1\0\1")
TAGGED = _BEFORE + _MEMORY + b"\x0d\3\1\0\0" + _BEHIND
"""A module with a tag of exceptions behind its memory."""
FEATURES = {
    "import-env": ("the import env.abort", imported("env", "abort")),
    "import-path": ("wasi_snapshot_preview1.path_open", imported(MODULE, "path_open")),
    "import-memory": ("the import env.memory", start("", sections={2: IMPORTED_MEMORY, 5: b"\0"})),
    "import-unprintable": ("an import;", imported("env", "a\nb")),
    "import-type": ("sched_yield with types", imported(MODULE, "sched_yield")),
    "import-parameters": (
        "sched_yield with types",
        start(
            "",
            more=(("i32", "i32"),),
            sections={
                2: vector([sized(MODULE.encode()) + sized(b"sched_yield") + b"\0\1"]),
                7: vector([MEMORY_EXPORT, sized(b"_start") + b"\0\1"]),
            },
        ),
    ),
    "no-memory": ("no memory of", start("", sections={5: b"\0", 7: vector([START_EXPORT])})),
    "several-memories": ("several memories", section(5, b"\2\0\1\0\1")),
    "shared-memory": ("shared memory", section(5, b"\1\3\1\2")),
    "64-bit-memory": ("of 64 bits", section(5, b"\1\4\1")),
    "much-memory": ("4,097 pages", section(5, b"\1\0" + uleb(4097))),
    "several-tables": ("several tables", section(4, b"\2\x70\0\1\x70\0\1")),
    "table-of-references": ("a table of", section(4, b"\1\x6f\0\1")),
    "large-table": ("100,001 entries", section(4, b"\1\x70\0" + uleb(100_001))),
    "start-function": ("a start function", section(8, b"\0")),
    "exceptions-section": ("exceptions", TAGGED),
    "exceptions-code": ("exceptions", start(b"\x06\x40\x0b")),
    "exceptions-table": ("exceptions", start(b"\x1f\x40\0\x0b")),
    "tail-call": ("tail calls", start(b"\x12\0")),
    "simd-code": ("SIMD", start(b"\xfd\x0c" + bytes(16) + b"\x1a")),
    "simd-type": ("SIMD", types(b"\x60\1\x7b\0")),
    "simd-local": ("locals that are", start(b"", sections={10: vector([sized(b"\1\1\x7b\x0b")])})),
    "simd-relaxed": ("SIMD", start(b"\xfd\x80\x02")),
    "simd-block": ("no numbers", start(b"\2\x7b\xfd\x0c" + bytes(16) + b"\x0b\x1a")),
    "threads-code": ("threads", start(b"\x41\0\x41\0\xfe\0\2\0\x1a")),
    "gc-type": ("types that are", types(b"\x5f\0")),
    "gc-code": ("garbage-collected types", start(b"\xfb\0\0")),
    "reference-type": ("the type 0x70", types(b"\x60\1\x70\0")),
    "reference-code": ("tables and references", start(b"\xd2\0\x1a")),
    "typed-select": ("tables and references", start(b"\x41\0\x41\0\x41\0\x1c\1\x7f\x1a")),
    "table-code": ("tables and references", start(b"\xfc\x10\0\x1a", table=(0,))),
    "unknown-code": ("the instruction 0x27", start(b"\x27")),
    "unknown-prefixed-code": ("the instruction 0xfc80", start(b"\xfc\x80\x01")),
    "memory-index": ("several memories", start(b"\x3f\1\x1a")),
    "memory-index-load": ("several memories", start(b"\x41\0\x28\x42\0\0\x1a")),
    "memory-of-a-data-segment": (
        "several memories",
        section(11, vector([b"\2\1" + ZERO + sized(b"x")])),
    ),
    "extended-constant": ("of several instructions", section(6, b"\1\x7f\0\x41\1\x41\2\x6a\x0b")),
    "global-constant": ("of other instructions", section(6, b"\2\x7f\0\x41\1\x0b\x7f\0\x23\0\x0b")),
    "shared-global": ("shared globals", section(6, b"\1\x7f\2\x41\1\x0b")),
    "passive-elements": ("that are passive", elements(b"\1\0\1\0")),
    "expressions-as-elements": ("or expressions", elements(b"\4" + ZERO + b"\1\xd2\0\x0b")),
    "import-in-the-table": (
        "an imported function",
        bytes(Made([Function("")], imports=("sched_yield",), table=(0,))),
    ),
    "own-export": (
        "khiva:",
        exported(
            sized(b"memory") + b"\2\0", sized(b"_start") + b"\0\0", sized(b"khiva:ticks") + b"\0\0"
        ),
    ),
    "no-start": ("no function _start", exported(sized(b"memory") + b"\2\0")),
    "start-is-an-import": (
        "no function _start",
        bytes(
            Made(
                [Function("")],
                imports=("sched_yield",),
                sections={7: vector([sized(b"memory") + b"\2\0", sized(b"_start") + b"\0\0"])},
            )
        ),
    ),
    "start-of-another-type": ("no function _start", bytes(Made([Function("", params="i32")]))),
    "no-exported-memory": ("exported as memory", exported(sized(b"_start") + b"\0\0")),
    "a-tag-exported": ("an export that", exported(sized(b"tag") + b"\4\0")),
    "component": ("a component", b"\0asm\x0d\0\1\0"),
}
"""Modules that may be valid, each with words of its refusal."""


def padded(length: int) -> bytes:
    """A module of so many bytes, most of them in a section of its own."""
    module, content = start(""), length
    while len(module) + 1 + len(uleb(content)) + content > length:
        content -= 1
    return b"".join((module, b"\0", uleb(content), bytes(content)))


def of_sections(length: int) -> bytes:
    """A module of so many sections, most of them empty ones of its own."""
    return start("") + b"\0\1\0" * (length - len(sections_of(start(""))))


def of_functions(length: int) -> bytes:
    """A module of so many functions of one type."""
    return start(
        "", sections={3: uleb(length) + bytes(length), 10: uleb(length) + b"\2\0\x0b" * length}
    )


def of_exports(length: int) -> bytes:
    """A module of so many exports."""
    return exported(
        MEMORY_EXPORT,
        START_EXPORT,
        *(sized(bytes(divmod(at, 128))) + b"\0\0" for at in range(length - 2)),
    )


def of_entries(*lengths: int) -> bytes:
    """A module of element segments of these lengths, and of the largest table."""
    segments = [b"\0" + ZERO + uleb(length) + bytes(length) for length in lengths]
    return start("", sections={4: b"\1\x70\0" + uleb(100_000), 9: vector(segments)})


def of_locals(length: int, params: int = 0) -> bytes:
    """A module with a function of so many locals and parameters."""
    entries = [b"\x60\0\0", b"\x60" + vector([I32] * params) + b"\0"]
    bodies = [sized(b"\0\x0b"), sized(b"\1" + uleb(length) + b"\x7f\x0b")]
    return start("", sections={1: vector(entries), 3: b"\2\0\1", 10: vector(bodies)})


def of_jumps(*lengths: int) -> bytes:
    """A module with a ``br_table`` of each of these lengths, the default not
    counted.
    """
    return start(
        b"".join(
            b"\2\x40\x41\0\x0e" + uleb(length) + bytes(length + 1) + b"\x0b" for length in lengths
        )
    )


def of_blocks(length: int) -> bytes:
    """The code of so many blocks that pay, behind the first one."""
    return b"\2\x40" + assemble("i32.const 0 br_if 0") * (length - 1) + b"\x0b"


def of_efforts(*lengths: int) -> bytes:
    """A module of functions with so many blocks that pay and 4,900 locals, so that each
    block weighs 5,000.
    """
    bodies = [
        sized(b"\1" + uleb(4_900) + b"\x7f" + of_blocks(length - 1) + b"\x0b") for length in lengths
    ]
    return start("", sections={3: uleb(len(bodies)) + bytes(len(bodies)), 10: vector(bodies)})


BYTES_MOST = 2**25
"""The bytes of the largest module that is taken."""
BOUNDS = {
    "sections": ("than 1,000 sections", of_sections(1_001)),
    "types": ("10,001 types", section(1, uleb(10_001) + b"\x60\0\0" * 10_001)),
    "params": ("129 parameters", types(b"\x60" + vector([I32] * 129) + b"\0")),
    "results": ("17 results", types(b"\x60\0" + vector([I32] * 17))),
    "imports": ("101 imports", bytes(Made([Function("")], imports=("sched_yield",) * 101))),
    "functions": ("20,001 functions", of_functions(20_001)),
    "globals": ("1,001 globals", start("", globals=("i32",) * 1_001)),
    "exports": ("10,001 exports", of_exports(10_001)),
    "elements": ("100,001 entries", of_entries(100_001)),
    "all-elements": ("than 100,000 entries", of_entries(60_000, 40_001)),
    "element-segments": ("50,001 element segments", of_entries(*[0] * 50_001)),
    "data": ("50,001 data segments", section(11, uleb(50_001) + b"\1\0" * 50_001)),
    "body": ("1,048,577 bytes", start(b"\1" * (2**20 - 1))),
    "locals": ("than 5,000 locals", of_locals(5_001)),
    "locals-and-parameters": ("than 5,000 locals", of_locals(4_901, 100)),
    "groups": (
        "5,000 groups",
        start("", sections={10: vector([sized(uleb(5_001) + b"\0\x7f" * 5_001 + b"\x0b")])}),
    ),
    "operands": ("than 5,000 operands", start(b"\x41\0" * 5_001 + b"\x1a" * 5_001)),
    "nesting": ("than 5,000 blocks", start(b"\2\x40" * 5_000 + b"\x0b" * 5_000)),
    "nesting-out-of-reach": (
        "than 5,000 blocks",
        start(b"\0" + b"\2\x40" * 5_000 + b"\x0b" * 5_000),
    ),
    "br-table": ("than 10,000 entries", of_jumps(10_001)),
    "br-tables": ("than 500,000 entries", of_jumps(*[9_999] * 50, 0)),
    "blocks": ("10,001 blocks", start(of_blocks(10_000))),
    "blocks-without-a-price": ("10,001 blocks", start("loop end " * 10_000)),
    "blocks-and-locals": ("201 blocks", of_efforts(201)),
    "heavy": ("more heavy", start("f32.const 1 " + "f32.sqrt " * 10_200 + "drop")),
    "heavy-values": (
        "more heavy",
        start(
            "block :1 "
            + "i32.const 1 " * 16
            + "i32.const 0 br_if 0 " * 700
            + "br 0 end "
            + "drop " * 16,
            more=(("", "i32 " * 16),),
        ),
    ),
    "heavy-results": (
        "more heavy",
        bytes(
            Made(
                [
                    Function("i32.const 1 " * 2 + "call 1 " * 10_400 + "drop drop"),
                    Function("unreachable", "i32 i32", "i32 i32"),
                ]
            )
        ),
    ),
    "all-blocks": ("more blocks", of_efforts(*[200] * 50, 2)),
}
"""Modules above a bound, each with words of its refusal. One of too many bytes is made
where it is tried: every process that collects tests has what is made here.
"""
TAKEN = {
    "sections": of_sections(1_000),
    "types": section(1, uleb(10_000) + b"\x60\0\0" * 10_000),
    "parameters": types(b"\x60" + vector([I32] * 128) + b"\0"),
    "results": types(b"\x60\0" + vector([I32] * 16)),
    "imports": bytes(Made([Function("")], imports=("sched_yield",) * 100)),
    "functions": of_functions(20_000),
    "entries of the table and of all element segments": of_entries(60_000, 40_000),
    "globals": start("", globals=("i32",) * 1_000),
    "element segments": of_entries(*[0] * 50_000),
    "data segments": section(11, uleb(50_000) + b"\1\0" * 50_000),
    "pages of memory": start("", memory=b"\0" + uleb(4_096)),
    "bytes of a function": start(b"\1" * (2**20 - 2)),
    "locals": of_locals(5_000),
    "locals and parameters": of_locals(4_900, 100),
    "groups of locals": start(
        "", sections={10: vector([sized(uleb(5_000) + b"\0\x7f" * 5_000 + b"\x0b")])}
    ),
    "operands at once": start(b"\x41\0" * 5_000 + b"\x1a" * 5_000),
    "operands that are out of reach": start(b"\0" + b"\x41\0" * 5_001 + b"\x1a" * 5_001),
    "blocks within one another": start(b"\2\x40" * 4_999 + b"\x0b" * 4_999),
    "entries of a br_table": of_jumps(10_000),
    "entries of all br_tables": of_jumps(*[9_999] * 50),
    "blocks that pay": start(of_blocks(9_999)),
    "blocks that pay, and locals": of_efforts(200),
    "blocks that pay, and locals, of all functions": of_efforts(*[200] * 50),
}
"""Modules that reach a bound and are taken."""
INVALID = {
    "nothing": ("end too early", b""),
    "text": ("does not begin", b"(module)"),
    "cut-short": ("end too early", start("")[:-1]),
    "unknown-section": ("section 14", section(14, b"")),
    "section-twice": ("section 3 twice", start("") + b"\3\2\1\0"),
    "section-behind": ("section 1 twice", start("") + b"\1\1\0"),
    "bytes-behind": ("of the functions", section(3, b"\1\0\0")),
    "long-number": ("than 32 bits", start(b"\x20\x80\x80\x80\x80\x10\x1a", locals="i32")),
    "long-constant": ("than 32 bits", start(b"\x41\x80\x80\x80\x80\x08\x1a")),
    "name": ("not UTF-8", imported("env", "").replace(b"env", b"\xff\xfe\xfd")),
    "type-index": ("type 1", section(3, b"\1\1")),
    "no-body": ("0 bodies", section(10, b"\0")),
    "data-count": ("2 are announced", start("", sections={12: b"\2"})),
    "limits": ("limits of 2", section(5, b"\1\1\2\1")),
    "wrong-constant": ("a constant of", section(6, b"\1\x7c\0\x41\0\x0b")),
    "export-twice": (
        "an export twice",
        exported(sized(b"memory") + b"\2\0", sized(b"memory") + b"\2\0"),
    ),
    "elements-without-table": ("without a table", section(9, vector([b"\0" + ZERO + b"\0"]))),
    "data-kind": ("of kind 3", section(11, b"\1\3")),
    "missing-operand": ("is missing", start("drop")),
    "wrong-operand": ("wrong type", start("f64.const 1 i32.eqz drop")),
    "operands-at-the-end": ("are left", start("i32.const 1")),
    "else-without-if": ("else without", start("block else end")),
    "if-without-else": ("if without", start("i32.const 1 if :i32 i32.const 1 end drop")),
    "alignment": ("an alignment", start(b"\x41\0\x28\3\0\x1a")),
    "local": ("local 3", start("local.get 3 drop", locals="i32")),
    "constant-global": (
        "is a constant",
        section(6, b"\1\x7f\0\x41\0\x0b", code="i32.const 1 global.set 0"),
    ),
    "no-data-count": ("data counts", start("data.drop 0")),
    "labels": ("labels of", start(b"\2\x40\2\x7f\x41\0\x41\0\x0e\1\0\1\x0b\x1a\x0b")),
    "low-constant": ("than 32 bits", start(b"\x41\xff\xff\xff\xff\x77\x1a")),
    "block-type": ("type 1", start(b"\2\1\x0b")),
    "bytes-behind-a-function": ("of a function", start(b"\x0b\x01")),
    "body-cut-short": ("end too early", section(10, vector([sized(b"\0\x41\0\x1a")]))),
    "own-ticks": ("global 0", start("i64.const 99 global.set 0")),
    "own-height": ("global 1", start("i32.const 0 global.set 1")),
    "own-ticks-behind-a-global": ("global 1", start("i64.const 99 global.set 1", globals=("i64",))),
    "own-ticks-exported": ("index 0", start("", exports=(sized(b"t") + b"\3\0",))),
    "own-label": ("label 1", start("br 1")),
    "own-label-in-a-table": ("label 1", start("i32.const 0 br_table 1 0 1")),
    "own-function": ("function 1", start("call 1")),
    "own-function-in-the-table": ("function 1", start("", table=(1,))),
    "own-function-exported": ("index 1", start("", exports=(sized(b"f") + b"\0\1",))),
    "own-local": ("local 0", start("f64.const 1 f64.sqrt drop local.get 0 drop")),
    "own-local-behind-a-local": (
        "local 1",
        start("f32.const 1 f32.sqrt drop local.get 1 drop", locals="i32"),
    ),
    "own-type": ("type 1", start("i32.const 0 call_indirect 1", table=(0,))),
    "own-data-segment": ("segment 1", start("data.drop 1", data=(b"x",))),
}
"""Modules that are not valid, each with words of the refusal.

Those that begin with ``own`` name what a meter may add, with which some of them are
valid: globals, a label around each function, functions, locals, types and data
segments.
"""
