"""Random modules that are valid: all classes of instructions, with branches, calls and
code that is never reached.
"""

from random import Random

from wasm import OPCODES, Function, Made, assemble, joined, sections_of, sleb, uleb

from khiva_arena.bots.modules.meter.instructions import TYPES, Treatment

NAMES = {code: name for name, code in TYPES.items()}
KINDS = ("i32", "i64", "f32", "f64")
PURE = [
    row
    for row in OPCODES.values()
    if row.kind in (Treatment.SIMPLE, Treatment.FLOAT) and row.name != "nop"
]
LEAVING = {kind: [row for row in PURE if row.types.endswith(f">{kind}")] for kind in KINDS}
ACCESSES = [row for row in OPCODES.values() if row.kind is Treatment.MEMORY]
CONSTANTS = {
    "i32": ["0", "1", "-1", "7", "64", "-2147483648", "123456789"],
    "i64": ["0", "1", "-1", "255", "-9223372036854775808", "81985529216486895"],
    "f32": ["0", "-0.0", "1.5", "inf", "nan", "-nan", "1e-40"],
    "f64": ["0", "-0.0", "1e300", "-inf", "nan", "-nan", "5e-324"],
}
GLOBALS = ("i32", "i64", "f64")
SEGMENTS = (b"abcdefgh", b"", b"\xff" * 40)


class Grower:
    """Grows the code of a function. ``room``: about how many instructions more."""

    def __init__(
        self, chance: Random, locals_: list[str], results: str, functions: list[Function]
    ) -> None:
        self.chance, self.locals, self.functions = chance, locals_, functions
        self.labels: list[str] = [results]
        self.room = chance.randint(20, 120)

    def value(self, kind: str) -> str:
        """Words that leave a value."""
        self.room -= 1
        roll = self.chance.random()
        if self.room < 0 or roll < 0.2:
            return f"{kind}.const {self.chance.choice(CONSTANTS[kind])}"
        fitting = [at for at, one in enumerate(self.locals) if one == kind]
        if roll < 0.4 and fitting:
            at = self.chance.choice(fitting)
            return self.chance.choice([f"local.get {at}", f"{self.value(kind)} local.tee {at}"])
        if roll < 0.45 and kind in GLOBALS:
            return f"global.get {GLOBALS.index(kind)}"
        if roll < 0.55:
            row = self.chance.choice([row for row in ACCESSES if row.types == f"i32>{kind}"])
            return f"{self.address()} {row.name} {self.chance.randint(0, 300)}"
        if roll < 0.62:
            return self.block(kind)
        if roll < 0.67:
            return f"{self.value(kind)} {self.value(kind)} {self.value('i32')} select"
        if roll < 0.72:
            at = [at for at, one in enumerate(self.functions) if one.results == kind]
            if at:
                return self.call(self.chance.choice(at))
        if roll < 0.75 and kind == "i32":
            return self.chance.choice(
                ["memory.size", f"{self.value('i32')} i32.const 1 i32.and memory.grow"]
            )
        row = self.chance.choice(LEAVING[kind])
        return " ".join([*(self.value(one) for one in row.types.split(">")[0].split()), row.name])

    def address(self) -> str:
        return (
            f"{self.value('i32')} i32.const 65528 i32.and"
            if self.chance.random() < 0.98
            else self.value("i32")
        )

    def call(self, at: int) -> str:
        one = self.functions[at]
        arguments = " ".join(self.value(kind) for kind in one.params.split())
        if self.chance.random() < 0.3:
            return f"{arguments} i32.const {at + 1} call_indirect {at + 1}"
        return f"{arguments} call {at + 1}"  # an import stands before them

    def block(self, results: str) -> str:
        """A block, a loop or an if that leaves values."""
        kind = self.chance.choice(["block", "block", "loop", "if"])
        type_ = f" :{results}" if results else ""
        head = f"{self.value('i32')} if{type_}" if kind == "if" else f"{kind}{type_}"
        self.labels.append("" if kind == "loop" else results)
        inner = self.leave(results)
        if kind == "if" and (results or self.chance.random() < 0.5):
            inner += f" else {self.leave(results)}"
        self.labels.pop()
        return f"{head} {inner} end"

    def leave(self, results: str) -> str:
        """Statements, then values of types, or code that never comes to its end."""
        words = [self.statement() for _ in range(self.chance.randint(0, 3))]
        if self.chance.random() < 0.12:
            return " ".join([*words, self.away()])
        return " ".join([*words, *(self.value(kind) for kind in results.split())])

    def away(self) -> str:
        """A branch that is always taken, with code behind it that is never reached."""
        label = self.chance.randrange(len(self.labels))
        types = self.labels[-1 - label]
        taken = " ".join(self.value(kind) for kind in types.split())
        outer = " ".join(self.value(kind) for kind in self.labels[0].split())
        fitting = [str(at) for at in range(len(self.labels)) if self.labels[-1 - at] == types]
        table = [self.chance.choice(fitting) for _ in range(self.chance.randint(0, 3))]
        branch = self.chance.choice(
            [
                "unreachable",
                f"{outer} return",
                f"{taken} br {label}",
                f"{taken} {self.value('i32')} br_table {len(table)} {' '.join(table)} {label}",
            ]
        )
        dead = [
            "",
            "drop",
            "i32.add drop",
            "select drop",
            self.statement(),
            "block i32.const 1 drop end",
            "f64.add f64.sqrt drop",
        ]
        return f"{branch} {self.chance.choice(dead)}"

    def statement(self) -> str:
        """Words that leave nothing."""
        self.room -= 1
        roll = self.chance.random()
        if roll < 0.3 and self.locals:
            at = self.chance.randrange(len(self.locals))
            return f"{self.value(self.locals[at])} local.set {at}"
        if roll < 0.4:
            kind = self.chance.choice(GLOBALS)
            return f"{self.value(kind)} global.set {GLOBALS.index(kind)}"
        if roll < 0.65:
            row = self.chance.choice([row for row in ACCESSES if row.types.endswith(">")])
            return (
                f"{self.address()} {self.value(row.types[4:7])} {row.name} "
                f"{self.chance.randint(0, 300)}"
            )
        if roll < 0.72:
            small = f"{self.value('i32')} i32.const 63 i32.and"
            bulk = self.chance.choice(
                [
                    f"{self.address()} {self.value('i32')} {small} memory.fill",
                    f"{self.address()} {self.address()} {small} memory.copy",
                    f"{self.address()} i32.const 0 {small} memory.init {self.chance.randrange(3)}",
                    f"data.drop {self.chance.randrange(3)}",
                ]
            )
            return bulk
        if roll < 0.8:
            return self.block("")
        if roll < 0.87:
            label = self.chance.randrange(len(self.labels))
            taken = self.labels[-1 - label].split()
            values = " ".join(self.value(kind) for kind in taken)
            return f"{values} {self.value('i32')} br_if {label} {'drop ' * len(taken)}"
        if roll < 0.92 and self.functions:
            at = self.chance.randrange(len(self.functions))
            return f"{self.call(at)} {'drop ' * len(self.functions[at].results.split())}"
        if roll < 0.94:
            return "call 0 drop"
        return self.chance.choice(["nop", f"{self.value(self.chance.choice(KINDS))} drop"])


