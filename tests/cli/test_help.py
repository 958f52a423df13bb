"""The command line as text: help everywhere, exit codes, stdout for results, and quiet ends of pipes."""

import subprocess
import sys
from pathlib import Path

import pytest
from arena import RANDOM, arena

from khiva_arena.cli.main import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, tmp_path: Path) -> None:
    text = arena(command, "-h", cwd=tmp_path).stdout
    assert text.startswith(f"Usage: khiva-arena {command}")
    assert arena(command, "--help", cwd=tmp_path).stdout == text
    if command not in ("match", "games", "bots", "run", "doctor", "init", "sprt", "watch", "new", "check", "decode"):
        assert "STORE" in text


def test_the_list_of_commands_is_the_commands_own(tmp_path: Path) -> None:
    text = arena("-h", cwd=tmp_path).stdout
    for command, help_ in COMMANDS.items():
        assert f"{command} " in text
        assert " ".join(help_.split()) in " ".join(text.split())


def test_unknown_command_and_option(tmp_path: Path) -> None:
    assert "No such command" in arena("rnu", cwd=tmp_path, code=2).stderr
    assert "No such option" in arena("run", "--sets", "3", cwd=tmp_path, code=2).stderr
    assert arena("--version", cwd=tmp_path).stdout.startswith("khiva-arena, version ")


def test_no_words_print_the_help(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "khiva_arena"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode in (0, 2)
    assert "Commands:" in done.stdout + done.stderr


def test_a_closed_pipe_is_no_crash(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "khiva_arena", "match", "--bot", RANDOM, "--bot", RANDOM, "--seed", "x"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    process.stdout.close()
    assert process.stderr
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 0
    assert "Traceback" not in said
