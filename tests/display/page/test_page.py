"""Pages of results in a real browser: what a reader sees, clicks and types."""

import os
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from arena import descendants, left_over
from browser import PHONE, WIDE, Page
from drawn_views import Made, opened
from in_targets import long_but
from pages import page_of
from published import FORMATS, GAMES
from waiting import until

import khiva_arena
from khiva_arena.common import manual
from khiva_arena.common.address import ADDRESS
from khiva_arena.competition.pages.write import write_page
from khiva_arena.display.page import html
from khiva_arena.interface.api.notebook_tables import standings

CASES = [f"{game}-{form}" for game in GAMES for form in FORMATS]


EACH_ONCE = [case for case in CASES if case.startswith("khiva-") or case.endswith("-round-robin")]
"""Each format and each game: tables of standings do not depend on the game."""


@pytest.mark.slow
@pytest.mark.parametrize("case", long_but(CASES, EACH_ONCE))
def test_a_page_of_every_format_shows_what_the_terminal_shows(
    page: Page, made: Made, case: str
) -> None:
    store = opened(page, made, case)
    tables = standings(store)
    shown = page.js(
        "return [...document.querySelectorAll('table.standings')].map((table) => "
        "[...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)))"
    )
    for table, rows in zip(tables, shown, strict=True):
        assert [row[1] for row in rows] == [row.name for row in table]
    assert page.wrong() == []


UNSTYLED = """
const rules = [];
const collect = (list) => { for (const rule of list) {
  if (rule.selectorText) rules.push(...rule.selectorText.split(/,(?![^(]*\\))/)
    .filter((one) => /\\.[a-z]/.test(one)));
  if (rule.cssRules) collect(rule.cssRules);
} };
for (const sheet of document.styleSheets) collect(sheet.cssRules);
const named = rules.map((one) => one.replace(/::?(before|after|hover|focus[a-z-]*|active)/g,
  "").trim());
const is_styled = (one) => named.some((rule) => one.matches(rule));
const styled = "main ul, main ol, main dl, main svg > :not(title, clipPath, defs, text, g)";
return [...document.querySelectorAll(styled)]
  .filter((one) => !is_styled(one)).map((one) => one.outerHTML.slice(0, 120));
"""


@pytest.mark.slow
def test_each_list_and_each_mark_of_a_drawing_has_a_style(page: Page, made: Made) -> None:
    opened(page, made, "khiva-round-robin")
    assert page.js(UNSTYLED) == []
    for view in ("bot", "matches", "match"):
        page.js("document.querySelector('main > *').dataset.old = 'old'")
        page.go(page.js("return document.querySelector(`a[href^='#${arguments[0]}=']`).hash", view))
        page.until(
            "return !document.querySelector('[data-old]') && document.querySelector('main > *')"
        )
        assert page.js(UNSTYLED) == [], view


@pytest.mark.slow
def test_nothing_is_loaded_and_the_policy_stands_first(page: Page, made: Made) -> None:
    opened(page, made, "khiva-round-robin")
    assert page.js("return performance.getEntriesByType('resource').map((one) => one.name)") == []
    text = made("khiva-round-robin")[1].read_text()
    assert text.index("Content-Security-Policy") < text.index("<style>") < text.index("<script")
    assert "default-src 'none'" in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


