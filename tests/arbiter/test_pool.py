"""Many matches at a time, in one process and in workers: every job once, voids again,
nothing left behind on any path.
"""

import errno
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
import trio.testing
from jobs import job
from msgspec.structs import replace
from sound_bot import sound
from waiting import until
from wording import pattern, sentence

from khiva_arena.arbiter import match_queue, pool, worker
from khiva_arena.arbiter.failure import failure_of
from khiva_arena.arbiter.job import Failure
from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Job, LiveMatch, Outcome
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.machine import of_the_machine
from khiva_arena.errors import ConfigError, InternalError, StoreError

pytestmark = pytest.mark.slow

SUPPORT = Path(__file__).parent.parent / "support"
SPIN = Command((sys.executable, str(SUPPORT / "faulty.py"), "spin", "2"), "/tmp")


def children(of: int) -> list[int]:
    return [
        int(pid)
        for task in Path(f"/proc/{of}/task").glob("*/children")
        for pid in task.read_text().split()
    ]


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    before = children(
        os.getpid()
    )  # such as the host of a competition that a test of the API has let go
    yield
    assert set(children(os.getpid())) <= set(before)


def jobs(count: int) -> list[Job]:
    """Matches on deals of their own."""
    return [
        replace(job([sound()] * 2, ordinal), secret=ordinal.to_bytes(32))
        for ordinal in range(count)
    ]


@cache
def alone() -> list[str]:
    """The digests of six matches that one process plays one after another."""
    outcomes: list[Outcome] = []
    pool.play(jobs(6), 1, outcomes.append, 1)
    return [outcome.record.digest for outcome in outcomes if outcome.record]


@pytest.mark.parametrize(("slots", "workers"), [(3, 1), (2, 2), (3, 2)])
def test_every_job_is_played_once_and_equally(slots: int, workers: int) -> None:
    outcomes: list[Outcome] = []
    pool.play(jobs(6), slots, outcomes.append, workers)
    assert sorted(outcome.ordinal for outcome in outcomes) == list(range(6))
    digests = [o.record.digest for o in sorted(outcomes, key=lambda o: o.ordinal) if o.record]
    assert len(set(digests)) == 6
    assert digests == alone()


def test_jobs_are_drawn_only_when_a_slot_is_free() -> None:
    drawn: list[int] = []
    fixed: list[int] = []

    def draw() -> Iterator[Job]:
        for one in jobs(5):
            drawn.append(one.ordinal)
            assert len(drawn) - len(fixed) <= 2
            yield one

    pool.play(draw(), 2, lambda outcome: fixed.append(outcome.ordinal), 1)
    assert sorted(fixed) == drawn == list(range(5))


def spoilt(one: Job, **how: Any) -> Outcome:
    return void(one, "the host slept", **how)


def slots(
    count: int, ordinals: int, play_one: Callable[[Job], Outcome]
) -> list[tuple[float, int, int, bool]]:
    """Play jobs of nobody in some slots; of each outcome when it came, the match, the
    attempt, and whether it is tried again.
    """
    seen: list[tuple[float, int, int, bool]] = []

    async def one(job_: Job) -> Outcome:
        await trio.sleep(0.001)
        return play_one(job_)

    def take(outcome: Outcome) -> None:
        seen.append(
            (trio.current_time() - began[0], outcome.ordinal, outcome.attempt, outcome.again)
        )

    began: list[float] = []

    async def run() -> None:
        began.append(trio.current_time())
        queue = pool._Queue(iter(jobs(ordinals)))
        async with trio.open_nursery() as nursery:
            for _ in range(count):
                nursery.start_soon(pool._slot, queue, one, take)

    trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
    return seen


def recorded(one: Job) -> Outcome:
    record: Any = object()
    return Outcome(one.ordinal, one.attempt, record, "", (), 0, 0.0)


def test_what_the_host_spoils_waits_longer_each_time_and_is_set_aside_at_last() -> None:
    seen = slots(1, 1, spoilt)
    assert [(ordinal, attempt, again) for _, ordinal, attempt, again in seen] == [
        (0, 1, True),
        (0, 2, True),
        (0, 3, True),
        (0, 4, False),
    ]
    assert [round(now) for now, *_ in seen] == [0, 1, 11, 71]


def test_a_host_that_is_short_for_a_while_costs_no_table() -> None:
    """Four seconds without a free process: hundreds of matches could be void twice
    meanwhile.
    """
    began: list[float] = []

    def for_four_seconds(one: Job) -> Outcome:
        began.append(trio.current_time())
        return spoilt(one) if trio.current_time() - began[0] < 4 else recorded(one)

    seen = slots(2, 500, for_four_seconds)
    assert {ordinal for _, ordinal, _, again in seen if not again} == set(range(500))
    assert sum(again for *_, again in seen) <= 6
    assert [attempt for _, _, attempt, again in seen if not again].count(1) >= 494
    last = [ordinal for _, ordinal, _, _ in seen[-4:]]
    assert set(last) & {0, 1, 2, 3} == set(last), "they stand behind all others"


