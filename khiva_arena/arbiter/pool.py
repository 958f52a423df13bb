"""Many matches at a time: ``slots`` matches in flight, spread over worker processes, one for each core at the most.

A single worker is this very process. A void match is played again at once, ``VOIDS_MOST`` times in all. A late seat does not
void the last of them: what is set aside is a match that the host cannot start, or whose worker dies.
"""

import resource
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import trio
from msgspec.structs import replace

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.live import play_live, void
from khiva_arena.arbiter.match import VOIDS_MOST as VOIDS_MOST
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.settle import settled
from khiva_arena.arbiter.worker import Worker, WorkerDied
from khiva_arena.errors import ConfigError
from khiva_arena.sandbox import system

if TYPE_CHECKING:
    from khiva_arena.arbiter.trace import Trace  # most matches are not traced

SPARE_DESCRIPTORS = 64
Take = Callable[[Outcome], None]
PlayOne = Callable[[Job], Awaitable[Outcome]]


def reserve(slots: int, seats: int) -> None:
    """Make sure that this many matches at a time have the descriptors they need: three for each seat and a few more.

    Raises ConfigError when the system does not allow as many.
    """
    needed = SPARE_DESCRIPTORS + slots * (3 * seats + 4)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise ConfigError(f"--jobs: {slots} matches at a time need {needed} open files, the system allows {hard}; see ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def play(
    jobs: Iterable[Job],
    slots: int,
    take: Take,
    workers: int | None = None,
    trace: "Trace | None" = None,
    *,
    settle: bool = False,
) -> None:
    """Play all jobs, ``slots`` at a time, and hand each outcome to ``take``, voids too, in this thread, as it comes.

    ``jobs`` is drawn from only when a slot is free. ``workers``: processes, by default one for each core and slot. ``trace``:
    for a single worker and slot. ``settle``: an outcome that a stop may have brought about is handed on only when none has come,
    while the next match is played.

    Raises what ``take`` or a match raised, KeyboardInterrupt included, when every process of every
    match is reaped.
    """
    if workers is None:
        workers = min(slots, system.cores())
    run = partial(_play_here, trace=trace, settle=settle) if workers <= 1 else partial(_play_in_workers, settle=settle)
    try:
        trio.run(run, iter(jobs), slots, take, workers, restrict_keyboard_interrupt_to_checkpoints=True)
    except BaseExceptionGroup as group:
        raise _first(group) from group


def play_one(job: Job, trace: "Trace | None" = None, tell: Take = lambda _: None) -> Outcome:
    """Play one match in this process, and again after a void. ``tell``: is told how each try went, as soon as it is over."""
    outcomes: list[Outcome] = []

    def take(outcome: Outcome) -> None:
        outcomes.append(outcome)
        tell(outcome)

    play([job], 1, take, trace=trace)
    return outcomes[-1]


async def _play_here(
    jobs: Iterator[Job], slots: int, take: Take, _workers: int, *, trace: "Trace | None" = None, settle: bool
) -> None:
    lag = LagMeter()

    async def one(job: Job) -> Outcome:
        return await play_live(job, lag, alone=slots == 1, trace=trace)

    async with trio.open_nursery() as meter:
        meter.start_soon(lag.run)
        async with trio.open_nursery() as nursery:
            for _ in range(slots):
                nursery.start_soon(partial(_slot, settle=settle), jobs, one, take)
        meter.cancel_scope.cancel()


async def _play_in_workers(jobs: Iterator[Job], slots: int, take: Take, workers: int, *, settle: bool) -> None:
    async with trio.open_nursery() as nursery:
        crew = [Worker(nursery, alone=slots <= workers) for _ in range(workers)]
        try:
            async with trio.open_nursery() as playing:
                for slot in range(slots):
                    playing.start_soon(partial(_slot, settle=settle), jobs, _patiently(crew[slot % workers]), take)
        finally:
            with trio.CancelScope(shield=True):
                for worker in crew:
                    await worker.close()
        nursery.cancel_scope.cancel()


def _patiently(worker: Worker) -> PlayOne:
    async def one(job: Job) -> Outcome:
        try:
            return await worker.play(job)
        except WorkerDied as death:
            # Killed from outside, or the host is out of memory: nothing of the match was recorded, and no bot is to blame.
            return void(job, str(death))

    return one


async def _slot(jobs: Iterator[Job], play_one: PlayOne, take: Take, *, settle: bool = False) -> None:
    async with trio.open_nursery() as settling:
        for job in jobs:
            while True:
                outcome = await play_one(job)
                wait = outcome.unsettled if settle else 0.0
                if outcome.record is not None and wait:
                    settling.start_soon(_take_later, outcome, wait, take)
                    break
                await settled(wait)
                take(outcome)
                if outcome.record is not None or job.last:
                    break
                job = replace(job, attempt=job.attempt + 1)


async def _take_later(outcome: Outcome, seconds: float, take: Take) -> None:
    """Take it, unless a stop comes before that: then the match is played again."""
    await settled(seconds)
    take(outcome)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one to report to the user: an interrupt before all else, then whatever came first."""
    leaves: list[BaseException] = []
    todo: list[BaseException] = [group]
    while todo:
        error = todo.pop(0)
        if isinstance(error, BaseExceptionGroup):
            todo += error.exceptions
        else:
            leaves.append(error)
    return next((leaf for leaf in leaves if isinstance(leaf, KeyboardInterrupt)), leaves[0])
