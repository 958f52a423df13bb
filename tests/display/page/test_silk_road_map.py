"""Silk Road's map by arithmetic: roads do not cross, and names lie on no other name, no
road and no place, at every width.
"""

import re
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import PHONE, WIDE, Page

from khiva_arena.games.silk_road.board import MAPS
from khiva_arena.games.silk_road.notation import place

pytestmark = pytest.mark.slow
Made = Callable[[str], tuple[Path, Path]]
Dot = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
SHIPPED = MAPS["r1"]
VIEW = "#match=1/0&step=0"
WIDTHS = [WIDE, (390, 844), PHONE, (800, 900), (1000, 800)]
"""A desk, phones, and windows in between, in which the map of a phone is stretched."""
DRAWN = """
const box = (one) => { const { x, y, width, height } = one.getBBox();
  return [x, y, x + width, y + height]; };
const all = (selector) => [...document.querySelectorAll(`.board-svg ${selector}`)];
const at = (one) => { const { e, f } = one.closest('[data-place]').transform.baseVal[0].matrix;
  return [e, f]; };
const moved = ([left, top, right, bottom], [x, y]) => [left + x, top + y, right + x, bottom + y];
return {
  roads: all('.road').map((one) => one.getAttribute('d')),
  names: all('.village, .city').map((one) => [one.textContent, box(one)]),
  towns: all('.walls').map((one) => moved(box(one), at(one))),
  stops: all('[data-place] .round').map((one) => [...at(one), one.r.baseVal.value]),
  whole: document.querySelector('.board-svg').getAttribute('viewBox').split(' ').map(Number),
};
"""


def bends(road: str) -> list[Dot]:
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", road)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def side(a: Dot, b: Dot, c: Dot) -> float:
    """Which side of the line from a to b c is on."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def cross(a: Dot, b: Dot, c: Dot, d: Dot) -> bool:
    """Whether the stretches a-b and c-d have a point in common, or lie on one line and
    overlap.
    """
    if max(a[0], b[0]) < min(c[0], d[0]) or max(c[0], d[0]) < min(a[0], b[0]):
        return False
    if max(a[1], b[1]) < min(c[1], d[1]) or max(c[1], d[1]) < min(a[1], b[1]):
        return False
    return side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0


def stretches(road: str) -> list[tuple[Dot, Dot]]:
    return list(pairwise(bends(road)))


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def meets(box: Box, a: Dot, b: Dot) -> bool:
    """Whether a stretch goes through a box."""
    left, top, right, bottom = box
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    inside = left <= a[0] <= right and top <= a[1] <= bottom
    return inside or any(
        cross(a, b, *edge) for edge in zip(corners, [*corners[1:], corners[0]], strict=True)
    )


def faults(drawn: dict[str, Any]) -> list[str]:
    """What a reader could take for something else."""
    found = []
    for one, other in combinations(drawn["roads"], 2):
        if any(cross(*a, *b) for a in stretches(one) for b in stretches(other)):
            found.append(f"{one} crosses {other}")
    for (name, box), (more, another) in combinations(drawn["names"], 2):
        if overlap(box, another):
            found.append(f"{name} is on {more}")
    x, y, wide, high = drawn["whole"]
    for name, box in drawn["names"]:
        found += [
            f"{name} is on {road}"
            for road in drawn["roads"]
            if any(meets(box, *part) for part in stretches(road))
        ]
        near = [
            (min(max(cx, box[0]), box[2]) - cx, min(max(cy, box[1]), box[3]) - cy, r)
            for cx, cy, r in drawn["stops"]
        ]
        found += [f"{name} is on a village" for dx, dy, r in near if dx * dx + dy * dy < r * r]
        if not (x <= box[0] and box[2] <= x + wide and y <= box[1] and box[3] <= y + high):
            found.append(f"{name} is cut")
        holders = [town for town in drawn["towns"] if overlap(box, town)]
        within = [town for town in holders if town[0] <= box[0] and box[2] <= town[2]]
        if len(holders) > len(within) or (holders and name not in map(place, SHIPPED["cities"])):
            found.append(f"{name} is on the wall of a town")
    return found


@pytest.mark.parametrize("size", WIDTHS, ids=lambda size: str(size[0]))
def test_no_two_roads_cross_and_no_name_lies_on_anything(
    page: Page, made: Made, size: tuple[int, int]
) -> None:
    page.size(size)
    page.open(made("silk_road-round-robin")[1], VIEW)
    page.until("return document.querySelector('.road')")
    drawn = page.js(DRAWN)
    assert len(drawn["roads"]) == len(SHIPPED["one_way"]) + len(SHIPPED["two_way"])
    assert len(drawn["names"]) == len(SHIPPED["cities"]) + len(SHIPPED["villages"])
    assert faults(drawn) == []


def test_bends_are_straight(page: Page, made: Made) -> None:
    """Every stretch is level, upright or slanted by 45 degrees."""
    for size in (WIDE, PHONE):
        page.size(size)
        page.open(made("silk_road-round-robin")[1], VIEW)
        page.until("return document.querySelector('.road')")
        for road in page.js(DRAWN)["roads"]:
            for (x, y), (to_x, to_y) in stretches(road):
                right, down = abs(to_x - x), abs(to_y - y)
                assert min(right, down, abs(right - down)) < 0.5, road


def test_the_arithmetic_finds_a_crossing_and_a_name_on_a_road() -> None:
    drawn = {
        "roads": ["M0 0L10 10", "M0 10L10 0"],
        "names": [["ring 1", [4, 1, 7, 2]], ["ring 2", [6, 1.5, 9, 4.5]]],
    }
    found = faults(drawn | {"towns": [], "stops": [[6, 2.5, 1]], "whole": [0, 0, 8, 10]})
    crossing = ["M0 0L10 10 crosses M0 10L10 0", "ring 1 is on ring 2", "ring 1 is on a village"]
    assert found == [
        *crossing,
        "ring 2 is on M0 10L10 0",
        "ring 2 is on a village",
        "ring 2 is cut",
    ]