@pytest.mark.slow
def test_a_page_leads_to_the_manual_once_the_project_has_an_address(
    page: Page, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = made(EACH_ONCE[0])
    for site, found in (
        ("", []),
        ("https://example.org/khiva", ["https://example.org/khiva/docs/publish.html"]),
    ):
        for module in (html, manual):
            monkeypatch.setattr(module, "ADDRESS", ADDRESS._replace(site=site))
        write_page(tmp_path / "page.html", page_of(store))
        page.open(tmp_path / "page.html")
        assert (
            page.js("return [...document.querySelectorAll('footer a')].map((link) => link.href)")
            == found
        )
        assert page.wrong() == []


@pytest.mark.slow
def test_a_head_sorts_and_sorts_the_other_way(page: Page, made: Made) -> None:
    opened(page, made, "khiva-round-robin")
    names = (
        "return [...document.querySelectorAll('.standings tbody th')].map((one) => one.textContent)"
    )
    before = page.js(names)
    click = "document.querySelectorAll('.standings .sort')[1].click()"
    page.js(click)
    assert page.js(names) == sorted(before)
    page.js(click)
    assert page.js(names) == sorted(before, reverse=True)
    assert (
        page.js("return document.querySelectorAll('.standings [aria-sort=descending]').length") == 1
    )


@pytest.mark.slow
def test_places_are_one_bar_whose_numbers_show_at_focus(page: Page, made: Made) -> None:
    store = opened(page, made, "khiva-round-robin")
    assert "1st" not in page.texts(".standings .sort")
    for table in standings(store):
        for row, words in zip(table, page.js(WORDS_OF_PLACES), strict=True):
            assert [int(part.split()[1]) for part in words.split("; ")[:-1]] == list(row.finishes)
    page.js("document.querySelector('.places .tipped').focus()")
    page.until("return document.querySelector('.tip:popover-open')")
    page.keys("Escape")
    assert not page.js("return document.querySelector('.tip:popover-open')")
    assert page.wrong() == []


WORDS_OF_PLACES = (
    "return [...document.querySelectorAll('.places .tipped')].map((one) => "
    "one.getAttribute('aria-label'))"
)


@pytest.mark.slow
def test_filters_find_the_matches_of_a_bot(page: Page, made: Made) -> None:
    store = opened(page, made, "khiva-round-robin", "#matches=all")
    every = list(khiva_arena.matches(store))
    page.until(
        "return document.querySelector('h2 .dim').textContent.startsWith(arguments[0])",
        f"{len(every)} match",
    )
    bot = every[0].record.header.seats[0]
    page.js(
        "const select = document.querySelector('select[name=bot]'); select.value = arguments[0];"
        "select.dispatchEvent(new Event('change', {bubbles: true}))",
        bot.bot,
    )
    mine = [one for one in every if bot.name in one.bots]
    page.until(
        "return document.querySelector('h2 .dim').textContent.startsWith(arguments[0])",
        f"{len(mine)} match",
    )
    shown = page.texts(".list tbody th")
    assert shown == [f"{one.event}/{one.ordinal}" for one in mine][: len(shown)]
    assert page.wrong() == []


@pytest.mark.slow
def test_a_bot_has_a_page_with_its_opponents_seats_and_matches_worth_a_look(
    page: Page, made: Made
) -> None:
    store, file = made("khiva-round-robin")
    (table,) = standings(store, sections="crosstable")
    row, cells = table.rows[0], table.to_dict()["sections"]["crosstable"][0]
    page.open(file, f"#bot={row.bot}")
    rows = page.js(
        "return [...document.querySelectorAll('.in-table .chart')].slice(0, 2)"
        ".map((part) => [...part.querySelectorAll('tbody tr')].map((row) => "
        "[...row.cells].map((cell) => cell.textContent)))"
    )
    scored = [
        (
            seat,
            one.scores[seat],
            one.ranks[seat],
            {n: p for n, p in zip(one.bots, one.scores, strict=True) if n != row.name},
        )
        for one in khiva_arena.matches(store)
        for seat, name in enumerate(one.bots)
        if name == row.name
    ]
    for (name, score, *_, ahead, many, _), (other, cell) in zip(
        rows[0],
        [(one.name, cell) for one, cell in zip(table, cells, strict=True) if cell],
        strict=True,
    ):
        by = [points - others[other] for _, points, _, others in scored if other in others]
        assert (name, score, many) == (other, f"{cell['score']:.1f} %", str(len(by)))
        assert float(ahead) == pytest.approx(sum(by) / len(by), abs=0.051)
    assert [int(cells[3]) for cells in rows[1]] == [
        sum(seat == one for one, *_ in scored) for seat in range(3)
    ]
    leads = [points - max(others.values()) for _, points, _, others in scored]
    assert f"{max(leads)} point" in page.texts("[data-which=best]")[0]
    assert f"{abs(min(leads))} point" in page.texts("[data-which=worst]")[0]
    assert f"{min(map(abs, leads))} point" in page.texts("[data-which=closest]")[0]
    worst = page.texts("[data-which=worst] a")[0]
    seat = next(
        one.bots.index(row.name)
        for one in khiva_arena.matches(store)
        if f"{one.event}/{one.ordinal}" == worst
    )
    asked = [f"khiva-arena replay STORE {worst} --seat {seat} --bot shipped:python/search"]
    asked += [f"khiva-arena match --from STORE {worst} --step N --seat {seat} --choice K"]
    assert page.texts("p.next code") == (asked if min(leads) < 0 else [])
    page.open(file, f"#bot={table.rows[-1].bot}")
    assert [words.split()[1] for words in page.texts("p.next code")] == ["replay", "match"]
    assert page.wrong() == []


@pytest.mark.slow
def test_a_cell_of_the_crosstable_leads_to_the_matches_of_two_bots_by_key(
    page: Page, made: Made
) -> None:
    store = opened(page, made, "khiva-round-robin")
    names = [row.name for row in standings(store)[0]]
    page.js("const cell = document.querySelector('.heat a'); cell.focus(); cell.click()")
    page.until("return document.querySelector('.list')")
    expected = [
        f"{one.event}/{one.ordinal}"
        for one in khiva_arena.matches(store)
        if {names[0], names[1]} <= set(one.bots)
    ]
    assert page.texts("h2 .dim")[0].startswith(f"{len(expected)} match")
    assert page.texts(".list tbody th") == expected[: len(page.texts(".list tbody th"))]
    page.open(made("khiva-round-robin")[1], page.js("return location.hash"))
    assert (
        page.js("return document.querySelector('select[name=against]').selectedOptions[0].text")
        == names[1]
    )
    assert page.wrong() == []


@pytest.mark.slow
def test_a_deep_link_survives_and_back_goes_back(page: Page, made: Made) -> None:
    opened(page, made, "khiva-round-robin", "#match=1/2&step=5&eyes=0")
    page.until("return document.querySelector('.where')?.textContent.startsWith('step 5 of')")
    assert page.js("return document.querySelector('.eyes input:checked').value") == "0"
    page.keys("End")
    assert "step=" in page.js("return location.hash")
    page.go("#matches=all")
    page.until("return document.querySelector('.list')")
    page.js("history.back()")
    page.until("return document.querySelector('.viewer .where')")
    assert page.js("return document.querySelector('.where').textContent").startswith("step ")
    assert page.wrong() == []


@pytest.mark.slow
@pytest.mark.parametrize("view", ["", "#matches=all", "#match=1/0&step=4"])
@pytest.mark.parametrize("game", GAMES)
def test_no_view_is_wider_than_the_window(page: Page, made: Made, game: str, view: str) -> None:
    for size, dark in ((WIDE, False), (PHONE, True)):
        page.size(size, dark)
        opened(page, made, f"{game}-round-robin", view)
        page.until("return !location.hash.includes('match=') || document.querySelector('.where')")
        assert page.js("return document.documentElement.scrollWidth") <= size[0], (game, view, size)
        assert page.wrong() == []


@pytest.mark.slow
def test_a_rejected_card_shows_the_gem_that_it_brought(page: Page, made: Made) -> None:
    store = opened(page, made, "khiva-round-robin", "#match=1/0")
    page.until("return document.querySelector('.where')")
    gems = 0
    for step in next(iter(khiva_arena.matches(store))).replay():
        for event in (event.data for event in step.events):
            gems = (
                0
                if event["type"] == "reveal"
                else gems + (event["type"] == "gems" and event["why"] == "rejected")
            )
        assert sum("+1 gem" in text for text in page.texts(".played.rejected")) == gems, step.number
        page.keys("ArrowRight")
    assert page.wrong() == []


@pytest.mark.slow
def test_a_dot_without_an_interval_says_so_and_a_bot_with_one_seed_is_on_the_chart(
    page: Page, made: Made
) -> None:
    store = opened(page, made, "khiva-knockout")
    (table,) = standings(store)
    unsure = [row.error is None and not row.bound for row in table]
    assert any(unsure)
    shown = page.texts(".standings td.whisker")
    assert [text == "+/- n/a" for text in shown] == unsure
    page.until("return document.querySelector('.series')")
    assert page.js(
        "return [...document.querySelectorAll('.series')].every((line) =>"
        " line.querySelector('circle') || "
        "line.querySelector('polyline').getAttribute('points').includes(' '))"
    )
    assert page.wrong() == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, PHONE])
