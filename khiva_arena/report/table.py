"""The rating table for people (text) and for programs (JSON, see ``shapes``). Both say the same; nothing here is computed."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from khiva_arena.ratings.elo import FEWEST_SEEDS, LEVEL
from khiva_arena.report import shapes
from khiva_arena.report.columns import BETWEEN, DETAILS, FINISHES, FIRST, LAST, MARKS, TABLE, Column, Standing, many_page_faults
from khiva_arena.report.text import (
    NARROWEST_NAME,
    ROUGH,
    WIDEST_NAME,
    columns_of,
    elo,
    number,
    paragraphs,
    short,
    table,
)
from khiva_arena.report.values import Standings
from khiva_arena.text import WIDTH
from khiva_arena.words import count

_MOST_NAMED = 6
UNDER_THE_PRIOR = "under the prior that each bot drew a game with one of middling strength"
"""Of the ratings, and of every likelihood made from them: ``ratings.elo.PRIOR_GAMES`` in words."""
_PLACES = ("1st", "2nd", "3rd", "4th", "5th")


def meaning(standings: Standings) -> str:
    """One line: what the numbers mean."""
    names = _names(standings)
    where = f"relative to the anchor {names[standings.anchor]}"
    if standings.anchors:
        at = [f"{names[one.bot]} at {one.given:g}" + (f" (sd {one.sd:g})" if one.sd else "") for one in standings.anchors]
        where = f"with {', '.join(at)}"
    return (
        f"P(A finishes ahead of B) = 1/(1+10^(-dElo/400)), ties half; +/- is {100 * LEVEL:.0f} %, "
        f"{where}, clustered on {count(standings.blocks, 'seed')}."
    )


def to_text(standings: Standings, width: int = WIDTH, wide: bool = False) -> str:
    """A plain table, then lines on what it means and what is not in it. Ends with a newline. ``wide``: every column, however
    wide the table gets; if it is too wide, names are shortened, and then columns are left out, the least important first."""
    shown = shown_columns(standings, wide)
    gone: list[str] = []
    if wide:
        lines = _lines(standings, shown, max(columns_of(row.name) for row in standings.rows))
    else:
        lines, gone = _fitting(standings, shown, width)
    return "\n".join([*lines, "", *paragraphs([*notes(standings), *_left_out(gone)], width)]) + "\n"


def shown_columns(standings: Standings, wide: bool) -> list[Column]:
    """The columns of a table, from left to right. ``wide``: all there are."""
    shown = [column for column in TABLE if wide or column.shown(standings.rows)]
    columns = [one for column in shown for one in (_finishes(standings.seats) if column is FINISHES else [column])]
    return [*columns, *DETAILS] if wide else columns


def _finishes(seats: int) -> Iterator[Column]:
    """A column for each place at the largest table."""
    for place in range(seats):
        head = _PLACES[place] if place < len(_PLACES) else f"{place + 1}th"
        leaves = FIRST if place == 0 else LAST if place == seats - 1 else BETWEEN
        yield Column(head, FINISHES.field, FINISHES.doc, partial(_finish, place), leaves)


def _finish(place: int, row: Standing) -> str:
    return str(row.finishes[place])


def _fitting(standings: Standings, columns: Sequence[Column], width: int) -> tuple[list[str], list[str]]:
    """The widest form of the table that fits, else the narrowest; and the heads of the columns that are left out."""
    lines: list[str] = []
    gone: list[str] = []
    longest = min(WIDEST_NAME, max(columns_of(row.name) for row in standings.rows))
    for last in range(max(column.leaves for column in columns) + 1):
        kept = [column for column in columns if column.leaves == 0 or column.leaves > last]
        gone = [column.head for column in columns if column not in kept]
        for name_width in (longest, min(longest, NARROWEST_NAME)):
            lines = _lines(standings, kept, name_width)
            beyond = max(map(columns_of, lines)) - width
            if beyond <= 0:
                return lines if name_width == longest else _lines(standings, kept, NARROWEST_NAME - beyond), gone
    return lines, gone


def _lines(standings: Standings, columns: Sequence[Column], name_width: int) -> list[str]:
    cells = [
        [short(column.text(row), name_width) if column.left else column.text(row) for column in columns] for row in standings.rows
    ]
    return table([[column.head for column in columns], *cells], left=[i for i, column in enumerate(columns) if column.left])


def to_rated(standings: Standings, sections: shapes.Sections | None = None) -> shapes.Rated:
    """The table as a value of the published shape."""
    return shapes.Rated(
        anchor=standings.anchor,
        anchors=list(standings.anchors),
        blocks=standings.blocks,
        tables=standings.tables,
        matches=standings.matches,
        fault_free_matches=standings.fault_free_matches,
        left_out=shapes.LeftOut(
            standings.left_out, [list(name) for name in standings.incomplete], [list(name) for name in standings.set_aside]
        ),
        confidence=100 * LEVEL,
        meaning=meaning(standings),
        rows=list(standings.rows),
        sections=sections or shapes.Sections(),
    )


def to_json(standings: Standings, sections: shapes.Sections | None = None) -> dict[str, Any]:
    """The same as plain values for ``json.dumps``."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(to_rated(standings, sections)))
    return plain


