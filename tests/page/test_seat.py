"""A person's seat in a real browser: whole matches by clicks and by keys, and what happens around them."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from arena import C, bots, started
from axe import load, violations
from browser import PHONE, WIDE, Page
from seat_client import addresses
from selenium.webdriver.common.action_chains import ActionChains

from khiva_arena.replay.record import Record
from khiva_arena.replay.seeds import run_secret, seed_secret
from khiva_arena.replay.verify import verify

pytestmark = pytest.mark.slow
OPPONENTS = {"khiva": C, "emira": "shipped:python/random", "silk_road": "shipped:python/random"}
LAST_CHOICE = """
[...document.querySelectorAll('.options button')].filter((one) => !one.textContent.includes('back')).at(-1)?.click();
"""
STATE = """
const options = [...document.querySelectorAll('.options button')];
return [document.querySelector('.controls') !== null, options.length, document.querySelector('.status')?.textContent ?? ''];
"""


@contextmanager
def seated(page: Page, cwd: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """The page of the one person at a table, with the first question on it."""
    process = started("play", "--no-open", "--seed", "demo", "--isolation", "trusted", "--json", *words, cwd=cwd)
    try:
        page.driver.get(addresses(process)[0])
        page.until("return document.querySelector('.options button')")
        yield process
    finally:
        page.driver.get("about:blank")
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def table(game: str) -> list[str]:
    return [*bots("person", OPPONENTS[game], OPPONENTS[game]), "--game", game]


def record_of(process: "subprocess.Popen[str]") -> Record:
    """The record that the command prints, verified."""
    assert process.stdout
    record = Record.from_json(process.stdout.readline().rstrip("\n"))
    verify(record, seed_secret(run_secret("demo"), 0))
    return record


@pytest.mark.parametrize("game", OPPONENTS)
def test_a_whole_match_by_clicks(page: Page, tmp_path: Path, game: str) -> None:
    with seated(page, tmp_path, *table(game)) as process:
        clicks = 0
        while not (state := page.js(STATE))[0]:
            # The last choice each time; of a long list in parts the last but one, since the last goes back.
            if state[1]:
                page.js(LAST_CHOICE)
                clicks += 1
        record = record_of(process)
        assert clicks >= sum(choice.seat == 0 for step in record.steps for choice in step) > 10
        assert record.verdicts[0] == "ok"
        assert f"with {record.scores[0]} points" in state[2]
        page.until("return document.querySelector('.where')?.textContent.startsWith('step 0 of')")
        page.keys("End")
        assert (
            page.js("return document.querySelector('.where').textContent") == f"step {len(record.steps)} of {len(record.steps)}"
        )
        assert page.wrong() == []


def test_keys_alone_play_a_match(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva")) as process:
        while not (state := page.js(STATE))[0]:
            if state[1]:
                ActionChains(page.driver, duration=0).send_keys(str(min(2, state[1]))).perform()
        assert record_of(process).verdicts[0] == "ok"
        assert page.wrong() == []


def test_a_page_that_is_loaded_again_in_the_middle_goes_on(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva")):
        for _ in range(3):
            page.js("document.querySelector('.options button').click()")
            page.until("return document.querySelector('.options button')")
        before = page.until("return document.querySelector('.options button') && document.querySelector('.story').textContent")
        options = page.texts(".options button")
        page.driver.refresh()
        page.until("return document.querySelector('.options button')")
        assert page.texts(".options button") == options
        assert page.js("return document.querySelector('.story').textContent") == before
        assert page.wrong() == []


def test_a_page_says_when_the_command_has_ended(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva")) as process:
        process.kill()
        page.until("return document.querySelector('.said').textContent.includes('no longer runs')")
        assert page.texts(".options button") == []


def test_a_hint_is_marked_among_the_choices(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva")):
        page.keys("?")
        page.until("return document.querySelector('.options .hinted')")
        assert page.texts(".hint")[0].startswith("search would choose: ")
        played, passed = page.texts(".hint b")[0].split(", ")
        assert played in page.texts(".options .hinted")[0]
        page.js("document.querySelector('.options .hinted').click()")
        page.until("return document.querySelector('.options')?.textContent.includes('back')")
        assert passed in page.texts(".options .hinted")[0]


def test_time_that_is_left_is_shown_if_there_is_a_clock(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva"), "--turn", "1m", "--bank", "0s"):
        assert page.until("return document.querySelector('.clock').textContent").endswith(" s left")
    with seated(page, tmp_path, *table("khiva")):
        assert page.texts(".clock") == [""]


@pytest.mark.parametrize("game", OPPONENTS)
def test_the_seat_fits_its_window_and_axe_finds_nothing(page: Page, tmp_path: Path, game: str) -> None:
    with seated(page, tmp_path, *table(game)):
        for size, dark in ((WIDE, False), (PHONE, True)):
            page.size(size, dark)
            page.until("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
            assert page.js("return document.documentElement.scrollWidth") <= size[0]
        load(page)
        assert violations(page, game) == {}


def test_nothing_of_others_is_in_the_page(page: Page, tmp_path: Path) -> None:
    """Its source is the same for every seat and deal; what it shows it hears on its socket (tests/web/test_play.py)."""
    with seated(page, tmp_path, *table("khiva")):
        source = page.js("return fetch(location.href).then((answer) => answer.text())")
    with seated(page, tmp_path, *bots(C, "person"), "--seed", "other"):
        assert page.js("return fetch(location.href).then((answer) => answer.text())") == source
    assert json.dumps("demo") not in source
