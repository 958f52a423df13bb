"""Commands that tests call in their own process give what a process of their own gives,
and leave nothing changed.
"""

import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from arena import arena, arena_process, bots
from published import published
from stores import GREEDY, NAIVE, RANDOM

pytestmark = pytest.mark.slow

STORE = "khiva-round-robin"
COMMANDS = {
    "version": (["--version"], 0),
    "no command": ([], 2),
    "help": (["-h"], 0),
    "help of run": (["run", "-h"], 0),
    "an unknown command": (["rnu"], 2),
    "an unknown option": (["run", "--sets", "3"], 2),
    "run with a long out": (["run", *bots(RANDOM, NAIVE), "--out", "x" * 300], 2),
    "games": (["games", "--json"], 0),
    "bots": (["bots"], 0),
    "new": (["new"], 0),
    "doctor": (["doctor"], 0),
    "standings": (["standings", STORE], 0),
    "standings as JSON": (["standings", STORE, "--json"], 0),
    "show": (["show", STORE], 0),
    "show a match": (["show", STORE, "1/0"], 0),
    "show a hostile path": (["show", "\x1b[31m\u202eno\tstore"], 2),
    "verify": (["verify", STORE], 0),
    "verify as JSON": (["verify", STORE, "--json"], 0),
    "verify what is missing": (["verify", "missing"], 2),
    "plan": (["plan", STORE, "--error", "20"], 0),
    "export": (["export", STORE, "--format", "csv", "--out", "csv"], 0),
    "decode a file": (["decode", "bytes"], 1),
    "decode stdin": (["decode", "-"], None),
    "init": (["init", "c.toml"], 0),
    "match": (
        ["match", *bots(GREEDY, NAIVE, RANDOM), "--seed", "demo", "--rule", "max_turns=3"],
        0,
    ),
    "match of a bot that fails": (["match", *bots("false", NAIVE), "--seed", "demo"], 2),
}


@pytest.mark.soak
@pytest.mark.parametrize(("words", "code"), COMMANDS.values(), ids=COMMANDS)
def test_both_ways_give_the_same(words: list[str], code: int | None, tmp_path: Path) -> None:
    done = []
    for way in (arena, arena_process):
        published(STORE, tmp_path).rename(tmp_path / STORE)
        (tmp_path / "bytes").write_bytes(b"\0\0\0\x05no frame\r\n\xff")
        env = {"COLUMNS": "90", "KHIVA_ARENA_STANDINGS_JSON": "1"}
        if words in (["bots"], ["new"]):  # looking for each language takes long
            env["PATH"] = str(tmp_path)
        said = way(*words, cwd=tmp_path, code=code, env=env)
        files = {
            path.name: path.read_bytes() for path in sorted(tmp_path.glob("*")) if path.is_file()
        }
        done.append((said.returncode, said.stdout, said.stderr, files))
        for path in tmp_path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert done[0] == done[1]


def test_a_run_gives_the_same_and_is_the_same(tmp_path: Path) -> None:
    words = [
        "run",
        *bots(RANDOM, NAIVE),
        "--seats",
        "2",
        "--seeds",
        "2",
        "--seed",
        "demo",
        "--rule",
        "max_turns=2",
    ]
    first, second = (
        arena(*words, "--out", "a", cwd=tmp_path),
        arena_process(*words, "--out", "b", cwd=tmp_path),
    )
    assert first.stdout.splitlines()[1:] == second.stdout.splitlines()[1:]
    digests = [
        next(line for line in done.stderr.splitlines() if "digest" in line)
        for done in (first, second)
    ]
    assert digests[0] == digests[1]


def surroundings() -> list[object]:
    """What belongs to a process."""
    handlers = [
        signal.getsignal(number)
        for number in signal.valid_signals()
        if number not in (signal.SIGKILL, signal.SIGSTOP)
    ]
    streams = [
        sys.stdin,
        sys.stdout,
        sys.stderr,
        *(os.readlink(f"/proc/self/fd/{number}") for number in range(3)),
    ]
    hooks = [
        sys.unraisablehook,
        sys.excepthook,
        list(warnings.filters),
        signal.pthread_sigmask(signal.SIG_BLOCK, ()),
    ]
    return [
        os.getcwd(),
        dict(os.environ),
        list(sys.argv),
        *handlers,
        *streams,
        *hooks,
        sorted(os.listdir("/proc/self/fd")),
    ]


@pytest.mark.parametrize(
    "words",
    [["games"], ["show", "missing"], ["match", *bots(RANDOM, NAIVE), "--rule", "max_turns=1"]],
)
def test_nothing_is_left_changed(words: list[str], tmp_path: Path) -> None:
    before = surroundings()
    arena(*words, cwd=tmp_path, code=None, env={"COLUMNS": "60", "KHIVA_ARENA_SHOW_JSON": "1"})
    assert surroundings() == before


def test_what_is_read_at_the_start_of_python_takes_a_process(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="PYTHONWARNINGS: read when a process starts"):
        arena("games", cwd=tmp_path, env={"PYTHONWARNINGS": "error"})


def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(subprocess.TimeoutExpired):
        arena("match", *bots("{python} bot.py", NAIVE), cwd=tmp_path, code=None, seconds=0.5)
    arena("games", cwd=tmp_path)
