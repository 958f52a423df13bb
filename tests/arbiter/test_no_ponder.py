"""Without pondering a bot is stopped while it is not its turn: in which order, with
scripted bots; and that it does hold, with real ones at every level.
"""

import os
import time
from typing import Any

import pytest
from arena import descendants, left_over
from jobs import SECRET, job
from levels import EVERY_LEVEL, KEEPING, script_at
from scripted import Bot, ScriptedWire, act, frame, honest, play
from waiting import until

from khiva_arena.arbiter.match import Outcome
from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.cell import kind
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import TRUSTING, Level, Sandbox
from khiva_arena.common.result import Verdict
from khiva_arena.records.replay.verify import verify

pytestmark = pytest.mark.slow

NOBODY = Command((), "")
RESTING = Sandbox(ponder=False)
BOUND = 60.0


def scripted(*bots: Bot, sandbox: Sandbox = RESTING, **time_: int) -> tuple[Outcome, ScriptedWire]:
    return play(job([NOBODY] * len(bots), sandbox=sandbox, **time_), bots)


def steps(wire: ScriptedWire, seat: int) -> list[str]:
    """What happened to a seat, without times."""
    return [
        line.split(maxsplit=1)[1].replace(f" {seat} ", " ", 1)
        for line in wire.log
        if line.split()[2] == str(seat)
    ]


def test_with_pondering_nobody_is_ever_stopped() -> None:
    _, wire = scripted(honest, honest, sandbox=TRUSTING)
    assert not [line for line in wire.log if line.endswith(("rests", "wakes"))]


def test_it_wakes_before_it_is_asked_and_rests_once_it_has_answered() -> None:
    outcome, wire = scripted(honest, honest)
    assert outcome.record is not None
    for seat in (0, 1):
        told = steps(wire, seat)
        assert {"w wakes", "z rests"} <= set(told)
        awake = True
        for step in told:
            if step == "w wakes":
                awake = True
            elif step == "z rests":
                awake = False
            elif step.startswith(("> decide", "<")):
                assert awake, told


def test_who_answers_first_rests_while_the_others_think() -> None:
    def slow(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return act(message, delay=0.5) if message["type"] == "decide" else honest(message)

    _, wire = scripted(honest, slow)
    first = next(n for n, line in enumerate(wire.log) if "> 0 decide" in line)
    behind = [line.split() for line in wire.log[first:]]
    rests = next(float(line[0]) for line in behind if line[1:4] == ["z", "0", "rests"])
    answers = next(float(line[0]) for line in behind if line[1:3] == ["<", "1"])
    assert rests < 0.1 < answers


def test_one_whose_act_was_a_stray_is_woken_to_answer() -> None:
    """It repeats its first answer before the second: that alone does not end its
    turn.
    """
    answered: list[int] = []

    def strays(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message["type"] != "decide":
            return honest(message)
        answered.append(message["req"])
        again = (
            [(0.001, frame({"type": "act", "req": answered[0], "choice": 0}))]
            if len(answered) == 2
            else []
        )
        return again + act(message, delay=0.01)

    outcome, wire = scripted(strays, honest)
    assert outcome.record is not None
    assert outcome.record.verdicts == (Verdict.OK, Verdict.OK)
    told = steps(wire, 0)
    second = [n for n, step in enumerate(told) if step.startswith("> decide")][1]
    assert [step.split()[0] for step in told[second : second + 6]] == [">", "<", "z", "w", "<", "z"]


def test_one_that_was_late_rests_and_its_late_act_is_dropped() -> None:
    late: list[bool] = []

    def slow(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message["type"] == "decide" and not late:
            late.append(True)
            return act(message, delay=1.5)
        return honest(message)

    outcome, wire = scripted(slow, honest, turn_ms=1_000, bank_ms=0)
    assert outcome.record is not None
    assert outcome.record.verdicts == (Verdict.OK, Verdict.OK)
    assert [blame.verdict for blame in outcome.seats[0].faults] == [Verdict.TIMEOUT]
    told = steps(wire, 0)
    asked = next(n for n, step in enumerate(told) if step.startswith("> decide"))
    assert told[asked + 1] == "z rests"


# --- real processes ---


def run(level: Level, *how: str, ponder: bool = False, **time_: int) -> Outcome:
    seats = [script_at(level, "taker.py", *how), script_at(level, "taker.py", "sleeps")]
    limits = {"startup_ms": 60_000, "turn_ms": 60_000, "bank_ms": 0} | time_
    began, before = time.monotonic(), descendants(os.getpid())
    outcome = play_one(job(seats, policy="strict", sandbox=Sandbox(level, ponder=ponder), **limits))
    assert time.monotonic() - began < BOUND
    assert not left_over(before)
    assert outcome.record is not None, outcome.void
    verify(outcome.record, SECRET)
    assert outcome.record.verdicts[1] is Verdict.OK
    return outcome


@pytest.mark.soak
@EVERY_LEVEL
def test_who_burns_gets_nothing_while_others_think(level: Level) -> None:
    """The other seat thinks for 1.6 s in all, and two processes would burn all along,
    once there is a core for them.
    """
    rests = run(level, "burns")
    assert rests.record is not None
    assert rests.record.verdicts[0] is Verdict.OK, rests.seats[0]
    used = rests.seats[0].ending.cpu
    assert until(lambda: used < 0.5 * run(level, "burns", ponder=True).seats[0].ending.cpu)


@KEEPING
def test_no_timer_gets_a_stopped_bot_going(level: Level) -> None:
    """The system would send SIGCONT for it; at trusted there is nothing to keep it from
    that.
    """
    outcome = run(level, "stirs", "copes")
    assert outcome.record is not None
    assert outcome.record.verdicts[0] is Verdict.OK
    assert "used 0." in outcome.seats[0].ending.notes
    assert outcome.seats[0].ending.cpu < 0.8


@pytest.mark.soak
@EVERY_LEVEL
def test_a_resting_bot_that_goes_beyond_its_limits_or_fails_is_ended(level: Level) -> None:
    outcome = run(level, "cpu", turn_ms=2_000)
    assert outcome.record is not None
    assert outcome.record.verdicts[0] is Verdict.TIMEOUT
    assert outcome.seats[0].ending.killed
    if kind(level).wrapping:
        assert outcome.seats[0].ending.cpu > 0.1
