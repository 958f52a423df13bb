"""The factors of a swiss by shape: near what replays of other shapes give, and never
below where nothing was measured.
"""

import pytest

from khiva_arena.competition.events.redraws import EventToReplay, factors
from khiva_arena.rating.ratings.swiss_factors import Factors, by_shape
from khiva_arena.rating.schedule.terms import Terms


def test_factors_grow_slowly_with_the_number_of_bots():
    every = [by_shape(bots, 2, 9, 5) for bots in (64, 80, 96, 128, 200, 256, 1000)]
    pairs = [one.pair for one in every]
    assert pairs == sorted(pairs)
    assert 3.5 < pairs[0] < pairs[-1] < 2 * pairs[0]
    assert all(one.ranks > one.pair + 2 for one in every)


def test_a_field_smaller_than_all_that_were_measured_has_the_factors_of_the_smallest():
    assert by_shape(4, 2, 3, 5) == by_shape(8, 2, 3, 5)


@pytest.mark.parametrize("rounds", [2, 11, 13, 40])
def test_between_two_numbers_of_rounds_the_larger_factors_count(rounds):
    there = [by_shape(64, 2, one, 5) for one in (2, 10, 12, 14, 16)]
    found = by_shape(64, 2, rounds, 5)
    assert found.pair in [one.pair for one in there]
    if rounds == 11:
        assert found == Factors(
            max(there[1].pair, there[2].pair), max(there[1].ranks, there[2].ranks)
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "seats", "rounds", "seeds"),
    [(24, 2, 6, 5), (48, 3, 5, 8), pytest.param(96, 2, 8, 5, marks=pytest.mark.long)],
)
def test_shapes_between_those_measured_are_near_their_own_replays(bots, seats, rounds, seeds):
    terms = Terms("swiss", bots, seats, seeds, rounds=rounds, key=b"")
    own = factors(
        [EventToReplay(terms, tuple(range(bots)), rounds)],
        [0] * bots,
        [True] * bots,
        bytes(range(32)),
        40,
    )
    found = by_shape(bots, seats, rounds, seeds)
    assert 0.97 * own.pair < found.pair < 1.15 * own.pair
    assert 0.85 * own.ranks < found.ranks < 1.4 * own.ranks
