"""RULES.md says what the code does: rulings, variants, decisions, events, view keys, numbers."""

import re
import runpy
from pathlib import Path

import pytest

from khiva_arena.games import emira
from khiva_arena.games.emira import GAME, variants
from khiva_arena.games.emira.notation import EVENT_TYPES
from khiva_arena.games.emira.tables import ACTIONS, EVENTS, NAMES

HERE = Path(__file__).parent
ROOM = Path(emira.__file__).parent
RULES = (ROOM / "RULES.md").read_text("utf-8")
CODE = "\n".join(path.read_text("utf-8") for path in sorted(ROOM.glob("*.py"))).replace("E741", "")
TESTS = "\n".join(path.read_text("utf-8") for path in sorted(HERE.glob("test_*.py")))
NUMBERS = ["E5b", *(f"E{n}" for n in range(1, 42))]


def _section(title):
    return RULES.split(f"\n## {title}")[1].split("\n## ")[0]


def _rows(title):
    """First cells of the table under a heading."""
    return [line.split("|")[1].strip() for line in _section(title).splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("number", NUMBERS)
def test_each_ruling_is_stated_and_named_in_the_code_and_has_a_test(number):
    assert number in _rows("Rulings")
    assert re.search(rf"\b{number}\b", CODE) or f"{number}-" in CODE
    assert f"def test_{number}_" in TESTS


@pytest.mark.parametrize("number", [f"O{n}" for n in range(1, 15)])
def test_each_open_point_is_stated_and_named_in_the_code_and_has_a_test(number):
    assert number in _rows("Open points")
    assert re.search(rf"\b{number}\b", CODE)
    assert f"def test_{number}_" in TESTS


def test_rulings_named_in_the_code_exist():
    assert set(re.findall(r"\b[EO]\d+b?\b", CODE)) <= {*_rows("Rulings"), *_rows("Open points")}


def test_every_rule_key_and_variant_is_in_the_table():
    section = _section("Open points")
    assert [key for key in variants.KEYS if f"| `{key}` |" not in section] == []
    words = [word for words in variants.NAMED.values() for word in words]
    assert [word for word in (*words, *variants.SYMBOLS) if f"`{word}`" not in section] == []


def test_every_event_type_is_in_the_table():
    assert _rows("Events") == [f"`{name}`" for name in EVENT_TYPES]
    shapes = [shape.__annotations__["type"].__args__[0] for shape in GAME.shapes.events]
    assert shapes == list(EVENT_TYPES)


def test_every_view_key_is_in_the_table():
    state, _ = GAME.new(3, GAME.rules({}), bytes(32))
    assert re.findall(r"`(\w+)`", " ".join(_rows("The view"))) == list(state.view(0))


def test_every_decision_kind_is_in_the_table_and_has_a_shape():
    asked = set(re.findall(r'(?:_words|events|numbers|kinds|pairs|emiras|_by_seat)\(\s*"(\w+)"', CODE))
    assert _rows("Decisions") == [f"`{kind}`" for kind in GAME.shapes.decisions]
    assert asked == set(GAME.shapes.decisions)


def test_every_action_event_card_and_emira_is_named():
    pieces = _section("Pieces")
    assert [action for action in ACTIONS[1:] if f"`{action}`" not in pieces] == []
    assert [name for name in NAMES if name not in pieces] == []
    assert ", ".join(EVENTS) in " ".join(_section("Decisions").split())


def test_a_playthrough_shows_xenia_moving_to_a_sheik_who_pays():
    text = (HERE.parents[1] / "playthroughs" / "emira" / "5_seats_xenia_changes_hands.txt").read_text("utf-8")
    moves = r"^  (\w+) .*; Xenia moves on\n  Xenia joins (?!\1)(\w+)\n  \2 gives Xenia her gift of 250$"
    assert re.search(moves, text, re.MULTILINE)


@pytest.mark.parametrize("mode", ["basic", "advanced"])
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_sanity_numbers_are_those_measured(seats, mode):
    sanity = runpy.run_path(str(HERE / "sanity.py"))
    assert sanity["row"](seats, mode, sanity["FEW"]) in RULES.splitlines()
