"""A page of a game of ten seats that brings no drawing of its own."""

from pathlib import Path

import pytest
from arena import RANDOM, arena, bots
from browser import PHONE, WIDE, Page
from own_games import changed

TEN = ("seats = (2, 3, 4, 5)", "seats = tuple(range(2, 11))")
SHORT = ('rules = {"cards": 13', 'rules = {"cards": 4')
TOLD = (
    "return state, [state.turned_up()]",
    'return state, [state.turned_up(), Event({"type": "note", "of": 7}, to=(7,))]',
)
COLOURS = """
return [...document.querySelectorAll('.label[class*=line-]')]
  .map((one) => getComputedStyle(one).fill);
"""
INSIDE = """
const label = document.querySelector('.label[class*=line-]');
const chart = label.ownerSVGElement.getBoundingClientRect();
return [...document.querySelectorAll('.label[class*=line-]')]
  .every((one) => one.getBoundingClientRect().bottom <= chart.bottom);
"""


@pytest.mark.slow
def test_ten_seats_are_told_apart(page: Page, tmp_path: Path) -> None:
    changed(tmp_path / "game.py", TEN, SHORT, TOLD)
    ten = [*bots(RANDOM), "--copies", "10", "--seats", "10", "--seeds", "1"]
    arena(
        "run",
        "--game",
        "game.py",
        *ten,
        "--isolation",
        "trusted",
        "--turn",
        "20s",
        "--start",
        "60s",
        "--out",
        "out",
        cwd=tmp_path,
    )
    arena("report", "out", "--game", "game.py", "--out", "page.html", cwd=tmp_path)
    for size, dark in ((WIDE, False), (PHONE, True)):
        page.size(size, dark)
        page.open(tmp_path / "page.html", "#match=1/0&step=1")
        page.until("return document.querySelector('.generic')")
        assert page.texts(".generic h3") == [
            "Everybody knows",
            *(f"{seat} random knows" for seat in range(10)),
        ]
        assert page.texts(".choices summary b:first-child") == [
            f"{seat} random" for seat in range(10)
        ]
        assert any("(seen by" in text and "random#7" in text for text in page.texts(".events p"))
        assert not page.texts(".generic pre"), "it has no drawing in text of its own"
        assert len(set(page.js(COLOURS))) == len(page.texts(".label[class*=line-]")) == 10
        assert page.js(INSIDE)
        assert page.js("return document.documentElement.scrollWidth <= innerWidth")
        assert page.wrong() == []
