"""Seat and neighbour effects and several anchors: against statsmodels and plain
algebra, and where there is nothing to say.
"""

import random
from itertools import combinations
from math import hypot, sqrt

import numpy as np
import pytest
from made_results import rated
from rating_oracle import BOTH_SIZES, C, oracle, played
from sandwich import KINDS, covariance_of

from khiva_arena.rating.ratings.connections import Bound
from khiva_arena.rating.ratings.effects import EffectsToFit
from khiva_arena.rating.ratings.elo import rate
from khiva_arena.rating.ratings.match_arrays import tables_of
from khiva_arena.rating.ratings.pairs import pair_cells
from khiva_arena.rating.ratings.rows import by_block, expected_score, normal, rows_of_tables

BOTH = EffectsToFit(seats=True, neighbours=True)


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "prior"), list(zip(BOTH_SIZES, (1.0, 1.0, 0.01), strict=True)))
def test_effects_as_statsmodels(sizes, prior):
    pytest.importorskip("statsmodels")
    matches = played(1, sizes, seat=0.6, gift=0.8, blocks=30)
    names, numbers, variances = oracle(matches, 7, 2, prior)
    ratings = rate(matches, 7, 2, prior, effects=BOTH)
    assert [(e.seats, e.seat, e.bot) for e in ratings.effects] == names
    assert [*ratings.elo, *(e.elo for e in ratings.effects)] == pytest.approx(numbers, abs=1e-7)
    errors = [*ratings.se, *(e.se for e in ratings.effects)]
    assert errors == pytest.approx(np.sqrt(np.maximum(0, np.diag(variances["cr3"]))), abs=1e-7)
    for kind in KINDS:
        covariance, of_effects = covariance_of(kind, matches, 7, 2, prior, effects=BOTH)
        squares = np.maximum(0, [*np.diag(covariance), *of_effects])
        assert np.sqrt(squares)[[k for k in range(len(squares)) if k != 2]] == pytest.approx(
            np.sqrt(np.maximum(0, np.delete(np.diag(variances[kind]), 2))), abs=1e-7
        )
        np.testing.assert_allclose(covariance, variances[kind][:7, :7], atol=1e-5)
    np.testing.assert_allclose(ratings.covariance, variances["cr3"][:7, :7], atol=1e-5)


def test_effects_are_found_and_sum_to_zero():
    matches = played(2, (4,), blocks=80, seat=1.0, gift=1.0, line_ups=3)
    ratings = rate(matches, 7, 0, effects=BOTH)
    seats, neighbours = ratings.effects[:4], ratings.effects[4:]
    for family in (seats, neighbours):
        assert sum(e.elo for e in family) == pytest.approx(0, abs=1e-8)
    assert seats[0].elo - seats[0].error > 0
    assert neighbours[1].elo - neighbours[1].error > 0
    assert all(e.elo + e.error < 0 for e in seats[1:])
    assert {e.blocks for e in seats} == {80}


def test_information_of_blocks_adds_up_to_that_of_all_rows():
    rows, _ = rows_of_tables(list(tables_of(played(4))), 7, seats=True, neighbours=True)
    parameters = np.random.default_rng(1).normal(size=rows.width)
    p = expected_score(rows.difference(parameters))
    total = np.zeros((rows.width, rows.width))
    for _, columns, _, information in by_block(rows, parameters):
        assert (information == information.transpose(0, 2, 1)).all()
        np.add.at(total, (columns[:, :, None], columns[:, None, :]), information)
    np.testing.assert_allclose(total, normal(rows, rows.weight * p * (1 - p)), atol=1e-12)


def test_one_sort_of_effects_alone():
    matches = played(3)
    assert {
        (e.seats is None, e.bot is None)
        for e in rate(matches, 7, 0, effects=EffectsToFit(seats=True)).effects
    } == {(False, True)}
    assert [
        e.bot for e in rate(matches, 7, 0, effects=EffectsToFit(neighbours=True)).effects
    ] == list(range(7))
    assert rate(matches, 7, 0, effects=EffectsToFit()).elo == rate(matches, 7, 0).elo


