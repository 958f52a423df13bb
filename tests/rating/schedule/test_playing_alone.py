"""A match alone: its bots sit where its terms have them, and nothing rotates."""

import pytest

from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.formats import Format, Terms, check_terms
from khiva_arena.rating.schedule.timetable import Timetable

KEY = bytes(32)


def terms(*tables: tuple[int, ...], bots: int = 2, seeds: int = 1) -> Terms:
    return Terms(Format.PLAY, bots, 3, seeds, tables=tables, key=KEY)


def test_it_has_one_match_at_the_seats_that_were_given() -> None:
    timetable = Timetable(terms((1, 0, 1)))
    match = timetable.match(0)
    assert (timetable.matches, timetable.match(1), match and match.bots) == (1, None, (1, 0, 1))


@pytest.mark.parametrize(
    "wrong",
    [
        terms(),
        terms((0, 1)),
        terms((0, 0, 0)),
        terms((0, 1, 2)),
        terms((0, 1, 1), (1, 0, 0)),
        terms((0, 1, 1), seeds=2),
    ],
)
def test_other_tables_are_refused(wrong: Terms) -> None:
    with pytest.raises(ConfigError, match="a match of `play` has one deal"):
        check_terms(wrong)
