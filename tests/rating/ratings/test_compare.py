"""Who is above whom: against plain loops, published tables and a simulation."""

import random
from math import isnan, sqrt

import numpy as np
import pytest
from in_targets import in_long
from made_results import rated

from khiva_arena.rating.ratings.compare import los, range_quantile, rank_intervals, together
from khiva_arena.rating.ratings.elo import half_width, rate


def played(seed, bots=6, seats=4, blocks=30, step=0.4, luck=0.5):
    rng = random.Random(seed)
    some = []
    for block in range(blocks):
        line_up = rng.sample(range(bots), seats)
        suits = [rng.gauss(0, luck) for _ in range(bots)]
        for r in range(seats):
            order = tuple(line_up[(i + r) % seats] for i in range(seats))
            points = [b * step + suits[b] + rng.gauss(0, 1) for b in order]
            some.append(rated(block, order, tuple(1 + sum(o > p for o in points) for p in points)))
    return some


def evens(a, b, blocks=6):
    return [rated(k, pair, (1, 2)) for k in range(blocks) for pair in ((a, b), (b, a))]


@pytest.mark.parametrize(
    ("bots", "quantile"),
    [(2, 2.77180765), (3, 3.31449294), (10, 4.47412414), (20, 5.01175197), (100, 6.08496892)],
)
def test_the_range_as_in_tables(bots, quantile):
    """Tables of the studentised range print 2.77, 3.31, 4.47, 5.01 and 6.08 for .05 and
    infinite degrees of freedom.
    """
    from scipy.stats import studentized_range

    assert range_quantile((bots,), 0.95) == pytest.approx(
        studentized_range.ppf(0.95, bots, np.inf), abs=1e-5
    )
    assert range_quantile((bots,), 0.95) == pytest.approx(quantile, abs=1e-2)


def test_for_two_bots_all_comparisons_are_one():
    assert together(2) == pytest.approx(0.05, abs=1e-10)


def test_los_is_the_level_at_which_the_interval_ends_at_0():
    from scipy.special import stdtrit

    ratings = rate(played(1), 6, 0)
    chance = los(ratings)
    assert np.isnan(np.diag(chance)).all()
    for i in range(6):
        for j in range(6):
            if i != j:
                d, error = ratings.between(i, j)
                freedom = min(ratings.seeds[i], ratings.seeds[j]) - 1
                assert chance[i, j] + chance[j, i] == pytest.approx(1, abs=1e-12), f"{i=} {j=}"
                se = error / half_width(1.0, freedom + 1)
                assert se * stdtrit(freedom, chance[i, j]) == pytest.approx(d, rel=1e-6), (
                    f"{i=} {j=}"
                )
                assert (chance[i, j] > 0.975) == (d > error), f"{i=} {j=}"


def test_los_where_there_is_nothing_to_say():
    ratings = rate(evens(0, 1) + [rated(b, (2, 0), (1, 2)) for b in range(6)] + evens(3, 4), 6, 0)
    chance = los(ratings)
    assert chance[2, 0] == pytest.approx(1 - 0.5**6)  # took all points of six seeds
    assert chance[0, 2] == pytest.approx(0.5**6)
    assert isnan(chance[0, 3])
    assert np.isnan(chance[5]).all()
    assert isnan(chance[3, 4])  # the same on every seed, which tells no error
    assert np.isnan(los(rate(played(1, blocks=1), 6, 0))).all()


def plain_intervals(ratings):
    """The same by loops."""
    from scipy.special import stdtrit

    rated = [b for b, elo in enumerate(ratings.elo) if elo is not None]
    found = []
    for i in range(len(ratings.elo)):
        best, worst = 1, len(rated)
        for j in rated:
            d, error = ratings.between(i, j)
            if i == j or i not in rated or error is None:
                continue
            blocks = min(ratings.seeds[i], ratings.seeds[j])
            least = (
                error / half_width(1.0, blocks) * stdtrit(blocks - 1, 1 - together(len(rated)) / 2)
            )
            best += d < -least
            worst -= d > least
        found.append((best, worst) if i in rated else None)
    return tuple(found)


@pytest.mark.parametrize("seed", range(5))
def test_rank_intervals_as_by_loops(seed):
    ratings = rate([*played(seed, blocks=60, step=0.8), *evens(6, 7)], 9, 0)
    found = rank_intervals(ratings)
    assert found == plain_intervals(ratings)
    assert found[8] is None
    assert found[6] == found[7] == (1, 8)
    order = sorted(range(6), key=lambda b: -ratings.elo[b])
    assert all(best <= 1 + order.index(b) <= worst for b, (best, worst) in enumerate(found[:6]))
    assert found[5][1] < 8


def test_without_errors_every_rank_is_possible():
    assert rank_intervals(rate(played(1, 4, blocks=1), 4, 0)) == ((1, 4),) * 4
    assert rank_intervals(rate([], 3, 1)) == (None, None, None)


def test_between_two_bots_the_rank_is_certain_when_the_interval_of_the_difference_excludes_0():
    for seed in range(20):
        ratings = rate(played(seed, 2, 2, 12, 1.0), 2, 0)
        d, error = ratings.between(1, 0)
        assert rank_intervals(ratings) == (
            ((2, 2), (1, 1)) if d > error else ((1, 1), (2, 2)) if d < -error else ((1, 2), (1, 2))
        )


@pytest.mark.soak
@pytest.mark.parametrize(("bots", "blocks"), [(5, 12), *in_long([(12, 20)])])
def test_all_ranks_together_are_wrong_in_at_most_5_percent(bots, blocks):
    """All bots are equal, so each is 1st and last in truth: any interval short of (1,
    n) is a mistake.
    """
    trials, wrong, marginal = 400, 0, 0
    for trial in range(trials):
        ratings = rate(played(trial, bots, 4, blocks * bots // 4, 0.0), bots, 0)
        wrong += any(interval != (1, bots) for interval in rank_intervals(ratings))
        level = los(ratings)
        marginal += bool((level[~np.isnan(level)] > 0.975).any())
    assert wrong / trials <= 0.05 + 3 * sqrt(0.05 * 0.95 / trials)
    assert marginal / trials > 0.15  # pair by pair it would be a mistake much more often
