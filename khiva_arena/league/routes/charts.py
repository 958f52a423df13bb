"""Drawings of ratings as SVG: a line over time, and intervals beside each other."""

import itertools
from collections.abc import Callable, Sequence

from khiva_arena.league.routes.markup import Markup, escaped, joined, table, tag
from khiva_arena.league.routes.view import Point, number

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 20, 30
TICKS = 5
BAR = 160
"""The width of an interval beside a row of the table."""
NUMBERS_MOST = 100
"""The newest points of a line that stand below it as numbers."""
Scale = Callable[[float], float]


def line(name: str, points: Sequence[Point]) -> Markup:
    """Return a rating over time with its interval, a mark where each version begins, and the numbers below it. Where the error
    is n/a the mark is open."""
    if not points:
        return tag("p", "No batch with it is over yet.", class_="dim")
    low = min(point.elo - (point.error or 0) for point in points)
    high = max(point.elo + (point.error or 0) for point in points)
    step = _step(high - low)
    bottom, top = step * (low // step), step * -(-high // step)
    first, last = points[0].batch, points[-1].batch

    def x(batch: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * ((batch - first) / (last - first) if last > first else 0.5), 1)

    def y(elo: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (elo - bottom) / ((top - bottom) or 1), 1)

    parts = [*_levels(bottom, top, step, y), *_batches(first, last, x)]
    parts += _bands(points, x, y)
    parts.append(tag("polyline", points=_path([(x(one.batch), y(one.elo)) for one in points]), class_="line"))
    parts += [tag("circle", cx=x(one.batch), cy=y(one.elo), r=4, class_="mark open") for one in points if one.error is None]
    for before, point in zip([None, *points], points, strict=False):
        if before is None or before.version != point.version:
            parts += _mark(point, x, y)
    words = f"{name}: Elo after each batch from {first} to {last}, with 95 % intervals; now {number(points[-1].elo)}"
    drawing = tag(
        "svg", tag("title", words), *parts, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=words, class_="over-time"
    )
    return joined(
        tag("div", drawing, class_="scrolls", tabindex=0, role="region", aria_label="Rating over time"), _numbers(points)
    )


def _step(span: float) -> float:
    """Return a round distance between levels."""
    rough = max(span, 1.0) / TICKS
    power = 10.0 ** (len(str(int(rough))) - 1)
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough)


def _levels(bottom: float, top: float, step: float, y: Scale) -> list[Markup]:
    parts = []
    for at in range(round((top - bottom) / step) + 1):
        level = bottom + at * step
        parts.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(level), y2=y(level), class_="grid"))
        parts.append(tag("text", number(level), x=LEFT - 6, y=y(level) + 4, text_anchor="end", class_="label"))
    return parts


def _batches(first: int, last: int, x: Scale) -> list[Markup]:
    ticks = sorted({first + round(at * (last - first) / TICKS) for at in range(TICKS + 1)})
    return [tag("text", f"{tick}", x=x(tick), y=HEIGHT - 10, text_anchor="middle", class_="label") for tick in ticks]


def _bands(points: Sequence[Point], x: Scale, y: Scale) -> list[Markup]:
    """Return the intervals, as one band for each span of batches after which there were errors: n/a is never drawn as none."""
    parts = []
    for known, span in itertools.groupby(points, lambda one: one.error is not None):
        ends = [(x(one.batch), y(one.elo + (one.error or 0)), y(one.elo - (one.error or 0))) for one in span] if known else []
        if len(ends) == 1:
            ((at, up, down),) = ends
            parts.append(tag("line", x1=at, x2=at, y1=up, y2=down, class_="whisker"))
        elif ends:
            upper, lower = [(at, up) for at, up, _ in ends], [(at, down) for at, _, down in reversed(ends)]
            parts.append(tag("polygon", points=_path([*upper, *lower]), class_="band"))
    return parts


def _mark(point: Point, x: Scale, y: Scale) -> list[Markup]:
    at, up = x(point.batch), y(point.elo)
    place, anchor = (at - 6, "end") if at > WIDTH - 50 else (at + 6, "start")
    dot = [] if point.error is None else [tag("circle", cx=at, cy=up, r=4, class_="mark")]
    return [*dot, tag("text", f"v{point.version}", x=place, y=max(12.0, up - 8), text_anchor=anchor, class_="label version")]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _numbers(points: Sequence[Point]) -> Markup:
    rows = [[f"{one.batch}", f"v{one.version}", number(one.elo), number(one.error)] for one in reversed(points[-NUMBERS_MOST:])]
    return tag(
        "details", tag("summary", "As numbers"), table("Rating after each batch", ["batch", "version", "Elo", "+/-"], rows)
    )


def interval(
    low: float | None,
    elo: float | None,
    high: float | None,
    of: tuple[float, float],
) -> Markup:
    """Return a rating and its interval on a scale that all rows of a table share. ``of``: the ends of the scale."""
    if elo is None:
        return escaped("")

    def x(value: float) -> float:
        return round(4 + (BAR - 8) * (value - of[0]) / ((of[1] - of[0]) or 1), 1)

    whisker = [] if low is None or high is None else [tag("line", x1=x(low), x2=x(high), y1=8, y2=8, class_="whisker")]
    dot = tag("circle", cx=x(elo), cy=8, r=3.5, class_="mark")
    return tag(
        "svg",
        *whisker,
        dot,
        viewBox=f"0 0 {BAR} 16",
        width=BAR,
        height=16,
        aria_hidden="true",
    )
