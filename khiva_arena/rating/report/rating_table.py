"""The rating table as text and as JSON (see ``shapes``). Both have the same content;
nothing here is computed.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from khiva_arena.common.text import WIDTH
from khiva_arena.rating.ratings.elo import LEVEL
from khiva_arena.rating.report import section_shapes, shapes, shared_deals
from khiva_arena.rating.report.columns import (
    BETWEEN,
    DETAILS,
    FINISHES,
    FIRST,
    LAST,
    TABLE,
    Column,
    Standing,
)
from khiva_arena.rating.report.reported import shows_spent
from khiva_arena.rating.report.standings import DIGITS
from khiva_arena.rating.report.table_notes import WITHOUT_PLACE, meaning, notes, times_one_look
from khiva_arena.rating.report.text import (
    NARROWEST_NAME,
    WIDEST_NAME,
    columns_of,
    paragraphs,
    short,
    table,
)
from khiva_arena.rating.report.values import Standings

_PLACES = ("1st", "2nd", "3rd", "4th", "5th")


def to_text(standings: Standings, width: int = WIDTH, wide: bool = False) -> str:
    """Return a plain table, then lines on its meaning and on missing matches. Ends with
    a newline. ``wide``: every column, however wide the table gets. Otherwise names are
    shortened in a table that is too wide, and then columns are left out, the least
    important first.
    """
    columns = shown_columns(standings, wide)
    hidden: list[str] = []
    if wide:
        lines = _lines(standings, columns, max(columns_of(row.name) for row in standings.rows))
    else:
        lines, hidden = _fitting(standings, columns, width)
    return (
        "\n".join([*lines, "", *paragraphs([*notes(standings), *_left_out(hidden)], width)]) + "\n"
    )


def shown_columns(standings: Standings, wide: bool) -> list[Column]:
    """Return the columns of a table, from left to right. ``wide``: all there are."""
    shown = [column for column in TABLE if wide or column.shown(standings.rows)]
    columns = [
        one
        for column in shown
        for one in (_finishes(standings.seats) if column is FINISHES else [column])
    ]
    if shows := shows_spent(standings.rows):
        columns = shows.columns(columns, standings.rows)
    return [*columns, *DETAILS] if wide else columns


def _finishes(seats: int) -> Iterator[Column]:
    """Yield a column for each place at the largest table."""
    for place in range(seats):
        head = _PLACES[place] if place < len(_PLACES) else f"{place + 1}th"
        leaves = FIRST if place == 0 else LAST if place == seats - 1 else BETWEEN
        yield Column(head, FINISHES.field, FINISHES.doc, partial(_finish, place), leaves)


def _finish(place: int, row: Standing) -> str:
    return str(row.finishes[place])


def _fitting(
    standings: Standings, columns: Sequence[Column], width: int
) -> tuple[list[str], list[str]]:
    """Return the widest form of the table that fits, else the narrowest; and the heads
    of the columns that are left out.
    """
    lines: list[str] = []
    hidden: list[str] = []
    longest = min(WIDEST_NAME, max(columns_of(row.name) for row in standings.rows))
    for last in range(max(column.leaves for column in columns) + 1):
        rest = [column for column in columns if column.leaves == 0 or column.leaves > last]
        hidden = [column.head for column in columns if column not in rest]
        for name_width in (longest, min(longest, NARROWEST_NAME)):
            lines = _lines(standings, rest, name_width)
            beyond = max(map(columns_of, lines)) - width
            if beyond <= 0:
                return lines if name_width == longest else _lines(
                    standings, rest, NARROWEST_NAME - beyond
                ), hidden
    return lines, hidden


def _lines(standings: Standings, columns: Sequence[Column], name_width: int) -> list[str]:
    cells = [
        [
            short(column.text(row), name_width) if column.left else column.text(row)
            for column in columns
        ]
        for row in standings.rows
    ]
    lines = table(
        [[column.head for column in columns], *cells],
        to_left=[i for i, column in enumerate(columns) if column.left],
    )
    if standings.fewest_batches is not None and (
        below := sum(row.rank is None for row in standings.rows)
    ):
        lines.insert(len(lines) - below, f"-- {WITHOUT_PLACE} --")
    if (apart := standings.apart) and (
        above := [row.bot in apart.bots for row in standings.rows]
    ).count(True):
        lines.insert(1 + above.index(True), f"-- {apart.words} --")
    return lines


def to_rated(standings: Standings, sections: section_shapes.Sections | None = None) -> shapes.Rated:
    """Return the table as a value of the published shape."""
    return shapes.Rated(
        anchor=standings.anchor,
        anchors=list(standings.anchors),
        blocks=standings.blocks,
        tables=standings.tables,
        matches=standings.matches,
        fault_free_matches=standings.fault_free_matches,
        left_out=shapes.LeftOut(
            standings.left_out,
            [list(name) for name in standings.incomplete],
            [list(name) for name in standings.set_aside],
        ),
        confidence=100 * LEVEL,
        meaning=meaning(standings),
        shared_deals=shared_deals.to_value(standings.shared_deals),
        rows=list(standings.rows),
        sections=sections or section_shapes.Sections(),
        widening=_widening(standings),
        looks=_looked_at(standings),
        fewest_batches=msgspec.UNSET
        if standings.fewest_batches is None
        else standings.fewest_batches,
    )


def _widening(standings: Standings) -> shapes.Widened | msgspec.UnsetType:
    widening = standings.ratings.widening
    if not widening:
        return msgspec.UNSET
    return shapes.Widened(
        widening.kind, widening.pair, widening.ranks, round(standings.widened, DIGITS)
    )


def _looked_at(standings: Standings) -> shapes.LookedAt | msgspec.UnsetType:
    looks = standings.ratings.widening.looks
    return (
        shapes.LookedAt(
            "mixture" if looks.rho else "planned", round(times_one_look(standings), DIGITS)
        )
        if looks
        else msgspec.UNSET
    )


def to_json(
    standings: Standings, sections: section_shapes.Sections | None = None
) -> dict[str, Any]:
    """Return the table as plain values for ``json.dumps``."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(to_rated(standings, sections)))
    return plain


def _left_out(heads: Sequence[str]) -> list[str]:
    """Return the line that names the columns missing from a narrow table, [] if none
    is.
    """
    return (
        [f"Left out at this width: {', '.join(heads)}; --wide prints every column."]
        if heads
        else []
    )
