"""The vectors of protocol/METER.md: they are what is made, their ticks are those by
hand, and two VMs come to the same, as do other Pythons and ARM64 where ``python -m
tests.tools modules-elsewhere`` has set them up.
"""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import wasm_vm
from arena import ROOT
from elsewhere import Place, everywhere, need_place
from makers import maker_at

from khiva_arena.bots.modules.meter import bounds, prices, rewritten
from khiva_arena.bots.modules.meter.imports import TYPES
from khiva_arena.bots.modules.runner import wasi
from khiva_arena.entrants.module_runner import FOLDER


@pytest.fixture(scope="module")
def maker() -> Iterator[ModuleType]:
    """The maker of the file, which is a module of this folder."""
    with maker_at(Path(__file__).with_name("make_modules.py")) as module:
        yield module


@pytest.fixture(scope="module")
def vectors(maker: ModuleType) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(maker.VECTOR_FILE.read_text("utf-8"))["modules"]
    return found


def ran(row: dict[str, Any]) -> wasm_vm.Ran:
    """How a row says that its module runs."""
    return wasm_vm.Ran(
        row["end"], -1 if row["end"] == "time" else row["limit"] - row["used"], row["memory"]
    )


def test_each_module_and_what_the_meter_makes_of_it_are_what_is_made(
    maker: ModuleType, vectors: list[dict[str, Any]]
) -> None:
    made = [
        (name, module.hex(), rewritten(module).wasm.hex(), limit)
        for name, module, limit in maker.modules()
    ]
    assert [
        (row["name"], row["module"], row["rewritten"], row["limit"]) for row in vectors
    ] == made, "`make vectors`"


@pytest.mark.slow
def test_the_bounds_are_what_is_made(maker: ModuleType) -> None:
    assert maker.BOUND_FILE.read_text("utf-8") == maker.bound_file(wasm_vm.engine()), (
        "`make vectors`"
    )


def test_the_ticks_are_those_by_hand(maker: ModuleType, vectors: list[dict[str, Any]]) -> None:
    rows = {row["name"]: (row["used"], row["end"]) for row in vectors}
    assert len(rows) == len(vectors)
    by_hand = {one.name: (one.used, one.end) for one in maker.BY_HAND}
    assert {name: rows[name] for name in by_hand} == by_hand


def test_random_modules_end_in_every_way(vectors: list[dict[str, Any]]) -> None:
    ends = Counter(row["end"] for row in vectors if row["name"].startswith("random"))
    assert ends.total() == 100
    assert min(ends[end] for end in ("", "time", "stack", "own")) >= 4, ends


def test_wasmtime_comes_to_the_same(vectors: list[dict[str, Any]]) -> None:
    engine = wasm_vm.engine()
    wrong = [
        row["name"]
        for row in vectors
        if wasm_vm.on_wasmtime(engine, bytes.fromhex(row["rewritten"]), row["limit"]) != ran(row)
    ]
    assert wrong == []


def test_ticks_by_function_add_up_and_change_nothing(vectors: list[dict[str, Any]]) -> None:
    engine = wasm_vm.engine()
    for row in vectors:
        counting = rewritten(bytes.fromhex(row["module"]), by_function=True).wasm
        how, paid, counted = wasm_vm.counted_on_wasmtime(engine, counting, row["limit"])
        assert (row["name"], how, counted) == (row["name"], ran(row), paid)


@pytest.mark.parametrize("place", everywhere(), ids=str)
def test_meter_and_runner_come_to_the_same_everywhere(
    place: Place, vectors: list[dict[str, Any]]
) -> None:
    need_place(place)
    words = [
        *place.words,
        "-I",
        str(ROOT / "tests" / "support" / "vectors_there.py"),
        str(FOLDER),
        place.library,
    ]
    text = "".join(json.dumps(row) + "\n" for row in vectors)
    done = subprocess.run(
        words, input=text, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    runs = {
        row["name"]: (wasm_vm.Ran(*one), wasm)
        for row, (*one, wasm) in zip(vectors, found, strict=True)
    }
    assert runs == {row["name"]: (ran(row), row["rewritten"]) for row in vectors}


@pytest.mark.language
def test_v8_comes_to_the_same(vectors: list[dict[str, Any]]) -> None:
    runs = wasm_vm.on_node([(bytes.fromhex(row["rewritten"]), row["limit"]) for row in vectors])
    assert [row["name"] for row, one in zip(vectors, runs, strict=True) if one != ran(row)] == []


def test_the_runner_takes_what_the_prices_say() -> None:
    of_the_runner = (
        wasi.PRICE_PAIR,
        wasi.PRICE_SUBSCRIPTION,
        wasi.PRICE_RANDOM_BYTE,
        wasi.MOST_VECTORS,
        wasi.MOST_EVENTS,
    )
    assert of_the_runner == (
        prices.IOVEC,
        prices.SUBSCRIPTION,
        prices.RANDOM_BYTE,
        prices.IOVECS,
        prices.IOVECS,
    )


def test_the_page_has_the_prices(maker: ModuleType) -> None:
    text = maker.PAGE.read_text("utf-8")
    assert text == maker.page(), "`make vectors` writes the prices"
    numbers = [
        prices.CALL,
        prices.PAGE,
        prices.BYTE,
        prices.RANDOM_BYTE,
        prices.IOVEC,
        prices.SUBSCRIPTION,
        prices.IOVECS,
    ]
    numbers += [
        prices.FRAME,
        prices.SLOT,
        prices.HEIGHT_LIMIT,
        prices.STACK_BYTES,
        prices.PAGES,
        2**prices.BULK_SHIFT,
    ]
    numbers += [prices.NEAR]
    counts = (
        value
        for name, value in vars(bounds).items()
        if name.isupper() and name not in ("NAME", "BODY_BYTES", "MODULE_BYTES")
    )
    lacking = [
        number
        for number in [*numbers, *counts]
        if not re.search(rf"(?<![\d,]){number:,}(?![\d,]\d)", text)
    ]
    assert lacking == []
    assert [name for name in TYPES if f"`{name}`" not in text] == []
