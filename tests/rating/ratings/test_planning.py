"""What planning promises comes true in simulations; what it cannot know it does not
say.
"""

from itertools import pairwise
from math import ceil, isclose

import numpy as np
import pytest
from made_results import rated
from simulated import World, trials

from khiva_arena.errors import ConfigError
from khiva_arena.rating.ratings.elo import half_width, rate
from khiva_arena.rating.ratings.planning import (
    FEWEST_SEEDS,
    MOST_SEEDS,
    errors_after,
    for_error,
    for_gap,
    for_order,
)
from khiva_arena.rating.ratings.widening import PLAIN

WORLD = World("deals matter", luck=1.0, suits=0.7, spread=0.4)


def competitions(seed, blocks, number, world=WORLD, seats=3):
    for cells in trials(np.random.default_rng(seed), world, seats, blocks, number):
        yield rate(cells, seats + world.more, 0)


@pytest.mark.slow
def test_the_error_asked_for_is_the_error_got():
    """From 30 seeds, for half the error there: over many competitions the seeds
    planned, played, give that error; and the interval of the seeds holds the number
    that is needed in truth about 95 % of the time.
    """
    wanted = float(np.mean([ratings.error[1] for ratings in competitions(1, 30, 100)])) / 2
    needs = [for_error(ratings, wanted)[1] for ratings in competitions(2, 30, 200)]
    planned = int(np.median([need.seeds for need in needs]))
    got = np.mean([ratings.error[1] for ratings in competitions(3, planned, 100)])
    assert got == pytest.approx(wanted, rel=0.08)
    # what is needed in truth: from the spread of the estimate itself
    spread = np.std([ratings.elo[1] for ratings in competitions(4, 100, 400)]) * 10
    needed = next(n for n in range(2, 10_000) if half_width(spread / n**0.5, n) <= wanted)
    held = np.mean([need.low <= needed <= need.high for need in needs])
    assert 0.91 <= held <= 0.99


@pytest.mark.slow
def test_a_gap_of_that_size_is_found_as_often_as_asked():
    true = float(np.mean([ratings.between(2, 1)[0] for ratings in competitions(5, 2000, 5)]))
    needs = [
        need
        for ratings in competitions(6, 40, 200)
        for need in for_gap(ratings, true, power=0.8)
        if need.need
    ]
    planned = int(np.median([need.need.seeds for need in needs]))
    found = [ratings.between(2, 1) for ratings in competitions(7, planned, 300)]
    assert np.mean([apart > error for apart, error in found]) == pytest.approx(0.8, abs=0.08)


def test_more_is_needed_for_less():
    ratings = next(competitions(8, 25, 1))
    seeds = [for_error(ratings, error)[1].seeds for error in (100, 50, 25, 10)]
    assert seeds == sorted(seeds)
    assert seeds[3] / seeds[2] == pytest.approx(6.25, rel=0.05)
    need = for_error(ratings, 20)[1]
    assert need.low < need.seeds < need.high
    gaps = [for_gap(ratings, 30, power)[0].need.seeds for power in (0.5, 0.8, 0.95)]
    assert gaps == sorted(gaps)
    assert for_error(ratings, 1e-4)[1].seeds == MOST_SEEDS
    assert for_error(ratings, 10_000)[1].seeds == 2


def test_what_is_there_already_is_enough_for_what_is_there_already():
    """The seeds for the error of now are the seeds of now."""
    ratings = next(competitions(9, 25, 1))
    for bot in (1, 2):
        assert for_error(ratings, ratings.error[bot] * (1 + 1e-9))[bot].seeds == 25
        assert for_error(ratings, ratings.pool_error[bot] * (1 + 1e-9), pool=True)[bot].seeds == 25


def test_a_bot_that_played_on_half_of_the_seeds_goes_on_to():
    rng = np.random.default_rng(3)
    matches = []
    for block in range(40):
        for bots in ((0, 1), (1, 0), (0, 2), (2, 0)) if block % 2 else ((0, 1), (1, 0)):
            first = int(rng.integers(1, 3))
            matches.append(rated(block, bots, (first, 3 - first)))
    ratings = rate(matches, 3, 0)
    assert ratings.seeds == (40, 40, 20)
    need = for_error(ratings, 60)[2]
    own = next(n for n in range(2, 10**6) if half_width(ratings.se[2] * (20 / n) ** 0.5, n) <= 60)
    assert need.seeds == ceil(own * 2)


def test_gaps_are_those_of_neighbours_in_order_of_elo():
    ratings = next(competitions(10, 25, 1, World("more", spread=2.0, more=2)))
    needs = for_gap(ratings, 40)
    order = sorted(range(5), key=lambda bot: -ratings.elo[bot])
    assert [(need.upper, need.lower) for need in needs] == list(pairwise(order))
    assert all(
        need.elo >= 0 and isclose(need.error, ratings.between(need.upper, need.lower)[1])
        for need in needs
    )


def test_errors_after_so_many_seeds_are_what_planning_for_them_says():
    ratings = next(competitions(5, 30, 1))
    now = errors_after(ratings, ratings.blocks)
    assert now[0] is None
    assert now[1:] == pytest.approx(ratings.error[1:])
    for wanted in (10.0, 20.0):
        needs = for_error(ratings, wanted)
        for bot in (1, 2):
            assert (
                errors_after(ratings, needs[bot].seeds)[bot]
                <= wanted
                < errors_after(ratings, needs[bot].seeds - 1)[bot]
            )


def test_nothing_is_said_from_nothing():
    few = next(competitions(11, FEWEST_SEEDS - 1, 1))
    assert errors_after(few, 100) == (None,) * 3
    assert for_error(few, 20) == (None,) * 3
    assert [need.need for need in for_gap(few, 20)] == [None, None]
    enough = next(competitions(11, FEWEST_SEEDS, 1))
    assert [need is None for need in for_error(enough, 20)] == [True, False, False]
    assert for_error(rate([], 2, 0), 20) == (None, None)
    assert for_gap(rate([], 1, 0), 20) == ()
    certain = [rated(block, order, (1, 2)) for block in range(9) for order in ((0, 1), (1, 0))]
    assert for_error(rate(certain, 2, 0), 20) == (None, None)


def test_no_number_of_seeds_puts_one_of_two_equal_bots_above_the_other():
    """Each wins both matches of every other seed: their error is known, and their
    distance is 0.
    """
    alike = [
        rated(block, order, (1, 2) if order[0] == block % 2 else (2, 1))
        for block in range(12)
        for order in ((0, 1), (1, 0))
    ]
    ratings = rate(alike, 2, 0)
    assert ratings.between(0, 1).elo == 0
    assert ratings.between(0, 1).error > 100
    assert [for_order(ratings, *bots, 0.95, PLAIN) for bots in ((0, 1), (1, 0))] == [None, None]


@pytest.mark.parametrize("amount", [0, -3, float("inf"), float("nan")])
def test_amounts_that_make_no_sense(amount):
    ratings = rate([], 2, 0)
    with pytest.raises(ConfigError, match="above 0"):
        for_error(ratings, amount)
    with pytest.raises(ConfigError, match="above 0"):
        for_gap(ratings, amount)
    with pytest.raises(ConfigError, match="power"):
        for_gap(ratings, 20, power=1)
