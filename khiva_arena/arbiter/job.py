"""A match to be played, as one value; and what comes of it."""

from collections.abc import Mapping

import msgspec

from khiva_arena.arbiter.seat import Blame
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import TRUSTING, Level, Sandbox
from khiva_arena.common.result import VOIDS_MOST, Measured, Spent
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.records.replay.record import Header, Past, Record

EXIT_GRACE = 0.5
"""Seconds that bots have to end when their match is over."""


class Job(msgspec.Struct, frozen=True):
    """A match to be played, with everything that a worker needs.

    ordinal: the caller's number for it
    attempt: 1 for the first, 2 after a void
    header: the beginning of the record
    secret: the seed's, 32 bytes
    commands: by seat, how its bot is started
    sandbox: how all bots are kept
    warned: seats whose bots have made a match of this event void; in ticks, their next
        backstop is a fault
    forced: in ticks, seats that meet the backstop without being run, with the numbers
        of the steps: a record says that they did
    patience: in ticks, how many times as much of the machine as in play its modules may
        take
    granted: in ticks, the most that a module may take for each question: seat, number
        of the step, and ticks; nothing for a question that is not among them. None: the
        header's limits alone
    overdue: by the wall clock, seats that have no time left in this match: they are not
        asked, and each step counts as late
    past: the steps that are taken from a record, None to play all of them, see
        continued.py
    person_turn_ms: in ticks, milliseconds that a person has for each decision, besides
        the bank; 0: the header's turn
    answers: in ticks, the record of the match from which persons are to answer; None:
        persons answer themselves
    ends_with: the seats of a bot on trial: its first forfeit ends the match. The record
        then has the steps so far, and may not be stored, since a replay of it goes on
    transcripts: by seat, the bytes that the transcript of its bot may have, 0 for none;
        () if nobody wants any
    """

    ordinal: int
    attempt: int
    header: Header
    secret: bytes
    commands: tuple[Command, ...]
    sandbox: Sandbox = TRUSTING
    warned: tuple[int, ...] = ()
    forced: tuple[tuple[int, int], ...] = ()
    patience: int = 1
    granted: tuple[tuple[int, int, int], ...] | None = None
    overdue: tuple[int, ...] = ()
    past: Past | None = None
    person_turn_ms: int = 0
    answers: Record | None = None
    ends_with: tuple[int, ...] = ()
    transcripts: tuple[int, ...] = ()

    @property
    def in_ticks(self) -> bool:
        """True if its bots are modules that pay in ticks."""
        return self.header.in_ticks

    def reports(self, seat: int) -> bool:
        """Tell whether the bot of a seat is offered to report what it spends. In ticks
        none is: they depend on every byte.
        """
        return not self.in_ticks and self.commands[seat].reports

    @property
    def limits(self) -> TimeLimits:
        """The header's limits."""
        return TimeLimits(**self.header.time)

    @property
    def last(self) -> bool:
        """True if the match is set aside when this attempt is void, too."""
        return self.attempt >= VOIDS_MOST


class SeatReport(msgspec.Struct, frozen=True):
    """The facts kept of one seat beside the record; nothing here changes the match's
    digest.

    name, version: as the bot greeted, "" if it did not
    faults: all, strikes that did not forfeit included
    times: by number of the step, seconds of each decision that it answered or was late
        with, without the time given back
    round_trips: by number of the step, seconds of the way to its player and back, as
        measured at the request; empty if not known
    bank_left: seconds
    ending: how its process ended
    measured: the resources that it used in this match
    spent: the totals that the bot reported; None if it was not asked to
    """

    name: str
    version: str
    faults: tuple[Blame, ...]
    times: Mapping[int, float]
    round_trips: Mapping[int, float]
    bank_left: float
    ending: Ending
    measured: Measured
    spent: Spent | None = None

    @property
    def decisions(self) -> int:
        """The number of decisions that the seat answered or was late with."""
        return len(self.times)

    @property
    def thought(self) -> float:
        """Seconds that the seat's decisions took in all."""
        return sum(self.times.values())

    @property
    def slowest(self) -> float:
        """Seconds of the seat's longest decision, 0 if there was none."""
        return max(self.times.values(), default=0.0)


class Failure(msgspec.Struct, frozen=True):
    """An error of the arena itself at a match; see failure.py.

    kind: the type of the error
    words: the error as the end of a trace has it
    trace: harmless on a terminal
    machines: True if the machine has failed, rather than the arena
    number: the number of the machine's OSError, 0 if there is none
    """

    kind: str
    words: str
    trace: str
    machines: bool = False
    number: int = 0

    @property
    def why(self) -> str:
        """Tell why a match is void that the arena itself failed at. It names no place
        of this machine: bundles have it.
        """
        return f"the arena failed at it: {self.kind}"


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a job.

    ordinal, attempt: of the job
    record: None if the match is void
    void: in words, why it is void, "" if it is not
    seats: by seat, the facts kept beside the record
    req_start: the number of the first request
    seconds: from the first start to the last end of a bot
    unsettled: seconds for which it may still turn out that a stop of the arbiter ended
        a bot, see stops.py
    causes: the seats whose lateness made the match void
    lag: seconds that the arbiter's own loop was late meanwhile
    host: True if the machine caused the void, and neither a game nor a late seat did
    begun: True if a bot was asked for a choice, so that a void may be its doing
    failure: the error of the arena itself by which the match is void, which says
        nothing of other matches
    again: True if a void match is played once more in this run
    cell: the level of the cell around the runner, in ticks; None by the wall clock
    """

    ordinal: int
    attempt: int
    record: Record | None
    void: str
    seats: tuple[SeatReport, ...]
    req_start: int
    seconds: float
    unsettled: float = 0.0
    causes: tuple[int, ...] = ()
    lag: float = 0.0
    host: bool = False
    begun: bool = True
    failure: Failure | None = None
    again: bool = False
    cell: Level | None = None
