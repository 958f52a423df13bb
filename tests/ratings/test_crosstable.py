"""The crosstable: by hand, mirrored, and what is said where there is little to say."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import World, cells_of, matches_of, played

from khiva_arena.ratings.crosstable import crosstable
from khiva_arena.ratings.elo import half_width, rate
from khiva_arena.ratings.pairs import RatedMatch
from khiva_arena.ratings.proportions import proportions


def test_three_bots_by_hand():
    matches = [
        RatedMatch("a", (0, 1, 2), (1, 2, 2)),
        RatedMatch("a", (1, 2, 0), (1, 3, 2)),
        RatedMatch("b", (2, 0, 1), (1, 2, 3)),
        RatedMatch("c", (0, 1), (1, 2)),
    ]
    table = crosstable(matches, rate(matches, 3, 0))
    assert table.games.tolist() == [[0, 4, 3], [4, 0, 3], [3, 3, 0]]
    assert table.blocks.tolist() == [[0, 3, 2], [3, 0, 2], [2, 2, 0]]
    assert table.score[0, 1] == pytest.approx((0.75 * (1 + 0 + 1) + 1) / (3 * 0.75 + 1))
    assert table.score[1, 2] == pytest.approx((0.5 + 1 + 0) / 3)
    assert np.isnan(np.diag(table.score)).all()


def test_blocks_of_equal_weight_give_the_textbook_variance():
    """Then leaving one out gives s^2/B, and the interval solves |x - p| = t sqrt(p (1 - p) s^2 / (B x (1 - x)))."""
    points = np.array([0.25, 0.5, 1.0, 0.75, 0.5])
    found = proportions(np.zeros(5, dtype=np.int64), points, np.ones(5), 1)
    mean, variance = points.mean(), points.var(ddof=1) / 5
    assert found.share[0] == pytest.approx(mean)
    assert found.size[0] == pytest.approx(mean * (1 - mean) / variance)
    for end in (found.low[0], found.high[0]):
        assert abs(mean - end) == pytest.approx(half_width(1.0, 5) * (end * (1 - end) * variance / (mean * (1 - mean))) ** 0.5)


def test_a_bot_that_took_everything_is_not_certain_to():
    matches = [RatedMatch(block, (0, 1), (1, 2)) for block in range(10)]
    table = crosstable(matches, rate(matches, 2, 0))
    assert (table.score[0, 1], table.high[0, 1]) == pytest.approx((1, 1))
    assert table.low[0, 1] == pytest.approx(10 / (10 + half_width(1.0, 10) ** 2))
    assert table.significant[0, 1]
    assert table.significant[1, 0]


def test_one_block_and_none_have_no_interval():
    table = crosstable([RatedMatch(0, (0, 1), (1, 2))], rate([], 3, 0))
    assert table.score[0, 1] == 1
    assert isnan(table.low[0, 1])
    assert isnan(table.surprise[0, 1])
    assert not table.significant.any()
    assert isnan(table.score[0, 2])
    assert crosstable([], rate([], 2, 0)).games.tolist() == [[0, 0], [0, 0]]


def test_copies_and_seats_that_failed_to_start_count_as_in_the_ratings():
    matches = [RatedMatch(0, (0, 0, 1), (1, 2, 3)), RatedMatch(1, (0, 1, 2), (1, 2, 3), unstarted=(2,))]
    table = crosstable(matches, rate(matches, 3, 0))
    assert table.games[0, 1] == 1
    assert table.games[0, 2] == table.games[1, 2] == 1
    assert table.blocks[0, 0] == 0


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_row_and_column_mirror_each_other(seed, seats):
    world = World("any", suits=1.0, step=0.7, spread=1.0, more=1)
    tables = played(np.random.default_rng(seed), world, seats, 6)
    bots = seats + 1
    cells = cells_of(tables, bots)
    table = crosstable(matches_of(tables), rate(cells, bots, 0))
    for mine, theirs in ((table.score, table.score), (table.low, table.high), (table.expected, table.expected)):
        np.testing.assert_allclose(mine, 1 - theirs.T)
    np.testing.assert_allclose(table.surprise, -table.surprise.T)
    assert (table.significant == table.significant.T).all()
    from_cells = crosstable(cells, rate(cells, bots, 0))
    assert from_cells.games is None
    np.testing.assert_array_equal(from_cells.low, table.low)


def test_surprise_is_about_normal_if_the_ratings_say_all_and_finds_an_angstgegner():
    rng = np.random.default_rng(8)
    honest = World("plain", suits=0.3, spread=0.5, more=4)
    found = []
    for _ in range(60):
        cells = cells_of(played(rng, honest, 2, 40), 6)
        found += crosstable(cells, rate(cells, 6, 0)).surprise[np.triu_indices(6, 1)].tolist()
    assert abs(np.mean(found)) < 0.15
    assert 0.6 < np.std(found) < 1.1
    tables = played(rng, honest, 2, 60)
    hard = np.isin(tables.bots, (0, 5)).all(axis=1)  # the weakest always beats the strongest
    tables.ranks[hard] = np.where(tables.bots[hard] == 0, 1, 2)
    cells = cells_of(tables, 6)
    surprise = crosstable(cells, rate(cells, 6, 0)).surprise
    assert surprise[0, 5] == np.nanmax(surprise) > 4
