"""Runtimes that have no kit start at every level, and play: their tiny bots lie in
tests/runtimes.
"""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from arena import ROOT
from tools import lacks
from wording import sentence

from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.competition.settings.one_match import one_match, settings_and_bots

pytestmark = pytest.mark.slow

FOLDER = ROOT / "tests" / "runtimes"
ROWS = tomllib.loads((FOLDER / "runtimes.toml").read_text())
PATIENCE = {"start": "60s", "turn": "20s", "seed": "runtimes"}
"""How long a start takes on a busy machine is not what is tested."""


def need_runtime(name: str) -> None:
    """In CI, where .ci/run installs it, a runtime that is missing is a failure;
    elsewhere the test is skipped with the reason.
    """
    row = ROWS[name]
    if not shutil.which(row["tool"]):
        lacks(
            f"{row['title']} "
            + sentence("check", "not-machine")
            + f" (apt install {' '.join(row['debian'])})"
        )


@pytest.mark.language
@pytest.mark.parametrize("level", list(Level), indirect=True)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in ROWS]
)
def test_it_starts_and_plays_a_whole_match(name: str, level: Level) -> None:
    """Without a fault, without a word on stderr, and with choices of its own: the
    default is entry 0, always.
    """
    need_runtime(name)
    given = {"bots": (str(FOLDER / name),) * 2, "isolation": str(level), **PATIENCE}
    outcome = play_one(one_match(*settings_and_bots(given), lambda *_words, **_how: None).job)
    assert outcome.record is not None, outcome.void
    assert outcome.record.header.isolation == level
    assert outcome.record.verdicts == ("ok", "ok")
    answers = [answer for step in outcome.record.steps for answer in step]
    assert {answer.why for answer in answers} == {""}
    assert len({answer.choice for answer in answers}) > 5
    if level in (Level.STANDARD, Level.BASIC):
        assert [seat.ending.notes for seat in outcome.seats] == ["", ""]


def test_every_runtime_has_a_bot_and_ci_installs_it(tmp_path: Path) -> None:
    """On a machine that has none of them."""
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == set(ROWS)
    words, nothing = [sys.executable, ROOT / ".ci" / "packages.py"], {"PATH": str(tmp_path)}
    done = subprocess.run(
        words, env=nothing, capture_output=True, text=True, check=True, timeout=120
    )
    for name, row in ROWS.items():
        assert set(row["debian"]) <= set(done.stdout.split()), name
