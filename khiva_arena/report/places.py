"""Who came in where in a swiss or a knockout, for people (text) and for programs (JSON). Places are facts, not estimates.

JSON, stable keys: ``event`` (its id), ``number``, ``format``, ``rounds`` (complete ones), ``of``, ``rows``. A row is ``place``,
``bot``, ``name``, ``score`` (mean pair score in percent, null without a match), ``byes``, and for a swiss ``points``,
``tables``, ``opponents`` (percent, null without), for a knockout ``out`` (the round it went out in, from 1; null: not).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from khiva_arena.report.text import NARROWEST_NAME, WIDTH, columns_of, fitting, short, table

HEADS = {"swiss": ["points", "tables", "opponents%", "byes"], "knockout": ["out in", "byes"]}


@dataclass(frozen=True, slots=True)
class Placed:
    """One bot. ``score``, ``opponents``: 0..1. Swiss: ``points`` over ``tables``. Knockout: ``out`` in a round, from 1."""

    place: int
    bot: str
    name: str
    score: Fraction | None
    byes: int
    points: Fraction | None = None
    tables: int | None = None
    opponents: Fraction | None = None
    out: int | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """One event. ``rounds`` of ``of`` are complete. ``rows``: best first."""

    event: str
    number: int
    format: str
    rounds: int
    of: int
    rows: tuple[Placed, ...]


def to_text(places: Places, width: int = WIDTH) -> str:
    """A plain table; where it is too wide, names are shortened. Ends with a newline."""
    heads = ["place", "bot", "score%", *HEADS[places.format]]
    over = places.rounds == places.of
    cells = [[f"{row.place}", row.name, _percent(row.score), *_cells(places.format, row, over)] for row in places.rows]
    far = "over" if over else f"after round {places.rounds} of {places.of}"
    lines = table([heads, *cells], left=(1,))
    if (excess := max(map(columns_of, lines)) - width) > 0:
        longest = max(columns_of(row.name) for row in places.rows)
        for row in cells:
            row[1] = short(row[1], max(NARROWEST_NAME, longest - excess))
        lines = fitting([heads, *cells], width, first=2, left=(1,))
    return f"event {places.number}, {places.format}, {far}:\n" + "\n".join(lines) + "\n"


def _cells(format_: str, row: Placed, over: bool) -> list[str]:
    if format_ == "swiss":
        points = "n/a" if row.points is None else f"{float(row.points):.2f}"
        return [points, str(row.tables), _percent(row.opponents), str(row.byes)]
    out = f"round {row.out}" if row.out else ("won" if over else "still in")
    return [out, str(row.byes)]


def _percent(value: Fraction | None) -> str:
    return "n/a" if value is None else f"{float(100 * value):.1f}"


def to_json(places: Places) -> dict[str, Any]:
    """Plain values, keys in the order of the module's docstring."""
    only = {"swiss": ("points", "tables", "opponents"), "knockout": ("out",)}[places.format]
    rows = []
    for row in places.rows:
        plain = {"place": row.place, "bot": row.bot, "name": row.name, "score": _hundred(row.score), "byes": row.byes}
        more = {"points": _number(row.points), "tables": row.tables, "opponents": _hundred(row.opponents), "out": row.out}
        rows.append(plain | {key: more[key] for key in only})
    heads = {"event": places.event, "number": places.number, "format": places.format}
    return {**heads, "rounds": places.rounds, "of": places.of, "rows": rows}


def _hundred(value: Fraction | None) -> float | None:
    return None if value is None else round(float(100 * value), 3)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else round(float(value), 3)
