"""The sections of the standings as text for people. Nothing is computed here, see
``sections``.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET

from khiva_arena.common.text import WIDTH
from khiva_arena.rating.ratings.student import stdtr
from khiva_arena.rating.report import points, section_shapes
from khiva_arena.rating.report.columns import DETAILS
from khiva_arena.rating.report.points_shapes import PointsBySource
from khiva_arena.rating.report.table_notes import UNDER_THE_PRIOR
from khiva_arena.rating.report.text import (
    WIDEST_NAME,
    blocks,
    chance,
    elo,
    fitting,
    interval,
    matrix,
    number,
    paragraphs,
    short,
    table,
)
from khiva_arena.rating.report.values import Standings
from khiva_arena.words import count

_NONE = "."  # oneself, or no number
_UNMET = "-"
_BEYOND = 2.0  # standard errors


def to_text(
    standings: Standings,
    sections: section_shapes.Sections,
    names: Sequence[str],
    width: int = WIDTH,
) -> str:
    """Return the sections in the order of ``names``, each under a line that explains
    it. Ends with a newline, if there are any.
    """
    blocks = [_details(standings, width)] if "details" in names else []
    for name in section_shapes.Sections.__struct_fields__:
        value = getattr(sections, name)
        if value is not UNSET:
            blocks.append(_DRAWN[name](standings, value, width))
    return "".join("\n".join(lines) + "\n\n" for lines in blocks)


def _bots(standings: Standings, width: int = WIDEST_NAME) -> list[str]:
    return [short(row.name, width) for row in standings.rows]


def _names(standings: Standings) -> dict[str, str]:
    return {row.bot: short(row.name) for row in standings.rows}


def _details(standings: Standings, width: int) -> list[str]:
    rows = [[short(row.name), *(column.text(row) for column in DETAILS)] for row in standings.rows]
    worst = standings.ratings.quasi.worst
    notes = [
        "ties%: of its pairs; pool+/-: 95 % relative to the mean of the bots it is connected with; "
        "quasi: the error between any two bots is near the root of the sum of their squares"
        + ("" if worst is None else f", within {number(100 * worst, 1)} % here")
        + "; "
        "deff: variance over that of independent matches; opp: mean Elo of those it met; "
        "ff: over fault-free matches."
    ]
    return [
        "Details:",
        *fitting([["bot", *(column.head for column in DETAILS)], *rows], width),
        *paragraphs(notes, width),
    ]


def _crosstable(
    standings: Standings, rows: Sequence[Sequence[section_shapes.Pair | None]], width: int
) -> list[str]:
    cells = [
        [_NONE if i == j else _pair(cell) for j, cell in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    notes = [
        "What the row's bot made of the column's, in percent, and the 95 % interval; * if "
        "ranks tell the two apart. Of many "
        "pairs of equal bots, one in twenty has an interval that leaves out 50, by luck."
    ]
    if any(_UNMET in row for row in cells):
        notes.append(f"{_UNMET}: the two never met.")
    return ["Crosstable:", *matrix(_bots(standings), cells, width), *paragraphs(notes, width)]


def _pair(cell: section_shapes.Pair | None) -> str:
    if cell is None:
        return _UNMET
    if cell.low is None or cell.high is None:
        return number(cell.score, 0)
    return (
        f"{number(cell.score, 0)} "
        f"{number(cell.low, 0)}-{number(cell.high, 0)}{'*' if cell.certain else ' '}"
    )


def _numbers(rows: section_shapes.Matrix, digits: int, sign: str = "") -> list[list[str]]:
    return [
        [_NONE if value is None else number(value, digits, sign) for value in row] for row in rows
    ]


def _los(standings: Standings, rows: section_shapes.Matrix, width: int) -> list[str]:
    note = (
        "How likely the row's bot is stronger than the column's, in percent, "
        f"{UNDER_THE_PRIOR}; . if the results do not say."
    )
    cells = [[_NONE if value is None else chance(value) for value in row] for row in rows]
    return [
        "Likelihood of superiority:",
        *matrix(_bots(standings), cells, width),
        *paragraphs([note], width),
    ]


def _surprise(standings: Standings, rows: section_shapes.Matrix, width: int) -> list[str]:
    seeds = [row.seeds for row in standings.rows]
    upper = [
        (value, min(seeds[i], seeds[j]))
        for i, row in enumerate(rows)
        for j, value in enumerate(row[:i])
        if value is not None
    ]
    beyond = sum(abs(value) > _BEYOND for value, _ in upper)
    # without cycles a surprise is near Student's t of the seeds that the two played
    luck = sum(
        2 * often * float(stdtr(fewer - 1, -_BEYOND))
        for fewer, often in Counter(fewer for _, fewer in upper).items()
    )
    note = (
        "How far the score of the row's bot against the column's is above what their ratings "
        f"expect, in standard errors. {beyond} of {count(len(upper), 'pair')} beyond "
        f"{_BEYOND:.0f}; luck alone makes about {luck:.1f}, so a number near it says nothing."
    )
    return [
        "Surprise:",
        *matrix(_bots(standings), _numbers(rows, 1, "+"), width),
        *paragraphs([note], width),
    ]


def _seats(standings: Standings, section: section_shapes.Seats, width: int) -> list[str]:
    seats = [["seats", "seat", "score%", "95 %", "matches", "seeds"]]
    seats += [
        [
            str(row.seats),
            str(row.seat),
            number(row.score, 1),
            interval(row.low, row.high, 1),
            str(row.matches),
            str(row.seeds),
        ]
        for row in section.seats
    ]
    names = _names(standings)
    neighbours = [["bot", "effect%", "95 %", "matches", "seeds"]]
    neighbours += [
        [
            names[row.bot],
            number(row.effect, 1, "+"),
            interval(row.low, row.high, 1, "+"),
            str(row.matches),
            str(row.seeds),
        ]
        for row in section.neighbours
    ]
    note = (
        "score%: of the bots in that seat; 50 if seats do not matter. effect%: how much better "
        "others do in the seat that this bot passes to than elsewhere; 0 if neighbours do not "
        "matter. All rotations are played, so no seat favours a bot; who passes to whom is "
        "balanced over the seeds only."
    )
    return [
        "Seats and neighbours:",
        *table(seats),
        "",
        *fitting(neighbours, width),
        *paragraphs([note], width),
    ]


def _cycles(standings: Standings, section: section_shapes.Cycles, width: int) -> list[str]:
    if section.share is None:
        return [
            "Cycles:",
            *paragraphs(
                [
                    (
                        "n/a: too few seeds, seeds that all say the same, no bots that met in "
                        "a ring, or more noise than differences."
                    )
                ],
                width,
            ),
        ]
    sure = interval(section.low, section.high, 1)
    note = (
        f"{number(section.share, 1)} % of the differences between bots (95 %: {sure}) are beyond "
        f"what one number for each can tell: {number(section.raw, 1)} % as seen, less "
        f"{number(section.noise, 1)} % that luck alone makes."
    )
    return ["Cycles:", *paragraphs([note], width)]


def _connectivity(
    standings: Standings, section: section_shapes.Connectivity, width: int
) -> list[str]:
    names = _names(standings)
    if section.connected:
        note = (
            "Points flow both ways between all bots, straight or over others: all numbers compare."
        )
        return ["Connectivity:", *paragraphs([note], width)]
    groups = [
        f"{i}: {', '.join(names[bot] for bot in bots)}"
        for i, bots in enumerate(section.components, 1)
    ]
    note = (
        "Points do not flow both ways between these groups: how far apart they are is the "
        "prior's, not the results'."
    )
    return ["Connectivity:", *paragraphs([*groups, note], width)]


def _covariance(standings: Standings, rows: section_shapes.Matrix, width: int) -> list[str]:
    note = (
        "Covariances of the Elo numbers, in Elo squared; the variance of a difference is V_ii "
        "+ V_jj - 2 V_ij."
    )
    return [
        "Covariance:",
        *matrix(_bots(standings), _numbers(rows, 1), width),
        *paragraphs([note], width),
    ]


def _effects(standings: Standings, section: section_shapes.EffectsSection, width: int) -> list[str]:
    names = _names(standings)
    ratings = [["bot", "elo", "+/-", "without", "+/-"]]
    for row, fit in zip(standings.rows, section.rows, strict=True):
        fitted_elo, plain = elo(fit.bound, fit.elo), elo(row.bound, row.elo)
        ratings.append(
            [names[row.bot], fitted_elo, number(fit.error, 1), plain, number(row.error, 1)]
        )
    effects = [["effect", "elo", "+/-"]]
    for effect in section.effects:
        effect_name = (
            f"seat {effect.seat} of {effect.seats}"
            if effect.bot is None
            else f"after {names[effect.bot]}"
        )
        effects.append([effect_name, number(effect.elo, 1, "+"), number(effect.error, 1)])
    note = (
        f"Fitted together with effects of {' and '.join(section.fitted)}. seat: Elo above "
        "its strength that a bot plays there; "
        "after a bot: in the seat that this one passes to. without: the headline numbers."
    )
    return [
        "Effects:",
        *fitting(ratings, width),
        "",
        *fitting(effects, width),
        *paragraphs([note], width),
    ]


def _history(standings: Standings, stages: Sequence[section_shapes.Stage], width: int) -> list[str]:
    rows = [
        ["event", "matches", "seeds"],
        *([str(stage.number), str(stage.matches), str(stage.seeds)] for stage in stages),
    ]
    lines = ["History:", *table(rows)]
    for title, ratings in (
        ("Elo and +/- from all events up to each:", [stage.so_far for stage in stages]),
        ("Elo and +/- from each event by itself:", [stage.alone for stage in stages]),
    ):
        lines += [
            "",
            title,
            *_by_event(standings, [stage.number for stage in stages], ratings, width),
        ]
    return lines


def _by_event(
    standings: Standings,
    numbers: Sequence[int],
    stages: Sequence[Sequence[section_shapes.Rating]],
    width: int,
) -> list[str]:
    names = ["bot", *_bots(standings, 16)]
    columns = [
        [
            str(event),
            *(f"{elo(point.bound, point.elo)} {number(point.error, 1)}" for point in stage),
        ]
        for event, stage in zip(numbers, stages, strict=True)
    ]
    return blocks([names], columns, width, to_left=(0,))


def _points(standings: Standings, section: PointsBySource, width: int) -> list[str]:
    if section.why_none:
        return ["Points by source:", *paragraphs([f"n/a: {section.why_none}."], width)]
    heads = [*section.counted, *(f"({source})" for source in section.uncounted)]
    names, rows = (
        _names(standings),
        [["bot", *(part for head in heads for part in (head, "+/-")), "matches", "seeds"]],
    )
    for row in section.rows:
        means, errors = row.means or [None] * len(heads), row.errors or [None] * len(heads)
        cells = [number(value, 1) for pair in zip(means, errors, strict=True) for value in pair]
        rows.append([names[row.bot], *cells, str(row.matches), str(row.seeds)])
    number_of = f"{section.matches} of {count(section.of, 'rated match', 'rated matches')}"
    note = f"Points a match, from {number_of}; those with a forfeit do not count."
    notes = [
        note + (" In brackets: what counts nothing." if section.uncounted else ""),
        points.sentence(standings, section),
    ]
    return [
        "Points by source:",
        *fitting(rows, width),
        *paragraphs([note for note in notes if note], width),
    ]


_DRAWN: dict[str, Callable[[Standings, Any, int], list[str]]] = {
    "crosstable": _crosstable,
    "los": _los,
    "surprise": _surprise,
    "seats": _seats,
    "cycles": _cycles,
    "connectivity": _connectivity,
    "covariance": _covariance,
    "effects": _effects,
    "history": _history,
    "points": _points,
}
