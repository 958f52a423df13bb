"""Matches of a cluster whose bots are run again by the command: which are drawn, and what becomes of them."""

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
from khiva_arena.cluster.messages import TaskDone, encode
from khiva_arena.cluster.spot_checks import Judged, SpotChecks
from khiva_arena.cluster.tables import check_by_replay
from khiva_arena.errors import RecordError
from khiva_arena.replay.record import Record
from khiva_arena.result import Verdict

DRAWS = 20_000


def handed_in(*modules: str) -> tuple[Job, Outcome]:
    """A match that a worker has played."""
    job = a_job(*modules)
    return job, pool.play_one(job)


@pytest.fixture(scope="module")
def match() -> tuple[Job, Outcome]:
    return handed_in("honest", "honest")


def checks(share: float, answers: "queue.Queue[bytes]", job: Job) -> SpotChecks:
    made = SpotChecks(share, lambda _key, answer: answers.put(answer))
    made.commands = {seat.bot: command for seat, command in zip(job.header.seats, job.commands, strict=True)}
    return made


def judged(jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> Judged:
    """All matches of a table run again, and judged."""
    answers: queue.Queue[bytes] = queue.Queue()
    made = checks(1.0, answers, jobs[0])
    made.begin("key", made.draw(jobs, outcomes))
    return made.judge(answers.get(timeout=60), outcomes)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("forged", [1, 3])
def test_a_forger_is_found_as_often_as_is_said(match: tuple[Job, Outcome], share: float, forged: int) -> None:
    job, outcome = match
    made = checks(share, queue.Queue(), job)
    found = 0
    jobs, outcomes = [replace(job, ordinal=ordinal) for ordinal in range(7)], [outcome] * 7
    for _ in range(DRAWS):
        drawn = made.draw(jobs, outcomes)
        found += any(one.ordinal < forged for one in drawn)
    expected = 1 - (1 - share) ** forged
    assert abs(found / DRAWS - expected) < 4.5 * (expected * (1 - expected) / DRAWS) ** 0.5


def test_the_number_of_forged_matches_that_is_surely_found_is_the_least(match: tuple[Job, Outcome]) -> None:
    for share in (*(number / 1000 for number in range(1, 1000)), 1e-6, 0.999999):
        made = checks(share, queue.Queue(), match[0])
        made.draw([match[0]], [match[1]])
        said = re.search(pattern("cluster", "chance-of-a-forged-match", share=".*", surely="(?P<surely>[0-9,]+)"), made.end())
        assert said
        surely = int(said["surely"].replace(",", ""))
        assert 1 - (1 - share) ** surely > 0.95, share
        assert surely == 1 or 1 - (1 - share) ** (surely - 1) <= 0.95, share


def test_all_of_them(match: tuple[Job, Outcome]) -> None:
    job, outcome = match
    made = checks(1.0, queue.Queue(), job)
    assert not made.end()
    assert len(made.draw([job, job], [outcome, outcome])) == 2
    assert not re.search(pattern("cluster", "chance-of-a-forged-match", share=".*", surely=".*"), made.end())


def test_an_honest_match_comes_out_equal(match: tuple[Job, Outcome]) -> None:
    assert judged([match[0]], [match[1]]) == Judged()


def forged(outcome: Outcome, rng: random.Random) -> tuple[Outcome, int, int]:
    """A match with a tick of one answer more or less, and the step and the seat of that answer."""
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


def test_what_cannot_be_run_again_here_accuses_nobody(match: tuple[Job, Outcome]) -> None:
    job, outcome = match
    made = checks(1.0, queue.Queue(), job)
    void = replace(outcome, record=None, void="no process to be had")
    for answer in (TaskDone([], "no process"), TaskDone([encode(void)], "")):
        verdict = made.judge(encode(answer), [outcome])
        assert (verdict.forged, "no process" in verdict.failed) == ("", True)
    made.draw([job], [outcome])
    assert made.end().endswith(" n/a"), "what was not run again has no chance to be found"


def test_a_worker_claims_no_backstop_that_was_not_met_before() -> None:
    """A forfeit by the backstop is the word of the machine that played: a void match comes before it."""
    job, outcome = handed_in("honest", "honest")
    record = outcome.record
    assert record is not None
    step = next(number for number, choices in enumerate(record.steps, 1) if any(choice.seat == 1 for choice in choices))
    claim = pool.play_one(replace(job, forced=((1, step),)))
    assert claim.record is not None
    assert claim.record.verdicts[1] is Verdict.RESOURCE
    assert check_by_replay(replace(job, warned=(1,)), claim) == claim
    for warned in ((), (0,)):
        with pytest.raises(RecordError):
            check_by_replay(replace(job, warned=warned), claim)
