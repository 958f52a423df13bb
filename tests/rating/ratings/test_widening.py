"""One value decides how many standard errors make an interval, a likelihood, a star and
a rank.
"""

import random

import numpy as np
import pytest
from made_results import rated
from msgspec.structs import replace
from simulated import World, cells_of, matches_of, played
from simulated_deals import whole_deals
from wording import sentence

from khiva_arena.rating.ratings.compare import los, rank_intervals
from khiva_arena.rating.ratings.crosstable import crosstable
from khiva_arena.rating.ratings.elo import rate
from khiva_arena.rating.ratings.pairs import pair_cells
from khiva_arena.rating.ratings.planning import errors_after, for_error
from khiva_arena.rating.ratings.student import stdtrit
from khiva_arena.rating.ratings.widening import PLAIN, Widening
from khiva_arena.rating.report.rating_table import to_json, to_text
from khiva_arena.rating.report.standings import Entrant, standings

WORLD = World("unequal", suits=0.5, spread=0.8, more=2)
WIDE = Widening("replayed", pair=3.5, ranks=6.0)
BOTS = 5


@pytest.fixture(scope="module")
def tables():
    return played(np.random.default_rng(7), WORLD, 3, 20)


@pytest.fixture(scope="module")
def cells(tables):
    return cells_of(tables, BOTS)


def test_plain_is_student_s_t():
    assert not PLAIN
    for seeds in (2, 5, 100):
        assert PLAIN.critical(seeds) == pytest.approx(float(stdtrit(seeds - 1, 0.975)))
        assert PLAIN.half_width(10.0, seeds) == pytest.approx(10 * float(stdtrit(seeds - 1, 0.975)))
    assert PLAIN.half_width(10.0, 1) is None


def test_an_interval_has_at_least_the_critical_value_and_no_less_than_t():
    assert WIDE.critical(np.array([3, 20])).tolist() == pytest.approx(
        [float(stdtrit(2, 0.975)), 3.5]
    )
    assert WIDE.factor(20) == pytest.approx(3.5 / float(stdtrit(19, 0.975)))
    # at another level the same factor holds
    assert WIDE.critical(20, 0.01) == pytest.approx(float(stdtrit(19, 0.995) * WIDE.factor(20)))


def test_errors_of_numbers_of_differences_and_of_the_pool_are_widened_and_standard_errors_are_not(
    cells,
):
    plain, wide = rate(cells, BOTS, 0), rate(cells, BOTS, 0, widening=WIDE)
    assert wide.elo == plain.elo
    assert wide.se == plain.se
    factor = float(WIDE.factor(20))
    for bot in range(1, BOTS):
        assert wide.error[bot] == pytest.approx(factor * plain.error[bot])
        assert wide.pool_error[bot] == pytest.approx(factor * plain.pool_error[bot])
        assert wide.between(bot, 0)[1] == pytest.approx(factor * plain.between(bot, 0)[1])
    assert for_error(wide, 20)[1].seeds > for_error(plain, 20)[1].seeds
    assert errors_after(wide, 20)[1] == pytest.approx(wide.error[1])


def test_a_likelihood_is_975_where_the_interval_ends_at_0():
    """Of two bots; the critical value is made the very one at which the interval ends
    at 0.
    """
    matches = [rated(seed, (0, 1), (1, 2) if seed % 4 else (2, 1)) for seed in range(30)]
    plain = rate(matches, 2, 0)
    distance, error = plain.between(0, 1)
    z = distance / (error / float(PLAIN.critical(30)))
    at_the_end = Widening("replayed", pair=z, ranks=z)
    assert z > float(PLAIN.critical(30))  # or the test says nothing
    wide = rate(matches, 2, 0, widening=at_the_end)
    assert wide.between(0, 1)[1] == pytest.approx(distance)
    assert los(wide)[0, 1] == pytest.approx(0.975)
    assert los(wide)[1, 0] == pytest.approx(0.025)
    assert los(plain)[0, 1] > 0.975


def test_ranks_need_the_least_critical_value(cells):
    plain = rank_intervals(rate(cells, BOTS, 0))
    wide = rank_intervals(
        rate(cells, BOTS, 0, widening=Widening("replayed", pair=0.0, ranks=1000.0))
    )
    assert set(wide) == {(1, BOTS)} != set(plain)


def test_the_crosstable_is_widened_and_stars_go(cells):
    plain, wide = (
        crosstable(cells, rate(cells, BOTS, 0, widening=one))
        for one in (PLAIN, Widening("replayed", 9.0, 9.0))
    )
    assert plain.significant.any()
    assert not wide.significant.any()
    upper = np.triu_indices(BOTS, 1)
    assert (wide.low[upper] < plain.low[upper]).all()


def test_a_bound_of_bots_that_won_all_is_widened_where_it_comes_from_a_standard_error():
    """All points of twenty seeds are as many, however wide errors are."""
    cells = pair_cells(whole_deals(random.Random(5), 6, 2, 20, 3, 1.0), 6)
    plain, wide = (
        rate(cells, 6, 1, widening=one) for one in (PLAIN, Widening("replayed", 40.0, 40.0))
    )
    counted = 400 * np.log10((0.025 ** (1 / 20)) / (1 - 0.025 ** (1 / 20)))
    assert [wide.ends(0, other).low for other in range(1, 6)] == pytest.approx([counted] * 5)
    assert max(plain.ends(0, other).low for other in range(1, 6)) > counted + 10


def test_a_table_says_that_it_is_widened_and_a_plain_one_has_no_such_key(tables):
    bots = [Entrant(str(number), f"bot {number}") for number in range(BOTS)]
    results = [
        replace(
            match, seed=number // 30, lineup=number // 3 % 10, rotation=number % 3, ordinal=number
        )
        for number, match in enumerate(matches_of(tables))
    ]
    plain, wide = (standings(results, bots, widening=one) for one in (PLAIN, WIDE))
    assert "widening" not in to_json(plain)
    assert "Pairings followed" not in to_text(plain)
    factor = 3.5 / float(stdtrit(19, 0.975))
    assert to_json(wide)["widening"] == {
        "kind": "replayed",
        "pair": 3.5,
        "ranks": 6.0,
        "factor": round(factor, 3),
    }
    assert sentence(
        "report", "pairings-followed-results-errors-2", factor=f"{factor:.2f}"
    ) in to_text(wide, 500)
    by_name = {row.name: row for row in plain.rows}
    for row in wide.rows:
        assert row.error == pytest.approx(factor * by_name[row.name].error, abs=0.002)
        if row.error:
            assert row.high - row.low == pytest.approx(2 * row.error, abs=0.002)
