"""A match in ticks that is played again over modules which somebody else runs, each of
them from its start.

In a page no module can be kept standing between two questions. So each seat's module is
run once from its start, with the messages and the ticks that its record makes likely,
and what it did is kept. Then the arbiter's own steps play the match, and take these
answers as long as what they send is what was sent before. Where it is not, the module
is run again with what they have sent. So what is likely only saves time: what comes out
depends on the arbiter's steps and the modules alone.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from msgspec import structs

from khiva_arena.arbiter.job import Job, Outcome
from khiva_arena.arbiter.match_steps import Faults, MatchSteps
from khiva_arena.arbiter.mixed_table import MixedTable, recorded_players
from khiva_arena.arbiter.tick_batches import Reply, RunEnd, TickAsk
from khiva_arena.arbiter.wire import Ending, HostFault
from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.messages import Decide, Hello
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import TICKS_A_MS
from khiva_arena.competition.audit.compared import (
    NOT_HERE,
    Compared,
    as_recorded,
    compared,
    first_difference,
    unconfirmed_match,
)
from khiva_arena.games.base import State
from khiva_arena.records.replay.record import Choice, Record
from khiva_arena.records.replay.requests import requests
from khiva_arena.records.replay.ticks import TickBank, granted


class SeatOrder(NamedTuple):
    """An order to a runner: protocol/METER.md, section 12.

    word: "say" or "ask".
    ticks: that the module may take; 0 for "say".
    frame: that comes with it, b"" for none.
    """

    word: str
    ticks: int
    frame: bytes


class SeatResult(NamedTuple):
    """The result of an order to ask.

    word: how the run ended, one of ``RunEnd``.
    used: ticks.
    answer: what the module wrote, if it answered.
    """

    word: str
    used: int
    answer: bytes


RunSeat = Callable[[int, Sequence[SeatOrder]], Sequence[SeatResult]]
"""Runs the module of a seat from its start over orders. Returns a result for each order
to ask. Raises HostFault if it can't.
"""


class ReplayedSeat:
    """A seat whose module is run from its start whenever another order comes than was
    likely.

    runs: how often it was run.
    """

    def __init__(
        self,
        run: Callable[[Sequence[SeatOrder]], Sequence[SeatResult]],
        likely: Sequence[SeatOrder],
    ) -> None:
        self.runs = 0
        self._run = run
        self._likely = list(likely)
        self._next = 0
        self._orders: list[SeatOrder] = []
        self._asked = 0
        self._results: Sequence[SeatResult] | None = None

    def add(self, order: SeatOrder) -> None:
        """Take an order."""
        self._orders.append(order)
        self._asked += order.word == "ask"
        if self._likely[self._next : self._next + 1] == [order]:
            self._next += 1
            return
        self._results = None
        self._next += bool(order.frame)  # one without a frame goes on with the question before it

    def result(self) -> SeatResult:
        """Return the result of the last order, which asks."""
        if self._results is None:
            self.runs += 1
            self._results = self._run([*self._orders, *self._likely[self._next :]])
        return self._results[self._asked - 1]


class ReplayedTable:
    """The modules of a match, each run from its start: a ``ModuleTable``."""

    def __init__(self, seats: Sequence[ReplayedSeat]) -> None:
        self._seats = seats

    def announce(self, seat: int, step: int, kind: str) -> None:
        """Do nothing: notes of bots are not kept."""

    def remark(self, seat: int, line: str) -> None:
        """Do nothing."""

    def send(self, seat: int, data: bytes) -> None:
        self._seats[seat].add(SeatOrder("say", 0, data))

    async def ask(self, asks: Mapping[int, TickAsk]) -> Mapping[int, Reply]:
        return {seat: self._ask(self._seats[seat], ask) for seat, ask in asks.items()}

    def _ask(self, seat: ReplayedSeat, ask: TickAsk) -> Reply:
        seat.add(SeatOrder("ask", ask.ticks, ask.frame))
        word, used, answer = seat.result()
        return Reply(RunEnd(word), used, answer if word == RunEnd.ANSWERED else b"")

    def round_trip(self, seat: int) -> float | None:
        return None

    def stop(self, seat: int) -> None:
        """Do nothing: a seat that is out is not asked."""

    async def close(self, grace: float) -> list[Ending]:
        return []


class _PartedError(Exception):
    """The match has parted from its record."""


class _AsRecorded(MatchSteps):
    """The steps of a match that ends where it parts from its record: what comes then
    says nothing.
    """

    def __init__(self, job: Job, table: MixedTable, record: Record) -> None:
        super().__init__(job, table)
        self._recorded = record

    async def _commit(self, state: State, choices: Mapping[int, Choice], faults: Faults) -> None:
        await super()._commit(state, choices, faults)
        number = len(self._steps)
        theirs = (
            self._recorded.steps[number - 1 : number],
            (self._recorded.ticks or ())[: number + 1],
        )
        if (tuple(self._steps[-1:]), self._ticks()) != theirs:
            raise _PartedError

    def so_far(self) -> Record:
        """Return the record up to here."""
        return structs.replace(self._recorded, steps=tuple(self._steps), ticks=self._ticks())


def likely_orders(record: Record, secret: bytes, seat: int) -> list[SeatOrder]:
    """Return the orders that a runner gets for a seat, as its record says. Raises
    RecordError for one that does not replay.
    """
    bank, most = (
        TickBank(record.header.time),
        {(at, step): ticks for at, step, ticks in granted(record)},
    )
    orders = []
    for step, message, asked in (
        (one.step, one.message, one.asked) for one in requests(record, secret, seat, {})
    ):
        frame = codec.encode_for_module(message)
        ticks = record.header.time["startup_ms"] * TICKS_A_MS
        if isinstance(message, Decide) and asked and record.ticks:
            ticks = bank.allowance()
            bank.charge(record.ticks[step][asked.step.index(asked.choice)])
        if isinstance(message, Hello | Decide):
            orders.append(SeatOrder("ask", min(ticks, most.get((seat, step), 0)), frame))
        else:
            orders.append(SeatOrder("say", 0, frame))
    return orders


def replayed(record: Record, secret: bytes, run: RunSeat) -> Compared:
    """Play a match in ticks again, and compare it with its record.

    A question takes one tick more than the record has, at the most, so that who takes
    more is told from who takes as many.
    """
    numbers = range(len(record.header.seats))
    modules = [seat for seat in numbers if seat not in record.header.persons]
    seats = [
        ReplayedSeat(partial(run, seat), likely_orders(record, secret, seat)) for seat in modules
    ]
    table = MixedTable(len(numbers), recorded_players(record), ReplayedTable(seats))
    job = as_recorded(
        Job(0, 1, record.header, secret, tuple(Command((), "/") for _ in numbers)), record
    )
    match = _AsRecorded(job, table, record)
    playing = match.record()
    try:
        playing.send(None)  # nothing is waited for, so it comes to its end at once
    except StopIteration as end:
        return compared(record, Outcome(0, 1, end.value, "", (), 0, 0.0))
    except _PartedError:
        return Compared(first_difference(record, match.so_far()))
    except HostFault as fault:
        return Compared("", unconfirmed_match(record, f"{NOT_HERE}{fault}", fault.late))
    finally:
        playing.close()
    raise AssertionError("a match of modules waits for nothing")
