"""Which match begins next: none that shares a bot and a deal with one in flight, each
once, and in their order.
"""

from collections.abc import Iterator
from itertools import count
from math import inf

import pytest
from apart import MATCHES, clash, match
from hypothesis import given
from hypothesis import strategies as some

from khiva_arena.arbiter import match_queue
from khiva_arena.arbiter.match import Job
from khiva_arena.arbiter.match_queue import Jobs, MatchQueue
from khiva_arena.bots.sandbox.level import Level


def queue_of(*matches: tuple[int, str], level: Level = Level.TRUSTED) -> MatchQueue:
    """A queue of matches, each of a deal and its bots."""
    return MatchQueue(
        (match(ordinal, deal, bots, level),) for ordinal, (deal, bots) in enumerate(matches)
    )


def ordinal(table: Jobs | None) -> int | None:
    return table[0].ordinal if table else None


def test_a_match_that_clashes_is_passed_over_and_is_the_first_once_it_does_not() -> None:
    queue = queue_of((0, "ab"), (0, "ba"), (1, "ab"), (1, "ba"), (2, "ab"))
    first = queue.take(0)
    assert ordinal(first) == 0
    assert ordinal(queue.take(0)) == 2
    assert first is not None
    queue.end(first)
    assert ordinal(queue.take(0)) == 1


def test_matches_of_one_deal_that_share_no_bot_are_played_side_by_side() -> None:
    queue = queue_of((0, "ab"), (0, "bc"), (0, "cd"), (1, "ab"))
    assert [ordinal(queue.take(0)) for _ in range(3)] == [0, 2, 3]


def test_copies_of_a_bot_are_one_bot() -> None:
    queue = queue_of((0, "aab"), (0, "acd"), (0, "cde"), level=Level.STRICT)
    assert [ordinal(queue.take(0)) for _ in range(3)] == [0, 2, None]


@pytest.mark.parametrize("level", list(Level))
def test_where_nothing_else_is_left_strict_alone_waits(level: Level) -> None:
    queue = queue_of((0, "ab"), (0, "ba"), level=level)
    first = queue.take(0)
    assert first is not None
    assert ordinal(queue.take(0)) == (None if level is Level.STRICT else 1)
    queue.end(first)
    assert ordinal(queue.take(0)) == (1 if level is Level.STRICT else None)
    assert queue.is_empty


def test_a_bot_in_two_matches_in_flight_keeps_others_waiting_until_both_have_ended() -> None:
    queue = queue_of((0, "ab"), (0, "ba"))
    tables = [queue.take(0), queue.take(0)]
    queue.put_back((match(2, 0, "ac", Level.STRICT),))
    for table in tables:
        assert queue.take(0) is None
        assert table is not None
        queue.end(table)
    assert ordinal(queue.take(0)) == 2


