"""What must hold for any matches, and what is said when there is no number."""

import random
from itertools import permutations
from math import isfinite, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import rated
from sandwich import NO_PRIOR

from khiva_arena.rating.ratings.connections import Bound
from khiva_arena.rating.ratings.elo import ELO_PER_NAT, half_width, rate
from khiva_arena.rating.ratings.estimate import problem_of_cells, solution_of
from khiva_arena.rating.ratings.pairs import pair_cells


def played(seed, bots=4, seats=3, blocks=8, noise=1.0):
    """Blocks of all rotations of one line-up each; bot b has strength b / 3."""
    rng = random.Random(seed)
    some = []
    for block in range(blocks):
        line_up = rng.sample(range(bots), seats)
        for r in range(seats):
            order = tuple(line_up[(i + r) % seats] for i in range(seats))
            points = [round(b / 3 + rng.gauss(0, noise)) for b in order]
            some.append(rated(block, order, tuple(1 + sum(o > p for o in points) for p in points)))
    return some


seeds = st.integers(0, 10**6)


@settings(max_examples=40, deadline=None)
@given(seeds, st.randoms(use_true_random=False))
def test_order_of_matches_and_names_of_blocks_do_not_matter(seed, rng):
    matches = played(seed)
    shuffled = [rated(f"seed {m.block}", m.bots, m.ranks) for m in matches]
    rng.shuffle(shuffled)
    one, two = rate(matches, 4, 0), rate(shuffled, 4, 0)
    assert one.elo == pytest.approx(two.elo, abs=1e-8)
    assert one.se == pytest.approx(two.se, abs=1e-8)


@settings(max_examples=40, deadline=None)
@given(seeds, st.permutations(range(4)))
def test_names_of_bots_and_order_of_seats_do_not_matter(seed, new):
    matches = played(seed)
    renamed = [
        rated(m.block, tuple(new[b] for b in reversed(m.bots)), tuple(reversed(m.ranks)))
        for m in matches
    ]
    one, two = rate(matches, 4, 0), rate(renamed, 4, new[0])
    assert one.elo == pytest.approx([two.elo[new[b]] for b in range(4)], abs=1e-8)
    assert one.se == pytest.approx([two.se[new[b]] for b in range(4)], abs=1e-8)


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(0, 3))
def test_the_anchor_shifts_the_scale_and_no_difference(seed, anchor):
    matches = played(seed)
    one, two = rate(matches, 4, 0), rate(matches, 4, anchor)
    for i, j in permutations(range(4), 2):
        a, b = one.between(i, j), two.between(i, j)
        assert a[0] == pytest.approx(b[0], abs=1e-8)
        assert a[1] == pytest.approx(b[1], abs=1e-6)
    assert two.elo[anchor] == 0


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_a_second_copy_at_the_table_adds_nothing_of_its_own(seed):
    """A copy's pairs with the others count; with the first copy they do not, whoever of
    the two is ahead.
    """
    matches = [rated(m.block, (*m.bots, m.bots[0]), (*m.ranks, 9)) for m in played(seed)]
    swapped = [rated(m.block, (m.bots[-1], *m.bots[1:-1], m.bots[0]), m.ranks) for m in matches]
    assert rate(matches, 4, 0).elo == pytest.approx(rate(swapped, 4, 0).elo, abs=1e-8)
    only_copies = [rated(100 + b, (b, b), (1, 2)) for b in range(4)]
    assert rate(matches + only_copies, 4, 0).elo == rate(matches, 4, 0).elo
    assert rate(matches + only_copies, 4, 0).error == rate(matches, 4, 0).error


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_symmetric_results_give_equal_ratings(seats):
    matches = [rated(0, order, tuple(range(1, seats + 1))) for order in permutations(range(seats))]
    matches += [rated(1, m.bots, m.ranks) for m in matches]
    ratings = rate(matches, seats, 0)
    assert ratings.elo == pytest.approx([0] * seats, abs=1e-9)
    assert ratings.error == (0, *[None] * (seats - 1))  # both seeds say the same
    assert ratings.score == pytest.approx([0.5] * seats)


