"""The matches that are still to be played, in their order, and which of them may begin
now.

Two matches on one deal that share a bot are kept apart in time. Two processes of the
bot would know two hands of the deal, and could signal them to each other, for instance
by the load of the machine. So a free place gets the first match that clashes with none
in flight, and a match that was passed over comes before all that were read after it.

Where every match clashes, a place waits at level strict. Below that the first of them
is played at once: a process has cheaper ways there to leave word for another, and the
last deal of every event would keep one core busy and no more.

A match that the host has spoilt goes behind all others and waits. No clock is read
here, and nothing waits: callers do both.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf

from msgspec.structs import replace

from khiva_arena.arbiter.match import Job
from khiva_arena.bots.sandbox.level import Level

HOST_WAITS = (1.0, 10.0, 60.0)
"""Seconds until a match that the host has spoilt is tried again: for the first time,
the second and the third.
"""
AHEAD_MOST = 4096
"""The most tables that wait after they were read. A place passes over the rest of each
deal in flight, which is a few matches for most events; a gauntlet of a hundred
opponents has 200 matches a deal. So many take some ten megabytes.
"""
Jobs = tuple[Job, ...]
"""Matches that go to one place, which plays them one after another: those of a table,
or one alone.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A table that waits to be played.

    table: its matches
    hands: the secret of each deal, with the identity of each bot that gets a hand of
        it; copies of a bot have one identity
    at: the time from which on it may begin, by the clock of the caller; -inf if the
        host has not spoilt it
    """

    table: Jobs
    hands: frozenset[tuple[bytes, str]]
    at: float = -inf

    @classmethod
    def of(cls, table: Jobs, at: float = -inf) -> "Waiting":
        """Return the entry of a table."""
        return cls(
            table,
            frozenset((job.secret, seat.bot) for job in table for seat in job.header.seats),
            at,
        )

    @property
    def is_new(self) -> bool:
        """True if the host has not spoilt the match."""
        return self.at == -inf


def always(_: object) -> bool:
    """Return True for every table, and for every match."""
    return True


class MatchQueue:
    """The tables still to be played, and the hands of those in flight."""

    def __init__(self, tables: Iterator[Jobs], is_wanted: Callable[[Jobs], bool] = always) -> None:
        """Make a queue of tables, which are read only as far as a free place needs.

        is_wanted: tells whether a table that was read ahead is still to be played;
            others are dropped
        """
        self._unread = tables
        self._is_wanted = is_wanted
        self._ahead: list[Waiting] = []
        self._spoilt: list[Waiting] = []
        self._spoilt_times: Counter[int] = Counter()
        self._in_flight: Counter[tuple[bytes, str]] = Counter()

    @property
    def is_empty(self) -> bool:
        """True if no table waits, read or unread."""
        return not (self._ahead or self._spoilt or self._read())

    def take(self, now: float, has_place: Callable[[Jobs], bool] = always) -> Jobs | None:
        """Return the table that is to begin now, which is in flight from then on; None
        if none may begin.

        now: seconds, by the clock of the caller
        has_place: tells whether a table can be played somewhere now
        """
        choice = None
        hands = self._in_flight.keys()
        for entry in self._candidates(now):
            clashes = not hands.isdisjoint(entry.hands)
            if clashes and (choice or entry.table[0].sandbox.level is Level.STRICT):
                continue
            if entry.is_new and not self._is_wanted(entry.table):
                self._ahead.remove(entry)
            elif has_place(entry.table):
                choice = entry
                if not clashes:
                    break
        if choice is None:
            return None
        (self._ahead if choice.is_new else self._spoilt).remove(choice)
        self._in_flight.update(choice.hands)
        return choice.table

    def end(self, table: Jobs) -> None:
        """Note that the processes of a table in flight have ended."""
        self._in_flight -= Counter(Waiting.of(table).hands)

    def put_back(self, table: Jobs, *, first: bool = False) -> None:
        """Put a table that is to be played again before all that are unread, or before
        all.
        """
        self._ahead.insert(0 if first else len(self._ahead), Waiting.of(table))

    def spoil(self, job: Job, now: float) -> bool:
        """Put a match that the host has spoilt behind all others. Return True if it is
        tried again.
        """
        times = self._spoilt_times[job.ordinal]
        self._spoilt_times[job.ordinal] += 1
        if times == len(HOST_WAITS):
            return False
        self._spoilt.append(
            Waiting.of((replace(job, attempt=job.attempt + 1),), now + HOST_WAITS[times])
        )
        self._spoilt.sort(key=lambda entry: (entry.at, entry.table[0].ordinal))
        return True

    def next_retry(self, now: float) -> float:
        """Return when the next spoilt match may begin that may not begin yet; infinity
        if there is none.
        """
        return min((entry.at for entry in self._spoilt if entry.at > now), default=inf)

    def _candidates(self, now: float) -> Iterator[Waiting]:
        """Yield the tables that might begin, in their order. Tables are read as they
        are asked for, up to AHEAD_MOST.
        """
        yield from list(self._ahead)
        while len(self._ahead) < AHEAD_MOST and self._read():
            yield self._ahead[-1]
        yield from [entry for entry in self._spoilt if entry.at <= now]

    def _read(self) -> bool:
        """Read a table ahead. Return False if there is none."""
        if table := next(self._unread, None):
            self._ahead.append(Waiting.of(table))
        return bool(table)
