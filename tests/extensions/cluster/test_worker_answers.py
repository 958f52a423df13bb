"""What workers answer: late, spoilt, false, or so that the arbiter fails."""

import errno
import operator
import re
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from made_up_workers import GOOD, crew, worker
from msgspec.structs import replace
from synthesised import outcome
from wording import pattern, sentence

from khiva_arena.arbiter import match_queue
from khiva_arena.arbiter.job import Failure
from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.seat import Blame
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import TRUSTING, Level
from khiva_arena.common.result import Verdict
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.errors import ClusterError, GameFault, StoreError
from khiva_arena.extensions.cluster import worker_tables
from khiva_arena.extensions.cluster.access import Access
from khiva_arena.extensions.cluster.admission import Recruiting
from khiva_arena.extensions.cluster.assignments import LOSSES_MOST
from khiva_arena.extensions.cluster.dask_executor import Cluster
from khiva_arena.extensions.cluster.worker_messages import (
    Sealed,
    SeenWorker,
    TaskDone,
    decode_task,
    encode,
)
from khiva_arena.extensions.cluster.worker_tables import seconds_for
from khiva_arena.extensions.cluster.workers import ClusterWorker, RecruitStage
from khiva_arena.games.registry import get
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Header, RecordedSeat

SECRET = b"\7" * 32


RULES = get("khiva").rules({"max_turns": 10})


SEATS = tuple(
    RecordedSeat(*who, seeds.seat_number(SECRET, "m", seat))
    for seat, who in enumerate(("ax", "by"))
)


TIME = {"startup_ms": 10_000, "turn_ms": 1_000, "bank_ms": 10_000}


HEADER = Header(
    "m",
    "khiva",
    get("khiva").rules_version,
    RULES,
    SEATS,
    seeds.commitment("m", SECRET),
    TIME,
    "lenient",
    "trusted",
)


class MadeUp:
    """A scheduler whose workers answer at once, as ``answer`` says: with outcomes,
    words, bytes, or not at all.
    """

    def __init__(self, names: str, answer: Callable[[str, list[Job]], Any]) -> None:
        self.names = names
        self.answer = answer
        self.payloads: list[bytes] = []
        self.given: list[str] = []

    def workers(self) -> dict[str, SeenWorker]:
        return {name: SeenWorker(name, 1, float(len(self.given))) for name in self.names}

    def submit(
        self, _key: str, name: str, payload: bytes, take: Callable[[str, Any], None]
    ) -> None:
        self.given.append(name)
        self.payloads.append(payload)
        jobs = [msgspec.msgpack.decode(frame, type=Job) for frame in decode_task(payload).frames]
        answer = self.answer(name, jobs)
        if isinstance(answer, list):
            answer = encode(TaskDone([encode(outcome) for outcome in answer], ""))
        take(_key, answer)

    def forget(self, *_keys: str) -> None:
        pass


class MadeUpPlay:
    complete = False

    def __init__(self, *tables: list[Job]) -> None:
        self._tables = tables

    def tables(self, _drawn: object) -> Iterator[list[Job]]:
        return iter(self._tables)


def job(ordinal: int, attempt: int = 1) -> Job:
    return Job(ordinal, attempt, HEADER, SECRET, (Command((), ""),) * 2)


def good(one: Job, **changes: Any) -> Outcome:
    return msgspec.structs.replace(outcome(one), **changes)


def play(
    names: str,
    answer: Callable[[str, list[Job]], Any],
    *tables: list[Job],
    share: float = 0.0,
    taken: list[Outcome] | None = None,
    **how: Any,
) -> tuple[list[Outcome], MadeUp, list[str]]:
    """What is taken, from whom, and what is said. ``share``: of the matches whose bots
    are run again; ``how``: settings.
    """
    taken = [] if taken is None else taken
    said: list[str] = []
    settings = settings_from({"bots": ["a", "b"], "dask": "local:2", **how})
    from khiva_arena.extensions.cluster.dask_executor import Cluster  # not above: it imports Dask

    cluster: Any = Cluster(
        Access("", 2, ()),
        settings,
        TRUSTING,
        share,
        None,
        lambda text, *, warning=False: said.append(text),
    )
    cluster._checks.commands = {
        seat.bot: Command((), "") for table in tables for one in table for seat in one.header.seats
    }
    cluster._connection.link = scheduler = MadeUp(names, answer)
    cluster._crew.workers = {
        name: worker(name, msgspec.structs.replace(GOOD, machine=name)) for name in names
    }
    cluster._recruiting._names = {"x": "a", "y": "b"}
    cluster.play(MadeUpPlay(*tables), None, taken.append)
    return taken, scheduler, said