@pytest.mark.parametrize("case", ["khiva-round-robin", "emira-gauntlet", "silk_road-swiss"])
def test_labels_of_an_axis_do_not_touch_and_no_band_fills_its_frame(
    page: Page, made: Made, case: str, size: tuple[int, int]
) -> None:
    """Few seeds have been played there, so that errors are wide."""
    page.size(size)
    opened(page, made, case)
    axes = page.js(
        "return [...document.querySelectorAll('.chart svg, .standings th svg')].map((drawing) => ({"
        "whole: drawing.getBoundingClientRect().toJSON(), words: "
        "[...drawing.querySelectorAll('text[text-anchor=middle]')]"
        ".map((one) => one.getBoundingClientRect().toJSON())}))"
    )
    assert sum(len(axis["words"]) for axis in axes) > 3
    for axis in axes:
        for row in {word["top"] for word in axis["words"]}:
            words = sorted(
                (word["left"], word["right"]) for word in axis["words"] if word["top"] == row
            )
            assert all(right < left for (_, right), (left, _) in pairwise(words)), axis
            assert words[0][0] >= axis["whole"]["left"] - 1
    ends = page.js(
        "return [...document.querySelectorAll('.band')].map((band) => {"
        " const { y, height } = band.ownerSVGElement.querySelector('clipPath rect'); const "
        "points = [...band.points];"
        " const right = Math.max(...points.map((one) => one.x));"
        " return [points.filter((one) => one.x === right).map((one) => one.y), "
        "y.baseVal.value, height.baseVal.value]; })"
    )
    for last, top, height in ends:
        assert all(top < y < top + height for y in last)
    assert page.wrong() == []


def test_a_browser_is_nothing_that_a_test_has_left_over(page: Page) -> None:
    """One browser serves many tests, and starts and ends processes whenever it
    likes.
    """
    page.size(WIDE)
    assert not [line for line in left_over(set()) if b"chrom" in line]
    before = descendants(os.getpid())
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        assert until(lambda: left_over(before) == [b"sleep\x0060\x00"])
        sleeper.kill()
