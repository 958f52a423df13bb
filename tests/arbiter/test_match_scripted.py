"""Whole matches against scripted bots in virtual time: what is sent when, what a fault
costs, and who is blamed.
"""

from typing import Any

import pytest
import trio
from jobs import job, sound
from msgspec import structs
from scripted import Bot, ScriptedWire, act, frame, hello, honest, play
from wording import sentence

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Verdict

NOBODY = Command((), "")
SEATS = 3
EVERY_SEAT = pytest.mark.parametrize("seat", range(SEATS))


def run(
    *bots: Bot, policy: str = "lenient", lag: LagMeter | None = None, **time: int
) -> tuple[Outcome, ScriptedWire]:
    return play(job([NOBODY] * len(bots), policy=policy, **time), bots, lag)


def seated(bot: Bot, seat: int) -> list[Bot]:
    return [bot if number == seat else honest for number in range(SEATS)]


class Misbehaves:
    """Honest except for decision number ``at`` (from 1), which ``how`` answers."""

    def __init__(self, how: Bot, at: int = 1, times: int = 1) -> None:
        self._how = how
        self._bad = range(at, at + times)
        self._count = 0

    def __call__(self, message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message["type"] == "decide":
            self._count += 1
            if self._count in self._bad:
                return self._how(message)
        return honest(message)


def test_honest_bots_play_to_the_end() -> None:
    outcome, wire = run(honest, honest, honest)
    record = sound(outcome)
    assert record.reason == "over"
    assert set(record.verdicts) == {Verdict.OK}
    assert record.forfeited_at == (None, None, None)
    ends = [message for _, message in wire.sent if message["type"] == "end"]
    assert [end["ranks"] for end in ends] == [list(record.ranks)] * 3
    assert [end["scores"] for end in ends] == [list(record.scores)] * 3


def test_transcript_of_the_first_turn() -> None:
    """All requests of a simultaneous decision go out before any answer is read; nothing
    follows before the last is in.
    """

    def slow(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return act(message, delay=0.8) if message["type"] == "decide" else honest(message)

    _, wire = run(honest, slow, honest)
    assert wire.log[:12] == [
        "   0.000 > 0 hello",
        "   0.000 > 1 hello",
        "   0.000 > 2 hello",
        "   0.000 < 0 37 bytes",
        "   0.000 < 1 37 bytes",
        "   0.000 < 2 37 bytes",
        "   0.000 > 0 decide play_pass",
        "   0.000 > 1 decide play_pass",
        "   0.000 > 2 decide play_pass",
        "   0.001 < 0 31 bytes",
        "   0.001 < 2 31 bytes",
        "   0.800 < 1 31 bytes",
    ]


def test_hello_carries_the_match_and_no_secret() -> None:
    outcome, wire = run(honest, honest)
    record = sound(outcome)
    for seat, message in wire.sent[:2]:
        assert message == {
            "type": "hello",
            "protos": [1],
            "caps": [],
            "game": "khiva",
            "rules": record.header.rules,
            "rules_version": record.header.rules_version,
            "match": "test0",
            "seat": seat,
            "seats": 2,
            "seed": record.header.seats[seat].number,
            "time": {"startup_ms": 5000, "turn_ms": 1000, "bank_ms": 2000},
            "commit": record.header.commit,
        }


def test_req_rises_strictly_and_starts_where_nobody_can_guess() -> None:
    outcome, wire = run(honest, honest)
    reqs = [
        message["req"] for seat, message in wire.sent if message["type"] == "decide" and seat == 0
    ]
    assert reqs == list(range(outcome.req_start, outcome.req_start + len(reqs)))
    assert outcome.req_start > 1000


@EVERY_SEAT
def test_timeout_plays_the_default_and_strikes(seat: int) -> None:
    outcome, wire = run(*seated(Misbehaves(lambda _: []), seat))
    record = sound(outcome)
    assert [choice.why for choice in record.steps[0]] == [
        "timeout" if n == seat else "" for n in range(SEATS)
    ]
    assert record.verdicts == (Verdict.OK,) * SEATS
    assert [len(report.faults) for report in outcome.seats] == [
        int(n == seat) for n in range(SEATS)
    ]
    assert outcome.seats[seat].bank_left == 0
    faults = [(to, m["code"], m["strikes"]) for to, m in wire.sent if m["type"] == "fault"]
    assert faults == [(seat, "timeout", 1)]
    public = {"type": "default", "seat": seat, "why": "timeout", "strikes": 1}
    for other in range(SEATS):
        later = [m for to, m in wire.sent if to == other and m["type"] == "decide"][1:]
        assert public in later[0]["events"]


@EVERY_SEAT
def test_third_strike_forfeits(seat: int) -> None:
    outcome, wire = run(*seated(Misbehaves(lambda m: act(m, choice=10_000), times=3), seat))
    record = sound(outcome)
    assert record.verdicts[seat] is Verdict.ILLEGAL
    assert [fault.verdict for fault in outcome.seats[seat].faults] == [Verdict.ILLEGAL] * 3
    assert record.forfeited_at[seat] is not None
    assert record.ranks[seat] == SEATS
    assert seat in wire.stopped
    assert record.reason == "over"


@EVERY_SEAT
@pytest.mark.parametrize("choice", [-1, 20, 2**53 - 1])
def test_illegal_choice_is_a_strike(seat: int, choice: int) -> None:
    outcome, _ = run(*seated(Misbehaves(lambda m: act(m, choice=choice)), seat))
    assert [choice.why for choice in sound(outcome).steps[0]][seat] == "illegal"
    assert sound(outcome).verdicts[seat] is Verdict.OK


@EVERY_SEAT
@pytest.mark.parametrize(
    ("verdict", "how"),
    [
        (Verdict.TIMEOUT, lambda _: []),
        (Verdict.ILLEGAL, lambda m: act(m, choice=99)),
    ],
)
def test_strict_forfeits_at_once(seat: int, verdict: Verdict, how: Bot) -> None:
    outcome, _ = run(*seated(Misbehaves(how), seat), policy="strict")
    record = sound(outcome)
    assert (record.verdicts[seat], record.forfeited_at[seat]) == (verdict, 1)


BREACHES: list[tuple[str, Verdict, Bot]] = [
    ("text on stdout", Verdict.PROTOCOL, lambda _: [(0.01, b"thinking...\n")]),
    ("carriage return", Verdict.PROTOCOL, lambda _: [(0.01, b"\r\n")]),
    ("zero frame", Verdict.PROTOCOL, lambda _: [(0.01, bytes(4))]),
    ("huge frame", Verdict.PROTOCOL, lambda _: [(0.01, b"\x00\xff\xff\xff")]),
    ("not msgpack", Verdict.PROTOCOL, lambda _: [(0.01, b"\x00\x00\x00\x01\xc1")]),
    (
        "a float",
        Verdict.PROTOCOL,
        lambda m: [(0.01, frame({"type": "act", "req": m["req"], "choice": 0.0}))],
    ),
    ("a float unseen", Verdict.PROTOCOL, lambda m: act(m, note=[0.5])),
    (
        "wrong type",
        Verdict.PROTOCOL,
        lambda m: [(0.01, frame({"type": "move", "req": m["req"], "choice": 0}))],
    ),
    (
        "req not asked",
        Verdict.PROTOCOL,
        lambda m: [(0.01, frame({"type": "act", "req": m["req"] + 1, "choice": 0}))],
    ),
    (
        "req from before",
        Verdict.PROTOCOL,
        lambda m: [(0.01, frame({"type": "act", "req": 0, "choice": 0}))],
    ),
    (
        "one too many",
        Verdict.PROTOCOL,
        lambda m: [*act(m), (0.001, frame({"type": "act", "req": m["req"] + 1, "choice": 0}))],
    ),
    ("flood of answers", Verdict.FLOODED, lambda m: act(m) * 40),
    ("output ends", Verdict.CRASHED, lambda _: [(0.01, b"")]),
    (
        "half a frame, then the end",
        Verdict.CRASHED,
        lambda m: [(0.01, act(m)[0][1][:9]), (0.02, b"")],
    ),
]


@pytest.mark.slow
@EVERY_SEAT
@pytest.mark.parametrize(
    ("verdict", "how"), [case[1:] for case in BREACHES], ids=[case[0] for case in BREACHES]
)
@pytest.mark.parametrize("policy", ["lenient", "strict"])
def test_breach_forfeits_and_the_others_play_on(
    seat: int, verdict: Verdict, how: Bot, policy: str
) -> None:
    outcome, wire = run(*seated(Misbehaves(how, at=3), seat), policy=policy)
    record = sound(outcome)
    assert record.verdicts == tuple(verdict if n == seat else Verdict.OK for n in range(SEATS))
    assert record.ranks[seat] == SEATS
    assert record.reason == "over"
    assert seat in wire.stopped
    at = record.forfeited_at[seat]
    assert at is not None
    for step in record.steps[at:]:
        assert all(choice == (seat, 0, "forfeited") for choice in step if choice.seat == seat)


@EVERY_SEAT
@pytest.mark.parametrize(
    "start",
    [
        pytest.param([], id="silent"),
        pytest.param([(0.1, b"Hello!\n")], id="text"),
        pytest.param([(0.1, b"")], id="exits"),
        pytest.param(hello(proto=2), id="other protocol"),
        pytest.param(hello(name=""), id="no name"),
        pytest.param(hello(name="x" * 65), id="long name"),
        pytest.param(hello(name="a\nb"), id="unprintable name"),
        pytest.param(hello(delay=5.1), id="too slow"),
        pytest.param([(0.1, frame({"type": "act", "req": 1, "choice": 0}))], id="act first"),
    ],
)
def test_anything_wrong_before_the_hello_is_start_failed(
    seat: int, start: list[tuple[float, bytes]]
) -> None:
    outcome, _ = run(*seated(lambda m: start if m["type"] == "hello" else honest(m), seat))
    record = sound(outcome)
    assert (record.verdicts[seat], record.forfeited_at[seat]) == (Verdict.START_FAILED, 0)
    assert record.ranks[seat] == SEATS
    assert outcome.seats[seat].faults[0].detail


@EVERY_SEAT
def test_a_trial_ends_at_the_forfeit_of_its_bot_and_at_no_other(seat: int) -> None:
    bots = seated(Misbehaves(lambda message: act(message, choice=999), at=4), seat)
    plain = job([NOBODY] * SEATS, policy="strict")
    whole, _ = play(plain, bots)
    for ends_with in ((seat,), ((seat + 1) % SEATS,)):
        bots = seated(Misbehaves(lambda message: act(message, choice=999), at=4), seat)
        outcome, wire = play(structs.replace(plain, ends_with=ends_with), bots)
        assert whole.record is not None
        assert outcome.record is not None
        if ends_with == (seat,):
            at = outcome.record.forfeited_at[seat]
            assert at == len(outcome.record.steps) < len(whole.record.steps)
            assert outcome.record.steps == whole.record.steps[:at]
            assert outcome.record.ranks[seat] == SEATS
            ends = [to for to, message in wire.sent if message["type"] == "end"]
            assert sorted(ends) == [other for other in range(SEATS) if other != seat]
        else:
            assert outcome.record == whole.record


def test_unknown_fields_and_capabilities_are_ignored() -> None:
    def chatty(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message["type"] == "hello":
            return hello(
                version="2.1", caps=["batch"], author={"name": "x", "langs": [1, None, True]}
            )
        return act(message, thoughts="deep") if message["type"] == "decide" else []

    outcome, _ = run(chatty, honest)
    assert sound(outcome).verdicts == (Verdict.OK, Verdict.OK)
    assert (outcome.seats[0].name, outcome.seats[0].version) == ("scripted", "2.1")


def test_a_frame_in_single_bytes_is_a_frame() -> None:
    def dribbles(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return [
            (0.001 * i, bytes([byte])) for _, data in honest(message) for i, byte in enumerate(data)
        ]

    outcome, _ = run(dribbles, honest)
    assert not outcome.seats[0].faults


def test_trickling_bytes_do_not_move_the_deadline() -> None:
    def slow_loris(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message["type"] != "decide":
            return honest(message)
        return [(0.21 * i, bytes([byte])) for i, byte in enumerate(act(message)[0][1])]

    outcome, wire = run(slow_loris, honest, bank_ms=0)
    assert outcome.seats[0].faults[0] == (
        Verdict.TIMEOUT,
        sentence("arbiter", "bytes-frame-came-no", partial="5"),
        1,
    )
    assert any(line.startswith("   1.000 > 0 fault timeout") for line in wire.log)


def test_bank_takes_what_goes_beyond_the_turn_and_never_refills() -> None:
    slow = Misbehaves(lambda m: act(m, delay=1.5), times=3)
    outcome, wire = run(slow, honest)
    told = [m["bank_ms"] for to, m in wire.sent if to == 0 and m["type"] == "decide"]
    assert told[:4] == [2000, 1500, 1000, 500]
    assert set(told[4:]) == {500}
    assert not outcome.seats[0].faults


def test_deadline_is_turn_plus_bank() -> None:
    in_time, _ = run(Misbehaves(lambda m: act(m, delay=2.999)), honest)
    assert not in_time.seats[0].faults
    late, _ = run(Misbehaves(lambda m: act(m, delay=3.001)), honest)
    assert [fault.verdict for fault in late.seats[0].faults] == [Verdict.TIMEOUT]


def test_late_answer_is_dropped_and_does_not_answer_the_next_request() -> None:
    """The late answer would be the last choice; the next request must get its own."""
    late = Misbehaves(lambda m: act(m, delay=1.2, choice=19))
    outcome, _ = run(late, honest, bank_ms=0)
    record = sound(outcome)
    assert record.steps[0][0] == (0, 0, "timeout")
    assert [fault.verdict for fault in outcome.seats[0].faults] == [Verdict.TIMEOUT]


def test_a_bot_that_drops_its_own_late_answer_is_not_charged_for_the_wait() -> None:
    """It owes a late answer, so the arbiter waits longer for a second frame; the time
    counted is that of the answer.
    """
    outcome, _ = run(Misbehaves(lambda _: []), honest, turn_ms=500, bank_ms=0)
    assert [fault.verdict for fault in outcome.seats[0].faults] == [Verdict.TIMEOUT]
    assert outcome.seats[0].slowest == pytest.approx(0.5, abs=0.01)


def test_second_answers_are_dropped_up_to_sixteen() -> None:
    many, _ = run(Misbehaves(lambda m: act(m) * 17), honest)
    assert sound(many).verdicts[0] is Verdict.OK
    one_more, _ = run(Misbehaves(lambda m: act(m) * 18), honest)
    assert sound(one_more).verdicts[0] is Verdict.FLOODED


@EVERY_SEAT
def test_a_second_answer_that_comes_late_does_not_cut_the_next_request_short(seat: int) -> None:
    """The first act for a request is followed, once the next request is out, by a
    second one; the next answer takes longer.
    """

    def twice(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return (
            act(message, delay=0.5) + act(message, delay=0.7)
            if message["type"] == "decide"
            else honest(message)
        )

    outcome, _ = run(
        *seated(
            lambda m: (
                twice(m) if m.get("kind") == "play_pass" and m["view"]["turn"] < 9 else honest(m)
            ),
            seat,
        )
    )
    assert not outcome.seats[seat].faults
    assert outcome.seats[seat].slowest == pytest.approx(0.5)
    assert outcome.seats[seat].bank_left == 2.0


def test_each_time_stands_at_the_step_it_was_taken_at() -> None:
    """A decision that came too late has one, too; one at which a seat went out without
    an answer has none.
    """

    def slow(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        asked.extend([message["req"]] if message["type"] == "decide" else [])
        return (
            act(message, delay={2: 0.25, 3: 9.0}.get(len(asked), 0.0))
            if message["type"] == "decide"
            else honest(message)
        )

    def steps(played: Outcome) -> list[int]:
        return [
            step for step, at in enumerate(sound(played).steps, 1) for one in at if one.seat == 0
        ]

    asked: list[int] = []
    late, _ = run(slow, honest, turn_ms=500, bank_ms=1000)
    times = late.seats[0].times
    assert list(times) == steps(late)
    assert list(times.values())[:4] == pytest.approx([0, 0.25, 1.5, 0], abs=0.01)
    assert late.seats[0].bank_left == 0
    out, _ = run(Misbehaves(lambda _: [(0.1, b"text")], at=3), honest)
    assert list(out.seats[0].times) == steps(out)[:2]
    assert out.seats[0].decisions == 2


@EVERY_SEAT
def test_a_seat_whose_time_is_up_does_not_live_on_the_time_of_others(seat: int) -> None:
    """With its bank spent a seat has its turn alone, however long the others may still
    think.
    """
    other = (seat + 1) % SEATS

    def spent(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message.get("kind") == "play_pass" and message["view"]["turn"] == 1:
            return act(message, delay=2.99)
        if message.get("kind") == "play_pass" and message["view"]["turn"] == 2:
            return act(message, delay=1.5)
        return honest(message)

    def thinker(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return (
            act(message, delay=2.5)
            if message.get("kind") == "play_pass" and message["view"]["turn"] == 2
            else honest(message)
        )

    bots: list[Bot] = [honest] * SEATS
    bots[seat], bots[other] = spent, thinker
    outcome, _ = run(*bots)
    assert [fault.verdict for fault in outcome.seats[seat].faults] == [Verdict.TIMEOUT]
    assert not outcome.seats[other].faults
    assert outcome.seats[seat].slowest == pytest.approx(2.99)
    sound(outcome)


@EVERY_SEAT
def test_a_breach_behind_an_answer_is_a_fault_of_the_next_decision(seat: int) -> None:
    """The answer counts, whether the breach comes with it or after it."""
    for apart in (0.0, 0.3):
        bad = Misbehaves(lambda m, apart=apart: [*act(m, choice=3), (0.001 + apart, b"text")])  # type: ignore[misc]
        slow = Misbehaves(lambda m: act(m, delay=0.5))
        bots = seated(bad, seat)
        bots[(seat + 1) % SEATS] = slow
        record = sound(run(*bots)[0])
        assert record.steps[0][seat].choice == 3
        assert (record.verdicts[seat], record.forfeited_at[seat]) == (Verdict.PROTOCOL, 2)


def test_a_breach_reaches_the_others_only_after_the_gather() -> None:
    def slow(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return act(message, delay=0.9) if message["type"] == "decide" else honest(message)

    _, wire = run(Misbehaves(lambda _: [(0.1, b"text")]), slow, honest)
    stopped = next(i for i, line in enumerate(wire.log) if " x 0 " in line)
    assert wire.log[stopped].startswith("   0.100")
    after = wire.log[stopped + 1]
    assert after.startswith("   0.900 < 1")


def test_two_who_break_in_one_gather_tie_and_later_forfeits_rank_above() -> None:
    text: Bot = lambda _: [(0.1, b"text")]  # noqa: E731
    outcome, _ = run(
        Misbehaves(text, at=2), Misbehaves(text, at=2), Misbehaves(text, at=4), honest, honest
    )
    assert sound(outcome).ranks[:3] == (4, 4, 3)


def test_the_match_ends_when_one_is_left_in() -> None:
    text: Bot = lambda _: [(0.1, b"text")]  # noqa: E731
    outcome, wire = run(Misbehaves(text, at=2), honest)
    record = sound(outcome)
    assert (record.reason, record.ranks, len(record.steps)) == (
        "forfeits",
        (2, 1),
        record.forfeited_at[0],
    )
    assert [(to, m["reason"]) for to, m in wire.sent if m["type"] == "end"] == [(1, "forfeits")]


def test_everybody_out_at_once_ends_the_match_in_a_tie() -> None:
    text: Bot = lambda _: [(0.1, b"text")]  # noqa: E731
    outcome, _ = run(*[Misbehaves(text) for _ in range(3)])
    assert sound(outcome).ranks[0] == 1


def test_lag_of_the_arbiter_is_added_back() -> None:
    class Late(LagMeter):
        def total(self, now: float) -> float:
            return 0.3 if now > 0.5 else 0.0

    outcome, _ = run(Misbehaves(lambda m: act(m, delay=1.2)), honest, bank_ms=0, lag=Late())
    assert not outcome.seats[0].faults
    assert outcome.record is not None


def test_lag_after_an_answer_is_not_taken_from_its_time() -> None:
    """The quick seat waits for the slow one, and so does the arbiter, which is late by
    0.3 s meanwhile.
    """

    class Later(LagMeter):
        def total(self, _now: float) -> float:
            return 0.3 * (trio.current_time() > 0.5)

    slow = Misbehaves(lambda m: act(m, delay=0.8))
    outcome, _ = run(
        lambda m: act(m, delay=0.03) if m["type"] == "decide" else honest(m), slow, lag=Later()
    )
    assert outcome.seats[0].thought == pytest.approx(0.03 * outcome.seats[0].decisions)
    assert outcome.seats[1].slowest == pytest.approx(0.5)


HALF_A_SECOND = [[0.0, 0.0], [0.5, 0.0]]  # for which seat 0 had no core


def test_an_overrun_that_the_host_explains_voids_the_match() -> None:
    def starved(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return act(message, delay=1.2) if message["type"] == "decide" else honest(message)

    outcome, _ = play(job([NOBODY] * 2, bank_ms=0), [starved, honest], delays=HALF_A_SECOND)
    assert outcome.record is None
    assert "seat 0" in outcome.void
    assert "500 ms" in outcome.void


def test_run_delay_alone_never_voids() -> None:
    """A bot that says nothing at all is late, however long the host kept it waiting."""
    outcome, _ = play(
        job([NOBODY] * 2, bank_ms=0), [Misbehaves(lambda _: []), honest], delays=HALF_A_SECOND
    )
    assert [fault.verdict for fault in outcome.seats[0].faults] == [Verdict.TIMEOUT]


@pytest.mark.parametrize(("policy", "step"), [("lenient", 4), ("strict", 1)])
def test_a_seat_that_is_overdue_is_never_asked_and_forfeits_as_if_it_were_late(
    policy: str, step: int
) -> None:
    overdue = structs.replace(job([NOBODY] * SEATS, policy=policy), overdue=(1,))
    outcome, wire = play(overdue, [honest] * SEATS)
    record = sound(outcome)
    assert record.verdicts == (Verdict.OK, Verdict.TIMEOUT, Verdict.OK)
    assert record.forfeited_at == (None, step, None)
    assert [seat for seat, message in wire.sent if message["type"] == "decide" and seat == 1] == []
    assert outcome.seats[1].faults[0].detail == "its bot has used up its time of a day"
