"""Seats and neighbours: near zero where there is nothing, covered, and found where
there is something.
"""

import numpy as np
import pytest
from in_targets import in_long
from made_results import rated
from simulated import World, cells_of, matches_of, played

from khiva_arena.rating.ratings.bias import (
    neighbour_bias,
    opponents_average,
    pair_scores,
    seat_bias,
    tie_share,
)
from khiva_arena.rating.ratings.elo import rate
from khiva_arena.rating.ratings.match_arrays import TableArrays
from khiva_arena.rating.ratings.pairs import pair_cells

WORLD = World("unequal bots, lucky seats", luck=0.7, suits=0.5, noise=0.7, spread=1.0, more=2)


def pushed(rng, tables, giver, gain):
    """The same matches with ranks drawn again: strength, and ``gain`` for whoever sits
    directly after ``giver``.
    """
    seats = tables.bots.shape[1]
    after = np.roll(tables.bots == giver, 1, axis=1)
    deal = rng.normal(0, 0.5, (int(tables.block.max()) + 1, 10))[tables.block[:, None], tables.bots]
    points = 0.2 * tables.bots + deal + gain * after + rng.normal(0, 0.7, tables.bots.shape)
    ranks = 1 + (points[:, None, :] > points[:, :, None]).sum(axis=2)
    assert ranks.shape[1] == seats
    return TableArrays(tables.block, tables.bots, ranks)


def played_and_rated(tables, bots):
    return matches_of(tables), rate(cells_of(tables, bots), bots, 0)


def test_a_seats_score_is_its_mean_over_matches():
    matches = [
        rated(0, (0, 1, 2), (1, 2, 2)),
        rated(1, (1, 2, 0), (3, 1, 2)),
        rated(0, (0, 1), (2, 1)),
    ]
    found = seat_bias(matches)
    assert [(seat.seats, seat.seat, seat.matches, seat.blocks) for seat in found] == [
        (2, 0, 1, 1),
        (2, 1, 1, 1),
        (3, 0, 2, 2),
        (3, 1, 2, 2),
        (3, 2, 2, 2),
    ]
    assert [seat.score for seat in found] == [0, 1, 0.5, pytest.approx(0.625), pytest.approx(0.375)]
    assert found[0].low is found[0].high is None
    assert found[2].low < 0.5 < found[2].high


def test_a_seat_that_failed_to_start_says_nothing_of_seats():
    assert seat_bias([rated(0, (0, 1), (1, 2), unstarted=(1,))]) == ()


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_seats_without_an_advantage_are_covered_and_one_with_is_found(seats):
    rng = np.random.default_rng([1, seats])
    held, found = [], 0
    for _ in range(150):
        tables = played(rng, World("no luck", luck=0.8, suits=0.5, spread=1.0), seats, 25)
        held += [seat.low <= 0.5 <= seat.high for seat in seat_bias(matches_of(tables))]
        points = rng.normal(0, 1, tables.bots.shape) + 1.0 * (np.arange(seats) == 1)
        ranks = 1 + (points[:, None, :] > points[:, :, None]).sum(axis=2)
        found += seat_bias(matches_of(TableArrays(tables.block, tables.bots, ranks)))[1].low > 0.5
    assert 0.91 <= np.mean(held) <= 0.99
    assert found > 120


@pytest.mark.soak
@pytest.mark.parametrize("seats", [3, *in_long([4])])
def test_neighbours_that_do_nothing_are_covered_and_one_that_gives_is_found(seats):
    rng = np.random.default_rng([2, seats])
    held, sizes, found, others = [], [], [], []
    for _ in range(80):
        tables = played(rng, WORLD, seats, 25)
        for bias in neighbour_bias(*played_and_rated(tables, seats + 2)):
            held.append(bias.low <= 0 <= bias.high)
            sizes.append(bias.effect)
        given_away = neighbour_bias(*played_and_rated(pushed(rng, tables, 1, 0.7), seats + 2))
        found.append(given_away[1].effect)
        others += [bias.effect for bias in given_away if bias.bot != 1]
        assert given_away[1].low > 0
    assert 0.93 <= np.mean(held) <= 0.97
    assert abs(np.mean(sizes)) < 3 * np.std(sizes) / len(sizes) ** 0.5 + 0.002
    assert np.mean(found) > 0.1
    assert np.mean(others) < 0.01


def test_strength_is_not_taken_for_an_effect():
    """A very strong bot makes its neighbours lose as much as all others at its
    table.
    """
    rng = np.random.default_rng(3)
    strong = World("one giant", suits=0.3, spread=3.0, more=1)
    effects = [
        neighbour_bias(*played_and_rated(played(rng, strong, 3, 30), 4))[3].effect
        for _ in range(60)
    ]
    assert abs(np.mean(effects)) < 3 * np.std(effects) / 60**0.5 + 0.002


def test_neighbours_where_there_is_nothing_to_compare():
    two = [rated(block, (0, 1), (1, 2)) for block in range(4)]
    assert [(bias.effect, bias.matches) for bias in neighbour_bias(two, rate(two, 2, 0))] == [
        (None, 0)
    ] * 2
    turned = [
        rated(block, order, (1, 2, 3))
        for block in range(4)
        for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    ]
    assert {bias.effect for bias in neighbour_bias(turned, rate(turned, 3, 0))} == {None}
    copies = [rated(block, (0, 0, 1), (1, 2, 3)) for block in range(4)]
    assert {bias.effect for bias in neighbour_bias(copies, rate(copies, 2, 0))} == {None}
    assert neighbour_bias([], rate([], 2, 0))[1].low is None


def test_matches_and_arrays_give_the_same():
    tables = played(np.random.default_rng(4), WORLD, 3, 10)
    arrays, ratings = played_and_rated(tables, 5)
    assert neighbour_bias(matches_of(tables), ratings) == neighbour_bias(arrays, ratings)
    assert seat_bias(matches_of(tables)) == seat_bias(arrays)


def test_opponents_average_by_hand():
    matches = [rated(0, (0, 1, 2), (1, 2, 3)), rated(1, (0, 1), (2, 1)), rated(1, (0, 2), (2, 1))]
    ratings = rate(matches, 4, 0)
    found = opponents_average(pair_cells(matches, 4), ratings)
    assert found[0] == pytest.approx((ratings.elo[1] + ratings.elo[2]) / 2)
    assert found[1] == pytest.approx((0.75 * ratings.elo[2] + 1.75 * ratings.elo[0]) / 2.5)
    assert found[3] is None


def test_tie_share_by_hand():
    matches = [rated(0, (0, 1, 2), (1, 1, 3)), rated(1, (0, 1), (2, 1)), rated(1, (3, 3), (1, 1))]
    assert tie_share(matches, 4) == (pytest.approx(0.75 / 2.5), pytest.approx(0.75 / 2.5), 0, None)


def test_pair_scores():
    assert pair_scores(np.array([[1, 2, 2, 4]])).tolist() == [[1.0, 0.5, 0.5, 0.0]]
