"""Replays in pages beside a page, and notes of bots, in a real browser."""

from collections.abc import Callable
from pathlib import Path

import pytest
from arena import arena, bots
from browser import Page
from pages import page_of, whispering
from stores import GREEDY, RANDOM, SHORT, TRUSTED

from khiva_arena.competition.pages.write import write_page
from khiva_arena.display.page import folder

Made = Callable[[str], tuple[Path, Path]]

pytestmark = pytest.mark.slow


def test_replays_beside_a_page_are_reached_by_links_and_lead_back(
    page: Page, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "PAGE_MOST", 1)
    file = tmp_path / "a #1 page.html"
    store = made("khiva-round-robin")[0]
    write_page(file, page_of(store, matches=["1/0"], folder=folder.ReplayFolder(file)))
    page.open(file, "#matches=all")
    links = page.js(
        "return [...document.querySelectorAll('.list td:last-child a')].map((one) => "
        "one.getAttribute('href'))"
    )
    assert links[:2] == ["#match=1/0", "a%20%231%20page-replays/1-seed-0.html#match=1/1&step=0"]
    page.click(".list td:last-child a", 1)
    page.until(
        "return document.querySelector('.where')?.textContent.startsWith('step 0 of') && "
        "document.querySelector('.board svg')"
    )
    assert page.js("return location.pathname").endswith("/a%20%231%20page-replays/1-seed-0.html")
    page.click(".match-head .seats a")
    page.until("return document.querySelector('section.bot')")
    assert page.js("return location.pathname").endswith("/a%20%231%20page.html")
    page.driver.back()
    page.until("return document.querySelector('.viewer .where')")
    page.click("h1 a")
    page.until("return document.querySelector('table.standings')")
    page.go("#match=1/2&step=4")
    page.until("return document.querySelector('.viewer a')")
    page.click(".viewer a")
    page.until("return document.querySelector('.where')?.textContent.startsWith('step 4 of')")
    page.go("#match=1/0")  # that one is not here, but in the page beside
    page.until(
        "return location.pathname.endsWith('page.html') && document.querySelector('.viewer .where')"
    )
    assert page.wrong() == []


def test_notes_stand_below_their_match_as_text(page: Page, tmp_path: Path) -> None:
    two = [str(whispering(tmp_path, name)) for name in ("ann", "bob")]
    words = ["--seats", "2", "--seeds", "1", "--isolation", "trusted", "--out", "out"]
    arena("run", *bots(*two), *words, cwd=tmp_path)
    for notes, said in ((["--notes"], ["  WHISPER of ann\n", "  WHISPER of bob\n"]), ([], [])):
        arena("report", "out", "--out", "page.html", *notes, cwd=tmp_path)
        page.open(tmp_path / "page.html", "#match=1/0&step=2")
        page.until("return document.querySelector('.where')?.textContent.startsWith('step 2 of')")
        assert sorted(page.texts(".stderr details pre")) == said
        if notes:
            assert page.texts(".said") == ["Nothing at step 2."]
            page.keys("Home")
            by_seat = zip(page.texts(".said h4"), page.texts(".said pre"), strict=True)
            assert sorted((heading.split()[1], text) for heading, text in by_seat) == [
                ("ann,", "  WHISPER of ann"),
                ("bob,", "  WHISPER of bob"),
            ]
        assert page.wrong() == []


def test_the_list_of_matches_holds_few_rows_and_shows_those_that_are_scrolled_to(
    page: Page, tmp_path: Path
) -> None:
    words = ["--seats", "2", "--seeds", "80", *SHORT, *TRUSTED, "-j", "2", "--out", "out"]
    arena("run", *bots(RANDOM, GREEDY), *words, cwd=tmp_path)
    arena("report", "out", "--out", "page.html", "--replays", "none", cwd=tmp_path)
    page.open(tmp_path / "page.html", "#matches=all")
    for at in (0, 40, 41, 60, 100, 158, 20, 0):
        page.js("document.querySelector('.scrolls.tall').scrollTop = 33 * arguments[0]", at)
        page.js(
            "return new Promise((drawn) => requestAnimationFrame(() => "
            "requestAnimationFrame(() => drawn(1))))"
        )
        shown = page.until(
            "const box = document.querySelector('.scrolls.tall').getBoundingClientRect();"
            "const rows = [...document.querySelectorAll('.list tbody th')].filter((one) => {"
            "  const at = one.getBoundingClientRect(); return at.top < box.bottom && "
            "at.bottom > box.top + 40; });"
            "return rows.length > 8 && rows.map((one) => one.textContent)"
        )
        first = int(shown[0].split("/")[1])
        assert shown == [f"1/{first + number}" for number in range(len(shown))]
        assert first <= at
        assert first >= at - 2 or first + len(shown) == 160
        assert page.js("return document.querySelectorAll('.list tbody th').length") < 70
    assert page.wrong() == []