@pytest.mark.parametrize("how", [{}, {"host": False, "begun": False}])
def test_who_plays_nothing_but_voids_at_once_gets_no_more_matches(how: dict[str, bool]) -> None:
    """One of two workers is broken: the other plays all."""
    workers: dict[int, str] = {}

    def broken(one: Job) -> Outcome:
        worker = workers.setdefault(
            id(trio.lowlevel.current_task()), "broken" if not workers else "sound"
        )
        return spoilt(one, **how) if worker == "broken" else recorded(one)

    seen = slots(2, 200, lambda one: broken(one))
    assert {ordinal for _, ordinal, attempt, again in seen if not again} == set(range(200))
    assert sum(again for *_, again in seen) <= 4


def test_a_broken_machine_ends_the_run_before_every_match_is_void() -> None:
    seen = slots(2, 10_000, spoilt)
    assert len(seen) == 8
    assert round(seen[-1][0]) == 71


def test_matches_that_the_arena_itself_fails_at_hold_up_no_other_one() -> None:
    seen = slots(
        1,
        50,
        lambda one: (
            spoilt(one, failure=failure_of(RuntimeError())) if one.ordinal < 6 else recorded(one)
        ),
    )
    assert {ordinal for _, ordinal, _, again in seen if not again} == set(range(50))
    assert max(now for now, ordinal, *_ in seen if ordinal >= 6) < 1


def test_what_a_seat_or_a_game_makes_void_is_played_again_once_and_at_once() -> None:
    seen = slots(1, 2, lambda one: spoilt(one, host=False))
    assert [(ordinal, attempt, again) for _, ordinal, attempt, again in seen] == [
        (0, 1, True),
        (0, 2, False),
        (1, 1, True),
        (1, 2, False),
    ]
    assert seen[-1][0] < 1


def test_a_fault_of_the_host_in_a_match_is_the_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    async def void(self: LiveMatch) -> Outcome:
        raise HostFault("the host slept")

    monkeypatch.setattr(LiveMatch, "record", void)
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    seen: list[Outcome] = []
    pool.play(jobs(1), 1, seen.append, 1)
    assert [(outcome.attempt, outcome.host, outcome.begun, outcome.again) for outcome in seen] == [
        (1, True, False, True),
        (2, True, False, True),
        (3, True, False, True),
        (4, True, False, False),
    ]


def _when(condition: object, then: object) -> threading.Thread:
    """Run ``then`` in a thread as soon as ``condition`` holds, or patience is used up;
    both are functions.
    """

    def watch() -> None:
        until(condition)  # type: ignore[arg-type]
        then()  # type: ignore[operator]

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def _newcomers() -> Callable[[], list[int]]:
    """Our children from now on: tests before this one may have left some, such as a
    browser.
    """
    before = set(children(os.getpid()))
    return lambda: [pid for pid in children(os.getpid()) if pid not in before]


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupt_ends_and_reaps_everything_promptly(workers: int) -> None:
    started = _newcomers()
    below = (
        started
        if workers == 1
        else (lambda: [pid for worker in started() for pid in children(worker)])
    )
    thread = _when(lambda: len(below()) >= 2, lambda: os.kill(os.getpid(), signal.SIGINT))
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        pool.play(
            [job([SPIN] * 2, n, turn_ms=60_000) for n in range(4)], 2, lambda _: None, workers
        )
    thread.join()
    assert time.monotonic() - began < 15


def test_an_error_while_fixing_ends_everything() -> None:
    def full_disk(_: Outcome) -> None:
        raise InternalError(sentence("store", "disk-full"))

    for workers in (1, 2):
        with pytest.raises(InternalError, match=pattern("store", "disk-full")):
            pool.play(jobs(4), 2, full_disk, workers)


def test_an_error_while_fixing_keeps_its_cause() -> None:
    cause = OSError(errno.ENOSPC, "")

    def full_disk(_: Outcome) -> None:
        raise InternalError from cause

    for workers in (1, 2):
        with pytest.raises(InternalError) as caught:
            pool.play(jobs(4), 2, full_disk, workers)
        assert caught.value.__cause__ is cause


def test_a_killed_worker_loses_nothing() -> None:
    started = _newcomers()
    outcomes: list[Outcome] = []
    kill = lambda: os.kill(started()[0], signal.SIGKILL)  # noqa: E731
    thread = _when(lambda: len(outcomes) >= 2, kill)
    pool.play(jobs(12), 2, outcomes.append, 2)
    thread.join()
    assert sorted(outcome.ordinal for outcome in outcomes if outcome.record) == list(range(12))
    voids = [outcome for outcome in outcomes if not outcome.record]
    assert [outcome.void for outcome in voids] == ["a worker was ended by SIGKILL"] * len(voids)


