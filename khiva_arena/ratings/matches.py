"""What the ratings are made from: fixed matches as rows, and which of them are rated."""

from collections.abc import Iterable
from dataclasses import dataclass

from khiva_arena.errors import InternalError
from khiva_arena.result import Verdict


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One match of a store. Tuples are by seat.

    event: the event's id.  table: the table's name within the event, the same for its N matches ("3/7": seed 3, line-up 7).
    rotation: 0..N-1.
    seed: what deal was played. Rows with an equal ``seed`` form a block of the error estimate, so two events that share
        deals (one run secret) must give equal strings, and others different ones; a hash of the seed's secret does.
    bots: ids; copies of one bot have the same id.
    ranks: final places, 1 is best, ties share one, forfeits rank below; empty if the match was set aside.
    faults: every fault of the seat in this match, in order, strikes included.
    voids: attempts of this match that were void before it was fixed or set aside.
    set_aside: the match stayed void; its whole table is not rated.
    cpu_s: CPU seconds each bot used in this match, None where unknown; empty if unknown for all.
    paused: how often each bot was stopped, since it kept a core from a seat that was asked.
    caused: how many of the voids each seat caused, by being late; empty if none.
    page_faults: of each bot, those that read a disk, None where unknown; empty if unknown for all.
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
    cpu_s: tuple[float | None, ...] = ()
    paused: tuple[int, ...] = ()
    caused: tuple[int, ...] = ()
    page_faults: tuple[int | None, ...] = ()

    @property
    def fault_free(self) -> bool:
        return not any(self.faults)

    @property
    def unstarted(self) -> tuple[int, ...]:
        """The seats whose bot failed to start."""
        return tuple(seat for seat, faults in enumerate(self.faults) if Verdict.START_FAILED in faults)


@dataclass(frozen=True, slots=True)
class Selection:
    """What is rated and what is not. Tables are named (event, table), in the order of their first row."""

    rated: tuple[MatchRow, ...]
    tables: int
    incomplete: tuple[tuple[str, str], ...]
    set_aside: tuple[tuple[str, str], ...]
    left_out: int  # fixed matches that are not rated


def complete_tables(rows: Iterable[MatchRow]) -> Selection:
    """Only whole tables are rated: one rotation more or less would favour whoever sat well in it.

    A table of N seats is complete when its N rotations are fixed. Raises InternalError if a rotation comes twice.
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
