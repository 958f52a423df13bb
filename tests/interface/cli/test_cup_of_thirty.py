"""A cup of 30 folders with the limits of ``init``: four bots spoil nothing, and no
honest bot is put out.
"""

import os
import shutil
import signal
from pathlib import Path

import pytest
from arena import arena_process, started
from busy import busy
from in_targets import in_long
from once import made_once
from trial_bots import (
    CRASHES,
    GOOD,
    ILLEGAL,
    digest_of,
    names_tried,
    sleeps,
    write,
    write_uncompiled,
)
from waiting import until

from khiva_arena.records.store import trial_results
from khiva_arena.records.store.files import TRIALS

pytestmark = [pytest.mark.slow, pytest.mark.soak]
GOOD_ONES = [f"good{number:02}" for number in range(26)]
BAD_ONES = ["sleeper", "illegal", "crasher", "uncompiled"]
LONGER_MOST = 40.0
RUN = ["--seats", "3", "--seeds", "1", "--lineups", "9", "--seed", "x"]
"""Beside the settings that a file of ``init`` has: limits, policy, one match at a time,
probation.
"""
LONG = 600.0


@made_once
def entries(folder: Path) -> None:
    """Write the 26 good bots into "good", and all of the 30 into "entries"."""
    write(folder / "good", **{name: f"{GOOD}  # {name}" for name in GOOD_ONES})
    shutil.copytree(folder / "good", folder / "entries")
    write(folder / "entries", sleeper=sleeps(2), illegal=ILLEGAL, crasher=CRASHES)
    write_uncompiled(folder / "entries")
    for place in ("entries", "good"):
        (folder / f"{place}.toml").write_text(
            f'bots = ["{place}/*"]\nbank = "5s"\nprobation = true\n'
        )


@pytest.fixture(scope="module")
def said(entries: Path) -> dict[str, str]:
    """What the cups of 26 and of 30 said, which left "good-out" and "entries-out"."""
    words = {
        place: ("run", f"{place}.toml", *RUN, "--out", f"{place}-out")
        for place in ("good", "entries")
    }
    return {
        place: arena_process(*words[place], cwd=entries, seconds=LONG).stderr for place in words
    }


def test_the_cup_is_that_of_the_26(said: dict[str, str]) -> None:
    before = said["entries"].partition("\nevent ")[0]
    assert all(f"warning: {name} is left out: " in before for name in BAD_ONES)
    assert before.count(" is left out: ") == len(BAD_ONES)
    assert digest_of(said["entries"]) == digest_of(said["good"])


@pytest.mark.long  # seconds, which tests beside it make more of
def test_the_cup_is_hardly_longer(said: dict[str, str], entries: Path) -> None:
    results = trial_results.read(entries / "entries-out").values()
    assert len(results) == len(GOOD_ONES) + len(BAD_ONES) - 1
    tried = {
        result.name: 2 if result.name == "sleeper" else 1
        for result in results
        if result.name in BAD_ONES
    }
    longer = sum(result.seconds * tried.get(result.name, 0) for result in results)
    assert longer <= LONGER_MOST, (
        "all that these bots add is their trials; the rest is the load of this machine"
    )


@pytest.mark.parametrize("jobs", in_long(["1", "2"]))  # whatever is tested beside it hardly runs
def test_on_an_overloaded_machine_no_honest_bot_is_put_out(entries: Path, jobs: str) -> None:
    out = f"busy-{jobs}"
    with busy(30):
        done = arena_process(
            "run",
            "good.toml",
            *RUN,
            "--jobs",
            jobs,
            "--out",
            out,
            "--commit",
            cwd=entries,
            seconds=LONG,
        )
    assert " is left out: " not in done.stderr
    results = trial_results.read(entries / out).values()
    assert sorted(result.name for result in results) == GOOD_ONES
    assert all(result.passed for result in results)


def test_a_kill_among_the_trials_is_resumed(entries: Path) -> None:
    words = ["run", "entries.toml", *RUN, "--jobs", "2", "--out", "killed"]
    with started(*words, cwd=entries) as run:
        until(
            lambda: (
                (entries / "killed" / TRIALS).exists() and len(names_tried(entries / "killed")) >= 8
            ),
            LONG,
        )
        os.killpg(run.pid, signal.SIGKILL)
    before = names_tried(entries / "killed")
    said = arena_process(*words, cwd=entries, seconds=LONG).stderr
    after = names_tried(entries / "killed")
    assert after[: len(before)] == before
    assert sorted(after) == sorted([*GOOD_ONES, *BAD_ONES[:-1]]), "each bot is tried once"
    alone = arena_process(
        "run", "good.toml", *RUN, "--jobs", "2", "--out", "unkilled", cwd=entries, seconds=LONG
    ).stderr
    assert digest_of(said) == digest_of(alone)
