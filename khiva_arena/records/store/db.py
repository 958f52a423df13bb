"""The store: a folder with one SQLite file that is the truth. A lock admits one writer at a time; readers need none."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeVar

from msgspec import structs

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.errors import StoreError
from khiva_arena.records.replay.record import run_digest
from khiva_arena.records.store import files, meant, private, shape, wal
from khiva_arena.records.store.files import FILE, LOCK, VERSION, explain_errors
from khiva_arena.records.store.inserting import Insertion, insert_event, insert_link, insert_match, insert_void
from khiva_arena.records.store.queries import StoreRows, select_from
from khiva_arena.records.store.row_checks import UNREADABLE, Checked, whole_matches, whole_voids
from khiva_arena.records.store.rows import BotRow, CapRow, EventRow, LinkRow, MatchRow, SeatRow, VoidRow, now
from khiva_arena.records.store.seal import Seal

__all__ = ["FILE", "RUN_SECRET", "UNREADABLE", "VERSION", "BotRow", "EventRow", "LinkRow", "MatchRow", "SeatRow", "Store"]
__all__ += ["VoidRow", "now"]

RUN_SECRET = -1
BESIDE = ("page_faults", "times", "cells", "spent")
LOWEST, HIGHEST = -(2**63), 2**63 - 1  # integers of SQLite
T = TypeVar("T")


class Store(StoreRows):
    """An open store. Every method raises StoreError, with what to do, if SQLite or the disk refuses."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int | None, *, trusting: bool = True) -> None:
        self.folder = folder
        self._connection = connection
        self._lock, self._trusting, self._is_older = lock, trusting, False
        self.over: Callable[[str, Iterator[MatchRow]], Iterator[MatchRow]] = lambda _, rows: rows  # of ``matches``, by event
        self._files = self._who_is_there()
        self._seal = Seal(folder / FILE, connection, trusted=trusting)
        self._results: dict[str, Any] = {}
        self._read_at: tuple[int, int] | None = None

    # --- opening ---

    @classmethod
    def read(cls, folder: Path, *, trusting: bool = True) -> Self:
        """Open for reading: a snapshot, taken at the first look. ``trusting``: sealed rows are not checked again. Raises
        StoreError if there is no store, or one of another version."""
        with explain_errors(folder):
            if folder.is_file():
                raise StoreError(f"{folder}: a file, not a results folder; `khiva-arena verify` and `report` read bundles")
            files.check_pieces(folder / FILE)
            if not (folder / FILE).is_file():
                why = f"{FILE} is missing" if folder.exists() else "there is no such file or folder"
                raise StoreError(f"{folder}: no results here ({why}){meant.instead(folder, FILE)}")
            connection = files.open_to_read(folder)
            try:
                if files.is_blank(connection):
                    raise StoreError(
                        f"{folder}: an empty store: its first command was ended at once; the same command continues it"
                    )
                files.check_version(folder, connection)
                files.stand_in(connection)
                connection.execute("BEGIN")  # or an arbiter at work would change what we count while we count it
            except BaseException:
                connection.close()
                raise
        return cls(folder, connection, None, trusting=trusting)

    @classmethod
    def write(cls, folder: Path, *, trusting: bool = True) -> Self:
        """Open for writing; a store that does not exist is made. ``trusting``: a seal counts, and the store is sealed at the end;
        both read the whole file. Raises StoreError when another arbiter has it."""
        with explain_errors(folder):
            private.make_folder(folder)
            lock = files.lock(folder)
            try:
                files.narrow(folder)
                store = cls(folder, files.open_to_write(folder), lock, trusting=trusting)
                store._is_older = files.is_older(store._connection)
                store._seal.begin()
                return store
            except BaseException:
                os.close(lock)
                raise

    @staticmethod
    def check(folder: Path) -> bool:
        """Return whether ``folder`` holds a store yet; change nothing. Raises StoreError if ``write`` would refuse the folder."""
        with explain_errors(folder):
            if folder.exists() and not folder.is_dir():
                raise StoreError(f"{folder}: not a folder; give another --out")
            files.check_pieces(folder / FILE)
            files.check_unlocked(folder)
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
            return files.is_locked(folder)

    def close(self) -> None:
        """Close and unlock the store. A writer moves all that it recorded into the one file, so that a copy of this file is
        whole, and seals the file if everything in it is sound. A store of an older version, without a new row, stays as it is."""
        try:
            if self._lock is not None and not self._is_older:
                with suppress(StoreError, *shape.REFUSED, OSError):  # a -wal file keeps what is not moved; a seal is no loss
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
        """Tell whether every row is as it was written. The rows are read anew: this connection's memory may hide a change."""
        with type(self).read(self.folder, trusting=False) as store:
            events = store.events()  # damage may hide all of them
            links_intact = all(link.intact for link in store.links())
            return bool(events) and links_intact and not store.damage() and all(map(store._is_sound, events))

    def _is_sound(self, event: EventRow) -> bool:
        from khiva_arena.records.store.sums import TABLES  # not above: as in ``changed``

        if event.changed or self.changed(event.id):
            return False
        queries = ((table, f"{select_from(table)} WHERE event = ?") for table in TABLES)
        batches = ((table, rows) for table, query in queries for rows in self._batches(query, (event.id,)))
        return all(intact for table, rows in batches for _, intact in self._check_rows(table, rows))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- events ---

    def events(self) -> list[EventRow]:
        """Return all events in order of creation."""
        return [self._event(row, intact) for row, intact in self._checked_rows("events", "1 ORDER BY number")]

    def event_ids(self, first: int = LOWEST, last: int = HIGHEST) -> list[str]:
        """Return the ids of all events in order of creation, or those with numbers first..last."""
        query = "SELECT id FROM events WHERE number BETWEEN ? AND ? ORDER BY number"
        return [str(event) for (event,) in self._rows(query, first, last)]

    def event(self, event: str) -> EventRow | None:
        """Return one event by its id, None if it is not here."""
        rows = self._checked_rows("events", "id = ?", event)
        return self._event(*rows[0]) if rows else None

    def _event(self, row: dict[str, Any], intact: bool) -> EventRow:
        engines = self._checked_rows("engines", "event = ? ORDER BY since, engine", row["id"])
        bots = self._checked_rows("bots", "event = ? ORDER BY position", row["id"])
        changes = [] if intact else ["its own row"]
        changes += [f"the row of engine {values['engine']}" for values, ok in engines if not ok]
        changes += [f"the row of bot {values['position']}" for values, ok in bots if not ok]
        public = self._checked_rows("beacons", "event = ?", row["id"])
        changes += ["the row of its public text" for _, ok in public if not ok]
        row["public"] = public[0][0]["text"] if public else None
        closures = self._checked_rows("closures", "event = ?", row["id"])
        changes += ["the row of its closing" for _, ok in closures if not ok]
        row["closed"] = closures[0][0]["at"] if closures else None
        rows = self._checked_rows("set_aside", "event = ? ORDER BY seed, lineup", row["id"])
        row["set_aside"] = tuple((values["seed"], values["lineup"]) for values, _ in rows)
        for values, _ in bots:
            del values["event"], values["position"]
            values["complete"] = bool(values["complete"])
        row["text"] = row.pop("definition")
        row["engines"] = (row.pop("engine"), *(values["engine"] for values, _ in engines))
        return EventRow(**row, bots=tuple(BotRow(**values) for values, _ in bots), changed=tuple(changes))

    def add_engine(self, event: str, engine: str) -> None:
        """Note that another engine version continues an event."""
        with self._transaction(event) as insert:
            insert("engines", {"event": event, "engine": engine, "since": now()})

    def add_event(self, event: str, definition: str, engine: str, commitment: str, secret: bytes, bots: Sequence[BotRow]) -> None:
        """Add an event with its bots, in one transaction. ``definition`` is canonical JSON."""
        row = EventRow(event, 1 + self.newest_number(), definition, (engine,), now(), commitment, secret, tuple(bots))
        with self._transaction(event) as insert:
            insert_event(insert, row)

    def add_public(self, event: str, text: str) -> None:
        """Note the text that is mixed into an event's schedule and deals: before its first match."""
        with self._transaction(event) as insert:
            insert("beacons", {"event": event, "text": text, "at": now()})

    def add_cap(self, row: CapRow) -> None:
        """Note a cap on what the bots of an event spend, which has chosen its seeds or ended it short."""
        with self._transaction(row.event) as insert:
            insert("caps", structs.asdict(row) | {"at_least": int(row.at_least)})

    def close_event(self, event: str, reveals: Mapping[int, bytes]) -> None:
        """Close an event that is not over, and publish these secrets, that of the run as seed -1: all in one transaction."""
        with self._transaction(event) as insert:
            self._reveal(insert, event, reveals)
            insert("closures", {"event": event, "at": now()})

    # --- the chain of a league ---

    def links(self, first: int = 0, end: int = HIGHEST) -> list[LinkRow]:
        """Return the links of the league whose batches the events are, in the order of the chain; [] if it is no league's.
        ``first``, ``end``: with numbers from here on, and below that."""
        rows = self._checked_rows("links", "number >= ? AND number < ? ORDER BY number", first, end)
        return [LinkRow(**values, intact=intact) for values, intact in rows]

    def newest_link(self) -> LinkRow | None:
        """Return the newest link of the league whose batches the events are, None if it is no league's."""
        newest = self._rows("SELECT max(number) FROM links")[0][0]
        return None if newest is None else self.links(newest)[0]

    def newest_number(self) -> int:
        """Return the number of the newest event, 0 if there is none."""
        return int(self._rows("SELECT coalesce(max(number), 0) FROM events")[0][0])

    def add_batch(self, event: EventRow, link: LinkRow) -> None:
        """Add the event of a batch, numbered here, and the link that draws it, in one transaction."""
        with self._transaction(event.id) as insert:
            insert_event(insert, structs.replace(event, number=1 + self.newest_number()))
            insert_link(insert, link)

    def add_played(self, event: EventRow, match: MatchRow, reveals: Mapping[int, bytes]) -> None:
        """Add an event, numbered here, with its only match and the secrets that this publishes, in one transaction."""
        with self._transaction(event.id) as insert:
            insert_event(insert, structs.replace(event, number=1 + self.newest_number()))
            insert_match(insert, match)
            self._reveal(insert, event.id, reveals)

    def add_link(self, link: LinkRow) -> None:
        """Add a link to the chain. Raises StoreError if there is one of its number."""
        with self._transaction(None) as insert:
            insert_link(insert, link)

    def end_batch(
        self, event: str, links: Iterable[LinkRow], set_aside: Iterable[tuple[int, int]], reveals: Mapping[int, bytes]
    ) -> None:
        """Add the link that ends a batch and those that follow from it, in one transaction with the tables that are set aside.

        reveals: the secrets that are published because of those, that of the run as seed -1; {} if the batch is concluded.
        """
        with self._transaction(event) as insert:
            for seed, lineup in set_aside:
                insert("set_aside", {"event": event, "seed": seed, "lineup": lineup})
            self._reveal(insert, event, reveals)
            for link in links:
                insert_link(insert, link)

    def empty_wal(self) -> bool:
        """Empty the -wal file, unless a reader is in the way. Tell whether it is empty."""
        return wal.empty(self._connection)

    # --- matches ---

    def add_match(self, match: MatchRow, reveals: Mapping[int, bytes]) -> None:
        """Record a match with its seats, and publish the secrets of the seeds that it completes, in one transaction. The secret
        of the run, as seed -1, concludes the event. Raises StoreError if the match is recorded already."""
        self.add_several(match.event, [match], (), reveals)

    def add_void(self, row: VoidRow) -> None:
        """Note a void match, in one transaction."""
        self.add_several(row.event, (), [row], {})

    def add_several(
        self, event: str, matches: Iterable[MatchRow], voids: Iterable[VoidRow], reveals: Mapping[int, bytes]
    ) -> None:
        """Record matches, note voids and publish secrets of an event in one transaction, as the methods for one of each do."""
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

    def recorded(self, event: str) -> set[int]:
        """Return the ordinals of the matches that are recorded."""
        return {row[0] for row in self._rows("SELECT ordinal FROM matches WHERE event = ?", event) if isinstance(row[0], int)}

    def count(self, event: str, first: int, last: int) -> int:
        """Return how many matches with ordinals first..last are recorded."""
        query = "SELECT count(*) FROM matches WHERE event = ? AND ordinal BETWEEN ? AND ?"
        return int(self._rows(query, event, first, last)[0][0])

    def matches(self, event: str, first: int = LOWEST, last: int = HIGHEST, beside: Sequence[str] = BESIDE) -> Iterator[MatchRow]:
        """Yield recorded matches with ordinals first..last in schedule order, read on demand, some at a time. ``beside``: the
        facts that are read, too: page faults and the times of decisions take as long to read as everything else."""
        all_matches = (first, last) == (LOWEST, HIGHEST)  # with one whose ordinal is damaged and no number now
        within = "" if all_matches else "AND ordinal BETWEEN ? AND ?"
        query = f"{select_from('matches')} WHERE event = ? {within} ORDER BY ordinal"
        for rows in self._batches(query, (event,) if all_matches else (event, first, last)):
            yield from self.over(event, self._joined(event, self._check_rows("matches", rows), beside))

    def match(self, event: str, ordinal: int) -> MatchRow | None:
        """Return one recorded match, None if it is not here."""
        return next(self._joined(event, self._pairs("matches", "event = ? AND ordinal = ?", event, ordinal)), None)

    def matches_with(self, event: str, beginning: str) -> list[MatchRow]:
        """Return the recorded matches whose id has this beginning, at most two, in schedule order."""
        query = "SELECT ordinal FROM matches WHERE event = ? AND substr(id, 1, ?) = ? ORDER BY ordinal LIMIT 2"
        ordinals = self._rows(query, event, len(beginning), beginning)
        return [match for (ordinal,) in ordinals if (match := self.match(event, ordinal))]

    def _joined(self, event: str, matches: Checked, beside: Sequence[str] = BESIDE) -> Iterator[MatchRow]:
        """Yield rows of ``matches`` joined with their rows in other tables."""
        rows = list(matches)
        if not rows:
            return iter(())
        ordinals = [row[1] for row, _ in rows]
        condition = ("event = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal", event, min(ordinals), max(ordinals))
        seats = self._pairs("seats", f"{condition[0]}, seat", *condition[1:])
        faults, times, cells, spent = (self._pairs(table, *condition) if table in beside else () for table in BESIDE)
        return whole_matches(rows, faults, seats, times, cells, spent)

    def places(self, event: str) -> Iterator[tuple[int, str]]:
        """Yield ordinal and digest of each recorded match in schedule order, read on demand, some at a time, by no sums."""
        for rows, _ in self._pieces("SELECT ordinal, digest FROM matches WHERE event = ? ORDER BY ordinal", (event,)):
            yield from ((ordinal, str(digest)) for ordinal, digest in rows if isinstance(ordinal, int))

    def digests(self, event: str) -> list[str]:
        """Return the match digests in schedule order."""
        return [row[0] for row in self._rows("SELECT digest FROM matches WHERE event = ? ORDER BY ordinal", event)]

    def cpu(self, event: str, since: str) -> dict[int, float]:
        """Return the seconds of CPU that each bot of an event used in the matches that ended at a time or later, by position."""
        of_match = "seats.event = matches.event AND seats.ordinal = matches.ordinal"
        query = f"SELECT bot, sum(cpu) FROM seats JOIN matches ON {of_match} WHERE seats.event = ? AND finished >= ? GROUP BY bot"
        return {bot: float(cpu) for bot, cpu in self._rows(query, event, since)}

    def cells(self, events: Iterable[str]) -> tuple[str, ...]:
        """Return the levels at which the runners of the events' modules were kept, the best first."""
        query = "SELECT DISTINCT level FROM cells WHERE event = ?"
        levels = {row[0] for event in events for row in self._rows(query, event)}
        return tuple(level for level in Level if level in levels)

    def voids(self, event: str) -> list[VoidRow]:
        """Return the void attempts in schedule order."""
        rows = self._checked_rows("voids", "event = ? ORDER BY ordinal, attempt", event)
        causes, spent = (self._checked_rows(table, "event = ?", event) for table in ("void_causes", "void_spent"))
        return whole_voids(rows, causes, spent)

    # --- reveals ---

    def reveals(self, event: str) -> dict[int, bytes]:
        """Return the published secrets by seed; -1 is the run's."""
        return {row["seed"]: row["secret"] for row, _ in self._checked_rows("reveals", "event = ?", event)}

    def conclusion(self, event: str) -> str | None:
        """Return the run digest of the moment when the event was over, or closed; None before that."""
        rows = self._checked_rows("conclusions", "event = ?", event)
        return str(rows[0][0]["digest"]) if rows else None

    # --- damage ---

    def damage(self) -> list[str]:
        """Return each damage of the file itself, a line each."""
        return files.damage(self._connection)

    def first_damage(self) -> str:
        """Return the first damage in the pages of the file, "" for none."""
        with explain_errors(self.folder):
            if self._seal.is_kept():
                return ""
        return str(self._once("", lambda: files.first_damage(self._connection)))

    def changed(self, event: str) -> list[str]:
        """Return each changed, lost or added row of an event, apart from its matches, voids and ``EventRow.changed``."""
        with explain_errors(self.folder):
            if self._seal.holds():
                return []
        from khiva_arena.records.store.sums import changes  # not above: a sealed store has no need of it

        return list(self._once(event, lambda: changes(event, self._rows, self._rows_by_piece, self._checked_rows)))

    def is_known_sound(self) -> bool:
        """Tell whether no sum need be computed: the store was sealed when it was opened, and nobody else has written since."""
        with explain_errors(self.folder):
            return self._seal.is_kept()

    def _once(self, key: str, look: Callable[[], T]) -> T:
        """Return the result of ``look``, kept under a key. It reads the whole store, so it runs again only after a write."""
        now_at = (self._rows("PRAGMA data_version")[0][0], self._connection.total_changes)  # of others, and its own
        if now_at != self._read_at:
            self._results, self._read_at = {}, now_at
        if key not in self._results:
            self._results[key] = look()
        result: T = self._results[key]
        return result

    # --- writing ---

    @contextmanager
    def _transaction(self, event: str | None) -> Iterator[Insertion]:
        """Store all rows that are inserted within the ``with`` block, with their event's tally, or none of them."""
        with explain_errors(self.folder):
            if self._who_is_there() != self._files:
                raise StoreError(
                    f"{self.folder}: {FILE} or {LOCK} was deleted or replaced while this run was writing it: "
                    "put it back, or give the same command again, which begins a new store"
                )
            if self._is_older:
                files.bring_up_to_date(self._connection)
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
            if self._connection.in_transaction:  # if the disk is full, SQLite itself has rolled back already
                self._connection.execute("ROLLBACK")

    def _who_is_there(self) -> tuple[object, object]:
        return files.file_id(self.folder / FILE), files.file_id(self.folder / LOCK)
