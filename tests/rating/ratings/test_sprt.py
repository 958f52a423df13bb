"""The sequential test: published vectors, properties, and that it errs as seldom as it
says on tables of two to five seats.
"""

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import inf, isfinite, log, sinh, sqrt
from pathlib import Path
from statistics import NormalDist
from unittest.mock import patch

import numpy as np
import pytest
from bayeselo import bayeselo_llr, bayeselo_of_draws, bayeselo_shares
from hypothesis import example, given, settings
from hypothesis import strategies as st
from in_targets import in_long
from made_results import rated
from simulated import World, between, sequential_tests, strength_for
from wording import pattern

from khiva_arena.common.result import Model
from khiva_arena.errors import ConfigError
from khiva_arena.rating.ratings import sprt
from khiva_arena.rating.ratings.elo import half_width
from khiva_arena.rating.ratings.likelihood import (
    arrays,
    elo_of,
    likeliest_with_mean,
    likeliest_with_t,
    llr_of_scores,
    moments,
    score_of,
)
from khiva_arena.rating.ratings.sprt import (
    NELO_PER_T,
    SequentialTest,
    SprtDecision,
    block_scores,
    llr,
)
from khiva_arena.rating.ratings.stopping import BlockScores, after_stop, chance_of_worse

HERE = Path(__file__).parent
VECTORS = json.loads((HERE / "sprt_vectors.json").read_text())
FISHTEST = json.loads((HERE / "fishtest_stat_util.json").read_text())["rows"]
ERROR_BARS = json.loads((HERE / "elo_errorbar_vectors.json").read_text())


def histogram(counts):
    """Counts from all lost to all won, of one match a block or of a pair of matches."""
    return {Fraction(i, len(counts) - 1): count for i, count in enumerate(counts)}


def counts_of(row):
    return row.get("penta") or [row["losses"], row["draws"], row["wins"]]


def value_of(row):
    counts = counts_of(row)
    if row["model"] == "bayeselo_scaled_jeffreys":
        return bayeselo_llr(row["wins"], row["draws"], row["losses"], row["elo0"], row["elo1"])
    if row["model"] == "bayesian":
        draws = bayeselo_of_draws(row["wins"], row["draws"], row["losses"])
        shares = (bayeselo_shares(elo, draws) for elo in (row["elo0"], row["elo1"]))
        return llr_of_scores(histogram(counts), *(win + draw / 2 for win, draw, _ in shares))
    return llr(
        histogram(counts),
        between(row["elo0"], row["elo1"], model=Model(row["model"])),
        len(counts) // 2,
    )


@pytest.mark.parametrize(
    "row", VECTORS, ids=lambda row: f"{row['kind']} {row['model']} {row['expected_llr']}"
)
def test_published_likelihood_ratios(row):
    found = value_of(row)
    assert found == pytest.approx(row["own_llr"], abs=5.1e-5)
    # Where every match was won fastchess stops its search early, at shares that are
    # right to 1e-4; all others to 2 decimals.
    all_won = counts_of(row)[:-1] == [0] * (len(counts_of(row)) - 1)
    assert found == pytest.approx(
        row["expected_llr"], **({"rel": 3e-4} if all_won else {"abs": 0.005})
    )
    if "bounds" in row:
        assert between(0, 10, row["alpha"], row["beta"]).bounds == pytest.approx(
            row["bounds"], abs=0.005
        )


@pytest.mark.parametrize("row", FISHTEST, ids=lambda row: f"{row['model']} {row['elo0']}")
def test_fishtest_likelihood_ratios_and_estimates_after_the_stop(row):
    assert value_of(row) == pytest.approx(row["fishtest_llr"], abs=1e-6)
    values, counts = np.arange(5) / 4, np.array(row["penta"], dtype=float)
    mean = counts @ values / counts.sum()
    variance = counts @ (values - mean) ** 2 / counts.sum()
    if row["model"] == "logistic":
        ends = score_of(row["elo0"]), score_of(row["elo1"])
    else:
        ends = tuple(
            0.5 + elo / NELO_PER_T * sqrt(2 * variance) for elo in (row["elo0"], row["elo1"])
        )
    middle, low, high, los = after_stop(
        BlockScores(counts.sum(), mean, variance), ends, between(0, 1).bounds
    )
    assert elo_of(middle) == pytest.approx(row["elo"], abs=1e-5)
    assert [elo_of(low), elo_of(high)] == pytest.approx(row["ci"], abs=1e-4)
    assert los == pytest.approx(row["los"], abs=2e-6)


