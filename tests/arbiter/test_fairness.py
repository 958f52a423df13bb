"""A seat is late because it had no core: who is to blame for that, in virtual time and
with real processes.
"""

import math
import os
import sys
from typing import Any

import pytest
import trio
import trio.testing
from jobs import job, sound
from msgspec.structs import replace
from scripted import Bot, ScriptedWire, act, at_turns, first, honest, play
from tools import lacks
from wording import sentence

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fairness import CpuAccount, CpuSample, cpu_shortfall, over_cpu_share
from khiva_arena.arbiter.match import Job, LiveMatch, Outcome
from khiva_arena.arbiter.process import Processes
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.proc_usage import ThreadTime
from khiva_arena.common.result import VOIDS_MOST, Verdict

pytestmark = pytest.mark.slow

NOBODY = Command((), "")
STARVED = [0.0, 0.5, 0.0]
NOTHING = [0.0, 0.0, 0.0]
LIMITS = {"turn_ms": 1_000, "bank_ms": 0}


def run(
    *bots: Bot,
    delays: list[list[float]],
    cpus: list[list[float]],
    owns: list[list[float]] | None = None,
    attempt: int = 1,
    **limits: int,
) -> tuple[Outcome, ScriptedWire]:
    one = replace(job([NOBODY] * len(bots), **(LIMITS | limits)), attempt=attempt)
    return play(one, bots, delays=delays, cpus=cpus, owns=owns or [])


def late(message: dict[str, Any]) -> list[tuple[float, bytes]]:
    """Half a second late at most: as much as it had no core for."""
    return act(message, delay=1.3, choice=len(message["legal"]) - 1)


def test_a_hog_that_was_asked_is_out_and_the_late_seat_plays_on() -> None:
    outcome, wire = run(
        first(honest),
        first(late),
        honest,
        delays=[NOTHING, STARVED],
        cpus=[NOTHING, [1.9, 0.5, 0.1]],
    )
    record = sound(outcome)
    assert record.verdicts == (Verdict.RESOURCE, Verdict.OK, Verdict.OK)
    assert record.forfeited_at == (1, None, None)
    assert [choice.why for choice in record.steps[0]] == ["resource", "", ""]
    assert outcome.seats[0].faults[0].detail == "CPU time: used 1.9 s " + sentence(
        "arbiter", "while-seat-no-core", number="1", delayed="0.5"
    )
    assert not outcome.seats[1].faults
    assert record.ranks[0] == 3
    assert record.reason == "over"
    assert next(line for line in wire.log if " x 0 " in line) == "   1.000 x 0 stopped"


def test_the_time_without_a_core_is_not_charged() -> None:
    outcome, _ = run(
        honest,
        first(lambda m: act(m, delay=3.2)),
        honest,
        delays=[NOTHING, STARVED],
        cpus=[NOTHING, [6.0, 0, 0]],
        bank_ms=2_000,
    )
    assert sound(outcome).verdicts == (Verdict.RESOURCE, Verdict.OK, Verdict.OK)
    assert outcome.seats[1].slowest == pytest.approx(2.7)
    assert outcome.seats[1].bank_left == pytest.approx(0.3)


def test_a_hog_that_was_not_asked_has_a_tenth_of_a_core_and_then_to_pause() -> None:
    """Of the decisions that are asked of one seat alone: 0.11 s of a second is within
    its due and the rounding, 0.2 s is not.
    """
    for used, paused in ((0.11, False), (0.2, True)):
        delays, cpus = [NOTHING, STARVED], [NOTHING, [0.0, 0.5, used]]
        slow = first(late, kind="boost")
        outcome, wire = run(honest, slow, honest, delays=delays, cpus=cpus)
        alone = [to for to, message in wire.sent if message.get("kind") == "boost"]
        assert alone
        if not paused:
            assert "seat 1" in outcome.void
            continue
        record = sound(outcome)
        assert record.verdicts == (Verdict.OK, Verdict.OK, Verdict.OK)
        assert not any(report.faults for report in outcome.seats)
        assert [report.measured.paused for report in outcome.seats] == [0, 0, 1]
        rests = next(number for number, line in enumerate(wire.log) if " z 2 " in line)
        asked = next(
            number
            for number, line in enumerate(wire.log)
            if number > rests and " > 2 decide" in line
        )
        assert any(" w 2 " in line for line in wire.log[rests:asked])