def test_intervals_of_effects_hold_95_percent_of_the_time():
    """Equal bots, no effects in truth; the luck of seats is shared by a seed's matches.
    300 x 8 intervals.
    """
    held = total = 0
    for trial in range(60):
        rng = random.Random(trial)
        matches = []
        for block in range(20):
            luck = [rng.gauss(0, 1) for _ in range(4)]
            for _ in range(2):
                line_up = rng.sample(range(5), 4)
                for r in range(4):
                    order = tuple(line_up[(i + r) % 4] for i in range(4))
                    points = [luck[i] + rng.gauss(0, 1) for i in range(4)]
                    matches.append(
                        rated(block, order, tuple(1 + sum(o > p for o in points) for p in points))
                    )
        for effect in rate(matches, 5, 0, effects=BOTH).effects:
            held += abs(effect.elo) <= effect.error
            total += 1
    assert total == 540
    assert (
        0.91 <= held / total <= 0.985
    )  # effects of one fit depend on each other: some 300 independent ones, 3.2 errors each side


def test_where_the_neighbour_is_the_opponent_there_is_no_neighbour_effect():
    matches = played(4, (2,))
    plain, with_effects = rate(matches, 7, 0), rate(matches, 7, 0, effects=BOTH)
    assert [e.elo for e in with_effects.effects if e.bot is not None] == [None] * 7
    assert [e.elo is None for e in with_effects.effects if e.seats] == [False, False]
    only = rate(matches, 7, 0, effects=EffectsToFit(neighbours=True))
    assert only.elo == pytest.approx(plain.elo, abs=1e-7)
    assert only.error == pytest.approx(plain.error, abs=1e-7)


def test_a_seat_that_is_always_the_same_bots_is_not_told_from_it():
    matches = [
        rated(b, (0, 1, 2), random.Random(b).choice([(1, 2, 3), (2, 1, 3), (3, 2, 1), (2, 3, 1)]))
        for b in range(30)
    ]
    ratings = rate(matches, 3, 0, effects=BOTH)
    assert {e.elo for e in ratings.effects} == {None}
    assert ratings.elo == pytest.approx(rate(matches, 3, 0).elo, abs=1e-7)


def test_a_bot_that_was_never_a_neighbour_has_no_effect_and_the_others_sum_to_zero():
    matches = played(5, (3,), bots=5)
    ratings = rate(matches, 6, 0, effects=BOTH)
    found = [e.elo for e in ratings.effects if e.bot is not None]
    assert found[5] is None
    assert sum(found[:5]) == pytest.approx(0, abs=1e-8)
    assert ratings.elo[5] is None


def test_an_effect_without_end_is_no_number():
    """Whoever sits first always wins: any finite number for that seat is the
    prior's.
    """
    rng = random.Random(6)
    matches = []
    for block in range(40):
        order = tuple(rng.sample(range(4), 3))
        ranks = (1, *rng.choice([(2, 3), (3, 2)]))
        matches.append(rated(block, order, ranks))
    ratings = rate(matches, 4, 0, effects=EffectsToFit(seats=True))
    assert ratings.effects[0].elo is None
    assert all(bound is Bound.NONE for bound in ratings.bounds)
    assert None not in ratings.error


def test_a_bot_whose_wins_may_all_be_its_seat_s_is_compared_with_none():
    """Bot 3 loses all at tables of two, and wins all at tables of three, where only it
    ever sits first: a seat worth ever more and a bot ever weaker explain that ever
    better.
    """
    rng = random.Random(7)
    matches = [
        rated(b, tuple(rng.sample(range(3), 2)), rng.choice([(1, 2), (2, 1)])) for b in range(60)
    ]
    matches += [rated(b, (b % 3, 3), (1, 2)) for b in range(0, 60, 2)]
    matches += [rated(b, (3, b % 3), (2, 1)) for b in range(1, 60, 2)]
    matches += [
        rated(b, (3, *rng.sample(range(3), 2)), (1, *rng.choice([(2, 3), (3, 2)])))
        for b in range(60)
    ]
    plain, ratings = rate(matches, 4, 0), rate(matches, 4, 0, effects=EffectsToFit(seats=True))
    assert plain.bounds == (Bound.NONE,) * 4
    assert ratings.bounds == (Bound.NONE, Bound.NONE, Bound.NONE, Bound.APART)
    assert ratings.components == ((0, 1, 2), (3,))
    assert ratings.error[3] is None
    assert ratings.between(1, 3)[1] is None
    assert None not in ratings.error[:3]
    assert [e.elo is None for e in ratings.effects] == [False, False, True, True, True]


