"""Slots that wait for a match to end, by a clock of the test: none waits for ever, and
none begins what clashes.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
import trio.testing
from apart import MATCHES, Watch, match
from hypothesis import given
from hypothesis import strategies as some

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.level import Level

HOURS = 36_000.0
PlayOne = Callable[[Job], Awaitable[Outcome]]


def recorded(job: Job) -> Outcome:
    record: Any = object()
    return Outcome(job.ordinal, job.attempt, record, "", (), 0, 0.0)


def play(jobs: list[Job], slots: int, play_one: PlayOne, take: pool.Take) -> Watch:
    """Play jobs of nobody in some slots. Raises TooSlowError if they wait for something
    that never comes.
    """
    watch = Watch()

    async def one(job: Job) -> Outcome:
        return await watch.around(job, lambda: play_one(job))

    async def run() -> None:
        queue = pool._Queue(iter(jobs))
        with trio.fail_after(HOURS):
            async with trio.open_nursery() as nursery:
                for _ in range(slots):
                    nursery.start_soon(pool._slot, queue, one, take)

    try:
        trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
    except BaseExceptionGroup as group:
        raise pool._first(group) from group
    return watch


def one_deal(count: int) -> list[Job]:
    return [match(number, 0, "ab", Level.STRICT) for number in range(count)]


async def soon(job: Job) -> Outcome:
    await trio.sleep(1)
    return recorded(job)


def test_all_matches_of_one_deal_are_played_one_after_another_at_strict() -> None:
    taken: list[Outcome] = []
    watch = play(one_deal(7), 3, soon, taken.append)
    assert [outcome.ordinal for outcome in taken] == list(range(7))
    assert watch.overlapped == 0


def test_a_retry_after_a_void_is_in_flight_like_the_first_attempt() -> None:
    async def void_at_first(job: Job) -> Outcome:
        await trio.sleep(1)
        return void(job, "late", host=False) if job.attempt == 1 else recorded(job)

    taken: list[Outcome] = []
    watch = play(one_deal(4), 3, void_at_first, taken.append)
    assert [(outcome.ordinal, outcome.attempt) for outcome in taken] == [
        (n, attempt) for n in range(4) for attempt in (1, 2)
    ]
    assert watch.overlapped == 0


def test_slots_that_give_up_leave_none_waiting() -> None:
    async def broken(job: Job) -> Outcome:
        await trio.sleep(1)
        return void(job, "the host slept")

    watch = play(one_deal(50), 3, broken, lambda _: None)
    assert len(watch.starts) == 3 * 4
    assert watch.overlapped == 0


def test_an_error_ends_the_slots_that_wait() -> None:
    def full_disk(_: Outcome) -> None:
        raise OSError("full disk")

    with pytest.raises(OSError, match="full disk"):
        play(one_deal(5), 3, soon, full_disk)


def test_a_stop_ends_the_slots_that_wait() -> None:
    async def stopped(_: Job) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(one_deal(5), 3, stopped, lambda _: None)


@given(
    MATCHES,
    some.sampled_from([Level.STRICT, Level.BASIC]),
    some.integers(1, 5),
    some.sets(some.integers(0, 29), max_size=3),
    some.data(),
)
def test_slots_play_all_and_overlap_only_what_may(
    drawn: list[tuple[int, str]], level: Level, slots: int, spoilt: set[int], data: some.DataObject
) -> None:
    """Some matches are spoilt by the host once, some are void by a seat once."""
    jobs = [match(number, deal, bots, level) for number, (deal, bots) in enumerate(drawn)]
    late = data.draw(some.sets(some.integers(0, 29)))
    taken: list[Outcome] = []

    async def play_one(job: Job) -> Outcome:
        await trio.sleep(data.draw(some.sampled_from([0.0, 0.5, 2.0])))
        if job.attempt == 1 and job.ordinal in spoilt | late:
            return void(job, "the host slept", host=job.ordinal in spoilt)
        return recorded(job)

    watch = play(jobs, slots, play_one, taken.append)
    assert sorted(outcome.ordinal for outcome in taken if outcome.record) == list(range(len(jobs)))
    if level is Level.STRICT:
        assert watch.clashes() == []
