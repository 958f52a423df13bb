"""The order in which matches are played: whatever is left of a seed, no line-up twice
in a row if avoidable.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from khiva_arena.rating.schedule.formats import Format, Terms, draw, schedule, shapes
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.rating.schedule.timetable import spread

LINE_UPS, SEATS, SEEDS = 4, 3, 3
EVERY = [
    ScheduledMatch((k * LINE_UPS + lineup) * SEATS + rotation, k, lineup, rotation, ())
    for k in range(SEEDS)
    for lineup in range(LINE_UPS)
    for rotation in range(SEATS)
]


def avoidable(lineups: list[int], last: int) -> bool:
    """Whether these can follow ``last`` with no two alike in a row: all ways tried."""
    return any(
        all(one != other for one, other in pairwise((last, *way)))
        for way in set(permutations(lineups))
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(EVERY), unique=True, max_size=3 * 7))
def test_the_same_matches_seeds_in_order_and_no_line_up_twice_in_a_row(
    some: list[ScheduledMatch],
) -> None:
    by_seed = [[match for match in some if match.k == k][:7] for k in range(SEEDS)]
    left = sorted(
        (match for matches in by_seed for match in matches), key=lambda match: match.ordinal
    )
    played = list(spread(left))
    assert Counter(played) == Counter(left)
    assert [match.k for match in played] == sorted(match.k for match in left)
    last = -1
    for matches in by_seed:
        now = [match.lineup for match in played if matches and match.k == matches[0].k]
        if now and avoidable(now, last):
            assert all(one != other for one, other in pairwise((last, *now)))
        last = now[-1] if now else last
    for lineup in range(LINE_UPS):  # and rotations of a table come in their order
        mine = [match.ordinal for match in played if match.lineup == lineup]
        assert mine == sorted(mine)


def test_tables_of_a_whole_seed_take_turns() -> None:
    terms = Terms(Format.ROUND_ROBIN, 4, 3, seeds=2, key=bytes(32))
    drawn = draw(terms, shapes(terms)[0], [])
    played = list(spread(schedule(terms, drawn)))
    assert [(match.k, match.rotation, match.lineup) for match in played] == [
        (k, rotation, lineup) for k in range(2) for rotation in range(3) for lineup in range(4)
    ]


def test_one_line_up_alone_is_played_as_scheduled() -> None:
    alone = [match for match in EVERY if match.lineup == 0]
    assert list(spread(alone)) == alone


def test_a_seed_is_drawn_when_it_is_reached() -> None:
    drawn: list[int] = []

    def lazily() -> Iterator[ScheduledMatch]:
        for match in EVERY:
            drawn.append(match.k)
            yield match

    first = next(iter(spread(lazily())))
    assert first.k == 0
    assert set(drawn) == {0, 1}  # the first match of the next seed says that this one is whole