def test_copies_and_failed_starts_as_without_effects():
    """They leave out the same pairs: with every effect far from telling anything the
    numbers are those of the plain fit.
    """
    matches = [rated(m.block, (*m.bots, m.bots[0]), (*m.ranks, 9)) for m in played(8)]
    matches += [rated(50 + b, (0, 1, 2), (1, 2, 3), (2,)) for b in range(5)]
    ratings = rate(matches, 7, 0, effects=EffectsToFit(seats=True))
    assert ratings.score == rate(matches, 7, 0).score
    assert ratings.seeds == rate(matches, 7, 0).seeds
    only_copies = [rated(90 + b, (b, b, b), (1, 2, 3)) for b in range(4)]
    assert rate(matches + only_copies, 7, 0, effects=BOTH).elo == pytest.approx(
        rate(matches, 7, 0, effects=BOTH).elo, abs=1e-8
    )


def test_order_and_form_of_the_matches_do_not_matter():
    matches = played(9)
    shuffled = [
        rated(str(m.block), m.bots, m.ranks) for m in random.Random(1).sample(matches, len(matches))
    ]
    first = rate(matches, 7, 0, effects=BOTH)
    for other in (shuffled, iter(matches)):
        again = rate(other, 7, 0, effects=BOTH)
        assert again.elo == pytest.approx(first.elo, abs=1e-8)
        assert again.error == pytest.approx(first.error, abs=1e-8)
        assert [e.elo for e in again.effects] == pytest.approx(
            [e.elo for e in first.effects], abs=1e-8
        )


@pytest.mark.parametrize("effects", [None, BOTH])
def test_no_matches_and_one_seed(effects):
    assert rate([], 3, 0, effects=effects, anchors={0: 100.0}).elo == (100.0, None, None)
    ratings = rate(played(1, blocks=1), 7, 0, effects=effects, anchors={0: 100.0})
    assert set(ratings.error) == {None}
    assert {e.error for e in ratings.effects} <= {None}


def test_what_cannot_be_combined_is_refused():
    matches = played(1)
    with pytest.raises(ValueError, match="matches themselves"):
        rate(pair_cells(matches, 7), 7, 0, effects=BOTH)
    with pytest.raises(ValueError, match="prior above 0"):
        rate(matches, 7, 0, prior=0, effects=BOTH)
    for anchors, sds in (
        ({1: 5.0}, {}),
        ({0: 0.0, 9: 1.0}, {}),
        ({0: 0.0}, {1: 2.0}),
        ({0: 0.0, 1: 20_000.0}, {}),
        ({0: 0.0}, {0: -1.0}),
    ):
        with pytest.raises(ValueError, match="anchor"):
            rate(matches, 7, 0, anchors=anchors, anchor_sds=sds)


@pytest.mark.parametrize("sd", [0.0, 40.0])
def test_one_anchor_with_a_number_is_the_plain_fit_shifted(sd):
    matches = played(10)
    plain, given = rate(matches, 7, 2), rate(matches, 7, 2, anchors={2: 1500.0}, anchor_sds={2: sd})
    assert given.elo == pytest.approx([elo + 1500 for elo in plain.elo], abs=1e-7)
    assert given.se == pytest.approx([hypot(se, sd) for se in plain.se], abs=1e-7)
    for i, j in combinations(range(7), 2):
        assert given.between(i, j) == pytest.approx(plain.between(i, j), abs=1e-6)
    assert given.pool_se == pytest.approx(plain.pool_se, abs=1e-7)
    assert given.anchors == ()
    at_0 = rate(matches, 7, 2, anchor_sds={2: sd})
    assert at_0.elo == pytest.approx(plain.elo, abs=1e-7)
    assert at_0.se == pytest.approx(given.se, abs=1e-7)


def test_exact_anchors_are_held_and_the_others_solve_their_equations():
    matches, anchors = played(11), {1: 900.0, 4: 1200.0, 6: 1100.0}
    ratings = rate(matches, 7, 4, prior=1e-7, anchors=anchors)
    for bot, number in anchors.items():
        assert (ratings.elo[bot], ratings.error[bot], ratings.se[bot]) == (number, 0, 0)
    assert np.abs(ratings.covariance[[1, 4, 6]]).max() == 0
    cells = pair_cells(matches, 7)
    t = np.array(ratings.elo) / C
    rest = cells.score - cells.weight * expected_score(t[cells.low] - t[cells.high])
    slope = np.bincount(cells.low, rest, 7) - np.bincount(cells.high, rest, 7)
    assert np.abs(slope[[0, 2, 3, 5]]).max() < 1e-6
    assert np.abs(slope[[1, 4, 6]]).max() > 0.1


