"""Limits by which an event ends short, between two tables: the tables before that are
played to their end.

The order of the tables is that of the schedule, so no result chooses which tables are
left out.
"""

from collections.abc import Callable
from typing import Protocol

from khiva_arena.arbiter.match import Outcome
from khiva_arena.records.store.db import EventRow, Store

TablePlace = tuple[int, int]
"""The numbers of a seed and of a line-up."""


class PlayLimit(Protocol):
    """A limit of an event while it is played.

    ended: how it ended the event, in a line; "" if it did not.
    """

    @property
    def ended(self) -> str: ...

    def may_begin(self, table: TablePlace, matches: int) -> bool:
        """Tell whether a table with so many unrecorded matches may begin. After a "no",
        ``goes_on`` is called before the next one.
        """

    def still_may_begin(self, table: TablePlace) -> bool:
        """Tell whether a table that ``may_begin`` let begin still may, when its first
        match is to begin. After a "no", no other table begins before ``goes_on`` is
        called.
        """

    def note(self, table: TablePlace, outcome: Outcome) -> None:
        """Count an attempt at a match of a table, which has ended, void or not."""

    def goes_on(self) -> bool:
        """Tell whether a table that was refused may begin now, when no match is under
        way.
        """

    def end(self, recorded: int) -> None:
        """Note in the store that the limit ended the event, if it did. ``recorded``:
        matches.
        """


LimitOf = Callable[[Store, EventRow], PlayLimit]
"""Begins the limit of an event, which is in the store."""
