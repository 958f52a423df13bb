"""Tables and matches: every seat, every line-up on every seed, complete seeds first,
the same for the same key.
"""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import pattern

from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.lineups import line_ups
from khiva_arena.rating.schedule.seating import (
    ScheduledMatch,
    ScheduledTable,
    matches,
    schedule,
    tables,
)

KEY = bytes(range(32))
events = st.tuples(
    st.integers(2, 5),
    st.integers(0, 2),
    st.integers(1, 2),
    st.integers(1, 7),
    st.binary(min_size=32, max_size=32),
).map(
    lambda e: (line_ups(e[0] + e[1], e[0], e[2], key=e[4]).chosen, e[3], e[4])
)  # seats, more bots, copies, seeds, key


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(events)
def test_an_event_holds_every_line_up_on_every_seed_in_every_rotation_and_is_balanced(event):
    """Each bot sits at each seat equally often, and opponents meet equally often."""
    chosen, seeds, key = event
    every = list(schedule(chosen, seeds, key=key))
    assert [match.ordinal for match in every] == list(range(seeds * len(chosen) * len(chosen[0])))
    assert [(m.k, m.lineup, m.rotation) for m in every] == [
        (k, i, r) for k in range(seeds) for i in range(len(chosen)) for r in range(len(chosen[0]))
    ]
    assert all(tuple(sorted(m.bots)) == chosen[m.lineup] for m in every)
    seats, met = Counter(), Counter()
    for match in every:
        seats.update((bot, seat) for seat, bot in enumerate(match.bots))
        met.update((a, b) for a in match.bots for b in match.bots if a != b)
    for bot in {bot for line_up in chosen for bot in line_up}:
        assert len({seats[bot, seat] for seat in range(len(chosen[0]))}) == 1
    assert len(set(met.values())) <= 1
    if all(len(set(line_up)) == len(line_up) for line_up in chosen):
        assert all(len(set(match.bots)) == len(match.bots) for match in every)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(events, st.integers(0, 7))
def test_a_schedule_is_a_prefix_of_a_longer_one_and_can_start_at_any_seed(event, first):
    chosen, seeds, key = event
    every = list(tables(chosen, seeds, key=key))
    assert list(islice(tables(chosen, seeds + 5, key=key), len(every))) == every
    assert list(tables(chosen, seeds, key=key, first_seed=first)) == every[first * len(chosen) :]


def test_rotations_keep_the_neighbours():
    table = ScheduledTable(k=2, lineup=1, order=(4, 0, 7))
    assert matches(table, line_ups=10) == (
        ScheduledMatch(63, 2, 1, 0, (4, 0, 7)),
        ScheduledMatch(64, 2, 1, 1, (0, 7, 4)),
        ScheduledMatch(65, 2, 1, 2, (7, 4, 0)),
    )


def test_all_rotations_are_played_even_where_copies_make_some_alike():
    every = matches(ScheduledTable(0, 0, (1, 2, 1, 2)), 1)
    assert [match.bots for match in every] == [
        (1, 2, 1, 2),
        (2, 1, 2, 1),
        (1, 2, 1, 2),
        (2, 1, 2, 1),
    ]


def test_who_sits_first_is_drawn():
    chosen = line_ups(5, 3, key=KEY).chosen
    firsts = Counter(table.order[0] for table in tables(chosen, 60, key=KEY))
    assert all(80 < firsts[bot] < 160 for bot in range(5))  # 600 tables, 120 each on average, sd 10
    assert list(tables(chosen, 6, key=KEY)) != list(tables(chosen, 6, key=bytes(32)))


@pytest.mark.slow
def test_a_large_event_starts_lazily():
    chosen = line_ups(200, 5, key=KEY).chosen
    assert len(list(islice(schedule(chosen, 10**9, key=KEY), 5))) == 5


def test_no_seeds():
    with pytest.raises(ConfigError, match=pattern("schedule", "seeds-least-not", seeds="0")):
        list(tables(line_ups(3, 3, key=KEY).chosen, 0, key=KEY))


def test_the_schedule_is_the_same_on_any_machine():
    """Golden: a change here changes every event's matches."""
    chosen = line_ups(5, 4, key=KEY).chosen
    assert [table.order for table in tables(chosen, 2, key=KEY)] == GOLDEN
    assert line_ups(30, 4, limit=5, key=KEY).chosen == GOLDEN_SUBSET


GOLDEN = [
    *[(3, 0, 1, 2), (1, 4, 0, 2), (4, 3, 1, 0), (0, 3, 4, 2), (1, 3, 2, 4)],
    *[(1, 3, 0, 2), (0, 1, 2, 4), (1, 0, 3, 4), (4, 3, 2, 0), (1, 4, 2, 3)],
]
GOLDEN_SUBSET = ((0, 15, 18, 29), (1, 4, 6, 17), (3, 9, 21, 27), (7, 10, 16, 26), (13, 14, 20, 25))
