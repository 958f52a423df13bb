"""The page for organisers: every command on it runs, in the order they stand, on a folder of entries."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from arena import ROOT, arena
from quick_bots import GREEDY, NAIVE, RANDOM
from wording import sentence

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "organisers.md").read_text()
ENTRIES = {"ann": RANDOM, "bob": NAIVE, "cy": GREEDY}


def commands(language: str = "") -> list[str]:
    """The lines with a command in the blocks of a language."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    lines = [line for kind, block in blocks if kind == language for line in block.splitlines()]
    return [line for line in lines if "khiva-arena " in line and not line.startswith("#")]


def set_up(folder: Path) -> None:
    """Three entries in place of strangers' bots."""
    entries = folder / "entries"
    entries.mkdir()
    for name, bot in ENTRIES.items():
        shutil.copytree(bot, entries / name)


def edited(text: str) -> str:
    """The settings file as an organiser might make it."""
    text = re.sub(r"(?m)^bots = .*$", f"bots = {[f'entries/{name}' for name in ENTRIES]}", text)
    text = re.sub(r"(?m)^seats = .*$", "seats = 2", text)
    return re.sub(r"(?m)^seeds = .*$", "seeds = 2", text)


def typed(line: str, folder: Path) -> str:
    """What a shell prints for a line of the page. One that holds a command alone needs none."""
    if line.startswith("khiva-arena ") and not set(line) & set("|&;<>$`"):
        return arena(*shlex.split(line)[1:], cwd=folder).stdout
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", line],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.soak
def test_every_command_of_the_page_runs(tmp_path: Path) -> None:
    set_up(tmp_path)
    said: dict[str, list[str]] = {}
    for line in commands():
        command = line.split("khiva-arena ")[1].split()[0]
        # tests/shipped_bots/test_readmes.py makes a whole one
        line = line.replace("khiva-arena check ", "khiva-arena check --quick ")
        said.setdefault(command, []).append(typed(line, tmp_path))
        if command == "init":
            (tmp_path / "cup.toml").write_text(edited((tmp_path / "cup.toml").read_text()))
    first = ["doctor", "check", "init", "run", "plan", "watch", "standings", "bundle", "verify", "report"]
    assert list(said) == [*first, "show", "match", "export"]
    assert all("12 of 12 matches are sound" in text for text in said["verify"])
    assert sentence("replay", "every-choice-same-digest") in said["match"][-1]
    assert said["check"][1] == ""  # nobody failed
    assert "0 failed" in (tmp_path / "check-bob.txt").read_text()
    assert "Crosstable" in said["standings"][0]
    assert (tmp_path / "cup.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "cup.bundle").stat().st_size > 1000
    assert len((tmp_path / "cup.csv").read_text().splitlines()) == 1 + 2 * 12
    assert len((tmp_path / "cup.matches.jsonl").read_text().splitlines()) == 12
    assert (tmp_path / "cup.pgn").read_text().count("[Result ") == 12


@pytest.mark.soak
def test_every_command_of_the_workflows_runs(tmp_path: Path) -> None:
    """As a runner would, which names the file of its summary; checks are the quick ones."""
    set_up(tmp_path)
    typed("khiva-arena init cup.toml", tmp_path)
    (tmp_path / "cup.toml").write_text(edited((tmp_path / "cup.toml").read_text()))
    lines = [line.strip().removeprefix("- run: ") for line in commands("yaml") if "pip " not in line]
    setting = "export GITHUB_STEP_SUMMARY=summary.md bot=ann; "
    for line in lines:
        typed(setting + line.replace(" --format", " --quick --format").replace("|| failed=1", ""), tmp_path)
    assert [line.split()[1] for line in lines] == ["check", "check", "run", "standings", "bundle", "verify"]
    assert "<testcase" in (tmp_path / "report-ann.xml").read_text()
    summary = (tmp_path / "summary.md").read_text()
    assert "0 failed" in summary
    assert "rank" in summary
