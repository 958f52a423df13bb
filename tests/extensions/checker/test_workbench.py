"""Writing a bot in the page, in Chromium and Firefox, from disk: by keys, and to the
bytes of the command.
"""

import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from arena import ROOT
from author import (
    CLICK,
    CONTROL,
    ENTER,
    ESCAPE,
    SET,
    SHIFT,
    TAB,
    Browser,
    at_the_bench,
    at_the_doors,
    pixels,
    press,
    saved,
    status,
    tab_to,
    write,
)
from author import chromium as chromium
from author import other_browser as other_browser
from author import page as page
from browser import PHONE, WIDE, Page
from module_cup import module_cup as module_cup
from workbench_played import commanded

from khiva_arena.display.page.html import hash_of
from khiva_arena.extensions.checker.checker import costs
from khiva_arena.extensions.checker.workbench.blocks import workbench_blocks
from khiva_arena.games.registry import NAMES

pytestmark = [pytest.mark.soak, pytest.mark.language]
FIREFOX = pytest.mark.xdist_group("firefox")
BROWSERS = ["chromium", pytest.param("other_browser", marks=FIREFOX)]
MOST_BYTES = 21_000_000
FENCED = r"^<!-- file: my-bot/main.py -->\n```python\n(.*?)^```$"
(SECOND_BOT,) = re.findall(
    FENCED, (ROOT / "docs" / "first-bot.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)
FAILS = """from khiva_kit import play

def choose(decide, match):
    print("about to fail")
    return decide["chocie"]

play("my-bot", choose)
"""
OPENED = "return document.querySelector('#viewed .board')?.childElementCount"


def digest_of(opened: Browser) -> str:
    """The digest of a play, once it is over."""
    return status(opened, "Run digest").split()[-1].rstrip(".")


def unzipped(opened: Browser, folder: Path) -> Path:
    """Unzip what was saved, and return the folder in which its line is typed."""
    with zipfile.ZipFile(io.BytesIO(saved(opened))) as archive:
        archive.extractall(folder)
    (bot,) = folder.glob("**/my-bot")
    return bot.parent


def test_the_page_is_small_and_its_policy_names_two_scripts_and_a_style(page: Path) -> None:
    text = page.read_text()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    (editor,), (script,) = (
        re.findall(rf"<script{key}>(.*?)</script>", text, re.DOTALL) for key in (' id="editor"', "")
    )
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert policy == (
        f"default-src 'none'; script-src '{hash_of(script)}' '{hash_of(editor)}' "
        "'wasm-unsafe-eval' blob:; worker-src blob:; "
        f"style-src '{hash_of(style)}'; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    assert sum(costs(text).values()) == page.stat().st_size < MOST_BYTES


@pytest.mark.parametrize("of", BROWSERS)
def test_a_bot_is_written_played_seen_and_saved_by_keys(
    page: Path, request: pytest.FixtureRequest, of: str, tmp_path: Path
) -> None:
    opened: Browser = request.getfixturevalue(of)
    at_the_bench(opened, page)
    assert opened.js("return window.given") == []
    write(opened, SECOND_BOT)
    press(opened, ESCAPE, TAB)
    assert opened.js("return document.activeElement.name") == "game"
    press(opened, TAB, TAB, "g")
    tab_to(opened, "Play")
    press(opened, ENTER)
    digest = digest_of(opened)
    tab_to(opened, "lost")
    press(opened, ENTER)
    opened.until(OPENED)
    worst = opened.js("return document.activeElement.title")
    assert opened.texts("#viewed .where")[0].startswith(worst.removeprefix("opens at "))
    assert opened.texts("#viewed .seats a") == [], "there is no page of a bot to lead to"
    tab_to(opened, "Save  ", SHIFT + TAB)  # and no longer words
    press(opened, ENTER)
    folder = unzipped(opened, tmp_path)
    assert (folder / "my-bot" / "main.py").read_text() == SECOND_BOT
    (line,) = opened.texts("[data-what=command]")
    assert "--bot greedy" in line
    assert commanded(folder, line).digest == digest
    assert opened.wrong() == []


PYTHON, JAVASCRIPT = "Write a bot in Python", "Write a bot in JavaScript"
CASES = [
    ("chromium", JAVASCRIPT, "", ("emira",)),
    ("chromium", PYTHON, "#rerun", ("khiva",)),
    pytest.param("other_browser", PYTHON, "", ("khiva",), marks=FIREFOX),
    ("chromium", PYTHON, "", NAMES),
    pytest.param("other_browser", JAVASCRIPT, "", ("silk_road",), marks=FIREFOX),
]
"""Each pair of language and browser; ``make page-soak`` plays all games by each."""


@pytest.mark.parametrize(("of", "door", "view", "games"), CASES)
def test_four_matches_of_a_game_are_those_of_the_command(
    page: Path,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    of: str,
    door: str,
    view: str,
    games: Sequence[str],
) -> None:
    opened: Browser = request.getfixturevalue(of)
    at_the_bench(opened, page, view, door)
    for game in games:
        opened.js("window.saved = null")
        for name, value in {
            "game": game,
            "matches": "4",
            "seed": "demo",
            "opponent": "greedy",
        }.items():
            opened.js(SET, name, value)
        opened.js("document.querySelector('.go').click()")
        status(opened, f"matches of {game}")
        digest = digest_of(opened)
        opened.js(CLICK, "Save")
        (line,) = opened.texts("[data-what=command]")
        assert commanded(unzipped(opened, tmp_path / game), line).digest == digest
    assert opened.wrong() == []


@pytest.mark.parametrize("of", BROWSERS)
def test_the_line_of_a_mistake_is_marked_and_prints_are_shown(
    page: Path, request: pytest.FixtureRequest, of: str
) -> None:
    opened: Browser = request.getfixturevalue(of)
    at_the_bench(opened, page)
    write(opened, FAILS)
    before = pixels(opened, "--bad")
    press(opened, CONTROL + ENTER)
    status(opened, "Run digest")
    assert "about to fail" in opened.texts("[data-what=notes]")[0]
    opened.js("scrollTo(0, 0)")
    marked = opened.js(
        "return document.querySelector('.editor').shadowRoot.querySelector('.error').textContent"
    )
    assert marked == FAILS.splitlines()[4]
    assert pixels(opened, "--bad") > before + 50, "the mark is seen"
    opened.js("document.querySelector('.editor').scrollIntoView()")
    write(opened, FAILS.replace('["chocie"]', "["))
    press(opened, CONTROL + ENTER)
    opened.js(CLICK, "khiva_kit.py")
    assert "SyntaxError" in status(opened, "Refused: ")
    shown = opened.js("return document.querySelector('.files [aria-pressed=true]').textContent")
    assert shown == "khiva_kit.py", "the next key goes where its author sees it"
    assert opened.wrong() == []


def test_a_play_is_stopped_and_the_next_one_is_played(page: Path, chromium: Page) -> None:
    at_the_bench(chromium, page)
    write(chromium, "while True: pass\n")
    press(chromium, CONTROL + ENTER)
    chromium.js(CLICK, "Stop")
    status(chromium, "Stopped")
    write(chromium, SECOND_BOT)
    press(chromium, CONTROL + ENTER)
    status(chromium, "Run digest")
    assert chromium.wrong() == []
    for size, dark in ((WIDE, False), (PHONE, True)):
        chromium.size(size, dark)
        assert chromium.js("return document.documentElement.scrollWidth <= innerWidth")


def test_of_a_folder_only_the_files_of_its_bot_toml_are_opened(
    tmp_path: Path, page: Path, chromium: Page
) -> None:
    lines = "from khiva_kit import play\r\nplay('my-bot', lambda decide, match: 0)\r\n"
    folder = tmp_path / "mine"
    (folder / "more").mkdir(parents=True)
    (folder / "bot.toml").write_text(
        "name = 'mine'\ninterpreter = 'python main.py'\nfiles = ['*.py', 'more/*.txt']\n"
    )
    (folder / "main.py").write_bytes(lines.encode())
    (folder / "more" / "data.txt").write_text("one")
    for number in range(600):
        (folder / "more" / f"{number}.bin").write_bytes(b"\xff")
    at_the_bench(chromium, page)
    chromium.driver.find_element("css selector", "[webkitdirectory]").send_keys(str(folder))
    status(chromium, "is open")
    assert sorted(chromium.texts(".files button")) == ["bot.toml", "main.py", "more/data.txt"]
    tab_to(chromium, "Save  ")
    press(chromium, ENTER)
    data = saved(chromium)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.read("khiva-workbench/my-bot/main.py").decode() == lines
    (tmp_path / "again.zip").write_bytes(data)
    at_the_bench(chromium, page)
    chromium.driver.find_element("css selector", "[accept='.zip']").send_keys(
        str(tmp_path / "again.zip")
    )
    status(chromium, "is open")
    assert sorted(chromium.texts(".files button")) == ["bot.toml", "main.py", "more/data.txt"]
    assert chromium.wrong() == []


def test_a_check_of_a_bundle_is_given_no_block_of_the_workbench(
    page: Path, module_cup: Path, chromium: Page
) -> None:
    at_the_doors(chromium, page)
    chromium.choose(module_cup / "cup.khiva")
    chromium.until("return document.querySelector('[data-what=verdict]')")
    of_the_bench = {
        *workbench_blocks(),
        "python.wasm.gz",
        "javascript.wasm.gz",
        "editor",
        "licences.txt",
        "games",
    }
    assert of_the_bench.isdisjoint(chromium.js("return window.given"))
