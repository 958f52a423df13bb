"""The marks' law: of 100 gradings at most 5 change a rung whose true score is 50 Elo
from the threshold.
"""

import tomllib
from collections.abc import Iterator
from math import inf, log10

import numpy as np
import pytest
from in_targets import long_but

from khiva_arena.common.result import Result
from khiva_arena.extensions.grading import new_ladder
from khiva_arena.extensions.grading.interval import CHANCE_BEYOND, CLEAR_ELO, score_of, seeds_for

GRADINGS = 300
SEEDS = tomllib.loads(new_ladder.SETTINGS)["seeds"]
"""The number of a new ladder."""
THRESHOLDS = (-100, 0, 100)
"""Those for which a new ladder promises it."""
WORLDS = {"lots": 0.0, "alike": 0.25, "swapped": -0.15}
"""How much more (or less) the mean of the two matches of a deal varies than that of
independent ones. Of 120 deals each, naive against random had 0.12, search against
greedy -0.14, greedy against naive -0.01.
"""


def played(rng: np.random.Generator, elo: float, world: float, seeds: int) -> Iterator[Result]:
    """Two matches a deal of a bot that is so much stronger. In a share of the deals the
    second match ends as the first one does, or, in a world below 0, as far from it as
    the score lets it.
    """
    chance = 1 / (1 + 10 ** (-elo / 400))
    draws = rng.random((seeds, 2))
    same = rng.random(seeds) < abs(world)
    draws[same, 1] = draws[same, 0] if world > 0 else 1 - draws[same, 0]
    for seed, wins in enumerate((draws < chance).tolist()):
        for rotation, has_won in enumerate(wins):
            yield Result(
                bots=(0, 1),
                ranks=(1, 2) if has_won else (2, 1),
                seed=seed,
                rotation=rotation,
                block=str(seed),
            )


CASES = [(threshold, SEEDS, world) for threshold in THRESHOLDS for world in WORLDS]
BEYOND = (200, seeds_for(200), "lots")
"""A threshold that a new ladder does not have, with the seeds that `grade` names for
it.
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("threshold", "seeds", "world"),
    long_but([*CASES, BEYOND], [(0, SEEDS, "lots"), (100, SEEDS, "alike")]),
)
def test_a_bot_50_elo_from_the_threshold_gets_the_same_mark_in_95_of_100_gradings(
    threshold: int, seeds: int, world: str
) -> None:
    rng = np.random.default_rng([threshold + 1000, *world.encode()])
    for away in (CLEAR_ELO, -CLEAR_ELO):
        scores = [
            score_of(played(rng, threshold + away, WORLDS[world], seeds), seeds)
            for _ in range(GRADINGS)
        ]
        passes = sum(score.low is not None and score.low > threshold for score in scores)
        assert (GRADINGS - passes if away > 0 else passes) <= 0.05 * GRADINGS
        inside = [
            (one.low or -inf) <= threshold + away <= (inf if one.high is None else one.high)
            for one in scores
        ]
        assert (
            sum(inside) >= 0.91 * GRADINGS
        )  # 95 %, less three standard deviations of so many gradings


def test_a_new_ladder_has_the_seeds_that_its_promise_needs() -> None:
    assert max(map(seeds_for, THRESHOLDS)) <= SEEDS


@pytest.mark.slow
def test_a_tenth_of_the_seeds_would_break_the_promise() -> None:
    rng, few = np.random.default_rng(5), SEEDS // 10
    scores = [score_of(played(rng, CLEAR_ELO, 0.0, few), few) for _ in range(GRADINGS)]
    assert sum(score.low is None or score.low <= 0 for score in scores) > 0.05 * GRADINGS


def results(wins: str) -> list[Result]:
    """Matches of two a deal: w a win of bot 0, l a loss."""
    ranks = {"w": (1, 2), "l": (2, 1)}
    return [
        Result(bots=(0, 1), ranks=ranks[win], seed=n // 2, rotation=n % 2, block=str(n // 2))
        for n, win in enumerate(wins)
    ]


def test_a_bot_that_wins_all_has_a_lower_end_and_no_upper_one() -> None:
    score = score_of(results("w" * 40), 20)
    assert score.score == 1
    assert score.high is None
    share = CHANCE_BEYOND ** (1 / 20)
    assert score.low == pytest.approx(400 * log10(share / (1 - share)))


def test_a_bot_that_loses_all_has_an_upper_end_and_no_lower_one() -> None:
    won, lost = score_of(results("w" * 40), 20), score_of(results("l" * 40), 20)
    assert won.low is not None
    assert (lost.low, lost.high) == (None, pytest.approx(-won.low))


@pytest.mark.parametrize("wins", ["ww", "ll", "wl"])
def test_a_single_seed_passes_no_threshold_that_matters(wins: str) -> None:
    score = score_of(results(wins), 1)
    assert score.low is None or score.low < -400
    assert score.high is None or score.high > 400


def test_seeds_that_all_end_alike_still_have_an_interval() -> None:
    """Each deal goes to whoever sits well, so nothing was seen of how much deals
    differ: the ends are those of a share.
    """
    score = score_of(results("wl" * 50), 50)
    assert score.elo == pytest.approx(0, abs=1e-9)
    share = 0.5 * CHANCE_BEYOND ** (1 / 50)
    assert score.low == pytest.approx(400 * log10(share / (1 - share)))
    assert score.high == pytest.approx(-score.low)