def notes(standings: Standings) -> list[str]:
    """What stands below the table: what the numbers mean, and what is not in them."""
    rows = standings.rows
    lines = [meaning(standings)]
    lines += [f"{mark}: {says}." for mark, says in MARKS.items() if any(mark in row.marks for row in rows)]
    if any(row.rank_interval for row in rows):
        lines.append(
            "ranks: what the results leave open, 95 % for all at once; los%: how likely stronger than the next, "
            f"{UNDER_THE_PRIOR}."
        )
    if any(row.rough for row in rows):
        lines.append(
            f"{ROUGH}: from fewer than {FEWEST_SEEDS} seeds, so that the error itself is rough, and ranks and los% with it."
        )
    if standings.blocks < 2:
        lines.append("Errors are n/a: they need two seeds or more, and seeds whose results differ.")
    if alike := _alike(standings):
        lines.append(
            f"No variance seen, +/- or los% n/a ({_some(alike)}): every seed came out alike, which says nothing about the next."
        )
    if any(row.bound in (">=", "<=") for row in rows):
        lines.append(
            "Behind >= or <=, all points between bot and anchor flow one way: elo is then the prior's number, and +/- the 95 % "
            "bound that the results give, or n/a; --anchor one of the others for errors between them."
        )
    if any(row.bound == "?" for row in rows):
        lines.append("Behind ?, no points flow between bot and anchor at all: the number is the prior's.")
    for word, names in (("incomplete", standings.incomplete), ("set aside as void", standings.set_aside)):
        if names:
            lines.append(f"Not rated: {count(len(names), 'table')} {word} ({_some([name for _, name in names])}).")
    if standings.left_out:
        lines.append(f"Not rated in all: {count(standings.left_out, 'recorded match', 'recorded matches')}.")
    return lines + _notes_on_anchors(standings) + _notes_on_faults(standings)


def _left_out(heads: Sequence[str]) -> list[str]:
    """What a narrow table does not show."""
    return [f"Too narrow for {', '.join(heads)}: --wide prints every column."] if heads else []


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")


def _alike(standings: Standings) -> list[str]:
    """Bots whose error, or likelihood against the next bot, is n/a only because no seed differed from another."""
    ratings, rows = standings.ratings, standings.rows
    at = [standings.order.index(row.bot) for row in rows]
    names = []
    for place, (row, i) in enumerate(zip(rows, at, strict=True)):
        j = at[place + 1] if place + 1 < len(rows) else i
        no_error = row.error is None and not row.bound and ratings.no_variance_seen[i, i]
        no_los = i != j and ratings.groups[i] == ratings.groups[j] and ratings.no_variance_seen[i, j]
        if row.elo is not None and (no_error or no_los):
            names.append(short(row.name))
    return names


def _notes_on_anchors(standings: Standings) -> list[str]:
    names = _names(standings)
    return [
        f"Anchor {names[one.bot]} is given as {number(one.given, 1)}; the results place it at {number(one.found, 1)}, "
        f"{number(one.z, 1, '+')} standard errors away."
        for one in standings.anchors
        if one.contradicts
    ]


def _notes_on_faults(standings: Standings) -> list[str]:
    rows = standings.rows
    notes = [f"Faults of {short(row.name)}: {_faults(row)}." for row in rows if row.fault_counts]
    if paused := [f"{short(row.name)} {row.paused}" for row in rows if row.paused]:
        notes.append(f"Stopped until their turn, having kept a core from a seat that was asked: {', '.join(paused)}.")
    if many := [f"{short(row.name)} {row.page_faults}" for row in many_page_faults(standings.rows)]:
        notes.append(
            f"Page faults that read a disk (disk), far more than others had: {', '.join(many)}. A large runtime can have them on "
            "a machine short of memory, and so can a bot that leaves its next self a message in what is in memory."
        )
    notes += [
        f"{short(row.name)}: {number(row.fault_free_elo, 1)} Elo over the {standings.fault_free_matches} fault-free matches, "
        f"further from {number(row.elo, 1)} than the error."
        for row in rows
        if row.differs
    ]
    notes += [
        f"{short(row.name)}: {elo(row.fault_free_bound, row.fault_free_elo)} Elo over the {standings.fault_free_matches} "
        "fault-free matches: only a bound."
        for row in rows
        if row.fault_counts and row.fault_free_bound and not row.bound
    ]
    untold = [short(row.name) for row in rows if row.elo is not None and row.fault_free_elo is None]
    if untold:
        notes.append(f"No fault-free Elo, for want of matches without a fault: {', '.join(untold)}.")
    return notes


def _faults(row: Standing) -> str:
    return ", ".join(f"{often} {kind}" for kind, often in row.fault_counts)


def _names(standings: Standings) -> dict[str, str]:
    return {row.bot: short(row.name) for row in standings.rows}
