"""Lines over time as they are drawn: what is not known is not drawn as if it were."""

import itertools
import re

import pytest

from khiva_arena.extensions.league.routes.charts import Days, line
from khiva_arena.extensions.league.routes.intervals import DrawnInterval
from khiva_arena.extensions.league.routes.view import Point

Place = tuple[float, float]


def point(batch: int, elo: float, error: float | None, version: int) -> Point:
    """Return a point with an interval as wide as its error, on both sides."""
    ends = (None, None) if error is None else (elo - error, elo + error)
    return Point(batch, DrawnInterval(elo, *ends), version)


def picture_of(*points: Point, last: int = 0, over_at: dict[int, str] | None = None) -> str:
    """Return the drawing of a line for a screen, without the one for a telephone and
    the table below it.
    """
    made = line("crow", points, Days(last, over_at or {}))
    return made.partition("</svg>")[0] if points else made


def drawn(*points: tuple[int, float, float | None, int]) -> str:
    """Return the drawing of points of which no end is open."""
    return picture_of(*(point(*one) for one in points))


def test_an_error_that_is_not_known_is_no_error_of_zero() -> None:
    picture = drawn(
        (1, 0.0, None, 1),
        (2, 10.0, 90.0, 1),
        (3, 20.0, 60.0, 1),
        (4, 20.0, None, 1),
        (5, 30.0, 50.0, 1),
    )
    assert picture.count("mark open") == 2
    bands = re.findall(r'<polygon points="([^"]*)" class="band"', picture)
    assert [len(band.split()) for band in bands] == [4]  # two batches, above and below
    assert (
        picture.count('class="whisker"') == 3
    )  # one batch between two others, with a bar at both ends


