"""A game that brings no drawing of its own gets the plain one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from browser import Page
from pages import page_of

import khiva_arena
from khiva_arena.competition.pages.write import write_page
from khiva_arena.display.page import html
from khiva_arena.games.registry import get

Made = Callable[[str], tuple[Path, Path]]


@pytest.mark.slow
def test_a_game_without_a_drawing_gets_the_plain_one(
    page: Page, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Khiva without its file: the sketch and what is known, step by step, and no more
    than its eyes may see.
    """
    store, _ = made("khiva-round-robin")
    of_game = html._of_game
    monkeypatch.setattr(
        html,
        "_of_game",
        lambda game, file: tmp_path / "none" if game == "khiva" else of_game(game, file),
    )
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