def test_each_match_is_taken_once_with_the_commands_of_its_worker() -> None:
    taken, scheduler, _ = play(
        "ab", lambda _name, jobs: [good(one) for one in jobs], [job(0), job(1)], [job(2)]
    )
    assert [outcome.ordinal for outcome in taken] == [0, 1, 2]
    frame = decode_task(scheduler.payloads[0]).frames[0]
    assert [command.argv for command in msgspec.msgpack.decode(frame, type=Job).commands] == [
        ("x",),
        ("y",),
    ]


def test_a_table_that_a_worker_did_not_play_is_played_elsewhere_and_nothing_is_void() -> None:
    answers = iter(["KilledWorker", encode(TaskDone([], "its process ended with status -9"))])
    taken, scheduler, said = play(
        "abc",
        lambda _name, jobs: next(answers, None) or [good(one) for one in jobs],
        [job(0), job(1)],
    )
    assert [(outcome.ordinal, outcome.attempt, outcome.void) for outcome in taken] == [
        (0, 1, ""),
        (1, 1, ""),
    ]
    assert len(set(scheduler.given)) == 3
    assert "did not play a table" in said[0]


def test_a_table_that_ends_every_worker_is_void_at_last() -> None:
    taken, scheduler, _ = play("ab", lambda _name, _jobs: "KilledWorker", [job(0)])
    assert [outcome.attempt for outcome in taken] == [1, 2]
    assert all(
        "workers were lost while they played it, the last of" in outcome.void for outcome in taken
    )
    assert len(scheduler.given) == 2 * LOSSES_MOST


def spoilt(one: Job) -> Outcome:
    return void(one, sentence("arbiter", "host-no") + " free process", begun=False)


def test_a_match_that_a_workers_machine_spoils_waits_behind_all_others_and_the_worker_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.3, 0.3, 0.3))
    began: list[tuple[float, str, int]] = []

    def answer(name: str, jobs: list[Job]) -> list[Outcome]:
        began.append((time.monotonic(), name, jobs[0].ordinal))
        return [spoilt(one) if len(began) == 1 else good(one) for one in jobs]

    taken, _, said = play("ab", answer, *[[job(number)] for number in range(5)])
    assert [(made.ordinal, made.attempt, bool(made.void), made.again) for made in taken] == [
        (0, 1, True, True),
        *[(number, 1, False, False) for number in (1, 2, 3, 4)],
        (0, 2, False, False),
    ]
    assert began[-1][0] - began[0][0] >= 0.3
    assert began[0][1] not in [name for _, name, _ in began[1:]]
    assert said == [
        sentence(
            "cluster",
            "worker-tried-again-later",
            name=began[0][1],
            void=sentence("arbiter", "host-no") + " free process",
        )
    ]


