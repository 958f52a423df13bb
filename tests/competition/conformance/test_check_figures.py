"""What a check works out of what it measured: percentiles, how long a bank lasts, use
of the processor.
"""

import math
import shlex
import sys
from pathlib import Path

import msgpack
import pytest
import trio
from wording import pattern, sentence

from khiva_arena.arbiter.fairness import CpuSample
from khiva_arena.arbiter.redact import Redactor
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.proc_usage import ThreadTime
from khiva_arena.competition.conformance import check_plan, processor, steps_play, whole_check
from khiva_arena.competition.conformance.check_report import Bar, histogram_text
from khiva_arena.competition.conformance.context import RunningCheck, Warned
from khiva_arena.competition.conformance.positions import decisions_of_a_match
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.hints import describe
from khiva_arena.entrants.hints.failed import Failed
from khiva_arena.games.registry import GAMES, get
from khiva_arena.records.replay.conditions import TimeLimits

pytestmark = pytest.mark.slow

TURN, BANK = 1.0, 10.0


def running(*games: str) -> RunningCheck:
    bot = load(shlex.join([sys.executable, str(Path(__file__).parent / "bots" / "misfit.py")]))
    played = tuple(get(name) for name in games or GAMES)
    return RunningCheck(
        bot,
        TimeLimits(10_000, 1_000, 10_000),
        Sandbox(Level.TRUSTED),
        played,
        quick=True,
        levels=(),
        trust=True,
    )


def test_percentiles_and_bars() -> None:
    thought = [0.001 * number for number in range(1, 101)]
    assert steps_play.of_latency(thought) == pytest.approx(
        {"p50": 50, "p90": 90, "p99": 99, "max": 100}
    )
    assert steps_play.of_latency([0.25]) == {"p50": 250, "p90": 250, "p99": 250, "max": 250}
    assert steps_play.of_latency([]) == {}
    assert steps_play.histogram([]) == []
    bars = steps_play.histogram([0.00005, 0.0002, 0.0003, 0.02])
    assert bars == [(0.1, 1), (0.3, 2), (1, 0), (3, 0), (10, 0), (20, 1)]


@pytest.mark.parametrize(
    ("thought", "firsts", "lasts"),
    [
        ([0.2] * 9, {0}, math.inf),
        ([1.5] * 9, {0}, 1 + 9.5 / 0.5),
        ([3.0, 0.1, 0.1, 3.0, 0.1, 0.1], {0, 3}, math.inf),  # a slow start comes once to a match
        ([3.0, 1.5, 0.1, 3.0, 0.1, 0.1], {0, 3}, 1 + 8.0 / 0.125),
        ([2.0, 2.0], {0, 1}, 1 + 9.0),  # nothing but first ones: the others are taken for the same
        ([], set(), math.inf),
    ],
)
def test_how_long_a_bank_lasts(thought: list[float], firsts: set[int], lasts: float) -> None:
    assert steps_play.bank_lasts(
        thought, firsts, TimeLimits(10_000, 1_000, 10_000)
    ) == pytest.approx(lasts)


def test_a_bank_that_a_match_overdraws_is_a_failure() -> None:
    slow = running()
    slow.thought, slow.firsts = [1.5] * 60, {0, 30}
    with pytest.raises(Failed) as failed:
        trio.run(steps_play.latency, slow)
    needed = decisions_of_a_match(get("emira"))
    assert (
        failed.value.expected
        == f"a bank that lasts for a whole match, which asks a seat for about {needed} "
        "decisions in emira"
    )
    assert failed.value.got.endswith(
        sentence("check", "took-longer-pay", over="60", bank="its bank of 10,000 ms")
        + ", "
        + "and at that rate it lasts 20 decisions"
    )
    slow.thought = [1.01] * 60
    with pytest.raises(
        Warned,
        match=pattern("check", "took-longer-pay", over="60", bank="its bank of 10,000 ms") + "$",
    ):
        trio.run(steps_play.latency, slow)
    slow.thought = [0.99] * 60
    assert trio.run(steps_play.latency, slow).endswith("a turn has 1,000 ms")