def test_two_bots_by_hand():
    """3 of 4 points with the ghost: p = 1/(1 + e^-2t) solves 3 - 4p + (0.5 - s(t)) = 0
    with t_0 = -t_1.
    """
    matches = [rated(b, (0, 1), (1, 2) if b < 3 else (2, 1)) for b in range(4)]
    ratings = rate(matches, 2, 1, prior=NO_PRIOR)
    assert ratings.elo[0] == pytest.approx(ELO_PER_NAT * 1.0986122886681098)  # ln 3
    # one-step leave one out: J = (.25 or -.75) / (4 * 3/16 - 3/16)
    assert ratings.se[0] == pytest.approx(
        ELO_PER_NAT * sqrt(3 / 4 * (3 * (0.25 / 0.5625) ** 2 + (0.75 / 0.5625) ** 2))
    )
    assert ratings.error[0] == pytest.approx(ratings.se[0] * 3.182446305284263)


def test_the_prior_draws_pull_the_ratings_together():
    matches = played(1)
    spread = [max(e) - min(e) for e in (rate(matches, 4, 0, prior=p).elo for p in (NO_PRIOR, 1, 5))]
    assert spread[0] > spread[1] > spread[2] > 0
    draws_at_0 = solution_of(problem_of_cells(pair_cells(matches, 4), 1.0), {0: (0.0, 0.0)})
    assert sum(draws_at_0.parameters[:4]) == pytest.approx(0, abs=0.2)


def test_fewer_than_two_seeds_have_no_error():
    ratings = rate(played(3, blocks=1), 4, 0)
    assert ratings.blocks == 1
    assert set(ratings.error) == {None}
    assert any(ratings.elo)
    none = rate([], 3, 1)
    assert (none.elo, none.error, none.blocks) == ((None, 0.0, None), (None,) * 3, 0)


def test_a_bot_on_one_seed_has_no_error_though_others_have():
    matches = [*played(4, bots=3, blocks=10), rated(0, (3, 0), (1, 2)), rated(0, (0, 3), (1, 2))]
    ratings = rate(matches, 4, 0)
    assert ratings.error[3] is None
    assert ratings.error[1] > 0
    assert ratings.seeds == (10, 10, 10, 1)


def beats(winner, loser, blocks=6):
    return [rated(b, (winner, loser), (1, 2)) for b in range(blocks)]


def evens(a, b, blocks=6):
    return [rated(k, pair, (1, 2)) for k in range(blocks) for pair in ((a, b), (b, a))]


def takes_turns(a, b, blocks=6):
    return [rated(k, pair, (1, 2)) for k in range(blocks) for pair in [(a, b) if k % 2 else (b, a)]]


def test_separation_is_told_and_does_not_blow_up():
    matches = takes_turns(0, 1) + beats(2, 0) + beats(1, 3) + takes_turns(4, 5)
    ratings = rate(matches, 6, 0)
    assert ratings.bounds == (
        Bound.NONE,
        Bound.NONE,
        Bound.AT_LEAST,
        Bound.AT_MOST,
        Bound.APART,
        Bound.APART,
    )
    assert all(isfinite(elo) for elo in ratings.elo)
    assert ratings.elo[2] > 200 > -200 > ratings.elo[3]
    assert [error is None for error in ratings.error] == [False, False, True, True, True, True]
    assert ratings.between(4, 5)[1] is not None
    assert ratings.between(2, 3)[1] is None


@pytest.mark.parametrize("prior", [0, -1])
def test_without_a_prior_there_is_no_fit(prior):
    with pytest.raises(ValueError, match="prior above 0"):
        rate(played(5), 4, 0, prior=prior)


def test_a_seed_that_alone_holds_the_bots_together_leaves_errors_as_the_prior_holds_them_too():
    matches = (
        evens(0, 1)
        + evens(2, 3)
        + [rated(2, order, (1, 2)) for order in ((0, 2), (2, 1), (2, 1), (3, 0))]
    )
    assert None not in rate(matches, 4, 0).error


@pytest.mark.parametrize("anchor", [-1, 3])
def test_an_anchor_out_of_range(anchor):
    with pytest.raises(ValueError, match="anchor"):
        rate([], 3, anchor)


def test_t_quantile():
    assert half_width(1.0, 2) == pytest.approx(12.706204736174694)
    assert half_width(1.0, 40) == pytest.approx(2.0226909117347285)
    assert half_width(1.0, 1) is None
