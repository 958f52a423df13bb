"""Standings for people (text) and for programs (JSON). Both say the same; nothing here is computed.

JSON, stable keys: ``anchor``, ``blocks``, ``tables``, ``matches``, ``fault_free_matches``, ``left_out`` {``matches``,
``incomplete``, ``set_aside``: [[event, table], ...]}, ``confidence`` (percent), ``meaning``, ``rows``. A row is ``rank``,
``bot``, ``name``, ``elo``, ``error``, ``bound``, ``matches``, ``seeds``, ``score`` (percent), ``finishes`` [1st, 2nd, ...],
``faults`` {kind: count, all kinds}, ``voids``, ``cpu_s``, ``paused``, ``fault_free_elo``, ``differs``. null is "n/a".
"""

import re
from textwrap import wrap
from typing import Any

from tabulate import tabulate

from khiva_arena.ratings.elo import LEVEL
from khiva_arena.report.standings import Standing, Standings
from khiva_arena.result import FAULTS

_WIDTH = 100
_WIDEST_NAME, _NARROWEST_NAME = 24, 10
_MOST_NAMED = 6
_MARK = re.compile(r"#[0-9a-f]{4}$")
_PLACES = ("1st", "2nd", "3rd", "4th", "5th")


def meaning(standings: Standings) -> str:
    """One line: what the numbers mean."""
    confidence = f"{100 * LEVEL:.0f} %"
    return (
        f"P(A finishes ahead of B) = 1/(1+10^(-dElo/400)), ties half; +/- is {confidence}, relative to the anchor "
        f"{_names(standings)[standings.anchor]}, clustered on {_count(standings.blocks, 'seed')}."
    )


def to_text(standings: Standings) -> str:
    """A plain table, then lines on what it means and what is not in it. Ends with a newline."""
    with_voids = any(row.voids for row in standings.rows)
    places = [_PLACES[i] if i < len(_PLACES) else f"{i + 1}th" for i in range(standings.seats)]
    headers = ["rank", "bot", "elo", "+/-", "matches", "seeds", "score%", *places, "faults", *(["voids"] if with_voids else [])]
    align = ["right", "left", *["right"] * (len(headers) - 2)]

    def drawn(name_width: int) -> str:
        cells = [_cells(row, with_voids, name_width) for row in standings.rows]
        # the headers go in as a row: tabulate would make their columns two wider
        return str(tabulate([headers, *cells], tablefmt="plain", colalign=align, disable_numparse=True))

    table = drawn(_WIDEST_NAME)
    if (excess := max(map(len, table.split("\n"))) - _WIDTH) > 0:
        longest = min(_WIDEST_NAME, max(len(row.name) for row in standings.rows))
        table = drawn(max(_NARROWEST_NAME, longest - excess))
    notes = [line for note in _notes(standings) for line in wrap(note, _WIDTH, subsequent_indent="  ")]
    return "\n".join([*(line.rstrip() for line in table.split("\n")), "", *notes]) + "\n"


def to_json(standings: Standings) -> dict[str, Any]:
    """Plain values for ``json.dumps``; keys in the order of the module's docstring."""
    return {
        "anchor": standings.anchor,
        "blocks": standings.blocks,
        "tables": standings.tables,
        "matches": standings.matches,
        "fault_free_matches": standings.fault_free_matches,
        "left_out": {
            "matches": standings.left_out,
            "incomplete": [list(name) for name in standings.incomplete],
            "set_aside": [list(name) for name in standings.set_aside],
        },
        "confidence": 100 * LEVEL,
        "meaning": meaning(standings),
        "rows": [_json_row(row) for row in standings.rows],
    }


def _json_row(row: Standing) -> dict[str, Any]:
    faults = dict(row.faults)
    return {
        "rank": row.rank,
        "bot": row.bot,
        "name": row.name,
        "elo": row.elo,
        "error": row.error,
        "bound": row.bound,
        "matches": row.matches,
        "seeds": row.seeds,
        "score": row.score,
        "finishes": list(row.finishes),
        "faults": {str(kind): faults.get(kind, 0) for kind in FAULTS},
        "voids": row.voids,
        "cpu_s": row.cpu_s,
        "paused": row.paused,
        "fault_free_elo": row.fault_free_elo,
        "differs": row.differs,
    }


def _cells(row: Standing, with_voids: bool, name_width: int) -> list[str]:
    faults = sum(count for _, count in row.faults)
    return [
        "n/a" if row.rank is None else str(row.rank),
        _short(row.name, name_width),
        row.bound + _number(row.elo, 1),
        _number(row.error, 1),
        str(row.matches),
        str(row.seeds),
        _number(row.score, 1),
        *map(str, row.finishes),
        str(faults),
        *([str(row.voids)] if with_voids else []),
    ]


def _notes(standings: Standings) -> list[str]:
    rows = standings.rows
    notes = [meaning(standings)]
    if standings.blocks < 2:
        notes.append("Errors are n/a: they need two seeds or more.")
    if any(row.bound for row in rows):
        notes.append("Behind >=, <= or ?, no points flow both ways between bot and anchor: the number is the prior's.")
    for word, names in (("incomplete", standings.incomplete), ("set aside as void", standings.set_aside)):
        if names:
            some = ", ".join(table for _, table in names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")
            notes.append(f"Not rated: {_count(len(names), 'table')} {word} ({some}).")
    if standings.left_out:
        notes.append(f"Not rated in all: {_count(standings.left_out, 'fixed match', 'es')}.")
    notes += [f"Faults of {_short(row.name)}: {_faults(row)}." for row in rows if row.faults]
    if paused := [f"{_short(row.name)} {row.paused}" for row in rows if row.paused]:
        notes.append(f"Stopped until their turn, having kept a core from a seat that was asked: {', '.join(paused)}.")
    for row in rows:
        if row.differs:
            notes.append(
                f"{_short(row.name)}: {_number(row.fault_free_elo, 1)} Elo over the {standings.fault_free_matches} fault-free "
                f"matches, further from {_number(row.elo, 1)} than the error."
            )
    untold = [_short(row.name) for row in rows if row.elo is not None and row.fault_free_elo is None]
    if untold:
        notes.append(f"No fault-free Elo, for want of matches without a fault: {', '.join(untold)}.")
    return notes


def _faults(row: Standing) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in row.faults)


def _names(standings: Standings) -> dict[str, str]:
    return {row.bot: _short(row.name) for row in standings.rows}


def _short(name: str, width: int = _WIDEST_NAME) -> str:
    """At most ``width`` long; the id that tells two of one name apart stays on."""
    if len(name) <= width:
        return name
    mark = found[0] if (found := _MARK.search(name)) else ""
    return name[: width - 3 - len(mark)] + "..." + mark


def _number(value: float | None, digits: int) -> str:
    return "n/a" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"  # + 0.0: no minus zero


def _count(n: int, noun: str, plural: str = "s") -> str:
    return f"{n} {noun}{'' if n == 1 else plural}"