def test_no_match_is_read_before_it_is_needed() -> None:
    numbers = count()
    queue = MatchQueue((match(number, number // 2, "ab"),) for number in numbers)
    first = queue.take(0)
    assert next(numbers) == 1
    assert first is not None
    queue.end(first)
    assert ordinal(queue.take(0)) == 2, (
        "the generator went on after the number that was taken from it"
    )


def test_a_match_that_was_read_ahead_and_is_not_wanted_any_more_is_dropped() -> None:
    unwanted: set[int] = set()
    tables = ((match(number, number // 2, "ab", Level.STRICT),) for number in range(4))
    queue = MatchQueue(tables, lambda table: table[0].ordinal not in unwanted)
    first = queue.take(0)
    assert first is not None
    second = queue.take(0)
    assert second is not None
    unwanted.update({1, 3})
    queue.end(first)
    assert queue.take(0) is None
    queue.end(second)
    assert queue.take(0) is None
    assert queue.is_empty


def test_a_match_that_the_host_has_spoilt_obeys_the_rule_when_its_time_comes() -> None:
    queue = queue_of((0, "ab"), (0, "ba"), level=Level.STRICT)
    first = queue.take(0)
    assert first is not None
    queue.end(first)
    assert queue.spoil(first[0], 0)
    second = queue.take(0)
    assert ordinal(second) == 1
    assert queue.next_retry(0) == 1
    assert queue.take(5) is None
    assert queue.next_retry(5) == inf
    assert second is not None
    queue.end(second)
    assert ordinal(queue.take(5)) == 0


def test_a_spoilt_match_that_clashes_with_none_goes_before_one_that_does() -> None:
    queue = queue_of((0, "ab"), (1, "ab"), (0, "ba"))
    first, second = queue.take(0), queue.take(0)
    assert first is not None
    assert second is not None
    queue.end(second)
    queue.spoil(second[0], 0)
    assert ordinal(queue.take(2)) == 1
    assert ordinal(queue.take(2)) == 2


def is_apart(job: Job, flying: list[Job]) -> bool:
    return not any(clash(job, other) for other in flying)


@given(MATCHES, some.sampled_from([Level.STRICT, Level.STANDARD]), some.integers(1, 6), some.data())
def test_any_matches_in_any_order_of_ends(
    drawn: list[tuple[int, str]], level: Level, bound: int, data: some.DataObject
) -> None:
    """No two in flight clash unless nothing else may begin and the level is below
    strict; every match is handed out once, and once more for each time that it was
    spoilt; what is read ahead is bounded and keeps its order.
    """
    jobs = [match(number, deal, bots, level) for number, (deal, bots) in enumerate(drawn)]
    read: list[Job] = []
    begun: list[Job] = []
    spoilt: dict[int, float] = {}
    flying: list[Job] = []

    def tables() -> Iterator[Jobs]:
        for job in jobs:
            read.append(job)
            yield (job,)

    now = 0.0
    queue = MatchQueue(tables())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match_queue, "AHEAD_MOST", bound)
        while flying or not queue.is_empty:
            table = queue.take(now)
            new = {job.ordinal for job in read} - {job.ordinal for job in begun}
            waiting = [jobs[number] for number in sorted(new)]
            due = [
                jobs[number]
                for number, at in spoilt.items()
                if at <= now and number not in {job.ordinal for job in flying}
            ]
            if table and table[0].attempt > 1:
                due = [job for job in due if job.ordinal != table[0].ordinal]
            else:
                waiting = [job for job in waiting if not table or job.ordinal != table[0].ordinal]
            assert len(waiting) <= bound
            if table is None or not is_apart(table[0], flying):
                others = [*waiting, *due]
                assert all(not is_apart(job, flying) for job in others), "another match may begin"
                assert (
                    len(read) == len(jobs)
                    or len(waiting) + bool(table and table[0].attempt == 1) >= bound
                ), "it was not looked for"
                assert table is None or level is not Level.STRICT
                assert table or not others or level is Level.STRICT
            elif table[0].attempt == 1:
                earlier = [job for job in waiting if job.ordinal < table[0].ordinal]
                assert all(not is_apart(job, flying) for job in earlier), (
                    "an earlier one was passed over"
                )
            if table:
                flying.append(table[0])
                spoilt.pop(table[0].ordinal, None)
                if table[0].attempt == 1:
                    begun.append(table[0])
            if flying and (table is None or data.draw(some.booleans())):
                job = flying.pop(data.draw(some.integers(0, len(flying) - 1)))
                queue.end((job,))
                if data.draw(some.integers(0, 4)) == 0 and queue.spoil(job, now):
                    spoilt[job.ordinal] = now + match_queue.HOST_WAITS[job.attempt - 1]
            elif table is None:
                assert queue.next_retry(now) > now
                now = queue.next_retry(now)
                assert now < inf or queue.is_empty, "nothing is in flight, and nothing begins"
            now += data.draw(some.sampled_from([0.0, 0.4, 20.0]))
    assert sorted(job.ordinal for job in begun) == list(range(len(jobs)))
    assert not spoilt
