"""Many matches at a time: ``slots`` matches in flight, spread over worker processes,
one for each core at the most.

A single worker is this very process. A match that was void because of a seat or a game
is played again at once, ``VOIDS_MOST`` times in all. A late seat does not void the last
of them.

The host can spoil a match: it cannot start bots now, or has lost a worker. Such a match
goes behind all others and waits, and so does the slot that played it: a host without a
free process spoils hundreds a second. Matches on one deal that share a bot are kept
apart in time, see match_queue.py.
"""

import logging
import resource
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import trio
from msgspec.structs import replace

from khiva_arena.arbiter import match_queue
from khiva_arena.arbiter.clock import LagMeter, wait_at_work
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.live import play_live, void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox import system
from khiva_arena.errors import ConfigError

if TYPE_CHECKING:
    from khiva_arena.arbiter.job import Failure
    from khiva_arena.arbiter.trace import Trace  # most matches are not traced

LOGGER = logging.getLogger(__name__)
SPARE_DESCRIPTORS = 64
MOST_TRACES = 20
"""The most traces of one call of ``play`` that go to the log."""
Take = Callable[[Outcome], None]
PlayOne = Callable[[Job], Awaitable[Outcome]]
MatchFailed = Callable[[Job, "Failure"], str]
"""Called when the arena itself fails at a match; returns why the match is void."""


def reserve(slots: int, seats: int) -> None:
    """Make sure that ``slots`` matches at a time have the descriptors they need: three
    for each seat and a few more.

    Raises ConfigError when the system does not allow as many.
    """
    needed = SPARE_DESCRIPTORS + slots * (3 * seats + 4)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise ConfigError(
            f"--jobs: {slots} matches at a time need {needed} open files, the system "
            f"allows {hard} (ulimit -Hn): give fewer"
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
    is_wanted: Callable[[Job], bool] = match_queue.always,
    failed: MatchFailed | None = None,
) -> None:
    """Play all jobs, ``slots`` at a time. Hand each outcome, a void too, to ``take`` in
    this thread, as it comes.

    jobs: drawn from only when a slot is free, and further only where a match clashes
        with one in flight
    workers: processes, by default one for each core and slot
    trace: for a single worker and slot
    hold_back: hand on an outcome that a stop may have brought about only when none has
        come, while the next match is played
    is_wanted: tells whether a match that was drawn earlier is still to be played
    failed: called when the arena itself fails at a match, which is void then. Without
        it a failure in this process ends all matches, and one in a worker goes to the
        log

    Raises any error of ``take`` or of a match, KeyboardInterrupt included, when every
    process of every match is reaped; an error of the machine in a worker only with
    ``failed``.
    """
    if workers is None:
        workers = min(slots, system.cores())
    play_job = partial(_live, trace=trace, failed=failed)
    play_all = (
        partial(_play_here, play_job) if workers <= 1 else partial(_play_in_workers, failed=failed)
    )
    run = partial(play_all, hold_back=hold_back)
    error: BaseException | None = None
    try:
        trio.run(
            run,
            _Queue(iter(jobs), is_wanted),
            slots,
            take,
            workers,
            restrict_keyboard_interrupt_to_checkpoints=True,
        )
    except BaseExceptionGroup as group:
        error = _first(group)
    if error:
        # not above: an error of ``take`` keeps its own cause, such as the number of a
        # full disk
        raise error


def play_one(job: Job, trace: "Trace | None" = None, tell: Take = lambda _: None) -> Outcome:
    """Play one match in this process, and again after a void. ``tell`` gets the outcome
    of each try, as soon as it is over.
    """
    outcomes: list[Outcome] = []

    def take(outcome: Outcome) -> None:
        outcomes.append(outcome)
        tell(outcome)

    play([job], 1, take, trace=trace)
    return outcomes[-1]


async def _live(
    job: Job,
    lag: LagMeter,
    servers: ForkServers,
    *,
    alone: bool,
    trace: "Trace | None",
    failed: MatchFailed | None,
) -> Outcome:
    """Play a match. It is void if the arena itself fails at it and somebody is there to
    be told.
    """
    try:
        return await play_live(job, lag, servers, alone=alone, trace=trace)
    except Exception as error:
        from khiva_arena.arbiter.failure import failure_of  # not above: such errors are rare
        from khiva_arena.common.machine import of_the_machine

        if failed is None or of_the_machine(error):
            raise
        failure = failure_of(error)
        return void(job, failed(job, failure), failure=failure)


async def _play_here(
    play: Callable[..., Awaitable[Outcome]],
    queue: "_Queue",
    slots: int,
    take: Take,
    _workers: int,
    *,
    hold_back: bool,
) -> None:
    lag, servers = LagMeter(), ForkServers()

    async def play_job(job: Job) -> Outcome:
        return await play(job, lag, servers, alone=slots == 1)

    async with servers, trio.open_nursery() as meter:
        meter.start_soon(lag.run)
        async with trio.open_nursery() as nursery:
            for _ in range(slots):
                nursery.start_soon(partial(_slot, hold_back=hold_back), queue, play_job, take)
        meter.cancel_scope.cancel()


