"""Colour is for people at a terminal who have not asked for none."""

from pathlib import Path

import pytest
from arena import arena
from terminal import Terminal

pytestmark = pytest.mark.slow

RED = b"\x1b[31m\x1b[1mFAILED\x1b[0m"
WORDS = ["check", "false", "--quick"]


@pytest.mark.parametrize(
    ("name", "value", "red"),
    [("NO_COLOR", "1", False), ("NO_COLOR", "", True), ("LINES", "24", True)],
)
def test_failed_is_red_on_a_terminal(
    name: str, value: str, red: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv(name, value)
    terminal = Terminal(WORDS, tmp_path, stdout=True)
    assert terminal.end() == 1
    assert b"FAILED" in terminal.raw
    assert (RED in terminal.raw) == red
    assert (b"\x1b[" in terminal.raw) == red


def test_a_plain_terminal_shows_no_codes(tmp_path: Path) -> None:
    terminal = Terminal(WORDS, tmp_path, term="dumb", stdout=True)
    assert terminal.end() == 1
    assert b"FAILED" in terminal.raw
    assert b"\x1b[" not in terminal.raw


def test_a_pipe_gets_no_colour(tmp_path: Path) -> None:
    said = arena(*WORDS, cwd=tmp_path, code=1, env={"TERM": "xterm-256color"}).stdout
    assert "FAILED" in said
    assert "\x1b" not in said