@pytest.mark.parametrize("row", ERROR_BARS, ids=lambda row: row["name"])
def test_published_elo_and_normalised_elo(row, monkeypatch):
    monkeypatch.setattr(sprt, "FEWEST_BLOCKS", 10**6)
    counts, games = row["counts_low_to_high"], row["games_per_block"]
    test = SequentialTest(between(0, 1), games)
    for value, count in histogram(counts).items():
        test._counts[value] = count
    test.blocks = blocks = sum(counts)
    report = test.report()
    assert report.score.value == pytest.approx(row["own"]["score"], abs=1e-5)
    # The vectors' own figures count a value that was not seen as a thousandth, which
    # WDL3 has
    assert report.elo.value == pytest.approx(row["own"]["elo"], abs=3e-3 if 0 in counts else 1e-5)
    assert report.nelo.value == pytest.approx(row["own"]["nelo"], abs=3e-3 if 0 in counts else 1e-5)
    # Published errors are 1.96 sd / sqrt(B); ours t sd / sqrt(B - 1)
    smaller = NormalDist().inv_cdf(0.975) / half_width(1.0, blocks) * sqrt((blocks - 1) / blocks)
    ends = [
        report.score.value + smaller * (end - report.score.value)
        for end in (report.score.low, report.score.high)
    ]
    assert (elo_of(ends[1]) - elo_of(ends[0])) / 2 == pytest.approx(
        row["own"]["err"], abs=3e-3 if 0 in counts else 1e-4
    )
    published = row["expected"]
    assert report.nelo.value == pytest.approx(published["nelo"], abs=0.01)
    if "elo" in published:
        assert report.elo.value == pytest.approx(published["elo"], abs=0.01)
    # The published error of normalised Elo takes the spread as known, which holds near
    # 0 and for results that are not lopsided
    if abs(published["nelo"]) < 25:
        assert smaller * (report.nelo.high - report.nelo.low) / 2 == pytest.approx(
            published["nerr"], rel=0.03
        )


@cache
def walked(drift, variance, time, bounds, first):
    """Return where many walks of small steps end, which of them go on, and which met
    the lower end.

    An end is met sooner by 0.5826 sd of a step than a walk sees it (Siegmund).
    """
    rng = np.random.default_rng(3)
    steps, walks = 1500, 4000
    sd = sqrt(variance * time / steps)
    place, alive, worse = np.zeros(walks), np.ones(walks, dtype=bool), np.zeros(walks, dtype=bool)
    for step in range(1, steps + 1):
        place += np.where(alive, drift * time / steps + sd * rng.normal(size=walks), 0)
        if step * time / steps >= first:
            low, high = (
                alive & (place <= bounds[0] + 0.5826 * sd),
                alive & (place >= bounds[1] - 0.5826 * sd),
            )
            worse |= low
            alive &= ~(low | high)
    return place, alive, worse


def chance_by_walk(drift, variance, time, at, bounds, first):
    """The same by many small steps."""
    place, alive, worse = walked(drift, variance, time, bounds, first)
    return float((worse | (alive & (place <= at))).mean())


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 30])
@pytest.mark.parametrize(
    ("drift", "variance"), [(0.01, 0.02), (-0.02, 0.02), (0.03, 0.01), (0.0, 0.1)]
)
def test_chance_of_a_worse_outcome_is_that_of_a_walk(drift, variance, first):
    bounds = (-1.0, 1.5)
    for at in (-0.5, 0.6, 1.5):
        exact = chance_of_worse(drift, variance, 60, at, bounds, first)
        assert exact == pytest.approx(
            chance_by_walk(drift, variance, 60, at, bounds, first), abs=0.03
        )  # 4 sd of the walks


def test_chance_of_a_worse_outcome_stays_a_chance_and_falls_with_the_drift():
    drifts = np.linspace(-50, 50, 201)
    for first in (0, 32):
        chances = [chance_of_worse(drift, 0.02, 100, 0.5, (-2.94, 2.94), first) for drift in drifts]
        assert all(0 <= chance <= 1 for chance in chances)
        assert all(a >= b - 1e-9 for a, b in pairwise(chances))
        assert (chances[0], chances[-1]) == pytest.approx((1, 0))