async def _play_in_workers(
    queue: "_Queue",
    slots: int,
    take: Take,
    workers: int,
    *,
    hold_back: bool,
    failed: MatchFailed | None,
) -> None:
    # not above: one match is played in this process
    from khiva_arena.arbiter.worker import Worker, WorkerDied

    tell = failed or _Log()

    def player(worker: Worker) -> PlayOne:
        async def play_job(job: Job) -> Outcome:
            try:
                outcome = await worker.play(job)
            except WorkerDied as death:
                # The worker was killed from outside, or the host is out of memory:
                # nothing was recorded, and no bot is to blame.
                return void(job, str(death))
            if (failure := outcome.failure) is None:
                return outcome
            if failed and failure.machines:
                # not above: such errors are rare
                from khiva_arena.arbiter.failure import machine_error

                raise machine_error(failure)
            return replace(outcome, void=tell(job, failure))

        return play_job

    async with trio.open_nursery() as nursery:
        crew = [Worker(nursery, alone=slots <= workers) for _ in range(workers)]
        try:
            async with trio.open_nursery() as playing:
                for slot in range(slots):
                    playing.start_soon(
                        partial(_slot, hold_back=hold_back),
                        queue,
                        player(crew[slot % workers]),
                        take,
                    )
        finally:
            # Even a stop waits for the workers, which end their bots.
            with trio.CancelScope(shield=True):
                for worker in crew:
                    await worker.close()
        nursery.cancel_scope.cancel()


class _Log:
    """The traces of matches that the arena failed at where nobody else is told of them.
    Each goes to the log once.
    """

    def __init__(self) -> None:
        self._traces = set[str]()

    def __call__(self, _job: Job, failure: "Failure") -> str:
        if failure.trace not in self._traces and len(self._traces) < MOST_TRACES:
            self._traces.add(failure.trace)
            LOGGER.error("the arena failed at a match; please report it\n%s", failure.trace)
        return failure.why


class _Queue:
    """The matches still to be played, for slots that can wait: until one may begin, or
    until it is time to try one again.
    """

    def __init__(
        self, jobs: Iterator[Job], is_wanted: Callable[[Job], bool] = match_queue.always
    ) -> None:
        self._matches = match_queue.MatchQueue(
            ((job,) for job in jobs), lambda table: is_wanted(table[0])
        )
        self._match_ended = trio.Event()

    async def next(self) -> Job | None:
        """Return the next match, which is in flight until ``end``; None if no match is
        left. A match that was spoilt, or that clashes with one in flight, is waited
        for.
        """
        while (
            table := self._matches.take(now := trio.current_time())
        ) is None and not self._matches.is_empty:
            with trio.move_on_at(self._matches.next_retry(now)):
                await self._match_ended.wait()
        return table[0] if table else None

    def end(self, job: Job) -> None:
        """Note that the processes of a match have ended, and wake the slots that
        wait.
        """
        self._matches.end((job,))
        self._match_ended.set()
        self._match_ended = trio.Event()

    def spoilt(self, job: Job) -> bool:
        """Put a match that the host has spoilt behind the others. Return True if it is
        tried again.
        """
        return self._matches.spoil(job, trio.current_time())


async def _slot(queue: _Queue, play_one: PlayOne, take: Take, *, hold_back: bool = False) -> None:
    # matches that were void at once here: then something is broken, and the others take
    # the rest
    in_a_row = 0
    async with trio.open_nursery() as hold:
        while in_a_row <= len(match_queue.HOST_WAITS) and (job := await queue.next()) is not None:
            outcome = await _play_until_taken(
                job, queue, play_one, take, hold if hold_back else None
            )
            queue.end(job)
            if outcome.failure:  # a bug at this match shows nothing of the others
                await trio.sleep(0.0)
                continue
            # void before a bot was asked anything, or the host has spoilt it
            is_void = outcome.record is None and (outcome.host or not outcome.begun)
            in_a_row = in_a_row + 1 if is_void else 0
            if is_void:
                await trio.sleep(([0.0, *match_queue.HOST_WAITS, 0.0])[in_a_row])


async def _play_until_taken(
    job: Job, queue: _Queue, play_one: PlayOne, take: Take, hold: trio.Nursery | None
) -> Outcome:
    """Play a match, and again if a seat or the game made it void. Return the last
    outcome.
    """
    while True:
        outcome = await play_one(job)
        wait = outcome.unsettled if hold else 0.0
        # A stop may have ended a bot of this match. The slot goes on while that shows,
        # so nobody waits for it.
        if outcome.record is not None and hold and wait:
            hold.start_soon(_take_later, outcome, wait, take)
            return outcome
        await wait_at_work(wait)
        if outcome.record is not None:
            take(outcome)
            return outcome
        if outcome.host:
            take(replace(outcome, again=queue.spoilt(job)))
            return outcome
        take(replace(outcome, again=not job.last))
        if job.last:
            return outcome
        job = replace(job, attempt=job.attempt + 1, warned=job.warned + outcome.causes)


async def _take_later(outcome: Outcome, seconds: float, take: Take) -> None:
    """Hand on an outcome after ``seconds``. If a stop comes before that, the match is
    played again instead.
    """
    await wait_at_work(seconds)
    take(outcome)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the error to report to the user: an interrupt before all else, then one of
    the machine, then the one that came first.
    """
    leaves: list[BaseException] = []
    todo: list[BaseException] = [group]
    while todo:
        error = todo.pop(0)
        if isinstance(error, BaseExceptionGroup):
            todo += error.exceptions
        else:
            leaves.append(error)
    from khiva_arena.common.machine import of_the_machine  # not above: most matches raise nothing

    stop = next((leaf for leaf in leaves if isinstance(leaf, KeyboardInterrupt)), None)
    return stop or next(filter(of_the_machine, leaves), leaves[0])
