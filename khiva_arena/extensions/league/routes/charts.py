"""Drawings of ratings over time as SVG, with dates below and numbers behind a
button.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from khiva_arena.extensions.league.routes.intervals import (
    Axis,
    DrawnInterval,
    drawn,
    end_of,
    range_of,
    whisker,
)
from khiva_arena.extensions.league.routes.markup import Markup, joined, table, tag
from khiva_arena.extensions.league.routes.view import Point, interval_text, number

WIDE, NARROW = 640, 350
"""The widths of a drawing, for a screen and for a telephone: letters keep their
size.
"""
HEIGHT = 250
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 22, 42
LEVELS = 5
BEYOND = 10
"""One interval in so many may go on beyond the frame."""
LABEL = 100
"""The width of a label below, a date, and the room beside it."""
BOUNDED = (
    "A hollow dot with >= or <= is a bound: all points between the bot and the one at Elo "
    "0 went one way. One with ? was never "
    "compared with the one at Elo 0. No line joins such dots, since only the prior of the "
    "fit moves them."
)
OTHER_ANCHOR = "The line is cut where a season has another bot at Elo 0."
NUMBERS_MOST = 100
"""The newest points of a line that stand below it as numbers."""


class Days(NamedTuple):
    """The axis of time.

    last: the batch at its end, the newest; the line of a bot that left ends before it.
    over_at: by batch, when it was over, UTC; of some it may not be known.
    """

    last: int
    over_at: Mapping[int, str]


class _Plot(NamedTuple):
    """A frame.

    x: the axis of batches.
    y: that of Elo, which runs up.
    """

    x: Axis
    y: Axis


def line(name: str, points: Sequence[Point], days: Days) -> Markup:
    """Return a rating over time with its interval, a mark where each version begins,
    and the numbers below it. Where an interval is n/a or open the mark is open.
    """
    if not points:
        return tag("p", "No batch with it is over yet.", class_="dim")
    first, last = points[0].batch, max(points[-1].batch, days.last)
    words = (
        f"{name}: Elo after each batch from {first} to {points[-1].batch}; now "
        f"{interval_text(points[-1].rating)}"
    )
    drawings = [
        _drawing(points, Days(last, days.over_at), width, words) for width in (WIDE, NARROW)
    ]
    notes = [BOUNDED] if any(one.rating.bound for one in points) else []
    notes += [OTHER_ANCHOR] if len({one.anchor for one in points}) > 1 else []
    note = tag("p", " ".join(notes), class_="dim") if notes else joined()
    return joined(*drawings, note, _numbers(points, days))


def _drawing(points: Sequence[Point], days: Days, width: int, words: str) -> Markup:
    low, high = _range(points)
    step = _step(high - low)
    y = Axis(step * (low // step), step * -(-high // step), HEIGHT - BOTTOM, TOP)
    first, beside = (
        points[0].batch,
        0.5 if points[0].batch == days.last else 0.0,
    )  # the only point is in the middle
    plot = _Plot(Axis(first - beside, days.last + beside, LEFT, width - RIGHT), y)
    parts = [*_levels(plot, step), *_time(first, plot, days), *_bands(points, plot)]
    spans = _spans(points)
    joins = [
        [(plot.x.at(one.batch), y.at(one.rating.value or 0.0)) for one in span]
        for span in spans
        if span[1:]
    ]
    parts += [tag("polyline", points=_path(places), class_="line") for places in joins]
    alone = {span[0].batch for span in spans if not span[1:]}
    for before, point in zip([None, *points], points, strict=False):
        begins = before is None or before.version != point.version
        if point.rating.is_open or begins or point.batch in alone:
            x, up = plot.x.at(point.batch), y.at(point.rating.value or 0.0)
            parts.append(
                tag(
                    "circle",
                    cx=x,
                    cy=up,
                    r=4,
                    class_="mark open" if point.rating.is_open else "mark",
                )
            )
        if begins:
            parts.append(_version(point, plot, width))
    kind = "over-time wide" if width == WIDE else "over-time narrow"
    return tag(
        "svg",
        tag("title", words),
        *parts,
        viewBox=f"0 0 {width} {HEIGHT}",
        role="img",
        aria_label=words,
        class_=kind,
    )


def _spans(points: Sequence[Point]) -> list[list[Point]]:
    """Return the points that lines join: one after another, none of them a mere bound,
    all relative to one anchor.
    """
    joined_by = itertools.groupby(points, lambda one: (bool(one.rating.bound), one.anchor))
    return [list(span) for (is_bound, _), span in joined_by if not is_bound]


def _range(points: Sequence[Point]) -> tuple[float, float]:
    """Return the ends of the axis of Elo: as wide as nine in ten intervals need, so one
    wild batch does not flatten a year.
    """
    low, high = range_of(point.rating for point in points)
    reaches = [point.rating.reach() for point in points]
    lows, highs = (
        sorted(end for end in ends if isfinite(end)) for ends in zip(*reaches, strict=True)
    )
    return min([low, *lows[len(lows) // BEYOND :][:1]]), max(
        [high, *highs[::-1][len(highs) // BEYOND :][:1]]
    )


def _step(span: float) -> float:
    """Return a round distance between levels."""
    rough = max(span, 1.0) / LEVELS
    power = 10.0 ** (len(str(int(rough))) - 1)
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough)


def _levels(plot: _Plot, step: float) -> Iterator[Markup]:
    for at in range(round((plot.y.high - plot.y.low) / step) + 1):
        level = plot.y.low + at * step
        y = plot.y.at(level)
        yield tag("line", x1=plot.x.start, x2=plot.x.end, y1=y, y2=y, class_="grid")
        yield tag(
            "text", number(level), x=plot.x.start - 6, y=y + 4, text_anchor="end", class_="label"
        )


def _time(first: int, plot: _Plot, days: Days) -> Iterator[Markup]:
    """Yield the batches below a drawing, each with the day on which it was over, or the
    hour if all are of one day.
    """
    last = days.last
    room = int((plot.x.end - plot.x.start) / LABEL)
    ticks = sorted({first + round(at * (last - first) / room) for at in range(room + 1)})
    known = [days.over_at[tick] for tick in ticks if days.over_at.get(tick)]
    is_one_day = len({time[:10] for time in known}) == 1 and len(ticks) > 1
    for tick in ticks:
        anchor = (
            "middle"
            if first == last
            else "start"
            if tick == first
            else "end"
            if tick == last
            else "middle"
        )
        time = days.over_at.get(tick, "")
        for down, words in (
            (18, f"batch {tick}"),
            (34, time[11:16] + " UTC" if time and is_one_day else time[:10]),
        ):
            yield tag(
                "text",
                words,
                x=plot.x.at(tick),
                y=plot.y.start + down,
                text_anchor=anchor,
                class_="label",
            )


def _bands(points: Sequence[Point], plot: _Plot) -> Iterator[Markup]:
    """Yield the intervals, a band for each span of batches after which ends were known:
    n/a is never drawn as none. Where the rating is only a bound, a whisker goes on from
    it.
    """
    for (has_end, is_bound, _), span in itertools.groupby(
        points, lambda one: (one.rating.has_end, one.rating.bound in (">=", "<="), one.anchor)
    ):
        places = [(plot.x.at(point.batch), point.rating) for point in span]
        if has_end and len(places) > 1:
            yield from _band(places, plot)
        elif has_end or is_bound:
            for x in _apart([x for x, _ in places]):
                yield from drawn(dict(places)[x], plot.y, x, upright=True)


def _band(places: Sequence[tuple[float, DrawnInterval]], plot: _Plot) -> Iterator[Markup]:
    """Yield a band, with arrows where it goes on beyond the frame."""
    ends = [(x, whisker(rating, plot.y)) for x, rating in places]
    corners = [*((x, one.high) for x, one in ends), *((x, one.low) for x, one in ends[::-1])]
    yield tag("polygon", points=_path(corners), class_="band")
    for x in _apart([x for x, one in ends if one.high_open]):
        yield end_of(plot.y.end, x, -1, is_open=True, upright=True)
    for x in _apart([x for x, one in ends if one.low_open]):
        yield end_of(plot.y.start, x, 1, is_open=True, upright=True)


def _apart(places: Sequence[float]) -> Iterator[float]:
    """Yield places between which there is room for an arrow."""
    last = -LABEL / 2
    for x in places:
        if x - last >= LABEL / 4:
            last = x
            yield x


def _version(point: Point, plot: _Plot, width: int) -> Markup:
    at, up = plot.x.at(point.batch), plot.y.at(point.rating.value or 0.0)
    x, anchor = (at - 6, "end") if at > width - 50 else (at + 6, "start")
    return tag(
        "text",
        f"v{point.version}",
        x=x,
        y=max(12.0, up - 8),
        text_anchor=anchor,
        class_="label version",
    )


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _numbers(points: Sequence[Point], days: Days) -> Markup:
    rows = [
        [
            f"{one.batch}",
            days.over_at.get(one.batch, "")[:10],
            f"v{one.version}",
            interval_text(one.rating),
        ]
        for one in reversed(points[-NUMBERS_MOST:])
    ]
    listed = table("Rating after each batch", ["batch", "over on", "version", "Elo"], rows)
    return tag("details", tag("summary", "As numbers"), listed)
