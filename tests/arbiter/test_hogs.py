"""Real bots that take too much of the processor, or keep themselves from it: who is
out, and who is not.
"""

import os
import re
import sys
import time
from pathlib import Path

import pytest
from arena import descendants, left_over
from jobs import job, sound
from levels import python_at
from msgspec.structs import replace
from waiting import until
from wording import pattern

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import Resources
from khiva_arena.common.result import Verdict

pytestmark = pytest.mark.slow

LIMITS = {"turn_ms": 1_000, "bank_ms": 0}
HOG = str(Path(__file__).parent.parent / "support" / "hog.py")
SECONDS = 60.0


@pytest.mark.soak
def test_a_real_hog_is_out_and_a_bot_that_needs_its_core_plays_on() -> None:
    """The thinker needs 0.7 s of CPU in a turn of 1 s, and the hog keeps far more
    processes busy than there are cores, and than others do on this machine: one that
    gets no more than its share of the processor is no hog.
    """
    before = descendants(os.getpid())
    cores = len(os.sched_getaffinity(0))
    burning = 8 * cores + min(
        4 * int(os.getloadavg()[0]), 24 * cores
    )  # more would be in each other's way alone
    words = (["honest"], ["thinks", "0.7"], ["burns", str(burning)])
    commands = [Command((sys.executable, HOG, *how), "/tmp") for how in words]
    began = time.monotonic()
    outcome = play_one(
        job(
            commands,
            sandbox=Sandbox(resources=Resources(processes=1_000)),
            startup_ms=20_000,
            **LIMITS,
        )
    )
    assert time.monotonic() - began < SECONDS
    record = sound(outcome)
    assert record.verdicts == (Verdict.OK, Verdict.OK, Verdict.RESOURCE)
    assert record.forfeited_at[2] == 1
    assert not outcome.seats[1].faults
    whiles = [
        pattern("arbiter", "while-seat-no-core", number="[01]", delayed=r"\d+\.\d"),
        pattern("arbiter", "while-arbiter-no-core", delayed=r"\d+\.\d"),
    ]
    assert re.fullmatch(
        rf"CPU time: used \d+\.\d s ({'|'.join(whiles)})",
        outcome.seats[2].faults[0].detail,
    )
    until(lambda: not left_over(before))
    assert not left_over(before)


PARTS = int(os.environ.get("PARTS", "2"))
"""How many parts there are of ten matches a level: ``python -m tests.tools fairness``
plays 100. Where it is not set, level standard plays two matches and level trusted six,
since each of them takes as long as its bots are allowed.
"""


def beside_the_nicest(level: Level, matches: int) -> list[Outcome]:
    """Matches of a bot that thinks with two threads and one that makes itself the last
    to get a core, and is late each time. The first takes more than its share of the
    processor where two cores are free, so it would be out if the other were owed one.
    """
    words = (["doubles", "0.3"], ["nicest", "0.1"])
    commands = [Command((python_at(level), HOG, *how), "/", readable=(HOG,)) for how in words]
    limits = {"startup_ms": 20_000, "turn_ms": 400, "bank_ms": 0}
    one = job(commands, policy="lenient", sandbox=Sandbox(level), **limits)
    outcomes: list[Outcome] = []
    pool.play([replace(one, ordinal=number) for number in range(matches)], 1, outcomes.append)
    return outcomes


@pytest.mark.soak
@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, PARTS))]
)
@pytest.mark.parametrize("level", [Level.STANDARD, Level.TRUSTED], indirect=True)
def test_a_bot_of_two_threads_forfeits_nothing_beside_the_nicest(level: Level, part: int) -> None:
    """Matches that a busy host has spoilt have no record. The nicest spoils none at
    level trusted; elsewhere it cannot make itself wait, and a busy host may make it so.
    """
    matches = 10 if part or "PARTS" in os.environ else 6 if level is Level.TRUSTED else 2
    outcomes = beside_the_nicest(level, matches)
    assert {outcome.ordinal for outcome in outcomes} == set(range(matches))
    assert not [
        step
        for outcome in outcomes
        if outcome.record
        for step in [outcome.record.forfeited_at[0]]
        if step is not None
    ]
    assert not [
        fault
        for outcome in outcomes
        for fault in outcome.seats[0].faults
        if fault.verdict is Verdict.RESOURCE
    ]
    if level is Level.TRUSTED:
        assert not [outcome for outcome in outcomes if 1 in outcome.causes]
        assert [outcome for outcome in outcomes if outcome.attempt == 1 and outcome.record]
        assert {fault.verdict for outcome in outcomes for fault in outcome.seats[1].faults} == {
            Verdict.TIMEOUT
        }


@pytest.mark.parametrize("how", ["contends", "hides", "chains"])
def test_a_real_bot_that_keeps_itself_from_a_core_voids_nothing(how: str) -> None:
    """It lacks a core for some 0.2 s and answers some 0.1 s late; the children that
    nobody waits for are seen in no figure.
    """
    outcomes: list[Outcome] = []
    words = (["honest"], [how, "0.4"])
    began = time.monotonic()
    pool.play(
        [
            job(
                [Command((sys.executable, HOG, *bot), "/tmp") for bot in words],
                startup_ms=20_000,
                **LIMITS,
            )
        ],
        1,
        outcomes.append,
    )
    assert time.monotonic() - began < SECONDS
    assert [outcome.attempt for outcome in outcomes] == [1], outcomes[0].void
    assert sound(outcomes[0]).reason == "over"
    assert not outcomes[0].seats[0].faults
    # On a machine so busy that the arbiter itself was late by as much, the answer was
    # in time.
    assert [fault.verdict for fault in outcomes[0].seats[1].faults] in ([Verdict.TIMEOUT], [])
