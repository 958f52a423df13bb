"""Ctrl-C and SIGTERM while bots are built, greeted, or think for a minute: prompt, 130,
how it goes on, nothing left running.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from arena import C_GREEDY, FAULTY, C, arena, bots, living, says_interrupted, started
from in_targets import in_long
from killing import all_gone, below, read
from waiting import until
from wording import sentence

pytestmark = pytest.mark.soak

PROMPT_SECONDS = 10.0  # where what is waited for takes a minute
SHAPE = [
    "--seats",
    "3",
    "--seeds",
    "5",
    "--seed",
    "x",
    "--turn",
    "60s",
    "--start",
    "60s",
    "--out",
    "out",
]
BUILD = """name = "slow"
run = "{python} main.py"
build = "sh -c 'touch building-{mark}; sleep 60 & sleep 61'"
"""


def building(folder: Path) -> list[str]:
    """A bot whose build takes a minute, in two processes."""
    slow = folder / "slow"
    slow.mkdir()
    (slow / "bot.toml").write_text(BUILD.replace("{mark}", mark(folder)))
    (slow / "main.py").write_text("")
    return bots(C, C_GREEDY, str(slow))


def greeting(_folder: Path) -> list[str]:
    return bots(C, C_GREEDY, f"{FAULTY} start-silent")


def thinking(_folder: Path) -> list[str]:
    """From the second decision on, and the first match is the first that is not
    recorded.
    """
    return bots(C, C_GREEDY, f"{FAULTY} silent 2")


def mark(folder: Path) -> str:
    """Return a word for a test's folder. Its name alone may be that of another worker's
    test, in the cache that all share.
    """
    return sha256(str(folder).encode()).hexdigest()[:16]


def mark_of_build(folder: Path) -> bool:
    try:
        return any(Path(os.environ["KHIVA_ARENA_CACHE"]).rglob(f"building-{mark(folder)}"))
    except FileNotFoundError:
        return False  # a draft was moved to its place while we looked: the next look tells


PHASES: list[tuple[str, Callable[[Path], list[str]], list[str], str]] = [
    (
        "building",
        building,
        [],
        sentence("run", "no-match-begun") + "; " + sentence("cli", "same-command-resumes"),
    ),
    (
        "greeting",
        greeting,
        [],
        sentence("run", "no-match-begun") + "; " + sentence("cli", "same-command-resumes"),
    ),
    (
        "thinking",
        thinking,
        [],
        "0 of 15 matches are recorded; " + sentence("cli", "same-command-resumes"),
    ),
    (
        "thinking",
        thinking,
        ["-j", "2"],
        "0 of 15 matches are recorded; " + sentence("cli", "same-command-resumes"),
    ),
]


def is_in(phase: str, folder: Path, pid: int) -> bool:
    if phase == "building":
        return mark_of_build(folder)
    # The bot itself, not the arbiter just forked: that has the bot's command in one
    # word.
    said = [read(child, "cmdline").split("\0") for child in living(below(pid))]
    there = any(
        "silent" in word
        for words in said
        if "python" in words[0] and "-m" not in words
        for word in words[2:]
    )
    if phase == "greeting":
        return there
    return there and (folder / "out" / "arena.db").exists()


HOW = {
    "INT-once": (signal.SIGINT, None),
    "TERM-at once again": (signal.SIGTERM, 0.0),
    "INT-soon again": (signal.SIGINT, 0.05),
}
MORE = {
    "TERM-once": (signal.SIGTERM, None),
    "INT-at once again": (signal.SIGINT, 0.0),
    "TERM-soon again": (signal.SIGTERM, 0.05),
}
"""The other signal each time: one handler answers both."""


@pytest.mark.parametrize(
    ("number", "twice"), [*HOW.values(), *in_long(MORE.values())], ids=[*HOW, *MORE]
)
@pytest.mark.parametrize(
    ("phase", "make", "more", "said"),
    PHASES,
    ids=["building", "greeting", "thinking", "thinking-j2"],
)
def test_interrupted(
    tmp_path: Path,
    phase: str,
    make: Callable[[Path], list[str]],
    more: list[str],
    said: str,
    number: signal.Signals,
    twice: float | None,
) -> None:
    running = started("run", *make(tmp_path), *SHAPE, *more, cwd=tmp_path)
    assert until(lambda: running.poll() is not None or is_in(phase, tmp_path, running.pid))
    assert running.poll() is None, running.communicate()
    time.sleep(0.2)  # so that it is well under way
    beneath = below(running.pid)
    began = time.monotonic()
    running.send_signal(number)
    if twice is not None:
        time.sleep(twice)
        running.send_signal(number)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130, errors
    assert time.monotonic() - began < PROMPT_SECONDS
    assert all_gone(lambda: living(beneath))
    assert "Traceback" not in errors
    if twice is None:
        assert said in errors
    assert says_interrupted(errors)
    if phase == "building":
        assert not mark_of_build(tmp_path), "a draft is left"


def test_interrupted_between_matches(tmp_path: Path) -> None:
    """Many short matches, a signal at no moment in particular: what is recorded stays,
    and the rest is played.
    """
    words = [
        "run",
        *bots(C, C_GREEDY),
        "--seats",
        "2",
        "--seeds",
        "30",
        "--seed",
        "x",
        "--out",
        "out",
    ]
    whole = arena(*words[:-1], "whole", cwd=tmp_path).stderr
    codes = []
    for wait in (0.05, 0.4):
        running = started(*words, cwd=tmp_path)
        assert until((tmp_path / "out" / "arena.db").exists)
        time.sleep(wait)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
        assert running.returncode in (0, 130), errors
        assert running.returncode == 0 or says_interrupted(errors)
        codes.append(running.returncode)
    assert 130 in codes
    resumed = arena(*words, cwd=tmp_path).stderr
    digests = {
        line
        for text in (whole, resumed)
        for line in text.splitlines()
        if line.startswith("run digest")
    }
    assert len(digests) == 1


AGAIN = """
import signal, sys
from khiva_arena.interface.cli import main

def once_more(*words):
    if not times:
        times.append(1)
        signal.raise_signal(signal.SIGHUP)
    return was(*words)

was, times = main.{at}, []
main.{at} = once_more
main._answer = lambda _words: signal.raise_signal(signal.SIGHUP)
sys.argv = ["khiva-arena", "games"]
main.main()
"""


@pytest.mark.parametrize("at", ["interrupts.listen_no_more", "_why_failed", "say"])
def test_a_second_stop_while_the_first_is_answered_changes_nothing(at: str) -> None:
    words = [sys.executable, "-c", AGAIN.format(at=at)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (130, "khiva-arena: interrupted\n", "")
