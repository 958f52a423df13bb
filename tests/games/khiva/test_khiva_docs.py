"""RULES.md has the numbers that are measured; what else it says is held by tests/games/test_every_game.py."""

import runpy
from pathlib import Path

import pytest

from khiva_arena.games import khiva

RULES = (Path(khiva.__file__).parent / "RULES.md").read_text("utf-8")


@pytest.mark.soak
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_sanity_numbers_are_those_measured(seats):
    assert runpy.run_path(str(Path(__file__).parent / "sanity.py"))["row"](seats) in RULES.splitlines()
