"""What the ratings are made from: recorded matches as rows, and which of them are rated."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from khiva_arena.errors import InternalError
from khiva_arena.result import Verdict


class Measured(NamedTuple):
    """What was measured of a seat in one match, beside its record; None: unknown. A row of the standings has the sums.

    cpu_s: CPU time, in seconds.
    paused: times that the bot was stopped, since it kept a core from a seat that was to answer.
    caused: void attempts at the match that the seat caused, by being late.
    page_faults: those for which a disk was read.
    """

    cpu_s: float | None = None
    paused: int = 0
    caused: int = 0
    page_faults: int | None = None


def total(seats: Iterable[Measured]) -> Measured:
    """The sums over what is known; None if nothing is."""
    known = ([value for value in values if value is not None] for values in zip(Measured(), *seats, strict=True))
    sums: list[Any] = [reduce(add, values) if values else None for values in known]
    return Measured(*sums)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One match of a store. Tuples are by seat.

    event: the event's id.
    table: the table's name within the event, the same for its N matches ("3/7": seed 3, line-up 7).
    rotation: 0..N-1.
    seed: what deal was played. Rows with an equal ``seed`` form a block of the error estimate, so two events that share
        deals (one run secret) must give equal strings, and others different ones; a hash of the seed's secret does.
    bots: ids; copies of one bot have the same id.
    ranks: final places, 1 is best, ties share one, forfeits rank below; empty if the match was set aside.
    faults: every fault of the seat in this match, in order, strikes included.
    voids: attempts of this match that were void before it was recorded or set aside.
    set_aside: the match stayed void; its whole table is not rated.
    measured: what was measured of each seat; empty if nothing was.
    """

    event: str
    table: str
    rotation: int
    seed: str
    bots: tuple[str, ...]
    ranks: tuple[int, ...] = ()
    faults: tuple[tuple[Verdict, ...], ...] = ()
    voids: int = 0
    set_aside: bool = False
    measured: tuple[Measured, ...] = ()

    @property
    def fault_free(self) -> bool:
        return not any(self.faults)

    @property
    def unstarted(self) -> tuple[int, ...]:
        """The seats whose bot failed to start."""
        return tuple(seat for seat, faults in enumerate(self.faults) if Verdict.START_FAILED in faults)


@dataclass(frozen=True, slots=True)
class Selection:
    """What is rated and what is not. Tables are named (event, table), in the order of their first row.

    rated: the matches of all complete tables.
    tables: how many are complete.
    incomplete: tables of which a rotation is missing.
    set_aside: tables of which a match stayed void.
    left_out: how many recorded matches are not rated.
    """

    rated: tuple[MatchRow, ...]
    tables: int
    incomplete: tuple[tuple[str, str], ...]
    set_aside: tuple[tuple[str, str], ...]
    left_out: int


def complete_tables(rows: Iterable[MatchRow]) -> Selection:
    """Only whole tables are rated: one rotation more or less would favour whoever sat well in it.

    A table of N seats is complete when its N rotations are recorded. Raises InternalError if a rotation comes twice.
    """
    by_table: dict[tuple[str, str], list[MatchRow]] = {}
    for row in rows:
        by_table.setdefault((row.event, row.table), []).append(row)
    rated: list[MatchRow] = []
    tables = left_out = 0
    incomplete: list[tuple[str, str]] = []
    set_aside: list[tuple[str, str]] = []
    for name, matches in by_table.items():
        rotations = {row.rotation for row in matches}
        if len(rotations) < len(matches):
            raise InternalError(f"table {name[1]} of event {name[0]} holds a rotation twice")
        if not any(row.set_aside for row in matches) and rotations == set(range(len(matches[0].bots))):
            rated += matches
            tables += 1
            continue
        (set_aside if any(row.set_aside for row in matches) else incomplete).append(name)
        left_out += sum(not row.set_aside for row in matches)
    return Selection(tuple(rated), tables, tuple(incomplete), tuple(set_aside), left_out)
