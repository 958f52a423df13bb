"""The files of docs/check-entries.md for both forges: their commands run, on a folder
of entries, as a runner would run them.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from arena import ROOT, arena
from quick_bots import GREEDY, NAIVE, RANDOM

pytestmark = [pytest.mark.slow, pytest.mark.soak]

PAGE = (ROOT / "docs" / "check-entries.md").read_text()
ENTRIES = {"ann": RANDOM, "bob": NAIVE, "cy": GREEDY}


def commands(file: str) -> list[str]:
    """The lines that run khiva-arena in the file whose name is on its first line."""
    (block,) = (
        found
        for found in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
        if file in found
    )
    lines = [
        line.strip().removeprefix("- run: ") for line in block.splitlines() if "pip " not in line
    ]
    return [line for line in lines if line.startswith("khiva-arena ")]


def typed(lines: list[str], folder: Path) -> None:
    """Run lines by a shell, where a runner names the bot and the file of its summary;
    checks are the quick ones.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for line in lines:
        quick = line.replace("khiva-arena check", "khiva-arena check --quick").replace(
            "|| failed=1", ""
        )
        done = subprocess.run(
            ["bash", "-ec", f"export GITHUB_STEP_SUMMARY=summary.md bot=ann; {quick}"],
            cwd=folder,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three entries instead of strangers' bots."""
    for name, bot in ENTRIES.items():
        shutil.copytree(bot, tmp_path / "entries" / name)
    return tmp_path


@pytest.mark.parametrize("file", [".github/workflows/entries.yml", ".gitlab-ci.yml"])
def test_the_checks_of_a_bot_write_what_the_forge_collects(file: str, repository: Path) -> None:
    lines = commands(file)
    typed(lines, repository)
    assert {line.split()[1] for line in lines} == {"check"}
    assert "<testcase" in (repository / "report-ann.xml").read_text()
    if "github" in file:
        assert "0 failed" in (repository / "summary.md").read_text()


def test_the_nightly_job_plays_and_keeps_a_sound_bundle(repository: Path) -> None:
    arena("init", "cup.toml", cwd=repository)
    text = re.sub(r"(?m)^bots = .*$", 'bots = ["entries/*"]', (repository / "cup.toml").read_text())
    text = re.sub(r"(?m)^seats = .*$", "seats = 2", text)
    (repository / "cup.toml").write_text(re.sub(r"(?m)^seeds = .*$", "seeds = 2", text))
    lines = commands(".github/workflows/nightly.yml")
    typed(lines, repository)
    assert [line.split()[1] for line in lines] == ["run", "standings", "bundle", "verify"]
    assert "rank" in (repository / "summary.md").read_text()
