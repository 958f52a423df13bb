"""Intervals as every page of a league draws them: a dot, a whisker, and an arrow where
an end is open or off the axis.

The page of results draws them alike (``whisker`` in display/page/browser/standings.js).
"""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from khiva_arena.extensions.league.routes.markup import Markup, joined, tag

WIDTH, HEIGHT = 160, 18
"""The size of an interval beside a row of a table."""
MARGIN = 10
"""The room for an arrow, on both sides of an axis."""
NARROWEST = 100.0
"""The least that an axis spans."""


class DrawnInterval(NamedTuple):
    """An estimate with its 95 % interval.

    value: None for n/a.
    low, high: its ends; None for one that the results do not show.
    bound: ">=" or "<=" if they bound the value on that side only, "?" if not at all,
        else "".
    """

    value: float | None
    low: float | None
    high: float | None
    bound: str = ""

    @property
    def has_end(self) -> bool:
        """Whether the results show an end of it."""
        return self.low is not None or self.high is not None

    @property
    def is_open(self) -> bool:
        """Whether the value is a bound, or nothing is known of its error."""
        return bool(self.bound) or not self.has_end

    def reach(self) -> tuple[float, float]:
        """Return how far it reaches: to infinity where it is open, not at all where no
        end is known. The value must be known.
        """
        value = self.value or 0.0
        low = self.low if self.low is not None else -inf if self.bound == "<=" else value
        high = self.high if self.high is not None else inf if self.bound == ">=" else value
        return low, high


class Axis(NamedTuple):
    """An axis.

    low, high: the values at its ends.
    start, end: where these are, in pixels.
    """

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return where a value is; one beyond an end is at that end."""
        share = (min(max(value, self.low), self.high) - self.low) / ((self.high - self.low) or 1)
        return round(self.start + share * (self.end - self.start), 1)


class Whisker(NamedTuple):
    """A whisker on an axis.

    low, high: where its ends are, in pixels.
    low_open, high_open: whether there is more beyond them.
    """

    low: float
    high: float
    low_open: bool
    high_open: bool


def interval_of(row: Mapping[str, Any]) -> DrawnInterval:
    """Return the interval of a row of ``standings --json``."""
    return DrawnInterval(row["elo"], row["low"], row["high"], row["bound"])


def range_of(intervals: Iterable[DrawnInterval]) -> tuple[float, float]:
    """Return the ends of an axis: as wide as most intervals need. One that is wider or
    open goes on beyond them.
    """
    rated = [one for one in intervals if one.value is not None]
    if not rated:
        return -NARROWEST / 2, NARROWEST / 2
    values = [one.value or 0.0 for one in rated]
    beyond = max(NARROWEST, max(values) - min(values)) / 2
    low = max(min(one.reach()[0] for one in rated), min(values) - beyond)
    high = min(max(one.reach()[1] for one in rated), max(values) + beyond)
    missing = max(0.0, NARROWEST - (high - low)) / 2
    return low - missing, high + missing


def whisker(one: DrawnInterval, axis: Axis) -> Whisker:
    """Return the whisker of an interval whose value is known."""
    low, high = one.reach()
    return Whisker(axis.at(low), axis.at(high), low < axis.low, high > axis.high)


def drawn(one: DrawnInterval, axis: Axis, across: float, *, upright: bool = False) -> list[Markup]:
    """Return the whisker and the dot of an interval whose value is known. ``across``:
    where they are beside the axis, which is level unless it is ``upright``.
    """
    low, high, low_open, high_open = whisker(one, axis)
    way = 1 if axis.end > axis.start else -1
    parts = [_line([(low, across), (high, across)], upright)] if low != high else []
    if low != high or low_open or high_open:
        parts += [end_of(low, across, -way, is_open=low_open, upright=upright)]
        parts += [end_of(high, across, way, is_open=high_open, upright=upright)]
    at = axis.at(one.value or 0.0)
    x, y = (across, at) if upright else (at, across)
    return [*parts, tag("circle", cx=x, cy=y, r=4, class_="mark open" if one.is_open else "mark")]


def end_of(at: float, across: float, way: int, *, is_open: bool, upright: bool = False) -> Markup:
    """Return an end of a whisker: a bar, or an arrow if there is more beyond
    it. ``way``: 1 to the right or down, else -1.
    """
    tip = [(at + 5 * way, across - 4), (at + 9 * way, across), (at + 5 * way, across + 4)]
    return _line(tip if is_open else [(at, across - 4), (at, across + 4)], upright)


def _line(points: Sequence[tuple[float, float]], upright: bool) -> Markup:
    pairs = [(across, at) if upright else (at, across) for at, across in points]
    return tag("polyline", points=" ".join(f"{x:g},{y:g}" for x, y in pairs), class_="whisker")


def beside(one: DrawnInterval, ends: tuple[float, float], middle: float | None = None) -> Markup:
    """Return an interval beside a row of a table, all of whose rows share an axis.

    ends: of the axis, in values.
    middle: the value that means nothing is there; None for none.
    """
    if one.value is None:
        return joined("n/a")
    axis = Axis(*ends, MARGIN, WIDTH - MARGIN)
    parts = (
        []
        if middle is None
        else [tag("line", x1=axis.at(middle), x2=axis.at(middle), y1=0, y2=HEIGHT, class_="grid")]
    )
    parts += drawn(one, axis, HEIGHT / 2)
    if not one.has_end and not one.bound:
        at = axis.at(one.value)
        x, anchor = (at - 8, "end") if at > WIDTH - 60 else (at + 8, "start")
        parts.append(
            tag("text", "\u00b1 n/a", x=x, y=HEIGHT / 2 + 4, text_anchor=anchor, class_="label")
        )
    return tag(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        aria_hidden="true",
    )
