"""The arbiter runs late: who gets its lag, and who brought it about, in virtual
time.
"""

import os
import threading
from collections.abc import Sequence
from typing import Any

import pytest
import trio
import trio.testing
from jobs import job, sound
from msgspec.structs import replace
from scripted import ScriptedWire, act, at_turns, first, honest, play
from wording import sentence

from khiva_arena.arbiter import fairness
from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fairness import CpuAccount, CpuSample
from khiva_arena.arbiter.match import LiveMatch, Outcome
from khiva_arena.arbiter.wire import Arrival
from khiva_arena.bots.sandbox import proc_usage
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.proc_usage import own_delay, thread_times
from khiva_arena.common.result import VOIDS_MOST, Verdict

NOBODY = Command((), "")
NOTHING = [0.0, 0.0, 0.0]
LIMITS = {"turn_ms": 1_000, "bank_ms": 0}


class LateLoop(LagMeter):
    """The lag of an arbiter that once, at ``after`` seconds, is late by ``seconds``."""

    def __init__(self, after: float = 0.5, seconds: float = 2.5) -> None:
        super().__init__()
        self.after, self.seconds = after, seconds

    def total(self, now: float) -> float:
        return self.seconds * (now > self.after)


def late_arbiter(
    monkeypatch: pytest.MonkeyPatch,
    *used: float,
    own_delay: float = 2.5,
    delay: float = 0.0,
    cores: int = 2,
    kind: str = "play_pass",
    bank_ms: int = 0,
    attempt: int = 1,
) -> tuple[Outcome, ScriptedWire]:
    """Return a match in which seat 1 answers its first ``kind`` after 3 s of a turn of
    1 s, in time since the arbiter lagged.

    used: the seconds of CPU that the seats used within 1 s
    own_delay: the seconds of it for which the arbiter had no core
    delay: those for which seat 1 had none
    """
    monkeypatch.setattr(fairness.system, "cores", lambda: cores)
    monkeypatch.setattr(fairness, "own_delay", lambda: own_delay * (trio.current_time() > 0.5))
    bots = [honest, first(lambda message: act(message, delay=3.0), kind), honest]
    one = replace(job([NOBODY] * 3, **LIMITS | {"bank_ms": bank_ms}), attempt=attempt)
    return play(one, bots, LateLoop(), delays=[NOTHING, [0.0, delay, 0.0]], cpus=[NOTHING, [*used]])


def blamed(outcome: Outcome) -> list[int]:
    """Return the seats at fault, none of which is late, or that paused; none does
    both.
    """
    assert not any(report.faults and report.measured.paused for report in outcome.seats)
    assert not {fault.verdict for report in outcome.seats for fault in report.faults} - {
        Verdict.RESOURCE
    }
    return [
        number
        for number, report in enumerate(outcome.seats)
        if report.faults or report.measured.paused
    ]


@pytest.mark.parametrize(
    ("cores", "used", "out"), [(2, 1.21, False), (2, 1.3, True), (4, 2.01, False), (4, 2.15, True)]
)
@pytest.mark.parametrize("attempt", [1, VOIDS_MOST])
def test_who_keeps_the_arbiter_from_a_core_gets_none_of_its_lag(
    monkeypatch: pytest.MonkeyPatch, cores: int, used: float, out: bool, attempt: int
) -> None:
    """When its time of 1 s was over it had used more than its share, 1.22 s, and more
    than half of what the cores gave.
    """
    outcome, wire = late_arbiter(monkeypatch, 0.0, used, 0.0, cores=cores, attempt=attempt)
    record = sound(outcome)
    assert record.verdicts == (Verdict.OK, Verdict.RESOURCE if out else Verdict.OK, Verdict.OK)
    assert blamed(outcome) == ([1] if out else [])
    assert record.steps[0][1].why == ("resource" if out else "")
    if out:
        told = sentence("arbiter", "while-arbiter-no-core", delayed="2.5")
        assert outcome.seats[1].faults[0].detail == f"CPU time: used {used:.1f} s {told}"
        assert (
            1.0 <= next(float(line.split()[0]) for line in wire.log if " x 1 " in line) < 1.05
        )  # not when it answers


@pytest.mark.parametrize(("used", "charged"), [(3.58, 0.5), (3.66, 3.0)])
def test_who_keeps_the_arbiter_from_a_core_is_charged_its_lag(
    monkeypatch: pytest.MonkeyPatch, used: float, charged: float
) -> None:
    outcome, _ = late_arbiter(monkeypatch, 0.0, used, 0.0, bank_ms=5_000)
    assert sound(outcome).steps[0][1].why == ""
    assert not outcome.seats[1].faults
    assert outcome.seats[1].slowest == pytest.approx(charged)
    assert outcome.seats[1].bank_left == pytest.approx(5.0 - max(0.0, charged - 1.0))


