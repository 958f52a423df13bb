"""What holds for every format: seats, neighbours, order of play, determinism, and going
on after a stop.
"""

from collections import Counter
from dataclasses import replace
from hashlib import sha256
from itertools import chain, permutations
from random import Random

import pytest
from cases import cases
from competing import first_round, play, results_of, terms_of
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import placed
from msgspec import structs
from wording import pattern

from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.rating.schedule import lineups, seating
from khiva_arena.rating.schedule.formats import (
    Format,
    Terms,
    check_terms,
    places,
    rounds,
    schedule,
    shapes,
)
from khiva_arena.rating.schedule.orders import BLOCK_SEEDS

KEY = bytes(range(32))
LISTED = (Format.ROUND_ROBIN, Format.GAUNTLET, Format.SPRT)
ROUNDS = (Format.SWISS, Format.KNOCKOUT)


@pytest.mark.slow
@settings(max_examples=25)
@given(terms_of(), st.data())
def test_each_round_of_any_event_keeps_the_laws(terms, data):
    every, results = play(terms)
    shapes_are_known_before_and_rounds_have_them(terms, every, results)
    matches = [[*schedule(terms, drawn)] for drawn in every]
    ordinals_are_in_a_row_and_every_bot_of_a_table_sits_in_every_seat_equally_often(
        terms, every, [*chain(*matches)]
    )
    at = data.draw(st.integers(0, len(every) - 1))
    begun = matches[at][: data.draw(st.integers(0, len(matches[at])))]
    a_stopped_event_has_played_every_line_up_equally_plus_or_minus_one_seed(terms, every[at], begun)
    no_bot_is_twice_at_a_table_unless_copies_are_asked_for(terms, every)
    places_hold_every_bot_once_and_ties_share(terms, results)
    rng = Random(data.draw(st.integers(0, 2**32)))
    mixed = [rng.sample(found, len(found)) for found in results]
    the_same_for_the_same_and_the_order_of_results_does_not_matter(terms, every, results, mixed)


def shapes_are_known_before_and_rounds_have_them(terms, every, results):
    known = shapes(terms)
    assert len(known) == len(every)
    for shape, drawn, found in zip(known, every, results, strict=True):
        assert (shape.number, shape.first_seed, shape.seeds) == (
            drawn.number,
            drawn.first_seed,
            drawn.seeds,
        )
        assert (shape.line_ups, shape.first_ordinal) == (len(drawn.line_ups), drawn.first_ordinal)
        assert shape.matches == len(found)
        assert drawn.total >= len(drawn.line_ups)
        assert list(drawn.line_ups) == sorted(set(drawn.line_ups))
        assert all(list(line_up) == sorted(line_up) for line_up in drawn.line_ups)
    assert [shape.first_seed for shape in known] == [terms.seeds * i for i in range(len(known))]


def ordinals_are_in_a_row_and_every_bot_of_a_table_sits_in_every_seat_equally_often(
    terms, every, matches
):
    """Ordinals seed by seed, line-up by line-up, rotation by rotation."""
    assert [match.ordinal for match in matches] == list(
        range(sum(shape.matches for shape in shapes(terms)))
    )
    assert [(m.k, m.lineup, m.rotation) for m in matches] == [
        (drawn.first_seed + k, lineup, rotation)
        for drawn in every
        for k in range(drawn.seeds)
        for lineup in range(len(drawn.line_ups))
        for rotation in range(terms.seats)
    ]
    seated = Counter((m.k, m.lineup, bot, seat) for m in matches for seat, bot in enumerate(m.bots))
    for drawn in every:
        for k in range(drawn.first_seed, drawn.first_seed + drawn.seeds):
            for lineup, line_up in enumerate(drawn.line_ups):
                for bot in line_up:
                    counts = [seated[k, lineup, bot, seat] for seat in range(terms.seats)]
                    assert counts == [line_up.count(bot)] * terms.seats, (
                        f"{drawn=} {k=} {lineup=} {line_up=}"
                    )


def a_stopped_event_has_played_every_line_up_equally_plus_or_minus_one_seed(terms, drawn, matches):
    begun = Counter((match.lineup, match.k) for match in matches)
    seeds = Counter(lineup for lineup, _ in begun)
    counts = [seeds[lineup] for lineup in range(len(drawn.line_ups))]
    assert max(counts) - min(counts) <= 1
    assert (
        sum(count < terms.seats for count in begun.values()) <= 1
    )  # all tables that were begun are complete except one