def unplayable(ordinal: int) -> Job:
    """A match that the arena fails at: nobody makes such a job."""
    one = replace(job([sound()] * 2, ordinal), secret=ordinal.to_bytes(32))
    return replace(one, header=replace(one.header, game="nonsense"))


def test_a_worker_outlives_a_match_that_it_fails_at(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nobody else is told of it, so its trace goes to the log: once."""
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    outcomes: list[Outcome] = []
    pool.play([unplayable(4), *jobs(4)], 2, outcomes.append, 2)
    assert sorted(outcome.ordinal for outcome in outcomes if outcome.record) == list(range(4))
    voids = {
        (outcome.ordinal, outcome.void, outcome.failure is not None)
        for outcome in outcomes
        if not outcome.record
    }
    assert voids == {(4, failure_of(ConfigError("")).why, True)}
    assert caplog.text.count("Traceback") == 1
    assert "ConfigError" in caplog.text
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("workers", [1, 2])
def test_a_match_that_the_arena_fails_at_is_void_and_its_trace_is_told(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    outcomes: list[Outcome] = []
    told: list[tuple[int, Failure]] = []

    def failed(job: Job, failure: Failure) -> str:
        told.append((job.ordinal, failure))
        return "told"

    pool.play([unplayable(4), *jobs(2)], workers, outcomes.append, workers, failed=failed)
    assert {(ordinal, failure.kind) for ordinal, failure in told} == {(4, "ConfigError")}
    assert {failure.trace.partition("\n")[0] for _, failure in told} == {
        "Traceback (most recent call last):"
    }
    assert sorted(outcome.ordinal for outcome in outcomes if outcome.record) == [0, 1]
    assert {
        (outcome.void, outcome.failure is not None) for outcome in outcomes if not outcome.record
    } == {("told", True)}


def test_a_match_that_the_arena_fails_at_here_ends_all_unless_somebody_is_told() -> None:
    with pytest.raises(ConfigError):
        pool.play([unplayable(4), *jobs(2)], 1, lambda _: None, 1)


def test_a_trace_of_a_worker_is_bounded_and_harmless() -> None:
    failure = failure_of(RuntimeError("\x1b[2J\udcff" * 10**5))
    assert len(msgspec.msgpack.encode(failure)) < 10**6
    assert failure.trace.replace("\n", "").isprintable()


FAILING_WORKER = """#!{python}
import sys
from khiva_arena.arbiter import worker
from khiva_arena.errors import StoreError
async def fail(*_, **__):
    raise {error}
worker.play_live = fail
sys.argv = sys.argv[3:]
worker.main()
"""


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("error", "number"),
    [
        (OSError(errno.ENOSPC, "full"), errno.ENOSPC),
        (OSError(errno.EMFILE, "many"), errno.EMFILE),
        (ExceptionGroup("tasks", [ValueError(), OSError(errno.ENOSPC, "full")]), errno.ENOSPC),
        (MemoryError(), None),
        (StoreError("full"), None),
    ],
    ids=repr,
)
def test_an_error_of_the_machine_at_a_match_makes_nothing_void(
    error: Exception,
    number: int | None,
    workers: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fail(*_: object, **__: object) -> Outcome:
        raise error

    two = jobs(2)
    program = tmp_path / "worker"
    program.write_text(FAILING_WORKER.format(python=sys.executable, error=repr(error)))
    program.chmod(0o755)
    monkeypatch.setattr(pool, "play_live", fail)
    monkeypatch.setattr(worker.sys, "executable", str(program))
    outcomes: list[Outcome] = []
    with pytest.raises(Exception) as caught:
        pool.play(
            two, workers, outcomes.append, workers, failed=lambda *_: pytest.fail("not the arena's")
        )
    assert outcomes == []
    assert of_the_machine(caught.value)
    assert number in (None, getattr(caught.value, "errno", None))


def test_a_worker_whose_arbiter_is_gone_ends_without_a_word() -> None:
    command = [sys.executable, "-P", "-m", "khiva_arena.arbiter.worker", worker.SHARED]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(worker._framed(job([sound()] * 2)))
        process.stdin.flush()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_too_few_descriptors_are_the_host_s_fault_and_not_the_bots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 10, hard))
    outcomes: list[Outcome] = []
    try:
        pool.play([job([sound()] * 5)], 1, outcomes.append, 1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert [(outcome.attempt, outcome.record) for outcome in outcomes] == [
        (attempt, None) for attempt in (1, 2, 3, 4)
    ]
    assert sentence("sandbox", "too-many-open-files") in outcomes[0].void


def test_descriptors_are_reserved_or_refused() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        pool.reserve(20, 5)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == pool.SPARE_DESCRIPTORS + 20 * 19
        with pytest.raises(ConfigError, match="--jobs"):
            pool.reserve(10**9, 5)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
