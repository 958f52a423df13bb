"""A match played live: the steps of it under the clocks of its bots, and the end of
every process on every path.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import trio

from khiva_arena.arbiter.clock import SLICE, LagMeter
from khiva_arena.arbiter.gather import Gatherer
from khiva_arena.arbiter.job import EXIT_GRACE as EXIT_GRACE
from khiva_arena.arbiter.job import Job as Job
from khiva_arena.arbiter.job import Outcome as Outcome
from khiva_arena.arbiter.job import SeatReport as SeatReport
from khiva_arena.arbiter.match_steps import Faults as Faults
from khiva_arena.arbiter.match_steps import MatchSteps, Rules
from khiva_arena.arbiter.seat import Seat
from khiva_arena.arbiter.wire import Ending, HostFault, Wire
from khiva_arena.bots.protocol import messages
from khiva_arena.bots.sandbox import stops
from khiva_arena.errors import GameFault

if TYPE_CHECKING:  # most matches are by the wall clock
    from khiva_arena.arbiter.tick_batches import ModuleTable, TickGatherer


class LiveMatch(MatchSteps):
    """A match in progress."""

    def __init__(self, job: Job, wire: "Wire | ModuleTable", lag: LagMeter) -> None:
        self._lag = lag
        self._last_out: float | None = None
        MatchSteps.__init__(self, job, wire)  # also where this class stands beside another one

    def _make_gatherer(self, wire: "Wire | ModuleTable") -> "Gatherer | TickGatherer":
        if self._job.in_ticks:
            return super()._make_gatherer(wire)
        return Gatherer(
            cast(Wire, wire),
            self._seats,
            self._lag,
            ponder=self._job.sandbox.ponder,
            last=self._job.last,
        )

    async def play(self) -> Outcome:
        """Start the bots, play to the end, and end and reap every process on every
        path.
        """
        began = trio.current_time()
        lag = self._lag.total(began)
        record, void, host = None, "", False
        causes: tuple[int, ...] = ()
        endings: list[Ending] = []
        try:
            try:
                record = await self.record()
            except HostFault as fault:
                void, causes, host = str(fault), fault.late, not fault.late
            except GameFault as fault:
                void = str(fault)
            finally:
                with trio.CancelScope(shield=True):
                    try:
                        endings = await self._wire.close(EXIT_GRACE if record else 0.0)
                    except HostFault as fault:
                        record, void = None, str(fault)
        finally:
            reports = tuple(
                _report(seat, ending) for seat, ending in zip(self._seats, endings, strict=False)
            )
        now = trio.current_time()
        unsettled, lag = self._unsettled_seconds(now), self._lag.total(now) - lag
        return Outcome(
            ordinal=self._job.ordinal,
            attempt=self._job.attempt,
            record=record,
            void=void,
            seats=reports,
            req_start=self._req,
            seconds=now - began,
            unsettled=unsettled,
            causes=causes,
            lag=lag,
            host=host,
            begun=self._any_asked,
            cell=self._job.sandbox.level if self._job.in_ticks else None,
        )

    def _unsettled_seconds(self, now: float) -> float:
        return (
            0.0
            if self._last_out is None
            else max(SLICE, stops.SETTLES_SECONDS - (now - self._last_out))
        )

    async def greet(self) -> Outcome:
        """Start the bots, exchange hellos, and end them, without playing."""
        endings: list[Ending] = []
        grace = 0.0  # who failed to begin is not asked to end: its wire may be closed
        try:
            await self._greet()
            for seat in self._seats:
                if seat.playing:
                    self._wire.send(seat.number, seat.session.end(messages.End("greeted", [], [])))
            grace = EXIT_GRACE
        finally:
            with trio.CancelScope(shield=True):
                endings = await self._wire.close(grace)
        reports = tuple(
            _report(seat, ending) for seat, ending in zip(self._seats, endings, strict=True)
        )
        return Outcome(self._job.ordinal, self._job.attempt, None, "", reports, self._req, 0.0)

    async def _call_game(self, call: Callable[..., Rules], *arguments: object) -> Rules:
        """Call a method of the game. A game from outside may take its time, in which
        other matches go on.
        """
        if not self._outside:
            return await super()._call_game(call, *arguments)
        return await trio.to_thread.run_sync(call, *arguments, abandon_on_cancel=True)

    def _note_out(self) -> None:
        self._last_out = trio.current_time()


def _report(seat: Seat, ending: Ending) -> SeatReport:
    return SeatReport(
        seat.name,
        seat.version,
        tuple(seat.faults),
        seat.times,
        {step: trip for step, trip in seat.round_trips.items() if step in seat.times},
        seat.bank.balance,
        ending,
        ending.measured._replace(paused=seat.paused),
        seat.session.spent(len(seat.times)),
    )
