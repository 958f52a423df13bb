"""The vectors of a runner: they are what the arena's runner gives, their ticks are
those by hand, and the verifier agrees.
"""

import json
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from makers import maker_at
from second_vm import VERIFIER, node

from khiva_arena.bots.modules.meter.imports import PARAMS
from khiva_arena.entrants.modules import bot_identity


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


def test_words_and_ticks_are_those_by_hand(
    maker: ModuleType, vectors: list[dict[str, Any]]
) -> None:
    assert len({row["name"] for row in vectors}) == len(vectors)
    by_hand = {row.name: list(row.by_hand) for row in maker.ROWS}
    assert {
        row["name"]: [(order["word"], order["used"]) for order in answers(row)] for row in vectors
    } == by_hand


def test_every_call_and_word_has_a_row_and_modules_are_small(vectors: list[dict[str, Any]]) -> None:
    modules = [bytes.fromhex(row["module"]) for row in vectors]
    assert max(map(len, modules)) < 1_500
    assert [name for name in PARAMS if not any(name.encode() in module for module in modules)] == []
    words = {order["word"] for row in vectors for order in answers(row)}
    assert words == {"answered", "timeout", "exited", "trapped", "stack", "refused"}


def test_identities_are_those_of_module_and_payload(vectors: list[dict[str, Any]]) -> None:
    rows = [row for row in vectors if "payload" in row]
    assert len({row["identity"] for row in rows}) == len(rows)
    for row in rows:
        hashes = [sha256(bytes.fromhex(row[name])).digest() for name in ("module", "payload")]
        assert row["identity"] == sha256(b"khiva-payload-1\0" + b"".join(hashes)).hexdigest()
    assert bot_identity(b"module") == sha256(b"module").hexdigest()


@pytest.mark.language
def test_the_verifier_gives_each_row_of_all_files_and_prints_what_its_page_shows() -> None:
    done = subprocess.run(
        node("vectors.js"), capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert f"```text\n{done.stdout}```" in (VERIFIER / "README.md").read_text("utf-8")
