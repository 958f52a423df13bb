"""Modules that spend their time in code which the processor's caches do not hold, a
part of ``python -m tests.tools meter``.

Each shape runs a little of much code, in an order of chance, and jumps over the rest,
which is as much code of the machine as the bounds of METER.md let it be. A shape is
made for the largest code section of each step of prices, with parts of several lengths.
"""

from collections.abc import Callable, Iterator
from random import Random

from wasm import Function, Made, assemble, sleb, uleb, vector

from khiva_arena.bots.modules.meter import bounds
from khiva_arena.bots.modules.meter.prices import COLD

LENGTHS = (10, 40, 160, 640)
"""Bytes of the parts that are jumped over."""
HUGE = 400_000
"""Bytes of a huge function: of more labels the compiler has no time for."""
MARGIN = 20_000
"""Bytes that a shape may need beside its parts."""
PAIR = assemble("local.get 0 f32.convert_i32_u i32.trunc_f32_u local.set 0")
READY = assemble("global.get 0 local.tee 0 local.set 1")
"""Begins a function: both locals are 0, which the compiler does not know."""
NEVER = assemble("global.get 0")


def order(length: int) -> list[int]:
    """Numbers from 0 on in an order of chance."""
    return Random(length).sample(range(length), length)


def heavy(size: int) -> int:
    """How many heavy instructions a shape of up to so many bytes may have: it may be a
    half smaller.
    """
    return bounds.HEAVY + size // 2 // bounds.HEAVY_BYTES


