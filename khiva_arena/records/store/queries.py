"""The reading of rows: bounded in memory whatever a file holds, and each row with
whether it is as it was written.
"""

import marshal
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.errors import StoreError
from khiva_arena.records.store import sums, versions
from khiva_arena.records.store.file_errors import explain_errors
from khiva_arena.records.store.files import FILE
from khiva_arena.records.store.rows import CapRow, TranscriptRow
from khiva_arena.records.store.seal import Seal

MATCHES_AT_ONCE, BYTES_AT_ONCE = (
    500,
    32 * 2**20,
)  # read at a time: bounds memory whatever the size of a store
ROWS_AT_ONCE = (
    32  # asked of SQLite before they are weighed: each may be as long as shape.LONGEST_ROW
)
MOST_BYTES = 2**30  # that one question may take: more than a million matches need


class RoomTaken(NamedTuple):
    """The room that the transcripts of one bot of an event take.

    bot: its position.
    size: bytes, packed.
    matches, without: in how many seats of matches they were to be kept, and in how many
        they had no room.
    room: bytes for all bots of the event.
    """

    bot: int
    size: int
    matches: int
    without: int
    room: int


class StoreRows:
    """The rows of a store.

    folder: of the store.
    """

    folder: Path
    _connection: sqlite3.Connection
    _seal: Seal

    def has_reports(self, event: str) -> bool:
        """Tell whether some bot of an event was offered to report what it spends."""
        return bool(self._rows("SELECT 1 FROM spent WHERE event = ? LIMIT 1", event))

    def caps(self, event: str) -> list[CapRow]:
        """Return the caps on what the bots of an event spend, in their order. A damaged
        one is left out: ``changed`` tells it.
        """
        rows = self._checked_rows("caps", "event = ? ORDER BY number", event)
        return [
            CapRow(**{**values, "at_least": bool(values["at_least"])})
            for values, intact in rows
            if intact
        ]

    def seconds(self, event: str) -> list[float]:
        """Return how long each match took, in schedule order."""
        rows = self._rows("SELECT seconds FROM matches WHERE event = ? ORDER BY ordinal", event)
        return [row[0] for row in rows if isinstance(row[0], float)]

    def ends(self, event: str) -> list[str]:
        """Return when each match ended, in schedule order, as the store writes
        times.
        """
        rows = self._rows("SELECT finished FROM matches WHERE event = ? ORDER BY ordinal", event)
        return [row[0] for row in rows if isinstance(row[0], str)]

    def transcripts(self, event: str, ordinal: int) -> list[TranscriptRow]:
        """Return the transcripts of a recorded match by seat, [] if none were to be
        kept.
        """
        condition = "event = ? AND ordinal = ? ORDER BY seat"
        rows = self._checked_rows("transcripts", condition, event, ordinal)
        for values, _ in rows:
            del values["event"], values["ordinal"]
        return [TranscriptRow(**values, intact=intact) for values, intact in rows]

    def changed_transcripts(self, event: str) -> list[str]:
        """Return each changed transcript of an event, a line each. ``changed`` does not
        look for them: that takes long.
        """
        query = "SELECT DISTINCT ordinal FROM transcripts WHERE event = ? ORDER BY ordinal"
        found = (
            (ordinal, row)
            for (ordinal,) in self._rows(query, event)
            for row in self.transcripts(event, ordinal)
        )
        what = "the transcript of seat {} of match {} was changed since it was written"
        return [what.format(row.seat, ordinal) for ordinal, row in found if not row.intact]

    def room_of_transcripts(self, event: str) -> list[RoomTaken]:
        """Return how much room the transcripts of each bot of an event take; [] if none
        were to be kept.
        """
        # SQLite knows a length without reading the bytes
        without = "sum(length(packed) = 0 AND total > 0)"
        sizes = f"bot, sum(length(packed)), count(*), {without}, max(room)"
        query = f"SELECT {sizes} FROM transcripts WHERE event = ? GROUP BY bot ORDER BY bot"
        rows = self._rows(query, event)
        return [RoomTaken(*(int(value or 0) for value in row)) for row in rows]

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return [row for rows in self._rows_by_piece(query, *values) for row in rows]

    def _rows_by_piece(self, query: str, *values: Any) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of a query, a few at a time. Raises StoreError for more bytes
        than an arbiter may have written.
        """
        size = 0
        for rows, weight in self._pieces(query, values):
            size += weight
            if size > MOST_BYTES:
                raise StoreError(
                    f"{self.folder / FILE}: it is damaged: its rows are larger than any "
                    "that an arbiter writes"
                )
            yield rows

    def _pieces(
        self, query: str, values: tuple[Any, ...]
    ) -> Iterator[tuple[list[tuple[Any, ...]], int]]:
        """Yield the rows of a query, a few at a time, each time with their weight in
        bytes. A small hostile file may be made so that a query has rows without end:
        callers set a limit.
        """
        with explain_errors(self.folder):
            rows = self._connection.execute(query, values)
            while piece := rows.fetchmany(ROWS_AT_ONCE):
                yield piece, len(marshal.dumps(piece))  # the quickest way to weigh them

    def _batches(self, query: str, values: tuple[Any, ...]) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of a query, many at a time, as far as memory allows."""
        batch: list[tuple[Any, ...]] = []
        size = 0
        for piece, weight in self._pieces(query, values):
            batch += piece
            size += weight
            if len(batch) >= MATCHES_AT_ONCE or size > BYTES_AT_ONCE:
                yield batch
                batch, size = [], 0
        yield batch

    def _checked_rows(self, table: str, condition: str, *values: Any) -> list[sums.CheckedRow]:
        """Return rows of a table by column, each with whether it is as it was
        written.
        """
        rows = self._all(table, condition, *values)
        return sums.check_all(table, versions.columns(table), rows, sealed=self._seal.holds())

    def _pairs(
        self, table: str, condition: str, *values: Any
    ) -> Iterator[tuple[Sequence[Any], bool]]:
        """Yield rows of a table, each as its values in the order of the schema, sum
        included, with whether it is as it was written.
        """
        return self._check_rows(table, self._all(table, condition, *values))

    def _check_rows(
        self, table: str, rows: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[Sequence[Any], bool]]:
        return sums.check_rows(table, versions.columns(table), rows, sealed=self._seal.holds())

    def _all(self, table: str, condition: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._rows(f"{select_from(table)} WHERE {condition}", *values)


def select_from(table: str) -> str:
    """Return the question for all rows of a table, with its columns in the order of the
    schema.
    """
    names = ", ".join(name for name, _, _ in versions.columns(table))
    return f"SELECT {names} FROM {table}"
