"""Comparisons claim something false in at most 5 % of cases, and their intervals hold in 95 %, whichever way they stop.

``compare_coverage.py`` plays many more. A single figure of so few comparisons is off by some percent, so they are taken together.
"""

from itertools import product

import numpy as np
import pytest
from simulated_comparisons import ELO, SHAPES, SOON, WORLDS, figures

pytestmark = pytest.mark.slow
NUMBER = 150


def test_equal_bots_are_seldom_told_apart() -> None:
    cases = product(WORLDS, SHAPES, (40, 200), (1, 4))
    found = [figures(world, shape, 0, seconds, slots, NUMBER, seed=1) for world, shape, seconds, slots in cases]
    assert np.mean([one.false for one in found]) <= 0.05
    assert np.mean([one.held for one in found]) >= 0.95


def test_intervals_hold_and_no_better_bot_is_called_worse() -> None:
    found = [figures(world, shape, elo, 120, 4, NUMBER, seed=2) for world, shape, elo in product(WORLDS, SHAPES, ELO[1:])]
    assert np.mean([one.held for one in found]) >= 0.95
    assert max(one.false for one in found) <= 0.05


@pytest.mark.parametrize("shape", SHAPES[:2])
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_a_large_difference_is_told_soon(world, shape) -> None:
    found = figures(world, shape, 300, 400, 1, NUMBER, seed=3)
    assert found.better >= 0.9
    assert found.nine_in_ten <= SOON[shape.seats]
