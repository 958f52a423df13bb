"""Where all seeds say the same there is no error: nothing was seen of how much it
varies, and +/- 0 would be a lie.
"""

from itertools import combinations, product
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import rated
from rating_oracle import played
from sandwich import NO_PRIOR
from simulated import WORLDS, World, trials

from khiva_arena.rating.ratings.bias import neighbour_bias
from khiva_arena.rating.ratings.compare import los, rank_intervals
from khiva_arena.rating.ratings.crosstable import crosstable
from khiva_arena.rating.ratings.cycles import intransitivity
from khiva_arena.rating.ratings.effects import EffectsToFit
from khiva_arena.rating.ratings.elo import half_width, rate
from khiva_arena.rating.ratings.pairs import pair_cells
from khiva_arena.rating.ratings.planning import for_error, for_gap

SEATS = EffectsToFit(seats=True)


def two_names(seed, blocks):
    """Four bots at two seats, where 2 and 3 are one deterministic program under two
    names.
    """
    rng = np.random.default_rng(seed)
    same = (0, 1, 2, 2)
    matches = []
    for block in range(blocks):
        luck, skill = rng.normal(0, 1, 2), rng.normal(0, 0.7, 3)
        for pair in combinations(range(4), 2):
            for order in (pair, pair[::-1]):
                first, second = (luck[seat] + skill[same[bot]] for seat, bot in enumerate(order))
                matches.append(rated(block, order, (1, 2) if first > second else (2, 1)))
    return matches


def one_and_a_half(blocks, low=0, high=1):
    """Of two matches on every seed, ``low`` wins one and ties one."""
    return [
        rated(block, (low, high), ranks) for block in range(blocks) for ranks in ((1, 2), (1, 1))
    ]


@pytest.mark.parametrize("blocks", [5, 20, 100])
def test_one_program_under_two_names_is_not_told_apart_from_itself(blocks):
    for seed in range(10):
        ratings = rate(two_names(seed, blocks), 4, 0)
        apart, error = ratings.between(2, 3)
        assert apart == pytest.approx(0, abs=1e-9)
        assert error is None
        assert ratings.no_variance_seen[2, 3]
        assert isnan(los(ratings)[2, 3])
        assert rank_intervals(ratings)[2] == rank_intervals(ratings)[3]
        assert set(ratings.quasi.se) == {None}
        need = (
            next(gap for gap in for_gap(ratings, 40) if {gap.upper, gap.lower} == {2, 3})
            if blocks == 100
            else None
        )
        assert need is None or (need.error, need.need) == (None, None)
    assert not ratings.no_variance_seen[:2].any() or blocks == 5
    assert None not in ratings.error or blocks == 5


@pytest.mark.parametrize(
    "more",
    [
        {"effects": SEATS},
        {"anchors": {0: 0.0, 1: 50.0}},
        {"anchors": {0: 0.0}, "anchor_sds": {0: 1e6}},
    ],
)
def test_the_same_with_effects_and_with_several_anchors(more):
    ratings = rate(two_names(1, 40), 4, 0, **more)
    assert ratings.between(2, 3)[1] is None
    assert ratings.between(1, 2)[1] > 1
    assert [error is None for error in ratings.error] == [False] * 4
    assert ratings.no_variance_seen.sum() == 2


@pytest.mark.parametrize("blocks", [2, 5, 100])
def test_the_prior_draws_do_not_hide_it(blocks):
    """The scores are away from the draws, which pull at every block alike."""
    matches = one_and_a_half(blocks)
    ratings = rate(matches, 2, 0)
    assert ratings.elo[1] < -100
    assert (ratings.error, ratings.se) == ((0, None), (0, None))
    assert ratings.between(1, 0) == (ratings.elo[1], None)
    assert ratings.between(0, 0) == (0, 0)
    assert set(ratings.pool_se) == set(ratings.pool_error) == set(ratings.design_effect) == {None}
    assert np.isnan(los(ratings)).all()
    assert rank_intervals(ratings) == ((1, 2), (1, 2))
    assert for_error(ratings, 20) == for_error(ratings, 20, pool=True) == (None, None)
    assert for_gap(ratings, 20)[0].need is None
    assert np.isnan(crosstable(pair_cells(matches, 2), ratings).surprise).all()


@pytest.mark.parametrize("seeds", [2, 5, 10])
def test_nor_is_it_hidden_by_what_others_do(seeds):
    """Bot 2 came late, and splits every seed with bot 0. Through the prior draws it
    moves a little with what bots 0 and 1 do.
    """
    rng = np.random.default_rng(seeds)
    others = [
        rated(b, (0, 1), (1, 2) if rng.random() < 0.5 else (2, 1))
        for b in range(20)
        for _ in range(2)
    ]
    late = [rated(b, order, (1, 2)) for b in range(seeds) for order in ((0, 2), (2, 0))]
    ratings = rate(others + late, 3, 0)
    assert [error is None for error in ratings.error] == [False, False, True]
    assert ratings.between(1, 2)[1] > 10
    assert ratings.pool_error[1] > 10


@pytest.mark.parametrize("blocks", [5, 20])
def test_nor_by_seeds_with_more_matches_than_others(blocks):
    matches = [
        match
        for b in range(blocks)
        for match in one_and_a_half(blocks)[2 * b : 2 * b + 2] * (1 + b % 2)
    ]
    assert rate(matches, 2, 0).error == (0, None)
    assert rate(matches, 2, 0, anchors={0: 0.0}, anchor_sds={0: 30.0}).error[1] is None
    assert rate(matches, 2, 0, effects=SEATS).error[1] is None


