"""A game that brings no drawing of its own gets the plain one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from arena import RANDOM, arena, bots
from browser import PHONE, WIDE, Page
from own_games import changed
from pages import page_of

import khiva_arena
from khiva_arena.games.registry import get
from khiva_arena.page import html
from khiva_arena.page.write import write_page

Made = Callable[[str], tuple[Path, Path]]
TEN = ("seats = (2, 3, 4, 5)", "seats = tuple(range(2, 11))")
SHORT = ('rules = {"cards": 13', 'rules = {"cards": 4')
TOLD = ("return state, [state.turned_up()]", 'return state, [state.turned_up(), Event({"type": "note", "of": 7}, to=(7,))]')
COLOURS = """
return [...document.querySelectorAll('.label[class*=line-]')].map((one) => getComputedStyle(one).fill);
"""
INSIDE = """
const chart = document.querySelector('.label[class*=line-]').ownerSVGElement.getBoundingClientRect();
return [...document.querySelectorAll('.label[class*=line-]')].every((one) => one.getBoundingClientRect().bottom <= chart.bottom);
"""


@pytest.mark.slow
def test_a_game_without_a_drawing_gets_the_plain_one(
    page: Page, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Khiva without its file: the sketch and what is known, step by step, and no more than its eyes may see."""
    store, _ = made("khiva-round-robin")
    with_drawing = html._drawing
    monkeypatch.setattr(html, "_drawing", lambda game: tmp_path / "none.js" if game == "khiva" else with_drawing(game))
    write_page(tmp_path / "page.html", page_of(store, replays=200_000))
    page.open(tmp_path / "page.html", "#match=1/0")
    page.until("return document.querySelector('.generic')")
    assert not page.texts(".table.khiva")
    match = next(iter(khiva_arena.matches(store)))
    for step in match.replay()[:6]:
        assert page.texts(".generic pre") == [get("khiva").sketch(step.state, match.bots)]
        known = dict(zip(page.texts(".generic dt"), page.texts(".generic dd"), strict=True))
        assert known["gems"].replace(" ", "") == str(step.state.view(0)["gems"]).replace(" ", "")
        page.keys("ArrowRight")
    assert len(page.texts(".generic h3")) == 1 + len(match.bots)
    page.keys("1")
    page.until("return document.querySelectorAll('.generic h3').length === 2")
    assert not page.texts(".generic pre"), "the sketch shows all hands"
    page.keys("p")
    page.until("return document.querySelectorAll('.generic h3').length === 1")
    assert page.wrong() == []


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
        assert page.texts(".generic h3") == ["Everybody knows", *(f"{seat} random knows" for seat in range(10))]
        assert page.texts(".choices summary b:first-child") == [f"{seat} random" for seat in range(10)]
        assert any("(seen by" in text and "random#7" in text for text in page.texts(".events p"))
        assert not page.texts(".generic pre"), "it has no drawing in text of its own"
        assert len(set(page.js(COLOURS))) == len(page.texts(".label[class*=line-]")) == 10
        assert page.js(INSIDE)
        assert page.js("return document.documentElement.scrollWidth <= innerWidth")
        assert page.wrong() == []
