"""The swiss by tables: new opponents, like with like, byes in turn, and authors never
at one table.
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from competing import first_round, meetings, play, results_of, terms_of
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import placed

from khiva_arena.rating.schedule.formats import Format, Terms, places, rounds, shapes
from khiva_arena.rating.schedule.scores import round_sums
from khiva_arena.rating.schedule.swiss import _order, default_rounds

KEY = bytes(range(32))
SWISS = [Format.SWISS]


@pytest.mark.slow
@settings(max_examples=15)
@given(terms_of(SWISS))
def test_each_event_keeps_the_laws(terms):
    every, results = play(terms)
    everybody_sits_or_has_a_bye_and_none_has_two_before_all_have_one(terms, every)
    places_are_by_score_then_by_the_opponents_scores(terms, every, results)


def everybody_sits_or_has_a_bye_and_none_has_two_before_all_have_one(terms, every):
    byes = Counter(dict.fromkeys(range(terms.bots), 0))
    for drawn in every:
        assert sorted(
            [*drawn.byes, *(bot for line_up in drawn.line_ups for bot in line_up)]
        ) == list(range(terms.bots))
        assert len(drawn.byes) == terms.bots % terms.seats
        byes.update(drawn.byes)
        assert max(byes.values()) - min(byes.values()) <= 1


def places_are_by_score_then_by_the_opponents_scores(terms, every, results):
    found = places(terms, results)
    score = {place.bot: place.score for place in found}
    for place in found:
        sat = [line_up for drawn in every for line_up in drawn.line_ups if place.bot in line_up]
        assert place.detail.tables == len(sat)
        assert place.detail.byes == len(every) - len(sat)
        met = [score[bot] for line_up in sat for bot in line_up if bot != place.bot]
        assert place.detail.opponents == (sum(met, Fraction(0)) / len(met) if met else None)
        assert place.detail.points == (place.score * len(sat) if sat else 0)
    ranked = [(place.score, place.detail.opponents) for place in found if place.score is not None]
    assert ranked == sorted(ranked, reverse=True)
    assert [place.score for place in found[len(ranked) :]] == [None] * (terms.bots - len(ranked))
    for (one, next_one), (a, b) in zip(pairwise(ranked), pairwise(found), strict=False):
        assert (a.place == b.place) == (one == next_one)


@settings(max_examples=10)
@given(st.integers(2, 4), st.integers(1, 3), st.booleans(), st.integers(0, 99))
def test_no_pair_meets_twice_in_a_field_that_is_large_enough(seats, number, seeded, seed):
    """Large enough: see ``grouping``. Each bot has met at most (rounds so far) (N - 1)
    others.
    """
    bots = (2 * seats - 1) * (seats - 1) * number + 2 * seats
    every, _ = play(
        Terms(Format.SWISS, bots, seats, 1, rounds=number + 1, seeded=seeded, key=KEY), seed=seed
    )
    assert max(meetings(every).values()) == 1


@pytest.mark.parametrize(
    ("bots", "seats"),
    [(4, 2), (8, 2), (12, 2), (16, 2), (9, 3), (15, 3), (27, 3), (16, 4), (20, 4), (25, 5)],
)
def test_small_fields_meet_anew_for_two_rounds(bots, seats):
    for seed in range(3):
        every, _ = play(Terms(Format.SWISS, bots, seats, 1, rounds=2, key=KEY), seed=seed)
        assert max(meetings(every).values()) == 1


def test_leaders_meet_leaders():
    """Without luck, 16 bots of 2 seats: after 4 rounds the order of the first is right,
    and the first two have met.
    """
    terms = Terms(Format.SWISS, 16, 2, 1, rounds=4, key=KEY)
    every, results = play(terms, luck=0)
    assert places(terms, results)[0].bot == 0
    assert meetings(every)[0, 1] == 1
    distance = [sum(b - a for a, b in drawn.line_ups) for drawn in every]
    assert distance[-1] < distance[0]


def test_the_first_round_is_by_lot_or_by_strength():
    terms = Terms(Format.SWISS, 9, 3, 1, seeded=True, key=KEY)
    assert first_round(terms).line_ups == ((0, 5, 6), (1, 4, 7), (2, 3, 8))
    drawn = {
        first_round(replace(terms, seeded=False, key=bytes([i] * 32))).line_ups for i in range(5)
    }
    assert len(drawn) == 5


def test_the_lowest_rest_first():
    terms = Terms(Format.SWISS, 7, 3, 1, rounds=4, seeded=True, key=KEY)
    every, results = play(terms, luck=0)
    assert every[0].byes == (6,)
    order = [place.bot for place in places(terms, results[:1])]
    lowest = [bot for bot in order if bot != 6][-1]
    assert every[1].byes == (lowest,)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(2, 4), st.integers(2, 5), st.integers(0, 3), st.data())
def test_bots_of_one_author_never_meet(seats, tables, more, data):
    bots = seats * tables + min(more, seats - 1)
    sizes = [bot % data.draw(st.integers(bots // tables + 1, bots)) for bot in range(bots)]
    authors = tuple(data.draw(st.permutations(sizes)))
    if max(Counter(authors).values()) > tables:
        return
    terms = Terms(
        Format.SWISS,
        bots,
        seats,
        1,
        rounds=3,
        authors=authors,
        seeded=data.draw(st.booleans()),
        key=KEY,
    )
    for drawn in play(terms)[0]:
        assert all(len({authors[bot] for bot in line_up}) == seats for line_up in drawn.line_ups)
        assert drawn.together == ()


def test_places_of_a_round_in_the_middle_count_no_bye_for_who_has_not_played_yet():
    terms = Terms(Format.SWISS, 8, 2, 1, rounds=2, key=KEY)
    some = results_of(terms, first_round(terms))[:2]  # one table
    found = places(terms, [some])
    assert {place.detail.byes for place in found} == {0}
    assert sorted(place.detail.tables for place in found) == [0] * 6 + [1] * 2


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_rounds_that_are_played_by_default(seats):
    for bots in range(seats, 300):
        number = default_rounds(bots, seats)
        all_play = next(rounds for rounds in (1, 2) if bots // seats * seats * rounds >= bots)
        new = (bots - 1) // (seats - 1)
        assert number == max(all_play, new) or (
            2 ** (number - 1) >= bots > 2 ** (number - 2) and all_play <= number <= new
        )
        assert len(shapes(Terms(Format.SWISS, bots, seats, 1, key=KEY))) == number


def test_as_many_rounds_as_are_asked_for_are_played_even_if_all_have_met():
    terms = Terms(Format.SWISS, 4, 2, 1, rounds=6, key=KEY)
    every, _ = play(terms)
    assert set(meetings(every).values()) == {2}
    assert len(list(rounds(terms, lambda shape: None))) == 1


def test_authors_are_kept_apart_even_where_that_makes_pairs_meet_again():
    """Two authors with two bots each, two seats: after two rounds all that may meet
    have met.
    """
    terms = Terms(Format.SWISS, 4, 2, 1, rounds=4, authors=(0, 0, 1, 1), key=KEY)
    every, _ = play(terms)
    met = meetings(every)
    assert not met[0, 1] + met[2, 3]
    assert max(met.values()) == 2


def test_who_met_stronger_opponents_is_drawn_above_an_equal_score():
    """Two rounds made up: 0 and 1 beat 4 and 5, who then tie, and lose to 2 and to 3. 2
    also won its first table: so of the equal 0 and 1, the one that met 2 has met the
    stronger.
    """

    def won(k, lineup, winner, loser):
        return [
            placed(k, lineup, 0, (winner, loser), (1, 2), (1, 0)),
            placed(k, lineup, 1, (loser, winner), (2, 1), (0, 1)),
        ]

    for met_the_stronger, other in ((0, 1), (1, 0)):
        first = [*won(0, 0, 0, 4), *won(0, 1, 1, 5), *won(0, 2, 2, 3)]
        drawn = [
            placed(1, 2, r, seated, (1, 1), (0, 0)) for r, seated in enumerate(((4, 5), (5, 4)))
        ]
        second = [*won(1, 0, 2, met_the_stronger), *won(1, 1, 3, other), *drawn]
        past = [round_sums(6, first), round_sums(6, second)]
        order = _order(Terms(Format.SWISS, 6, 2, 1, rounds=3, key=KEY), past)
        assert order.index(met_the_stronger) < order.index(other)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_by_default_everybody_plays(seats):
    for bots in range(seats, 4 * seats):
        every, _ = play(Terms(Format.SWISS, bots, seats, 1, key=KEY))
        assert {bot for drawn in every for table in drawn.line_ups for bot in table} == set(
            range(bots)
        )