def test_bounds_are_walds():
    assert between(0, 5).bounds == pytest.approx((-log(19), log(19)))


@pytest.mark.parametrize(
    ("given_as", "says"),
    [
        ({"elo0": 5, "elo1": 5}, pattern("ratings", "h-s-must-lower")),
        ({"elo0": 5, "elo1": 0}, pattern("ratings", "h-s-must-lower")),
        ({"elo0": 0, "elo1": inf}, "-1000 to 1000"),
        ({"elo0": 0, "elo1": 5, "alpha": 0}, "alpha"),
        ({"elo0": 0, "elo1": 5, "beta": 0.5}, "beta"),
    ],
)
def test_hypotheses_that_make_no_sense(given_as, says):
    with pytest.raises(ConfigError, match=says):
        between(**given_as)
    with pytest.raises(ConfigError) as both:
        between(5, 0, alpha=7, beta=-1)
    assert len(both.value.problems) == 3


def test_normalised_bounds_that_no_block_can_show():
    SequentialTest(between(-80, 80, model=Model.NORMALIZED), 5)
    with pytest.raises(ConfigError, match="at most 27"):
        SequentialTest(between(0, 80, model=Model.NORMALIZED), 60)


scores = st.lists(st.fractions(0, 1, max_denominator=40), min_size=1, max_size=60)
models = st.sampled_from(list(Model))


@settings(max_examples=40)
@given(scores, models, st.floats(-60, 40), st.floats(1, 50))
def test_any_scores_have_a_ratio_and_more_of_them_reach_a_decision(some, model, elo0, more):
    test = SequentialTest(between(elo0, elo0 + more, model=model), 4)
    with patch.object(sprt, "FEWEST_BLOCKS", len(some) + 1):
        for score in some:
            assert test.add(score) is SprtDecision.NONE
        report = test.report()
    assert isfinite(test.llr())
    assert sum(count for _, count in report.histogram) == report.blocks == len(some)
    if report.score:
        assert 0 <= report.score.low <= report.score.value <= report.score.high <= 1


@example(
    [Fraction(1, 10), Fraction(9, 20), Fraction(51, 100)], Model.NORMALIZED
)  # all between one hypothesis and an end
@settings(max_examples=40)
@given(scores, models)
def test_a_mirrored_candidate_has_the_mirrored_ratio(some, model):
    one = SequentialTest(between(-10, 30, model=model), 3)
    other = SequentialTest(between(-30, 10, model=model), 3)
    with patch.object(sprt, "FEWEST_BLOCKS", 10**6):
        for score in some:
            one.add(score)
            other.add(1 - score)
    assert one.llr() == pytest.approx(-other.llr(), abs=1e-6)


@settings(max_examples=60)
@given(scores, st.floats(-0.6, 0.6), st.floats(0.1, 0.9))
def test_the_likeliest_distributions_are_distributions_with_what_was_sought(some, t, mean):
    values, counts = arrays({**dict.fromkeys((Fraction(0), Fraction(1)), 0), **Counter(some)})
    p = counts / counts.sum()
    for found, what, sought in (
        (likeliest_with_mean(values, p, mean), lambda q: moments(values, q)[0], mean),
        (
            likeliest_with_t(values, p, t),
            lambda q: (moments(values, q)[0] - 0.5) / moments(values, q)[1],
            t,
        ),
    ):
        assert (found > 0).all()
        assert found.sum() == pytest.approx(1, abs=1e-8)
        assert what(found) == pytest.approx(sought, abs=1e-7)


@pytest.mark.slow
@given(scores)
def test_the_likeliest_mean_is_at_least_as_likely_as_any_other(some):
    """The ratio of the observed mean to any other is not below 0."""
    counts = {**dict.fromkeys((Fraction(0), Fraction(1)), 1), **Counter(some)}
    mean = float(sum(value * count for value, count in counts.items()) / sum(counts.values()))
    for other in (0.2, 0.5, 0.9):
        assert llr_of_scores(counts, other, mean) >= -1e-9


