"""What RULES.md says of Emira alone; the rest is held by
tests/games/test_every_game.py.
"""

import re
import runpy
from pathlib import Path

import pytest

from khiva_arena.games import emira, schema
from khiva_arena.games.emira import GAME, variants
from khiva_arena.games.emira.tables import (
    ACTIONS,
    EMIRA_OF,
    EMIRAS,
    EVENTS,
    NAMES,
    PREFERENCES,
    TALENTS,
    UPKEEP,
)

HERE = Path(__file__).parent
ROOM = Path(emira.__file__).parent
RULES = (ROOM / "RULES.md").read_text("utf-8")
PAGE = (HERE.parents[2] / "protocol" / "games" / "emira.md").read_text("utf-8")
CODE = "\n".join(path.read_text("utf-8") for path in sorted(ROOM.glob("*.py")))


def _section(title):
    return RULES.split(f"\n## {title}")[1].split("\n## ")[0]


def test_the_named_groups_of_symbols_are_on_the_page():
    assert [word for word in variants.SYMBOLS if f"`{word}`" not in _section("Open points")] == []


def test_every_kind_that_the_code_asks_has_a_shape():
    asked = set(
        re.findall(r'(?:_words|events|numbers|kinds|pairs|emiras|_by_seat)\(\s*"(\w+)"', CODE)
    )
    assert asked == set(schema.shapes_of(GAME).decisions)


def test_every_action_event_card_and_emira_is_named():
    pieces = _section("Pieces")
    assert [action for action in ACTIONS[1:] if f"`{action}`" not in pieces] == []
    assert [name for name in NAMES if name not in pieces] == []
    assert ", ".join(EVENTS) in " ".join(_section("Decisions").split())


def page_rows(title):
    """The cells of the table under a heading of the page for bot writers."""
    lines = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0].splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|")
    ][2:]


def test_the_page_has_every_emira_with_wishes_talents_and_upkeep():
    rows = page_rows("All Emiras")
    assert [row[0] for row in rows] == list(NAMES)
    said = {row[0]: row[1:5] for row in rows}
    assert said["Noor"] == ["appearance", "palace", "intelligence or household", "50"]
    assert said["Janan"] == ["palace", "status", "intelligence or cooking", "100"]
    assert said["Zafirah"] == ["palace", "gold", "cooking", "0"]
    assert said["Sidi Suleiman"] == ["most princesses", "-", "-", "-"]
    for card, (_, first, second, talents, upkeep, *_) in zip(EMIRAS[:-1], rows[:-1], strict=True):
        assert (PREFERENCES.index(first), PREFERENCES.index(second)) == (card.first, card.second)
        assert sum(1 << TALENTS.index(talent) for talent in talents.split(" or ")) == card.talents
        assert int(upkeep) == UPKEEP[EMIRA_OF[card.name]]


def test_the_page_has_every_event_card_and_its_symbol():
    rows = page_rows("All event cards")
    assert [row[0] for row in rows] == [f"`{name}`" for name in EVENTS]
    for name, others, effect, rulings in rows:
        group = next(
            (group for group in variants.SYMBOLS["groups"] if name.strip("`") in group), []
        )
        assert others == (
            " ".join(f"`{other}`" for other in group if f"`{other}`" != name)
            or "itself" * bool(group)
        )
        assert effect
        assert rulings


def test_the_rulings_named_beside_the_cards_are_on_the_rules_page():
    """And each card whose power or effect the engine knows has one; Sick Camels,
    too.
    """
    numbers = set(re.findall(r"^\| ([EO]\d+) \|", RULES, re.MULTILINE))
    named = {row[0]: row[-1] for row in (*page_rows("All Emiras"), *page_rows("All event cards"))}
    assert {number for cell in named.values() for number in cell.split(", ") if number} <= numbers
    assert named["`sick_camels`"] == "E42"
    special = {name for name, row in named.items() if row} - {f"`{name}`" for name in EVENTS}
    plain = set(NAMES) - special
    assert plain == {
        "Asima",
        "Thara",
        "Nibal",
        "Fatima",
        "Malika",
        "Raidah",
        "Sahar",
        "Anisah",
        "Yasmine",
    }


def test_a_ruling_that_the_rulebook_contradicts_is_marked():
    head = RULES.partition("\n## ")[0]
    assert "*contradicted* =" in head
    (row,) = re.findall(r"^\| E15 \|.*$", RULES, re.MULTILINE)
    assert "contradicted: R takes four 3-point cards out and shuffles three in again" in row


def test_a_playthrough_shows_xenia_moving_to_a_sheik_who_pays():
    text = (
        HERE.parents[1] / "playthroughs" / "emira" / "5_seats_xenia_changes_hands.txt"
    ).read_text("utf-8")
    moves = (
        r"^  (\w+) .*; Xenia moves on\n  Xenia joins (?!\1)(\w+)\n  \2 gives Xenia her gift of 250$"
    )
    assert re.search(moves, text, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["basic", "advanced"])
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_sanity_numbers_are_those_measured(seats, mode):
    sanity = runpy.run_path(str(HERE / "sanity.py"))
    assert sanity["row"](seats, mode, sanity["FEW"]) in RULES.splitlines()
