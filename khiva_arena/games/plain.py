"""Checks of the values that a game gives: that they are plain, and that points by
source are what they should be.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from khiva_arena.games.base import Plain, SeatPoints
from khiva_arena.words import an

MOST_INT = 2**53 - 1
MOST_DEPTH = 16
MOST_SOURCES = 16
LONGEST_SOURCE = 32
"""The most signs of the name of a source of points."""
LEAVES = frozenset({str, bool, type(None)})
"""The types of plain values that hold nothing, and of which any will do."""


def check_plain(value: Plain, depth: int = 1) -> str | None:
    """Return the reason why a value is not a plain value, or None if it is one."""
    kind = type(value)
    if kind is list:
        items: Iterable[Any] = value
    elif kind is dict:
        if wrong_keys := [key for key in value if type(key) is not str]:
            return f"the key {wrong_keys[0]!r} is not text"
        items = value.values()
    elif kind is int:
        return None if abs(value) <= MOST_INT else f"{value} is too big"
    else:
        what = (
            f"{f'{value} is ' if kind is float else ''}{an(kind.__name__)}, which is no plain value"
        )
        return None if kind in LEAVES else what
    if value and depth == MOST_DEPTH:
        return f"deeper than {MOST_DEPTH}"
    for item in items:
        kind = type(
            item
        )  # most items are leaves, and a call for each of them would take most of the time
        if not (-MOST_INT <= item <= MOST_INT if kind is int else kind in LEAVES) and (
            wrong := check_plain(item, depth + 1)
        ):
            return wrong
    return None


def wrong_points(by_source: Sequence[SeatPoints] | None, scores: Sequence[int]) -> str:
    """Return the reason why ``State.points_by_source`` breaks the contract; "" if it
    keeps the contract.
    """
    if by_source is None:
        return ""
    if (
        type(by_source) is not list
        or len(by_source) != len(scores)
        or not all(isinstance(one, SeatPoints) for one in by_source)
    ):
        return f"not a list of SeatPoints, one for each of {len(scores)} seats"
    named = [[name for part in seat for name in part] for seat in by_source]
    for points, score, names in zip(by_source, scores, named, strict=True):
        if wrong := check_plain([*points]):
            return wrong
        if not all(type(value) is int for part in points for value in part.values()):
            return "a number of points is not a whole number"
        if sum(points.counted.values()) != score:
            return f"{points.counted} do not make the score {score}"
        if names != named[0]:
            return f"the seats have other sources, or others first: {names} and {named[0]}"
    names = named[0]
    if not by_source[0].counted or len(names) > MOST_SOURCES or len(set(names)) < len(names):
        return (
            f"each of 1 to {MOST_SOURCES} sources has a name of its own, and one counts; not "
            f"{names[:MOST_SOURCES]}"
        )
    if unfit := [
        name
        for name in names
        if not (name.isprintable() and 0 < len(name.strip()) <= LONGEST_SOURCE)
    ]:
        return (
            f"the source {unfit[0][:80]!r} is not 1 to {LONGEST_SOURCE} signs that can be printed"
        )
    return ""
