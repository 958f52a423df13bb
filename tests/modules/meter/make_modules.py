"""Makes protocol/vectors/modules.json and the prices in protocol/METER.md: ``make vectors``.

The ticks of the modules by hand are those of ``by_hand.py``; those of the random ones are what wasmtime comes to.
"""

import sys
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "support")]

import random_modules  # noqa: E402 - found beside this folder
import wasm_vm  # noqa: E402
from by_hand import BY_HAND, LIMIT  # noqa: E402
from golden import ROOT, VECTORS, rows, settle  # noqa: E402
from wasm import OPCODES  # noqa: E402

from khiva_arena.modules.meter import prices, rewritten  # noqa: E402

RANDOM = 100
VECTOR_FILE, PAGE = VECTORS / "modules.json", ROOT / "protocol" / "METER.md"
MARKS = ("<!-- generated: prices -->\n", "<!-- end of prices -->")


def modules() -> list[tuple[str, bytes, int]]:
    """Each module of the vectors: its name, its bytes, the ticks that it has."""
    found = [(one.name, one.module, LIMIT) for one in BY_HAND]
    return found + [
        (f"random {seed}", random_modules.module(Random(seed)), Random(seed).choice([500, LIMIT])) for seed in range(RANDOM)
    ]


def row(name: str, module: bytes, limit: int, ran: wasm_vm.Ran) -> dict[str, Any]:
    """A row of the file."""
    used = limit - max(ran.ticks, 0)
    wasm = rewritten(module).wasm.hex()
    return {
        "name": name,
        "limit": limit,
        "used": used,
        "end": ran.end,
        "memory": ran.memory,
        "module": module.hex(),
        "rewritten": wasm,
    }


def price_table() -> str:
    """The tables of prices and of the instructions in each class."""
    by_class: dict[str, list[str]] = {}
    for one in OPCODES.values():
        by_class.setdefault(one.price, []).append(one.name)
    steps = [f"{price} (memory of at most {pages:,} pages)" for pages, price in prices.LOADS]
    ticks = {name: f"{price:,}" for name, price in prices.PLAIN.items()} | {"load": ", ".join(steps)}
    ticks |= {name: f"{ticks[name]}, and {times} times *cold*" for name, times in prices.COLD_TIMES.items()}
    lines = [f"| {name} | {ticks[name]} | {', '.join(f'`{one}`' for one in names)} |" for name, names in by_class.items()]
    cold = [f"| {most:,} | {price} |" for most, price in prices.COLD]
    by_code = ["", "| bytes of code, at most | *cold* |", "|---|---|", *cold]
    return "\n".join(["| class | ticks | instructions |", "|---|---|---|", *lines, *by_code]) + "\n"


def page() -> str:
    """The page with its generated part as it is now."""
    before, begin, rest = PAGE.read_text("utf-8").partition(MARKS[0])
    _, end, behind = rest.partition(MARKS[1])
    assert begin + end == "".join(MARKS)
    return f"{before}{begin}\n{price_table()}\n{end}{behind}"


def files() -> dict[Path, str]:
    """What is made, by file."""
    engine = wasm_vm.engine()
    made = [
        row(name, module, limit, wasm_vm.on_wasmtime(engine, rewritten(module).wasm, limit)) for name, module, limit in modules()
    ]
    return {VECTOR_FILE: rows({"prices": prices.NUMBER}, "modules", made), PAGE: page()}


if __name__ == "__main__":
    sys.exit(settle(files()))
