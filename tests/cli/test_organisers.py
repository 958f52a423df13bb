"""The page for organisers: every command on it runs, in the order they stand, on a folder of entries."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from arena import ROOT

PAGE = (ROOT / "results" / "ORGANISERS.md").read_text()
ENTRIES = {"ann": "random", "bob": "naive", "cy": "greedy"}


def commands() -> list[str]:
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if "khiva-arena " in line]


def set_up(folder: Path) -> None:
    """Three entries in place of strangers' bots."""
    entries = folder / "entries"
    for name in ("kit", "shared"):
        shutil.copytree(ROOT / "bots" / "python" / name, entries / name)
    for name, bot in ENTRIES.items():
        shutil.copytree(ROOT / "bots" / "python" / bot, entries / name)


def edited(text: str) -> str:
    """The settings file as an organiser might make it."""
    text = re.sub(r"(?m)^bots = .*$", f"bots = {[f'entries/{name}' for name in ENTRIES]}", text)
    text = re.sub(r"(?m)^seats = .*$", "seats = 2", text)
    return re.sub(r"(?m)^seeds = .*$", "seeds = 2", text)


def typed(line: str, folder: Path) -> str:
    """What a shell prints for a line of the page."""
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


def test_every_command_of_the_page_runs(tmp_path: Path) -> None:
    set_up(tmp_path)
    said: dict[str, list[str]] = {}
    for line in commands():
        command = line.split("khiva-arena ")[1].split()[0]
        said.setdefault(command, []).append(typed(line, tmp_path))
        if command == "init":
            (tmp_path / "cup.toml").write_text(edited((tmp_path / "cup.toml").read_text()))
    expected = ["doctor", "check", "init", "run", "plan", "watch", "standings", "bundle", "verify", "show", "match", "export"]
    assert list(said) == expected
    assert all("12 of 12 matches are sound" in text for text in said["verify"])
    assert "every choice is the same" in said["match"][-1]
    assert said["check"][1] == ""  # nobody failed
    assert "0 failed" in (tmp_path / "check-bob.txt").read_text()
    assert "Crosstable" in said["standings"][0]
    assert (tmp_path / "cup.bundle").stat().st_size > 1000
    assert len((tmp_path / "cup.csv").read_text().splitlines()) == 1 + 2 * 12
    assert len((tmp_path / "cup.matches.jsonl").read_text().splitlines()) == 12
    assert (tmp_path / "cup.pgn").read_text().count("[Result ") == 12
