"""The rows of a store as values, with whether each is intact.

``intact``: the row is as it was written, see sums.py. Any other row may hold anything,
    but each value has the type of its column.
"""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import msgspec

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.result import NOT_MEASURED, Measured, Spent
from khiva_arena.errors import StoreError
from khiva_arena.rating.schedule.terms import Terms
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import Definition, read_definition, text_digest
from khiva_arena.records.replay.record import Record

SET_ASIDE_VOIDS = 4
"""The void attempts at one match after which its table in a league's batch may be set
aside for good: those of the first pass, and two more tries.
"""
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
SpentTime = Annotated[tuple[Number, ...], msgspec.Meta(min_length=2, max_length=3)]
"""The step of a decision, the microseconds that it took, and, of a bot on another
machine, those of the way there and back.
"""
Times = tuple[tuple[SpentTime, ...], ...]
"""The times by seat, of each decision."""


class BotRow(msgspec.Struct, frozen=True):
    """A bot of an event, see schema.sql.

    name, version: for people.
    identity: the hash of its files and commands.
    complete: whether the hash covers all its files.
    asked_as: the word by which it was named.
    folder: where that word was typed.
    """

    name: str
    identity: str
    version: str
    complete: bool
    asked_as: str
    folder: str


class EventRow(msgspec.Struct, frozen=True):
    """An event, see schema.sql.

    id: 16 hex digits.
    number: in the store, from 1.
    text: its definition as it is stored: canonical JSON unless it is damaged.
    bots: in the order of the definition.
    engines: all versions that played it.
    created: when, UTC.
    commitment: 64 hex digits.
    secret: the run's, 32 bytes, private until it is revealed.
    changed: each of its rows, bots and engines included, that is not as it was written.
    public: the text that was mixed into schedule and deals, None for none.
    closed: when it was closed before it was over, UTC; None if it was not closed.
    set_aside: of a batch that is over, the tables that stayed void for good, each its
        seed and its line-up.
    """

    id: str
    number: int
    text: str
    engines: tuple[str, ...]
    created: str
    commitment: str
    secret: bytes
    bots: tuple[BotRow, ...]
    changed: tuple[str, ...] = ()
    public: str | None = None
    closed: str | None = None
    set_aside: tuple[tuple[int, int], ...] = ()

    @property
    def definition(self) -> Definition:
        """The definition of the event. Raises StoreError if it is damaged, or of a
        league of another format.
        """
        try:
            return read_definition(self.text)
        except ValueError as error:
            raise StoreError(f"its definition is damaged ({error})") from None

    @property
    def is_of_0_1(self) -> bool:
        """True if version 0.1.0 began the event: its id is then a hash of the
        definition alone, and the commitment binds to the id.
        """
        return self.id == text_digest(self.text)[: seeds.ID_LENGTH]

    def opens(self, secret: bytes) -> bool:
        """Tell whether a run secret is the one that the commitment binds."""
        return (
            seeds.commitment(self.id if self.is_of_0_1 else text_digest(self.text), secret)
            == self.commitment
        )

    def seed_secret(self, k: int) -> bytes:
        """Return the secret of seed k, 32 bytes."""
        return seeds.seed_secret(self.secret, k, self.public)

    def match_id(self, ordinal: int) -> str:
        """Return the id of the match at a place of the schedule, 16 hex digits."""
        return seeds.match_id(self.id, ordinal)

    def terms(self) -> Terms:
        """Return the terms from which line-ups and seatings are drawn."""
        return self.definition.terms(seeds.schedule_key(self.id, self.public))


class SeatRow(msgspec.Struct, frozen=True):
    """One seat of a recorded match; schema.sql describes its columns further.

    seat: its number, from 0.
    bot: the position of the bot in the event.
    rank, score, verdict: as in the record.
    faults: [verdict, detail, step] of each, strikes included; damaged beyond reading
        they are one fault, UNREADABLE.
    decisions: how many it was asked for.
    thought, slowest: seconds that they took in all, and the longest.
    bank_left: seconds.
    status: exit status, negative for a signal.
    notes, notes_total: its stderr, shortened, and how many bytes that was.
    peak: bytes of memory, 0 if unknown.
    measured: everything but the voids that it caused, which stand in the rows of the
        voids.
    """

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
    status: int | None
    notes: str
    notes_total: int
    peak: int = 0
    measured: Measured = NOT_MEASURED


