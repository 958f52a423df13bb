"""Circular orders: the facts the balance rests on, and the balance itself after every
seed.
"""

from collections import Counter
from hashlib import sha256
from itertools import combinations, permutations

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from khiva_arena.rating.schedule.coverings import all_meet, by_lot
from khiva_arena.rating.schedule.decompositions import DECOMPOSITIONS
from khiva_arena.rating.schedule.lineups import line_ups
from khiva_arena.rating.schedule.orders import (
    BLOCK_SEEDS,
    allowed_next,
    block_orders,
    circular_orders,
    power,
)

KEYS = [sha256(bytes([i])).digest() for i in range(2)]


def arcs(order):
    return list(zip(order, order[1:] + order[:1], strict=True))


def neighbour_counts(line_up_list, seeds_of_orders):
    """Ordered neighbours so far, after each seed."""
    counts = Counter()
    for orders in seeds_of_orders:
        for bots, order in zip(line_up_list, orders, strict=True):
            counts.update(arc for arc in arcs(tuple(bots[p] for p in order)) if arc[0] != arc[1])
        yield counts


def tables_together(line_up_list):
    return Counter((a, b) for bots in line_up_list for a, b in permutations(bots, 2) if a != b)


@pytest.mark.parametrize("seats", [3, 5])
def test_powers_of_an_order_hold_every_pair_once_at_every_distance(seats):
    for order in circular_orders(seats):
        group = [power(order, d) for d in range(1, seats)]
        assert set(group) <= set(circular_orders(seats))
        for distance in range(1, seats):
            pairs = Counter((o[i], o[(i + distance) % seats]) for o in group for i in range(seats))
            assert set(pairs.values()) == {1}, f"{order=} {distance=}"
            assert len(pairs) == seats * (seats - 1), f"{order=} {distance=}"


def test_24_orders_of_5_fall_into_6_blocks_of_4():
    groups = {frozenset(power(order, d) for d in range(1, 5)) for order in circular_orders(5)}
    assert len(groups) == 6
    assert sum(map(len, groups)) == len(frozenset().union(*groups)) == 24


def test_4_seats_cannot_be_balanced_in_3_seeds():
    """Tillson: K4* has no decomposition into Hamiltonian cycles, so a block of 4 seats
    needs all 6 orders.
    """
    for three in combinations(circular_orders(4), 3):
        assert len(set().union(*map(arcs, three))) < 12


@pytest.mark.parametrize(("seats", "times"), [(6, 2), (7, 1), (8, 1), (9, 1), (10, 1)])
def test_the_fixed_orders_hold_every_pair_equally_often(seats, times):
    orders = DECOMPOSITIONS[seats]
    assert len(set(orders)) == len(orders) == times * (seats - 1) == BLOCK_SEEDS[seats]
    assert all(order[0] == 0 and sorted(order) == list(range(seats)) for order in orders)
    pairs = Counter(arc for order in orders for arc in arcs(order))
    assert set(pairs.values()) == {times}
    assert len(pairs) == seats * (seats - 1)


@pytest.mark.parametrize(
    ("bots", "seats", "copies", "drawn"),
    [
        (11, 10, 1, "1191e5f26578448d"),
        (2, 4, 2, "85caf107791f12f3"),
        (2, 4, 3, "5b54fa3e391b8ab7"),
        (4, 6, 2, "e3cdad184ce881b7"),
    ],
)
def test_orders_that_were_drawn_once_are_drawn_again(bots, seats, copies, drawn):
    """Schedules depend on them: part of what defines an event."""
    block = list(block_orders(line_ups(bots, seats, copies, key=KEYS[0]).chosen, KEYS[0], 0))
    assert sha256(repr(block).encode()).hexdigest()[:16] == drawn