def no_bot_is_twice_at_a_table_unless_copies_are_asked_for(terms, every):
    for drawn in every:
        for line_up in drawn.line_ups:
            assert len(line_up) == terms.seats, f"{drawn=} {line_up=}"
            assert max(map(line_up.count, line_up)) <= terms.copies, f"{drawn=} {line_up=}"
            assert len(set(line_up)) > 1, f"{drawn=} {line_up=}"
        at_tables = Counter(bot for line_up in drawn.line_ups for bot in set(line_up))
        if terms.format in ROUNDS:
            assert max(at_tables.values()) == 1
            assert not set(drawn.byes) & set(at_tables)


def the_same_for_the_same_and_the_order_of_results_does_not_matter(terms, every, results, mixed):
    assert list(rounds(terms, lambda shape: mixed[shape.number])) == every
    assert places(terms, mixed) == places(terms, results)


def places_hold_every_bot_once_and_ties_share(terms, results):
    found = places(terms, results)
    assert sorted(place.bot for place in found) == list(range(terms.bots))
    numbers = [place.place for place in found]
    assert numbers == [1 + sum(other < number for other in numbers) for number in numbers]
    if terms.format in LISTED:
        scores = [-1 if place.score is None else place.score for place in found]
        assert numbers == [1 + sum(other > score for other in scores) for score in scores]


@pytest.mark.slow
@settings(max_examples=20)
@given(terms_of(most_seeds=2))
def test_neighbours_are_balanced_within_each_round(terms):
    """Whole blocks of seeds: each bot is next to each other of its table equally often,
    line-up by line-up.
    """
    terms = replace(terms, seeds=BLOCK_SEEDS[terms.seats])
    for drawn in play(terms)[0]:
        arcs = Counter()
        for match in schedule(terms, drawn):
            seated = match.bots
            arcs.update(
                (match.lineup, a, b)
                for a, b in zip(seated, seated[1:] + seated[:1], strict=True)
                if a != b
            )
        for lineup, line_up in enumerate(drawn.line_ups):
            for a, b in permutations(set(line_up), 2):
                fair = BLOCK_SEEDS[terms.seats] * terms.seats // (terms.seats - 1)
                assert arcs[lineup, a, b] == line_up.count(a) * line_up.count(b) * fair, (
                    f"{drawn=} {lineup=} {line_up=} {a=}"
                )


@pytest.mark.slow
@settings(max_examples=20)
@given(terms_of(ROUNDS), st.data())
def test_an_event_that_stops_after_any_round_goes_on_as_it_would_have(terms, data):
    every, results = play(terms)
    stop = data.draw(st.integers(0, len(every) - 1))
    assert (
        list(rounds(terms, lambda shape: results[shape.number] if shape.number < stop else None))
        == every[: stop + 1]
    )
    drawn = data.draw(st.sampled_from(every))
    k = data.draw(st.integers(0, drawn.first_seed + drawn.seeds - 1))
    assert list(schedule(terms, drawn, k)) == [
        match for match in schedule(terms, drawn) if match.k >= k
    ]


def test_results_are_asked_for_when_the_next_round_is_drawn_and_those_of_the_last_never():
    terms = Terms(Format.SWISS, 8, 2, 1, rounds=3, key=KEY)
    asked = []

    def results(shape):
        asked.append(shape.number)
        return results_of(terms, every[shape.number])

    every = []
    for drawn in rounds(terms, results):
        every.append(drawn)
        assert asked == list(range(drawn.number))


def test_places_before_any_result_are_all_the_first():
    for form in Format:
        assert {place.place for place in places(Terms(form, 6, 2, 1, key=KEY), [])} == {1}


def test_scores_are_shares_of_the_bots_one_finished_ahead_of():
    terms = Terms(Format.ROUND_ROBIN, 3, 3, 1, key=KEY)
    results = [
        placed(0, 0, 0, (0, 1, 2), (1, 1, 3), (9, 9, 2)),
        placed(0, 0, 1, (1, 2, 0), (3, 1, 2), (1, 9, 5)),
    ]
    found = {place.bot: place.score.limit_denominator() for place in places(terms, [results])}
    assert found == {0: (3 + 2) / 8, 1: 3 / 8, 2: 4 / 8}


@pytest.mark.slow
@settings(max_examples=20)
@given(terms_of([Format.ROUND_ROBIN]))
def test_a_round_robin_is_the_one_that_stores_hold(terms):
    """Round 0 is drawn with the key itself: schedules of earlier versions stay what
    they were.
    """
    chosen = lineups.line_ups(terms.bots, terms.seats, terms.copies, terms.most, key=terms.key)
    drawn = first_round(terms)
    assert (drawn.line_ups, drawn.total) == (chosen.chosen, chosen.total)
    assert list(schedule(terms, drawn)) == list(
        seating.schedule(chosen.chosen, terms.seeds, key=terms.key)
    )