def module(chance: Random) -> bytes:
    """A random valid module: its first function is ``_start`` and imports come before
    it.
    """
    shapes = [("", "")] + [
        (
            " ".join(chance.choices(KINDS, k=chance.randint(0, 3))),
            " ".join(chance.choices(KINDS, k=chance.choice([0, 1, 1, 2]))),
        )
        for _ in range(chance.randint(0, 4))
    ]
    functions = [
        Function("", params, results, " ".join(chance.choices(KINDS, k=chance.randint(0, 5))))
        for params, results in shapes
    ]
    for one in functions:
        grower = Grower(chance, (one.params + " " + one.locals).split(), one.results, functions)
        one.code = _code(grower, one.results)
    made = Made(
        functions,
        imports=("sched_yield",),
        memory=chance.choice([b"\0\1", b"\1\1\2", b"\1\2\x40", b"\1\1\x80\x02"]),
        globals=GLOBALS,
        table=tuple(range(1, len(functions) + 1)),
        data=SEGMENTS,
    )
    return bytes(made)


def _code(grower: Grower, results: str) -> bytes:
    statements = [grower.statement() for _ in range(grower.chance.randint(2, 12))]
    return assemble(" ".join([*statements, grower.leave(results)]))


def mutated(chance: Random, module_: bytes) -> bytes:
    """A module with a few changes within its sections, whose lengths stay right most of
    the time.
    """
    if chance.random() < 0.05:
        return _changed(chance, module_)
    sections = dict(sections_of(module_))
    number = 10 if chance.random() < 0.6 else chance.choice(list(sections))
    if number == 10:
        sections[10] = _other_code(chance, sections[10])
    else:
        sections[number] = _changed(chance, sections[number])
    return joined(sections)


def _other_code(chance: Random, code: bytes) -> bytes:
    """A code section of which one body is changed."""
    bodies, at = [], 1
    while at < len(code):
        length, shift = 0, 0
        while True:
            length |= (code[at] & 0x7F) << shift
            shift += 7
            at += 1
            if code[at - 1] < 0x80:
                break
        bodies.append(code[at : at + length])
        at += length
    at = chance.randrange(len(bodies))
    bodies[at] = _changed(chance, bodies[at])
    return uleb(len(bodies)) + b"".join(uleb(len(body)) + body for body in bodies)


def _changed(chance: Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        at = chance.randrange(len(out)) if out else 0
        match chance.randrange(6):
            case 0 | 1 if out:
                out[at] = chance.choice([chance.randrange(256), out[at] ^ 1 << chance.randrange(8)])
            case 2:
                out[at:at] = chance.choice(
                    [
                        bytes([chance.randrange(256)]),
                        b"\x0b",
                        b"\x1a",
                        b"\x0f",
                        sleb(chance.randrange(-99, 99)),
                    ]
                )
            case 3 if out:
                del out[at : at + chance.choice([1, 1, 2, 8])]
            case 4 if out:
                other = chance.randrange(len(out))
                out[at:at] = out[other : other + chance.randint(1, 8)]
            case 5:
                row = chance.choice(list(OPCODES.values()))
                out[at : at + chance.randint(0, 1)] = bytes([row.opcode & 0xFF])
    return bytes(out)
