"""The timetable: every place of every format, and matches at them whatever order they
are asked for in.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import placed
from msgspec.structs import replace

from khiva_arena.common.result import Result
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.rating.schedule.formats import Format, Shape, Terms
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.rating.schedule.timetable import Timetable

KEY = bytes(range(32))


def terms_of(form: Format, seats: int, more: int, seeds: int) -> Terms:
    """Terms with more bots than seats; in a batch of a league each bot sits at as many
    tables as there are seats.
    """
    bots = seats + more
    tables = tuple(tuple((first + seat) % bots for seat in range(seats)) for first in range(bots))
    return Terms(form, bots, seats, seeds, key=KEY, tables=tables if form is Format.LEAGUE else ())


TERMS = st.builds(
    terms_of,
    st.sampled_from([form for form in Format if form is not Format.PLAY]),
    st.integers(2, 4),
    st.integers(1, 4),
    st.integers(1, 2),
)


def played(match: ScheduledMatch) -> Result:
    """Bots of low numbers win."""
    order = sorted(match.bots)
    ranks = tuple(1 + order.index(bot) for bot in match.bots)
    return placed(
        match.k, match.lineup, match.rotation, match.bots, ranks, tuple(-rank for rank in ranks)
    )


class Played:
    """Results of rounds as they are played, one match after the other."""

    def __init__(self) -> None:
        self.results: dict[int, Result] = {}

    def of(self, shape: Shape) -> Sequence[Result] | None:
        ordinals = range(shape.first_ordinal, shape.first_ordinal + shape.matches)
        found = [self.results[ordinal] for ordinal in ordinals if ordinal in self.results]
        return found if len(found) == shape.matches else None


@pytest.mark.soak
@settings(max_examples=25)
@given(TERMS)
def test_every_place_is_played_once_and_matches_are_the_same_in_any_order(terms: Terms) -> None:
    play = Played()
    live = Timetable(terms, play.of)
    every = []
    for ordinal in range(live.matches):
        match = live.match(ordinal)
        assert match is not None
        assert (match.k, match.lineup, match.rotation) == live.place(ordinal)
        assert match.ordinal == ordinal
        every.append(match)
        play.results[ordinal] = played(match)
    assert len({live.place(ordinal) for ordinal in range(live.matches)}) == live.matches
    assert {match.k for match in every} == set(range(live.seeds))
    assert live.match(live.matches) is live.match(-1) is live.place(live.matches) is None
    afterwards = Timetable(terms, play.of)
    for ordinal in sorted(range(live.matches), key=lambda n: (n * 7919) % live.matches):
        assert afterwards.match(ordinal) == every[ordinal]


@pytest.mark.parametrize("form", [Format.SWISS, Format.KNOCKOUT])
def test_a_later_round_is_not_drawn_before_the_one_before_it_is_over(form: Format) -> None:
    play = Played()
    timetable = Timetable(Terms(form, 9, 3, 2, key=KEY), play.of)
    first, second = timetable.shapes[:2]
    for ordinal in range(first.matches - 1):
        match = timetable.match(ordinal)
        assert match is not None
        play.results[ordinal] = played(match)
    assert timetable.match(second.first_ordinal) is None
    last = timetable.match(first.matches - 1)
    assert last is not None
    play.results[last.ordinal] = played(last)
    assert timetable.match(second.first_ordinal) is not None


def test_terms_that_make_no_event_are_refused() -> None:
    with pytest.raises(ConfigError, match="seats"):
        Timetable(Terms(Format.SWISS, 2, 3, 1, key=KEY))


def test_each_round_is_drawn_once_and_its_results_are_asked_for_once() -> None:
    """Whatever the number of matches: a round of 2,000 bots takes a second to draw."""
    play, asked = Played(), []

    def results(shape: Shape) -> Sequence[Result] | None:
        asked.append(shape.number)
        return play.of(shape)

    timetable = Timetable(Terms(Format.SWISS, 8, 2, 1, rounds=12, key=KEY), results)
    for ordinal in range(timetable.matches):
        match = timetable.match(ordinal)
        assert match is not None
        play.results[ordinal] = played(match)
    assert asked == list(range(11))


def test_a_round_with_results_of_other_bots_is_refused_each_time() -> None:
    play = Played()
    timetable = Timetable(Terms(Format.SWISS, 6, 2, 1, rounds=2, key=KEY), play.of)
    for ordinal in range(timetable.shapes[0].matches):
        match = timetable.match(ordinal)
        assert match is not None
        play.results[ordinal] = played(match)
    first = play.results[0]
    play.results[0] = replace(first, bots=tuple((bot + 1) % 6 for bot in first.bots))
    for _ in range(2):
        with pytest.raises(StoreError, match="round 1"):
            timetable.match(timetable.shapes[1].first_ordinal)
