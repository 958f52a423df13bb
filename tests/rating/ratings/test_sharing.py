"""The design effect of shared deals: by plain matrices, and against events that were
played again with a deal for each table.
"""

import numpy as np
import pytest
from simulated_deals import dealt

from khiva_arena.rating.ratings.elo import rate
from khiva_arena.rating.ratings.pairs import pair_cells
from khiva_arena.rating.ratings.sharing import shared_deals


def measured(matches, bots):
    cells = pair_cells(matches, bots)
    return shared_deals(matches, cells, rate(cells, bots, 0))


def squares_by_hand(matches, bots, nats, bread, block_of):
    """Sum of U' A (I - H A)^-1 U over blocks, match by match."""
    [one] = matches.sizes
    scores, information = {}, {}
    weight = 3 / (one.bots.shape[1] + 1)
    for k in range(len(one.row)):
        block = block_of(one, k)
        score, about = (
            scores.setdefault(block, np.zeros(bots)),
            information.setdefault(block, np.zeros((bots, bots))),
        )
        for i, bot in enumerate(one.bots[k]):
            for j, other in enumerate(one.bots[k][:i]):
                p = 1 / (1 + np.exp(nats[other] - nats[bot]))
                rest = weight * (
                    (one.ranks[k][i] < one.ranks[k][j])
                    + (one.ranks[k][i] == one.ranks[k][j]) / 2
                    - p
                )
                x = np.eye(bots)[bot] - np.eye(bots)[other]
                score += rest * x
                about += weight * p * (1 - p) * np.outer(x, x)
    return sum(
        u @ bread @ np.linalg.solve(np.eye(bots) - information[b] @ bread, u)
        for b, u in scores.items()
    )


def test_it_is_the_ratio_of_two_sums_of_squares():
    matches = dealt(np.random.default_rng(1), 4, 3, 8, suits=0.5, spread=1.0)
    ratings = rate(pair_cells(matches, 4), 4, 0)
    nats = np.array(ratings.elo) * np.log(10) / 400
    of_seeds = squares_by_hand(matches, 4, nats, ratings.bread, lambda one, k: one.seed[k])
    of_tables = squares_by_hand(
        matches, 4, nats, ratings.bread, lambda one, k: (one.seed[k], one.lineup[k])
    )
    found = measured(matches, 4)
    assert found.effect == pytest.approx(of_seeds / of_tables, rel=1e-9)
    assert found.tables == 3  # of four line-ups, each bot sits in three
    assert found.low < found.effect < found.high


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "seats", "suits"), [(6, 2, 0.0), (6, 2, 0.7), (5, 3, 0.7)])
def test_it_is_how_much_less_ratings_vary_with_a_deal_for_each_table(bots, seats, suits):
    """The variance of the ratings themselves, over events with shared deals and others
    without.
    """
    spreads, effects = {True: [], False: []}, []
    for trial in range(100):
        rng = np.random.default_rng([trial, bots, seats])
        for shared, found in spreads.items():
            matches = dealt(rng, bots, seats, 12, suits=suits, shared=shared)
            found.append(np.var(rate(pair_cells(matches, bots), bots, 0).elo))
            effects += [measured(matches, bots).effect] if shared else []
    truth = np.mean(spreads[True]) / np.mean(spreads[False])
    assert np.mean(effects) == pytest.approx(truth, rel=0.15)  # the truth is known to about 6 %
    assert (truth > 1.5) == (suits > 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "seats", "seeds", "suits"), [(6, 2, 20, 0.0), (4, 2, 8, 0.3), (6, 3, 10, 0.7)]
)
def test_its_interval_holds_what_ever_more_seeds_tend_to(bots, seats, seeds, suits):
    truth = measured(dealt(np.random.default_rng(3), bots, seats, 4000, suits=suits), bots).effect
    held = []
    for trial in range(130):
        found = measured(
            dealt(np.random.default_rng([trial, seeds]), bots, seats, seeds, suits=suits), bots
        )
        held.append(found.low <= truth <= found.high)
    assert np.mean(held) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("suits", [0.0, 0.7])
def test_it_says_what_fewer_line_ups_are_worth(suits):
    """Six bots at two seats: all 15 line-ups, and the nine of three bots against three,
    in which each sits in 3 and not in 5.
    """
    three_by_three = [2, 3, 4, 6, 7, 8, 9, 10, 11]
    rng = np.random.default_rng(5)
    every = [dealt(rng, 6, 2, 20, suits=suits) for _ in range(100)]
    found = [measured(one, 6) for one in every]
    few = [dealt(rng, 6, 2, 20, suits=suits, line_ups=three_by_three) for _ in range(100)]
    of_all, of_few = (
        np.mean([np.var(rate(pair_cells(one, 6), 6, 0).elo) for one in some])
        for some in (every, few)
    )
    predicted = np.mean([one.variance(3) / one.variance(5) for one in found])
    assert of_few / of_all == pytest.approx(predicted, rel=0.2)  # which is known to about 10 %


def test_nothing_is_said_where_nothing_tells_it():
    rng = np.random.default_rng(2)
    assert measured(dealt(rng, 4, 2, 4), 4) is None  # too few seeds
    assert measured(dealt(rng, 4, 2, 9, line_ups=[0, 5]), 4) is None  # one table a bot
    assert measured(dealt(rng, 3, 2, 9, spread=99.0), 3) is None  # all points flow one way
    assert measured(dealt(rng, 3, 2, 9), 3) is not None
