"""What RULES.md says of Emira alone; the rest is held by tests/games/test_every_game.py."""

import re
import runpy
from pathlib import Path

import pytest

from khiva_arena.games import emira, schema
from khiva_arena.games.emira import GAME, variants
from khiva_arena.games.emira.tables import ACTIONS, EVENTS, NAMES

HERE = Path(__file__).parent
ROOM = Path(emira.__file__).parent
RULES = (ROOM / "RULES.md").read_text("utf-8")
CODE = "\n".join(path.read_text("utf-8") for path in sorted(ROOM.glob("*.py")))


def _section(title):
    return RULES.split(f"\n## {title}")[1].split("\n## ")[0]


def test_the_named_groups_of_symbols_are_on_the_page():
    assert [word for word in variants.SYMBOLS if f"`{word}`" not in _section("Open points")] == []


def test_every_kind_that_the_code_asks_has_a_shape():
    asked = set(re.findall(r'(?:_words|events|numbers|kinds|pairs|emiras|_by_seat)\(\s*"(\w+)"', CODE))
    assert asked == set(schema.shapes_of(GAME).decisions)


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
