"""The store: a folder with one SQLite file that is the truth. A lock admits one writer
at a time; readers need none.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Self

from msgspec import structs

from khiva_arena.errors import StoreError
from khiva_arena.records.replay.record import run_digest
from khiva_arena.records.store import files, locks, meant, private, shape, versions, wal
from khiva_arena.records.store.file_errors import explain_errors
from khiva_arena.records.store.files import FILE
from khiva_arena.records.store.inserting import (
    Insertion,
    insert_event,
    insert_link,
    insert_match,
    insert_void,
)
from khiva_arena.records.store.locks import LOCK
from khiva_arena.records.store.queries import select_from
from khiva_arena.records.store.reads import RUN_SECRET, StoreReads
from khiva_arena.records.store.row_checks import UNREADABLE
from khiva_arena.records.store.rows import (
    BotRow,
    CapRow,
    EventRow,
    LinkRow,
    MatchRow,
    SeatRow,
    VoidRow,
    now,
)
from khiva_arena.records.store.versions import VERSION

__all__ = [
    "FILE",
    "RUN_SECRET",
    "UNREADABLE",
    "VERSION",
    "BotRow",
    "EventRow",
    "LinkRow",
    "MatchRow",
    "SeatRow",
    "Store",
]
__all__ += ["VoidRow", "now"]


class Store(StoreReads):
    """An open store. Every method raises StoreError, with what to do, if SQLite or the
    disk refuses.
    """

    # --- opening ---

    @classmethod
    def read(cls, folder: Path, *, trusting: bool = True) -> Self:
        """Open for reading: a snapshot, taken at the first look. ``trusting``: sealed
        rows are not checked again. Raises StoreError if there is no store, or one of
        another version.
        """
        with explain_errors(folder):
            if folder.is_file():
                raise StoreError(
                    f"{folder}: a file, not a results folder; `khiva-arena verify` and "
                    "`report` read bundles"
                )
            files.check_pieces(folder / FILE)
            if not (folder / FILE).is_file():
                why = f"{FILE} is missing" if folder.exists() else "there is no such file or folder"
                raise StoreError(f"{folder}: no results here ({why}){meant.instead(folder, FILE)}")
            connection = files.open_to_read(folder)
            try:
                if files.is_blank(connection):
                    raise StoreError(
                        f"{folder}: an empty store: its first command was ended at once; "
                        "the same command continues it"
                    )
                files.check_version(folder, connection)
                versions.stand_in(connection)
                connection.execute(
                    "BEGIN"
                )  # or an arbiter at work would change what we count while we count it
            except BaseException:
                connection.close()
                raise
        return cls(folder, connection, None, trusting=trusting)

    @classmethod
    def write(cls, folder: Path, *, trusting: bool = True) -> Self:
        """Open for writing; a store that does not exist is made. ``trusting``: a seal
        counts, and the store is sealed at the end; both read the whole file. Raises
        StoreError when another arbiter has it.
        """
        with explain_errors(folder):
            private.make_folder(folder)
            lock = locks.lock(folder)
            try:
                files.narrow(folder)
                store = cls(folder, files.open_to_write(folder), lock, trusting=trusting)
                store._is_older = versions.is_older(store._connection)
                store._seal.begin()
                return store
            except BaseException:
                os.close(lock)
                raise

    @staticmethod
    def check(folder: Path) -> bool:
        """Return whether ``folder`` holds a store yet; change nothing. Raises
        StoreError if ``write`` would refuse the folder.
        """
        with explain_errors(folder):
            if folder.exists() and not folder.is_dir():
                raise StoreError(f"{folder}: not a folder; give another --out")
            files.check_pieces(folder / FILE)
            locks.check_unlocked(folder)
            if not (folder / FILE).is_file():
                return False
            with closing(files.open_to_read(folder)) as connection:
                blank = files.is_blank(connection)
                if not blank:
                    files.check_version(folder, connection)
        return not blank

    @staticmethod
    def is_in_use(folder: Path) -> bool:
        """Tell whether an arbiter is at work on a store."""
        with explain_errors(folder):
            return locks.is_locked(folder)

    def close(self) -> None:
        """Close and unlock the store. A writer moves all that it recorded into the one
        file, so that a copy of this file is whole, and seals the file if everything in
        it is sound. A store of an older version, without a new row, stays as it is.
        """
        try:
            if self._lock is not None and not self._is_older:
                with suppress(
                    StoreError, *shape.REFUSED, OSError
                ):  # a -wal file keeps what is not moved; a seal is no loss
                    self._leave_whole()
        finally:
            self._connection.close()
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    def _leave_whole(self) -> None:
        self._roll_back()  # what an interrupt at the edge of a ``with`` block has left open
        wal.empty(self._connection, wal.CLOSE_MS)
        if self._trusting and self._who_is_there() == self._files:
            self._seal.put(self._is_sound_on_disk)

    def _is_sound_on_disk(self) -> bool:
        """Tell whether every row is as it was written. The rows are read anew: this
        connection's memory may hide a change.
        """
        with type(self).read(self.folder, trusting=False) as store:
            events = store.events()  # damage may hide all of them
            links_intact = all(link.intact for link in store.links())
            return (
                bool(events)
                and links_intact
                and not store.damage()
                and all(map(store._is_sound, events))
            )

    def _is_sound(self, event: EventRow) -> bool:
        from khiva_arena.records.store.sums import TABLES  # not above: as in ``changed``

        if event.changed or self.changed(event.id):
            return False
        queries = ((table, f"{select_from(table)} WHERE event = ?") for table in TABLES)
        batches = (
            (table, rows) for table, query in queries for rows in self._batches(query, (event.id,))
        )
        return all(intact for table, rows in batches for _, intact in self._check_rows(table, rows))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- events ---

    def add_engine(self, event: str, engine: str) -> None:
        """Note that another engine version continues an event."""
        with self._transaction(event) as insert:
            insert("engines", {"event": event, "engine": engine, "since": now()})

    def add_event(
        self,
        event: str,
        definition: str,
        engine: str,
        commitment: str,
        secret: bytes,
        bots: Sequence[BotRow],
    ) -> None:
        """Add an event with its bots, in one transaction. ``definition`` is canonical
        JSON.
        """
        row = EventRow(
            event,
            1 + self.newest_number(),
            definition,
            (engine,),
            now(),
            commitment,
            secret,
            tuple(bots),
        )
        with self._transaction(event) as insert:
            insert_event(insert, row)

    def add_public(self, event: str, text: str) -> None:
        """Note the text that is mixed into an event's schedule and deals: before its
        first match.
        """
        with self._transaction(event) as insert:
            insert("beacons", {"event": event, "text": text, "at": now()})

    def add_cap(self, row: CapRow) -> None:
        """Note a cap on what the bots of an event spend, which has chosen its seeds or
        ended it short.
        """
        with self._transaction(row.event) as insert:
            insert("caps", structs.asdict(row) | {"at_least": int(row.at_least)})

    def close_event(self, event: str, reveals: Mapping[int, bytes]) -> None:
        """Close an event that is not over, and publish these secrets, that of the run
        as seed -1: all in one transaction.
        """
        with self._transaction(event) as insert:
            self._reveal(insert, event, reveals)
            insert("closures", {"event": event, "at": now()})

    # --- the chain of a league ---

    def add_batch(self, event: EventRow, link: LinkRow) -> None:
        """Add the event of a batch, numbered here, and the link that draws it, in one
        transaction.
        """
        with self._transaction(event.id) as insert:
            insert_event(insert, structs.replace(event, number=1 + self.newest_number()))
            insert_link(insert, link)

    def add_played(self, event: EventRow, match: MatchRow, reveals: Mapping[int, bytes]) -> None:
        """Add an event, numbered here, with its only match and the secrets that this
        publishes, in one transaction.
        """
        with self._transaction(event.id) as insert:
            insert_event(insert, structs.replace(event, number=1 + self.newest_number()))
            insert_match(insert, match)
            self._reveal(insert, event.id, reveals)

    def add_link(self, link: LinkRow) -> None:
        """Add a link to the chain. Raises StoreError if there is one of its number."""
        with self._transaction(None) as insert:
            insert_link(insert, link)

    def end_batch(
        self,
        event: str,
        links: Iterable[LinkRow],
        set_aside: Iterable[tuple[int, int]],
        reveals: Mapping[int, bytes],
    ) -> None:
        """Add the link that ends a batch and those that follow from it, in one
        transaction with the tables that are set aside.

        reveals: the secrets that are published because of those, that of the run as
            seed -1; {} if the batch is concluded.
        """
        with self._transaction(event) as insert:
            for seed, lineup in set_aside:
                insert("set_aside", {"event": event, "seed": seed, "lineup": lineup})
            self._reveal(insert, event, reveals)
            for link in links:
                insert_link(insert, link)

    def empty_wal(self) -> bool:
        """Empty the -wal file, unless a reader is in the way. Tell whether it is
        empty.
        """
        return wal.empty(self._connection)

    # --- matches ---

    def add_match(self, match: MatchRow, reveals: Mapping[int, bytes]) -> None:
        """Record a match with its seats, and publish the secrets of the seeds that it
        completes, in one transaction. The secret of the run, as seed -1, concludes the
        event. Raises StoreError if the match is recorded already.
        """
        self.add_several(match.event, [match], (), reveals)

    def add_void(self, row: VoidRow) -> None:
        """Note a void match, in one transaction."""
        self.add_several(row.event, (), [row], {})

    def add_several(
        self,
        event: str,
        matches: Iterable[MatchRow],
        voids: Iterable[VoidRow],
        reveals: Mapping[int, bytes],
    ) -> None:
        """Record matches, note voids and publish secrets of an event in one
        transaction, as the methods for one of each do.
        """
        with self._transaction(event) as insert:
            for match in matches:
                insert_match(insert, match)
            for void in voids:
                insert_void(insert, void)
            self._reveal(insert, event, reveals)

    def _reveal(self, insert: Insertion, event: str, reveals: Mapping[int, bytes]) -> None:
        """Publish secrets. That of the run concludes the event."""
        for seed, secret in reveals.items():
            insert("reveals", {"event": event, "seed": seed, "secret": secret})
        if RUN_SECRET in reveals:
            digest = run_digest(digest for _, digest in self.places(event))
            insert("conclusions", {"event": event, "digest": digest, "at": now()})

    # --- writing ---

    @contextmanager
    def _transaction(self, event: str | None) -> Iterator[Insertion]:
        """Store all rows that are inserted within the ``with`` block, with their
        event's tally, or none of them.
        """
        with explain_errors(self.folder):
            if self._who_is_there() != self._files:
                raise StoreError(
                    f"{self.folder}: {FILE} or {LOCK} was deleted or replaced while this "
                    "run was writing it: "
                    "put it back, or give the same command again, which begins a new store"
                )
            if self._is_older:
                versions.bring_up_to_date(self._connection)
                self._is_older = False
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                rows = Insertion(self._connection)
                yield rows
                if event is not None:
                    rows.tally(event)
                self._connection.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    def _roll_back(self) -> None:
        with suppress(sqlite3.Error):  # the first error is the one to report
            if (
                self._connection.in_transaction
            ):  # if the disk is full, SQLite itself has rolled back already
                self._connection.execute("ROLLBACK")
