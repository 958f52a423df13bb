"""RULES.md says what the code does: rulings, variants, decisions, events, view keys, numbers."""

import re
import runpy
from pathlib import Path

import pytest

from khiva_arena.games import khiva
from khiva_arena.games.khiva import GAME, variants
from khiva_arena.games.khiva.notation import EVENT_TYPES

HERE = Path(__file__).parent
ROOM = Path(khiva.__file__).parent
RULES = (ROOM / "RULES.md").read_text("utf-8")
CODE = "\n".join(path.read_text("utf-8") for path in sorted(ROOM.glob("*.py")))
TESTS = "\n".join(path.read_text("utf-8") for path in sorted(HERE.glob("test_*.py")))


def _rows(title):
    """First cells of the table under a heading."""
    section = RULES.split(f"\n## {title}")[1].split("\n## ")[0]
    return [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("number", [f"K{n}" for n in range(1, 24)])
def test_each_ruling_is_stated_and_has_a_test(number):
    assert number in _rows("Rulings")
    assert f"def test_{number}_" in TESTS


@pytest.mark.parametrize("number", [f"O{n}" for n in range(1, 13)])
def test_each_open_point_is_stated_and_named_in_the_code_and_has_a_test(number):
    assert number in _rows("Open points")
    assert re.search(rf"\b{number}\b", CODE)
    assert f"def test_{number}_" in TESTS


def test_rulings_named_in_the_code_exist():
    assert set(re.findall(r"\bK\d+\b", CODE)) <= set(_rows("Rulings"))


def test_every_rule_key_and_variant_is_in_the_table():
    section = RULES.split("\n## Open points")[1].split("\n## ")[0]
    assert [key for key in variants.KEYS if f"| `{key}` |" not in section] == []
    assert [word for words in variants.NAMED.values() for word in words if f"`{word}`" not in section] == []


def test_every_event_type_is_in_the_table():
    assert _rows("Events") == [f"`{name}`" for name in EVENT_TYPES]


def test_every_view_key_is_in_the_table():
    state, _ = GAME.new(3, GAME.rules({}), bytes(32))
    assert re.findall(r"`(\w+)`", " ".join(_rows("The view"))) == list(state.view(0))


def test_every_decision_kind_is_in_the_table():
    assert _rows("Decisions") == ["`play_pass`", "`move`", "`boost`", "`shop4`"]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_sanity_numbers_are_those_measured(seats):
    assert runpy.run_path(str(HERE / "sanity.py"))["row"](seats) in RULES.splitlines()
