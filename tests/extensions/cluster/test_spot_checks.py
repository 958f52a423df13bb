"""Matches of a cluster whose bots are run again by the command: which are drawn, and
what becomes of them.
"""

import queue
import random
import re
from collections.abc import Sequence

import pytest
from double_jobs import a_job
from msgspec.structs import replace
from wording import pattern

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.common.result import Verdict
from khiva_arena.errors import RecordError
from khiva_arena.extensions.cluster import spot_checks
from khiva_arena.extensions.cluster.spot_checks import Judged, SpotChecks
from khiva_arena.extensions.cluster.worker_messages import TaskDone, WorkerTask, encode
from khiva_arena.extensions.cluster.worker_tables import check_by_replay
from khiva_arena.records.replay.record import Record

DRAWS = 20_000
"""How many tables are drawn from; the lots are those of one seed, the same in every run
of a test.
"""


def handed_in(*modules: str) -> tuple[Job, Outcome]:
    """A match that a worker has played."""
    job = a_job(*modules)
    return job, pool.play_one(job)


@pytest.fixture(scope="module")
def match() -> tuple[Job, Outcome]:
    return handed_in("honest", "honest")


def checks(share: float, answers: "queue.Queue[bytes]", job: Job) -> SpotChecks:
    made = SpotChecks(share, lambda _key, answer: answers.put(answer), random.Random(1))
    made.commands = {
        seat.bot: command for seat, command in zip(job.header.seats, job.commands, strict=True)
    }
    return made


