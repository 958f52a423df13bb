"""The file of a league's queue: opened or made, and changed in short transactions."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from khiva_arena.errors import StoreError, StoreFull
from khiva_arena.extensions.league.folder import QUEUE, QUEUE_VERSION, refuse_old_queue
from khiva_arena.extensions.league.full_disk import disk_is_full
from khiva_arena.records.replay.league_format import OLD
from khiva_arena.records.store import private, wal

BUSY_SECONDS = 10.0


class QueueFile:
    """The open file of a league's queue.

    path: of the file.
    """

    def __init__(self, folder: Path) -> None:
        """Open the queue of the league in a folder, and make it if it is not there."""
        self.path = folder / QUEUE
        refuse_old_queue(folder)
        with self._explained():
            private.open_and_close(self.path)
            self._connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        with self._explained():
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA journal_mode = WAL")
            wal.bound(self._connection)
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.execute("PRAGMA trusted_schema = OFF")
            self._connection.execute("PRAGMA temp_store = MEMORY")  # the server can make no file
            self._make()

    def _make(self) -> None:
        with self._transaction():
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                schema = files(__package__).joinpath("queue.sql").read_text()
                for statement in schema.split(";\n"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {QUEUE_VERSION}")
            elif 0 < version < QUEUE_VERSION:
                raise StoreError(f"{self.path}: {OLD}")
            elif version != QUEUE_VERSION:
                raise StoreError(
                    f"{self.path}: a queue of version {version}; this engine reads version "
                    f"{QUEUE_VERSION}"
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with self._explained():
            return self._connection.execute(query, values).fetchall()

    def _insert(self, table: str, **values: Any) -> int:
        marks = ", ".join("?" * len(values))
        cursor = self._connection.execute(
            f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", (*values.values(),)
        )
        return cursor.lastrowid or 0

    def _set(self, number: int, **values: Any) -> None:
        names = ", ".join(f"{name} = ?" for name in values)
        self._connection.execute(
            f"UPDATE entries SET {names} WHERE number = ?", (*values.values(), number)
        )

    def empty_wal(self) -> bool:
        """Empty the -wal file, unless a reader is in the way. Return whether it is
        empty.
        """
        return wal.empty(self._connection)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let nobody else change the queue within the context. What is changed in it
        counts at its end, all or, if it raises, nothing.
        """
        with self._transaction():
            yield

    def roll_back(self) -> None:
        """Undo the changes of a transaction that is open.

        An interrupt at the edge of a ``with`` block can leave one open. Call this
        before further changes: else they belong to it, and are lost when the queue is
        closed.
        """
        with (
            self._explained(),
            suppress(sqlite3.ProgrammingError),
        ):  # closed by now, which undid them
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._connection.in_transaction:  # which ``hold`` began
            yield
            return
        with self._explained():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self.roll_back()
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            kind = StoreFull if disk_is_full(error) else StoreError
            raise kind(f"{self.path}: {error}; nothing that waited in the queue is lost") from error