def test_the_decision_is_the_first_bound_met_and_stays():
    test = SequentialTest(between(0, 50), 2)
    decisions = [test.add(Fraction(3, 4) if i % 3 else Fraction(1, 2)) for i in range(60)]
    at = decisions.index(SprtDecision.H1) + 1
    assert at >= 32
    assert test.blocks == at
    before = test.report()
    for _ in range(50):
        assert test.add(Fraction(0)) is SprtDecision.H1
    assert test.report() == before
    assert before.llr >= before.bounds[1]


def test_no_report_says_more_than_it_knows():
    test = SequentialTest(between(0, 50), 2)
    empty = test.report()
    assert (empty.llr, empty.score, empty.elo, empty.nelo, empty.adjusted, empty.los) == (None,) * 6
    test.add(Fraction(1, 2))
    assert test.report().llr is not None
    assert test.report().score is None
    for _ in range(31):
        test.add(Fraction(1, 2))
    same = test.report()
    assert (same.score.value, same.nelo, same.adjusted, same.los) == (0.5, None, None, None)
    assert (
        same.score.low < 0.4 < 0.6 < same.score.high
    )  # as of 32 matches, not as if it were certain


@pytest.mark.parametrize(
    ("won", "odd"),
    [(31, Fraction(1, 2)), (31, Fraction(0)), (62, Fraction(3, 4)), (31, Fraction(99, 100))],
)
def test_normalised_elo_is_above_0_where_elo_is(won, odd):
    """Of a candidate that won all seeds but one, and of one that lost so many."""
    for all_of, one_of, sign in ((Fraction(1), odd, 1), (Fraction(0), 1 - odd, -1)):
        test = SequentialTest(between(0, 50), 2)
        test._counts[all_of], test._counts[one_of] = won, 1
        test.blocks = won + 1
        report = test.report()
        for estimate in (report.elo, report.nelo):
            assert min(sign * estimate.low, sign * estimate.high) > 0
            assert estimate.low < estimate.value < estimate.high or sign * estimate.value == inf


@pytest.mark.parametrize(("won", "of"), [(16, 32), (28, 32), (39, 40), (195, 200)])
def test_the_interval_of_normalised_elo_is_that_of_the_log_odds_where_seeds_are_won_or_lost_whole(
    won, of
):
    test = SequentialTest(between(0, 50), 1)
    test._counts[Fraction(1)], test._counts[Fraction(0)] = won, of - won
    test.blocks = of
    odds = log(won / (of - won))
    error = half_width(sqrt(1 / won + 1 / (of - won)), of) * sqrt(of / (of - 1))
    nelo = test.report().nelo
    for found, end in ((nelo.value, odds), (nelo.low, odds - error), (nelo.high, odds + error)):
        assert found == pytest.approx(NELO_PER_T * sinh(end / 2), abs=1e-9)


def test_one_odd_seed_among_equal_ones_has_no_estimate_after_the_stop():
    """It is all of the variance, and the LLR is no Brownian motion. An interval would
    leave out what the mean is nearest to.
    """
    test = SequentialTest(between(0, 24.4), 3)
    for score in (*[Fraction(1, 2)] * 40, Fraction(1, 3)):
        test.add(score)
    report = test.report()
    assert (report.decision, report.blocks) == (SprtDecision.H0, 41)
    assert report.elo.low < 0 < report.elo.high
    assert (report.adjusted, report.los) == (None, None)


@pytest.mark.slow
def test_estimates_that_are_given_hold_where_nearly_all_seeds_end_alike():
    world = World("luck decides", luck=4.0, noise=0.05)
    reports = list(
        sequential_tests(np.random.default_rng([7, 3]), world, 3, 0.0, between(0, 24.4), 150)
    )
    given = [report.adjusted for report in reports if report.adjusted]
    assert 20 < len(given) < 75  # many end without a single odd seed
    assert np.mean([one.low <= 0 <= one.high for one in given]) >= 0.95
    lucky = list(sequential_tests(np.random.default_rng(1), LUCKY, 3, 0.0, between(0, 40), 60))
    assert all(report.adjusted for report in lucky)  # ordinary tests lose nothing


