"""The gauntlet: who meets whom, how often, and what is kept equal when not all line-ups
are played.
"""

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement

import pytest
from competing import KEYS, first_round, terms_of
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import placed

from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.formats import Format, Terms, check_terms, places, schedule, shapes

KEY = bytes(range(32))


def with_candidate(drawn, candidate):
    """Who sits beside a candidate, line-up by line-up."""
    found = []
    for line_up in drawn.line_ups:
        if candidate in line_up:
            rest = list(line_up)
            rest.remove(candidate)
            found.append(tuple(rest))
    return found


@settings(max_examples=40)
@given(terms_of([Format.GAUNTLET]))
def test_a_candidate_meets_every_line_up_of_the_others_and_no_other_candidate(terms):
    drawn = first_round(replace(terms, most=10**6))
    candidates = terms.candidates or (0,)
    others = [bot for bot in range(terms.bots) if bot not in candidates]
    every = [
        c
        for c in combinations_with_replacement(others, terms.seats - 1)
        if max(map(c.count, c)) <= terms.copies
    ]
    for candidate in candidates:
        assert with_candidate(drawn, candidate) == every
    assert len(drawn.line_ups) == drawn.total == len(every) * len(candidates)


@settings(max_examples=60)
@given(
    st.integers(4, 12),
    st.integers(2, 5),
    st.integers(1, 2),
    st.integers(1, 3),
    st.integers(3, 60),
    KEYS,
)
def test_a_part_is_balanced_and_equal_for_all_candidates(
    bots, seats, copies, candidates, most, key
):
    if (bots - candidates) * copies < seats - 1:
        return
    terms = Terms(
        Format.GAUNTLET, bots, seats, 1, copies, most, candidates=tuple(range(candidates)), key=key
    )
    drawn = first_round(terms)
    beside = [with_candidate(drawn, candidate) for candidate in range(candidates)]
    assert all(found == beside[0] for found in beside)
    assert len(beside[0]) == (
        drawn.total // candidates if drawn.total <= most else most // candidates
    )
    met = Counter(bot for line_up in beside[0] for bot in line_up)
    counts = [met[bot] for bot in range(candidates, bots)]
    assert max(counts) - min(counts) <= 1
    assert sum(counts) == len(beside[0]) * (seats - 1)


@settings(max_examples=40)
@given(st.integers(4, 9), st.integers(2, 4), st.integers(1, 2), st.integers(2, 40), st.data())
def test_nobody_meets_a_bot_of_its_author(bots, seats, candidates, most, data):
    authors = tuple(data.draw(st.lists(st.integers(0, bots), min_size=bots, max_size=bots)))
    beside = [
        {authors[bot] for bot in range(candidates, bots)} - {authors[candidate]}
        for candidate in range(candidates)
    ]
    if min(map(len, beside)) < seats - 1:
        return
    terms = Terms(
        Format.GAUNTLET,
        bots,
        seats,
        1,
        most=most,
        candidates=tuple(range(candidates)),
        authors=authors,
        key=data.draw(KEYS),
    )
    drawn = first_round(terms)
    assert len(drawn.line_ups) == len(set(drawn.line_ups)) == shapes(terms)[0].line_ups
    assert all(len({authors[bot] for bot in line_up}) == seats for line_up in drawn.line_ups)
    assert all(with_candidate(drawn, candidate) for candidate in range(candidates))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_sequential_test_is_one_candidate_at_a_table_of_copies_of_another(seats):
    terms = Terms(Format.SPRT, 2, seats, 4, copies=max(1, seats - 1), key=KEY)
    drawn = first_round(terms)
    assert drawn.line_ups == ((0, *[1] * (seats - 1)),)
    matches = list(schedule(terms, drawn))
    assert len(matches) == 4 * seats
    assert Counter(match.bots.index(0) for match in matches) == dict.fromkeys(range(seats), 4)


@pytest.mark.parametrize(
    ("bots", "seats", "copies"), [(4, 2, 1), (4, 3, 1), (4, 3, 2), (3, 4, 3), (5, 4, 1)]
)
def test_two_that_are_compared_sit_alike_with_the_same_others(bots, seats, copies):
    terms = Terms(
        Format.SPRT, bots, seats, 12, copies=copies, candidates=(0, 1), twins=True, key=KEY
    )
    drawn = first_round(terms)
    half = len(drawn.line_ups) // 2
    tables = {
        (match.k, match.lineup, match.rotation): match.bots for match in schedule(terms, drawn)
    }
    assert len(tables) == 12 * 2 * half * seats
    for (k, lineup, rotation), seated in tables.items():
        assert seated.count(0) == (lineup < half)
        if lineup < half:
            assert tables[k, lineup + half, rotation] == tuple(bot or 1 for bot in seated)
    if seats > 2 and copies == 1:
        assert (
            len(
                {
                    seated
                    for (_, lineup, rotation), seated in tables.items()
                    if not lineup and not rotation
                }
            )
            > seats
        )


@pytest.mark.parametrize(
    "terms",
    [{"candidates": (1, 0)}, {"candidates": (0, 2)}, {"candidates": (0, 1), "authors": (0, 1, 2)}],
)
def test_no_others_are_compared_by_third_bots(terms):
    with pytest.raises(ConfigError):
        check_terms(Terms(Format.SPRT, 3, 2, 1, twins=True, key=KEY, **terms))


def test_the_first_bot_is_the_candidate_if_none_is_named():
    assert first_round(Terms(Format.GAUNTLET, 4, 2, 1, key=KEY)).line_ups == (
        (0, 1),
        (0, 2),
        (0, 3),
    )
    assert first_round(Terms(Format.GAUNTLET, 4, 2, 1, candidates=(2,), key=KEY)).line_ups == (
        (0, 2),
        (1, 2),
        (2, 3),
    )


def test_copies_of_a_bot_score_nothing_against_each_other():

    terms = Terms(Format.SPRT, 2, 3, 1, copies=2, key=KEY)
    found = {
        place.bot: place.score
        for place in places(terms, [[placed(0, 0, 0, (0, 1, 1), (2, 1, 3), (5, 9, 1))]])
    }
    assert found == {0: 0.5, 1: 0.5}
