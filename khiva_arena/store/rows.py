"""What a store holds, as values. ``intact``: the row is as it was written, see sums.py; one that is not may hold anything, but
each value of it is of its type."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from khiva_arena.replay.record import Record


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
    A ``definition`` that is damaged beyond reading is empty. ``changed`` names each of its rows, bots and engines included,
    that is not as it was written. ``public``: the text that was mixed into schedule and deals."""

    id: str
    number: int
    definition: dict[str, Any]
    engines: tuple[str, ...]
    created: str
    commitment: str
    secret: bytes
    bots: tuple[BotRow, ...]
    changed: tuple[str, ...] = ()
    public: str | None = None


@dataclass(frozen=True, slots=True)
class SeatRow:
    """One seat of a fixed match, see schema.sql; ``major``, of schema_3.sql: page faults that read a disk. ``faults`` damaged
    beyond reading are one fault, UNREADABLE."""

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
    peak: int = 0
    paused: int = 0
    major: int = 0


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A fixed match, see schema.sql. ``record`` is canonical JSON. ``intact`` speaks for its seats as well."""

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
    intact: bool = True

    def parsed(self) -> Record:
        """The record, its chain checked. Raises RecordError."""
        return Record.from_json(self.record)


@dataclass(frozen=True, slots=True)
class VoidRow:
    """A void match, see schema.sql; ``causes``, of schema_3.sql, are the seats that were late. Lists damaged beyond reading are
    empty."""

    event: str
    ordinal: int
    attempt: int
    seed: int
    lineup: int
    bots: list[int]
    why: str
    cpu: list[float]
    at: str
    intact: bool = True
    causes: tuple[int, ...] = ()


def now() -> str:
    """The time as the store writes it: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
