"""Measure how long a tick lasts, by class of instructions. Prints a line a case, the
slowest first.

Each case is a loop that does as little else as it can, over memory that has been
written. It runs until its ticks are used up, on wasmtime, in CPU time; the least of a
few runs is taken. Calls of the runner are measured in the runner itself.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import cold_code
import runner_calls
import wasm_vm
import wasmtime
from wasm import Function, Made

from khiva_arena.bots.modules.meter import rewritten
from khiva_arena.bots.modules.meter.prices import LOADS, PAGES
from khiva_arena.bots.modules.meter.rewrite import TICKS

RUNS = 3
SECONDS = 0.15
TICKS_OF_CALLS = 10**8
TIMES = 16
"""How often the loop repeats an operation within a round."""
RANDOM = "local.get 0 i32.const 1664525 i32.mul i32.const 1013904223 i32.add local.tee 0"
"""Words that leave the next of a stream of random numbers, kept in local 0."""


def memory(pages: int) -> bytes:
    """The limits of a memory of so many pages from the start."""
    return b"\1" + 2 * (bytes([pages]) if pages < 128 else bytes([pages & 127 | 128, pages >> 7]))


def loop(code: str, before: str = "", times: int = TIMES, **more: object) -> bytes:
    """A module that repeats code for ever. Its locals are an i32, an i64, an f32 and
    two f64.
    """
    words = f"{before} loop {' '.join([code] * times)} br 0 end"
    return bytes(Made([Function(words, locals="i32 i64 f32 f64 f64")], **more))  # type: ignore[arg-type]


def operations() -> Iterator[tuple[str, bytes]]:
    """Yield a loop for each class of instructions that touches no memory."""
    yield "i32.add", loop("local.get 0 i32.const 7 i32.add local.set 0")
    yield "i64.mul", loop("local.get 1 local.get 1 i64.mul local.set 1", "i64.const 3 local.set 1")
    for name in ("i32.div_s", "i32.rem_u"):
        yield (
            name,
            loop(
                f"i32.const -7 local.get 0 {name} i32.const 3 i32.or local.set 0",
                "i32.const -3 local.set 0",
            ),
        )
    for name in ("i64.div_s", "i64.div_u", "i64.rem_s"):
        yield (
            name,
            loop(
                f"i64.const -9223372036854775807 local.get 1 {name} i64.const 3 i64.or local.set 1",
                "i64.const 3 local.set 1",
            ),
        )
    yield "popcnt, clz", loop("local.get 1 i64.popcnt i64.clz local.set 1")
    for value in ("1.5", "5e-324", "nan"):
        start = f"f64.const {value} local.tee 3 local.set 4"
        for name in ("add", "mul", "div", "min"):
            yield (
                f"f64.{name} of {value}",
                loop(f"local.get 3 local.get 4 f64.{name} local.set 3", start),
            )
        for name in ("sqrt", "nearest", "trunc"):
            yield f"f64.{name} of {value}", loop(f"local.get 3 f64.{name} local.set 3", start)
    yield (
        "f64.mul that becomes denormal",
        loop("local.get 3 f64.const 1e-200 f64.mul local.set 4", "f64.const 3e-110 local.set 3"),
    )
    yield "f64.add of its own sum", loop("local.get 3 f64.const 1.5 f64.add f64.sqrt local.set 3")
    yield (
        "promote, demote",
        loop(
            "local.get 2 f64.promote_f32 f32.demote_f64 local.set 2", "f32.const 1e-40 local.set 2"
        ),
    )
    yield (
        "trunc_sat, convert",
        loop(
            "local.get 3 i64.trunc_sat_f64_u f64.convert_i64_u local.set 3",
            "f64.const 1e18 local.set 3",
        ),
    )
    yield (
        "trunc, convert",
        loop(
            "local.get 3 i64.trunc_f64_u f64.convert_i64_u local.set 3",
            "f64.const 1e18 local.set 3",
        ),
    )
    yield "local.get, local.set", loop("local.get 0 local.set 0")
    yield "global.get, global.set", loop("global.get 0 global.set 0", globals=("i64",))
    yield (
        "select of chance",
        loop(
            f"{RANDOM} local.get 0 i32.const 65536 i32.and select local.set 0".replace(
                "local.tee 0", "local.tee 0 local.get 0"
            )
        ),
    )


def branches() -> Iterator[tuple[str, bytes]]:
    """Yield a loop for each class of branches and calls, taken by chance."""
    yield "empty loop", loop("", times=1)
    yield (
        "br_if of chance",
        loop(f"block {RANDOM} i32.const 24 i32.shr_u i32.const 1 i32.and br_if 0 end"),
    )
    yield (
        "if of chance",
        loop(f"{RANDOM} i32.const 16777216 i32.and if local.get 0 local.set 0 end"),
    )
    yield (
        "if of a bit of chance",
        loop(
            "local.get 1 i64.const 1 i64.rotr local.tee 1 i32.wrap_i64 i32.const 1 i32.and if end",
            "i64.const -7046029254386353131 local.set 1",
        ),
    )
    many = 2_000
    labels = " ".join(map(str, range(many - 1)))
    choice = f"{RANDOM} i32.const 16 i32.shr_u i32.const {many} i32.rem_u"
    table = f"{'block ' * many} {choice} br_table {many - 1} {labels} {many - 1}"
    yield (
        "br_table of chance",
        loop(
            f"{table} end {' '.join(f'br {many - 1 - at} end' for at in range(1, many))}", times=1
        ),
    )
    yield "call", bytes(Made([Function("loop " + "call 1 " * TIMES + "br 0 end"), Function("")]))
    several = 9_000
    bodies = [
        Function(f"local.get 0 i32.const {at} i32.xor", "i32", "i32") for at in range(several)
    ]
    jump = (
        f"{RANDOM} local.get 0 i32.const 12 i32.shr_u i32.const {several} i32.rem_u i32.const "
        "1 i32.add call_indirect 1 drop"
    )
    first = Function(f"loop {' '.join([jump] * TIMES)} br 0 end", locals="i32")
    yield (
        "call_indirect of chance",
        bytes(Made([first, *bodies], table=tuple(range(1, several + 1)))),
    )


def accesses() -> Iterator[tuple[str, bytes]]:
    """Yield loops of loads and stores at addresses of chance, a load's address by the
    load before it.
    """
    for pages, _ in LOADS:
        mask = pages * 65_536 - 256
        chase = f"local.get 0 i32.const {mask} i32.and i32.load 0 local.get 0 i32.add local.set 0"
        yield f"loads over {pages} pages, each after the other", loop(chase, memory=memory(pages))
        across = (
            f"local.get 0 i32.const {mask & ~8191} i32.and i64.load 4092 i32.wrap_i64 "
            "local.get 0 i32.add local.set 0"
        )
        yield f"loads across edges over {pages} pages", loop(across, memory=memory(pages))
        store = f"{RANDOM} i32.const 4 i32.shl i32.const {mask} i32.and local.get 0 i32.store 0"
        yield f"stores over {pages} pages", loop(store, memory=memory(pages))
        multiply = (
            f"local.get 0 i32.const 73244475 i32.mul local.tee 0 i32.const {mask} i32.and "
            "i64.const 1 i64.store 0"
        )
        yield (
            f"stores over {pages} pages, fewer words",
            loop(multiply, "i32.const 12345 local.set 0", memory=memory(pages)),
        )


def bulks() -> Iterator[tuple[str, bytes]]:
    """Yield loops of bulk operations and of growth."""
    mask = PAGES * 65_536 - 4_096
    far = (
        f"{RANDOM} i32.const {mask} i32.and local.get 0 i32.const 7 i32.mul i32.const {mask} "
        "i32.and"
    )
    for length in (0, 1, 64, 512, 4_000):
        yield (
            f"memory.copy of {length}",
            loop(f"{far} i32.const {length} memory.copy", memory=memory(PAGES)),
        )
        yield (
            f"memory.fill of {length}",
            loop(f"{far} i32.const {length} memory.fill", memory=memory(PAGES)),
        )
    half = PAGES * 32_768
    yield (
        "memory.copy of a half",
        loop(
            f"i32.const 0 i32.const {half} i32.const {half} memory.copy",
            memory=memory(PAGES),
            times=1,
        ),
    )
    yield (
        "memory.fill of all",
        loop(
            f"i32.const 0 i32.const 1 i32.const {2 * half} memory.fill",
            memory=memory(PAGES),
            times=1,
        ),
    )
    yield (
        "memory.init of 0",
        loop("i32.const 0 i32.const 0 i32.const 0 memory.init 0", data=(b"12345678",)),
    )
    yield (
        "memory.init of 8",
        loop("i32.const 0 i32.const 0 i32.const 8 memory.init 0", data=(b"12345678",)),
    )
    yield "data.drop", loop("data.drop 0", data=(b"12345678",))
    yield "memory.grow of 0", loop("i32.const 0 memory.grow drop")
    yield "memory.grow of too much", loop("i32.const -1 memory.grow drop")
    touch = "i32.const 1 memory.grow i32.const 16 i32.shl local.set 0 " + " ".join(
        f"local.get 0 i64.const 1 i64.store {at}" for at in range(8, 65_536, 4_096)
    )
    yield "memory.grow, and a store in each 4 KiB", loop(touch, times=1)


def nanoseconds(engine: wasmtime.Engine, module: wasmtime.Module) -> float:
    """Return how long a tick lasts, in CPU time."""
    budget = 10**6
    while True:
        store = wasmtime.Store(engine)
        exports = wasmtime.Instance(store, module, []).exports(store)
        memory_ = exports["memory"]
        block = os.urandom(2**20)
        length = memory_.data_len(store)
        for at in range(0, length, len(block)):
            memory_.write(store, block[: length - at], at)
        exports[TICKS].set_value(store, budget)
        began = time.process_time()
        try:
            exports["_start"](store)
        except wasmtime.Trap:
            used = time.process_time() - began
        assert exports[TICKS].value(store) < 0, "trapped by itself"
        if used > SECONDS:
            return used / budget * 1e9
        budget = int(budget * min(50, max(2, 1.2 * SECONDS / max(used, 1e-4))))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "case", nargs="?", default="", help="only the cases with this in their names, as loads"
    )
    wanted = parser.parse_args().case
    engine = wasm_vm.engine()
    rows = []
    for name, wasm in chain(
        operations(), branches(), accesses(), bulks(), cold_code.shapes(wanted)
    ):
        if wanted in name:
            module = wasmtime.Module(engine, rewritten(wasm).wasm)
            rows.append((min(nanoseconds(engine, module) for _ in range(RUNS)), name))
            print(f"{rows[-1][0]:7.3f} ns a tick  {name}", file=sys.stderr, flush=True)
    for name, wasm in runner_calls.calls():
        if wanted in name:
            rows.append(
                (min(runner_calls.nanoseconds(wasm, TICKS_OF_CALLS) for _ in range(RUNS)), name)
            )
    for each, name in sorted(rows, reverse=True):
        print(f"{each:7.3f} ns a tick  {name}", flush=True)


if __name__ == "__main__":
    main()