def fillers(parts: int, length: int, most: int) -> Iterator[bytes]:
    """Yield code for parts: calls, and a pair of conversions in as many parts as
    ``most`` heavy instructions allow.
    """
    pairs = most // 2
    calls = assemble("call 1")
    for part in range(parts):
        pair = (
            PAIR
            if length > len(PAIR) and part * pairs // parts != (part + 1) * pairs // parts
            else b""
        )
        yield pair + calls * ((length - len(pair)) // len(calls))


def module(first: bytes, functions: list[bytes], table: tuple[int, ...] = ()) -> bytes:
    """A module that repeats code for ever. Function 1 does nothing, and the others have
    two locals, of type i32.
    """
    bodies = [Function(b"\3\x40" + first + assemble("br 0 end"), locals="i32"), Function("")]
    bodies += [Function(READY + code, locals="i32 i32") for code in functions]
    one_type = {1: vector([b"\x60\0\0"]), 3: vector([b"\0"] * len(bodies))}
    return bytes(Made(bodies, globals=("i32",), memory=b"\1\1\1", table=table, sections=one_type))


def calls(functions: int) -> bytes:
    """Call each function of a module once."""
    return b"".join(b"\x10" + uleb(number + 2) for number in order(functions))


def called(size: int, length: int) -> bytes:
    """Functions that are called, and of which hardly anything runs."""
    length = max(length, size // bounds.FUNCTIONS)
    several = (size - MARGIN) // (length + 26)
    never = [NEVER + b"\x04\x40" + code + b"\x0b" for code in fillers(several, length, heavy(size))]
    return module(calls(several), never)


def called_by_table(size: int, length: int) -> bytes:
    """The same by call_indirect."""
    length = max(length, size // bounds.FUNCTIONS)
    several = min((size - MARGIN) // (length + 30), heavy(size))
    never = [
        NEVER + b"\x04\x40" + code + b"\x0b"
        for code in fillers(several, length, heavy(size) - several)
    ]
    jumps = (
        b"\x41" + sleb(number) + assemble("call_indirect 0") for number in range(1, several + 1)
    )
    return module(b"".join(jumps), never, tuple(number + 2 for number in order(several)))


def skipped(size: int, length: int) -> bytes:
    """Ifs one behind another, whose arms never run."""
    several = max(1, min(9_000, 8_000 // (length + 5)))
    functions = min((size - MARGIN) // (several * (length + 5) + 30), bounds.FUNCTIONS - 2)
    parts = fillers(several * functions, length, heavy(size))
    return module(calls(functions), [_ifs(parts, several) for _ in range(functions)])


def _ifs(parts: Iterator[bytes], several: int) -> bytes:
    return b"".join(assemble("local.get 1 if") + next(parts) + b"\x0b" for _ in range(several))


def chosen(size: int, length: int, bytes_: int = HUGE) -> bytes:
    """Huge functions in which br_table goes from part to part, in an order of
    chance.
    """
    several = min(4_000, min(bytes_, size - MARGIN) // (length + 20))
    functions = min(max(1, (size - MARGIN) // (several * (length + 20))), bounds.FUNCTIONS - 2)
    parts = fillers(several * functions, length, heavy(size))
    return module(calls(functions), [_table(parts, several) for _ in range(functions)])


def chosen_in_many(size: int, length: int) -> bytes:
    """Many functions that are called, and in each of which br_table goes to a few
    parts.
    """
    return chosen(size, length, 4 * (length + 20))


def _table(parts: Iterator[bytes], several: int) -> bytes:
    visits = order(several)
    follows = dict(zip(visits, [*visits[1:], -1], strict=True))
    head = (
        b"\x41"
        + sleb(visits[0])
        + assemble("local.set 0 loop")
        + assemble("block") * several
        + assemble("local.get 0")
    )
    code = [head, b"\x0e", vector([uleb(label) for label in range(several - 1)]), uleb(several - 1)]
    for part, labels in enumerate(reversed(range(several))):
        # The branch to the loop is one that might not be taken, or what stands behind
        # it would be left out.
        on = (
            b"\x41"
            + sleb(follows[part])
            + assemble("local.set 0")
            + READY[:2]
            + assemble("i32.eqz")
            + b"\x0d"
            + uleb(labels)
        )
        code += [b"\x0b", b"\x0f" if follows[part] < 0 else on + next(parts) + b"\x0f"]
    return b"".join([*code, b"\x0b"])


def gone_back(size: int, length: int) -> bytes:
    """Loops within one another: on the way in ifs jump over the parts, and on the way
    out branches go back to each beginning.
    """
    several = min(2_000, HUGE // 2 // (length + 16))
    functions = min(max(1, (size - MARGIN) // (several * (length + 16))), bounds.FUNCTIONS - 2)
    parts = fillers(several * functions, length, heavy(size))
    return module(calls(functions), [_loops(parts, several) for _ in range(functions)])


def _loops(parts: Iterator[bytes], several: int) -> bytes:
    # Local 0 is not 0 on the way out: each loop then goes on at the beginning of the
    # one around it.
    back = assemble("loop local.get 0 br_if 1 local.get 1 if")
    code = b"".join(back + next(parts) + b"\x0b" for _ in range(several))
    return (
        assemble("block")
        + code
        + assemble("i32.const 1 local.set 0 br 0")
        + b"\x0b" * (several + 1)
    )


def straight(size: int, length: int) -> bytes:
    """Loops one behind another that run once: the most code of the machine that a tick
    runs straight through.
    """
    several = length * 6
    loop = assemble("loop :i32 local.get 0 end")
    functions = min((size - MARGIN) // (several * 6 + 30), 400_000 // several)
    return module(calls(functions), [loop * several + assemble("drop") * several] * functions)


def carried() -> Iterator[tuple[str, bytes]]:
    """Yield loops whose branches carry as many values as a branch may."""
    values, drops = "i64.const 7 " * 128, "drop " * 128
    for name, again in {
        "br": "br 0",
        "br_if": f"i32.const 1 br_if 0 {drops}",
        "br_table": "i32.const 0 br_table 0 0",
    }.items():
        code = f"{values} loop :1 i64.const 9 i64.add i64.const 3 i64.xor {again} end"
        yield f"{name} of 128 values", bytes(Made([Function(code)], more=(("i64 " * 128, ""),)))
    rotated = " ".join(f"local.get {at}" for at in [*range(1, 128), 0])
    code = (
        f"{'i64.const 7 ' * 128} loop :2 {' '.join(f'local.set {at}' for at in range(128))} "
        f"{rotated} br 0 end"
    )
    yield (
        "br of 128 values in turn",
        bytes(Made([Function(code, locals="i64 " * 128)], more=(("", ""), ("i64 " * 128, "")))),
    )
    many = " ".join(["i64"] * 16)
    returned = Function("i64.const 7 " * 16 + "return", results=many)
    yield (
        "return of 16 values",
        bytes(Made([Function(f"loop call 1 {'drop ' * 16} br 0 end"), returned])),
    )
    passed = Function("", params="i64 " * 128)
    yield (
        "call with 128 values",
        bytes(
            Made([Function(f"loop {'local.get 0 ' * 128} call 1 br 0 end", locals="i64"), passed])
        ),
    )


SHAPES: tuple[Callable[[int, int], bytes], ...] = (
    called,
    called_by_table,
    skipped,
    chosen,
    chosen_in_many,
    gone_back,
    straight,
)


def shapes(wanted: str) -> Iterator[tuple[str, bytes]]:
    """Yield each shape whose name has ``wanted`` in it, by size."""
    yield from ((name, wasm) for name, wasm in carried() if wanted in name)
    for size, _ in COLD:
        for shape in SHAPES:
            for length in LENGTHS:
                name = (
                    f"cold code of {size // 1024:,} KiB, {shape.__name__.replace('_', ' ')}, "
                    f"{length} bytes a part"
                )
                if (
                    wanted in name
                    and (size <= 2**23 or length >= 160)
                    and (shape is not straight or size <= 3 * 2**20)
                ):
                    yield name, shape(size, length)