def judged(jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> Judged:
    """All matches of a table run again, and judged."""
    answers: queue.Queue[bytes] = queue.Queue()
    made = checks(1.0, answers, jobs[0])
    made.begin("key", made.draw(jobs, outcomes))
    return made.judge([job.ordinal for job in jobs], answers.get(timeout=60), outcomes)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("forged", [1, 3])
def test_a_forger_is_found_as_often_as_is_said(
    match: tuple[Job, Outcome], share: float, forged: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the matches that are drawn: tests below run drawn matches again."""
    monkeypatch.setattr(spot_checks, "as_recorded", lambda job, _record: job)
    job, outcome = match
    made = checks(share, queue.Queue(), job)
    found = 0
    jobs, outcomes = [replace(job, ordinal=ordinal) for ordinal in range(7)], [outcome] * 7
    for _ in range(DRAWS):
        drawn = made.draw(jobs, outcomes)
        found += any(one.ordinal < forged for one in drawn)
    expected = 1 - (1 - share) ** forged
    assert abs(found / DRAWS - expected) < 4.5 * (expected * (1 - expected) / DRAWS) ** 0.5


def test_the_number_of_forged_matches_that_is_surely_found_is_the_least(
    match: tuple[Job, Outcome],
) -> None:
    for share in (*(number / 1000 for number in range(1, 1000)), 1e-6, 0.999999):
        made = checks(share, queue.Queue(), match[0])
        made.draw([match[0]], [match[1]])
        words = {"share": ".*", "which": "", "surely": "(?P<surely>[0-9,]+)"}
        said = re.search(pattern("cluster", "chance-of-a-forged-match", **words), made.end())
        assert said
        surely = int(said["surely"].replace(",", ""))
        assert 1 - (1 - share) ** surely > 0.95, share
        assert surely == 1 or 1 - (1 - share) ** (surely - 1) <= 0.95, share


def test_all_of_them(match: tuple[Job, Outcome]) -> None:
    job, outcome = match
    made = checks(1.0, queue.Queue(), job)
    assert not made.end()
    assert len(made.draw([job, job], [outcome, outcome])) == 2
    assert not re.search(
        pattern("cluster", "chance-of-a-forged-match", share=".*", which="", surely=".*"),
        made.end(),
    )


def test_an_honest_match_comes_out_equal(match: tuple[Job, Outcome]) -> None:
    assert judged([match[0]], [match[1]]) == Judged("", {})


def forged(outcome: Outcome, rng: random.Random) -> tuple[Outcome, int, int]:
    """A match with a tick of one answer more or less, and the step and the seat of that
    answer.
    """
    record = outcome.record
    assert record is not None
    assert record.ticks is not None
    step = rng.randrange(1, len(record.ticks))
    place = rng.randrange(len(record.ticks[step]))
    ticks = [list(row) for row in record.ticks]
    ticks[step][place] += 1
    changed: Record = replace(record, ticks=tuple(map(tuple, ticks)))
    return replace(outcome, record=changed), step, record.steps[step - 1][place].seat


@pytest.mark.parametrize("seed", range(3))
def test_a_forged_match_is_named_by_step_and_seat(match: tuple[Job, Outcome], seed: int) -> None:
    job, outcome = match
    lie, step, seat = forged(outcome, random.Random(seed))
    assert (
        f"match 1: step {step}, seat {seat}: "
        in judged([job, replace(job, ordinal=1)], [outcome, replace(lie, ordinal=1)]).forged
    )


def test_the_system_draws_unless_a_test_does(match: tuple[Job, Outcome]) -> None:
    made = SpotChecks(0.5, lambda *_: None)
    made.commands = checks(0.5, queue.Queue(), match[0]).commands
    jobs, outcomes = [replace(match[0], ordinal=ordinal) for ordinal in range(40)], [match[1]] * 40
    assert len({tuple(job.ordinal for job in made.draw(jobs, outcomes)) for _ in range(20)}) == 20


def test_what_cannot_be_run_again_here_accuses_nobody(match: tuple[Job, Outcome]) -> None:
    job, outcome = match
    made = checks(1.0, queue.Queue(), job)
    void = replace(outcome, record=None, void="no process to be had")
    for answer in (TaskDone([], "no process"), TaskDone([encode(void)], "")):
        verdict = made.judge([0], encode(answer), [outcome])
        assert (verdict.forged, "no process" in verdict.unconfirmed[0].why) == ("", True)
        assert verdict.unconfirmed[0].bots == tuple(seat.name for seat in job.header.seats), (
            "it may be any of them"
        )
    made.draw([job], [outcome])
    assert made.end().endswith(" n/a"), "what was not run again has no chance to be found"


def test_matches_that_cannot_be_confirmed_are_counted_by_bot_and_end_the_run_above_one_in_twenty(
    match: tuple[Job, Outcome],
) -> None:
    job, outcome = match
    made = checks(0.5, queue.Queue(), job)
    made.draw([job], [outcome])
    late = encode(
        TaskDone([encode(replace(outcome, record=None, void="its ticks", causes=(1,)))], "")
    )
    same = encode(TaskDone([encode(outcome)], ""))
    name = job.header.seats[1].name
    made.judge([0], late, [outcome])
    assert not made.too_many, "the first one alone says nothing"
    made.judge([0], late, [outcome])
    words = {"number": "2", "drawn": "2", "bots": f"{name} 2", "why": ".*its ticks"}
    assert re.fullmatch(pattern("cluster", "too-many-unconfirmed", **words), made.too_many)
    for _ in range(38):
        made.judge([0], same, [outcome])
    assert not made.too_many
    said = made.end()
    assert re.search(
        pattern(
            "cluster",
            "chance-of-a-forged-match",
            share="50 %",
            which=".* run again here",
            surely="5",
        ),
        said,
    )
    assert re.search(
        pattern("audit", "not-confirmed", more="2 .*", bots=f"{name} 2", why=".*its ticks"), said
    )


def test_a_match_that_the_host_has_spoilt_is_tried_again(
    match: tuple[Job, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, outcome = match
    tries = []
    spoilt = replace(outcome, record=None, void="no process", host=True)

    def converse(asked: WorkerTask, _: object) -> TaskDone:
        tries.append(len(asked.frames))
        outcomes = [
            replace(spoilt if len(tries) < 3 else outcome, ordinal=1),
            replace(outcome, ordinal=0),
        ]
        return TaskDone([encode(one) for one in outcomes[: len(asked.frames)]], "")

    monkeypatch.setattr(spot_checks, "HOST_WAITS", (0.0, 0.0, 0.0))
    monkeypatch.setattr(spot_checks.task, "converse", converse)
    jobs = [replace(job, ordinal=ordinal) for ordinal in (0, 1)]
    assert judged(jobs, [replace(outcome, ordinal=ordinal) for ordinal in (0, 1)]) == Judged("", {})
    assert tries == [2, 1, 1]


def test_a_worker_claims_no_backstop_that_was_not_met_before() -> None:
    """A forfeit by the backstop is the word of the machine that played: a void match
    comes before it.
    """
    job, outcome = handed_in("honest", "honest")
    record = outcome.record
    assert record is not None
    step = next(
        number
        for number, choices in enumerate(record.steps, 1)
        if any(choice.seat == 1 for choice in choices)
    )
    claim = pool.play_one(replace(job, forced=((1, step),)))
    assert claim.record is not None
    assert claim.record.verdicts[1] is Verdict.RESOURCE
    assert check_by_replay(replace(job, warned=(1,)), claim) == claim
    for warned in ((), (0,)):
        with pytest.raises(RecordError):
            check_by_replay(replace(job, warned=warned), claim)
