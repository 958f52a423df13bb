"""The selection of the results that are rated."""

from collections.abc import Iterable

import msgspec
import numpy as np

from khiva_arena.common.result import Result
from khiva_arena.errors import InternalError
from khiva_arena.rating.ratings.match_arrays import Flags, Ints, Matches, SameSize, collect

_Named = list[tuple[int, tuple[str, str]]]
"""Tables, each as the number of its first row, and its name."""


class Selection(msgspec.Struct, frozen=True):
    """The results that are rated, and the counts of the others. Tables are named
    (event, table), in the order of their first row.

    rated: the matches of all complete tables.
    tables: how many are complete.
    incomplete: tables of which a rotation is missing.
    set_aside: tables of which a match stayed void.
    left_out: how many recorded matches are not rated.
    """

    rated: Matches
    tables: int
    incomplete: tuple[tuple[str, str], ...]
    set_aside: tuple[tuple[str, str], ...]
    left_out: int


def is_complete(table: Iterable[Result]) -> bool:
    """Tell whether a table of N seats, given by its matches, is rated: its N rotations
    are recorded and none stayed void.
    """
    matches = list(table)
    rotations = [match.rotation for match in matches if not match.set_aside]
    return len(rotations) == len(matches) and sorted(rotations) == list(range(len(matches[0].bots)))


def complete_tables(results: Iterable[Result] | Matches) -> Selection:
    """Select the matches of whole tables: one rotation more or less would favour the
    bots with good seats in it.

    A table of N seats is complete when its N rotations are recorded. Raises
    InternalError if a rotation comes twice.
    """
    matches = collect(results)
    rated: list[SameSize] = []
    tables = left_out = 0
    incomplete: _Named = []
    set_aside: _Named = []
    for size in matches.sizes:
        table, firsts = _tables(size, matches.events)
        void = np.bincount(table, size.set_aside, len(firsts)) > 0
        complete = ~void & (np.bincount(table, minlength=len(firsts)) == size.bots.shape[1])
        if len(table):
            complete &= np.bincount(table, ~_is_rotation(size), len(firsts)) == 0
        keep = complete[table]
        rated.append(size.only(keep))
        tables += int(complete.sum())
        left_out += int((~keep & ~size.set_aside).sum())
        set_aside += _places_named(size, firsts[void], matches.events)
        incomplete += _places_named(size, firsts[~void & ~complete], matches.events)
    return Selection(
        Matches(matches.events, tuple(rated)),
        tables,
        _in_order(incomplete),
        _in_order(set_aside),
        left_out,
    )


def _tables(size: SameSize, events: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Return (m,) the table of each match, numbered from 0; and of each table the place
    of its first match.
    """
    order = np.lexsort((size.rotation, size.lineup, size.seed, size.event))
    columns = [column[order] for column in (size.event, size.seed, size.lineup)]
    same_table = np.zeros(len(order), dtype=np.bool_)
    same_table[1:] = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
    rotation = size.rotation[order]
    again = np.flatnonzero(same_table[1:] & (rotation[1:] == rotation[:-1]))
    if len(again):
        [(_, (event, table))] = _places_named(size, order[again[:1]], events)
        raise InternalError(f"table {table} of event {event} holds a rotation twice")
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.cumsum(~same_table) - 1
    firsts = np.full(int((~same_table).sum()), len(order), dtype=np.int64)
    np.minimum.at(firsts, numbers, np.arange(len(order)))
    return numbers, firsts


def _in_order(names: _Named) -> tuple[tuple[str, str], ...]:
    return tuple(name for _, name in sorted(names))


def _is_rotation(size: SameSize) -> Flags:
    return np.asarray((size.rotation >= 0) & (size.rotation < size.bots.shape[1]))


def _places_named(size: SameSize, places: Ints, events: tuple[str, ...]) -> _Named:
    """Return the rows and names of tables, given the place of one match of each."""
    columns = (column[places].tolist() for column in (size.row, size.event, size.seed, size.lineup))
    return [
        (row, (events[event], f"{seed}/{lineup}"))
        for row, event, seed, lineup in zip(*columns, strict=True)
    ]