def test_all_hogs_are_out() -> None:
    outcome, _ = run(
        honest, first(late), honest, delays=[NOTHING, STARVED], cpus=[NOTHING, [1.3, 0.4, 1.3]]
    )
    record = sound(outcome)
    assert record.verdicts == (Verdict.RESOURCE, Verdict.OK, Verdict.RESOURCE)
    assert (record.ranks, record.reason) == ((2, 1, 2), "forfeits")


def test_without_a_hog_the_host_was_late() -> None:
    outcome, _ = run(
        honest, first(late), honest, delays=[NOTHING, STARVED], cpus=[NOTHING, [1.2, 0.4, 1.2]]
    )
    assert outcome.record is None
    assert outcome.void == sentence("arbiter", "seat-late-no-core", seat="1", late="500")
    assert outcome.causes == (1,)  # and seats 0 and 2 only sat there


@pytest.mark.parametrize(("without", "void"), [(0.005, False), (0.09, False), (0.12, True)])
def test_a_bot_that_was_nearly_always_running_voids_nothing(without: float, void: bool) -> None:
    """Else one that loses computes to the end of its time, answers in the moment that
    any machine owes it, and has a second try. It is no fault either: on a busy host
    that is what an honest bot looks like.
    """
    slow = first(lambda message: act(message, delay=1.0 + without - 0.002, choice=5))
    outcome, _ = run(honest, slow, honest, delays=[NOTHING, [0.0, without, 0.0]], cpus=[NOTHING])
    assert not any(report.faults or report.measured.paused for report in outcome.seats)
    assert (outcome.record is None, outcome.causes) == (void, (1,) if void else ())
    if not void:
        assert sound(outcome).steps[0][1] == (1, 5, "")


@pytest.mark.parametrize("attempt", [VOIDS_MOST, VOIDS_MOST + 1])
def test_the_last_attempt_takes_an_answer_that_came_in_the_time_given_back(attempt: int) -> None:
    """It is played, it is no fault, and of the 3.2 s that it took the 0.5 s without a
    core are not charged.
    """
    slow = first(lambda m: act(m, delay=3.2, choice=5))
    outcome, _ = run(
        honest,
        slow,
        honest,
        delays=[NOTHING, STARVED],
        cpus=[NOTHING],
        bank_ms=2_000,
        attempt=attempt,
    )
    record = sound(outcome)
    assert record.steps[0][1] == (1, 5, "")
    assert record.verdicts == (Verdict.OK,) * 3
    assert not any(report.faults or report.measured.paused for report in outcome.seats)
    assert outcome.seats[1].slowest == pytest.approx(2.7)
    assert outcome.seats[1].bank_left == pytest.approx(0.3)


@pytest.mark.parametrize(("turn_ms", "strikes"), [(20, 0), (100, 0), (1_000, 1)])
def test_in_a_short_turn_what_a_seat_lacked_from_its_beginning_counts(
    turn_ms: int, strikes: int
) -> None:
    """It had no core for the first hundredth of a second, the moment before which
    nobody is looked at in long turns. It answers in the time that it lacked.
    """
    late = first(lambda message: act(message, delay=turn_ms / 1000 + 0.005, choice=5))
    delays = [NOTHING, *[[0.0, 0.010, 0.0]] * 9] if turn_ms <= 100 else [[0.0, 0.010, 0.0]]
    outcome, _ = run(
        honest, late, honest, delays=delays, cpus=[NOTHING], attempt=VOIDS_MOST, turn_ms=turn_ms
    )
    assert len(outcome.seats[1].faults) == strikes
    assert sound(outcome).steps[0][1][1:] == ((0, "timeout") if strikes else (5, ""))


def test_the_last_attempt_gives_no_more_time_than_any_other() -> None:
    silent, _ = run(
        honest,
        first(lambda _: []),
        honest,
        delays=[NOTHING, STARVED],
        cpus=[NOTHING],
        attempt=VOIDS_MOST,
    )
    assert sound(silent).verdicts == (Verdict.OK,) * 3
    assert [fault.verdict for fault in silent.seats[1].faults] == [Verdict.TIMEOUT]


def changing(at: int) -> tuple[Outcome, ScriptedWire]:
    """Seat 1 answers half a second late, having had no core for as long; at the look
    number ``at`` it has another process.
    """
    same, other = [{0}, {1}, {2}], [{0}, {1, 7}, {2}]

    async def one() -> tuple[Outcome, ScriptedWire]:
        wire = ScriptedWire([honest, first(late), honest])
        wire.delays, wire.processes = [NOTHING, STARVED], [*[same] * at, other, same]
        return await LiveMatch(job([NOBODY] * 3, **LIMITS), wire, LagMeter()).play(), wire

    return trio.run(one, clock=trio.testing.MockClock(autojump_threshold=0))


