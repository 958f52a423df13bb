"""Trials with an executor that is told how each match goes: a late bot, a void match,
and results that are kept.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from khiva_arena.arbiter.job import Job, Outcome, SeatReport
from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.seat import Blame
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.result import NOT_MEASURED, Verdict
from khiva_arena.competition.playing.executor import TriedTimes
from khiva_arena.competition.playing.starts import Entrants
from khiva_arena.competition.run import probation
from khiva_arena.competition.run.probation import on_probation
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.entrants.bots import load
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.records.replay.record import Record
from khiva_arena.records.store import locks, trial_results
from khiva_arena.records.store.rows import Why

NAMES = ["naive", "greedy", "search", "random"]
"""The last one is the opponent itself, so that all seats of its trial are its own."""
BOTS = [load(f"shipped:python/{name}") for name in NAMES]
LATE, LATE_START = (
    Blame(Verdict.TIMEOUT, "no answer came", 7),
    Blame(Verdict.START_FAILED, "timeout: no answer came", 0),
)
ILLEGAL = Blame(Verdict.ILLEGAL, "choice 9 of 4 legal ones", 5)
Faults = tuple[Blame, ...]


class Told:
    """An executor whose matches go as they are told: for the bot on trial, the faults
    of each of its trials, None for a void.

    asked: the names of the bots of each call, in the order of their trials.
    prepared: the names of the bots that were started at last.
    notes: the words of each bot on stderr.
    """

    def __init__(self, goes: dict[str, list[Faults | None]], at_a_time: int = 2) -> None:
        self.goes, self.at_a_time, self.asked, self.said = (
            goes,
            at_a_time,
            list[list[str]](),
            list[str](),
        )
        self.secrets, self.prepared, self.notes = set[bytes](), list[str](), ""

    def say(self, text: str, *, warning: bool = False) -> None:
        self.said.append(text)

    def prepare(self, entrants: Sequence[Any]) -> dict[str, Command]:
        self.prepared = [bot.name for bot in entrants]
        return {bot.identity: Command((), "") for bot in entrants}

    def try_tables(
        self, tables: Iterable[tuple[Job, ...]], take: Callable[[Outcome], None], *, is_trial: bool
    ) -> TriedTimes:
        assert is_trial
        self.asked.append([])
        for (job,) in tables:
            name = job.header.seats[0].name
            self.asked[-1].append(name)
            self.secrets.add(job.secret)
            faults = self.goes.get(name, [()]).pop(0) if self.goes.get(name) else ()
            take(
                void(job, "the machine had no core")
                if faults is None
                else _outcome(job, faults, self.notes)
            )
        return TriedTimes([])


class NoMatch(Told):
    """An executor on a machine that begins no match."""

    def try_tables(
        self, tables: Iterable[tuple[Job, ...]], take: Callable[[Outcome], None], *, is_trial: bool
    ) -> TriedTimes:
        return TriedTimes([])


def _outcome(job: Job, faults: Faults, notes: str) -> Outcome:
    seats = len(job.header.seats)
    out = tuple(faults[-1].step if faults and seat == 0 else None for seat in range(seats))
    verdicts = tuple(faults[-1].verdict if at is not None else Verdict.OK for at in out)
    record = Record(job.header, (), verdicts, out, tuple(range(1, seats + 1)), (0,) * seats, "over")
    ending = Ending(0, False, NOT_MEASURED, notes, 0)
    of_seats = [faults, *[()] * (seats - 1)]
    reports = tuple(
        SeatReport("", "", mine, {1: 0.25}, {}, 10.0, ending, NOT_MEASURED) for mine in of_seats
    )
    return Outcome(job.ordinal, 1, record, "", reports, 1, 0.5)


def tried(out: Path, executor: Any, **more: Any) -> Entrants:
    first = settings_from(
        {
            "bots": [bot.asked_as for bot in BOTS],
            "seats": 3,
            "probation": True,
            "out": str(out),
            **more,
        }
    )
    return on_probation(
        [first], Entrants(tuple(BOTS)), Sandbox(Level.TRUSTED, first.resources), executor
    )


def names(entrants: Entrants) -> list[str]:
    return [bot.name for bot in entrants.entrants]


@pytest.mark.parametrize("late", [(LATE, LATE, LATE), (LATE_START,)], ids=["decisions", "start"])
@pytest.mark.parametrize("again", [(), (LATE, LATE, LATE), (ILLEGAL, ILLEGAL, ILLEGAL), None])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_late_bot_is_tried_once_more_with_no_other_and_that_counts(
    tmp_path: Path, late: Faults, again: Faults | None, jobs: int
) -> None:
    executor = Told({"greedy": [late, again]}, at_a_time=jobs)
    playing = tried(tmp_path, executor)
    assert executor.asked == [NAMES, ["greedy"]]
    assert ("greedy" in names(playing)) == (not again)
    assert [bot.name for bot in playing.left_out] == ([] if not again else ["greedy"])
    kept = {result.name: result for result in trial_results.read(tmp_path).values()}
    assert kept["greedy"].verdict == (str(again[-1].verdict) if again else "")
    assert bool(kept["greedy"].void) == (again is None)
    assert len(executor.secrets) == len(NAMES), "each bot has a deal of its own"


@pytest.mark.parametrize(
    "faults", [(ILLEGAL, ILLEGAL, ILLEGAL), (ILLEGAL, LATE, LATE), (LATE, LATE, ILLEGAL)]
)
def test_any_other_fault_puts_a_bot_out_at_once(tmp_path: Path, faults: Faults) -> None:
    executor = Told({"greedy": [faults]})
    playing = tried(tmp_path, executor)
    assert executor.asked == [NAMES]
    assert names(playing) == [name for name in NAMES if name != "greedy"]
    (out,) = playing.left_out
    assert (out.name, out.word, out.why) == ("greedy", "shipped:python/greedy", Why.FORFEITED)
    assert out.line.startswith(
        f"{faults[-1].verdict} at step {faults[-1].step}: {faults[-1].detail}"
    )


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        ("I fear\n", "; it wrote last: I fear"),
        (f"I fear\nfault: illegal: {ILLEGAL.detail} (strikes: 1)\n", ""),
    ],
)
def test_a_fault_that_a_kit_repeats_is_said_once(tmp_path: Path, notes: str, said: str) -> None:
    executor = Told({"greedy": [(ILLEGAL,)]})
    executor.notes = notes
    (out,) = tried(tmp_path, executor).left_out
    assert out.line == f"illegal at step 5: {ILLEGAL.detail}{said}"


def test_a_bot_whose_trial_is_void_plays_and_is_not_tried_again(tmp_path: Path) -> None:
    executor = Told({"search": [None]})
    playing = tried(tmp_path, executor)
    assert names(playing) == NAMES
    assert {result.name: bool(result.void) for result in playing.trials} == {
        name: name == "search" for name in NAMES
    }
    assert any(
        line.startswith("search: ") and line.endswith("the machine had no core")
        for line in executor.said
    )
    again = Told({})
    assert tried(tmp_path, again).trials == playing.trials
    assert again.asked == []


def test_a_match_that_could_not_be_begun_counts_for_no_bot(tmp_path: Path) -> None:
    playing = tried(tmp_path, NoMatch({}))
    assert names(playing) == NAMES
    assert all(result.void for result in playing.trials)


def test_the_opponent_has_no_permissions_of_a_bot_with_its_name(tmp_path: Path) -> None:
    namesake = replace(BOTS[0], name="random")
    first = settings_from(
        {
            "bots": [namesake.asked_as],
            "seats": 2,
            "probation": True,
            "out": str(tmp_path),
            "network": ["random"],
        }
    )
    executor: Any = Told({})
    on_probation(
        [first], Entrants((namesake, *BOTS[1:3])), Sandbox(Level.TRUSTED, first.resources), executor
    )
    assert executor.prepared == ["random", "greedy", "search", "random-2"]


@pytest.mark.parametrize(
    "more",
    [
        {"turn": "2s"},
        {"seats": 4},
        {"policy": "strict"},
        {"limits": {"memory": "2G"}},
        {"rules": {"max_turns": 8}},
        {"game": "emira"},
    ],
    ids=str,
)
def test_under_other_conditions_bots_are_tried_again(tmp_path: Path, more: dict[str, Any]) -> None:
    tried(tmp_path, Told({}))
    for settings, calls in (
        (more, 1),
        ({"seeds": 7, "jobs": 3, "format": "swiss"}, 0),
        ({}, 0),
        (more, 0),
    ):
        executor = Told({})
        tried(tmp_path, executor, **settings)
        assert len(executor.asked) == calls


def test_one_run_at_a_time_tries_bots_for_a_folder(tmp_path: Path) -> None:
    lock, executor = locks.lock(tmp_path), Told({})
    try:
        with pytest.raises(StoreError):
            tried(tmp_path, executor)
    finally:
        os.close(lock)
    assert executor.asked == [], (
        "its results could differ from those by which the other run has chosen its bots"
    )
    assert names(tried(tmp_path, executor)) == NAMES


def test_too_few_that_pass_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        tried(tmp_path, Told({name: [(ILLEGAL,)] for name in ("naive", "search")}))
    assert all(
        "naive, search: left out by --probation" in problem for problem in caught.value.problems
    )


def test_the_line_on_a_terminal_counts_trials_and_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    class Line:
        def __init__(self, **_how: float) -> None: ...

        def say(self, text: str) -> None:
            said.append(text)

        def clear(self) -> None:
            said.append("")

    monkeypatch.setattr(probation, "PassingLine", Line)
    tried(tmp_path, Told({}))
    assert [text for text in said if text] == [
        f"--probation: {number} of {len(NAMES)} trial matches are over"
        for number in range(1, len(NAMES) + 1)
    ]
    assert said[-1] == ""