@pytest.mark.parametrize("attempt", [1, 5])
def test_what_is_spoilt_four_times_in_one_run_is_set_aside(
    attempt: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it was void before this run."""
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    taken, scheduler, _ = play(
        "abcde", lambda _name, jobs: [spoilt(one) for one in jobs], [job(0, attempt)]
    )
    assert [(made.attempt, made.again) for made in taken] == [
        (attempt + more, more < 3) for more in range(4)
    ]
    assert len(set(scheduler.given)) == 4


def test_a_late_arbiter_makes_its_table_void_and_the_table_is_played_elsewhere() -> None:
    def answer(name: str, jobs: list[Job]) -> list[Outcome]:
        return [good(one, lag=6.0 if name == first else 0.0, seconds=10.0) for one in jobs]

    first = "b"
    taken, scheduler, said = play("ab", answer, [job(0), job(1)])
    if scheduler.given[0] != first:  # the other one was asked first
        first = scheduler.given[0]
        taken, scheduler, said = play("ab", answer, [job(0), job(1)])
    assert [(outcome.attempt, bool(outcome.void)) for outcome in taken] == [
        (1, True),
        (1, True),
        (2, False),
        (2, False),
    ]
    assert "its arbiter was late by 6.0 s of a match of 10.0 s" in said[0]
    assert set(scheduler.given[1:]) == {"a", "b"} - {first}


def test_nothing_more_is_played_once_a_test_has_decided() -> None:
    def decide(_outcome: Outcome) -> None:
        played.complete = True

    settings = settings_from({"bots": ["a", "b"], "dask": "local:2"})
    from khiva_arena.extensions.cluster.dask_executor import Cluster  # not above: it imports Dask

    cluster: Any = Cluster(
        Access("", 2, ()), settings, TRUSTING, 0.0, None, lambda text, *, warning=False: None
    )
    cluster._connection.link = scheduler = MadeUp(
        "a", lambda _name, jobs: [good(one) for one in jobs]
    )
    cluster._crew.workers = {"a": worker("a")}
    cluster._recruiting._names = {"x": "a", "y": "b"}
    played = MadeUpPlay([job(0)], [job(1)], [job(2)])
    cluster.play(played, None, decide)
    assert len(scheduler.given) == 1
    assert not cluster._desk.assignments


def test_a_run_ends_when_too_many_matches_cannot_be_confirmed_unless_they_are_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first one alone ends nothing, and its table is recorded; that of the second
    one is not.
    """
    monkeypatch.setattr("khiva_arena.extensions.cluster.spot_checks.HOST_WAITS", ())
    monkeypatch.setattr(
        "khiva_arena.extensions.cluster.spot_checks.task.converse",
        lambda *_: TaskDone([], "no memory"),
    )
    tables = [[job(0)], [job(1)], [job(2)]]
    recorded: list[Outcome] = []

    def answers(_: str, jobs: list[Job]) -> list[Outcome]:
        return [good(one) for one in jobs]

    with pytest.raises(ClusterError) as ended:
        play("a", answers, *tables, share=1.0, taken=recorded)
    assert len(recorded) == 1
    words = {
        "number": "2",
        "drawn": "2",
        "bots": ".* 2.*",
        "why": pattern("audit", "not-here") + "no memory.*",
    }
    assert re.match(pattern("cluster", "too-many-unconfirmed", **words), str(ended.value))
    assert "can run them, or with --dask-take-unconfirmed" in str(ended.value)
    assert ended.value.exit_code == 2
    taken, _, said = play(
        "a", answers, *tables, share=1.0, dask_rerun_bots="100%", dask_take_unconfirmed=True
    )
    assert len(taken) == 3
    assert sum("of worker a is unconfirmed: " in line for line in said) == 3


def test_lag_does_not_void_the_last_attempt() -> None:
    taken, _, _ = play(
        "a",
        lambda _name, jobs: [good(one, lag=6.0, seconds=10.0) for one in jobs],
        [job(0, attempt=2)],
    )
    assert [(outcome.attempt, outcome.void) for outcome in taken] == [(2, "")]


@pytest.mark.parametrize(
    ("nonsense", "line"),
    [
        (b"\xc1", sentence("cluster", "answered-no-khiva-arena")),
        ([good(job(5))], sentence("cluster", "answered-no-khiva-arena")),
    ],
)
def test_a_worker_that_answers_nonsense_is_refused(nonsense: Any, line: str) -> None:
    answers = iter([nonsense])
    taken, scheduler, said = play(
        "ab", lambda _name, jobs: next(answers, None) or [good(one) for one in jobs], [job(0)]
    )
    assert [outcome.void for outcome in taken] == [""]
    assert len(set(scheduler.given)) == 2
    assert line in said[0]


def turned(one: Job) -> Outcome:
    """A match as it was played, with its places and points the other way round."""
    made = good(one)
    assert made.record is not None
    record = replace(made.record, ranks=made.record.ranks[::-1], scores=made.record.scores[::-1])
    assert record.ranks != made.record.ranks
    return msgspec.structs.replace(made, record=record)


def with_seats(one: Job, **changes: Any) -> Outcome:
    made = good(one)
    return msgspec.structs.replace(
        made, seats=tuple(msgspec.structs.replace(seat, **changes) for seat in made.seats)
    )


def blamed(one: Job) -> Outcome:
    return with_seats(one, faults=(Blame(Verdict.CRASHED, "it died", 1),))


LIES: dict[str, Callable[[Job], Outcome]] = {
    "places": turned,
    "a fault": blamed,
    "a first request": lambda one: good(one, req_start=1),
    "a seat too few": lambda one: good(one, seats=good(one).seats[:1]),
    "a seat too many": lambda one: good(one, seats=good(one).seats * 2),
    "a cell of modules by the wall clock": lambda one: good(one, cell=Level.STRICT),
    "a void by a seat that is not there": lambda one: good(
        one, record=None, void="late", causes=(7,)
    ),
    "time that runs back": lambda one: with_seats(one, times={1: -1.0}),
    "no time": lambda one: with_seats(one, times={1: float("nan")}),
    "endless time": lambda one: good(one, seconds=float("inf")),
    "a step that no store can keep": lambda one: with_seats(one, times={2**63: 1.0}),
    "memory that no store can keep": lambda one: with_seats(
        one, ending=replace(good(one).seats[0].ending, peak=2**63)
    ),
    "notes that no store can keep": lambda one: with_seats(
        one, ending=replace(good(one).seats[0].ending, notes="x" * 2**24)
    ),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_worker_that_lies_is_named_and_what_it_has_is_played_elsewhere(
    lie: Callable[[Job], Outcome],
) -> None:
    """Nothing of it is recorded, whatever else it sends, and it gets nothing more."""
    liar = ""

    def answer(name: str, jobs: list[Job]) -> list[Outcome]:
        nonlocal liar
        liar = liar or name
        return [lie(one) for one in jobs] if name == liar else [good(one) for one in jobs]

    taken, scheduler, said = play("abc", answer, [job(0)], [job(1)], [job(2)])
    assert sorted(outcome.ordinal for outcome in taken) == [0, 1, 2]
    assert all(
        made.record == good(job(made.ordinal)).record and made.attempt == 1 for made in taken
    )
    named = [line for line in said if line.startswith(f"worker {liar} is refused: it ")]
    assert len(named) == 1
    assert named[0].endswith("; its tables are played elsewhere")
    assert scheduler.given.count(liar) == 1


def test_a_game_that_fails_in_the_replay_is_no_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    fails = iter([True])

    def failing(*_: object) -> None:
        if next(fails, False):
            raise GameFault("game mine.py: apply() raises ValueError")

    monkeypatch.setattr(worker_tables, "verify", failing)
    taken, scheduler, said = play("ab", lambda _name, jobs: [good(one) for one in jobs], [job(0)])
    assert [(made.attempt, made.void) for made in taken] == [
        (1, "game mine.py: apply() raises ValueError"),
        (2, ""),
    ]
    assert len(set(scheduler.given)) == 2
    assert said == []


def test_a_match_is_given_all_the_time_that_its_limits_allow() -> None:
    one = job(0)
    assert seconds_for([one, one]) == 2 * (10 + 2 * (10 + 160))


def test_what_is_sealed_is_not_shown() -> None:
    assert repr(Sealed(b"secret")) == "<6 bytes>"


@pytest.mark.parametrize(
    "place", ["worker_tables.check", "worker_tables.check_by_replay", "decode_done"]
)
def test_an_answer_at_which_the_arbiter_fails_ends_its_worker_alone(
    place: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    function = operator.attrgetter(place)(judged_answers())
    calls: list[int] = []

    def fails_once(*parts: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise IndexError("not one of theirs")
        return function(*parts)

    monkeypatch.setattr(f"khiva_arena.extensions.cluster.judged_answers.{place}", fails_once)
    taken, scheduler, said = play(
        "ab", lambda _name, jobs: [good(one) for one in jobs], [job(0), job(1)]
    )
    assert [(outcome.ordinal, outcome.void) for outcome in taken] == [(0, ""), (1, "")]
    assert len({*scheduler.given}) == 2
    assert "IndexError" in said[0]
    assert "not one of theirs" in caplog.text


@pytest.mark.parametrize(
    "error",
    [
        KeyboardInterrupt(),
        SystemExit(),
        MemoryError(),
        StoreError("full"),
        OSError(errno.ENOSPC, "full"),
    ],
)
def test_an_interrupt_and_an_error_of_the_machine_end_a_run_on_a_cluster(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr("khiva_arena.extensions.cluster.judged_answers.worker_tables.check", fails)
    with pytest.raises(type(error)):
        play("ab", lambda _name, jobs: [good(one) for one in jobs], [job(0)])


def judged_answers() -> Any:
    # not above: it imports Dask
    from khiva_arena.extensions.cluster import judged_answers as module

    return module


def test_an_offer_at_which_the_arbiter_fails_ends_its_worker_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = worker("a"), worker("b")
    said: list[str] = []
    settings = settings_from({"bots": ["a", "b"], "dask": "local:2"})
    recruiting: Any = Recruiting(
        crew(first, second),
        TRUSTING,
        settings,
        None,
        lambda text, *, warning=False: said.append(text),
    )
    recruiting._questions = {"one": (first, 0.0), "other": (second, 0.0)}
    first.stage = second.stage = RecruitStage.ASKED
    taken: list[str] = []

    def take(one: ClusterWorker, *_: object) -> None:
        if one is first:
            raise IndexError("not one of theirs")
        taken.append(one.name)

    monkeypatch.setattr(recruiting, "_take_offer", take)
    for key in ("one", "other"):
        recruiting.take_answer(key, encode(TaskDone([b"offer"], "")))
    assert taken == ["b"]
    recruiting.say_refusals(playing=True)
    assert "IndexError" in said[0]
    assert "not one of theirs" in caplog.text


def test_the_trace_of_a_match_that_a_worker_failed_at_is_harmless(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The worker may have written anything into it."""
    one: Any = SimpleNamespace(name="\x1b[2J", stage=RecruitStage.READY)
    failure = Failure("KeyError", "words", "Traceback\x1b[2J" * 10**5)
    Cluster._rest(cast(Any, None), one, Outcome(0, 1, None, "why", (), 0, 0.0, failure=failure))
    assert caplog.messages[0].endswith("Traceback\\x1b[2J")
    assert caplog.messages[0].replace("\n", "").isprintable()
    assert len(caplog.messages[0]) < 10**6