@pytest.mark.parametrize(
    ("thought", "said"),
    [
        ([1.5] * 3, "too slow: 1.5 s a decision"),
        ([2.0] * 9, "too slow: 2.0 s a decision"),
        ([1.5] * 2, ""),  # too few to say
        ([1.01] * 9, ""),  # the bank pays for that
        ([1.5, 0.9, 1.5, 1.5], ""),  # not each decision
    ],
)
def test_a_quick_check_asks_no_more_once_every_decision_is_too_slow(
    thought: list[float], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = running()
    slow.thought, slow.firsts = thought, {0}

    async def tried(_running: RunningCheck) -> str:
        return "tried"

    monkeypatch.setattr(
        whole_check, "steps", lambda _running: [check_plan.PlannedStep("x", "a step", tried)]
    )
    so_far = whole_check.CheckRun([], lambda _step: None, Redactor({}))
    trio.run(whole_check._run_steps, slow, so_far)
    slow.quick = False
    trio.run(whole_check._run_steps, slow, so_far)
    assert [step.said for step in so_far.steps] == [
        f"not tried: {said}" if said else "tried",
        "tried",
    ]
    if said:
        with pytest.raises(Failed) as failed:
            trio.run(steps_play.latency, slow)
        assert failed.value.got.startswith(f"{said}; ")


def test_the_length_of_a_match() -> None:
    assert 15 < decisions_of_a_match(get("khiva")) < 60
    assert decisions_of_a_match(get("emira")) > 100


@pytest.mark.parametrize(
    ("begun", "ended", "said"),
    [
        (6, 6, "6 matches"),
        (1, 1, "1 match"),
        (6, 4, "6 matches begun, 4 to the end,"),
        (2, 0, "2 matches begun, none of them to the end,"),
    ],
)
def test_matches_that_were_cut_are_not_counted_as_whole(begun: int, ended: int, said: str) -> None:
    assert steps_play._matches(begun, ended) == said


def look(at: float, cpu: float, **threads: float) -> CpuSample:
    return CpuSample(
        at, [{int(thread[1:]): ThreadTime(0.0, had) for thread, had in threads.items()}], [cpu]
    )


def test_cpu_between_two_looks() -> None:
    assert processor.cpu_used(
        look(0, 0.0, t7=0.003), look(1, 0.01, t7=0.004, t8=0.005)
    ) == pytest.approx(0.006)
    assert processor.cpu_used(look(0, 1.0), look(1, 1.5)) == pytest.approx(
        0.48
    )  # a system that tells nothing of threads
    assert (
        processor.cpu_used(look(0, 1.0, t7=0.9), look(1, 1.01)) == 0.0
    )  # its threads have ended, and ticks are rough


@pytest.mark.parametrize(
    ("asked_for", "used", "idle", "said"),
    [
        (10.0, 9.9, 0.02, ""),
        (
            10.0,
            12.5,
            0.02,
            pattern("check", "cores-while-asked-while", asking="1.25", idling="0.02")
            + "; "
            + pattern("check", "share"),
        ),
        (
            10.0,
            1.0,
            0.5,
            pattern("check", "cores-while-asked-while", asking="0.10", idling="0.50")
            + ", "
            + pattern("check", "share-tenth"),
        ),
        (0.001, 0.015, 0.11, ""),  # within what readings may be rounded by
        (0.0, 0.0, 0.0, ""),
    ],
)
def test_cores_that_are_not_its_due_are_a_warning(
    asked_for: float, used: float, idle: float, said: str
) -> None:
    found = running("khiva")
    found.asked_for, found.used = asked_for, used
    if not said:
        assert processor.judge(found, idle).endswith(
            sentence("check", "while-not", idling=f"{idle:.2f}")
        )
        return
    with pytest.raises(Warned, match=said):
        processor.judge(found, idle)


def test_repeated_keys_are_few_and_short() -> None:
    pair = msgpack.packb("k" * 20_000) + b"\x00"
    assert describe.repeated_keys(b"\x82" + pair * 2) == {f"'{'k' * 39} ... (20002 characters)"}
    many = b"".join(msgpack.packb(f"key{number}") + b"\x00" for number in range(300))
    found = describe.repeated_keys(b"\xde" + (600).to_bytes(2, "big") + many * 2)
    assert len(found) == describe.KEYS_KEPT
    assert found <= {repr(f"key{number}") for number in range(300)}
    assert describe.repeated_keys(msgpack.packb({"a": {"a": 1}})) == set()


def test_the_histogram_is_drawn_to_its_longest_bar() -> None:
    bars = [Bar(0.1, 80), Bar(0.3, 0), Bar(1.0, 1)]
    assert histogram_text(bars) == [
        "             " + sentence("check", "decisions-time-took") + ":",
        "             to     0.1 ms      80  ########################################",
        "             to     0.3 ms       0",
        "             to       1 ms       1  #",
    ]
    assert histogram_text([]) == []
