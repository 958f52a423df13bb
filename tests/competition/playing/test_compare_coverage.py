"""Comparisons claim something false in at most 5 % of cases, and their intervals hold
in 95 %, whichever way they stop.

``compare_coverage.py`` plays many more. A single figure of so few comparisons is off by
some percent, so they are taken together.
"""

from itertools import product

import numpy as np
import pytest
import simulated_comparisons
from simulated_comparisons import ELO, SHAPES, SOON, WORLDS, figures, seeds_after_kill, seeds_of

pytestmark = pytest.mark.slow
NUMBER = 150


def test_equal_bots_are_seldom_told_apart() -> None:
    cases = product(WORLDS, SHAPES, (40, 200), (1, 4))
    found = [
        figures(world, shape, 0, seconds, slots, NUMBER, seed=1)
        for world, shape, seconds, slots in cases
    ]
    assert np.mean([one.false for one in found]) <= 0.05
    assert np.mean([one.held for one in found]) >= 0.95


def test_intervals_hold_and_no_better_bot_is_called_worse() -> None:
    found = [
        figures(world, shape, elo, 120, 4, NUMBER, seed=2)
        for world, shape, elo in product(WORLDS, SHAPES, ELO[1:])
    ]
    assert np.mean([one.held for one in found]) >= 0.95
    assert max(one.false for one in found) <= 0.05


@pytest.mark.parametrize("shape", SHAPES[:2])
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_a_large_difference_is_told_soon(world, shape) -> None:
    found = figures(world, shape, 300, 400, 1, NUMBER, seed=3)
    assert found.better >= 0.9
    assert found.nine_in_ten <= SOON[shape.seats]


def lead_after_kills(slots: int, kill: float, number: int) -> float:
    """Return by how many of its standard errors the sum of an equal bot's leads is off
    0, in many killed comparisons of 20 s.
    """
    shape, most = SHAPES[0], 60
    seeds = seeds_of(np.random.default_rng([5, slots]), WORLDS[1], shape, 0, number * most)
    fair = shape.seats * (shape.seats - 1) / 2
    leads = []
    for one in range(number):
        part = slice(one * most, (one + 1) * most)
        leads.append(
            (seeds.new[part] - fair)[: seeds_after_kill(seeds.seconds[part], 20, slots, kill)].sum()
        )
    return float(np.mean(leads) / (np.std(leads) / np.sqrt(number)))


@pytest.mark.parametrize("slots", [1, 2, 4])
@pytest.mark.parametrize("kill", [10, 21, 23])
def test_a_kill_favours_no_side(slots: int, kill: float) -> None:
    assert abs(lead_after_kills(slots, kill, 1500)) < 4


def test_if_only_complete_seeds_counted_a_kill_would_favour_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seeds on which the first bot wins last longer, so more of them are not
    complete.
    """
    assert abs(lead_after_kills(4, 22, 8000)) < 3
    monkeypatch.setattr(simulated_comparisons, "begun_before", lambda complete: complete)
    assert lead_after_kills(4, 22, 8000) < -3
