"""The knockout by tables: how many are left, who goes on, who rests, and that authors
are apart as long as they can be.
"""

from collections import Counter
from itertools import combinations

import pytest
from competing import KEYS, first_round, play, results_of, terms_of
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import placed

from khiva_arena.rating.schedule.formats import Format, Terms, places, rounds, shapes
from khiva_arena.rating.schedule.knockout import bracket

KEY = bytes(range(32))
KNOCKOUT = [Format.KNOCKOUT]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_knockout_ends_at_a_full_final_table(seats):
    for advance in range(1, seats):
        for bots in range(seats, 150):
            every = bracket(bots, seats, advance)
            left = bots
            for stage in every[:-1]:
                assert stage.left == left, f"{advance=} {bots=} {stage=}"
                assert 1 <= stage.tables <= left // seats, f"{advance=} {bots=} {stage=}"
                assert stage.advance >= advance, f"{advance=} {bots=} {stage=}"
                assert stage.advance == advance or (stage.tables, left - seats) == (
                    1,
                    seats - stage.advance,
                ), f"{advance=} {bots=} {stage=}"
                left -= stage.tables * (seats - stage.advance)
            assert (left, every[-1].left, every[-1].tables) == (seats, seats, 1), (
                f"{advance=} {bots=}"
            )


def test_pairs_are_the_bracket_that_everybody_knows():
    assert [stage.tables for stage in bracket(16, 2, 1)] == [8, 4, 2, 1]
    assert [(stage.left, stage.tables) for stage in bracket(11, 2, 1)] == [
        (11, 5),
        (6, 3),
        (3, 1),
        (2, 1),
    ]
    terms = Terms(Format.KNOCKOUT, 8, 2, 1, seeded=True, key=KEY)
    every, results = play(terms, luck=0)
    assert every[0].line_ups == ((0, 7), (1, 6), (2, 5), (3, 4))
    assert every[1].line_ups == ((0, 3), (1, 2))
    assert every[2].line_ups == ((0, 1),)
    found = places(terms, results)
    assert [(place.bot, place.place, place.detail.out) for place in found] == [
        *[(0, 1, None), (1, 2, 2), (2, 3, 1), (3, 3, 1)],
        *[(bot, 5, 0) for bot in (4, 5, 6, 7)],
    ]


