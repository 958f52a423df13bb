"""The vectors of a runner: they are what the arena's runner gives, their ticks are those by hand, and another runner agrees."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from makers import maker_at
from second_vm import Part, again
from wasm import joined, sections_of, uleb

from khiva_arena.modules.meter import rewritten
from khiva_arena.modules.meter.imports import PARAMS
from khiva_arena.modules.meter.reader import unsigned

MEMORY, PAGE = 5, 65_536


@pytest.fixture(scope="module")
def maker() -> Iterator[ModuleType]:
    """Load the maker of the file, which is a module of this folder."""
    with maker_at(Path(__file__).with_name("make_runner.py")) as module:
        yield module


@pytest.fixture(scope="module")
def vectors(maker: ModuleType) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(maker.VECTOR_FILE.read_text("utf-8"))["rows"]
    return found


def answers(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the orders of a row that are answered."""
    return [order for order in row["orders"] if order["order"] != "say"]


def test_the_arena_s_runner_gives_each_row(maker: ModuleType) -> None:
    ((path, text),) = maker.files().items()
    assert path.read_text("utf-8") == text, "`make vectors`"


def test_words_and_ticks_are_those_by_hand(maker: ModuleType, vectors: list[dict[str, Any]]) -> None:
    assert len({row["name"] for row in vectors}) == len(vectors)
    by_hand = {row.name: list(row.by_hand) for row in maker.ROWS}
    assert {row["name"]: [(order["word"], order["used"]) for order in answers(row)] for row in vectors} == by_hand


def test_every_call_and_word_has_a_row_and_modules_are_small(vectors: list[dict[str, Any]]) -> None:
    modules = [bytes.fromhex(row["module"]) for row in vectors]
    assert max(map(len, modules)) < 1_500
    assert [name for name in PARAMS if not any(name.encode() in module for module in modules)] == []
    words = {order["word"] for row in vectors for order in answers(row)}
    assert words == {"answered", "timeout", "exited", "trapped", "stack"}


def within(module: bytes, most_bytes: int) -> bytes:
    """Return a rewritten module whose memory grows no further than an event allows; what it pays for growth stays."""
    sections = dict(sections_of(module))
    least, at = unsigned(sections[MEMORY], 2)
    most, _ = unsigned(sections[MEMORY], at)
    return joined(sections | {MEMORY: b"\1\1" + uleb(least) + uleb(min(most, most_bytes // PAGE))})


@pytest.mark.language
def test_another_runner_gives_each_row(maker: ModuleType, vectors: list[dict[str, Any]], tmp_path: Path) -> None:
    parts = []
    for row in vectors:
        orders = [(order["order"], order.get("ticks", 0), order["bytes"]) for order in row["orders"]]
        module = within(rewritten(bytes.fromhex(row["module"])).wasm, row["most_bytes"])
        parts.append(Part(module, int(row["key"], 16), orders, [], b""))
    played = again(parts, tmp_path)
    wrong = []
    for row, (told, notes) in zip(vectors, played, strict=True):
        expected = [(order["word"], order["used"], order["answer"]) for order in answers(row)]
        shown = [(word, used, maker.short(bytes.fromhex(data))) for word, used, data in told]
        if (shown, maker.short(notes)) != (expected, row["stderr"]):
            wrong.append(row["name"])
    assert wrong == []
