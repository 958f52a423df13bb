"""How long decisions took, as it is drawn."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from arena import arena, bots
from browser import PHONE, WIDE, Page
from pages import blocks, whispering
from stores import NAIVE, RANDOM

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("page")]

CHART = (
    "[...document.querySelectorAll('.chart')].find((one) => "
    "one.querySelector('h3').textContent.startsWith('Time per decision'))"
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("times")
    words = (
        "--seats",
        "2",
        "--trust-bots",
        "--seeds",
        "2",
        "--out",
        "out",
        "--report",
        "page.html",
    )
    arena("run", *bots(NAIVE, RANDOM), *words, cwd=folder)
    return folder / "page.html"


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_bars_of_each_bot_and_the_limit(page: Page, file: Path, size: tuple[int, int]) -> None:
    page.size(size)
    page.open(file)
    bars = [one["bars"] for one in blocks(file)["data"]["tables"][0]["times"]]
    assert page.js(f"return {CHART}.querySelectorAll('rect').length") == sum(
        often > 0 for one in bars for often in one
    )
    assert "turn: 1 s" in page.js(f"return {CHART}.querySelector('svg').textContent")
    limit, last = page.js(
        f"return [{CHART}.querySelector('.limit').getBBox().x, "
        f"Math.max(...[...{CHART}.querySelectorAll('rect')].map((one) => one.getBBox().x))]"
    )
    assert last < limit
    rows = page.js(
        f"return [...{CHART}.querySelectorAll('tbody tr')].map((row) => "
        "[...row.children].map((one) => one.textContent))"
    )
    assert sorted(row[0] for row in rows) == ["naive", "random"]
    assert sorted(row[1] for row in rows) == sorted(f"{sum(one):,}" for one in bars)
    labels = page.js(
        f"return [...{CHART}.querySelectorAll('text')].map((one) => one.getBoundingClientRect())"
        ".map(({left, right, top}) => [left, right, top])"
    )
    axis = sorted(
        (left, right) for left, right, top in labels if top == max(one[2] for one in labels)
    )
    assert all(right <= left for (_, right), (left, _) in pairwise(axis))
    assert page.wrong() == []


def test_the_time_stands_beside_the_choice(page: Page, file: Path) -> None:
    page.open(file, "#match=1/0&step=1")
    page.until("return document.querySelector('.choices')")
    block = blocks(file)["replay-0"]
    said = page.texts(".choices summary")
    assert len(said) == len(block["asked"][0][1])
    assert all(
        re.search(r", one of \d+, in (less than 1 ms|[\d.]+ (ms|s))$", text) for text in said
    ), said


def test_what_a_bank_has_left_stands_beside_a_choice_that_took_from_it(
    page: Page, tmp_path: Path
) -> None:
    sleepy, silent = whispering(tmp_path, "sleepy"), whispering(tmp_path, "silent", "silent", "3")
    program = sleepy / "program"
    program.write_text(
        program.read_text().replace(
            "def answer(message):\n", "def answer(message):\n    time.sleep(0.03)\n"
        )
    )
    words = (
        "--seats",
        "2",
        "--trust-bots",
        "--seeds",
        "1",
        "--turn",
        "20ms",
        "--bank",
        "5s",
        "--out",
        "out",
    )
    arena("run", *bots(str(sleepy), str(silent)), *words, "--report", "page.html", cwd=tmp_path)
    times = blocks(tmp_path / "page.html")["replay-0"]["times"][0]
    beyond = [
        (step, who)
        for step, of_step in enumerate(times)
        for who, time in enumerate(of_step)
        if isinstance(time, list)
    ]
    some = [(step, who) for step, who in beyond if times[step][who][1]][:2]
    spent = [(step, who) for step, who in beyond if not times[step][who][1]]
    assert len(some) == 2
    assert spent
    for step, who in (*some, spent[0]):
        page.open(tmp_path / "page.html", f"#match=1/0&step={step}")
        page.until("return document.querySelector('.choices')")
        left = times[step][who][1]
        said = re.search(r", (\S+)( s)? left in the bank$", page.texts(".choices summary")[who])
        assert said is not None
        assert (
            said[1] == "nothing"
            if not left
            else float(said[1]) == pytest.approx(left / 1000, abs=0.006)
        )
    assert page.wrong() == []


def test_a_bot_whose_times_are_not_shown_has_a_row_that_says_so(
    page: Page, file: Path, tmp_path: Path
) -> None:
    arena(
        "report",
        "out",
        "--for-authors",
        "authors",
        "--out",
        str(tmp_path / "page.html"),
        cwd=file.parent,
    )
    for own in sorted((file.parent / "authors").glob("*.html")):
        page.open(own)
        rows = page.js(
            f"return [...{CHART}.querySelectorAll('tbody tr')].map((row) => "
            "[...row.children].map((one) => one.textContent))"
        )
        known = {row[0]: "n/a" not in row for row in rows}
        assert known == {name: own.name.startswith(name) for name in ("naive", "random")}
        assert (
            page.js(
                f"return [...{CHART}.querySelectorAll('text')].filter((one) => "
                "one.textContent === 'n/a').length"
            )
            == 1
        )


def test_what_is_not_known_is_said(page: Page, made: Callable[[str], tuple[Path, Path]]) -> None:
    _, old = made("khiva-round-robin")
    page.open(old)
    assert "n/a: how long decisions took is not known here" in page.js(
        f"return {CHART}.textContent"
    )
    page.open(old, "#match=1/0&step=1")
    page.until("return document.querySelector('.choices')")
    assert not any(", in " in text for text in page.texts(".choices summary"))