def test_each_version_is_marked_once_and_names_stay_inside() -> None:
    picture = drawn(*((batch, 10.0 * batch, 30.0, 1 + batch // 4) for batch in range(1, 9)))
    assert re.findall(r">(v\d)</text>", picture) == ["v1", "v2", "v3"]
    assert re.findall(r'text-anchor="(start|end)"[^>]*class="label version"', picture) == [
        "start",
        "start",
        "end",
    ]


def test_levels_are_round_and_hold_all_of_the_line() -> None:
    for low, high in ((-3.0, 4.0), (0.0, 0.0), (-2_500.0, 2_400.0), (99.0, 101.0)):
        levels = [
            int(text)
            for text in re.findall(
                r'text-anchor="end" class="label">(-?\d+)<',
                drawn((1, low, 1.0, 1), (2, high, 1.0, 1)),
            )
        ]
        assert levels[0] <= low - 1
        assert levels[-1] >= high + 1
        assert len({second - first for first, second in itertools.pairwise(levels)}) == 1


def test_one_batch_and_none_have_a_picture_too() -> None:
    assert "<svg" in drawn((7, 12.0, None, 1))
    assert "<svg" not in drawn()


def test_an_open_end_goes_to_the_edge_and_has_one_arrow() -> None:
    risen = [Point(batch, DrawnInterval(700.0, 600.0, None, ">="), 1) for batch in (1, 2, 3)]
    picture = picture_of(*risen, point(4, 650.0, 60.0, 1))
    (band,) = re.findall(r'<polygon points="([^"]*)" class="band"', picture)
    uppers = [float(pair.split(",")[1]) for pair in band.split()[:4]]
    assert uppers[:3] == [22, 22, 22]  # the upper edge of the frame
    assert uppers[3] > 22
    assert len(arrows(picture)) == 3
    assert picture.count("mark open") == 3


@pytest.mark.parametrize("bound", [">=", "<=", "?", ""])
def test_a_newcomer_of_whom_one_end_or_none_is_known_has_a_picture(bound: str) -> None:
    alone = picture_of(Point(249, DrawnInterval(770.0, None, None, bound), 1), last=249)
    assert "mark open" in alone
    assert len(arrows(alone)) == (bound in (">=", "<="))
    assert re.findall(r">batch (\d+)</text>", alone) == ["249"]


def arrows(picture: str) -> list[str]:
    """Return the arrows of a drawing: whiskers of three points."""
    return [
        points
        for points in re.findall(r'<polyline points="([^"]*)" class="whisker"', picture)
        if len(points.split()) == 3
    ]


def test_a_bound_without_an_end_is_no_edge_of_a_band() -> None:
    unknown = Point(1, DrawnInterval(300.0, None, None, ">="), 1)
    picture = picture_of(unknown, point(2, 290.0, 200.0, 1), point(3, 280.0, 150.0, 1))
    (band,) = re.findall(r'<polygon points="([^"]*)" class="band"', picture)
    assert len(band.split()) == 4
    assert len(arrows(picture)) == 1  # up from the first rating
    for_months = picture_of(*(unknown._replace(batch=batch) for batch in range(1, 251)))
    assert 20 <= len(arrows(for_months)) <= 25


def test_one_wild_batch_does_not_flatten_the_year() -> None:
    calm = [point(batch, 100.0 + batch % 7, 20.0, 1) for batch in range(2, 250)]
    levels = [
        int(text)
        for text in re.findall(
            r'text-anchor="end" class="label">(-?\d+)<',
            picture_of(point(1, 100.0, 5_000.0, 1), *calm),
        )
    ]
    assert levels[-1] - levels[0] <= 400
    assert (
        len(arrows(picture_of(point(1, 100.0, 5_000.0, 1), *calm))) == 2
    )  # up and down, of the first batch


def test_the_axis_of_time_names_batches_and_days_and_goes_on_after_the_bot_has_left() -> None:
    days = {
        batch: f"2026-{1 + batch // 28:02}-{1 + batch % 28:02}T06:40:00+00:00"
        for batch in range(1, 251)
    }
    picture = picture_of(
        *(point(batch, 10.0, 5.0, 1) for batch in range(1, 101)), last=250, over_at=days
    )
    assert re.findall(r">batch (\d+)</text>", picture)[::5] == ["1", "250"]
    assert re.findall(r">(2026-\d\d-\d\d)</text>", picture)[::5] == ["2026-01-02", "2026-09-27"]
    end = max(float(pair.split(",")[0]) for pair in places(picture))
    assert end < 300  # of 640, where the line ends
    of_a_day = picture_of(
        point(1, 0.0, 5.0, 1),
        point(2, 0.0, 5.0, 1),
        over_at={1: "2026-01-02T06:40:00+00:00", 2: "2026-01-02T07:10:00+00:00"},
    )
    assert ">06:40 UTC</text>" in of_a_day


def places(picture: str) -> list[str]:
    """Return the places through which the line of a drawing goes."""
    (line_points,) = re.findall(r'<polyline points="([^"]*)" class="line"', picture)
    return line_points.split()


def test_labels_stay_inside_the_drawing_for_a_telephone() -> None:
    made = line(
        "crow", [point(batch, -1_000.0 * batch, 30.0, 1) for batch in range(1, 9)], Days(8, {})
    )
    narrow = made.split("<svg")[2]
    assert 'viewBox="0 0 350 ' in narrow
    for x, anchor, text in re.findall(
        r'<text x="([\d.]+)" y="[\d.]+" text-anchor="(\w+)"[^>]*>([^<]*)<', narrow
    ):
        width = 7 * len(text)
        left = float(x) - {"start": 0, "middle": width / 2, "end": width}[anchor]
        assert left >= 0, text
        assert left + width <= 350, text


def bounded(
    batch: int, elo: float, bound: str, low: float | None = None, anchor: str = ""
) -> Point:
    return Point(batch, DrawnInterval(elo, low, None, bound), 1, anchor)


def lines_in(picture: str) -> list[int]:
    """How many points each line of a drawing joins."""
    return [
        len(points.split())
        for points in re.findall(r'<polyline points="([^"]*)" class="line"', picture)
    ]


def test_a_rise_that_only_the_prior_causes_is_no_line() -> None:
    """With each batch that a bot wins against the anchor a bound rises, and nothing is
    known of it.
    """
    rising = [bounded(batch, 700.0 + 40 * batch, ">=") for batch in range(1, 7)]
    assert lines_in(picture_of(*rising)) == []
    assert lines_in(
        picture_of(*rising, *(point(batch, 900.0, 50.0, 1) for batch in (7, 8, 9)))
    ) == [3]
    assert lines_in(picture_of(*(bounded(batch, 10.0 * batch, "?") for batch in (1, 2, 3)))) == []
    assert "prior" in line("crow", rising, Days(6, {}))
    assert "prior" not in line("crow", [point(1, 0.0, 9.0, 1)], Days(1, {}))


def test_a_point_between_two_bounds_has_its_mark() -> None:
    picture = picture_of(bounded(1, 700.0, ">="), point(2, 500.0, 90.0, 1), bounded(3, 700.0, ">="))
    assert lines_in(picture) == []
    assert picture.count('class="mark"') == 2, "its own, and that of its whisker"


def test_a_line_is_cut_where_another_bot_is_at_elo_0() -> None:
    points = [
        point(batch, 100.0, 50.0, 1)._replace(anchor="a" if batch < 4 else "b")
        for batch in range(1, 7)
    ]
    assert lines_in(picture_of(*points)) == [3, 3]
    assert picture_of(*points).count('class="band"') == 2
    assert "The line is cut where a season has another bot at Elo 0." in line(
        "crow", points, Days(6, {})
    )
