"""A format is its module and a line in ``FORMATS``: one made up here is checked,
shaped, drawn, played and placed by it alone.
"""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from competing import play

from khiva_arena.common.result import Result
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule import formats
from khiva_arena.rating.schedule.formats import (
    Format,
    FormatModule,
    Placing,
    ScheduledMatch,
    Shape,
    Terms,
)
from khiva_arena.rating.schedule.knockout import KnockoutDetail
from khiva_arena.rating.schedule.scores import bot_sums, with_places
from khiva_arena.rating.schedule.swiss import SwissDetail
from khiva_arena.rating.schedule.terms import (
    Detail,
    DrawnRound,
    PlaceColumn,
    drawn_round,
    shapes_of,
)
from khiva_arena.rating.schedule.timetable import Timetable

KEY = bytes(range(32))


class Wins(Detail):
    """What a hill tells of a bot: nothing but its byes."""

    def columns(self, *, over: bool) -> tuple[PlaceColumn, ...]:
        return (
            PlaceColumn(
                "byes_again", "again", self.byes, f"{self.byes} of {'all' if over else 'some'}"
            ),
        )


class Hill:
    """King of the hill: the winner of a round's only table meets the next bot, until
    each has come.
    """

    TAKES = ()
    IN_ROUNDS = True
    AUTO = False
    SEQUENTIAL = False

    def mistakes(self, terms: Terms) -> list[str]:
        return (
            [] if terms.seats == 2 else [f"a hill has room for 2 seats, not --seats {terms.seats}"]
        )

    def shapes(self, terms: Terms) -> tuple[Shape, ...]:
        return shapes_of(terms, [1] * (terms.bots - 1))

    def draw(self, terms: Terms, shape: Shape, past: Sequence[Sequence[Result]], /) -> DrawnRound:
        king = 0
        for results in past:
            king = self.places(terms, [results])[0].bot
        table = tuple(sorted((king, shape.number + 1)))
        return drawn_round(shape, [table], byes=set(range(terms.bots)) - set(table))

    def places(self, terms: Terms, results: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
        sums = bot_sums(terms.bots, (result for some in results for result in some))
        rows = {bot: Placing(bot, 0, one.score, Wins(len(results))) for bot, one in enumerate(sums)}
        return with_places(range(terms.bots), lambda bot: (sums[bot].halves,), rows)


@pytest.fixture
def hill(monkeypatch: pytest.MonkeyPatch) -> FormatModule:
    made = Hill()
    monkeypatch.setitem(formats.FORMATS, "hill", made)
    return made


@pytest.mark.usefixtures("hill")
def test_it_plays_through_all_its_rounds() -> None:
    terms = Terms("hill", 5, 2, 2, key=KEY)
    every, results = play(terms, luck=0)
    assert [one.line_ups for one in every] == [((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),)]
    assert [len(some) for some in results] == [4, 4, 4, 4]
    assert formats.places(terms, results)[0] == Placing(0, 1, Fraction(1), Wins(4))
    assert every[0].byes == (2, 3, 4)


@pytest.mark.usefixtures("hill")
def test_its_timetable_has_its_matches() -> None:
    timetable = Timetable(Terms("hill", 4, 2, 1, key=KEY))
    assert (timetable.matches, timetable.seeds) == (6, 3)
    assert timetable.match(0) == ScheduledMatch(0, 0, 0, 0, timetable.match(0).bots)  # type: ignore[union-attr]
    assert timetable.match(2) is None, "the second round waits for the first one"


@pytest.mark.usefixtures("hill")
def test_its_mistakes_and_settings_of_others_are_refused() -> None:
    with pytest.raises(ConfigError, match="a hill has room for 2 seats, not --seats 3"):
        formats.check_terms(Terms("hill", 5, 3, 1, key=KEY))
    with pytest.raises(
        ConfigError, match="--advance is not for --format hill: it goes with knockout"
    ):
        formats.check_terms(Terms("hill", 5, 2, 1, advance=1, key=KEY))


def test_every_name_has_its_module() -> None:
    assert list(formats.FORMATS) == list(Format)
    assert {name for name, form in formats.FORMATS.items() if form.SEQUENTIAL} == {"sprt"}
    assert {name for name, form in formats.FORMATS.items() if form.IN_ROUNDS} == {
        "swiss",
        "knockout",
    }


def test_the_columns_of_a_swiss() -> None:
    detail = SwissDetail(byes=1, points=Fraction(3, 2), tables=2, opponents=Fraction(1, 3))
    points, tables, opponents = detail.columns(over=False)
    assert points == ("points", "points", 1.5, "1.50")
    assert tables == ("tables", "tables", 2, "2")
    assert opponents == ("opponents", "opponents%", 33.333, "33.3")
    alone = SwissDetail(byes=1, points=Fraction(0), tables=0, opponents=None)
    assert alone.columns(over=True)[2][2:] == (None, "n/a")


@pytest.mark.parametrize(
    ("out", "over", "value", "text"),
    [(None, True, None, "won"), (None, False, None, "still in"), (1, True, 2, "round 2")],
)
def test_the_columns_of_a_knockout(
    out: int | None, over: bool, value: int | None, text: str
) -> None:
    assert KnockoutDetail(0, out).columns(over=over) == (("out", "out in", value, text),)
