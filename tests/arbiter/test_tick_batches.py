"""A match in ticks with scripted modules: what is paid, what each end of a run costs,
and what is recorded.
"""

from typing import Any

import pytest
from jobs import SECRET
from msgspec.structs import replace
from scripted import frame
from scripted_table import (
    ACT_TICKS,
    HELLO_TICKS,
    Module,
    answer,
    honest,
    job_in_ticks,
    on_decide,
    play,
)
from wording import sentence

from khiva_arena.arbiter.tick_batches import Reply, RunEnd
from khiva_arena.common.result import TICKS_A_MS, Verdict
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.verify import verify

TURN, BANK, START = 1_000 * TICKS_A_MS, 2_000 * TICKS_A_MS, 5_000 * TICKS_A_MS
Message = dict[str, Any]


def recorded(*modules: Module, **job: Any) -> tuple[Record, Any]:
    """Play, and return the record, which must replay, with the outcome."""
    outcome, table = play(job_in_ticks(len(modules), **job), modules)
    assert outcome.record, outcome.void
    verify(Record.from_json(outcome.record.to_json()), SECRET)
    return outcome.record, (outcome, table)


def ends(kind: RunEnd, spent: int = 9, detail: str = "") -> Module:
    return lambda message, ticks: Reply(kind, spent, b"", detail)


def ticks_of(record: Record, seat: int) -> list[int]:
    """The ticks of a seat's questions, in order."""
    assert record.ticks
    pairs = [
        (choice, ticks)
        for step, spent in zip(record.steps, record.ticks[1:], strict=True)
        for choice, ticks in zip(step, spent, strict=True)
    ]
    return [ticks for choice, ticks in pairs if choice.seat == seat]


def test_every_question_is_paid_and_recorded() -> None:
    record, (outcome, table) = recorded(honest, honest)
    assert record.ticks
    assert record.ticks[0] == (HELLO_TICKS, HELLO_TICKS)
    assert {ticks for step in record.ticks[1:] for ticks in step} == {ACT_TICKS}
    assert table.batches[0] == {0: START, 1: START}
    assert {ticks for batch in table.batches[1:] for ticks in batch.values()} == {TURN + BANK}
    assert outcome.seats[0].bank_left == 2.0
    assert outcome.seats[0].thought == pytest.approx(
        outcome.seats[0].decisions * ACT_TICKS / (1_000 * TICKS_A_MS)
    )


def test_equal_matches_have_equal_digests_and_one_tick_makes_another() -> None:
    again, other = (
        recorded(honest, honest)[0],
        recorded(on_decide(3, lambda m, _: answer(m or {}, ACT_TICKS + 1)), honest)[0],
    )
    same = recorded(on_decide(3, lambda m, _: answer(m or {})), honest)[0]
    assert again.digest == recorded(honest, honest)[0].digest
    assert other.steps == same.steps
    assert other.digest != same.digest


def test_a_step_that_asks_several_seats_is_one_batch() -> None:
    record, (_, table) = recorded(honest, honest, honest)
    assert [len(batch) for batch in table.batches[1:]] == [len(step) for step in record.steps]


def test_the_bank_is_exact_and_told_in_whole_milliseconds() -> None:
    record, (_, table) = recorded(on_decide(1, lambda m, _: answer(m or {}, TURN + 5)), honest)
    told = [
        message["bank_ms"]
        for seat, message in table.sent
        if seat == 0 and message["type"] == "decide"
    ]
    assert told[:2] == [2_000, 1_999]
    allowed = [batch[0] for batch in table.batches[1:] if 0 in batch]
    assert allowed[:2] == [TURN + BANK, TURN + BANK - 5]
    assert ticks_of(record, 0)[0] == TURN + 5


def test_ticks_used_up_are_a_timeout_exactly_at_the_limit() -> None:
    record, (outcome, table) = recorded(on_decide(2, ends(RunEnd.TIMEOUT, 77)), honest)
    (fault,) = outcome.seats[0].faults
    limit = f"{TURN + BANK:,}"
    assert (fault.verdict, fault.detail) == (
        Verdict.TIMEOUT,
        sentence("arbiter", "ticks-used", used=limit, limit=limit) + ", bank empty",
    )
    assert ticks_of(record, 0)[1] == TURN + BANK
    assert outcome.seats[0].bank_left == 0.0
    assert [
        message["code"] for seat, message in table.sent if seat == 0 and message["type"] == "fault"
    ] == ["timeout"]


def test_an_answer_that_comes_late_is_dropped_and_the_module_goes_on() -> None:
    asked: list[Message] = []

    def slow(message: Message | None, ticks: int) -> Reply:
        """Too late at its second decision, whose answer comes when the third is
        asked.
        """
        if message is None:
            return answer(asked[-1], 70)
        if message["type"] != "decide":
            return honest(message, ticks)
        asked.append(message)
        if len(asked) == 2:
            return Reply(RunEnd.TIMEOUT, 0)
        return answer(asked[1], 30) if len(asked) == 3 else answer(message)

    record, (outcome, table) = recorded(slow, honest)
    assert [fault.verdict for fault in outcome.seats[0].faults] == [Verdict.TIMEOUT]
    assert ticks_of(record, 0)[1:4] == [TURN + BANK, 100, ACT_TICKS]
    assert {0: TURN - 30} in table.batches


