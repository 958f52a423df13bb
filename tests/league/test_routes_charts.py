"""Lines over time as they are drawn: what is not known is not drawn as if it were."""

import itertools
import re

from khiva_arena.league.routes.charts import interval, line
from khiva_arena.league.routes.view import Point


def drawn(*points: tuple[int, float, float | None, int]) -> str:
    """Return the drawing of a line without the table below it."""
    return line("crow", [Point(*point) for point in points]).partition("<details>")[0]


def test_an_error_that_is_not_known_is_no_error_of_zero() -> None:
    picture = drawn((1, 0.0, None, 1), (2, 10.0, 90.0, 1), (3, 20.0, 60.0, 1), (4, 20.0, None, 1), (5, 30.0, 50.0, 1))
    assert picture.count("mark open") == 2
    bands = re.findall(r'<polygon points="([^"]*)" class="band"', picture)
    assert [len(band.split()) for band in bands] == [4]  # two batches, above and below
    assert picture.count('class="whisker"') == 1  # one batch between two others


def test_each_version_is_marked_once_and_names_stay_inside() -> None:
    picture = drawn(*((batch, 10.0 * batch, 30.0, 1 + batch // 4) for batch in range(1, 9)))
    assert re.findall(r">(v\d)</text>", picture) == ["v1", "v2", "v3"]
    assert re.findall(r'text-anchor="(start|end)"[^>]*class="label version"', picture) == ["start", "start", "end"]


def test_levels_are_round_and_hold_all_of_the_line() -> None:
    for low, high in ((-3.0, 4.0), (0.0, 0.0), (-2_500.0, 2_400.0), (99.0, 101.0)):
        levels = [
            int(text)
            for text in re.findall(r'text-anchor="end" class="label">(-?\d+)<', drawn((1, low, 1.0, 1), (2, high, 1.0, 1)))
        ]
        assert levels[0] <= low - 1
        assert levels[-1] >= high + 1
        assert len({second - first for first, second in itertools.pairwise(levels)}) == 1


def test_one_batch_and_none_have_a_picture_too() -> None:
    assert "<svg" in drawn((7, 12.0, None, 1))
    assert "<svg" not in drawn()
    assert interval(None, None, None, (0.0, 1.0)) == ""
    assert "<line" not in interval(None, 5.0, None, (5.0, 5.0))
