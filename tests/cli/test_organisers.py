"""The page for organisers: every command on it runs, in the order they stand, on a folder of entries."""

import re
import shlex
import shutil
from pathlib import Path

from arena import ROOT, arena

PAGE = (ROOT / "results" / "ORGANISERS.md").read_text()
ENTRIES = {"ann": "random", "bob": "naive", "cy": "greedy"}


def commands() -> list[list[str]]:
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    found = [shlex.split(line) for block in blocks for line in block.splitlines() if line.startswith("khiva-arena ")]
    return [words[1:] for words in found]


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
    text = re.sub(r"(?m)^seeds = .*$", "seeds = 2", text)
    return re.sub(r"(?m)^out = .*$", 'out = "results/cup"', text)


def test_every_command_of_the_page_runs(tmp_path: Path) -> None:
    set_up(tmp_path)
    said: dict[str, list[str]] = {}
    for words in commands():
        done = arena(*words, cwd=tmp_path)
        said.setdefault(words[0], []).append(done.stdout)
        if words[0] == "init":
            path = tmp_path / words[1]
            path.write_text(edited(path.read_text()))
    assert list(said) == ["doctor", "match", "init", "run", "plan", "watch", "standings", "bundle", "verify", "show"]
    assert all("12 of 12 matches are sound" in text for text in said["verify"])
    assert "every choice is the same" in said["match"][-1]
    assert "Crosstable" in said["standings"][0]
    assert (tmp_path / "cup.bundle").stat().st_size > 1000


def test_the_export_it_names_is_there(tmp_path: Path) -> None:
    assert "khiva-arena export results/cup --format csv" in PAGE
    assert "csv" in arena("export", "-h", cwd=tmp_path).stdout
