"""A user who has agreed to nothing yet, and what a command tells or asks that user."""

import shlex
from pathlib import Path

import pytest
from arena import arena
from stores import NAIVE, RANDOM
from terminal import Terminal

BEGIN = f'bots = ["{RANDOM}", "{NAIVE}"]\nseats = 2\nseeds = 1\nout = "out"\nrules.max_turns = 2\n'


@pytest.fixture(autouse=True)
def own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def refused(folder: Path, *words: str) -> str:
    """The only line of a run that opens too much."""
    (line,) = (
        arena("run", *words, cwd=folder, code=2, env={"API_KEY": "a-key"})
        .stderr.strip()
        .splitlines()
    )
    return line


def flags_of(line: str) -> list[str]:
    """What a line tells to add."""
    return shlex.split(line.partition("add: ")[2].partition(" (or ")[0])


def asked(folder: Path, answer: str, *words: str) -> tuple[int, bool, str]:
    """Run at a terminal and answer if asked. Returns the exit code, whether there was a
    question, and what was shown.
    """
    terminal = Terminal(["run", *words], folder, columns=200)
    question = terminal.until(lambda text: "[y/N]" in text)
    if question:
        terminal.type(f"{answer}\n".encode())
    return terminal.end(), question, terminal.shown.text