@pytest.mark.slow
@settings(max_examples=20)
@given(terms_of([Format.ROUND_ROBIN]))
def test_opponents_of_a_round_robin_meet_equally_often(terms):
    drawn = first_round(replace(terms, most=10**6))
    met = Counter(
        (a, b) for match in schedule(terms, drawn) for a in match.bots for b in match.bots if a != b
    )
    assert len(set(met.values())) == 1


def test_rounds_differ_in_their_draws():
    """Each round has a key of its own: bots that meet in both rounds are not seated
    alike by necessity.
    """
    terms = Terms(Format.SWISS, 3, 3, 4, rounds=6, key=KEY)
    every, _ = play(terms)
    assert {drawn.line_ups for drawn in every} == {((0, 1, 2),)}
    assert len({tuple(match.bots for match in schedule(terms, drawn)) for drawn in every}) > 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: found[1:], "round 1 is not complete: 1 of its matches have no result"),
        (lambda found: [*found, found[0]], pattern("schedule", "holds-results-not-schedule")),
        (
            lambda found: [structs.replace(found[0], seed=9), *found[1:]],
            pattern("schedule", "holds-results-not-schedule"),
        ),
        (
            lambda found: [structs.replace(found[0], rotation=2), *found[1:]],
            pattern("schedule", "holds-results-not-schedule"),
        ),
        (
            lambda found: [structs.replace(found[0], bots=(7, 7)), *found[1:]],
            "seed 0, line-up 0: other bots than were drawn",
        ),
    ],
)
def test_results_of_another_round_are_refused(change, words):
    terms = Terms(Format.SWISS, 8, 2, 1, rounds=3, key=KEY)
    found = change(results_of(terms, first_round(terms)))
    with pytest.raises(StoreError, match=words):
        list(rounds(terms, lambda shape: found))


@cases(
    ("terms", "words"),
    [
        (Terms(Format.ROUND_ROBIN, 3, 4, 1, key=KEY), "--copies 2"),
        (
            Terms(Format.GAUNTLET, 3, 4, 1, key=KEY),
            "2 bots beside the --candidate cannot fill 3 seats.*--copies 2",
        ),
        (Terms(Format.SPRT, 2, 4, 1, copies=2, key=KEY), "--copies 3"),
        (
            Terms(Format.GAUNTLET, 1, 2, 1, key=KEY),
            "every bot is a --candidate: a gauntlet needs others to play them",
        ),
        (
            Terms(Format.GAUNTLET, 5, 2, 1, candidates=(1, 1), key=KEY),
            "--candidate names a bot twice",
        ),
        (
            Terms(Format.GAUNTLET, 5, 2, 1, candidates=(5,), key=KEY),
            pattern("schedule", "candidate-names-bot-not"),
        ),
        (
            Terms(Format.GAUNTLET, 5, 2, 1, candidates=(0, 1), most=1, key=KEY),
            "--lineups 1 is less than one for each --candidate",
        ),
        (Terms(Format.SPRT, 5, 2, 1, candidates=(0, 1), key=KEY), "one --candidate, not of 2"),
        (Terms(Format.GAUNTLET, 5, 2, 1, copies=0, key=KEY), "--copies is at least 1, not 0"),
        (
            Terms(Format.SWISS, 3, 4, 1, key=KEY),
            pattern("schedule", "bots-cannot-fill-table", bots="3", seats="4"),
        ),
        (
            Terms(Format.KNOCKOUT, 3, 4, 1, key=KEY),
            pattern("schedule", "bots-cannot-fill-table", bots="3", seats="4"),
        ),
        (Terms(Format.SWISS, 0, 4, 1, key=KEY), "there are no bots to play"),
        (Terms(Format.SWISS, 19, 11, 1, key=KEY), "a table has 2 to 10 seats, not --seats 11"),
        (Terms(Format.SWISS, 9, 3, 1, rounds=0, key=KEY), "--rounds is 1 to 1000, not 0"),
        (
            Terms(Format.KNOCKOUT, 9, 3, 1, advance=3, key=KEY),
            pattern("schedule", "advance-table-not", seats="2", seats_2="3", advance="3"),
        ),
        (
            Terms(Format.KNOCKOUT, 9, 3, 1, advance=0, key=KEY),
            pattern("schedule", "advance-table-not", seats="2", seats_2="3", advance="0"),
        ),
        (Terms(Format.SWISS, 9, 3, 0, key=KEY), pattern("schedule", "seeds-least-not", seeds="0")),
        (
            Terms(Format.SWISS, 9, 3, 1, copies=2, key=KEY),
            "--copies is not for --format swiss: it goes with round-robin and",
        ),
        (
            Terms(Format.KNOCKOUT, 9, 3, 1, most=9, key=KEY),
            "--lineups is not for --format knockout",
        ),
        (
            Terms(Format.KNOCKOUT, 9, 3, 1, rounds=2, key=KEY),
            "--rounds is not for --format knockout: it goes with swiss",
        ),
        (
            Terms(Format.ROUND_ROBIN, 9, 3, 1, advance=2, key=KEY),
            "--advance is not for --format round-robin",
        ),
        (
            Terms(Format.SWISS, 9, 3, 1, candidates=(1,), key=KEY),
            "--candidate is not for --format swiss",
        ),
        (
            Terms(Format.ROUND_ROBIN, 4, 3, 1, copies=2, authors=(0, 0, 1, 2), key=KEY),
            "--copies and --authors-apart do not go together: copies of a bot have one author",
        ),
        (
            Terms(Format.ROUND_ROBIN, 4, 3, 1, authors=(0, 0, 1, 1), key=KEY),
            "--authors-apart: bots of 2 authors cannot fill 3",
        ),
        (
            Terms(Format.GAUNTLET, 5, 3, 1, authors=(0, 0, 1, 1, 1), key=KEY),
            "of 1 other author to bot 1, a --candidate, for 2",
        ),
        (
            Terms(Format.SWISS, 7, 3, 1, authors=(0, 0, 0, 1, 2, 3, 4), key=KEY),
            "--authors-apart: 3 bots .* a round has 2 tables",
        ),
        (
            Terms(Format.KNOCKOUT, 5, 4, 1, authors=(0, 0, 1, 2, 3), key=KEY),
            "--authors-apart: 2 bots .* round 1 has 1 table ",
        ),
    ],
)
def test_terms_that_make_no_event_name_the_flag(terms, words):
    with pytest.raises(ConfigError, match=words) as error:
        check_terms(terms)
    assert len(error.value.problems) == 1
    for refused in (shapes, lambda terms: list(rounds(terms, lambda shape: None))):
        with pytest.raises(ConfigError):
            refused(terms)


