"""Runtimes that have no kit start at every level, and play: their tiny bots lie in tests/runtimes."""

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from arena import ROOT, arena
from levels import need_level
from tools import lacks
from wording import sentence

from khiva_arena.sandbox.level import Level

pytestmark = pytest.mark.slow

FOLDER = ROOT / "tests" / "runtimes"
ROWS = tomllib.loads((FOLDER / "runtimes.toml").read_text())
PATIENCE = ("--start", "60s", "--turn", "20s", "--seed", "runtimes")
"""How long a start takes on a busy machine is not what is tested."""


def need_runtime(name: str) -> None:
    """In CI, where .ci/run installs it, a runtime that is missing is a failure; elsewhere the test is skipped with the reason."""
    row = ROWS[name]
    if not shutil.which(row["tool"]):
        lacks(f"{row['title']} " + sentence("check", "not-machine") + f" (apt install {' '.join(row['debian'])})")


@pytest.mark.language
@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in ROWS])
def test_it_starts_and_plays_a_whole_match(name: str, level: Level, tmp_path: Path) -> None:
    """Without a fault, without a word on stderr, and with choices of its own: the default is entry 0, always."""
    need_runtime(name)
    need_level(level)
    words = ["match", "--bot", str(FOLDER / name), "--bot", str(FOLDER / name), "--isolation", level, *PATIENCE]
    record = json.loads(arena(*words, "--json", cwd=tmp_path).stdout)
    assert record["header"]["isolation"] == level
    assert record["verdicts"] == ["ok", "ok"]
    answers = [answer for step in record["steps"] for answer in step]
    assert {fault for _, _, fault in answers} == {""}
    assert len({choice for _, choice, _ in answers}) > 5
    if level in (Level.STANDARD, Level.BASIC):
        assert arena(*words, "--notes", cwd=tmp_path).stdout.count(": nothing") == 2


def test_every_runtime_has_a_bot_and_ci_installs_it() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == set(ROWS)
    lacking = subprocess.run(
        ["/usr/bin/env", "python3", ROOT / ".ci" / "packages.py"],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout.split()
    for name, row in ROWS.items():
        assert bool(shutil.which(row["tool"])) or row["debian"][0] in lacking, name
