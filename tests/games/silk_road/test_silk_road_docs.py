"""RULES.md says what the code does: rulings, variants, decisions, events, view keys, numbers."""

import re
import runpy
from pathlib import Path

import pytest

from khiva_arena.games import silk_road
from khiva_arena.games.silk_road import GAME, variants
from khiva_arena.games.silk_road.notation import EVENT_TYPES
from khiva_arena.games.silk_road.rules import KINDS
from khiva_arena.games.silk_road.tables import COLOURS, GOODS, TILES

HERE = Path(__file__).parent
ROOM = Path(silk_road.__file__).parent
RULES = (ROOM / "RULES.md").read_text("utf-8")
CODE = "\n".join(path.read_text("utf-8") for path in sorted(ROOM.glob("*.py")))
TESTS = "\n".join(path.read_text("utf-8") for path in sorted(HERE.glob("test_*.py")))


def _section(title):
    return RULES.split(f"\n## {title}")[1].split("\n## ")[0]


def _rows(title):
    """First cells of the table under a heading."""
    return [line.split("|")[1].strip() for line in _section(title).splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("number", [f"S{n}" for n in range(1, 20)])
def test_each_ruling_is_stated_and_named_in_the_code_and_has_a_test(number):
    assert number in _rows("Rulings")
    assert re.search(rf"\b{number}\b", CODE)
    assert f"def test_{number}_" in TESTS


@pytest.mark.parametrize("number", [f"O{n}" for n in range(1, 14)])
def test_each_open_point_is_stated_and_named_in_the_code_and_has_a_test(number):
    assert number in _rows("Open points")
    assert re.search(rf"\b{number}\b", CODE)
    assert f"def test_{number}_" in TESTS


@pytest.mark.parametrize("number", [f"T{n}" for n in range(1, 13)])
def test_each_acceptance_test_is_there(number):
    assert f"def test_{number}_" in TESTS
    assert re.search(rf"\b{number}\b", _section("Rulings"))


def test_numbers_named_in_the_code_exist():
    assert set(re.findall(r"\bS\d+\b", CODE)) <= set(_rows("Rulings"))
    assert set(re.findall(r"\bO\d+\b", CODE)) <= set(_rows("Open points"))


def test_every_rule_key_and_variant_is_in_the_table():
    section = _section("Open points")
    assert [key for key in variants.KEYS if f"| `{key}` |" not in section] == []
    assert [word for words in variants.NAMED.values() for word in words if f"`{word}`" not in section] == []


def test_every_event_type_is_in_the_table():
    assert _rows("Events") == [f"`{name}`" for name in EVENT_TYPES]


def test_every_view_key_is_in_the_table():
    state, _ = GAME.new(3, GAME.rules({}), bytes(32))
    assert re.findall(r"`(\w+)`", " ".join(_rows("The view"))) == list(state.view(0))


def test_every_decision_kind_is_in_the_table():
    assert _rows("Decisions") == [f"`{kind}`" for kind in KINDS]


def test_orders_that_the_page_tells_are_those_of_the_code():
    for words in (GOODS, COLOURS):
        assert ", ".join(words) in _section("Pieces")
    told = "black market, camels 1, 2, 3, customs, sandstorm, robber, bazaar, baksheesh"
    assert f"ivory, spice, porcelain, silk, tea market, {told}" in RULES.replace("\n", " ")
    assert TILES[5:] == ("black_market", *(f"camels_{n}" for n in (1, 2, 3)), *told.split(", ")[-5:])


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_sanity_numbers_are_those_measured(seats):
    assert runpy.run_path(str(HERE / "sanity.py"))["row"](seats) in RULES.splitlines()