@pytest.mark.parametrize(
    "shift", [Fraction(-1, 3), Fraction(-1, 4), Fraction(1, 4), Fraction(1, 3)]
)
def test_a_test_that_ends_at_its_first_look_has_about_the_plain_interval(shift):
    """There was no choice of when to stop, so there is nothing to adjust for, however
    far beyond the bound the ratio is.
    """
    test = SequentialTest(between(0, 40), 3)
    for i in range(32):
        test.add(Fraction(1, 2) + shift + Fraction(i % 4 - 2, 12))
    report = test.report()
    assert report.decision is (SprtDecision.H1 if shift > 0 else SprtDecision.H0)
    assert report.adjusted.value == pytest.approx(report.elo.value, abs=0.01)
    wide = report.elo.high - report.elo.low
    assert report.adjusted.low == pytest.approx(report.elo.low, abs=0.1 * wide)
    assert report.adjusted.high == pytest.approx(report.elo.high, abs=0.1 * wide)


def test_two_that_always_split_a_seed_end_with_h0_and_a_winner_with_h1():
    for score, says in (
        (Fraction(1, 2), SprtDecision.H0),
        (Fraction(1), SprtDecision.H1),
        (Fraction(0), SprtDecision.H0),
    ):
        for model in Model:
            test = SequentialTest(between(0, 40, model=model), 2)
            assert any(test.add(score) for _ in range(300))
            assert test.decision is says


@pytest.mark.parametrize("score", [Fraction(-1, 9), Fraction(10, 9)])
def test_a_score_out_of_range(score):
    with pytest.raises(ValueError, match="between 0 and 1"):
        SequentialTest(between(0, 5), 2).add(score)


def test_block_scores_are_the_candidates_mean_over_all_pairs_that_count():
    matches = [
        rated("b", (0, 1, 2), (1, 2, 3)),
        rated("a", (1, 0, 2), (1, 1, 3)),
        rated("b", (1, 2, 0), (1, 1, 3)),
        rated("a", (1, 1, 0), (3, 1, 2)),
        rated("c", (0, 0, 2), (1, 3, 2)),
        rated("d", (0, 1, 2), (1, 2, 3), unstarted=(2,)),
        rated("e", (1, 2), (1, 2)),
    ]
    found = block_scores(matches, 0)
    assert found == {
        "b": Fraction(1, 2),
        "a": Fraction(5, 8),
        "c": Fraction(1, 2),
        "d": Fraction(1),
    }
    assert list(found) == ["b", "a", "c", "d"]


HARD = World("near-deterministic and lucky", luck=1.0, suits=0.7, noise=0.05, step=0.5)
LUCKY = World("lucky", luck=2.0)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize(
    ("seats", "world"),
    [(3, LUCKY), *in_long([(2, HARD), (4, HARD), (5, LUCKY)])],
)
def test_it_errs_as_seldom_as_it_says(seats, world):
    """100 tests each of an equal candidate and of one at elo1, a third of a block's
    standard deviation above. If 5 % err, more than 12 do once in 1,500 tries; the long
    form is ``python -m tests.tools coverage``.
    """
    rng = np.random.default_rng([20261120, seats])
    strength, elo1 = strength_for(world, seats, 0.35)
    for true, error in ((0.0, SprtDecision.H1), (strength, SprtDecision.H0)):
        ended = Counter(
            report.decision
            for report in sequential_tests(rng, world, seats, true, between(0, elo1), 100)
        )
        assert ended[SprtDecision.NONE] == 0
        assert ended[error] <= 12


@pytest.mark.slow
def test_estimates_allow_for_the_stop():
    """A candidate in the middle between the hypotheses. The adjusted estimate is above
    the truth about half of the time and its interval holds; the plain one is beyond
    what is true on the side that the test decided for.
    """
    hypotheses = between(0, strength_for(LUCKY, 3, 0.4)[1])
    strength, elo = strength_for(LUCKY, 3, 0.2)
    reports = list(sequential_tests(np.random.default_rng(5), LUCKY, 3, strength, hypotheses, 100))
    held = sum(report.adjusted.low <= elo <= report.adjusted.high for report in reports)
    above = sum(report.adjusted.value > elo for report in reports)
    assert held >= 88  # of 100 with 95 %: 1 in 500
    assert abs(above - 50) <= 20
    passed = [report.elo.value for report in reports if report.decision is SprtDecision.H1]
    failed = [report.elo.value for report in reports if report.decision is SprtDecision.H0]
    assert np.mean(passed) > elo > np.mean(failed)