@pytest.mark.parametrize("seats", [6, 7, 8, 9, 10])
def test_with_many_seats_neighbours_are_near_their_share_inside_of_a_block(seats):
    """What the search reaches with one line-up more than there are seats: no pair is
    off by more than two tables.
    """
    chosen = line_ups(seats + 1, seats, key=KEYS[0]).chosen
    together = tables_together(chosen)
    for seed, counts in enumerate(neighbour_counts(chosen, block_orders(chosen, KEYS[0], 0)), 1):
        assert max(
            abs((seats - 1) * counts[pair] - seed * together[pair]) for pair in together
        ) <= 2 * (seats - 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "seats", "auto", "most"),
    [
        *(
            (6, 3, True, 1),
            (12, 3, True, 1),
            (6, 4, True, 4 / 3),
            (12, 4, True, 4 / 3),
            (12, 5, True, 1),
        ),
        *(
            (12, 6, True, 2),
            (10, 7, False, 7 / 3),
            (16, 7, True, 2),
            (9, 8, True, 2),
            (16, 10, True, 3),
        ),
    ],
)
def test_neighbours_inside_of_a_block_are_as_near_their_share_as_the_pages_say(
    bots, seats, auto, most
):
    """Also in the sets of ``--lineups auto``; whole blocks are exact, whatever the
    line-ups.
    """
    chosen = (
        by_lot(all_meet(bots, seats), bots, (), KEYS[0])
        if auto
        else line_ups(bots, seats, key=KEYS[0]).chosen
    )
    together = tables_together(chosen)
    off = [
        max(abs((seats - 1) * counts[pair] - seed * together[pair]) for pair in together)
        for seed, counts in enumerate(neighbour_counts(chosen, block_orders(chosen, KEYS[0], 0)), 1)
    ]
    assert max(off) <= most * (seats - 1)
    assert off[-1] == 0


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6, 7, 10])
def test_a_block_is_exactly_balanced_for_each_line_up_by_itself(seats):
    for orders in zip(
        *block_orders(line_ups(max(7, seats), seats, key=KEYS[0]).chosen, KEYS[0], 3), strict=True
    ):
        counts = Counter(arc for order in orders for arc in arcs(order))
        assert len(orders) == len(set(orders)) == BLOCK_SEEDS[seats]
        assert len(counts) == seats * (seats - 1)
        assert len(set(counts.values())) == 1


def test_next_orders_stay_within_the_block():
    assert len(allowed_next([], 5)) == 24
    first = circular_orders(5)[7]
    assert allowed_next([first], 5) == (power(first, 2), power(first, 3))
    assert allowed_next([first, power(first, 3)], 5) == (power(first, 2),)
    assert allowed_next([first, power(first, 3), power(first, 2)], 5) == (power(first, 4),)


@pytest.mark.slow
@cases("seats", [2, 3, 4, 5])
@cases("bots", [2, 3, 4, 5, 6, 7, 8, 9])
def test_neighbours_are_equal_plus_or_minus_one_after_every_seed(seats, bots):
    if bots < seats:
        return
    chosen = line_ups(bots, seats, key=KEYS[0]).chosen
    met = tables_together(chosen)
    for key in KEYS[: 2 if bots < 8 else 1]:
        for seed, counts in enumerate(
            neighbour_counts(chosen, block_orders(chosen, key, 0)), start=1
        ):
            assert all(
                abs(counts[pair] * (seats - 1) - seed * met[pair]) <= seats - 1 for pair in met
            ), f"{key=} {seed=} {counts=}"
        assert all(counts[pair] * (seats - 1) == seed * met[pair] for pair in met)


@pytest.mark.parametrize(
    ("bots", "seats", "seeds"),
    [(3, 3, 1), (5, 3, 1), (7, 3, 1), (4, 4, 2), (5, 5, 1), (5, 5, 2), (5, 5, 3)],
)
def test_every_pair_is_rounded_up_or_down_where_the_share_is_a_fraction(bots, seats, seeds):
    chosen = line_ups(bots, seats, key=KEYS[0]).chosen
    for key in KEYS:
        counts = list(neighbour_counts(chosen, list(block_orders(chosen, key, 0))[:seeds]))[-1]
        values = [counts[pair] for pair in permutations(range(bots), 2)]
        assert max(values) - min(values) == 1


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 4),
    st.integers(2, 5),
    st.integers(2, 5),
    st.binary(min_size=32, max_size=32),
    st.integers(0, 9),
)
def test_blocks_with_copies_are_exact_too(bots, seats, copies, key, block):
    if bots * copies < seats:
        return
    chosen = line_ups(bots, seats, copies, key=key).chosen
    met = tables_together(chosen)
    for seed, counts in enumerate(
        neighbour_counts(chosen, block_orders(chosen, key, block)), start=1
    ):
        last = {pair: counts[pair] * (seats - 1) - seed * met[pair] for pair in met}
    assert set(last.values()) <= {0}
