"""Intervals that hold however often a table was looked at: against simulations, and by
the formula.
"""

from math import erfc, log, sqrt

import numpy as np
import pytest
import scipy

from khiva_arena.rating.ratings.looks import (
    MOST_LOOKS,
    O_BRIEN_FLEMING,
    ONE_LOOK,
    planned,
    unplanned,
)
from khiva_arena.rating.ratings.widening import PLAIN, Widening


def statistics(grid, number, seed=1):
    """(looks, number) t of the mean of equal bots' differences after so many seeds of
    each event.
    """
    x = np.random.default_rng(seed).normal(size=(number, max(grid)))
    sums, squares = x.cumsum(1), (x * x).cumsum(1)
    return np.array(
        [
            sums[:, s - 1]
            / s
            / np.sqrt((squares[:, s - 1] - sums[:, s - 1] ** 2 / s) / (s - 1) / s)
            for s in grid
        ]
    )


def false_claims(t, critical):
    """In what share of events any look leaves 0 out."""
    return float((np.abs(t) > np.array(critical)[:, None]).any(axis=0).mean())


@pytest.mark.parametrize(
    ("grid", "first"),
    [
        (range(10, 101, 10), 10),
        ((20, 40, 80, 160), 20),
        (range(10, 101), 10),
        (range(10, 281, 30), 10),
    ],
)
def test_extending_until_it_pleases_is_wrong_in_one_of_twenty_events_and_not_in_one_of_five(
    grid, first
):
    """The first table is plain, as it was planned; from then on the mixture."""
    t, mixture = statistics(grid, 4000), unplanned(first)
    plain = [float(ONE_LOOK.critical(seeds, 0.05)) for seeds in grid]
    assert false_claims(t, plain) > 0.13
    assert (
        false_claims(t, [plain[0], *(float(mixture.critical(seeds, 0.05)) for seeds in grid[1:])])
        < 0.07
    )
    assert false_claims(t, [float(mixture.critical(seeds, 0.05)) for seeds in grid]) < 0.03


@pytest.mark.parametrize("looks", [2, 5, 10, 20])
def test_planned_looks_together_are_false_in_one_of_twenty(looks):
    grid = [20 * k for k in range(1, looks + 1)]
    boundary = planned(looks, grid[-1])
    critical = [float(boundary.critical(seeds, 0.05)) for seeds in grid]
    assert 0.04 < false_claims(statistics(grid, 4000), critical) < 0.062
    assert critical[-1] / float(ONE_LOOK.critical(grid[-1], 0.05)) < 1.1
    assert critical == sorted(critical, reverse=True)


def test_the_constants_are_those_of_the_tables():
    """Against normal sums, with 400,000 events for each."""
    assert len(O_BRIEN_FLEMING) == MOST_LOOKS
    assert list(O_BRIEN_FLEMING) == sorted(O_BRIEN_FLEMING)
    rng = np.random.default_rng(2)
    sums = rng.normal(size=(100_000, MOST_LOOKS)).cumsum(1)
    for looks in (1, 2, 3, 5, 8, 10, 13, 15, 18, 20):
        largest = np.abs(sums[:, :looks]).max(axis=1) / sqrt(looks)
        assert (largest > O_BRIEN_FLEMING[looks - 1]).mean() == pytest.approx(0.05, abs=0.0025)


def test_the_mixture_as_by_hand():
    rho = 3 * 10 / 7.8
    for seeds in (10, 20, 60, 100):
        z = sqrt((seeds + rho) / seeds * log((seeds + rho) / (rho * 0.0025)))
        wanted = -scipy.special.stdtrit(seeds - 1, erfc(z / sqrt(2)) / 2)
        assert float(unplanned(10).critical(seeds, 0.05)) == pytest.approx(wanted, rel=1e-9)
    widths = [
        float(unplanned(10).critical(seeds, 0.05) / ONE_LOOK.critical(seeds, 0.05))
        for seeds in (10, 20, 60, 100)
    ]
    assert widths == pytest.approx([1.99, 1.68, 1.60, 1.61], abs=0.06)


@pytest.mark.parametrize("looks", [unplanned(10), planned(10, 100)])
def test_intervals_likelihoods_and_ranks_of_a_table_are_judged_by_the_same_looks(looks):
    widening, seeds = Widening(looks=looks), np.array([10, 30, 100])
    critical = widening.critical(seeds)
    assert critical == pytest.approx(looks.critical(seeds, 0.05))
    assert (critical > PLAIN.critical(seeds)).all()
    assert widening.superior(seeds, critical) == pytest.approx([0.975] * 3)
    assert (widening.certain(seeds, 0.01) > critical).all()
    assert widening.half_width(2.0, 30) == pytest.approx(2 * critical[1])
    assert Widening("replayed", 40.0, 50.0, looks).critical(30) == pytest.approx(40.0)
    assert not ONE_LOOK
    assert looks


def test_a_few_of_many_planned_seeds_give_no_interval_and_more_of_them_do():
    few, enough = Widening(looks=unplanned(1000)), Widening(looks=unplanned(10))
    assert [few.half_width(1.0, seeds) for seeds in (1, 2, 10, 20)] == [None] * 4
    assert few.half_width(1.0, 300) == pytest.approx(float(few.critical(300)))
    assert enough.half_width(1.0, 2) is None
    assert 2 < enough.half_width(1.0, 10) < 6
    assert [PLAIN.half_width(1.0, seeds) is None for seeds in (1, 2, 3)] == [True, False, False]
