"""Bots of a payload or an interpreter in a league: as they are submitted, as anchors,
and in a league in ticks.
"""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

import interpreted_bots
import pytest
from arena import arena
from interpreted_bots import LINE
from interpreted_bots import installed as installed
from payload_bots import PAYLOADS, definition_of, folder
from payload_bots import cache as cache
from payload_bots import cup as cup
from wording import pattern

from khiva_arena.entrants.bots import load
from khiva_arena.entrants.packing import pack
from khiva_arena.entrants.unpacking import unpack
from khiva_arena.extensions.league.commands import league
from khiva_arena.extensions.league.submissions import examine, trial_table

pytestmark = pytest.mark.slow


def test_an_upload_keeps_the_lines_of_an_interpreter(tmp_path: Path) -> None:
    for number, lines in enumerate(
        [(LINE,), (LINE, "memory = 64"), ('run = "node main.js"', LINE)]
    ):
        bot = load(
            str(interpreted_bots.folder(tmp_path / f"bot{number}", *lines, 'files = ["*.js"]'))
        )
        unpack(pack(bot), tmp_path / f"there{number}")
        assert load(str(tmp_path / f"there{number}")).lines == bot.lines
        assert load(str(tmp_path / f"there{number}")).identity == bot.identity


def test_an_upload_keeps_the_payload(tmp_path: Path) -> None:
    bot_ = load(str(folder(tmp_path / "m", b"sound")))
    unpack(pack(bot_), tmp_path / "there")
    assert load(str(tmp_path / "there")).identity == bot_.identity


@pytest.mark.parametrize(
    ("lacks", "released_", "language"),
    [
        (True, "javascript python", "javascript"),
        (True, "python", "python"),
        (True, "", "c"),
        (False, "javascript python", "c"),
    ],
)
def test_anchors_in_ticks_have_an_interpreter_only_where_no_compiler_is_and_a_release_has_it(
    lacks: bool, released_: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(league.shipped, "lacks", lambda *_: "apt install clang" if lacks else "")
    monkeypatch.setattr(league, "pin_of", lambda word: word)
    monkeypatch.setattr(league, "released", released_.split)
    assert league._language_of_anchors("ticks") == language
    assert league._language_of_anchors("wall") == "python"


def test_anchors_in_javascript_are_written_with_their_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(league, "_language_of_anchors", lambda _: "javascript")
    monkeypatch.setattr(league, "league_of", lambda *_, **__: None)
    league.new(tmp_path / "spring", "khiva", 2, "ticks", None)
    lines = (
        (tmp_path / "spring" / "bots" / "anchors" / "greedy" / "bot.toml").read_text().splitlines()
    )
    assert 'interpreter = "javascript main.js"' in lines


@pytest.mark.soak
def test_a_league_in_ticks_names_both_hashes_and_anybody_can_run_it_again(
    cup: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        examine, "verdict_of", lambda *_: trial_table.Finding(True, "")
    )  # the bot keeps to no more than matches need
    arena("league", "new", "summer", "--seats", "2", "--clock", "ticks", cwd=tmp_path)
    settings = tmp_path / "summer" / "league.toml"
    text = re.sub(
        r"(?m)^bots = .*$",
        f"bots = {json.dumps([str(cup / 'one'), str(cup / 'two')])}",
        settings.read_text(),
    )
    settings.write_text(re.sub(r"(?m)^anchor = .*$", 'anchor = "one"', text))
    arena("league", "enter", "summer", str(cup / "none"), "--author", "ann", cwd=tmp_path)
    arena("league", "play", "summer", "--batches", "1", cwd=tmp_path)
    defined = definition_of(tmp_path / "summer").bots
    assert {bot.payload for bot in defined} == {
        sha256(payload).hexdigest() for payload in PAYLOADS.values()
    }
    shutil.rmtree(cache)
    said = arena("verify", "summer", "--rerun-bots", cwd=tmp_path).stdout
    assert re.search(pattern("verify", "bots-run-again", matches=r"\d+ matches"), said)
