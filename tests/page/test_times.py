"""How long decisions took, as it is drawn."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from arena import NAIVE, RANDOM, arena, bots
from browser import PHONE, WIDE, Page
from pages import blocks

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("page")]

CHART = (
    "[...document.querySelectorAll('.chart')].find((one) => one.querySelector('h3').textContent.startsWith('Time per decision'))"
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("times")
    words = ("--seats", "2", "--trust-bots", "--seeds", "2", "--out", "out", "--report", "page.html")
    arena("run", *bots(NAIVE, RANDOM), *words, cwd=folder)
    return folder / "page.html"


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_bars_of_each_bot_and_the_limit(page: Page, file: Path, size: tuple[int, int]) -> None:
    page.size(size)
    page.open(file)
    bars = [one["bars"] for one in blocks(file)["data"]["tables"][0]["times"]]
    assert page.js(f"return {CHART}.querySelectorAll('rect').length") == sum(often > 0 for one in bars for often in one)
    assert "turn: 1 s" in page.js(f"return {CHART}.querySelector('svg').textContent")
    limit, last = page.js(
        f"return [{CHART}.querySelector('.limit').getBBox().x, "
        f"Math.max(...[...{CHART}.querySelectorAll('rect')].map((one) => one.getBBox().x))]"
    )
    assert last < limit
    rows = page.js(
        f"return [...{CHART}.querySelectorAll('tbody tr')].map((row) => [...row.children].map((one) => one.textContent))"
    )
    assert sorted(row[0] for row in rows) == ["naive", "random"]
    assert sorted(row[1] for row in rows) == sorted(f"{sum(one):,}" for one in bars)
    labels = page.js(
        f"return [...{CHART}.querySelectorAll('text')].map((one) => one.getBoundingClientRect())"
        ".map(({left, right, top}) => [left, right, top])"
    )
    axis = sorted((left, right) for left, right, top in labels if top == max(one[2] for one in labels))
    assert all(right <= left for (_, right), (left, _) in pairwise(axis))
    assert page.wrong() == []


def test_the_time_stands_beside_the_choice(page: Page, file: Path) -> None:
    page.open(file, "#match=1/0&step=1")
    page.until("return document.querySelector('.choices')")
    block = blocks(file)["replay-0"]
    said = page.texts(".choices summary")
    assert len(said) == len(block["asked"][0][1])
    assert all(" in " in text and text.split(" in ")[1].split()[1] in ("µs", "ms", "s") for text in said)


def test_what_is_not_known_is_said(page: Page, made: Callable[[str], tuple[Path, Path]]) -> None:
    _, old = made("khiva-round-robin")
    page.open(old)
    assert "n/a: how long decisions took is not known here" in page.js(f"return {CHART}.textContent")
    page.open(old, "#match=1/0&step=1")
    page.until("return document.querySelector('.choices')")
    assert not any(" in " in text for text in page.texts(".choices summary"))
