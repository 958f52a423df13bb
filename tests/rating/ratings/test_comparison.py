"""The rule that stops a comparison: its intervals, when it decides, and its Elo."""

from collections.abc import Callable
from fractions import Fraction
from math import inf, isinf, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from khiva_arena.common.result import Comparison
from khiva_arena.errors import ConfigError
from khiva_arena.rating.ratings.comparison import (
    ComparisonTest,
    ScoreInterval,
    SeedScores,
    Side,
    at_a_look,
    at_the_end,
    seeds_to_clear,
)
from khiva_arena.rating.ratings.likelihood import elo_of
from khiva_arena.rating.ratings.student import ndtr, stdtrit

RULE = Comparison(0.05, 8)
HALF, WON, LOST = Fraction(1, 2), Fraction(1), Fraction(0)
scores = st.lists(st.sampled_from([Fraction(i, 4) for i in range(5)]), min_size=1, max_size=40)


def comparison(some: list[Fraction], rule: Comparison = RULE, matches: int = 2) -> ComparisonTest:
    test = ComparisonTest(rule, matches)
    for score in some:
        test.add(score)
    return test


def test_the_interval_of_the_end_is_students_at_half_of_the_errors() -> None:
    ends = at_the_end(RULE, SeedScores(20, 0.6, 0.04))
    half = -float(stdtrit(19, 0.0125)) * sqrt(0.04 / 20)
    assert ends == pytest.approx((0.6 - half, 0.6 + half))


def test_the_interval_of_a_look_is_the_mixtures_at_the_other_half() -> None:
    ends = at_a_look(RULE, SeedScores(20, 0.6, 0.04))
    rho = 8 * 3 / 7.8
    z = sqrt((20 + rho) / 20 * log((20 + rho) / (rho * 0.025**2)))
    half = -float(stdtrit(19, float(ndtr(-z)))) * sqrt(0.04 / 20)
    assert ends == pytest.approx((0.6 - half, 0.6 + half))


@pytest.mark.parametrize("score", [Fraction(1), Fraction(3, 4), HALF])
def test_equal_scores_are_bounded_by_how_many_there_are(score: Fraction) -> None:
    """If the mean is p, so many seeds in a row have that score or more with (p /
    score)^seeds at most.
    """
    ends = at_a_look(RULE, comparison([score] * 5).scores)
    assert (ends.low / float(score)) ** 5 == pytest.approx(0.0125)
    assert (
        ((1 - ends.high) / float(1 - score)) ** 5 == pytest.approx(0.0125)
        if score < 1
        else ends.high == 1
    )
    assert at_the_end(RULE, comparison([score] * 5).scores) == ends


@pytest.mark.parametrize(("score", "side"), [(WON, Side.BETTER), (LOST, Side.WORSE)])
def test_one_that_takes_all_points_is_told_after_seven_seeds(score: Fraction, side: Side) -> None:
    assert comparison([score] * 6).decision is Side.NONE
    assert comparison([score] * 7).decision is side
    assert comparison([score] * 7, Comparison(0.025, 8)).decision is Side.NONE


def test_equal_bots_that_repeat_themselves_are_never_told_apart() -> None:
    assert comparison([HALF] * 500).decision is Side.NONE


@pytest.mark.parametrize(("more", "way"), [(20, at_a_look), (0, at_the_end)])
def test_the_interval_shown_is_that_of_the_way_it_stopped(
    more: int, way: Callable[..., ScoreInterval]
) -> None:
    test = comparison(
        [Fraction(3, 4), HALF, WON, Fraction(1, 4), HALF, Fraction(3, 4)] + more * [Fraction(3, 4)]
    )
    assert bool(test.decision) == (more > 0)
    other = at_the_end if way is at_a_look else at_a_look
    assert test.ends() == way(RULE, test.scores) != other(RULE, test.scores)
    assert (test.elo().low, test.elo().high) == pytest.approx(tuple(map(elo_of, test.ends())))


def test_nothing_counts_after_the_decision() -> None:
    test = comparison([WON] * 7)
    before = test.elo()
    assert test.add(LOST) is Side.BETTER
    assert (test.blocks, test.elo()) == (7, before)


@given(scores)
def test_a_look_claims_no_more_than_the_end_would(some: list[Fraction]) -> None:
    of_a_look, of_the_end = (way(RULE, comparison(some).scores) for way in (at_a_look, at_the_end))
    assert of_a_look.low <= of_the_end.low <= of_the_end.high <= of_a_look.high


