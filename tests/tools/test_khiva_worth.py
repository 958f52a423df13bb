"""The tool khiva-worth changes one thing of a view, in views that fit a position."""

import sys
from pathlib import Path
from random import Random

import pytest

sys.path.append(str(Path(__file__).parent))

import khiva_worth as tool

pytestmark = pytest.mark.usefixtures("rules_in_c")


@pytest.mark.parametrize("seats", [2, 3])
def test_a_change_is_one_thing_of_a_view_that_fits_a_position(seats: int) -> None:
    names, keys = set(), set()
    views = [tool.GAME.new(seats, tool.RULES, bytes([deal]) * 32)[0].view(1) for deal in range(9)]
    for view, name, changed in (
        (before, *one) for before in views for one in tool.variants(before, Random(1))
    ):
        tool.played().view(changed)
        (key,) = (key for key in view if view[key] != changed[key])
        assert len(changed["hand"]) == len(view["hand"])
        names.add(name)
        keys.add(key)
    assert keys == {"gems", "hand", "camels"}
    assert {"1 more gem", "a 1 instead of a 3"} < names


def test_many_gems_are_worth_points() -> None:
    state, _ = tool.GAME.new(2, tool.RULES, bytes(32))
    view = state.view(0)
    assert tool.lead({**view, "gems": [40, 0]}, 30, 1) > tool.lead(view, 30, 1) + 20


def test_the_bots_of_its_matches_choose_what_is_legal() -> None:
    state, _ = tool.GAME.new(2, tool.RULES, bytes(32))
    assert 0 <= tool.chosen(state, 0, 1) < 420
