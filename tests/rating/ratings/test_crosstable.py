"""The crosstable: by hand, mirrored, and what is said where there is little to say."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import rated
from sandwich import NO_PRIOR
from simulated import World, cells_of, matches_of, played, trials

from khiva_arena.rating.ratings.crosstable import crosstable, games_together
from khiva_arena.rating.ratings.elo import half_width, rate
from khiva_arena.rating.ratings.estimate import problem_of_cells, solution_of
from khiva_arena.rating.ratings.pairs import pair_cells
from khiva_arena.rating.ratings.proportions import BlockRows, proportions


def test_three_bots_by_hand():
    matches = [
        rated("a", (0, 1, 2), (1, 2, 2)),
        rated("a", (1, 2, 0), (1, 3, 2)),
        rated("b", (2, 0, 1), (1, 2, 3)),
        rated("c", (0, 1), (1, 2)),
    ]
    table = crosstable(pair_cells(matches, 3), rate(matches, 3, 0))
    assert games_together(matches, 3).tolist() == [[0, 4, 3], [4, 0, 3], [3, 3, 0]]
    assert table.blocks.tolist() == [[0, 3, 2], [3, 0, 2], [2, 2, 0]]
    assert table.score[0, 1] == pytest.approx((0.75 * (1 + 0 + 1) + 1) / (3 * 0.75 + 1))
    assert table.score[1, 2] == pytest.approx((0.5 + 1 + 0) / 3)
    assert np.isnan(np.diag(table.score)).all()


def test_blocks_of_equal_weight_give_the_textbook_variance():
    """Then leaving one out gives s^2/B, and the interval solves |x - p| = t sqrt(p (1 -
    p) s^2 / (B x (1 - x))).
    """
    points = np.array([0.25, 0.5, 1.0, 0.75, 0.5])
    found = proportions(BlockRows(np.zeros(5, dtype=np.int64), points, np.ones(5)), 1)
    mean, variance = points.mean(), points.var(ddof=1) / 5
    assert found.share[0] == pytest.approx(mean)
    assert found.size[0] == pytest.approx(mean * (1 - mean) / variance)
    for end in (found.low[0], found.high[0]):
        assert abs(mean - end) == pytest.approx(
            half_width(1.0, 5) * (end * (1 - end) * variance / (mean * (1 - mean))) ** 0.5
        )


def test_a_bot_that_took_everything_is_not_certain_to():
    matches = [rated(block, (0, 1), (1, 2)) for block in range(10)]
    table = crosstable(pair_cells(matches, 2), rate(matches, 2, 0))
    assert (table.score[0, 1], table.high[0, 1]) == pytest.approx((1, 1))
    assert table.low[0, 1] == pytest.approx(0.025**0.1)  # Clopper and Pearson's for 10 of 10
    assert table.significant[0, 1]
    assert table.significant[1, 0]


def test_one_block_and_none_have_no_interval():
    table = crosstable(pair_cells([rated(0, (0, 1), (1, 2))], 3), rate([], 3, 0))
    assert table.score[0, 1] == 1
    assert isnan(table.low[0, 1])
    assert isnan(table.surprise[0, 1])
    assert not table.significant.any()
    assert isnan(table.score[0, 2])
    assert games_together([], 2).tolist() == [[0, 0], [0, 0]]


def test_copies_and_seats_that_failed_to_start_count_as_in_the_ratings():
    matches = [rated(0, (0, 0, 1), (1, 2, 3)), rated(1, (0, 1, 2), (1, 2, 3), unstarted=(2,))]
    games = games_together(matches, 3)
    assert games[0, 1] == 1
    assert games[0, 2] == games[1, 2] == 1
    table = crosstable(pair_cells(matches, 3), rate(matches, 3, 0))
    assert table.blocks[0, 0] == 0


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_row_and_column_mirror_each_other(seed, seats):
    world = World("any", suits=1.0, step=0.7, spread=1.0, more=1)
    tables = played(np.random.default_rng(seed), world, seats, 6)
    bots = seats + 1
    cells = cells_of(tables, bots)
    from_matches = pair_cells(matches_of(tables), bots)
    table = crosstable(from_matches, rate(cells, bots, 0))
    for mine, theirs in (
        (table.score, table.score),
        (table.low, table.high),
        (table.expected, table.expected),
    ):
        np.testing.assert_allclose(mine, 1 - theirs.T)
    np.testing.assert_allclose(table.surprise, -table.surprise.T)
    assert (table.significant == table.significant.T).all()
    from_cells = crosstable(cells, rate(cells, bots, 0))
    np.testing.assert_array_equal(from_cells.low, table.low)


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [10, 40])
@pytest.mark.parametrize(
    ("seats", "world"),
    [(2, World("iid", more=6)), (3, World("bots suit deals", luck=1.0, suits=0.7, more=5))],
    ids=lambda value: value.name if isinstance(value, World) else None,
)
def test_surprise_is_about_standard_normal_if_the_ratings_say_all(seats, world, blocks):
    found = []
    for cells in trials(np.random.default_rng([3, blocks]), world, seats, blocks, 80):
        found += crosstable(cells, rate(cells, 8, 0)).surprise[np.triu_indices(8, 1)].tolist()
    assert len(found) == 80 * 28
    assert abs(np.mean(found)) < 0.15
    assert 0.85 < np.std(found) < 1.25


def test_surprise_finds_an_angstgegner():
    tables = played(np.random.default_rng(8), World("plain", suits=0.3, spread=0.5, more=4), 2, 60)
    hard = np.isin(tables.bots, (0, 5)).all(axis=1)  # the weakest always beats the strongest
    tables.ranks[hard] = np.where(tables.bots[hard] == 0, 1, 2)
    cells = cells_of(tables, 6)
    surprise = crosstable(cells, rate(cells, 6, 0)).surprise
    assert surprise[0, 5] == np.nanmax(surprise) > 4


def test_surprise_finds_rock_paper_scissors():
    rng = np.random.default_rng(1)
    ring = ((0, 1), (1, 2), (2, 0))
    matches = [
        rated(b, pair, (1, 2) if rng.random() < 0.8 else (2, 1)) for b in range(40) for pair in ring
    ]
    surprise = crosstable(pair_cells(matches, 3), rate(matches, 3, 0)).surprise
    assert min(surprise[i, j] for i, j in ring) > 4


def test_surprise_by_leaving_out_every_block_in_turn():
    """The same by whole matrices, and without the first order: the ratings without a
    block put into the expected score.
    """
    cells = cells_of(
        played(np.random.default_rng(4), World("any", suits=0.7, spread=1.0, more=2), 3, 30), 5
    )
    solution = solution_of(problem_of_cells(cells, 1.0), {0: (0.0, 0.0)})
    nats, hessian = solution.parameters[:5], np.linalg.inv(solution.bread[:5, :5])

    def parts(keep):
        score, weight = np.zeros((5, 5)), np.zeros((5, 5))
        for i, j, w, s in zip(
            cells.low[keep], cells.high[keep], cells.weight[keep], cells.score[keep], strict=True
        ):
            weight[[i, j], [j, i]] += w
            score[[i, j], [j, i]] += s, w - s
        return score, weight

    def residual(keep, t):
        score, weight = parts(keep)
        return (score / np.where(weight, weight, 1) - 1 / (1 + np.exp(t - t[:, None])))[
            np.triu_indices(5, 1)
        ]

    every = []
    for block in range(30):
        score, weight = parts(cells.block == block)
        p = 1 / (1 + np.exp(nats - nats[:, None]))
        information = weight * p * (1 - p)
        step = np.linalg.solve(
            hessian - np.diag(information.sum(axis=1)) + information,
            (score - weight * p).sum(axis=1),
        )
        every.append(residual(cells.block != block, nats - step))
    z = residual(cells.block >= 0, nats) / (np.var(every, axis=0) * 29) ** 0.5
    found = crosstable(cells, rate(cells, 5, 0)).surprise[np.triu_indices(5, 1)]
    np.testing.assert_allclose(found, z, rtol=0.02, atol=0.001)


def test_no_surprise_where_the_ratings_were_fitted_to_that_very_score():
    """Two bots; and a gauntlet, in which each pair is all that connects the two. A
    third pair tells.
    """
    rng = np.random.default_rng(2)
    gauntlet = [
        rated(b, (0, n), (1, 2) if rng.random() < 0.7 else (2, 1))
        for b in range(30)
        for n in (1, 2)
    ]
    assert np.isnan(
        crosstable(pair_cells(gauntlet[::2], 2), rate(gauntlet[::2], 2, 0)).surprise
    ).all()
    assert np.isnan(crosstable(pair_cells(gauntlet, 3), rate(gauntlet, 3, 0)).surprise).all()
    whole = [
        *gauntlet,
        *(rated(b, (1, 2), (1, 2) if rng.random() < 0.5 else (2, 1)) for b in range(30)),
    ]
    assert np.isnan(crosstable(pair_cells(whole, 3), rate(whole, 3, 0)).surprise).sum() == 3


def test_a_strong_bot_that_took_everything_is_as_expected():
    """Expected are some 98 %: that it never lost says little, though the score itself
    never varied.
    """
    found = []
    for cells in trials(np.random.default_rng(5), World("ladder", spread=3.5, more=2), 2, 20, 60):
        table = crosstable(cells, rate(cells, 4, 0))
        if table.score[3, 0] == 1 and not np.isnan(table.surprise[3, 0]):
            assert table.expected[3, 0] > 0.93
            found.append(table.surprise[3, 0])
    assert len(found) > 20
    assert 0 < np.median(found) < max(found) < 2


def test_surprise_with_a_weak_prior_and_with_several_anchors():
    cells = cells_of(
        played(np.random.default_rng(6), World("any", suits=0.5, spread=0.5, more=3), 2, 30), 5
    )
    plain, bare = (
        crosstable(cells, rate(cells, 5, 0, prior=prior)).surprise for prior in (1, NO_PRIOR)
    )
    np.testing.assert_allclose(bare, plain, atol=0.1)
    elo = rate(cells, 5, 0).elo
    np.testing.assert_allclose(
        crosstable(cells, rate(cells, 5, 0, anchors={0: 7.0})).surprise, plain, atol=1e-6
    )
    held = crosstable(
        cells, rate(cells, 5, 0, anchors=dict(enumerate(elo)))
    ).surprise  # no rating can move at all
    table = crosstable(cells, rate(cells, 5, 0))
    error = (table.score * (1 - table.score) / proportions_size(cells)) ** 0.5
    np.testing.assert_allclose(held, (table.score - table.expected) / error, rtol=1e-6)


def proportions_size(cells):
    """(5, 5) independent matches that each score is worth."""
    pairs, at = np.unique(cells.low * 5 + cells.high, return_inverse=True)
    size = np.full((5, 5), np.nan)
    found = proportions(BlockRows(at, cells.score, cells.weight), len(pairs)).size
    size[pairs // 5, pairs % 5] = size[pairs % 5, pairs // 5] = found
    return size