@pytest.mark.parametrize("blocks", [2, 50])
@pytest.mark.parametrize(
    "ranks", [((1, 1), (1, 1)), ((1, 2), (1, 2))], ids=["all ties", "the first always wins"]
)
def test_results_that_cancel_out_on_every_seed(blocks, ranks):
    """Ties are also what two bots make of each other that both forfeit at once."""
    pairs = list(zip(((0, 1), (1, 0)), ranks, strict=True))
    ratings = rate([rated(block, *one) for block in range(blocks) for one in pairs], 2, 0)
    assert (ratings.elo, ratings.error, ratings.pool_error) == ((0, 0), (0, None), (None, None))
    assert rank_intervals(ratings) == ((1, 2), (1, 2))


def test_one_difference_of_three():
    """Bot 2 always makes 1.5 of 2 of the anchor; bot 1 does not always do the same."""
    matches = one_and_a_half(12, 2, 0) + [
        rated(b, (0, 1), (1, 2) if b % 3 else (2, 1)) for b in range(12)
    ]
    bare = rate(
        matches, 3, 0, prior=NO_PRIOR
    )  # without the draws nobody is moved by what others do
    assert bare.no_variance_seen.tolist() == [
        [False, False, True],
        [False, False, False],
        [True, False, True],
    ]
    assert [error is None for error in bare.error] == [False, False, True]
    assert bare.between(1, 2)[1] is not None


def test_given_numbers_have_the_errors_that_are_given():
    matches = one_and_a_half(10) + one_and_a_half(10, 1, 2)
    exact = rate(matches, 4, 0, anchors={0: 0.0, 2: -300.0, 3: 100.0})
    assert exact.error == (0, None, 0, None)  # bot 3 has not played
    assert (exact.se[0], exact.se[1]) == (0, None)
    assert exact.between(0, 2) == (300, 0)
    assert [check.z for check in exact.anchors] == [None, None, None]
    one_loose = rate(matches, 3, 0, anchors={0: 0.0}, anchor_sds={0: 40.0})
    assert one_loose.error == (pytest.approx(half_width(40.0, 10)), None, None)
    loose = rate(matches, 3, 0, anchors={0: 0.0, 2: -300.0}, anchor_sds={0: 40.0, 2: 40.0})
    assert loose.error == (None, None, None)  # each one's number is moved by the matches as well
    shaken = rate(
        [*matches, *played(1, (2,), bots=3, blocks=20)],
        3,
        0,
        anchors={0: 0.0, 2: -300.0},
        anchor_sds={0: 40.0, 2: 40.0},
    )
    assert None not in shaken.error
    assert not shaken.no_variance_seen.any()


def test_effects_and_biases_that_are_the_same_on_every_seed():
    first = [
        ((0, 1), (1, 2)),
        ((1, 0), (1, 1)),
    ]  # the seat is worth something, and bot 0 too, on each seed alike
    same = rate([rated(block, *one) for block in range(9) for one in first], 2, 0, effects=SEATS)
    assert all(
        effect.elo is not None and effect.error is effect.se is None for effect in same.effects
    )
    varied = rate(
        [rated(b, order, (1, 2 if b % 4 else 1)) for b in range(9) for order in ((0, 1), (1, 0))],
        2,
        0,
        effects=SEATS,
    )
    assert all(effect.error > 0 for effect in varied.effects)
    orders = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2))
    ranks = ((1, 2, 2), (1, 1, 2), (1, 3, 2), (2, 2, 1), (1, 2, 3), (1, 1, 1))
    turned = [rated(b, *one) for b in range(9) for one in zip(orders, ranks, strict=True)]
    ratings = rate(turned, 3, 0)
    assert all(
        bias.effect is not None and bias.low is None for bias in neighbour_bias(turned, ratings)
    )
    ring = [rated(b, pair, (1, 2)) for b in range(9) for pair in ((0, 1), (1, 2), (2, 0))]
    assert intransitivity(pair_cells(ring, 3), rate(ring, 3, 0)) is None


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [2, 3])
def test_few_seeds_are_no_reason_to_fall_over_or_to_be_sure(blocks):
    same = World("near-deterministic, equal", luck=1.0, suits=0.7, noise=0.05, step=0.5)
    for world in (*WORLDS, same):
        shown = total = 0
        for cells in trials(np.random.default_rng(blocks), world, 2, blocks, 150):
            bots = 2 + world.more
            ratings = rate(cells, bots, 0)
            rank_intervals(ratings)
            for i, j in combinations(range(bots), 2):
                error = ratings.between(i, j)[1]
                total += 1
                shown += error is not None
                assert error is None or error > 0.01, f"{world=} {cells=} {i=} {j=}"
        assert shown < total or not world.luck


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(
        st.lists(st.sampled_from([(1, 2), (2, 1), (1, 1)]), min_size=6, max_size=6),
        min_size=1,
        max_size=4,
    ),
    st.integers(0, 4),
)
def test_whatever_is_played_there_is_a_rating_and_no_error_of_0(seeds, repeated):
    matches = [
        rated(block, order, ranks)
        for block, played_so in enumerate([*seeds, *seeds[:1] * repeated])
        for order, ranks in zip(
            [*combinations(range(3), 2), *combinations((2, 1, 0), 2)], played_so, strict=True
        )
    ]
    for more in ({}, {"effects": SEATS}, {"anchors": {0: 0.0, 2: 10.0}}):
        ratings = rate(matches, 3, 0, **more)
        exact = set(more.get("anchors", (0,)))
        assert all(
            error is None or error > 0.001
            for bot, error in enumerate(ratings.error)
            if bot not in exact
        )
        for i, j in product(range(3), repeat=2):
            error = ratings.between(i, j)[1]
            assert i == j or {i, j} <= exact or error is None or error > 0.001, f"{more=} {i=} {j=}"
        assert all(error is None or error > 0.001 for error in ratings.pool_error if len(exact) < 2)
