"""The store: a folder with one SQLite file that is the truth. One writer at a time, held by a lock; readers need none."""

import fcntl
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from khiva_arena.errors import StoreError
from khiva_arena.replay.record import Record, run_digest

VERSION = 1
FILE = "arena.db"
LOCK = "arena.lock"
APPLICATION = 0x4B484956  # "KHIV"
RUN_SECRET = -1
UNREADABLE = "unreadable"
CLOSE_MS = 1_000  # for the last checkpoint, where readers are in the way
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot of an event, see schema.sql."""

    name: str
    identity: str
    version: str
    complete: bool
    asked_as: str
    folder: str


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event, see schema.sql. ``secret`` is the run's, 32 bytes, private until revealed. ``engines``: all that played it.
    A ``definition`` that is damaged beyond reading is empty."""

    id: str
    number: int
    definition: dict[str, Any]
    engines: tuple[str, ...]
    created: str
    commitment: str
    secret: bytes
    bots: tuple[BotRow, ...]


@dataclass(frozen=True, slots=True)
class SeatRow:
    """One seat of a fixed match, see schema.sql. ``faults`` damaged beyond reading are one fault, UNREADABLE."""

    seat: int
    bot: int
    rank: int
    score: int
    verdict: str
    faults: list[list[Any]]
    decisions: int
    thought: float
    slowest: float
    bank_left: float
    cpu: float
    status: int | None
    notes: str
    notes_total: int


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A fixed match, see schema.sql. ``record`` is canonical JSON."""

    event: str
    ordinal: int
    id: str
    seed: int
    lineup: int
    rotation: int
    digest: str
    record: str
    attempt: int
    req_start: int
    seconds: float
    finished: str
    seats: tuple[SeatRow, ...]

    def parsed(self) -> Record:
        """The record, its chain checked. Raises RecordError."""
        return Record.from_json(self.record)


@dataclass(frozen=True, slots=True)
class VoidRow:
    """A void match, see schema.sql. Lists damaged beyond reading are empty."""

    event: str
    ordinal: int
    attempt: int
    seed: int
    lineup: int
    bots: list[int]
    why: str
    cpu: list[float]
    at: str


def now() -> str:
    """The time as the store writes it: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Store:
    """An open store. Every method raises StoreError, with what to do, where SQLite or the disk refuses."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int | None) -> None:
        self.folder = folder
        self._connection = connection
        self._lock = lock

    # --- opening ---

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Open for reading: a snapshot, taken at the first look. Raises StoreError where there is no store, or one of another
        version."""
        with _explained(folder):
            if not (folder / FILE).is_file():
                raise StoreError(f"{folder}: no store here ({FILE} is missing)")
            connection = _open_to_read(folder)
            try:
                if _is_blank(connection):
                    raise StoreError(f"{folder}: an empty store: what began it was ended at once; the same command goes on")
                _check_version(folder, connection)
                connection.execute("BEGIN")  # or an arbiter at work would change what we count while we count it
            except BaseException:
                connection.close()
                raise
        return cls(folder, connection, None)

    @classmethod
    def write(cls, folder: Path) -> Self:
        """Open for writing, made if need be. Raises StoreError when another arbiter has it."""
        with _explained(folder):
            folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                raise StoreError(
                    f"{folder}: another arbiter is at work on this store; wait for it, or give another --out"
                ) from None
            try:
                return cls(folder, _open_to_write(folder), lock)
            except BaseException:
                os.close(lock)
                raise

    @staticmethod
    def check(folder: Path) -> None:
        """Raise StoreError if ``folder`` holds something that ``write`` would refuse; touch nothing."""
        with _explained(folder):
            if folder.exists() and not folder.is_dir():
                raise StoreError(f"{folder}: not a folder; give another --out")
            if not (folder / FILE).is_file():
                return
            connection = _open_to_read(folder)
            try:
                if not _is_blank(connection):
                    _check_version(folder, connection)
            finally:
                connection.close()

    def close(self) -> None:
        """Close and unlock. A writer leaves all it fixed in the one file, so that a copy of that is whole."""
        if self._lock is not None:
            with suppress(sqlite3.Error):  # what is not moved over now stays in the -wal file, and is not lost
                self._connection.execute(f"PRAGMA busy_timeout = {CLOSE_MS}")
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- events ---

    def events(self) -> list[EventRow]:
        """All events in order of creation."""
        rows = self._rows("SELECT id, number, definition, engine, created, commitment, secret FROM events ORDER BY number")
        return [
            EventRow(r[0], r[1], _object(r[2]), (r[3], *self._engines(r[0])), r[4], r[5], r[6], self._bots(r[0])) for r in rows
        ]

    def event(self, event: str) -> EventRow | None:
        """One event, None if it is not here."""
        return next((row for row in self.events() if row.id == event), None)

    def _engines(self, event: str) -> list[str]:
        return [row[0] for row in self._rows("SELECT engine FROM engines WHERE event = ? ORDER BY since, engine", event)]

    def add_engine(self, event: str, engine: str) -> None:
        """Note that another engine version goes on with an event."""
        with self._transaction() as execute:
            execute("INSERT INTO engines VALUES (?, ?, ?)", (event, engine, now()))

    def _bots(self, event: str) -> tuple[BotRow, ...]:
        columns = "name, identity, version, complete, asked_as, folder"
        rows = self._rows(f"SELECT {columns} FROM bots WHERE event = ? ORDER BY position", event)
        return tuple(BotRow(r[0], r[1], r[2], bool(r[3]), r[4], r[5]) for r in rows)

    def add_event(self, event: str, definition: str, engine: str, commitment: str, secret: bytes, bots: Sequence[BotRow]) -> None:
        """Add an event with its bots, in one transaction. ``definition`` is canonical JSON."""
        with self._transaction() as execute:
            execute(
                "INSERT INTO events SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ?, ?, ? FROM events",
                (event, definition, engine, now(), commitment, secret),
            )
            for position, bot in enumerate(bots):
                values = (bot.name, bot.identity, bot.version, int(bot.complete), bot.asked_as, bot.folder)
                execute("INSERT INTO bots VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (event, position, *values))

    # --- matches ---

    def fix(self, match: MatchRow, reveals: Mapping[int, bytes]) -> None:
        """Fix a match with its record and seats, and publish the secrets of what it was the last match of: seed by seed, the
        run's as seed -1, which concludes the event. All in one transaction. Raises StoreError if it is fixed already."""
        with self._transaction() as execute:
            values = asdict(match)
            del values["seats"]
            _insert(execute, "matches", values)
            for seat in match.seats:
                row = asdict(seat) | {"faults": json.dumps(seat.faults)}
                _insert(execute, "seats", {"event": match.event, "ordinal": match.ordinal, **row})
            for seed, secret in reveals.items():
                execute("INSERT INTO reveals VALUES (?, ?, ?)", (match.event, seed, secret))
            if RUN_SECRET in reveals:
                execute("INSERT INTO conclusions VALUES (?, ?, ?)", (match.event, run_digest(self.digests(match.event)), now()))

    def void(self, row: VoidRow) -> None:
        """Note a void match, in one transaction."""
        with self._transaction() as execute:
            _insert(execute, "voids", asdict(row) | {"bots": json.dumps(row.bots), "cpu": json.dumps(row.cpu)})

    def fixed(self, event: str) -> set[int]:
        """Ordinals of the matches that are fixed."""
        return {row[0] for row in self._rows("SELECT ordinal FROM matches WHERE event = ?", event)}

    def matches(self, event: str) -> Iterator[MatchRow]:
        """Fixed matches in schedule order, read as they are asked for."""
        columns = "event, ordinal, id, seed, lineup, rotation, digest, record, attempt, req_start, seconds, finished"
        with _explained(self.folder):
            for row in self._connection.execute(f"SELECT {columns} FROM matches WHERE event = ? ORDER BY ordinal", (event,)):
                named = dict(zip(columns.split(", "), row, strict=True))
                yield MatchRow(**named, seats=self._seats(event, named["ordinal"]))

    def _seats(self, event: str, ordinal: int) -> tuple[SeatRow, ...]:
        columns = (
            "seat, bot, rank, score, verdict, faults, decisions, thought, slowest, bank_left, cpu, status, notes, notes_total"
        )
        rows = self._rows(f"SELECT {columns} FROM seats WHERE event = ? AND ordinal = ? ORDER BY seat", event, ordinal)
        named = [dict(zip(columns.split(", "), row, strict=True)) for row in rows]
        return tuple(SeatRow(**(seat | {"faults": _faults(seat["faults"])})) for seat in named)

    def digests(self, event: str) -> list[str]:
        """Match digests in schedule order."""
        return [row[0] for row in self._rows("SELECT digest FROM matches WHERE event = ? ORDER BY ordinal", event)]

    def voids(self, event: str) -> list[VoidRow]:
        """Void matches in schedule order."""
        columns = "event, ordinal, attempt, seed, lineup, bots, why, cpu, at"
        rows = self._rows(f"SELECT {columns} FROM voids WHERE event = ? ORDER BY ordinal, attempt", event)
        return [VoidRow(r[0], r[1], r[2], r[3], r[4], _list(r[5], list[int]), r[6], _list(r[7], list[float]), r[8]) for r in rows]

    # --- reveals ---

    def reveals(self, event: str) -> dict[int, bytes]:
        """Published secrets by seed; -1 is the run's."""
        return {row[0]: row[1] for row in self._rows("SELECT seed, secret FROM reveals WHERE event = ?", event)}

    def conclusion(self, event: str) -> str | None:
        """The run digest as it was when the event was over; None before that."""
        rows = self._rows("SELECT digest FROM conclusions WHERE event = ?", event)
        return str(rows[0][0]) if rows else None

    # --- plumbing ---

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with _explained(self.folder):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[Callable[..., Any]]:
        with _explained(self.folder):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # where the disk is full, SQLite itself has rolled back already
                    with suppress(sqlite3.Error):  # the first error is the one to tell
                        self._connection.execute("ROLLBACK")
                raise


def _insert(execute: Callable[..., Any], table: str, values: dict[str, Any]) -> None:
    marks = ", ".join(f":{name}" for name in values)
    execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", values)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _list(text: str, kind: type[list[T]]) -> list[T]:
    try:
        return msgspec.json.decode(text, type=kind)
    except (ValueError, RecursionError):
        return []


def _faults(text: str) -> list[list[Any]]:
    try:
        return [list(fault) for fault in msgspec.json.decode(text, type=list[tuple[str, str, int]])]
    except (ValueError, RecursionError):
        return [[UNREADABLE, text[:80], 0]]


def _open_to_read(folder: Path) -> sqlite3.Connection:
    path = (folder / FILE).resolve()
    return sqlite3.connect(f"{path.as_uri()}?{_how_to_read(path)}", uri=True, isolation_level=None, timeout=10)


def _how_to_read(path: Path) -> str:
    """SQLite writes beside a database in WAL mode even to read it. Where it cannot, as on a read-only disk, no arbiter is at
    work either; and if none left anything in the -wal file, the one file is the whole store and will not change."""
    wal = path.with_name(f"{FILE}-wal")
    if os.access(path.parent, os.W_OK) or (wal.exists() and wal.stat().st_size):
        return "mode=ro"
    return "mode=ro&immutable=1"


def _open_to_write(folder: Path) -> sqlite3.Connection:
    path = folder / FILE
    _make_if_blank(path)
    connection = sqlite3.connect(path, isolation_level=None, timeout=10)
    try:
        _check_version(folder, connection)
        # A match that was reported as fixed must outlive even a power cut.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _make_if_blank(path: Path) -> None:
    """Make an empty store under another name and move it into place: ended at any moment, this leaves no half of one."""
    if path.exists():
        connection = sqlite3.connect(path, isolation_level=None, timeout=10)
        try:
            if not _is_blank(connection):
                return
        finally:
            connection.close()
    draft = path.with_name(f"{FILE}-new")
    for left in (draft, *(Path(f"{draft}{end}") for end in ("-wal", "-shm", "-journal"))):
        left.unlink(missing_ok=True)
    connection = sqlite3.connect(draft, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        schema = files("khiva_arena.store").joinpath("schema.sql").read_text()
        versions = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
        connection.executescript(f"BEGIN; {schema} {versions} COMMIT;")
    finally:
        connection.close()
    draft.replace(path)


def _is_blank(connection: sqlite3.Connection) -> bool:
    """Nothing was ever stored in it: what a full disk or a kill may leave of a store that was being made."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return (application, tables) == (0, 0)


def _check_version(folder: Path, connection: sqlite3.Connection) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise StoreError(f"{folder / FILE}: not a store of Khiva Arena; give another folder")
    if version != VERSION:
        raise StoreError(
            f"{folder / FILE}: a store of version {version}; this engine reads version {VERSION}: "
            "use the engine that made it, or another folder"
        )


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """What SQLite and the disk refuse, as one line for the user."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{folder / FILE}: {error}{_advice(str(error))}") from error
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror or error}") from error


def _advice(text: str) -> str:
    hints = {
        "full": "; free some space and run the same command again, nothing that was fixed is lost",
        "locked": "; another program holds it: end that and run the same command again",
        "readonly": "; it cannot be written: check the permissions of the folder",
        "unable to open": "; if the folder cannot be written, copy arena.db and arena.db-wal to one that can",
        "malformed": "; it is damaged: `khiva-arena verify` says what is sound, restore a copy to go on",
        "not a database": "; it is damaged or no store: restore a copy, or give another folder",
    }
    return next((hint for word, hint in hints.items() if word in text), "")
