"""Contrasts and trends: by hand, and how often their intervals hold in simulations."""

import numpy as np
import pytest
from made_results import rated
from simulated_deals import dealt

from khiva_arena.rating.ratings.contrasts import differences_among, trend
from khiva_arena.rating.ratings.elo import rate
from khiva_arena.rating.ratings.pairs import pair_cells


def fitted(seed, bots=6, seats=2, seeds=15, **world):
    return rate(
        pair_cells(dealt(np.random.default_rng(seed), bots, seats, seeds, **world), bots), bots, 0
    )


def test_a_pair_has_its_plain_interval_and_a_larger_set_wider_ones():
    ratings = fitted(1)
    [(i, j, pair)] = differences_among(ratings, (4, 2))
    elo, error = ratings.between(4, 2)
    assert (i, j, pair.elo) == (4, 2, elo)
    assert (pair.low, pair.high) == pytest.approx((elo - error, elo + error))
    found = differences_among(ratings, (4, 2, 5))
    assert [(i, j) for i, j, _ in found] == [(4, 2), (4, 5), (2, 5)]
    assert found[0][2].low < pair.low < pair.high < found[0][2].high
    assert found[0][2].los == pair.los


def test_one_that_took_all_points_has_a_bound():
    matches = [rated(k, pair, (1, 2)) for k in range(12) for pair in ((0, 1), (0, 2))]
    matches += [
        rated(k, (1, 2), ranks) for k in range(12) for ranks in ((1, 2), (2, 1))[: 1 + k % 2]
    ]
    [(_, _, above), (_, _, below)] = [
        differences_among(rate(matches, 3, 2), pair)[0] for pair in ((0, 1), (1, 0))
    ]
    assert above.low > 0
    assert above.high is None
    assert (below.low, below.high) == (None, -above.low)


def test_a_trend_is_the_slope_of_least_squares_with_the_whole_covariance():
    ratings, at = fitted(2, spread=1.0), [0, 10, 20, 50]
    found = trend(ratings, [1, 2, 3, 5], at)
    elos = np.array(ratings.elo)[[1, 2, 3, 5]]
    assert found.elo == pytest.approx(np.polyfit(at, elos, 1)[0] * 50)
    around = np.array(at) - np.mean(at)
    weights = around / (around @ around) * 50
    assert weights @ np.ones(4) == pytest.approx(0)
    variance = weights @ ratings.covariance[np.ix_([1, 2, 3, 5], [1, 2, 3, 5])] @ weights
    assert found.high - found.elo == pytest.approx(ratings.widening.half_width(variance**0.5, 15))
    two = trend(ratings, [1, 5], [3, 4])
    assert (two.elo, two.high - two.elo) == pytest.approx(
        (ratings.between(5, 1)[0], ratings.between(5, 1)[1])
    )


def test_there_is_no_trend_without_two_places_or_errors():
    ratings = fitted(3)
    assert trend(ratings, [1], [0]) is None
    assert trend(ratings, [1, 2], [5, 5]) is None
    assert trend(fitted(3, seeds=1), [1, 2], [5, 6]) is None
    lost = rate([rated(k, (0, 1), (1, 2)) for k in range(9)], 2, 0)
    assert trend(lost, [0, 1], [0, 1]) is None


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_intervals_of_trends_and_of_sets_hold_95_percent(spread):
    """The truth from very many seeds; each figure is known to 1.6 %."""
    truth = np.array(fitted(9, seeds=20_000, suits=0.4, spread=spread).elo)
    at, of_trends, of_sets = np.arange(6), [], []
    rise = float(np.polyfit(at, truth, 1)[0] * 5)
    for trial in range(200):
        ratings = fitted([trial, 7], seeds=12, suits=0.4, spread=spread)
        found = trend(ratings, range(6), at.tolist())
        of_trends.append(found.low <= rise <= found.high)
        of_sets.append(
            all(
                one.low <= truth[i] - truth[j] <= one.high
                for i, j, one in differences_among(ratings, (0, 2, 4))
            )
        )
    assert 0.91 <= np.mean(of_trends) <= 0.985
    assert np.mean(of_sets) >= 0.92


@pytest.mark.slow
def test_a_rise_of_150_elo_over_ten_checkpoints_is_found_by_its_trend_and_not_by_a_difference():
    """A gauntlet: ten checkpoints that rise evenly against a ladder of two, at 20
    seeds.
    """
    found, by_pairs, trials = 0, 0, 120
    at = np.arange(10)
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        matches = []
        for seed in range(20):
            for one, rung in ((one, rung) for one in range(10) for rung in (10, 11)):
                p = 1 / (1 + 10 ** (-(one - 4.5) * 150 / 9 / 400))
                matches += [
                    rated(seed, (one, rung), (1, 2) if rng.random() < p else (2, 1))
                    for _ in range(2)
                ]
            matches += [
                rated(seed, (10, 11), (1, 2) if rng.random() < 0.5 else (2, 1)) for _ in range(2)
            ]
        ratings = rate(matches, 12, 10)
        rise = trend(ratings, range(10), at.tolist())
        found += rise.low > 0
        by_pairs += any(one.low > 0 for j, i, one in differences_among(ratings, range(9, -1, -1)))
    print(
        f"found by the trend in {found / trials:.0%}, by any two of them in {by_pairs / trials:.0%}"
    )
    assert found / trials > 0.75
    assert by_pairs < found - 0.15 * trials
