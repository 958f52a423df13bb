"""An event of modules that a page does not take on. Doubles have played it: an arena
refuses most of them.
"""

from hashlib import sha256
from pathlib import Path
from random import Random

import ticks_event
from arena import arena
from once import made_once
from wasm import Function, Made, assemble, vector

from khiva_arena.records.replay.definition import DefinedBot

NOTHING = Function("")
MILLION = 1_000_000


def many_bytes() -> Made:
    """Return a module that grows little when it is unpacked, so that the bundle is read
    at all.
    """
    mixed = Function(
        b"".join(
            assemble(f"i32.const {number} drop")
            for number in Random(7).choices(range(64), k=349_000)
        )
    )
    return Made([NOTHING, *[mixed] * 17])


def many_functions() -> Made:
    return Made(
        [NOTHING] * MILLION, sections={1: vector([b"\x60\0\0"]), 3: vector([b"\0"] * MILLION)}
    )


def many_merges() -> Made:
    """Return a module with a function that takes V8 a second and 600 MB to compile.
    METER.md lets a module have fifty of them.
    """
    merging = (
        assemble("i32.const 0") * 4_900
        + assemble("i32.const 0 br_if 0") * 9_900
        + assemble("drop") * 4_900
    )
    return Made([Function("call 1"), Function(merging)])


MADE = {
    "bytes of a module, at the most 16777216": many_bytes,
    "1000000 functions, at the most 20000": many_functions,
    "not valid, or of a later WebAssembly": lambda: Made(
        [Function(assemble("nop") * 12 * MILLION)]
    ),
    "48524801 merges in a function, at the most 2000000": many_merges,
}
"""What makes each module, by what a page says of it."""


@made_once
def too_much_cup(folder: Path) -> None:
    """Play the event, and write "cup.khiva"."""
    modules = {sha256(module := bytes(make())).hexdigest(): module for make in MADE.values()}
    event = ticks_event.event(
        tuple(DefinedBot(f"large-{digest[:8]}", digest) for digest in modules)
    )
    ticks_event.play(folder / "store", 1, 1, event, ("honest",) * len(modules))
    (folder / "store" / "modules").mkdir()
    for digest, module in modules.items():
        (folder / "store" / "modules" / f"{digest}.wasm").write_bytes(module)
    arena("bundle", "store", "cup.khiva", "--with-modules", cwd=folder)
