"""Matches in a page are those of the command: the same event, digests and refusals, and
so is what is saved.
"""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from installed_wheel import wheel as wheel
from javascript import BUILT
from native_page import NativePage, NativeSeat
from tools import need
from workbench_played import WISH, block, commanded, played, template, told

from khiva_arena.entrants.interpreters import FOLDER
from khiva_arena.extensions.checker.workbench.workbench import Workbench

pytestmark = [pytest.mark.language, pytest.mark.slow, pytest.mark.xdist_group("python")]
CHOOSE = (
    "from khiva_kit import play\n\n\ndef choose(decide, match):\n    {}\n\n\nplay('my-bot', "
    "choose)\n"
)
IN_JAVASCRIPT = (
    "const { play } = require('./khiva_kit');\nplay('my-bot', (decide) => {\n  %s\n});\n"
)
MISTAKES = {
    "prints": CHOOSE.format("print('<b>', decide['kind'])\n    return 0"),
    "KeyError": CHOOSE.format("return decide['chocie']"),
    "choice": CHOOSE.format("return 10_000"),
    "loop": CHOOSE.format("while True: pass"),
    "SyntaxError": CHOOSE.format("return ("),
    "import": "import numpy\n",
}
LOST_AT = {"KeyError": 5, "SyntaxError": 5, "import": 1}


@pytest.mark.parametrize("language", ["python", "javascript"])
@pytest.mark.parametrize(("game", "seats"), [("khiva", 2), ("emira", 3), ("silk_road", 2)])
def test_four_matches_are_those_of_the_command(
    tmp_path: Path, game: str, seats: int, language: str
) -> None:
    event, *matches, over = played(tmp_path, template(language), game=game, seats=seats, matches=4)
    assert event["matches"] == len(matches) == -(-4 // seats) * seats
    by_command = commanded(tmp_path, event["line"])
    assert (event["id"], over["digest"]) == by_command[:2]
    assert all(
        match["worst"] is not None for match in matches if match["match"][7][match["own"][0]] > 1
    )


def test_three_seats_without_jspi_are_those_of_the_command(tmp_path: Path) -> None:
    event, *_, over = played(tmp_path, template("javascript"), live=False, seats=3, matches=1)
    assert (event["id"], over["digest"]) == commanded(tmp_path, event["line"])[:2]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_has_the_same_digest_or_the_same_refusal(tmp_path: Path, name: str) -> None:
    event, *matches, end = played(tmp_path, template(main=MISTAKES[name]))
    by_command = commanded(tmp_path, event["line"], code=0 if matches else 2)
    assert (
        (event["id"], end["digest"]) == by_command[:2] if matches else end["why"] in by_command.said
    )
    place = (matches[0]["trace"] if matches else end) or {}
    assert place.get("line") == LOST_AT.get(name)
    assert place.get("file", "main.py") == "main.py"
    assert matches or end["kind"] == "refused"
    assert name != "prints" or "<b> " in matches[0]["notes"]


@pytest.mark.parametrize(
    ("code", "line"),
    [("return decide.legal.chocie.x;", 3), ("return (", 4), ("}, require('left'), () => {", 3)],
)
def test_a_trace_of_javascript_has_its_line(tmp_path: Path, code: str, line: int) -> None:
    event, end, *_ = played(tmp_path, template("javascript", main=IN_JAVASCRIPT % code))
    place = end.get("trace") or end
    assert (place["file"], place["line"]) == ("main.js", line)
    assert end["kind"] == "played" or end["why"] in commanded(tmp_path, event["line"], code=2).said
    assert "apt install" not in end.get("why", ""), (
        "nothing that is installed comes to a bot in ticks"
    )


def test_a_page_holds_the_files_of_the_last_play_only(tmp_path: Path) -> None:
    page = NativePage()
    bench = Workbench(page, lambda event, data=None: None, tmp_path, block("opponents"))
    held = len(page._files)
    for text in ("one", "another", "a third"):
        asyncio.run(
            bench.work(
                WISH | {"do": "play", "files": template(main=f"{template()['main.py']}# {text}\n")}
            )
        )
        assert len(page._files) == held + 2, "of the author and of the opponent"


class FullPage(NativePage):
    """A page whose browser makes one module and then has no memory."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[EndedSeat] = []

    def live(self, module: str, payload: str, pages: int, key: bytes) -> NativeSeat:
        if self.made:
            raise JavaScriptError("RangeError: Out of memory")
        self.made.append(EndedSeat(super().live(module, payload, pages, key)._seat))
        return self.made[0]


class JavaScriptError(Exception):
    """What Pyodide raises for an error of JavaScript."""


class EndedSeat(NativeSeat):
    ended = False

    def end(self) -> None:
        super().end()
        self.ended = True


def test_a_browser_without_memory_for_a_module_is_to_blame_and_the_others_are_ended(
    tmp_path: Path,
) -> None:
    page = FullPage()
    *_, (end, _) = told(tmp_path, WISH | {"do": "play", "files": template()}, page=page)
    assert end["why"] == "this browser cannot play it: RangeError: Out of memory"
    assert [seat.ended for seat in page.made] == [True]


@pytest.mark.parametrize("unzipped_by", ["unzip", "python"])
def test_what_is_saved_plays_the_same_from_a_wheel(
    tmp_path: Path, wheel: Path, unzipped_by: str
) -> None:
    files = template()
    name = '$(touch "owned"); `id`'
    files["bot.toml"] = files["bot.toml"].replace('"my-bot"', f"'{name}'")
    wish: dict[str, Any] = {"seed": "$(id) 'x'", "seats": 3, "matches": 3, "opponent": "weak"}
    event, *_, over = played(tmp_path / "page", files, **wish)
    assert event["bots"][0]["name"] == name
    ((saved, data),) = told(tmp_path / "page", WISH | {"do": "save", "files": files} | wish)
    (tmp_path / "saved.zip").write_bytes(data or b"")
    if unzipped_by == "unzip":
        need("unzip")
    words = (
        ["unzip", "-q", "saved.zip"]
        if unzipped_by == "unzip"
        else [sys.executable, "-m", "zipfile", "-e", "saved.zip", "."]
    )
    subprocess.run(words, cwd=tmp_path, check=True)
    (readme,) = tmp_path.glob("*/README.md")
    assert saved["line"] == event["line"]
    assert event["line"] in readme.read_text()
    site = wheel / "site"
    env = os.environ | {
        "PYTHONPATH": str(site),
        "PATH": f"{site / 'bin'}:{os.environ['PATH']}",
        FOLDER: str(BUILT.parent),
    }
    done = subprocess.run(
        event["line"],
        shell=True,
        cwd=readme.parent,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"event {event['id']}" in done.stderr
    assert f"run digest {over['digest']}" in done.stderr
    assert not [*tmp_path.rglob("owned")]
