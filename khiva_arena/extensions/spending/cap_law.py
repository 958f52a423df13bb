"""The law of a cap: a table begins only if all that may be spent by then stays below
the cap. Amounts are whole numbers.

So the cap holds as long as no table costs more than the dearest known when it began. If
one does, the sum passes the cap by at most that difference, for each table under way.
The dearest table known is one whose matches all cost as the dearest match.
"""

from collections.abc import Mapping

from khiva_arena.competition.playing.limits import TablePlace


class CapLaw:
    """The law while an event is played.

    cap: that the sum stays below.
    spent: the sum so far.
    """

    def __init__(
        self,
        cap: int,
        per_table: int,
        before: int = 0,
        dearest: int = 0,
        tables: Mapping[TablePlace, int] | None = None,
    ) -> None:
        """Begin with the amounts that earlier runs spent.

        per_table: the number of matches of a table.
        before: the amount that was spent outside of the event's tables.
        dearest: the most that a table is known to cost, from elsewhere; 0 if nothing is
            known.
        tables: the amount that was spent on each of the event's tables.
        """
        self.cap = cap
        self._per_table = per_table
        self._tables = dict(tables or {})
        self._under_way: dict[
            TablePlace, int
        ] = {}  # with the matches that are still to be recorded
        self._dearest = max(dearest, *self._tables.values(), 0)
        self.spent = before + sum(self._tables.values())

    @property
    def dearest(self) -> int:
        """The most that a table is known to cost."""
        return self._dearest

    @property
    def foreseen(self) -> int:
        """The sum once the tables under way have ended, each counted as the dearest
        table.
        """
        return self.spent + sum(
            max(0, self._dearest - self._tables.get(table, 0)) for table in self._under_way
        )

    @property
    def holds(self) -> bool:
        """Tell whether the sum stays below the cap, by what is known now, if all tables
        under way are played to their end.
        """
        return self.foreseen < self.cap

    def has_begun(self, table: TablePlace) -> bool:
        """Tell whether an attempt at a match of a table has ended."""
        return table in self._tables

    def fits(self, table: TablePlace) -> bool:
        """Tell whether a table may begin. While no table has cost anything, one at a
        time may.
        """
        if self._dearest == 0:
            return self.spent < self.cap and not self._under_way
        return self.foreseen + max(0, self._dearest - self._tables.get(table, 0)) < self.cap

    def begin(self, table: TablePlace, matches: int) -> None:
        """Count a table as under way. ``matches``: still to be recorded."""
        self._under_way[table] = matches

    def add(self, table: TablePlace, amount: int, *, is_recorded: bool) -> None:
        """Count an attempt at a match of a table. ``is_recorded``: it was not void."""
        self.spent += amount
        self._tables[table] = self._tables.get(table, 0) + amount
        self._dearest = max(self._dearest, self._tables[table], self._per_table * amount)
        if is_recorded and table in self._under_way:
            self._under_way[table] -= 1
            if not self._under_way[table]:
                del self._under_way[table]

    def none_under_way(self) -> None:
        """Note that no match is being played: a table that was set aside spends no
        more.
        """
        self._under_way.clear()
