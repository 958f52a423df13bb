"""Many matches at a time: ``slots`` matches in flight, spread over worker processes, one for each core at the most.

A single worker is this very process. A match that was void because of a seat or a game is played again at once, ``VOIDS_MOST``
times in all. A late seat does not void the last of them.

The host can spoil a match: it cannot start bots now, or has lost a worker. Such a match goes behind all others and waits, and so
does the slot that played it: a host without a free process spoils hundreds a second.
"""

import heapq
import resource
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import trio
from msgspec.structs import replace

from khiva_arena.arbiter.clock import LagMeter, wait_at_work
from khiva_arena.arbiter.live import play_live, void
from khiva_arena.arbiter.match import VOIDS_MOST as VOIDS_MOST
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.worker import Worker, WorkerDied
from khiva_arena.errors import ConfigError
from khiva_arena.sandbox import system

if TYPE_CHECKING:
    from khiva_arena.arbiter.trace import Trace  # most matches are not traced

SPARE_DESCRIPTORS = 64
HOST_WAITS = (1.0, 10.0, 60.0)
"""Seconds until a match that the host has spoilt is tried again: for the first time, the second and the third."""
Take = Callable[[Outcome], None]
PlayOne = Callable[[Job], Awaitable[Outcome]]


def reserve(slots: int, seats: int) -> None:
    """Make sure that ``slots`` matches at a time have the descriptors they need: three for each seat and a few more.

    Raises ConfigError when the system does not allow as many.
    """
    needed = SPARE_DESCRIPTORS + slots * (3 * seats + 4)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise ConfigError(
            f"--jobs: {slots} matches at a time need {needed} open files, the system allows {hard} (ulimit -Hn): give fewer"
        )
    # Any user may raise the soft limit up to the hard one.
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def play(
    jobs: Iterable[Job],
    slots: int,
    take: Take,
    workers: int | None = None,
    trace: "Trace | None" = None,
    *,
    hold_back: bool = False,
) -> None:
    """Play all jobs, ``slots`` at a time. Hand each outcome, a void too, to ``take`` in this thread, as it comes.

    jobs: drawn from only when a slot is free
    workers: processes, by default one for each core and slot
    trace: for a single worker and slot
    hold_back: hand on an outcome that a stop may have brought about only when none has come, while the next match is played

    Raises any error of ``take`` or of a match, KeyboardInterrupt included, when every process of every match is reaped.
    """
    if workers is None:
        workers = min(slots, system.cores())
    run = (
        partial(_play_here, trace=trace, hold_back=hold_back) if workers <= 1 else partial(_play_in_workers, hold_back=hold_back)
    )
    try:
        trio.run(run, iter(jobs), slots, take, workers, restrict_keyboard_interrupt_to_checkpoints=True)
    except BaseExceptionGroup as group:
        raise _first(group) from group


def play_one(job: Job, trace: "Trace | None" = None, tell: Take = lambda _: None) -> Outcome:
    """Play one match in this process, and again after a void. ``tell`` gets the outcome of each try, as soon as it is over."""
    outcomes: list[Outcome] = []

    def take(outcome: Outcome) -> None:
        outcomes.append(outcome)
        tell(outcome)

    play([job], 1, take, trace=trace)
    return outcomes[-1]


async def _play_here(
    jobs: Iterator[Job], slots: int, take: Take, _workers: int, *, trace: "Trace | None" = None, hold_back: bool
) -> None:
    lag, queue = LagMeter(), _Queue(jobs)

    async def play_job(job: Job) -> Outcome:
        return await play_live(job, lag, alone=slots == 1, trace=trace)

    async with trio.open_nursery() as meter:
        meter.start_soon(lag.run)
        async with trio.open_nursery() as nursery:
            for _ in range(slots):
                nursery.start_soon(partial(_slot, hold_back=hold_back), queue, play_job, take)
        meter.cancel_scope.cancel()


async def _play_in_workers(jobs: Iterator[Job], slots: int, take: Take, workers: int, *, hold_back: bool) -> None:
    queue = _Queue(jobs)
    async with trio.open_nursery() as nursery:
        crew = [Worker(nursery, alone=slots <= workers) for _ in range(workers)]
        try:
            async with trio.open_nursery() as playing:
                for slot in range(slots):
                    playing.start_soon(partial(_slot, hold_back=hold_back), queue, _player(crew[slot % workers]), take)
        finally:
            # Even a stop waits for the workers, which end their bots.
            with trio.CancelScope(shield=True):
                for worker in crew:
                    await worker.close()
        nursery.cancel_scope.cancel()


