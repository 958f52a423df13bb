"""The places of an event whose format is played in rounds, as text and as JSON.

Places are facts, not estimates. JSON, stable keys: ``event`` (its id), ``number``,
``format``, ``rounds`` (complete ones), ``of``, ``rows``. A row is ``place``, ``bot``,
``name``, ``score`` (mean pair score in percent, null without a match), ``byes``, and
the columns of its format: for a swiss ``points``, ``tables``, ``opponents`` (percent,
null without), for a knockout ``out`` (the round it went out in, from 1; null: not).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec

from khiva_arena.common.text import WIDTH
from khiva_arena.rating.report.text import NARROWEST_NAME, columns_of, fitting, short, table


class Placed(msgspec.Struct, frozen=True):
    """The place of one bot.

    place: 1 is best; ties share a place.
    bot: its identity.
    name: its name.
    score: its mean pair score, 0 to 1; None without a match.
    byes: how many rounds it sat out.
    columns: the columns of its format: key in JSON, head in the table, value in JSON,
        text in the table.
    """

    place: int
    bot: str
    name: str
    score: Fraction | None
    byes: int
    columns: Sequence[tuple[str, str, float | None, str]]


class Places(msgspec.Struct, frozen=True):
    """The places of one event.

    event: its id.
    number: its number in the store.
    format: its name.
    rounds: how many of its rounds are complete.
    of: how many rounds it has.
    rows: its bots, best first.
    """

    event: str
    number: int
    format: str
    rounds: int
    of: int
    rows: tuple[Placed, ...]


def to_text(places: Places, width: int = WIDTH) -> str:
    """Return a plain table; if it is too wide, names are shortened. Ends with a
    newline.
    """
    own = [head for _, head, _, _ in places.rows[0].columns]
    heads = ["place", "bot", "score%", *own, "byes"]
    cells = [
        [
            f"{row.place}",
            row.name,
            _percent(row.score),
            *(text for _, _, _, text in row.columns),
            str(row.byes),
        ]
        for row in places.rows
    ]
    far = "over" if places.rounds == places.of else f"after round {places.rounds} of {places.of}"
    lines = table([heads, *cells], to_left=(1,))
    if (beyond := max(map(columns_of, lines)) - width) > 0:
        longest = max(columns_of(row.name) for row in places.rows)
        for row in cells:
            row[1] = short(row[1], max(NARROWEST_NAME, longest - beyond))
        lines = fitting([heads, *cells], width, first=2, to_left=(1,))
    return f"event {places.number}, {places.format}, {far}:\n" + "\n".join(lines) + "\n"


def _percent(value: Fraction | None) -> str:
    return "n/a" if value is None else f"{float(100 * value):.1f}"


def to_json(places: Places) -> dict[str, Any]:
    """Return plain values, keys in the order of the module's docstring."""
    rows = [
        {
            "place": row.place,
            "bot": row.bot,
            "name": row.name,
            "score": _hundred(row.score),
            "byes": row.byes,
        }
        | {key: value for key, _, value, _ in row.columns}
        for row in places.rows
    ]
    heads = {"event": places.event, "number": places.number, "format": places.format}
    return {**heads, "rounds": places.rounds, "of": places.of, "rows": rows}


def _hundred(value: Fraction | None) -> float | None:
    return None if value is None else round(float(100 * value), 3)
