"""What RULES.md says of Silk Road alone; the rest is held by
tests/games/test_every_game.py.
"""

import re
import runpy
from pathlib import Path

import pytest
from in_targets import in_long

from khiva_arena.games import silk_road
from khiva_arena.games.silk_road.tables import COLOURS, GOODS, TILES

HERE = Path(__file__).parent
ROOM = Path(silk_road.__file__).parent
RULES = (ROOM / "RULES.md").read_text("utf-8")
TESTS = "\n".join(path.read_text("utf-8") for path in sorted(HERE.glob("test_*.py")))


def _section(title):
    return RULES.split(f"\n## {title}")[1].split("\n## ")[0]


@pytest.mark.parametrize("number", [f"T{n}" for n in range(1, 13)])
def test_each_acceptance_test_is_there(number):
    assert f"def test_{number}_" in TESTS
    assert re.search(rf"\b{number}\b", _section("Rulings"))


def test_orders_that_the_page_tells_are_those_of_the_code():
    for words in (GOODS, COLOURS):
        assert ", ".join(words) in _section("Pieces")
    told = "black market, camels 1, 2, 3, customs, sandstorm, robber, bazaar, baksheesh"
    assert f"ivory, spice, porcelain, silk, tea market, {told}" in RULES.replace("\n", " ")
    assert TILES[5:] == (
        "black_market",
        *(f"camels_{n}" for n in (1, 2, 3)),
        *told.split(", ")[-5:],
    )


@pytest.mark.soak
@pytest.mark.parametrize(
    "seats", [3, *in_long([2, 4, 5])]
)  # all rows are made by the same games, and change together
def test_sanity_numbers_are_those_measured(seats):
    assert runpy.run_path(str(HERE / "sanity.py"))["row"](seats) in RULES.splitlines()