@pytest.mark.parametrize("kind", [RunEnd.EXITED, RunEnd.TRAPPED, RunEnd.STACK])
def test_a_run_that_ends_the_module_is_a_crash_with_the_runners_words(kind: RunEnd) -> None:
    record, (outcome, table) = recorded(
        on_decide(2, ends(kind, 9, "divided by zero in choose")), honest
    )
    assert outcome.seats[0].faults[0][:2] == (Verdict.CRASHED, "divided by zero in choose")
    assert (record.verdicts[0], ticks_of(record, 0)[1], table.stopped) == (Verdict.CRASHED, 9, {0})


@pytest.mark.parametrize(
    ("kind", "spent"),
    [
        (RunEnd.REFUSED, 0),
        (RunEnd.EXITED, 5),
        (RunEnd.TRAPPED, 5),
        (RunEnd.STACK, 5),
        (RunEnd.TIMEOUT, 1),
    ],
)
def test_a_start_that_fails_is_one_verdict(kind: RunEnd, spent: int) -> None:
    record, _ = recorded(ends(kind, spent, "words"), honest)
    assert record.ticks
    assert record.verdicts == (Verdict.START_FAILED, Verdict.OK)
    assert record.ticks[0] == (START if kind is RunEnd.TIMEOUT else spent, HELLO_TICKS)


def test_a_breach_is_found_in_what_a_module_wrote() -> None:
    record, (outcome, table) = recorded(
        on_decide(2, lambda m, _: Reply(RunEnd.ANSWERED, 8, frame("text"))), honest
    )
    assert (record.verdicts[0], ticks_of(record, 0)[1], table.stopped) == (Verdict.PROTOCOL, 8, {0})
    assert outcome.seats[0].decisions == 1


def test_an_answer_that_was_written_before_its_request_is_a_breach() -> None:
    """It takes no ticks, since it lay there when the request came."""
    record, (outcome, table) = recorded(on_decide(2, lambda m, _: answer(m or {}, 0)), honest)
    ((verdict, detail, _),) = outcome.seats[0].faults
    assert (verdict, record.verdicts[0], ticks_of(record, 0)[1], table.stopped) == (
        Verdict.PROTOCOL,
        Verdict.PROTOCOL,
        0,
        {0},
    )
    assert sentence("protocol", "not-asked") in detail


def test_an_illegal_choice_is_paid_as_any_other() -> None:
    record, _ = recorded(on_decide(2, lambda m, _: answer(m or {}, 12, choice=99)), honest)
    assert (record.verdicts[0], ticks_of(record, 0)[1]) == (Verdict.OK, 12)


# --- what the machine causes ---


@pytest.mark.parametrize("module", [on_decide(2, ends(RunEnd.BACKSTOP)), ends(RunEnd.BACKSTOP)])
def test_the_backstop_makes_a_match_void_and_names_the_seat(module: Module) -> None:
    outcome, _ = play(job_in_ticks(2), [honest, module])
    assert outcome.record is None
    assert (outcome.causes, outcome.host) == ((1,), False)
    assert outcome.void == "seat 1: its ticks took too much of the processor"


@pytest.mark.parametrize(("number", "at"), [(2, 1), (0, 0)])
def test_a_bot_that_meets_it_again_is_out_by_a_verdict_that_means_that_alone(
    number: int, at: int
) -> None:
    module = on_decide(number, ends(RunEnd.BACKSTOP)) if number else ends(RunEnd.BACKSTOP)
    outcome, _ = play(replace(job_in_ticks(2), warned=(1,)), [honest, module])
    assert outcome.record
    verify(outcome.record, SECRET)
    assert outcome.record.verdicts == (Verdict.OK, Verdict.RESOURCE)
    assert outcome.record.ticks
    assert ticks_of(outcome.record, 1)[at:][:1] in ([0], [])
    assert outcome.record.ticks[0][1] == (HELLO_TICKS if number else 0)


def test_one_seats_warning_is_not_the_others() -> None:
    outcome, _ = play(
        replace(job_in_ticks(2), warned=(0,)),
        [on_decide(2, ends(RunEnd.BACKSTOP)), ends(RunEnd.BACKSTOP)],
    )
    assert (outcome.record, outcome.causes) == (None, (1,))


def test_a_runner_that_answers_without_a_frame_makes_a_match_void_by_the_host() -> None:
    outcome, _ = play(job_in_ticks(2), [honest, on_decide(1, ends(RunEnd.ANSWERED))])
    assert (outcome.record, outcome.causes, outcome.host) == (None, (), True)
