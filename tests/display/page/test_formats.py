"""Formats on the page, as what they are: brackets, rounds, candidates, stages."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import PHONE, WIDE, Page
from pages import page_of
from synthesised import planned, play_event

import khiva_arena
from khiva_arena.competition.pages.write import write_page
from khiva_arena.interface.api.notebook_tables import standings

Made = Callable[[str], tuple[Path, Path]]
pytestmark = pytest.mark.slow
TABLES_OF_BRACKET = """
return [...document.querySelectorAll('.bracket > li')]
  .map((round) => [...round.querySelectorAll('.pairing')].map((table) =>
  [...table.querySelectorAll('.sitter')].map((one) =>
    [one.querySelector('a').textContent, one.classList.contains('through')])))
"""

CELLS = (
    "return [...document.querySelectorAll(arguments[0])].map((row) => "
    "[...row.cells].map((cell) => cell.innerText))"
)


def opened(page: Page, made: Made, form: str) -> Path:
    store, file = made(f"khiva-{form}")
    page.open(file)
    return store


def placed(store: Path, event: int) -> list[dict[str, Any]]:
    """The places that the terminal shows."""
    events = [
        one for table in standings(store).to_dict()["standings"] for one in table.get("places", [])
    ]
    rows: list[dict[str, Any]] = next(one["rows"] for one in events if one["number"] == event)
    return rows


def met(store: Path) -> list[set[str]]:
    """Who sat together, each table once, in the order of the matches."""
    found: list[set[str]] = []
    for one in khiva_arena.matches(store):
        if set(one.bots) not in found:
            found.append(set(one.bots))
    return found


def test_a_knockout_is_a_bracket(page: Page, made: Made) -> None:
    store = opened(page, made, "knockout")
    *rounds, winner = page.js(TABLES_OF_BRACKET)
    tables = [table for of_round in rounds for table in of_round if len(table) > 1]
    assert [{name for name, _ in table} for table in tables] == met(store)
    for now, after in pairwise(rounds):
        byes = {table[0][0] for table in now if len(table) == 1}
        assert {name for table in now for name, through in table if through} | byes == {
            n for table in after for n, _ in table
        }
    won = [row["name"] for row in placed(store, 1) if row["place"] == 1]
    assert winner == [[[name, True]] for name in won]
    assert page.wrong() == []


def test_a_table_of_a_bracket_leads_to_its_matches_by_key_and_the_link_survives(
    page: Page, made: Made
) -> None:
    store = opened(page, made, "knockout")
    names = set(
        page.js(
            "return [...document.querySelectorAll('.pairing')[0].querySelectorAll('.sitter "
            "a')].map((a) => a.text)"
        )
    )
    page.js("const link = document.querySelector('.to-matches'); link.focus(); link.click()")
    page.until("return document.querySelector('.list')")
    many = sum(set(one.bots) == names for one in khiva_arena.matches(store))
    assert len(page.texts(".list tbody th")) == many
    view = page.js("return location.hash")
    page.open(made("khiva-knockout")[1], view)
    assert len(page.texts(".list tbody th")) == many
    assert page.wrong() == []


def test_the_way_of_a_bot_through_a_bracket_is_lit_at_focus(page: Page, made: Made) -> None:
    opened(page, made, "knockout")
    page.js("document.querySelector('.winner a').focus()")
    lit = page.js(
        "return [...document.querySelectorAll('.sitter.lit a')].map((one) => one.textContent)"
    )
    assert len(set(lit)) == 1
    assert len(lit) > 1
    page.js("document.activeElement.blur()")
    assert not page.texts(".lit")


def test_a_swiss_shows_its_rounds(page: Page, made: Made) -> None:
    store = opened(page, made, "swiss")
    rows = placed(store, 1)
    shown = page.js(CELLS, ".swiss tbody tr")
    assert [row[:2] for row in shown] == [[str(row["place"]), row["name"]] for row in rows]
    assert [sum(cell == "bye" for cell in row) for row in shown] == [row["byes"] for row in rows]
    assert [row[-4] for row in shown] == [f"{row['points']:.2f}" for row in rows]
    tables = met(store)
    for row in shown:
        sat = [{row[1], *cell.split("\n")[1].split(", ")} for cell in row[2:-5] if cell != "bye"]
        assert all(table in tables for table in sat)
    assert page.wrong() == []


@pytest.mark.parametrize("form", ["gauntlet", "sprt"])
def test_a_candidate_stands_on_top_with_its_score_against_each(
    page: Page, made: Made, form: str
) -> None:
    store = opened(page, made, form)
    assert page.texts(".candidate .lead a") == ["lots-1"]
    (table,) = standings(store, sections="crosstable")
    at = next(i for i, row in enumerate(table) if row.name == "lots-1")
    cells = table.to_dict()["sections"]["crosstable"][at]
    expected = [
        [row.name, f"{cell['score']:.1f} %"] for row, cell in zip(table, cells, strict=True) if cell
    ]
    page.js("document.querySelector('.candidate details').open = true")
    assert [row[:2] for row in page.js(CELLS, ".candidate tbody tr")] == expected
    assert page.wrong() == []


def test_stages_say_which_event_fed_which(page: Page, made: Made) -> None:
    store = opened(page, made, "stages")
    first, second = page.texts(".stages li p:last-child")
    bots = list(dict.fromkeys(name for one in khiva_arena.matches(store, 2) for name in one.bots))
    assert second.startswith("the best 3 of event 1: ")
    assert set(second.split(": ")[1].split(", ")) == set(bots)
    assert len(first.split(", ")) == 5
    assert page.wrong() == []


@pytest.mark.parametrize("form", ["knockout", "swiss", "gauntlet", "stages"])
def test_no_format_is_wider_than_the_window(page: Page, made: Made, form: str) -> None:
    for size, dark in ((WIDE, True), (PHONE, False)):
        page.size(size, dark)
        opened(page, made, form)
        wide = page.js("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], (form, size)


def test_charts_of_very_many_bots_draw_the_first_of_them(page: Page, tmp_path: Path) -> None:
    event = planned(bots=70, seeds=1, lineups=70)
    play_event(tmp_path / "store", event)
    write_page(tmp_path / "page.html", page_of(tmp_path / "store", replays=0))
    page.open(tmp_path / "page.html")
    charts = (
        "return [...document.querySelectorAll('.chart')].map((one) => "
        "[one.querySelector('h3').textContent, one.innerText])"
    )
    said = dict(page.js(charts))
    for title in ("Points", "Time per decision"):
        assert "The first 60 of 70 are drawn; the numbers are of all." in said[title]