@settings(max_examples=30)
@given(terms_of(KNOCKOUT))
def test_the_best_of_each_table_and_who_rests_go_on(terms):
    every, results = play(terms)
    for stage, drawn, found, later in zip(
        bracket(terms.bots, terms.seats, terms.advance or max(1, terms.seats // 2)),
        every,
        results,
        every[1:],
        strict=False,
    ):
        on = {bot for line_up in later.line_ups for bot in line_up} | set(later.byes)
        assert set(drawn.byes) <= on
        won, pairs = Counter(), Counter()
        for result in found:
            for (a, rank_a), (b, rank_b) in combinations(
                zip(result.bots, result.ranks, strict=True), 2
            ):
                won[a] += 1 + (rank_a < rank_b) - (rank_a > rank_b)
                won[b] += 1 + (rank_b < rank_a) - (rank_b > rank_a)
                pairs[a] += 1
                pairs[b] += 1
        for line_up in drawn.line_ups:
            assert len({pairs[bot] for bot in line_up}) == 1, (
                f"{stage=} {drawn=} {later=} {line_up=}"
            )
            assert len(on & set(line_up)) == stage.advance, f"{stage=} {drawn=} {later=} {line_up=}"
            assert min(won[bot] for bot in on & set(line_up)) >= max(
                won[bot] for bot in set(line_up) - on
            ), f"{stage=} {drawn=} {later=} {line_up=}"


@pytest.mark.slow
@settings(max_examples=30)
@given(terms_of(KNOCKOUT))
def test_byes_are_given_in_turn(terms):
    every, _ = play(terms)
    byes = Counter()
    for drawn in every:
        left = [*drawn.byes, *(bot for line_up in drawn.line_ups for bot in line_up)]
        rested, played = (
            [byes[bot] for bot in drawn.byes],
            [byes[bot] for bot in left if bot not in drawn.byes],
        )
        assert max(rested, default=0) <= min(played)
        byes.update(drawn.byes)
    assert every[-1].byes == ()


def test_the_best_seeded_rest():
    every, _ = play(Terms(Format.KNOCKOUT, 10, 4, 1, seeded=True, key=KEY), luck=0)
    assert every[0].byes == (0, 1)
    assert every[0].line_ups == ((2, 5, 6, 9), (3, 4, 7, 8))
    assert every[1].byes == (2, 3)  # who had no bye before
    assert every[2].line_ups == ((0, 1, 2, 3),)


@settings(max_examples=30)
@given(terms_of(KNOCKOUT))
def test_the_final_gives_places_of_its_own_and_a_round_shares_one(terms):
    every, results = play(terms)
    found = places(terms, results)
    assert [place.place for place in found[: terms.seats]] == list(range(1, terms.seats + 1))
    assert {place.bot for place in found[: terms.seats]} == set(every[-1].line_ups[0])
    assert found[0].detail.out is None
    for place in found[1:]:
        last = max(
            drawn.number
            for drawn in every
            if any(place.bot in line_up for line_up in drawn.line_ups)
        )
        assert place.detail.out == last
        assert (place.place > terms.seats) == (last < len(every) - 1)
    by_round = Counter((place.detail.out, place.place) for place in found[terms.seats :])
    assert len(by_round) == len(every) - 1
    for place in found:
        assert place.detail.byes == sum(place.bot in drawn.byes for drawn in every)


@pytest.mark.parametrize(
    ("second", "winner", "why"),
    [
        (
            placed(0, 0, 1, (1, 0), (1, 2), (9, 2)),
            1,
            "first places and pair scores equal, game score decides",
        ),
        (placed(0, 0, 1, (1, 0), (1, 2), (3, 2)), 0, "all equal, the better seeded goes on"),
        (placed(0, 0, 1, (1, 0), (1, 1), (3, 3)), 0, "pair score decides"),
    ],
)
def test_who_wins_a_table(second, winner, why):
    """Bot 0 wins the first match 3 to 2."""
    terms = Terms(Format.KNOCKOUT, 2, 2, 1, seeded=True, key=KEY)
    found = places(terms, [[placed(0, 0, 0, (0, 1), (1, 2), (3, 2)), second]])
    assert [place.bot for place in found] == [winner, 1 - winner], why


def test_first_places_decide_before_the_game_score():
    terms = Terms(Format.KNOCKOUT, 3, 3, 1, seeded=True, key=KEY)
    ranks = [
        (2, 1, 3),
        (2, 3, 1),
        (2, 1, 3),
    ]  # by bot: 0 is in the middle three times, 1 wins twice
    results = [placed(0, 0, r, (0, 1, 2), ranks[r], (50, 5, 1)) for r in range(3)]
    found = places(terms, [results])
    assert [place.bot for place in found] == [1, 0, 2]
    even = [placed(0, 0, r, (0, 1, 2), ranks[r], (50, 5, 1)) for r in range(2)]
    even.append(placed(0, 0, 2, (0, 1, 2), (2, 2, 2), (50, 5, 1)))
    found = places(terms, [even])  # all three have half their pairs; 1 and 2 have two firsts, 0 one
    assert [place.bot for place in found] == [1, 2, 0]


def test_while_it_is_not_over_all_that_are_in_share_the_first_place():
    terms = Terms(Format.KNOCKOUT, 8, 2, 1, seeded=True, key=KEY)
    every, results = play(terms, luck=0)
    assert {place.place for place in places(terms, [results[0][:1]])} == {1}
    found = places(terms, [results[0], results[1][:1]])
    assert [(place.place, place.detail.out) for place in found] == [(1, None)] * 4 + [(5, 0)] * 4
    assert len(every) == 3


@settings(max_examples=40)
@given(st.integers(2, 5), st.integers(0, 16), st.data())
def test_authors_meet_only_where_one_has_more_bots_left_than_there_are_tables(seats, more, data):
    bots = seats + more
    tables = bracket(bots, seats, max(1, seats // 2))[0].tables
    authors = tuple(
        data.draw(
            st.permutations([bot // data.draw(st.integers(1, tables)) for bot in range(bots)])
        )
    )
    if max(Counter(authors).values()) > tables:
        return
    terms = Terms(
        Format.KNOCKOUT,
        bots,
        seats,
        1,
        authors=authors,
        seeded=data.draw(st.booleans()),
        key=data.draw(KEYS),
    )
    every, _ = play(terms)
    assert every[0].together == ()
    for drawn in every:
        pairs = [pair for line_up in drawn.line_ups for pair in combinations(line_up, 2)]
        assert list(drawn.together) == [(a, b) for a, b in pairs if authors[a] == authors[b]]
        here = Counter(authors[bot] for line_up in drawn.line_ups for bot in line_up)
        assert bool(drawn.together) == (max(here.values()) > len(drawn.line_ups))


def test_authors_are_parted_by_exchanges_of_neighbours_in_the_seeding():
    authors = (0, 1, 2, 3, 4, 5, 6, 0)
    terms = Terms(Format.KNOCKOUT, 8, 2, 1, seeded=True, authors=authors, key=KEY)
    assert first_round(terms).line_ups == ((0, 6), (1, 7), (2, 5), (3, 4))


def test_the_seeding_is_drawn_unless_it_is_given():
    drawn = [
        first_round(Terms(Format.KNOCKOUT, 16, 4, 1, key=bytes([i] * 32))).line_ups
        for i in range(5)
    ]
    assert len(set(drawn)) == 5


def test_the_last_table_before_the_final_may_be_small():
    """6 bots of 5 seats, 2 go on: one table of the five lowest, of which only the last
    goes out.
    """
    terms = Terms(Format.KNOCKOUT, 6, 5, 1, seeded=True, key=KEY)
    assert [shape.line_ups for shape in shapes(terms)] == [1, 1]
    drawn = first_round(terms)
    assert (drawn.line_ups, drawn.byes) == (((1, 2, 3, 4, 5),), (0,))
    found = results_of(terms, drawn, luck=0)
    assert list(rounds(terms, lambda shape: found))[1].line_ups == ((0, 1, 2, 3, 4),)
