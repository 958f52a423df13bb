"""Intervals beside each other: the least certain bot never looks like the most certain
one.
"""

import re

import pytest

from khiva_arena.extensions.league.routes.intervals import DrawnInterval, beside, range_of
from khiva_arena.extensions.league.routes.view import elo_text

SURE = DrawnInterval(700.0, 650.0, 750.0)
ANCHOR = DrawnInterval(0.0, 0.0, 0.0)
ENDS = (-100.0, 900.0)


def lines(picture: str) -> list[list[tuple[float, float]]]:
    """Return the lines of a drawing: whisker, bars of three and arrows of three
    points.
    """
    return [
        [(float(x), float(y)) for x, y in (pair.split(",") for pair in points.split())]
        for points in re.findall(r'<polyline points="([^"]*)"', picture)
    ]


def test_an_interval_has_a_bar_at_both_ends() -> None:
    whisker, low, high = lines(beside(SURE, ENDS))
    assert [len(one) for one in (whisker, low, high)] == [2, 2, 2]
    assert whisker[0][0] == low[0][0] < high[0][0] == whisker[1][0]
    assert 'class="mark"' in beside(SURE, ENDS)


@pytest.mark.parametrize(("bound", "way"), [(">=", 1), ("<=", -1)])
@pytest.mark.parametrize("other", [None, 400.0])
def test_an_open_end_is_an_arrow_at_the_end_of_the_axis(
    bound: str, way: int, other: float | None
) -> None:
    ends = (other, None) if bound == ">=" else (None, other)
    one = DrawnInterval(400.0 + 100.0 * way, *ends, bound)
    picture = beside(one, ENDS)
    whisker, low, high = lines(picture)
    arrow, bar = (high, low) if way > 0 else (low, high)
    assert (len(arrow), len(bar)) == (3, 2)
    edge = 150 if way > 0 else 10
    assert edge in (whisker[0][0], whisker[1][0])
    assert (arrow[1][0] - edge) * way == 9  # its tip is in the margin
    assert "mark open" in picture


def test_an_end_off_the_axis_is_an_arrow_too() -> None:
    _, low, high = lines(beside(DrawnInterval(100.0, -2_000.0, 200.0), ENDS))
    assert (len(low), len(high)) == (3, 2)


def test_what_is_not_known_is_said_and_never_a_bare_dot() -> None:
    unknown = beside(DrawnInterval(880.0, None, None), ENDS)
    assert lines(unknown) == []
    assert "mark open" in unknown
    assert "\u00b1 n/a</text>" in unknown
    assert 'text-anchor="end"' in unknown  # near the right edge the words stand on the left
    assert 'text-anchor="start"' in beside(DrawnInterval(0.0, None, None), ENDS)
    assert "mark open" in beside(DrawnInterval(20.0, None, None, "?"), ENDS)
    assert beside(DrawnInterval(None, None, None), ENDS) == "n/a"


def test_an_anchor_is_a_dot_that_is_filled() -> None:
    assert "mark open" not in beside(ANCHOR, ENDS)
    assert lines(beside(ANCHOR, ENDS)) == []


def test_an_open_end_has_room_on_the_axis_and_a_wide_one_does_not_flatten_the_others() -> None:
    low, high = range_of([ANCHOR, SURE, DrawnInterval(770.0, None, None, ">=")])
    assert high == 770 + 385
    assert range_of([ANCHOR, SURE, DrawnInterval(300.0, -9_000.0, 9_000.0)]) == (-350, 1_050)
    assert low == 0
    assert range_of([DrawnInterval(5.0, None, None)]) == (-45, 55)
    assert range_of([DrawnInterval(None, None, None)]) == (-50, 50)


@pytest.mark.parametrize(
    ("elo", "low", "high", "bound", "said"),
    [
        (120.0, 85.0, 155.0, "", "120 \u00b1 35"),
        (770.0, None, None, ">=", ">=770 \u00b1 n/a"),
        (770.0, 300.0, None, ">=", ">=770 \u00b1 >=300"),
        (-640.0, None, -300.0, "<=", "<=-640 \u00b1 <=-300"),
        (880.0, None, None, "", "880 \u00b1 n/a"),
        (None, None, None, "?", "n/a"),
    ],
)
def test_numbers_say_what_is_not_known(
    elo: float | None, low: float | None, high: float | None, bound: str, said: str
) -> None:
    assert elo_text({"elo": elo, "low": low, "high": high, "bound": bound}) == said
