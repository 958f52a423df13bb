"""Large modules of protocol/vectors/bounds.json: a meter that has misread a sentence of
protocol/METER.md on what is heavy, or on what pays cold, gets them wrong.
"""

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from by_hand import ByHand
from wasm import Function, Made, assemble, sections_of

from khiva_arena.bots.modules.meter import bounds

# --- section 8: what is heavy ---

PAIR = "i32 i32"
RESULTS, PARAMETERS = 1, 3
"""The types of the callee, which leaves a pair, and of a loop that takes one."""
REACHED = 1_000
"""How often a heavy thing stands where it can be reached; all others stand where none
can be.
"""


class Way(NamedTuple):
    """A thing that is heavy.

    name: what it is.
    reached: its code, which leaves nothing.
    dead: its code where it cannot be reached, within a block that leaves a pair.
    weight: how many heavy instructions it counts as.
    """

    name: str
    reached: str
    dead: str
    weight: int = 1


PUT = "i32.const 1 i32.const 1 "
WAYS = (
    Way("floats", "f32.const 1 f32.abs drop", "f32.abs drop"),
    Way(
        "saturating conversions", "f32.const 1 i32.trunc_sat_f32_s drop", "i32.trunc_sat_f32_s drop"
    ),
    Way("divisions", f"{PUT}i32.div_u drop", "i32.div_u drop"),
    Way("memory.grow", "i32.const 1 memory.grow drop", "memory.grow drop"),
    Way("memory.fill", f"{PUT}i32.const 1 memory.fill", "memory.fill"),
    Way("call_indirect", "i32.const 1 call_indirect 0", "call_indirect 0"),
    Way("results of a call", "call 1 drop drop", "call 1 drop drop"),
    Way(
        "results of call_indirect",
        f"i32.const 1 call_indirect {RESULTS} drop drop",
        f"call_indirect {RESULTS} drop drop",
        weight=2,
    ),
    Way("values of br", f"block :{RESULTS} {PUT}br 0 end drop drop", "br 0"),
    Way("values of br_if", f"block :{RESULTS} {PUT}i32.const 0 br_if 0 end drop drop", "br_if 0"),
    Way(
        "values of br_table",
        f"block :{RESULTS} {PUT}i32.const 0 br_table 1 0 0 end drop drop",
        "br_table 1 0 0",
        weight=2,
    ),
    Way("values of return", f"i32.const 0 if {PUT}return end", "return"),
    Way(
        "values of a branch to a loop",
        f"{PUT}loop :{PARAMETERS} i32.const 0 br_if 0 drop drop end",
        f"loop :{PARAMETERS} br 0 end",
    ),
)


def _many(way: Way, dead: int, nops: int) -> bytes:
    """Return a module whose ``_start`` takes 2 ticks, and whose last function, which is
    never called, is heavy.
    """
    parts = (
        assemble(way.reached) * REACHED,
        b"\1" * nops,
        assemble(f"block :{RESULTS} unreachable"),
        assemble(way.dead) * dead,
        assemble("unreachable end"),
    )
    functions = [
        Function("i32.const 1 drop"),
        Function("unreachable", results=PAIR),
        Function(b"".join(parts), results=PAIR),
    ]
    return bytes(Made(functions, table=(0,), more=((PAIR, ""),)))


def of_heavy(way: Way, more: int) -> bytes:
    """Return a module with as many heavy instructions as its code section allows, and
    so many ``more``.
    """
    dead = 0
    for nops in count():
        while True:
            module = _many(way, dead, nops)
            wanted = bounds.HEAVY + len(dict(sections_of(module))[10]) // bounds.HEAVY_BYTES + more
            needed = -(-wanted // way.weight) - REACHED
            if needed <= dead:
                break
            dead = needed
        if way.weight * (REACHED + dead) == wanted:
            return module
    raise AssertionError


def too_heavy() -> dict[str, bytes]:
    """Return the modules that have one heavy instruction too many, by their names."""
    return {f"too heavy: {way.name}": of_heavy(way, 1) for way in WAYS}


def just_heavy() -> list[ByHand]:
    """Return the modules that have as many heavy instructions as they may."""
    return [ByHand(f"the most: heavy {way.name}", of_heavy(way, 0), 2) for way in WAYS]


# --- section 3: what pays cold ---

LARGE, COLD = 2**18 + 1, 10
"""The bytes of a code section in which cold is so many ticks."""
TWICE = "local.get 0 i32.const 1 i32.add local.tee 0 i32.const 2 i32.lt_u"
"""Code of 6 ticks that leaves 1 the first time, and 0 the second."""
FAR, PAYS = "nop " * 33, "i32.const 1 drop"


def _large(made: Callable[[Function], Made]) -> bytes:
    """Return a module with a function that is never called and fills the code section
    up.
    """
    bare = len(dict(sections_of(bytes(made(Function("")))))[10])
    for padding in count(LARGE - bare, -1):
        module = bytes(made(Function(b"\1" * padding)))
        if len(dict(sections_of(module))[10]) == LARGE:
            return module
    raise AssertionError


def _cold(name: str, code: str, used: int, imports: tuple[str, ...] = ()) -> ByHand:
    """Return a large module whose ``_start`` has one local and this code."""
    module = _large(lambda filler: Made([Function(code, locals="i32"), filler], imports=imports))
    return ByHand(f"cold: {name}", module, used)


def cold() -> list[ByHand]:
    """Return the modules that pay cold in one way each, or would if a sentence were
    misread.
    """
    return [
        _cold("a call to the runner", "call 0 drop", 8 + 3 * COLD + 20_000 + 1, ("sched_yield",)),
        _cold("a br far back", f"loop {TWICE} if {FAR} br 1 end end", 7 + 1 + COLD + 7),
        _cold("a br near by", f"loop {TWICE} if br 1 end end", 7 + 1 + 7),
        _cold(
            "a br_table far back, which pays it once",
            f"loop {TWICE} if {FAR} i32.const 0 br_table 1 1 1 end end",
            7 + 1 + 10 + COLD + 7,
        ),
        _cold("a return", "i32.const 1 if return end", 2 + 1),
        _cold(
            "behind the end of a block that a branch names",
            "block i32.const 1 br_if 0 end i32.const 1 drop",
            2 + 2 + COLD,
        ),
        _cold(
            "behind a dead end of a block",
            "block i32.const 1 if br 1 end unreachable end i32.const 1 drop",
            2 + 1 + 2 + COLD,
        ),
        _cold("a block of no price", "i32.const 1 if end i32.const 1 if nop end", 2 + 2 + COLD),
        _cold(
            "none behind if, loop, br_if and a call to the runner",
            f"i32.const 1 if {PAYS} loop {PAYS} i32.const 0 br_if 0 {PAYS} call 0 drop "
            f"{PAYS} end end",
            2 + 2 + 4 + 2 + 8 + 3 * COLD + 20_000 + 1 + 2,
            ("sched_yield",),
        ),
    ]
