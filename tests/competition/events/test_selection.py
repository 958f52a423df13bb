"""Which bots count: a match counts if everybody at its table does."""

import pytest
from event_rows import event
from wording import pattern

from khiva_arena.common.result import Result
from khiva_arena.competition.events.conditions import pooled
from khiva_arena.competition.events.pools import pools_of
from khiva_arena.competition.events.selection import (
    EVERYBODY,
    Among,
    check_among,
    counting,
    of_those,
)
from khiva_arena.errors import ConfigError


def result(number: int, *bots: int) -> Result:
    return Result(event=f"e{number}", bots=bots, ranks=tuple(range(1, len(bots) + 1)))


@pytest.mark.parametrize(
    ("among", "left"),
    [
        (EVERYBODY, {0, 1}),
        (Among(only=("a",)), {0}),
        (Among(exclude=("a",)), {1}),
        (Among(exclude=("id-b",)), {0}),
        (Among(("a", "b"), ("a#id-a",)), {1}),
    ],
)
def test_who_counts(among: Among, left: set[int]) -> None:
    assert counting(event(1), among) == left


def test_a_match_counts_if_all_of_its_table_do() -> None:
    results = [result(1, 0, 1), result(1, 0, 0), result(2, 1, 1)]
    events = [event(1), event(2)]
    assert list(of_those(events, EVERYBODY, results)) == results
    assert list(of_those(events, Among(exclude=("b",)), results)) == [results[1]]
    assert list(of_those(events, Among(only=("b",)), results)) == [results[2]]


def test_an_event_in_which_fewer_than_two_count_makes_no_table() -> None:
    events = [event(1), event(2)]
    assert pools_of(events, EVERYBODY) == pooled(events)
    assert pools_of(events, Among(exclude=("a",))) == []


def test_words_that_name_nobody_are_refused_together() -> None:
    check_among(Among(("a", "b")), [event(1)])
    with pytest.raises(
        ConfigError, match=pattern("events", "no-event-two-bots", said="only a, without b")
    ):
        check_among(Among(("a",), ("b",)), [event(1)])
    with pytest.raises(ConfigError) as error:
        check_among(Among(("a", "c"), ("d",)), [event(1)])
    assert error.value.problems == (
        "--only c: no bot called 'c'; there are a, b",
        "--exclude d: no bot called 'd'; there are a, b",
    )