def _player(worker: Worker) -> PlayOne:
    async def play_job(job: Job) -> Outcome:
        try:
            return await worker.play(job)
        except WorkerDied as death:
            # The worker was killed from outside, or the host is out of memory: nothing was recorded, and no bot is to blame.
            return void(job, str(death))

    return play_job


class Retry(NamedTuple):
    """A match that the host has spoilt.

    at: when it is tried again, by the clock of the caller
    job: the match
    """

    at: float
    job: Job


class Spoilt:
    """The matches that the host has spoilt, with the time from which on each is tried again, by any one clock."""

    def __init__(self) -> None:
        self._waiting: list[tuple[float, int, Job]] = []
        self._times: Counter[int] = Counter()

    def add(self, job: Job, now: float) -> bool:
        """Put a match behind the others. Return True if it is tried again."""
        times = self._times[job.ordinal]
        self._times[job.ordinal] += 1
        if times == len(HOST_WAITS):
            return False
        heapq.heappush(self._waiting, (now + HOST_WAITS[times], job.ordinal, replace(job, attempt=job.attempt + 1)))
        return True

    @property
    def first(self) -> Retry | None:
        """The match that is tried first, None if there is none."""
        return Retry(self._waiting[0][0], self._waiting[0][2]) if self._waiting else None

    def take(self) -> Job:
        """Remove and return the match that is tried first."""
        return heapq.heappop(self._waiting)[2]


class _Queue:
    """The matches still to be played: matches that were not tried, and behind them matches that the host has spoilt."""

    def __init__(self, jobs: Iterator[Job]) -> None:
        self._jobs = jobs
        self._spoilt = Spoilt()

    async def next(self) -> Job | None:
        """Return the next match, None if there is none. A match that was spoilt is waited for."""
        while (job := next(self._jobs, None)) is None and (first := self._spoilt.first) is not None:
            if first.at <= trio.current_time():
                return self._spoilt.take()
            await trio.sleep_until(first.at)
        return job

    def spoilt(self, job: Job) -> bool:
        """Put a match that the host has spoilt behind the others. Return True if it is tried again."""
        return self._spoilt.add(job, trio.current_time())


async def _slot(queue: _Queue, play_one: PlayOne, take: Take, *, hold_back: bool = False) -> None:
    in_a_row = 0  # matches that were void at once here: then something is broken, and the others take the rest
    async with trio.open_nursery() as hold:
        while in_a_row <= len(HOST_WAITS) and (job := await queue.next()) is not None:
            if not await _play_until_taken(job, queue, play_one, take, hold if hold_back else None):
                in_a_row = 0
                continue
            in_a_row += 1
            await trio.sleep(([0.0, *HOST_WAITS, 0.0])[in_a_row])


async def _play_until_taken(job: Job, queue: _Queue, play_one: PlayOne, take: Take, hold: trio.Nursery | None) -> bool:
    """Play a match, and again if a seat or the game made it void.

    Return True if it was void before a bot was asked anything, or the host has spoilt it.
    """
    while True:
        outcome = await play_one(job)
        wait = outcome.unsettled if hold else 0.0
        # A stop may have ended a bot of this match. The slot goes on while that shows, so nobody waits for it.
        if outcome.record is not None and hold and wait:
            hold.start_soon(_take_later, outcome, wait, take)
            return False
        await wait_at_work(wait)
        if outcome.record is not None:
            take(outcome)
            return False
        if outcome.host:
            take(replace(outcome, again=queue.spoilt(job)))
            return True
        take(replace(outcome, again=not job.last))
        if job.last:
            return not outcome.begun
        job = replace(job, attempt=job.attempt + 1)


async def _take_later(outcome: Outcome, seconds: float, take: Take) -> None:
    """Hand on an outcome after ``seconds``. If a stop comes before that, the match is played again instead."""
    await wait_at_work(seconds)
    take(outcome)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the error to report to the user: an interrupt before all else, then the one that came first."""
    leaves: list[BaseException] = []
    todo: list[BaseException] = [group]
    while todo:
        error = todo.pop(0)
        if isinstance(error, BaseExceptionGroup):
            todo += error.exceptions
        else:
            leaves.append(error)
    return next((leaf for leaf in leaves if isinstance(leaf, KeyboardInterrupt)), leaves[0])
