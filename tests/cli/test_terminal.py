"""What `make run` leans on: progress where someone watches, none elsewhere, and shipped bots as far as their language is here."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from arena import NAIVE, RANDOM, arena, bots

WORDS = ["run", *bots(RANDOM, NAIVE), "--seats", "2", "--seeds", "10", "--out"]


def test_progress_is_one_line_on_a_terminal_and_nothing_elsewhere(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "khiva_arena", *WORDS, "seen"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    said = b""
    while data := _read(ours):
        said += data
    os.close(ours)
    assert process.wait(60) == 0
    lines = re.findall(rb"\r\x1b\[K(\d+)/20 matches  \d+\.\d/s  \d+ s left", said)
    assert lines, said
    assert [int(line) for line in lines] == sorted(int(line) for line in lines)
    unseen = arena(*WORDS, "unseen", cwd=tmp_path).stderr
    assert "\r" not in unseen
    assert "\x1b" not in unseen
    assert "matches  " not in unseen


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # the other side of a terminal that has gone is an error, not an end
        return b""


def test_a_shipped_bot_whose_language_is_missing_is_left_out_by_name(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    env = {"PATH": str(tools)}
    done = arena(
        "run",
        "--shipped",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--out",
        "out",
        "--rule",
        "max_turns=2",
        "--trust-bots",
        cwd=tmp_path,
        env=env,
    )
    assert re.search(r"bots/c/random: left out, cc is not on this machine", done.stderr)
    assert re.search(r"bots/javascript/random: left out, node is not on this machine", done.stderr)
    for name in ("random", "naive", "greedy", "search"):
        assert re.search(rf"\d  {name} ", done.stdout)
    assert "random-c" not in done.stdout
    lacks = arena("bots", cwd=tmp_path, env=env).stdout
    assert re.search(r"random-c +any +cc", lacks)
