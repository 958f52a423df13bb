"""Quasi standard errors, errors against the pool, design effects, components."""

import random
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import rated
from sandwich import covariance_of

from khiva_arena.rating.ratings.compare import rank_intervals
from khiva_arena.rating.ratings.connections import Bound
from khiva_arena.rating.ratings.elo import half_width, rate
from khiva_arena.rating.ratings.quasi import differences, quasi_variances


def played(seed, bots=5, blocks=20, seats=3):
    rng = random.Random(seed)
    some = []
    for block in range(blocks):
        line_up = rng.sample(range(bots), seats)
        for r in range(seats):
            order = tuple(line_up[(i + r) % seats] for i in range(seats))
            points = [b / 3 + rng.gauss(0, 1) for b in order]
            some.append(rated(block, order, tuple(1 + sum(o > p for o in points) for p in points)))
    return some


@given(st.lists(st.floats(0.1, 10), min_size=2, max_size=8), st.floats(-3, 3))
def test_where_the_differences_are_sums_they_are_found_exactly(own, shared):
    if len(own) > 2:
        q, worst = quasi_variances(np.diag(own) + shared)
        assert q == pytest.approx(own, rel=1e-6)
        assert worst < 1e-6


def test_they_minimise_the_relative_error():
    ratings = rate(played(1), 5, 0)
    q, worst = quasi_variances(ratings.covariance)
    between = differences(ratings.covariance)
    pairs = np.triu_indices(5, 1)

    def misfit(values):
        return float(
            (
                np.log(((values[:, None] + values) / np.where(between > 0, between, 1))[pairs]) ** 2
            ).sum()
        )

    best = misfit(q)
    rng = np.random.default_rng(1)
    assert all(misfit(q * (1 + 0.001 * rng.normal(size=5))) > best for _ in range(200))
    assert worst == pytest.approx(
        np.abs(np.sqrt((q[:, None] + q)[pairs] / between[pairs]) - 1).max()
    )
    assert ratings.quasi.se == pytest.approx(np.sqrt(q))
    assert ratings.quasi.worst == worst


def test_one_may_be_below_0_and_is_none():
    """A bot that all others are compared through: the differences of the others are
    more than sums allow.
    """
    v = np.array([[0.0, 0, 0], [0, 1, -0.5], [0, -0.5, 1]])
    q, worst = quasi_variances(v)
    assert q == pytest.approx([-0.5, 1.5, 1.5])
    assert worst < 1e-9


def test_two_get_half_each_and_none_get_none():
    q, worst = quasi_variances(np.array([[0.0, 0], [0, 4]]))
    assert (q.tolist(), worst) == ([2, 2], 0)
    assert quasi_variances(np.zeros((1, 1))) is None
    assert quasi_variances(np.zeros((3, 3))) is None
    assert quasi_variances(np.full((3, 3), np.nan)) is None
    ratings = rate(played(1, blocks=1), 5, 0)
    assert (set(ratings.quasi.se), ratings.quasi.worst) == ({None}, None)


def test_quasi_and_pool_errors_do_not_depend_on_the_anchor():
    one, two = rate(played(2), 5, 0), rate(played(2), 5, 3)
    assert one.quasi.se == pytest.approx(two.quasi.se, rel=1e-6)
    assert one.pool_se == pytest.approx(two.pool_se, rel=1e-8)
    assert one.design_effect == pytest.approx(two.design_effect, rel=1e-8)


def test_against_the_pool_by_hand():
    ratings = rate(played(3), 5, 0)
    model, _ = covariance_of("model", played(3), 5, 0)
    for bot in range(5):
        w = np.full(5, -1 / 5)
        w[bot] += 1
        assert ratings.pool_se[bot] == pytest.approx(sqrt(w @ ratings.covariance @ w))
        assert ratings.pool_error[bot] == pytest.approx(
            half_width(ratings.pool_se[bot], ratings.seeds[bot])
        )
        assert ratings.design_effect[bot] == pytest.approx(
            ratings.pool_se[bot] ** 2 / (w @ model @ w)
        )


def test_repeats_on_one_seed_show_in_the_design_effect():
    """The same match ten times over on its seed: ten times the variance that
    independent matches would have.
    """
    once = played(4, blocks=40)
    tenfold = rate([m for m in once for _ in range(10)], 5, 0, prior=10)
    plain = rate(once, 5, 0)
    assert tenfold.elo == pytest.approx(plain.elo, abs=1e-6)
    assert tenfold.design_effect == pytest.approx([10 * d for d in plain.design_effect], rel=1e-6)


def test_the_pool_is_who_is_compared_with_the_bot():
    two = [rated(k, (6, 7), (1, 2) if k % 3 else (2, 1)) for k in range(12)]
    matches = [*played(5), *two, *(rated(b, (8, 0), (1, 2)) for b in range(6))]
    ratings, alone = rate(matches, 10, 0), rate(matches, 10, 9)
    assert ratings.bounds[5:] == (
        Bound.APART,
        Bound.APART,
        Bound.APART,
        Bound.AT_LEAST,
        Bound.APART,
    )
    assert ratings.components == ((0, 1, 2, 3, 4), (6, 7), (5,), (8,), (9,))
    assert [se is None for se in ratings.pool_se] == [False] * 5 + [True, False, False, True, True]
    assert ratings.pool_se[6] == pytest.approx(ratings.pool_se[7])
    assert ratings.pool_error[6] == pytest.approx(ratings.between(6, 7)[1] / 2)
    assert ratings.pool_se[:5] == pytest.approx(
        rate(played(5), 5, 0).pool_se, rel=0.02
    )  # the prior draws reach over a little
    assert [se is None for se in ratings.quasi.se] == [False] * 5 + [True] * 5
    assert alone.pool_se[:8] == pytest.approx(ratings.pool_se[:8])
    assert alone.design_effect[:8] == pytest.approx(ratings.design_effect[:8])


def test_a_bot_that_did_not_play_is_not_in_the_mean_whatever_number_it_was_given():
    ratings = rate(played(2), 6, 0, anchors={0: 0.0, 5: 900.0})
    assert ratings.elo[5] == 900
    assert (ratings.pool_se[5], ratings.pool_error[5]) == (None, None)
    for bot in range(5):
        w = np.full(5, -1 / 5)
        w[bot] += 1
        assert ratings.pool_se[bot] == pytest.approx(sqrt(w @ ratings.covariance[:5, :5] @ w))
    assert rank_intervals(ratings) == (*rank_intervals(rate(played(2), 5, 0)), None)
