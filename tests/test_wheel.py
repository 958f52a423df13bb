"""The wheel alone, away from the checkout: it carries its bots and its protocol, and plays."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from arena import ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what the wheel holds, and nothing of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("*.whl")
    target = folder / "site"
    zipfile.ZipFile(wheel).extractall(target)
    return target


def run(installed: Path, cwd: Path, *words: str) -> str:
    env = os.environ | {"PYTHONPATH": str(installed)}
    command = [sys.executable, "-c", f"import khiva_arena; assert khiva_arena.__file__.startswith({str(installed)!r})\n"]
    subprocess.run(command, cwd=cwd, env=env, check=True, timeout=60)
    command = [sys.executable, "-m", "khiva_arena", *words]
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_carries_protocol_and_bots_and_no_tests(installed: Path) -> None:
    shipped = installed / "khiva_arena" / "_shipped"
    for name in (
        "protocol/SPEC.md",
        "protocol/schema/act.json",
        "protocol/schema/emira/view.json",
        "protocol/games/silk_road.md",
        "protocol/vectors/frames.json",
        "bots/README.md",
        "bots/c/random/bot.c",
    ):
        assert (shipped / name).is_file(), name
    assert not list(installed.rglob("test_*.py"))
    assert not list(installed.rglob("__pycache__"))


def test_it_runs(installed: Path, tmp_path: Path) -> None:
    assert "greedy" in run(installed, tmp_path, "bots")
    bots = installed / "khiva_arena" / "_shipped" / "bots" / "python"
    words = ["--bot", str(bots / "random"), "--bot", str(bots / "naive")]
    table = run(installed, tmp_path, "run", *words, "--seats", "2", "--seeds", "2", "--out", "out")
    assert "rank  bot" in table
    assert "4 of 4 matches are sound" in run(installed, tmp_path, "verify", "out")
    # its map is a file of the package
    words = ["--game", "silk_road", "--bot", str(bots / "random"), "--bot", str(bots / "greedy_silk_road")]
    run(installed, tmp_path, "run", *words, "--seats", "2", "--seeds", "1", "--out", "silk")
    assert "2 of 2 matches are sound" in run(installed, tmp_path, "verify", "silk")


def test_it_sets_up_a_competition_and_bundles_it(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "init")
    run(installed, tmp_path, "run", "competition.toml", "--seats", "2", "--seeds", "1", "--events", "events.jsonl")
    assert "the run has ended: complete" in run(installed, tmp_path, "watch", "events.jsonl")
    assert "Crosstable" in run(installed, tmp_path, "standings", "results/competition", "--section", "all")
    run(installed, tmp_path, "bundle", "results/competition", "cup.bundle")
    assert "6 of 6 matches are sound" in run(installed, tmp_path, "verify", "cup.bundle")