@pytest.mark.parametrize("kind", ["play_pass", "boost"])
def test_who_keeps_the_arbiter_from_a_core_while_another_seat_thinks_pauses(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Whether it has answered or was not asked: at the moment when the other is late
    but for the lag.
    """
    outcome, wire = late_arbiter(monkeypatch, 0.0, 0.1, 3.7, kind=kind)
    assert sound(outcome).verdicts == (Verdict.OK,) * 3
    assert blamed(outcome) == [2]
    asked = next(float(line.split()[0]) for line in wire.log if f" > 1 decide {kind}" in line)
    rests = next(float(line.split()[0]) for line in wire.log if " z 2 " in line)
    assert 1.0 <= rests - asked < 1.05


@pytest.mark.parametrize(("own_delay", "out"), [(0.0, False), (0.49, False), (0.55, True)])
@pytest.mark.parametrize("late_by_itself", [False, True])
def test_an_arbiter_that_was_stopped_blames_nobody(
    monkeypatch: pytest.MonkeyPatch, own_delay: float, out: bool, late_by_itself: bool
) -> None:
    """It was late, but not for want of a core: it lacked one for less than half of its
    1 s. The late seat had all or none.
    """
    used, delay = ((60.0, 0.0), 0.0) if late_by_itself else ((0.0, 60.0), 0.9)
    outcome, _ = late_arbiter(monkeypatch, 0.0, *used, own_delay=own_delay, delay=delay)
    assert blamed(outcome) == ([1 if late_by_itself else 2] if out else [])


@pytest.mark.parametrize(("delay", "out"), [(0.05, False), (0.09, False), (0.12, True)])
def test_a_hog_is_out_where_the_late_seat_is_in_time_by_the_arbiter_s_lag_alone(
    monkeypatch: pytest.MonkeyPatch, delay: float, out: bool
) -> None:
    """The late seat lacked a tenth of its 1 s."""
    outcome, _ = late_arbiter(monkeypatch, 0.0, 0.1, 3.7, delay=delay, cores=8)
    record = sound(outcome)
    assert blamed(outcome) == ([2] if out else [])
    assert record.steps[0][1].why == ""
    if out:
        told = sentence("arbiter", "while-seat-no-core", number="1", delayed="0.1")
        assert outcome.seats[2].faults[0].detail == "CPU time: used 3.7 s " + told


@pytest.fixture
def starved_arbiter(monkeypatch: pytest.MonkeyPatch) -> None:
    """An arbiter on two cores that had none for 2.5 s."""
    monkeypatch.setattr(fairness.system, "cores", lambda: 2)
    monkeypatch.setattr(fairness, "own_delay", lambda: 2.5 * (trio.current_time() > 0.5))


@pytest.mark.usefixtures("starved_arbiter")
@pytest.mark.parametrize(("changes", "out"), [(False, True), (True, False)])
def test_a_late_seat_that_has_other_processes_meanwhile_blames_nobody(
    monkeypatch: pytest.MonkeyPatch, changes: bool, out: bool
) -> None:
    """Those may have taken its core. The other seat used more than its share, and less
    than half of all cores.
    """
    monkeypatch.setattr(fairness.system, "cores", lambda: 8)

    async def one() -> Outcome:
        wire = ScriptedWire([honest, first(lambda message: act(message, delay=3.0)), honest])
        wire.delays, wire.cpus = [NOTHING, [0.0, 0.9, 0.0]], [NOTHING, [0.0, 0.1, 3.7]]
        same: list[set[int]] = [{0}, {1}, {2}]
        wire.processes = [same, [{0}, {1, 7}, {2}] if changes else same]
        return await LiveMatch(job([NOBODY] * 3, **LIMITS), wire, LateLoop()).play()

    assert blamed(trio.run(one, clock=trio.testing.MockClock(autojump_threshold=0))) == (
        [2] if out else []
    )


@pytest.mark.usefixtures("starved_arbiter")
@pytest.mark.parametrize(("lag", "out"), [(0.09, False), (0.13, True)])
def test_a_lag_of_less_than_a_tenth_is_nobodys(lag: float, out: bool) -> None:
    bots = [honest, first(lambda message: act(message, delay=1.06)), honest]
    delays, cpus = [NOTHING, [0.0, 0.9, 0.0]], [NOTHING, [0.0, 0.1, 3.7]]
    outcome, _ = play(
        job([NOBODY] * 3, **LIMITS), bots, LateLoop(seconds=lag), delays=delays, cpus=cpus
    )
    assert blamed(outcome) == ([2] if out else [])


@pytest.mark.usefixtures("starved_arbiter")
@pytest.mark.parametrize(("ends", "out"), [(False, True), (True, False)])
def test_a_bot_that_has_ended_is_not_late(ends: bool, out: bool) -> None:
    """The system counts on for what is left of it."""
    bots = [
        first(lambda message: act(message, delay=3.0)),
        first(lambda message: [(0.4, b"")] if ends else act(message, delay=3.0)),
        honest,
    ]
    delays, cpus = [NOTHING, [0.0, 0.9, 0.0]], [NOTHING, [0.1, 0.1, 1.3]]
    outcome, _ = play(job([NOBODY] * 3, **LIMITS), bots, LateLoop(), delays=delays, cpus=cpus)
    assert [bool(report.faults) for report in outcome.seats] == [False, ends, out]
    assert (
        not ends or outcome.seats[2].measured.paused == 1
    )  # it used more than half of what two cores can give


@pytest.mark.usefixtures("starved_arbiter")
def test_who_answers_an_earlier_request_first_is_out_at_its_deadline_all_the_same() -> None:
    asked: list[int] = []

    def strays(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message["type"] != "decide":
            return honest(message)
        asked.append(message["req"])
        stray = act({"req": asked[0]}, delay=0.05)
        return stray + act(message, delay=3.0) if len(asked) == 2 else act(message, delay=0.4)

    outcome, wire = play(
        job([NOBODY] * 2, **LIMITS),
        [honest, strays],
        LateLoop(),
        cpus=[[0.0, 0.0]] * 3 + [[0.0, 3.7]],
    )
    assert blamed(outcome) == [1]
    asked_at = [float(line.split()[0]) for line in wire.log if " > 1 decide" in line][1]
    stopped_at = next(float(line.split()[0]) for line in wire.log if " x 1 " in line)
    assert 1.0 <= stopped_at - asked_at < 1.05


@pytest.mark.usefixtures("starved_arbiter")
def test_a_hog_whose_processes_change_is_out_at_its_deadline_all_the_same() -> None:
    """Nobody is looked at any more then, since what its processes took may be in no
    figure.
    """

    async def one() -> tuple[Outcome, ScriptedWire]:
        wire = ScriptedWire([honest, first(lambda message: act(message, delay=3.0))])
        wire.cpus = [[0.0, 0.0], [0.0, 3.7]]
        wire.processes = [[{0}, {1}], [{0}, {1, 7}]]
        return await LiveMatch(job([NOBODY] * 2, **LIMITS), wire, LateLoop(0.9)).play(), wire

    outcome, wire = trio.run(one, clock=trio.testing.MockClock(autojump_threshold=0))
    assert blamed(outcome) == [1]
    assert 1.0 <= next(float(line.split()[0]) for line in wire.log if " x 1 " in line) < 1.05


def test_who_thinks_in_its_own_time_is_not_stopped_and_charged_the_lag(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seat 1 has used up its bank and is late but for the lag, when seat 2 has 4 s
    left, for which it keeps all cores busy.
    """
    monkeypatch.setattr(fairness.system, "cores", lambda: 2)
    monkeypatch.setattr(fairness, "own_delay", lambda: 2.5 * (trio.current_time() > 6.5))
    bots = [honest, at_turns({1: 5.9, 2: 3.0}), at_turns({2: 4.0})]
    cpus = [NOTHING, NOTHING, NOTHING, [0.0, 0.1, 8.0]]
    outcome, wire = play(
        job([NOBODY] * 3, turn_ms=1_000, bank_ms=5_000), bots, LateLoop(6.5), cpus=cpus
    )
    assert not any(report.faults for report in outcome.seats)
    assert outcome.seats[1].slowest == pytest.approx(5.9)
    assert outcome.seats[2].slowest == pytest.approx(4.0)
    assert outcome.seats[2].bank_left == pytest.approx(2.0)
    rests = next(number for number, line in enumerate(wire.log) if " z 2 " in line)
    assert "< 2 " in wire.log[rests - 1]  # not before it has answered


def late_for_its_first_look(
    monkeypatch: pytest.MonkeyPatch,
    used: float,
    delay: float,
    kind: str = "play_pass",
    asked_at: float = 3.0,
) -> Outcome:
    """Return a match in which each wait of the arbiter takes 3 s, that of the greeting,
    too.

    Seat 1 answers its first ``kind`` after 3.3 s: in time if 1.9 s of lag and some of
    its delay are added to its turn of 1 s.

    used: the seconds of CPU that seat 2 used meanwhile
    delay: the seconds for which seat 1 had no core
    asked_at: when seat 1 is asked
    """

    async def oversleep(wire: ScriptedWire, _: float) -> Sequence[Arrival]:
        await trio.sleep(3.0)
        if trio.current_time() > asked_at:
            wire.delays, wire.cpus = [[0.0, delay, 0.0]], [[0.0, 0.1, used]]
        return wire.look()

    monkeypatch.setattr(ScriptedWire, "receive", oversleep)
    monkeypatch.setattr(fairness.system, "cores", lambda: 2)
    monkeypatch.setattr(fairness, "own_delay", lambda: 2.5 * (trio.current_time() > asked_at))
    bots = [honest, first(lambda message: act(message, delay=3.3), kind), honest]
    return play(job([NOBODY] * 3, **LIMITS), bots, LateLoop(asked_at, 1.9))[0]


@pytest.mark.parametrize(("used", "out"), [(3.5, False), (3.7, True)])
def test_who_keeps_the_arbiter_even_from_its_first_look_is_out(
    monkeypatch: pytest.MonkeyPatch, used: float, out: bool
) -> None:
    """Its use, and the time that the late seat had no core, are then counted from the
    last sample before the step. Nobody is owed time that was not seen while nobody is
    to blame.
    """
    outcome = late_for_its_first_look(monkeypatch, used, 2.9)
    assert [fault.verdict for fault in outcome.seats[2].faults] == (
        [Verdict.RESOURCE] if out else []
    )
    assert [fault.verdict for fault in outcome.seats[1].faults] == (
        [] if out else [Verdict.TIMEOUT]
    )
    assert sound(outcome).verdicts[1] is Verdict.OK


@pytest.mark.parametrize(("used", "pauses"), [(2.9, False), (3.2, True)])
def test_who_keeps_the_arbiter_from_its_first_look_and_was_not_asked_pauses(
    monkeypatch: pytest.MonkeyPatch, used: float, pauses: bool
) -> None:
    """It used more than half of what two cores give. The late seat lacked less than a
    tenth of its time, and gets that back.
    """
    outcome = late_for_its_first_look(monkeypatch, used, 0.29, "boost", 15.0)
    assert (outcome.seats[2].measured.paused, outcome.seats[2].faults) == (int(pauses), ())
    assert [fault.verdict for fault in outcome.seats[1].faults] == (
        [] if pauses else [Verdict.TIMEOUT]
    )


def test_what_was_used_before_a_slow_step_does_not_count_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The step before was slow as well, so there is a sample from between the two."""
    monkeypatch.setattr(fairness, "own_delay", lambda: 2.5 * (trio.current_time() > 0.5))
    bots = [honest, at_turns({1: 0.4, 2: 3.0}), honest]
    one = job(
        [NOBODY] * 3, turn_ms=1_000, bank_ms=10_000
    )  # a second of age is not old for a step of so much time
    outcome, _ = play(one, bots, LateLoop(), cpus=[NOTHING, [0.0, 60.0, 0.0]])
    assert sound(outcome).verdicts == (Verdict.OK,) * 3
    assert not blamed(outcome)
    assert outcome.seats[1].slowest == pytest.approx(0.5)


@pytest.mark.parametrize(("seconds", "at"), [(0.9, 0.0), (1.1, 1.1)])
def test_a_sample_from_before_quick_steps_is_renewed_after_a_second(
    monkeypatch: pytest.MonkeyPatch, seconds: float, at: float
) -> None:
    """That is a tenth of the step's 10 s. Its time is that from before it was taken,
    however long that took.
    """
    monkeypatch.setattr(CpuAccount, "sample", lambda _: CpuSample(99.0, [], []))

    async def begun_at() -> float:
        account = CpuAccount(ScriptedWire([honest]))
        account.begin(10.0)
        await trio.sleep(seconds)
        account.begin(10.0)
        assert account.since
        return account.since.at

    assert trio.run(begun_at, clock=trio.testing.MockClock(autojump_threshold=0)) == pytest.approx(
        at
    )


@pytest.mark.parametrize("where", ["main thread", "other thread"])
def test_the_arbiter_s_own_delay_is_that_of_its_thread(where: str) -> None:
    delays: list[float] = []

    def read() -> None:
        thread = threading.get_native_id()
        for _ in range(100):
            delays.extend([own_delay(), thread_times([os.getpid()])[thread].delay])
        delays.append(own_delay())

    if where == "main thread":
        read()
    else:
        other = threading.Thread(target=read)
        other.start()
        other.join()
    assert delays == sorted(delays)


@pytest.mark.parametrize("text", [None, ""])
def test_where_the_kernel_keeps_no_delays_the_arbiter_has_none(
    monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    def read(_: str) -> str:
        if text is None:
            raise FileNotFoundError
        return text

    monkeypatch.setattr(proc_usage, "_read", read)
    assert own_delay() == 0.0
