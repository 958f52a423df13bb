"""Faults of bots: from a badge of the standings to the moment it happened."""

from pathlib import Path

import pytest
from arena import arena, bots
from browser import Page
from pages import whispering
from stores import RANDOM
from wording import sentence

import khiva_arena


@pytest.mark.slow
def test_a_badge_leads_to_the_matches_and_from_there_to_the_step(
    page: Page, tmp_path: Path
) -> None:
    late = whispering(tmp_path, "late", "silent", "3")
    words = (
        "--seats",
        "2",
        "--trust-bots",
        "--seeds",
        "2",
        "--turn",
        "400ms",
        "--bank",
        "100ms",
        "--out",
        "out",
    )
    arena("run", *bots(str(late), RANDOM), *words, "--report", "page.html", cwd=tmp_path)
    matches = list(khiva_arena.matches(tmp_path / "out"))
    (row,) = (row for row in khiva_arena.standings(tmp_path / "out")[0] if row.name == "late")
    assert row.faults["timeout"] == len(matches)
    page.open(tmp_path / "page.html")
    assert page.texts(".standings .badge") == [f"{len(matches)} timeout"]
    marks = page.js(
        "return [...document.querySelectorAll('a:has(> circle.fault)')].map((one) => "
        "one.getAttribute('href'))"
    )
    assert [mark.split("&")[0] for mark in marks] == [
        f"#match={one.event}/{one.ordinal}" for one in matches
    ]
    page.js("document.querySelector('.standings .badge').click()")
    page.until("return document.querySelector('.list')")
    assert page.texts(".list tbody th") == [f"{one.event}/{one.ordinal}" for one in matches]
    assert page.js("return document.querySelector('select[name=fault]').value") == "timeout"
    page.js("document.querySelector('.list th a').click()")
    page.until("return document.querySelector('.where')")
    (badge,) = page.texts(".match-head .badge")
    page.js("document.querySelector('.match-head .badge').click()")
    page.until(
        "return arguments[0].endsWith(document.querySelector('.where')?.textContent.split(' of "
        "')[0])",
        badge,
    )
    assert page.texts(".now .fault-line") == [
        sentence("replay", "default-played", names="late", why="timeout")
    ]
    page.keys("Home", "f")
    assert badge.endswith(page.texts(".where")[0].split(" of ")[0])
    assert page.wrong() == []
