"""Matches and voids put together from the rows of several tables, which one query each
reads for many of them.

Rows of matches are taken apart by place: each report reads all of them, and by name
they take half as long again.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.result import LINK_LOST, Measured, Spent
from khiva_arena.records.store.rows import MatchRow, SeatRow, Times, VoidRow
from khiva_arena.records.store.sums import CheckedRow

UNREADABLE = "unreadable"
Checked = Iterable[tuple[Sequence[Any], bool]]
"""Rows, sum included, each with whether it is as it was written."""
_TIMES = msgspec.json.Decoder(Times)  # made once: one is read for each match
_SPENT = msgspec.json.Decoder(tuple[Spent | None, ...])
_LOST = (LINK_LOST, f"crashed: {LINK_LOST}")
T = TypeVar("T")


def whole_matches(
    matches: Sequence[tuple[Sequence[Any], bool]],
    faults: Checked,
    seats: Checked,
    times: Checked,
    cells: Checked,
    spent: Checked,
) -> Iterator[MatchRow]:
    """Yield rows of ``matches`` with their rows of ``page_faults``, ``seats`` (by
    number), ``times``, ``cells`` and ``spent``. Rows of other matches may be among
    these.
    """
    mine: dict[int, list[SeatRow]] = {row[1]: [] for row, _ in matches}
    damaged_ordinals = set()
    majors = {}
    for (_, ordinal, seat, major, _), intact in faults:
        majors[ordinal, seat] = major
        if not intact:
            damaged_ordinals.add(ordinal)
    for row, intact in seats:
        ordinal = row[1]
        mine.setdefault(ordinal, []).append(_seat(row, majors.get((ordinal, row[2]), 0)))
        if not intact:
            damaged_ordinals.add(ordinal)
    took: dict[int, Times | None] = {}
    for (_, ordinal, by_seat, _), intact in times:
        took[ordinal] = _by_seat(by_seat, _TIMES, len(mine.get(ordinal, ())))
        if not intact or took[ordinal] is None:
            damaged_ordinals.add(ordinal)
    kept: dict[int, Level | None] = {}
    for (_, ordinal, level, _), intact in cells:
        kept[ordinal] = Level(level) if level in {*Level} else None
        if not intact or kept[ordinal] is None:
            damaged_ordinals.add(ordinal)
    told: dict[int, tuple[Spent | None, ...]] = {}
    for (_, ordinal, by_seat, _), intact in spent:
        told[ordinal] = _by_seat(by_seat, _SPENT, len(mine.get(ordinal, ()))) or ()
        if not intact or not told[ordinal]:
            damaged_ordinals.add(ordinal)
    for row, intact in matches:
        at = row[1]
        values = (
            *row[:-1],
            tuple(mine[at]),
            took.get(at),
            kept.get(at),
            told.get(at, ()),
            intact and at not in damaged_ordinals,
        )
        yield MatchRow(*values)


def _seat(row: Sequence[Any], major: int) -> SeatRow:
    (
        _,
        _,
        seat,
        bot,
        rank,
        score,
        verdict,
        faults,
        decisions,
        thought,
        slowest,
        bank_left,
        cpu,
        *rest,
    ) = row
    status, notes, notes_total, peak, paused, _ = rest
    place, thinking = (seat, bot, rank, score, verdict), (decisions, thought, slowest, bank_left)
    blames = _faults(faults)
    measured = Measured(cpu, paused, 0, major, sum(detail in _LOST for _, detail, _ in blames))
    return SeatRow(*place, blames, *thinking, status, notes, notes_total, peak, measured)


def whole_voids(
    voids: list[CheckedRow], causes: list[CheckedRow], spent: list[CheckedRow]
) -> list[VoidRow]:
    """Return rows of ``voids`` with those of ``void_causes`` and ``void_spent``, all
    given by column.
    """
    seats_by_attempt = {
        (cause["ordinal"], cause["attempt"]): (tuple(_list(cause["seats"], list[int])), intact)
        for cause, intact in causes
    }
    reports = {
        (told["ordinal"], told["attempt"]): (told["by_seat"], intact) for told, intact in spent
    }
    out = []
    for row, intact in voids:
        attempt = (row["ordinal"], row["attempt"])
        seats, also = seats_by_attempt.get(attempt, ((), True))
        bots = _list(row["bots"], list[int])
        lists = {"bots": bots, "cpu": _list(row["cpu"], list[float])}
        by_seat, reported = reports.get(attempt, ("", True))
        told = _by_seat(by_seat, _SPENT, len(bots)) if attempt in reports else ()
        whole = intact and also and reported and told is not None
        out.append(VoidRow(**row | lists, intact=whole, causes=seats, spent=told or ()))
    return out


def _list(text: str, kind: type[list[T]]) -> list[T]:
    try:
        return msgspec.json.decode(text, type=kind)
    except (ValueError, RecursionError):
        return []


def _by_seat(
    text: str, decoder: msgspec.json.Decoder[tuple[T, ...]], seats: int
) -> tuple[T, ...] | None:
    try:
        values = decoder.decode(text)
    except (ValueError, RecursionError):
        return None
    return values if len(values) == seats else None


def _faults(text: str) -> list[list[Any]]:
    if text == "[]":  # as for nearly every seat
        return []
    try:
        return [list(fault) for fault in msgspec.json.decode(text, type=list[tuple[str, str, int]])]
    except (ValueError, RecursionError):
        return [[UNREADABLE, text[:80], 0]]
