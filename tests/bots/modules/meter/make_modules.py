"""Makes protocol/vectors/modules.json and bounds.json, and the prices in
protocol/METER.md: ``make vectors``.

The ticks of the modules by hand are those of ``by_hand.py`` and ``misread_rows.py``;
those of the random ones, and of modules that just reach a bound, are what wasmtime
comes to.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "support")]

import by_hand  # noqa: E402 - found beside this folder
import large_rows  # noqa: E402
import random_modules  # noqa: E402
import wasm_vm  # noqa: E402
from by_hand import LIMIT  # noqa: E402
from golden import ROOT, VECTORS, rows, settle  # noqa: E402
from misread_rows import MISREAD  # noqa: E402
from refused_modules import BOUNDS, BYTES_MOST, FEATURES, INVALID, TAKEN, padded  # noqa: E402
from wasm import OPCODES  # noqa: E402

from khiva_arena.bots.modules.meter import prices, rewritten  # noqa: E402

RANDOM = 100
BY_HAND = (*by_hand.BY_HAND, *MISREAD)
VECTOR_FILE, BOUND_FILE, PAGE = (
    VECTORS / "modules.json",
    VECTORS / "bounds.json",
    ROOT / "protocol" / "METER.md",
)
REPEATED = re.compile(rb"(.{1,64}?)\1{31,}", re.DOTALL)
"""Bytes of which a piece stands there 32 times or more."""
MARKS = ("<!-- generated: prices -->\n", "<!-- end of prices -->")


def modules() -> list[tuple[str, bytes, int]]:
    """Each module of the vectors: its name, its bytes, the ticks that it has."""
    found = [(one.name, one.module, LIMIT) for one in BY_HAND]
    return found + [
        (f"random {seed}", random_modules.module(Random(seed)), Random(seed).choice([500, LIMIT]))
        for seed in range(RANDOM)
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


def pieces(module: bytes) -> list[tuple[str, int]]:
    """Return a module as pieces in hex, each with how often it stands there."""
    found, at, body = [], 0, module.rstrip(b"\0")
    zeros = len(module) - len(body)
    if zeros < 2**20:  # two modules end with 32 MiB of zeros, and a search takes seconds for these
        body, zeros = module, 0
    for match in REPEATED.finditer(body):
        found += [
            (body[at : match.start()].hex(), 1),
            (match[1].hex(), len(match[0]) // len(match[1])),
        ]
        at = match.end()
    found += [(body[at:].hex(), 1), ("00", zeros)]
    return [(piece, times) for piece, times in found if piece and times]


def refused_row(name: str, module: bytes) -> dict[str, Any]:
    """Return the row of a module that is refused."""
    return {"name": name, "refused": True, "module": pieces(module)}


def refused_rows() -> list[dict[str, Any]]:
    """Return the rows of modules that are refused."""
    reasons = {name: module for name, (_, module) in FEATURES.items()} | {
        "bytes": padded(BYTES_MOST + 1)
    }
    reasons |= {name: module for name, (_, module) in BOUNDS.items()}
    reasons |= {f"not valid: {name}": module for name, (_, module) in INVALID.items()}
    return [refused_row(*one) for one in reasons.items()]


def taken_row(name: str, module: bytes, ran: wasm_vm.Ran) -> dict[str, Any]:
    """Return the row of a module that is taken."""
    how = {"limit": LIMIT, "used": LIMIT - max(ran.ticks, 0), "end": ran.end, "memory": ran.memory}
    return {"name": name, "refused": False, **how, "module": pieces(module)}


def taken_rows(engine: Any, modules: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """Return the rows of modules that are taken, as they run on a VM."""
    return [
        taken_row(name, module, wasm_vm.on_wasmtime(engine, rewritten(module).wasm, LIMIT))
        for name, module in modules.items()
    ]


def large_by_hand() -> list[by_hand.ByHand]:
    """Return the large modules that are taken, whose ticks were counted by hand."""
    return [*large_rows.just_heavy(), *large_rows.cold()]


def bound_file(engine: Any) -> str:
    """Return the text of the file of bounds and refusals."""
    taken = {
        f"the most: {name}": module
        for name, module in ({"bytes": padded(BYTES_MOST)} | TAKEN).items()
    }
    added = {one.name: one.module for one in large_by_hand()}
    made = refused_rows() + taken_rows(engine, taken)
    made += [refused_row(*one) for one in large_rows.too_heavy().items()] + taken_rows(
        engine, added
    )
    return rows({"prices": prices.NUMBER}, "modules", made)


def price_table() -> str:
    """The tables of prices and of the instructions in each class."""
    by_class: dict[str, list[str]] = {}
    for one in OPCODES.values():
        by_class.setdefault(one.price, []).append(one.name)
    steps = [f"{price} (memory of at most {pages:,} pages)" for pages, price in prices.LOADS]
    ticks = {name: f"{price:,}" for name, price in prices.PLAIN.items()} | {
        "load": ", ".join(steps)
    }
    ticks |= {
        name: f"{ticks[name]}, and {times} times *cold*"
        for name, times in prices.COLD_TIMES.items()
    }
    lines = [
        f"| {name} | {ticks[name]} | {', '.join(f'`{one}`' for one in names)} |"
        for name, names in by_class.items()
    ]
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
        row(name, module, limit, wasm_vm.on_wasmtime(engine, rewritten(module).wasm, limit))
        for name, module, limit in modules()
    ]
    return {
        VECTOR_FILE: rows({"prices": prices.NUMBER}, "modules", made),
        BOUND_FILE: bound_file(engine),
        PAGE: page(),
    }


if __name__ == "__main__":
    sys.exit(settle(files()))