class TranscriptRow(msgspec.Struct, frozen=True):
    """The transcript of a seat of a recorded match, see schema_8.sql and
    transcripts.py.

    seat, bot: its number at the table, and the position of its bot in the event.
    packed: b"" if nothing was written, or there was no room.
    total: bytes that the bot wrote in all.
    room: bytes for all transcripts of the event.
    intact: whether it is as it was written.
    """

    seat: int
    bot: int
    packed: bytes
    total: int
    room: int
    intact: bool = True


class MatchRow(msgspec.Struct, frozen=True):
    """A recorded match, as schema.sql describes it.

    event: id of its event.
    ordinal: its place in the schedule.
    id, digest: as in its record.
    seed, lineup, rotation: numbers of the deal, of the line-up in the round, of the
        rotation of the table.
    record: canonical JSON.
    attempt: number of the attempt that was recorded, from 1.
    req_start: the number of the first request.
    seconds: that it took.
    finished: when, UTC.
    seats: by seat.
    times: by seat, of each decision that it answered or was late with; None if they are
        not known, as of a match that version 0.2.0 recorded.
    cell: the level of the cell around the runner, in ticks; None by the wall clock.
    spent: by seat, what its bot reported; None if it was not offered to; () if none
        was.
    intact: whether it and its seats are as they were written.
    transcripts: those that are written with it; ``Store.transcripts`` reads them.
    """

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
    times: Times | None = None
    cell: Level | None = None
    spent: tuple[Spent | None, ...] = ()
    intact: bool = True
    transcripts: tuple[TranscriptRow, ...] = ()

    def parsed(self) -> Record:
        """Parse the record and check its chain. Raises RecordError."""
        return Record.from_json(self.record)


class VoidRow(msgspec.Struct, frozen=True):
    """A void attempt at a match. Lists damaged beyond reading are empty.

    event, ordinal, seed, lineup: of the match.
    attempt: its number, from 1.
    bots: positions by seat.
    why: in words.
    cpu: seconds by seat.
    at: when, UTC.
    intact: whether it is as it was written.
    causes: the seats that were late.
    spent: by seat, what its bot reported; None if it was not offered to; () if none
        was.
    """

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
    spent: tuple[Spent | None, ...] = ()

    @property
    def suspects(self) -> list[int]:
        """The positions of the bots that caused it."""
        return [bot for seat, bot in enumerate(self.bots) if seat in self.causes]


class CapRow(msgspec.Struct, frozen=True):
    """A cap on what the bots of an event spend, by their own word; schema_8.sql
    describes its columns further.

    event: id of the event.
    number: 0 for the cap that chose the seeds of the event; from 1 on, those that ended
        it short, or under which a run began.
    cap, spent, dearest: the cap, what was spent until then, and the most that a table
        cost, in millionths of the currency.
    currency: its name.
    at_least: whether more may have been spent.
    recorded: how many matches were; -1 in the row of a run that began to play. If that
        is the last row, the run was killed, or ended otherwise than by its cap.
    """

    event: str
    number: int
    cap: int
    currency: str
    spent: int
    at_least: bool
    dearest: int
    recorded: int


class LinkRow(msgspec.Struct, frozen=True):
    """A link of a league's chain.

    number: its place in the chain, from 0.
    text: canonical JSON.
    intact: whether it is as it was written.
    """

    number: int
    text: str
    intact: bool = True


def now() -> str:
    """Return the time as the store writes it: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Why(StrEnum):
    """The reason why a bot does not play, in words that tell nothing of what is in
    it.
    """

    UNREAD = "it cannot be read"
    UNBUILT = "it is not built"
    NOT_STARTED = "it does not start"
    FORFEITED = "it forfeits its trial match"
    NO_BOT = "it is no bot"


class NotPlayed(msgspec.Struct, frozen=True):
    """A bot that does not play, or a file or folder among the bots that is none.

    name: by which people call it.
    word: by which the user named it.
    why: the reason.
    line: the reason in a line, which may repeat words of the bot.
    report: all that is known, for its author; "" if the line is all.
    fault: the fault of a bot that forfeits its trial match, and its step, for anybody;
        else "".
    """

    name: str
    word: str
    why: Why
    line: str
    report: str = ""
    fault: str = ""