def test_loose_anchors_meet_the_results_half_way():
    """Two bots, two anchors with equal deviations: by hand, with the prior draws out of
    the way.
    """
    matches = [rated(b, (0, 1), (1, 2) if b % 4 else (2, 1)) for b in range(40)]
    ratings = rate(
        matches, 2, 0, prior=1e-9, anchors={0: 100.0, 1: 100.0}, anchor_sds={0: 60.0, 1: 60.0}
    )
    d = (ratings.elo[0] - ratings.elo[1]) / C
    assert 30 - 40 / (1 + np.exp(-d)) == pytest.approx(
        d / 2 / (60 / C) ** 2, rel=1e-5
    )  # its score = the pull of two springs
    assert sum(ratings.elo) == pytest.approx(200, abs=1e-6)
    # 1/V of the difference: 40 p(1 - p) of the matches, 1/(2 sd^2) of the anchors, both
    # also in the meat for the model
    p = 1 / (1 + np.exp(-d))
    model, _ = covariance_of(
        "model", matches, 2, 0, prior=1e-9, anchors={0: (100.0, 60.0), 1: (100.0, 60.0)}
    )
    variance = model[0, 0] + model[1, 1] - 2 * model[0, 1]
    assert variance == pytest.approx(1 / (40 * p * (1 - p) / C**2 + 1 / (2 * 60**2)), rel=1e-5)
    assert model.sum() == pytest.approx(2 * 60**2, rel=1e-5)  # of their sum


def test_very_loose_and_very_tight_are_the_ends_of_one_scale():
    matches, anchors = played(12), {0: 0.0, 5: 400.0}
    exact, tight = (
        rate(matches, 7, 0, anchors=anchors),
        rate(matches, 7, 0, anchors=anchors, anchor_sds={0: 0.02, 5: 0.02}),
    )
    assert tight.elo == pytest.approx(exact.elo, abs=1e-3)
    assert tight.se == pytest.approx(exact.se, abs=0.03)
    as_good_as = rate(matches, 7, 0, anchors=anchors, anchor_sds={0: 0.005, 5: 0.005})
    assert as_good_as.se == exact.se
    assert [c.sd for c in as_good_as.anchors] == [0, 0]
    plain = rate(matches, 7, 0)
    loose = rate(matches, 7, 0, anchors=anchors, anchor_sds={5: 1e7})
    assert loose.elo == pytest.approx(plain.elo, abs=1e-3)


def test_the_check_names_an_anchor_that_contradicts_the_others():
    matches = played(13, blocks=60, line_ups=2)
    true = rate(matches, 7, 0).elo
    good = rate(matches, 7, 0, anchors={0: true[0], 3: true[3], 6: true[6]})
    assert [c.z for c in good.anchors] == pytest.approx([0, 0, 0], abs=0.01)
    bad = rate(
        matches, 7, 0, anchors={0: true[0], 3: true[3] + 300, 6: true[6]}, anchor_sds={3: 10.0}
    )
    check = bad.anchors[1]
    assert (check.bot, check.given, check.sd) == (3, true[3] + 300, 10.0)
    alone = rate(matches, 7, 0, anchors={0: true[0], 6: true[6]})
    assert (check.elo, check.se) == pytest.approx((alone.elo[3], alone.se[3]))
    assert check.z == pytest.approx((check.elo - check.given) / sqrt(check.se**2 + 100))
    assert check.z < -4


def test_anchors_join_what_the_results_do_not():
    def takes_turns(a, b, every):
        return [rated(k, (a, b) if k // every % 2 else (b, a), (1, 2)) for k in range(8)]

    matches = takes_turns(0, 1, 1) + takes_turns(2, 3, 2)
    apart, joined = rate(matches, 4, 0), rate(matches, 4, 0, 1e-6, anchors={0: 0.0, 2: 500.0})
    assert apart.bounds[3] is Bound.APART
    assert apart.components == ((0, 1), (2, 3))
    assert joined.bounds == (Bound.NONE,) * 4
    assert joined.components == ((0, 1, 2, 3),)
    assert joined.elo == pytest.approx((0, 0, 500, 500), abs=1e-3)
    assert [(c.elo, c.z) for c in joined.anchors] == [(None, None)] * 2
    assert joined.between(1, 3)[1] is not None
