"""Which results are rated."""

from collections.abc import Iterable
from dataclasses import dataclass

from khiva_arena.errors import InternalError
from khiva_arena.result import Result


@dataclass(frozen=True, slots=True)
class Selection:
    """What is rated and what is not. Tables are named (event, table), in the order of their first row.

    rated: the matches of all complete tables.
    tables: how many are complete.
    incomplete: tables of which a rotation is missing.
    set_aside: tables of which a match stayed void.
    left_out: how many recorded matches are not rated.
    """

    rated: tuple[Result, ...]
    tables: int
    incomplete: tuple[tuple[str, str], ...]
    set_aside: tuple[tuple[str, str], ...]
    left_out: int


def complete_tables(results: Iterable[Result]) -> Selection:
    """Only whole tables are rated: one rotation more or less would favour the bots with good seats in it.

    A table of N seats is complete when its N rotations are recorded. Raises InternalError if a rotation comes twice.
    """
    by_table: dict[tuple[str, int, int], list[Result]] = {}
    for result in results:
        by_table.setdefault((result.event, result.seed, result.lineup), []).append(result)
    rated: list[Result] = []
    tables = left_out = 0
    incomplete: list[tuple[str, str]] = []
    set_aside: list[tuple[str, str]] = []
    for matches in by_table.values():
        name = matches[0].event, matches[0].table
        rotations = {match.rotation for match in matches}
        if len(rotations) < len(matches):
            raise InternalError(f"table {name[1]} of event {name[0]} holds a rotation twice")
        stayed_void = any(match.set_aside for match in matches)
        if not stayed_void and rotations == set(range(len(matches[0].bots))):
            rated += matches
            tables += 1
            continue
        (set_aside if stayed_void else incomplete).append(name)
        left_out += sum(not match.set_aside for match in matches)
    return Selection(tuple(rated), tables, tuple(incomplete), tuple(set_aside), left_out)
