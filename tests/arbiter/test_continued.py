"""A match that goes on from a record, against scripted bots in virtual time: what is
sent, what stays, and who is blamed.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from jobs import SECRET, sound
from msgspec.structs import replace
from recording import SCRIPTED, header
from scripted import Bot, ScriptedWire, act, frame, hello, honest, play

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.records.replay.past import past_of
from khiva_arena.records.replay.record import Choice, Past, Record

TABLES = [("khiva", 2), ("khiva", 5), ("emira", 3), ("silk_road", 4)]


def job_of(
    game: str = "khiva", seats: int = 3, policy: str = "lenient", past: Past | None = None
) -> Job:
    return Job(
        0, 1, header(game, seats, {}, "test", policy), SECRET, (SCRIPTED,) * seats, past=past
    )


def details_of(outcome: Outcome) -> list[dict[int, str]]:
    return [{blame.step: blame.detail for blame in report.faults} for report in outcome.seats]


def again(
    then: Outcome, bots: Sequence[Bot], step: int, seat: int, choice: int, game: str = "khiva"
) -> tuple[Outcome, ScriptedWire]:
    record = sound(then)
    past = past_of(record, details_of(then), step, seat, choice)
    return play(job_of(game, len(bots), record.header.policy, past), bots)


def decision(record: Record, step: int) -> tuple[int, int, int]:
    """The first own choice of a seat from a step on: the step, the seat and the
    choice.
    """
    for at, choices in enumerate(record.steps[step - 1 :], step):
        for seat, choice, why in choices:
            if not why:
                return at, seat, choice
    return decision(record, step - 1)


def reader(message: dict[str, Any]) -> list[tuple[float, bytes]]:
    """Honest; its choice follows from the bytes that it is sent."""
    if message["type"] != "decide":
        return honest(message)
    return act(
        message, choice=len(str(message["view"]) + str(message["events"])) % len(message["legal"])
    )


class FailsAt:
    """Honest except for its decision number ``at`` (from 1), which ``how`` answers;
    with ``at`` 0 its start.
    """

    def __init__(self, at: int, how: Bot) -> None:
        self._at, self._how = at, how
        self._count = 0

    def __call__(self, message: dict[str, Any]) -> list[tuple[float, bytes]]:
        self._count += message["type"] == "decide"
        failing = self._count == self._at and message["type"] in ("hello", "decide")
        return self._how(message) if failing else reader(message)


def late(message: dict[str, Any]) -> list[tuple[float, bytes]]:
    return act(message | {"req": message.get("req")}, delay=9.0)


def illegal(message: dict[str, Any]) -> list[tuple[float, bytes]]:
    return act(message | {"req": message.get("req")}, choice=9_999)


def crash(_message: dict[str, Any]) -> list[tuple[float, bytes]]:
    return [(0.0, b"")]


def babble(_message: dict[str, Any]) -> list[tuple[float, bytes]]:
    return [(0.0, frame("hello"))]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_the_recorded_choice_brings_the_recorded_match_and_the_very_frames(
    game: str, seats: int
) -> None:
    then, wire = play(job_of(game, seats), [reader] * seats)
    record = sound(then)
    for step in {1, len(record.steps) // 2, len(record.steps)}:
        seat, choice, _ = record.steps[step - 1][-1]
        now, other = again(then, [reader] * seats, step, seat, choice, game)
        assert now.record == record
        assert other.frames == wire.frames


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_another_choice_changes_one_seat_s_part_of_one_step_and_what_follows_is_live(
    game: str, seats: int
) -> None:
    then, _ = play(job_of(game, seats), [reader] * seats)
    steps = sound(then).steps
    step = len(steps) // 2
    seat, choice, _ = steps[step - 1][0]
    other = 0 if choice else 1
    now = sound(again(then, [honest] * seats, step, seat, other, game)[0])
    assert now.steps[: step - 1] == steps[: step - 1]
    assert now.steps[step - 1] == (Choice(seat, other), *steps[step - 1][1:])
    assert now.steps[step:] != steps[step:]


@pytest.mark.parametrize("how", [late, illegal, crash, babble])
@pytest.mark.parametrize("at", [0, 2, 9])
@pytest.mark.parametrize("policy", ["lenient", "strict"])
def test_recorded_faults_stay_and_the_same_bots_repeat_the_later_ones(
    how: Bot, at: int, policy: str
) -> None:
    def bots() -> list[Bot]:
        return [reader, FailsAt(at, how), reader]

    then, wire = play(job_of(policy=policy), bots())
    record = sound(then)
    (blame,) = then.seats[1].faults
    assert blame.step > 0 or at == 0
    for step in {2, blame.step, min(blame.step + 3, len(record.steps)), len(record.steps)} - {0}:
        now, other = again(then, bots(), *decision(record, step))
        assert now.record == record, (step, blame)
        if blame.step >= step or record.forfeited_at[1] is None:
            assert [one for one in other.frames if one[0] != 1] == [
                one for one in wire.frames if one[0] != 1
            ]
    # And if the bot does better now, the record stands.
    better, wire = again(then, [reader] * 3, *decision(record, len(record.steps)))
    assert better.record == record
    if how is late and record.forfeited_at[1] is None:  # its bank is as empty as it was
        banks = [
            message["bank_ms"]
            for number, message in wire.sent
            if number == 1 and message["type"] == "decide"
        ]
        assert banks == [2_000] * at + [0] * (len(banks) - at)


def test_a_bot_that_is_out_is_not_needed() -> None:
    then, _ = play(job_of(), [reader, FailsAt(2, crash), reader])
    record = sound(then)
    at = record.forfeited_at[1]
    assert at is not None
    now, wire = again(then, [reader] * 3, *decision(record, at + 2))
    assert now.record == record
    assert [message for seat, message in wire.sent if seat == 1] == []


@pytest.mark.parametrize("how", [late, illegal])
def test_a_late_or_illegal_answer_in_the_past_is_no_fault(how: Bot) -> None:
    then, _ = play(job_of(), [reader] * 3)
    record = sound(then)
    now = again(then, [reader, FailsAt(2, how), reader], *decision(record, 12))[0]
    assert now.record == record
    assert now.seats[1].faults == ()


@pytest.mark.parametrize("how", [crash, babble])
@pytest.mark.parametrize("at", [2, 3])
def test_a_bot_that_fails_in_the_past_alone_is_blamed_at_the_first_step_after_it(
    how: Bot, at: int
) -> None:
    then, _ = play(job_of(), [reader] * 3)
    record = sound(then)
    now = again(then, [reader, FailsAt(at, how), reader], *decision(record, 12))[0]
    past = decision(record, 12)[0]
    assert sound(now).steps[:past] == record.steps[:past]
    assert sound(now).forfeited_at == (None, past + 1, None)
    failed = [
        step
        for step, choices in enumerate(record.steps, 1)
        if 1 in [choice.seat for choice in choices]
    ][at - 1]
    (blame,) = now.seats[1].faults
    assert blame.detail.endswith(f", when it was sent step {failed} again")


def test_a_bot_that_does_not_start_now_makes_the_match_void() -> None:
    then, _ = play(job_of(), [reader] * 3)
    now = again(then, [reader, FailsAt(0, crash), reader], *decision(sound(then), 5))[0]
    assert now.record is None
    assert now.void.startswith("bot1 does not start now: ")


def test_a_bot_that_fails_in_the_past_of_a_match_that_ends_with_it_is_not_asked_again() -> None:
    then, _ = play(job_of(), [reader] * 3)
    record = sound(then)
    now, wire = again(
        then, [reader, FailsAt(2, babble), reader], *decision(record, len(record.steps))
    )
    assert now.record == record
    assert [message["type"] for seat, message in wire.sent if seat == 1].count("end") == 0


@pytest.mark.parametrize("game", ["khiva", "emira", "silk_road"])
def test_a_guest_is_asked_in_the_last_step_of_the_past_and_told_all_before_it(game: str) -> None:
    then, before = play(job_of(game), [reader] * 3)
    record = sound(then)
    step = len(record.steps) // 2
    seat = record.steps[step - 1][0].seat
    past = replace(
        past_of(record, details_of(then), step, seat, None), guest=seat, guest_turn_ms=60_000
    )

    slow = FailsAt(
        1, lambda message: act(message, delay=4.0)
    )  # longer than the turn and bank of a bot
    bots: list[Bot] = [slow if number == seat else reader for number in range(3)]
    now, wire = play(job_of(game, past=past), bots)
    assert sound(now).steps[: step - 1] == record.steps[: step - 1]
    assert [choice for choice in sound(now).steps[step - 1] if choice.seat != seat] == list(
        record.steps[step - 1][1:]
    )
    asked = [
        message for number, message in wire.sent if number == seat and message["type"] == "decide"
    ]
    assert [message["turn_ms"] for message in asked] == [60_000] * len(asked)
    times = sum(choice.seat == seat for choices in record.steps[:step] for choice in choices)
    recorded = [
        message for number, message in before.sent if number == seat and message["type"] == "decide"
    ][:times]
    assert asked[0]["view"] == recorded[-1]["view"]
    assert asked[0]["events"] == [event for message in recorded for event in message["events"]]
    assert now.seats[seat].faults == ()


def test_a_guest_whose_process_fails_in_the_past_forfeits_when_it_is_asked() -> None:
    then, _ = play(job_of(), [reader] * 3)
    record = sound(then)
    past = replace(
        past_of(record, details_of(then), 9, record.steps[8][0].seat, None),
        guest=record.steps[8][0].seat,
        guest_turn_ms=60_000,
    )

    def flooding(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return (
            [*hello(), *[(0.001, frame({"type": "act", "req": 1, "choice": 0}))]]
            if message["type"] == "hello"
            else honest(message)
        )

    bots: list[Bot] = [flooding if number == past.guest else reader for number in range(3)]
    now = sound(play(job_of(past=past), bots)[0])
    assert now.forfeited_at[past.guest or 0] is not None
