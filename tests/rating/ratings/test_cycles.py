"""Cycles are found where they are, and noise is not sold as cycles."""

import numpy as np
import pytest
from made_results import rated
from simulated import World, cells_of, played, trials

from khiva_arena.rating.ratings.cycles import intransitivity
from khiva_arena.rating.ratings.elo import half_width, rate
from khiva_arena.rating.ratings.match_arrays import TableArrays
from khiva_arena.rating.ratings.pairs import cells_of_tables, pair_cells


def ring(rng, blocks, win, matches=4):
    """Of three bots each beats the next with probability ``win``; so many matches a
    pair and deal.
    """
    pairs = np.tile([(0, 1), (1, 2), (2, 0)], (blocks * matches, 1))
    first = rng.random(len(pairs)) < win
    ranks = np.where(first[:, None], [1, 2], [2, 1])
    return cells_of_tables(
        [TableArrays(np.repeat(np.arange(blocks), 3 * matches), pairs, ranks)], 3
    )


def test_rock_paper_scissors_is_all_cycle():
    found = intransitivity(cells := ring(np.random.default_rng(1), 60, 0.8), rate(cells, 3, 0))
    assert found.share > 0.95
    assert found.low > 0.8
    assert found.high <= 1
    assert found.pairs == 3
    assert found.noise < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1.0, 3.0])
@pytest.mark.parametrize("blocks", [10, 40])
def test_noise_alone_makes_no_cycles(spread, blocks):
    """Bots on a ladder, on which pairs far apart have no upsets at all at times. The
    raw share is noise, and so says.
    """
    world = World("ladder", luck=1.0, suits=0.4, spread=spread, more=3)
    reports = [
        intransitivity(c, rate(c, 5, 0))
        for c in trials(np.random.default_rng(2), world, 2, blocks, 100)
    ]
    told = [report for report in reports if report]
    assert len(told) > 50  # the others are told to have too little to go by
    assert np.mean([report.low > 0 for report in told]) <= 0.05
    assert np.median([report.share for report in told]) < 0.02
    assert (
        min(report.share for report in told) == 0
    )  # of less than the noise there is none, not less than none
    assert np.mean([report.raw for report in told]) == pytest.approx(
        np.mean([report.noise for report in told]), rel=0.5, abs=0.01
    )


def test_equal_bots_have_no_share():
    world = World("equal", more=2)
    reports = [
        intransitivity(c, rate(c, 4, 0)) for c in trials(np.random.default_rng(3), world, 2, 20, 60)
    ]
    assert np.mean([report is None for report in reports]) > 0.8


def test_a_share_between_is_covered():
    """Two on a ladder with the three of a ring: the interval holds the share of the
    limit.
    """
    rng = np.random.default_rng(4)

    def some(blocks):
        pairs = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])
        log_odds = np.array([0.9, -0.9, 1.2, 0.9, 1.2, 1.2])
        rows = np.tile(pairs, (blocks * 4, 1))
        deal = np.repeat(rng.normal(0, 0.5, (blocks, 1, 6)), 4, axis=1).reshape(-1)
        first = rng.random(len(rows)) < 1 / (1 + np.exp(-np.tile(log_odds, blocks * 4) - deal))
        ranks = np.where(first[:, None], [1, 2], [2, 1])
        return cells_of_tables([TableArrays(np.repeat(np.arange(blocks), 24), rows, ranks)], 4)

    limit = intransitivity(cells := some(5000), rate(cells, 4, 0)).raw
    assert 0.2 < limit < 0.5
    reports = [intransitivity(cells := some(40), rate(cells, 4, 0)) for _ in range(100)]
    assert (
        np.mean([report.low <= limit <= report.high for report in reports]) >= 0.88
    )  # of 100: 1 in 200 at 95 %
    assert np.mean([report.share for report in reports]) == pytest.approx(limit, abs=0.03)


def test_nothing_to_say():
    two = [rated(block, (0, 1), (1 + block % 2, 2 - block % 2)) for block in range(9)]
    assert intransitivity(pair_cells(two, 2), rate(two, 2, 0)) is None
    chain = two + [rated(block, (1, 2), (1 + block % 2, 2 - block % 2)) for block in range(9)]
    assert intransitivity(pair_cells(chain, 3), rate(chain, 3, 0)) is None
    one_seed = [rated(0, pair, (1, 2)) for pair in ((0, 1), (1, 2), (2, 0))]
    assert intransitivity(pair_cells(one_seed, 3), rate(one_seed, 3, 0)) is None
    assert intransitivity(pair_cells([], 3), rate([], 3, 0)) is None


def test_it_is_what_the_definition_says_with_every_block_left_out_in_turn():
    """The same by whole matrices. All pairs meet, so the transitive part is the row
    means of the antisymmetric matrix.
    """
    cells = cells_of(
        played(np.random.default_rng(6), World("any", suits=0.7, spread=3.0, more=3), 2, 9), 5
    )
    ratings = rate(cells, 5, 0)
    elo = np.array(ratings.elo)
    hoped = 1 / (1 + 10 ** ((elo - elo[:, None]) / 400))

    def parts(keep):
        weight, score = np.zeros((5, 5)), np.zeros((5, 5))
        for i, j, w, s in zip(
            cells.low[keep], cells.high[keep], cells.weight[keep], cells.score[keep], strict=True
        ):
            weight[i, j] = weight[j, i] = weight[i, j] + w
            score[i, j] += s
            score[j, i] += w - s
        odds = np.log((score + 0.5) / (weight - score + 0.5))
        beyond = odds - np.log((weight * hoped + 0.5) / (weight * (1 - hoped) + 0.5))
        means = beyond.mean(axis=1)
        cyclic = beyond - (means[:, None] - means)
        upper = np.triu_indices(5, 1)
        return odds[upper], cyclic[upper]

    odds, cyclic = parts(cells.block >= 0)
    without = [parts(cells.block != block) for block in range(9)]
    noise = 8 / 9 * sum(((c - cyclic) ** 2).sum() for _, c in without)
    noise_of_all = 8 / 9 * sum(((a - odds) ** 2).sum() for a, _ in without)
    share = ((cyclic**2).sum() - noise) / ((odds**2).sum() - noise_of_all)
    jumps = np.array([((c**2).sum() - noise) / ((a**2).sum() - noise_of_all) for a, c in without])
    error = half_width(float(((jumps - jumps.mean()) ** 2).sum() * 8 / 9) ** 0.5, 9)
    found = intransitivity(cells, ratings)
    assert (found.raw, found.noise) == pytest.approx(
        ((cyclic**2).sum() / (odds**2).sum(), noise / (odds**2).sum())
    )
    assert (found.share, found.high) == pytest.approx((max(0, share), share + error))
    assert found.low == pytest.approx(max(0, share - error))


def test_names_do_not_matter():
    tables = played(np.random.default_rng(5), World("any", suits=1.0, spread=2.0, more=2), 3, 12)
    turned = TableArrays(tables.block, 4 - tables.bots, tables.ranks)
    one, other = (
        intransitivity(c, rate(c, 5, 0)) for c in (cells_of(tables, 5), cells_of(turned, 5))
    )
    assert (one.share, one.low, one.high, one.raw) == pytest.approx(
        (other.share, other.low, other.high, other.raw), abs=1e-6
    )
