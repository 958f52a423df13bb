"""Who shares a table: the search against all groupings there are, and the two
statements that hold whatever the field.
"""

from collections import Counter
from functools import cache
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from khiva_arena.rating.schedule.grouping import cost_of, exchange_seats, search, snake
from khiva_arena.rng import Stream

KEY = bytes(range(32))


def least_cost(count, seats, weight):
    """Of all ways to seat them, without cleverness."""

    @cache
    def least(free):
        if not free:
            return 0
        first, *others = sorted(free)
        tables = [(first, *rest) for rest in combinations(others, seats - 1)]
        return min(cost_of([table], weight) + least(free - set(table)) for table in tables)

    return least(frozenset(range(count)))


def rows(count, seats):
    return [list(range(i, i + seats)) for i in range(0, count, seats)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "seats"),
    [(6, 2), (8, 2), (10, 2), (12, 2), (6, 3), (9, 3), (12, 3), (8, 4), (12, 4), (10, 5)],
)
def test_the_search_finds_the_least_cost_of_small_fields(count, seats):
    rng = Random(f"{count} {seats}")
    for _ in range(5):
        met = {pair: rng.choice([0, 0, 1, 2]) for pair in combinations(range(count), 2)}
        grave = count**3 * seats
        weight = [
            [
                0 if p == q else met[min(p, q), max(p, q)] * grave + (p - q) ** 2
                for q in range(count)
            ]
            for p in range(count)
        ]
        found = search(rows(count, seats), weight, grave, Stream(rng.randbytes(32)))
        assert sorted(p for table in found for p in table) == list(range(count))
        assert {len(table) for table in found} == {seats}
        assert cost_of(found, weight) == least_cost(count, seats, weight)


@settings(max_examples=60)
@given(st.integers(2, 5), st.integers(1, 6), st.data())
def test_authors_are_spread_as_evenly_as_can_be(seats, tables, data):
    count = seats * tables
    authors = data.draw(st.lists(st.integers(0, count // 2), min_size=count, max_size=count))
    found = data.draw(st.sampled_from([rows(count, seats), snake(count, tables)]))
    exchange_seats(found, [[int(a == b) for b in authors] for a in authors])
    for author in set(authors):
        at = [sum(authors[p] == author for p in table) for table in found]
        assert max(at) - min(at) <= 1


@settings(max_examples=60)
@given(st.integers(2, 5), st.integers(1, 3), st.randoms(use_true_random=False))
def test_nobody_meets_again_in_a_field_that_is_large_enough(seats, rounds, rng):
    most_met = rounds * (seats - 1)
    count = ((2 * seats - 1) * most_met + seats) // seats * seats + seats
    met = Counter()
    for _ in range(rounds):
        order = rng.sample(range(count), count)
        met.update(
            tuple(sorted(pair))
            for table in rows(count, seats)
            for pair in combinations([order[p] for p in table], 2)
        )
    weight = [[met[min(p, q), max(p, q)] for q in range(count)] for p in range(count)]
    found = rows(count, seats)
    exchange_seats(found, weight)
    assert cost_of(found, weight) == 0


def test_the_best_stay_where_they_are_where_others_can_be_exchanged():
    authors = [0, 1, 2, 0, 3, 4]
    found = rows(6, 2)
    exchange_seats(found, [[int(a == b) for b in authors] for a in authors])
    assert found == rows(6, 2)
    authors = [0, 1, 2, 2, 3, 4]
    exchange_seats(found, [[int(a == b) for b in authors] for a in authors])
    assert found == [[0, 1], [2, 4], [3, 5]]


def test_a_snake_goes_there_and_back():
    assert snake(9, 3) == [[0, 5, 6], [1, 4, 7], [2, 3, 8]]
    assert snake(4, 1) == [[0, 1, 2, 3]]


def test_a_search_is_the_same_for_the_same_key():
    rng = Random(4)
    weight = [[0] * 20 for _ in range(20)]
    for p, q in combinations(range(20), 2):
        weight[p][q] = weight[q][p] = rng.randrange(50)
    found = [search(rows(20, 4), weight, 1, Stream(KEY)) for _ in range(2)]
    assert found[0] == found[1]


def settled_by_weighing_all(tables, weight):
    """As ``exchange_seats`` does it, with every exchange weighed again each time. Also
    how many were.
    """
    count = sum(map(len, tables))
    at = {p: table for table in tables for p in table}
    cost = lambda p, table: sum(weight[p][q] for q in table if q != p)  # noqa: E731
    work, still = 0, 0
    while still < count:
        for p in reversed(range(count)):
            still += 1
            if still > count:
                break
            if not cost(p, at[p]):
                continue
            work += count
            x, found = at[p], []
            for q in range(count):
                if (y := at[q]) is not x:
                    before, after = (
                        cost(p, x) + cost(q, y),
                        cost(p, y) + cost(q, x) - 2 * weight[p][q],
                    )
                    found.append((after - before, abs(p - q), q))
            if found and min(found)[0] < 0:
                y = at[q := min(found)[2]]
                x[x.index(p)], y[y.index(q)] = q, p
                at[p], at[q] = y, x
                still = 0
    return work


@settings(max_examples=80, deadline=None)
@given(
    st.integers(2, 5),
    st.integers(1, 9),
    st.integers(0, 2**32),
    st.sampled_from([(1, 0), (1, 1), (0, 1), (0, 0)]),
)
def test_what_is_not_weighed_again_would_not_have_helped(seats, tables, seed, kind):
    """So every draw is the one that it always was."""
    rng, count = Random(seed), seats * tables
    weight = [[0] * count for _ in range(count)]
    for p, q in combinations(range(count), 2):
        met = rng.choice([0, 0, 0, 1, 2]) * kind[0]
        weight[p][q] = weight[q][p] = (
            met * count**3 * seats + (p - q) ** 2 * kind[1] + rng.randrange(4) * (kind == (0, 0))
        )
    order = rng.sample(range(count), count) if seed % 2 else list(range(count))
    one = [order[i : i + seats] for i in range(0, count, seats)]
    other = [list(table) for table in one]
    assert exchange_seats(one, weight) == settled_by_weighing_all(other, weight)
    assert one == other
