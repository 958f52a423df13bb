"""Line-ups: all of them, or a balanced set."""

from collections import Counter
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import World, cells_of, played, trials

from khiva_arena.errors import ConfigError
from khiva_arena.rating.ratings.compare import rank_intervals
from khiva_arena.rating.ratings.elo import rate
from khiva_arena.rating.ratings.match_arrays import TableArrays
from khiva_arena.rating.schedule.lineups import MOST_LINE_UPS, count_line_ups, fewest, line_ups

KEY = bytes(range(32))


def spread(counts):
    return max(counts) - min(counts)


def appearances(found, bots):
    sat = Counter(bot for line_up in found.chosen for bot in line_up)
    return [sat[bot] for bot in range(bots)]


def meetings(found, bots):
    met = Counter(pair for line_up in found.chosen for pair in combinations(line_up, 2))
    return [met[pair] for pair in combinations(range(bots), 2)]


def by_hand(bots, seats, copies):
    """The definition, without cleverness."""
    every = combinations_with_replacement(range(bots), seats)
    return [c for c in every if max(map(c.count, c)) <= copies and (bots == 1 or len(set(c)) > 1)]


@cases("seats", [2, 3, 4, 5])
@cases("copies", [1, 2, 3, 5])
def test_all_line_ups_in_canonical_order(seats, copies):
    for bots in range(1, 7):
        if bots * copies >= seats:
            found = line_ups(bots, seats, copies, key=KEY)
            assert list(found.chosen) == by_hand(bots, seats, copies)
            assert found.total == len(found.chosen)


def test_one_bot_alone_plays_only_where_there_is_no_other():
    assert line_ups(1, 3, 3, key=KEY).chosen == ((0, 0, 0),)
    assert (0, 0, 0) not in line_ups(2, 3, 3, key=KEY).chosen


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "seats"), [(200, 5), (200, 2), (60, 4), (40, 3)])
def test_a_large_field_gets_a_balanced_set(bots, seats):
    found = line_ups(bots, seats, key=KEY)
    assert len(set(found.chosen)) == len(found.chosen) == MOST_LINE_UPS < found.total
    assert list(found.chosen) == sorted(found.chosen)
    assert all(len(set(line_up)) == seats for line_up in found.chosen)
    assert spread(appearances(found, bots)) <= 1
    assert spread(meetings(found, bots)) <= 3


@pytest.mark.slow
@cases("bots", [2, 3, 4, 5, 6])
@cases("seats", [2, 3, 4, 5])
@cases("copies", [1, 2, 4])
def test_small_sets_of_any_size_are_distinct_and_balanced(bots, seats, copies):
    if bots * copies < seats:
        return
    every = line_ups(bots, seats, copies, key=KEY).chosen
    for most in {1, 2, 3, len(every) // 2, len(every) // 2 + 1, len(every) - 1} - {0}:
        found = line_ups(bots, seats, copies, most, key=KEY)
        assert found.total == len(every)
        assert len(set(found.chosen)) == len(found.chosen) == min(most, len(every))
        assert set(found.chosen) <= set(every)
        assert spread(appearances(found, bots)) <= 1, (most, found)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    st.integers(6, 14), st.integers(2, 5), st.integers(1, 60), st.binary(min_size=32, max_size=32)
)
def test_a_set_is_balanced_whatever_the_key(bots, seats, most, key):
    found = line_ups(bots, seats, limit=most, key=key)
    assert len(set(found.chosen)) == len(found.chosen) == min(most, found.total)
    assert spread(appearances(found, bots)) <= 1
    assert spread(meetings(found, bots)) <= 3
    assert found == line_ups(bots, seats, limit=most, key=key)


def test_copies_sit_together_only_when_there_are_not_enough_line_ups_without():
    without = line_ups(6, 3, 2, 20, key=KEY)
    assert len(without.chosen) < without.total
    assert without.chosen == line_ups(6, 3, key=KEY).chosen
    more = line_ups(6, 3, 2, 25, key=KEY)
    assert len(more.chosen) == 25
    assert spread(appearances(more, 6)) <= 1


@pytest.mark.slow
def test_the_key_decides_which_are_taken():
    found = line_ups(30, 4, key=KEY)
    assert found == line_ups(30, 4, key=KEY)
    assert found != line_ups(30, 4, key=bytes(32))


def test_too_few_bots_names_copies():
    with pytest.raises(ConfigError) as error:
        line_ups(3, 4, key=KEY)
    assert error.value.problems == (
        (
            "3 bots cannot fill 4 seats: take --seats 3, add bots, or let copies of one "
            "bot sit together with --copies 2"
        ),
    )
    with pytest.raises(ConfigError, match=r"1 bot with --copies 2 cannot fill 5 seats.*--copies 5"):
        line_ups(1, 5, 2, key=KEY)


def test_every_mistake_is_reported_at_once():
    with pytest.raises(ConfigError) as error:
        line_ups(0, 11, 0, 0, key=KEY)
    assert len(error.value.problems) == 4


def test_the_fewest_line_ups_that_compare_all_bots():
    assert [fewest(bots, 3) for bots in (3, 4, 5, 6, 10, 20)] == [1, 4, 5, 4, 10, 40]
    assert [fewest(bots, 2) for bots in (2, 3, 4, 6)] == [1, 3, 4, 9]
    assert fewest(2, 3, copies=2) == 2
    assert fewest(1, 3, copies=3) == 1


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5), st.integers(0, 15), st.binary(min_size=32, max_size=32))
def test_over_them_each_bot_is_compared_with_each_other(seats, more, key):
    bots = seats + more
    found = line_ups(bots, seats, limit=fewest(bots, seats), key=key)
    assert len(found.chosen) == fewest(bots, seats) <= count_line_ups(bots, seats, 1)
    if more:
        assert min(appearances(found, bots)) >= 2
    near = {0}
    for _ in range(bots):
        near |= {bot for line_up in found.chosen if near & set(line_up) for bot in line_up}
    assert near == set(range(bots))
    if len(found.chosen) < found.total:
        assert spread(appearances(found, bots)) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "width"), [(2, 1.0), (3, 0.75)]
)  # at two seats these are too few matches for any rank
def test_as_many_matches_on_more_seeds_and_fewer_line_ups_give_a_smaller_error(seats, width):
    """make run: three seeds of all line-ups, and as many matches, or fewer, over more
    seeds. The errors of the strongest bot.
    """
    errors = []
    bots, total, few = 6, count_line_ups(6, seats, 1), fewest(6, seats)
    world = World("make run", luck=1.0, suits=0.5, spread=2.0, more=6 - seats)
    all_of = list(trials(np.random.default_rng(1), world, seats, 3, 40))
    some_of = []
    for trial in range(40):
        chosen = set(line_ups(bots, seats, limit=few, key=bytes([trial]) * 32).chosen)
        tables = played(np.random.default_rng([2, trial]), world, seats, 3 * total // few)
        keep = [tuple(sorted(at)) in chosen for at in tables.bots.tolist()]
        assert sum(keep) <= 3 * total * seats
        some_of.append(
            cells_of(TableArrays(tables.block[keep], tables.bots[keep], tables.ranks[keep]), bots)
        )
    for cells in (all_of, some_of):
        rated = [rate(one, bots, 0) for one in cells]
        errors.append(np.mean([one.error[5] for one in rated if one.error[5] is not None]))
        widths = [worst - best for one in rated for best, worst in rank_intervals(one)]
        errors.append(np.mean(widths))
    assert errors[2] < 0.75 * errors[0]
    assert errors[3] <= width * errors[1]
