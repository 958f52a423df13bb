"""The command line as a user has it, in a folder of its own: called here, or as a
process.
"""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

from in_process import in_process
from waiting import until
from wording import pattern

from khiva_arena.bots.sandbox.reap import MARK

ROOT = Path(__file__).parent.parent.parent
RANDOM = str(ROOT / "bots" / "python" / "random")
NAIVE = str(ROOT / "bots" / "python" / "naive")
GREEDY = str(ROOT / "bots" / "python" / "greedy")
_QUICKEST = ROOT / "bots" / ("c" if shutil.which("cc") else "python")
C = str(_QUICKEST / "random")
"""Starts in a twentieth of the time where there is a compiler; elsewhere it is the bot
in Python of that name.
"""
NAME_OF_C = "random-c" if _QUICKEST.name == "c" else "random"
C_GREEDY = str(_QUICKEST / "greedy")
SHIPPED = "shipped:c/random" if _QUICKEST.name == "c" else "shipped:python/naive"
"""A bot that comes with the arena, by its word."""
FAULTY = f"{{python}} {ROOT / 'tests' / 'support' / 'faulty.py'}"
SECONDS = 120
BROWSER_MARK = f"{MARK}={os.getpid()}-browser".encode()
"""In the environment of a browser that tests of this process look at pages with, and of
all that it starts.
"""


def arena(
    *words: str,
    cwd: Path,
    code: int | None = 0,
    env: dict[str, str] | None = None,
    seconds: float = SECONDS,
) -> subprocess.CompletedProcess[str]:
    """Run ``khiva-arena`` with these words in this process and check its exit code,
    unless ``code`` is None. Gives the bytes that a process of its own would give, in a
    tenth of the time.
    """
    return _checked(in_process(words, cwd, env or {}, seconds), code)


def arena_process(
    *words: str,
    cwd: Path,
    code: int | None = 0,
    env: dict[str, str] | None = None,
    seconds: float = SECONDS,
) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own: for tests in which its start, its end, its
    imports, its memory or signals matter.
    """
    done = subprocess.run(
        [sys.executable, "-m", "khiva_arena", *words],
        cwd=cwd,
        env=os.environ | (env or {}),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    return _checked(done, code)


def _checked(
    done: subprocess.CompletedProcess[str], code: int | None
) -> subprocess.CompletedProcess[str]:
    assert code in (done.returncode, None), (
        f"exit {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
    )
    return done


def started(*words: str, cwd: Path) -> subprocess.Popen[str]:
    """Start ``khiva-arena`` and leave it running, in a process group of its own."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "khiva_arena", *words]
    return subprocess.Popen(
        command, cwd=cwd, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )


def says_interrupted(errors: str) -> bool:
    """Tell whether the last line on stderr is that of an interrupt, which stands there
    once.
    """
    told = pattern("competition", "interrupted-same-command-resumes", how_far="[^;]+")
    lines = [line for line in errors.splitlines() if "interrupted" in line]
    return len(lines) == 1 and bool(
        re.fullmatch(f"khiva-arena: interrupted|{told}", errors.rstrip().splitlines()[-1])
    )


def without_trust(errors: str) -> str:
    """Return what a command said on stderr without the warning that bots are trusted,
    as where no isolation level works.
    """
    return "".join(
        line
        for line in errors.splitlines(keepends=True)
        if not line.startswith("warning: isolation trusted: ")
    )


def bots(*words: str) -> list[str]:
    """``--bot`` before each word."""
    return [part for word in words for part in ("--bot", word)]


def descendants(pid: int) -> set[int]:
    """Return all living descendants of a process, but for a test browser's: it starts
    and ends processes whenever it likes.
    """
    found: set[int] = set()
    todo = [pid]
    while todo:
        try:
            for task in Path(f"/proc/{todo.pop()}/task").glob("*/children"):
                children = {int(child) for child in task.read_text().split()} - found
                new = {child for child in children if BROWSER_MARK not in file_of(child, "environ")}
                found |= new
                todo += new
        except OSError:
            continue  # it ended while we looked
    return found


def left_over(before: set[int]) -> list[bytes]:
    """Return the command lines of this process's living descendants that were not there
    before.
    """
    newcomers = {pid: file_of(pid, "cmdline") for pid in descendants(os.getpid()) - before}
    return [newcomers[pid] for pid in living(set(newcomers))]


def file_of(pid: int, name: str) -> bytes:
    """Return what a file of a process in /proc holds, nothing if the process ends: it
    may do so between two calls.
    """
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""  # it has ended, or is another user's


def living(pids: set[int]) -> set[int]:
    """Those that still run; a zombie does not."""
    return {pid for pid in pids if _state(pid) not in "ZX"}


def _state(pid: int) -> str:
    return (file_of(pid, "stat").decode(errors="replace").rpartition(")")[2].split() or "X")[0]


def kill(process: subprocess.Popen[str], number: int = signal.SIGKILL) -> None:
    """Signal the process alone, not its group."""
    os.kill(process.pid, number)


def wait_for_matches(path: Path, count: int) -> None:
    """Until a store holds so many recorded matches."""

    def are_recorded() -> bool:
        if not path.exists():
            return False
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        try:
            return bool(connection.execute("SELECT count(*) FROM matches").fetchone()[0] >= count)
        except sqlite3.Error:
            return False  # it is being made
        finally:
            connection.close()

    assert until(are_recorded), f"no {count} matches in time"


def until_gone(pids: set[int]) -> bool:
    """Whether these end by themselves soon."""
    return until(lambda: not living(pids))