@given(scores)
def test_mirrored_scores_have_the_mirrored_answer(some: list[Fraction]) -> None:
    one, other = comparison(some), comparison([1 - score for score in some])
    assert {one.decision, other.decision} in ({Side.NONE}, {Side.BETTER, Side.WORSE})
    assert one.elo().value == pytest.approx(-other.elo().value)
    low, high = one.elo()[1:]
    assert (low, high) == pytest.approx((-other.elo().high, -other.elo().low), abs=1e-9)


@given(scores)
def test_the_interval_in_elo_says_the_same_side(some: list[Fraction]) -> None:
    test = comparison(some)
    assert test.ends() == (at_a_look if test.decision else at_the_end)(RULE, test.scores)
    if test.decision:
        assert test.ends().side is test.decision
    elo = test.elo()
    assert (elo.low > 0, elo.high < 0) == (
        test.ends().side is Side.BETTER,
        test.ends().side is Side.WORSE,
    )
    assert elo.low <= elo.value <= elo.high


def test_the_elo_of_two_that_meet_is_that_of_their_score() -> None:
    test = comparison([Fraction(3, 4), HALF, Fraction(3, 4), HALF, WON])
    assert test.elo().value == pytest.approx(elo_of(0.7))


def test_a_record_without_a_lost_point_gives_half_of_a_match_back() -> None:
    elo = comparison([WON] * 5).elo()
    assert elo.value == pytest.approx(elo_of(9.5 / 10))
    assert isinf(elo.high)


def test_bots_with_the_same_results_against_others_are_level() -> None:
    test = ComparisonTest(RULE, 4)
    for score in (WON, HALF, Fraction(1, 4)):
        test.add(score, score)
    assert (test.scores.mean, test.elo().value) == (0.5, 0)


def test_against_others_two_ratings_are_subtracted() -> None:
    test = ComparisonTest(RULE, 4)
    for new, old in (
        (Fraction(3, 4), HALF),
        (WON, HALF),
        (Fraction(3, 4), Fraction(1, 4)),
        (HALF, Fraction(1, 4)),
    ):
        test.add(new, old)
    assert test.scores.mean == pytest.approx(0.5 + (0.75 - 0.375) / 2)
    assert test.elo().value == pytest.approx(elo_of(0.75) - elo_of(0.375))


def test_a_clean_record_against_others_gives_half_of_a_match_back_too() -> None:
    test = ComparisonTest(RULE, 8)
    for old in (HALF, Fraction(1, 4), HALF):
        test.add(WON, old)
    assert test.elo().value == pytest.approx(elo_of(1 - 0.5 / 12) - elo_of(1.25 / 3))
    level = ComparisonTest(RULE, 8)
    level.add(WON, WON)
    assert level.elo().value == 0


@given(
    st.lists(
        st.tuples(*2 * [st.sampled_from([Fraction(i, 4) for i in range(5)])]),
        min_size=1,
        max_size=40,
    )
)
def test_a_difference_against_others_is_a_number_within_its_interval(
    some: list[tuple[Fraction, Fraction]],
) -> None:
    test = ComparisonTest(RULE, 4)
    for new, old in some:
        test.add(new, old)
    elo = test.elo()
    assert elo.low <= elo.value <= elo.high
    assert not isinf(elo.value)
    assert (elo.low > 0) == (test.ends().side is Side.BETTER)
    assert (elo.high < 0) == (test.ends().side is Side.WORSE)


@pytest.mark.parametrize(("mean", "variance"), [(0.6, 0.04), (0.52, 0.1), (0.3, 0.08)])
def test_the_seeds_to_clear_are_the_first_at_which_a_look_is_clear(
    mean: float, variance: float
) -> None:
    seen = SeedScores(5, mean, variance)
    seeds = seeds_to_clear(RULE, seen)
    assert seeds is not None
    assert at_a_look(RULE, seen._replace(seeds=seeds)).side
    assert not at_a_look(RULE, seen._replace(seeds=seeds - 1)).side


def test_no_number_of_seeds_tells_a_difference_of_nothing() -> None:
    assert seeds_to_clear(RULE, SeedScores(5, 0.5, 0.1)) is None
    assert seeds_to_clear(RULE, comparison([HALF] * 9).scores) is None


def test_the_least_difference_told_is_the_width_of_the_end() -> None:
    test = comparison([WON, HALF, HALF, LOST, WON, HALF] * 4)
    half = at_the_end(RULE, test.scores).high - test.scores.mean
    assert test.least_told() == pytest.approx(elo_of(0.5 + half))
    assert comparison([WON, LOST]).least_told() == inf


@pytest.mark.parametrize("rule", [(0.0, 8), (0.5, 8), (0.05, 0)])
def test_a_rule_that_makes_no_sense(rule: tuple[float, int]) -> None:
    with pytest.raises(ConfigError):
        Comparison(*rule)
