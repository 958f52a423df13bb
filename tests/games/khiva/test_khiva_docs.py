"""RULES.md has the numbers that are measured; what else it says is held by
tests/games/test_every_game.py.
"""

import runpy
from pathlib import Path

import pytest
from in_targets import in_long

from khiva_arena.games import khiva

RULES = (Path(khiva.__file__).parent / "RULES.md").read_text("utf-8")


@pytest.mark.soak
@pytest.mark.parametrize(
    "seats", [3, *in_long([2, 4, 5])]
)  # all rows are made by the same games, and change together
def test_sanity_numbers_are_those_measured(seats):
    assert (
        runpy.run_path(str(Path(__file__).parent / "sanity.py"))["row"](seats) in RULES.splitlines()
    )