@pytest.mark.parametrize("at", [1, 2, 20])
def test_who_has_other_processes_meanwhile_is_not_excused(at: int) -> None:
    """Whenever in the step that was: what they took may be in no figure. The match is
    not void, the late answer is not played.
    """
    outcome, wire = changing(at)
    record = sound(outcome)
    assert [(fault.verdict, fault.detail) for fault in outcome.seats[1].faults] == [
        (Verdict.TIMEOUT, "no answer came")
    ]
    assert record.steps[0][1].why == "timeout"
    assert next(line for line in wire.log if "> 1 fault timeout" in line).startswith("   1.0")


def test_who_is_waited_for_again_is_looked_at_again() -> None:
    """Seat 1 repeats an old answer, which ends the looks while only a player elsewhere
    is waited for; then it is waited for once more, and what processes it has by then
    counts.
    """
    asked: list[int] = []

    def strays(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message["type"] != "decide":
            return honest(message)
        asked.append(message["req"])
        return (
            act({"req": asked[0]}, delay=0.05) + late(message)
            if len(asked) == 2
            else honest(message)
        )

    def elsewhere(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return act(message, delay=0.5) if message["type"] == "decide" else honest(message)

    same: list[set[int]] = [set(), {1}, {2}]
    other: list[set[int]] = [set(), {1, 7}, {2}]

    async def one() -> Outcome:
        wire = ScriptedWire([elsewhere, strays, honest])
        wire.delays, wire.processes = [NOTHING, NOTHING, STARVED], [*[same] * 8, other, same]
        return await LiveMatch(job([NOBODY] * 3, **LIMITS), wire, LagMeter()).play()

    outcome = trio.run(one, clock=trio.testing.MockClock(autojump_threshold=0))
    sound(outcome)
    assert [fault.detail for fault in outcome.seats[1].faults] == ["no answer came"]


def test_who_has_other_processes_only_when_it_is_late_gets_no_more_time_and_is_late() -> None:
    """Some of the time is given back already: an answer that comes in it counts no
    more.
    """
    outcome, _ = changing(45)
    assert [fault.verdict for fault in outcome.seats[1].faults] == [Verdict.TIMEOUT]


def test_processes_that_were_there_before_and_are_still_excuse_as_before() -> None:
    outcome, _ = changing(10_000)
    assert outcome.record is None
    assert outcome.causes == (1,)


def test_a_hog_is_out_at_the_last_attempt_too() -> None:
    outcome, _ = run(
        honest,
        first(late),
        honest,
        delays=[NOTHING, STARVED],
        cpus=[NOTHING, [1.9, 0.5, 0.1]],
        attempt=VOIDS_MOST,
    )
    assert sound(outcome).verdicts == (Verdict.RESOURCE, Verdict.OK, Verdict.OK)


def test_lateness_voids_a_match_once_and_never_sets_a_table_aside() -> None:
    """The bot does the same at each attempt; a match that the host cannot start is void
    as often as it is tried.
    """

    async def one(job_: Job) -> Outcome:
        wire = ScriptedWire([honest, first(late)])
        wire.delays = [[0.0, 0.0], [0.0, 0.5]]
        return await LiveMatch(job_, wire, LagMeter()).play()

    outcomes: list[Outcome] = []
    jobs = pool._Queue(iter([job([NOBODY] * 2, **LIMITS)]))
    trio.run(
        pool._slot, jobs, one, outcomes.append, clock=trio.testing.MockClock(autojump_threshold=0)
    )
    assert [(outcome.attempt, outcome.record is None) for outcome in outcomes] == [
        (1, True),
        (2, False),
    ]
    assert outcomes[0].void == sentence("arbiter", "seat-late-no-core", seat="1", late="500")
    assert sound(outcomes[1]).verdicts == (Verdict.OK, Verdict.OK)


def test_who_is_out_already_is_not_blamed_again() -> None:
    text: Bot = lambda _: [(0.001, b"text")]  # noqa: E731
    outcome, _ = run(
        first(text),
        at_turns({2: 1.3}),
        honest,
        delays=[NOTHING, STARVED],
        cpus=[NOTHING, [9.0, 0.4, 0.5]],
    )
    assert outcome.record is None
    assert "seat 1" in outcome.void
    assert [fault.verdict for fault in outcome.seats[0].faults] == [Verdict.PROTOCOL]


def test_two_late_seats_and_one_hog() -> None:
    """The hog is out with the first look; what the other late seat lacked until then is
    on its account, too, though by its own end it used no more than is due for so long a
    time.
    """
    looks = [NOTHING, NOTHING, NOTHING, [0.5, 0.0, 0.0], [0.5, 1.0, 0.0]]
    cpus = [NOTHING, NOTHING, NOTHING, [0.4, 0.4, 1.5], [0.4, 0.4, 1.5]]
    outcome, _ = run(
        at_turns({1: 2.9, 2: 1.4}),
        at_turns({2: 3.9}),
        honest,
        delays=looks,
        cpus=cpus,
        bank_ms=2_000,
    )
    assert sound(outcome).verdicts == (Verdict.OK, Verdict.OK, Verdict.RESOURCE)
    assert outcome.seats[2].faults[0].step > 1
    assert [len(report.faults) for report in outcome.seats] == [0, 0, 1]
    assert outcome.seats[0].bank_left == pytest.approx(0.1)
    assert outcome.seats[1].bank_left == pytest.approx(0.1)


def test_a_hog_that_answered_in_time_is_out_nevertheless() -> None:
    """Its answer is not played."""
    outcome, _ = run(
        honest, first(late), honest, delays=[NOTHING, STARVED], cpus=[NOTHING, [0.0, 0.4, 1.9]]
    )
    record = sound(outcome)
    assert record.steps[0][2] == (2, 0, "resource")


def test_a_short_wait_for_a_core_blames_nobody() -> None:
    """Two hundredths of its time, which a bot can bring about by itself: a seat that
    says nothing at all is late by its own fault, and one that answers does not put
    another out that uses more than its due.
    """
    delays, cpus = [NOTHING, [0.0, 0.02, 0.0]], [NOTHING, [1.9, 0.4, 0.0]]
    silent, _ = run(honest, first(lambda _: []), honest, delays=delays, cpus=cpus)
    assert sound(silent).verdicts == (Verdict.OK,) * 3
    assert [fault.verdict for fault in silent.seats[1].faults] == [Verdict.TIMEOUT]
    for attempt in (1, VOIDS_MOST):
        answered, _ = run(
            honest,
            first(lambda m: act(m, delay=1.01)),
            honest,
            delays=delays,
            cpus=cpus,
            attempt=attempt,
        )
        assert sound(answered).verdicts == (Verdict.OK,) * 3
        assert not any(report.faults for report in answered.seats)


@pytest.mark.parametrize(("lacked", "verdict"), [(0.098, None), (0.1, Verdict.RESOURCE)])
def test_a_hog_is_out_where_a_late_seat_lacked_a_tenth_of_its_time(
    lacked: float, verdict: Verdict | None
) -> None:
    """Of the 0.99 s that were watched."""
    delays, cpus = [NOTHING, [0.0, lacked, 0.0]], [NOTHING, [1.9, 0.4, 0.0]]
    outcome, _ = run(honest, first(lambda m: act(m, delay=1.05)), honest, delays=delays, cpus=cpus)
    assert [fault.verdict for fault in outcome.seats[0].faults] == ([verdict] if verdict else [])
    assert sound(outcome).verdicts[0] == (verdict or Verdict.OK)
    assert not outcome.seats[1].faults


@pytest.mark.parametrize(("lacked", "paused"), [(0.098, 0), (0.1, 1)])
def test_who_thinks_in_the_others_time_pauses_where_a_late_seat_lacked_a_tenth_of_its_own(
    lacked: float, paused: int
) -> None:
    delays, cpus = [NOTHING, [0.0, lacked, 0.0]], [NOTHING, [0.0, 0.4, 0.9]]
    slow = first(lambda m: act(m, delay=1.05), kind="boost")
    outcome, _ = run(honest, slow, honest, delays=delays, cpus=cpus, attempt=VOIDS_MOST)
    assert sound(outcome).verdicts == (Verdict.OK,) * 3
    assert [report.measured.paused for report in outcome.seats] == [0, 0, paused]


def test_what_other_threads_of_a_seat_took_is_not_given_back() -> None:
    """It contended with its own child for a while and slept then: it lacked 70 ms,
    which are just what the child got.
    """
    delays, cpus, owns = (
        [NOTHING, [0.0, 0.07, 0.0]],
        [NOTHING, [0.0, 0.14, 0.0]],
        [NOTHING, [0.0, 0.07, 0.0]],
    )
    for attempt in (1, VOIDS_MOST):
        outcome, _ = run(
            honest,
            first(lambda m: act(m, delay=1.03)),
            honest,
            delays=delays,
            cpus=cpus,
            owns=owns,
            attempt=attempt,
        )
        assert sound(outcome).verdicts == (Verdict.OK,) * 3
        assert [fault.verdict for fault in outcome.seats[1].faults] == [Verdict.TIMEOUT]


def test_a_seat_whose_own_threads_wait_for_each_other_is_owed_nothing() -> None:
    """It had a whole core: neither the host nor anybody at the table is to blame, and
    the match is not void.
    """
    outcome, _ = run(
        honest,
        first(late),
        honest,
        delays=[NOTHING, [0.0, 0.8, 0.0]],
        cpus=[NOTHING, [0.0, 1.0, 0.0]],
    )
    assert sound(outcome).verdicts == (Verdict.OK,) * 3
    assert [fault.verdict for fault in outcome.seats[1].faults] == [Verdict.TIMEOUT]


def test_time_that_is_given_back_and_lacked_again_is_given_back_again() -> None:
    """Half a second in the turn, a quarter in the half second, an eighth in the
    quarter, and then the answer comes.
    """
    looks = [[0.0, total, 0.0] for total in (0.0, 0.5, 0.75, 0.875)]
    cpus = [NOTHING]
    outcome, _ = run(honest, first(lambda m: act(m, delay=1.87)), honest, delays=looks, cpus=cpus)
    assert outcome.void == sentence("arbiter", "seat-late-no-core", seat="1", late="875")
    outcome, _ = run(honest, first(lambda m: act(m, delay=1.88)), honest, delays=looks, cpus=cpus)
    assert sound(outcome).verdicts == (Verdict.OK,) * 3
    assert [fault.verdict for fault in outcome.seats[1].faults] == [Verdict.TIMEOUT]


def test_on_a_host_without_any_core_there_is_an_end_to_giving_back() -> None:
    """Eight times what was seen of the first second: all but its first hundredth."""
    looks = [[0.0, float(total), 0.0] for total in range(30)]
    outcome, wire = run(honest, first(lambda _: []), honest, delays=looks, cpus=[NOTHING])
    assert [fault.verdict for fault in outcome.seats[1].faults] == [Verdict.TIMEOUT]
    told = next(line for line in wire.log if "> 1 fault timeout" in line)
    assert told.startswith("   8.920")


def test_what_a_seat_is_owed() -> None:
    """Of 2 s: by what one thread waited and had, and what all had."""
    before = CpuSample(10.0, [{7: ThreadTime(1.0, 4.0)}], [5.0])

    def of(waited: float, own: float, had: float) -> float:
        return cpu_shortfall(
            before, CpuSample(12.0, [{7: ThreadTime(1.0 + waited, 4.0 + own)}], [5.0 + had]), 0
        )

    assert of(1.5, 0.0, 0.0) == pytest.approx(1.5)
    assert of(1.5, 1.0, 1.0) == pytest.approx(
        0.98
    )  # a thread cannot have lacked what it had: counted in ticks
    assert of(8.0, 4.0, 4.0) == 0
    assert of(0.5, 0.5, 0.5) == pytest.approx(0.5)
    assert of(0.5, 0.5, 0.52) == pytest.approx(0.48)  # may be rounding
    assert of(0.5, 0.5, 0.6) == pytest.approx(0.38)  # others had 0.1 s, to a tick at each end
    assert of(0.07, 0.07, 0.14) == 0
    assert of(0.5, 0.5, 0.4) == pytest.approx(0.5)  # less than one thread had: ticks, too


def test_what_a_seat_is_owed_goes_by_one_and_the_same_thread() -> None:
    """What a thread waited before the request counts for nothing, and one that began
    after it counts from its beginning.
    """
    before = CpuSample(10.0, [{1: ThreadTime(9.0, 1.0), 2: ThreadTime(2.0, 8.0)}], [20.0])
    assert cpu_shortfall(
        before, CpuSample(12.0, [{1: ThreadTime(9.0, 1.0), 2: ThreadTime(2.5, 8.5)}], [20.5]), 0
    ) == pytest.approx(0.5)
    assert cpu_shortfall(
        before, CpuSample(12.0, [{1: ThreadTime(9.0, 1.0), 3: ThreadTime(0.4, 0.3)}], [20.3]), 0
    ) == pytest.approx(0.4)
    assert cpu_shortfall(before, CpuSample(12.0, [{}], [20.0]), 0) == 0


def test_a_thread_that_made_itself_wait_is_owed_nothing() -> None:
    """Whether it had done so before, does so now, or is another one than the thread
    that waits as long.
    """

    def of(then: bool, now: bool, *others: float) -> float:
        before = CpuSample(10.0, [{7: ThreadTime(1.0, 4.0, then)}], [5.0])
        rest = {8 + number: ThreadTime(waited, 0.0) for number, waited in enumerate(others)}
        return cpu_shortfall(
            before, CpuSample(12.0, [{7: ThreadTime(2.5, 4.0, now), **rest}], [5.0]), 0
        )

    assert of(True, True) == pytest.approx(1.5)
    assert of(True, False) == of(False, True) == of(False, False) == 0
    assert of(True, False, 0.3, 0.2) == pytest.approx(0.3)


MAKES_ITSELF_WAIT = {
    "as it was started": "",
    "niceness": "os.nice(1)",
    "niceness of its session": "open('/proc/self/autogroup', 'w').write('1')",
    "policy": "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
    "cores": "os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})",
}


@pytest.mark.parametrize("how", MAKES_ITSELF_WAIT)
def test_a_bot_that_makes_itself_wait_is_known(how: str) -> None:
    if how == "niceness of its session" and not os.path.exists("/proc/self/autogroup"):
        lacks("this kernel shares its cores by process alone", may=True)
    if how == "cores" and len(os.sched_getaffinity(0)) == 1:
        lacks("there is one core alone", may=True)
    code = f"import os, time\n{MAKES_ITSELF_WAIT[how]}\nos.write(1, b'.')\ntime.sleep(60)"

    async def as_started() -> set[bool]:
        wire = Processes([Command((sys.executable, "-c", code), "/tmp")])
        try:
            assert await wire.receive(trio.current_time() + 60)
            return {thread.as_started for thread in wire.uses()[0].threads.values()}
        finally:
            await wire.close(0)

    assert trio.run(as_started) == {how == "as it was started"}


def test_what_is_more_than_a_seat_s_due() -> None:
    before, after = (
        CpuSample(10.0, [{}] * 4, [1.0] * 4),
        CpuSample(20.0, [{}] * 4, [13.0, 13.1, 2.0, 2.1]),
    )
    found = over_cpu_share(before, after, {0: True, 1: True, 2: False, 3: False})
    assert found == {1: pytest.approx(12.1), 3: pytest.approx(1.1)}


@pytest.mark.parametrize("ours", [False, True])
def test_who_only_stands_for_a_player_elsewhere_is_not_looked_at_again(ours: bool) -> None:
    """A person may think for hours: nothing is looked for that cannot be there."""

    async def next_look() -> float:
        wire = Processes([Command(("/bin/sleep", "60"), "/", ours=ours)], Sandbox(Level.TRUSTED))
        account = CpuAccount(wire)
        account.begin(1.0)
        account.look([0], [0])
        account.plan_next([0])
        await wire.close(0.0)
        return account.next_look

    assert (trio.run(next_look) == math.inf) == ours


def test_cpu_is_that_of_the_whole_tree_whatever_it_is_called() -> None:
    """A child that ended and was waited for, one that still runs, and the bot itself:
    0.2 s each.
    """
    burn = "import os, time\nwhile time.process_time() < 0.2: pass\n"
    named = "open('/proc/self/comm', 'wb').write({!r})\n".format
    child = f"{named(b') R 1 (')}{burn}os.write(1, b'.')\ntime.sleep(60)"
    main = (
        named(b"\xff\xfe\n) 1")
        + f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {burn!r}])\n{burn}"
    )
    main += f"subprocess.run([sys.executable, '-c', {child!r}])"

    async def cpu() -> list[float]:
        quiet = Command(("/bin/sleep", "60"), "/tmp")
        wire = Processes(
            [
                Command((sys.executable, "-c", main), "/tmp"),
                quiet,
                Command(("/nowhere/bot",), "/tmp"),
            ]
        )
        try:
            arrived = b""
            while not arrived:
                arrived = b"".join(
                    arrival.data for arrival in await wire.receive(trio.current_time() + 60)
                )
            return [use.cpu for use in wire.uses()]
        finally:
            await wire.close(0)

    used, idle, never = trio.run(cpu)
    assert 0.55 < used < 5
    assert idle < 0.1
    assert never == 0