def test_every_mistake_is_reported_at_once():
    with pytest.raises(ConfigError) as error:
        check_terms(Terms(Format.SWISS, 3, 4, 0, copies=2, most=3, advance=1, key=KEY))
    assert len(error.value.problems) == 5


def test_a_large_event_is_shaped_without_listing_it():
    shape = shapes(Terms(Format.ROUND_ROBIN, 200, 5, 10**6, most=10**9, key=KEY))[0]
    assert shape.line_ups == 10**9
    assert shapes(Terms(Format.GAUNTLET, 200, 5, 10**6, key=KEY))[0].line_ups == 500


def test_draws_are_the_same_on_any_machine():
    """Golden: a change here changes the matches of events that are already played."""
    for terms, golden in GOLDEN.items():
        every, _ = play(terms)
        seated = [[match.bots for match in schedule(terms, drawn)] for drawn in every]
        said = repr(
            [
                (d.line_ups, d.byes, d.together, d.total, bots)
                for d, bots in zip(every, seated, strict=True)
            ]
        )
        assert sha256(said.encode()).hexdigest()[:16] == golden, terms


AUTHORS = (0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8)
GOLDEN = {
    Terms(Format.GAUNTLET, 9, 3, 2, most=20, candidates=(2, 4), key=KEY): "363ac19adfd0faeb",
    Terms(Format.SPRT, 2, 4, 3, copies=3, key=KEY): "7f77f74e5f6a0fcd",
    Terms(Format.SWISS, 11, 3, 2, key=KEY): "b881e52253c01e80",
    Terms(Format.SWISS, 11, 3, 2, authors=AUTHORS, seeded=True, key=KEY): "fdff864703395e03",
    Terms(Format.KNOCKOUT, 11, 4, 2, key=KEY): "cd7b10968545b2cb",
    Terms(
        Format.KNOCKOUT, 11, 3, 2, advance=2, authors=AUTHORS, seeded=True, key=KEY
    ): "b1666747329933f8",
    Terms(Format.ROUND_ROBIN, 11, 4, 1, most=40, authors=AUTHORS, key=KEY): "79f073417ef4c3be",
}
