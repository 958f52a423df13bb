"""The sets of ``--lineups auto``: every two bots that may meet do, all sit equally
often, and the lot only renames them.
"""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_coverings import least, parsed, shares

from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.coverings import (
    FILE,
    all_meet,
    auto,
    by_lot,
    rename_bots,
    without_meeting,
)
from khiva_arena.rating.schedule.formats import Terms, check_terms, rounds, shapes
from khiva_arena.rating.schedule.lineups import MOST_LINE_UPS, count_line_ups, fewest, line_ups
from khiva_arena.rating.schedule.names import ALL_MEET

KEY = bytes(range(32))


def sat(chosen, bots):
    often = Counter(bot for line_up in chosen for bot in line_up)
    return [often[bot] for bot in range(bots)]


def all_pairs_meet(chosen, bots, authors=()):
    met = {pair for line_up in chosen for pair in combinations(line_up, 2)}
    apart = {
        (a, b) for a, b in combinations(range(bots), 2) if authors and authors[a] == authors[b]
    }
    return not met & apart and met | apart >= set(combinations(range(bots), 2))


@pytest.mark.parametrize(
    ("bots", "seats", "line_ups_played"),
    [(6, 2, 15), (12, 2, 66), (6, 3, 6), (12, 3, 24), (32, 2, 496), (55, 3, 495)],
)
def test_auto_plays_the_least_in_which_all_meet(bots, seats, line_ups_played):
    assert auto(bots, seats) == (line_ups_played, True)
    assert least(bots, seats) == line_ups_played


@pytest.mark.parametrize(("bots", "seats"), [(33, 2), (56, 3), (300, 10)])
def test_where_that_takes_too_many_auto_is_what_it_was(bots, seats):
    assert all_meet(bots, seats) is None
    assert auto(bots, seats) == (fewest(bots, seats), False)


def test_in_every_set_of_the_file_all_meet_and_sit_equally_often():
    for line in FILE.read_text().splitlines():
        (bots, seats), _, _ = parsed(line)
        chosen = all_meet(bots, seats)
        assert all_pairs_meet(chosen, bots), line
        assert len(set(sat(chosen, bots))) == 1, line
        assert list(chosen) == sorted(set(chosen)), line
        assert all(
            list(line_up) == sorted(set(line_up)) and len(line_up) == seats for line_up in chosen
        ), line
        assert next(shares(bots, seats)) * bots // seats <= len(chosen) <= MOST_LINE_UPS, line


def test_the_file_has_each_shape_of_up_to_64_bots_of_which_a_set_is_small_enough():
    """Of larger fields it lacks some, which are then drawn as those that need more than
    500.
    """
    there = {parsed(line)[0] for line in FILE.read_text().splitlines()}
    possible = {
        (bots, seats)
        for seats in range(3, 11)
        for bots in range(seats + 1, 65)
        if any(shares(bots, seats))
    }
    assert {shape for shape in there if shape[0] <= 64} == possible


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 7])
def test_small_fields_and_copies_fill_the_seats_alike(seats):
    for bots in range(1, seats + 1):
        chosen = all_meet(bots, seats, copies=seats)
        assert chosen is not None
        assert len(set(sat(chosen, bots))) == 1
        assert all_pairs_meet(chosen, bots)
        assert {max(map(line_up.count, line_up)) for line_up in chosen} == {-(-seats // bots)}
        assert len(set(chosen)) == len(chosen)
    assert all_meet(2, 5, copies=2) is None  # cannot be filled


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 8), min_size=3, max_size=24),
    st.integers(2, 5),
    st.binary(min_size=32, max_size=32),
)
def test_authors_kept_apart_meet_all_others_and_sit_equally_within_an_author(authors, seats, key):
    bots = len(authors)
    chosen = all_meet(bots, seats, 1, authors)
    if len(set(authors)) < seats:
        assert chosen is None
        return
    assert chosen is not None
    drawn = by_lot(chosen, bots, authors, key)
    assert all_pairs_meet(drawn, bots, authors)
    assert without_meeting(drawn, bots, authors)[0] == 0
    for author in set(authors):
        often = [times for bot, times in enumerate(sat(drawn, bots)) if authors[bot] == author]
        assert max(often) - min(often) <= 1
    assert (
        len(drawn)
        == len(set(drawn))
        == len(chosen)
        <= count_line_ups(bots, seats, 1, tuple(authors))
    )


def test_the_lot_only_renames_and_each_name_is_drawn():
    chosen = all_meet(7, 3)
    drawn = [by_lot(chosen, 7, (), bytes([n]) * 32) for n in range(40)]
    assert all(all_pairs_meet(one, 7) and len(one) == 7 for one in drawn)
    assert len(set(drawn)) > 15  # of the 30 that there are
    assert by_lot(chosen, 7, (), KEY) == by_lot(chosen, 7, (), KEY)


def test_sets_that_were_drawn_once_are_drawn_again():
    """They are part of what defines an event: never change what this test expects."""
    assert by_lot(all_meet(6, 3), 6, (), KEY) == SIX
    assert by_lot(all_meet(5, 3, 1, (0, 0, 1, 2, 2)), 5, (0, 0, 1, 2, 2), KEY) == TWO_PAIRS


def test_a_round_robin_plays_the_set_that_its_terms_name():
    terms = Terms("round-robin", 12, 3, 2, most=24, draw=ALL_MEET, key=KEY)
    (shape,) = shapes(terms)
    (drawn,) = rounds(terms, lambda _: None)
    assert shape.line_ups == len(drawn.line_ups) == 24
    assert drawn.total == 220
    assert drawn.line_ups == by_lot(all_meet(12, 3), 12, (), KEY)
    assert all_pairs_meet(drawn.line_ups, 12)
    without = Terms("round-robin", 12, 3, 2, most=24, key=KEY)
    (before,) = rounds(without, lambda _: None)
    assert before.line_ups == line_ups(12, 3, limit=24, key=KEY).chosen != drawn.line_ups


@pytest.mark.parametrize(
    ("terms", "line"),
    [
        (
            Terms("round-robin", 12, 3, 2, most=23, draw=ALL_MEET, key=KEY),
            "no set of 23 line-ups of 12 bots at 3 seats",
        ),
        (
            Terms("round-robin", 60, 3, 2, most=400, draw=ALL_MEET, key=KEY),
            "no set of 400 line-ups",
        ),
        (
            Terms("gauntlet", 6, 3, 2, draw=ALL_MEET, key=KEY),
            "the draw 'all-meet' is not for --format gauntlet",
        ),
        (
            Terms("round-robin", 6, 3, 2, most=6, draw="another", key=KEY),
            "the draw 'another' is not for",
        ),
    ],
)
def test_a_definition_that_names_no_such_set_is_refused(terms, line):
    with pytest.raises(ConfigError, match=line):
        check_terms(terms)


def test_renaming_goes_round_in_each_cycle():
    assert rename_bots([(0, 1, 3)], 3) == {(0, 1, 3), (1, 2, 4), (0, 2, 5)}


SIX = ((0, 1, 5), (0, 2, 3), (0, 3, 4), (1, 2, 4), (1, 3, 5), (2, 4, 5))
TWO_PAIRS = ((0, 2, 3), (0, 2, 4), (1, 2, 3), (1, 2, 4))
