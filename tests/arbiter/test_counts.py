"""What a match costs the machine is counted by strace: programs that are executed,
mounts, files that are opened. No busy machine changes these.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from in_targets import soak_but_every
from levels import ROOT
from stopping import instant
from tools import lacks, need

from khiva_arena.bots.sandbox import launch

PLAYS = """
import os, sys
from contextlib import suppress
sys.path[:0] = [sys.argv[1]]
from jobs import job
from khiva_arena.arbiter import pool
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
bot, sandbox = Command((sys.argv[2], "rotate"), "/tmp"), Sandbox(Level(sys.argv[3]))
outcomes = []

def jobs():
    for number in range(5):
        if number in (2, 4):
            with suppress(FileNotFoundError):
                os.open(sys.argv[4], os.O_RDONLY)
        yield job([bot] * 2, number, sandbox=sandbox)

pool.play(jobs(), 1, outcomes.append, 1)
assert all(outcome.record for outcome in outcomes), outcomes
"""
MARK = "/two-matches-begin-or-end-here"
STARTS = 2 * 2
# By level, for a start: bwrap at standard, the launcher, the bot.
PROGRAMS = {"trusted": 2, "basic": 2, "standard": 3}
MOUNTS = {"trusted": 0, "basic": 0, "standard": 69}
FILES = {"trusted": 0, "basic": 1, "standard": 2}


class Counts(NamedTuple):
    """What was counted.

    programs: that were executed, by the arbiter and its bots
    mounts: that were made
    files: of the disk that the arbiter opened, without folders, at which it looks by
        the clock
    """

    programs: int
    mounts: int
    files: int


def counted(bot: Path, level: str, trace: Path) -> Counts:
    """The counts of two matches of two bots, in a process that has played two before,
    and plays another one behind them.
    """
    play = [sys.executable, "-c", PLAYS, str(ROOT / "tests/support"), str(bot), level, MARK]
    words = ["strace", "-f", "-qq", "-e", "trace=execve,mount,open,openat", "-o", str(trace)]
    subprocess.run([*words, *play], check=True, timeout=120)
    calls = [line.split(maxsplit=1) for line in trace.read_text(errors="replace").splitlines()]
    arbiter = calls[0][0]
    begins, ends = (
        at for at, (_, call) in enumerate(calls) if f'"{MARK}"' in call and call.startswith("open")
    )
    done = [(pid, call) for pid, call in calls[begins:ends] if "(" in call and " = -1 " not in call]
    return Counts(
        sum(call.startswith("execve(") for _, call in done),
        sum(call.startswith("mount(") for _, call in done),
        sum(
            pid == arbiter
            and call.startswith("open")
            and not re.search(r'"/(proc|sys)/|O_DIRECTORY', call)
            for pid, call in done
        ),
    )


@pytest.mark.slow
@pytest.mark.parametrize("level", soak_but_every(PROGRAMS, 3), indirect=True)
def test_a_match_executes_mounts_and_opens_only_what_it_must(level: str, open_folder: Path) -> None:
    need("cc")
    need("strace")
    if not launch.program():
        lacks("set-up found no compiler for the launcher", may=True)
    if subprocess.run(
        ["strace", "-o", "/dev/null", "true"], capture_output=True, check=False
    ).returncode:
        lacks("this machine lets no program trace another one", may=True)
    bot = instant(open_folder)
    found = counted(bot, level, open_folder / "trace")
    assert found.programs == STARTS * PROGRAMS[level]
    assert found.mounts <= STARTS * MOUNTS[level]
    assert found.files <= STARTS * FILES[level]
