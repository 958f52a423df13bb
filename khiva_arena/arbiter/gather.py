"""Ask seats and collect their sealed answers under their clocks: the one place where a deadline is owned.

All requests go out before any answer is read. Until every seat has answered or run out of time, only lengths are looked
at; then the payloads are opened. A seat's deadline covers its whole frame and is never moved by bytes that trickle in.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import trio

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.seat import Seat
from khiva_arena.arbiter.wire import Arrival, Wire
from khiva_arena.protocol.session import Answer, Breach, Greeting, Phase
from khiva_arena.result import Verdict

# A seat that has not answered by then is slow enough for a look at how long the host has kept it from running.
SLOW = 0.010
NEGLIGIBLE = 0.001


class HostFault(Exception):
    """The host, not a bot, was late: the match is void. The text says what was measured."""


@dataclass(slots=True, eq=False)
class _Wait:
    """One seat that is waited for. ``deadline`` is when its time is up, the arbiter's lag not counted; ``last`` is set once
    it is, to the end of the time that the host kept its processes from running."""

    seat: Seat
    deadline: float
    last: float | None = None
    delayed: float = 0.0

    def due(self, lag: float) -> float:
        """When to give up: the arbiter's own lag is added back."""
        return self.deadline + lag if self.last is None else self.last


@dataclass(slots=True)
class Gathered:
    """What a gather brought, by seat: the greeting or answer of those that were asked, and the faults of all."""

    answers: dict[int, Greeting | Answer] = field(default_factory=dict)
    faults: dict[int, tuple[Verdict, str]] = field(default_factory=dict)


class Gatherer:
    """Collects answers for one match."""

    def __init__(self, wire: Wire, seats: Sequence[Seat], lag: LagMeter) -> None:
        self._wire = wire
        self._seats = seats
        self._lag = lag
        self._asked = 0.0
        self._lag_before = 0.0
        self._arrived: dict[int, float] = {}

    def drain(self) -> dict[int, tuple[Verdict, str]]:
        """Before anybody is asked: whatever has come since the last gather is nobody's answer. Returns the faults in it."""
        out = Gathered()
        if strays := {arrival.seat for arrival in self._wire.look() if self._take(arrival) or arrival.data}:
            self._open_strays(strays, out)
        return out.faults

    async def gather(self, requests: Mapping[int, bytes], allowances: Mapping[int, float]) -> Gathered:
        """Send each seat its frame, then wait for all of them, ``allowances[seat]`` seconds at most.

        Raises HostFault when a seat's overrun is explained by the host.
        """
        out = Gathered()
        send = self._wire.send
        for number, frame in requests.items():
            send(number, frame)
        self._asked = asked = trio.current_time()
        self._lag_before = self._lag.total(asked)
        self._arrived.clear()
        seats = self._seats
        waits = {n: _Wait(seats[n], asked + allowances[n]) for n in requests if not seats[n].output_ended}
        await self._collect(waits, out)
        for number in requests:
            if number not in out.faults:
                await self._open(number, out)
        if strays := self._arrived.keys() - requests.keys():
            self._open_strays(strays, out)
        return out

    async def _collect(self, waits: dict[int, _Wait], out: Gathered) -> None:
        """Read until nobody is waited for."""
        delays: list[float] | None = None
        lag = 0.0
        while waits:
            wake = min(wait.due(lag) for wait in waits.values())
            if delays is None:
                wake = min(wake, self._asked + SLOW)
            arrivals = await self._wire.receive(wake)
            for arrival in arrivals:
                if self._take(arrival) and arrival.seat in waits:
                    _void_if_host_was_late(waits.pop(arrival.seat))
            now = trio.current_time()
            if now < self._asked + SLOW or not waits:
                continue
            lag = self._lag.total(now) - self._lag_before
            if delays is None:
                delays = self._wire.run_delays()
            for number, wait in list(waits.items()):
                if now >= wait.due(lag) and self._out_of_time(wait, now, delays[number], out):
                    del waits[number]

    def _take(self, arrival: Arrival) -> bool:
        """Hand bytes to the seat's session. Returns whether the seat need not be waited for any longer."""
        seat = self._seats[arrival.seat]
        if not arrival.data:
            seat.output_ended = True
            return True
        session = seat.session
        before = session.ready
        breach = session.receive(arrival.data)
        if breach is not None or (session.sealed and not before):
            self._arrived[arrival.seat] = arrival.at  # what comes behind an answer is not charged to it
        if breach is not None:
            self._wire.stop(arrival.seat)
            return True
        return session.ready

    def _out_of_time(self, wait: _Wait, now: float, delayed_before: float, out: Gathered) -> bool:
        """The last look was taken when this is called. Returns False when the host owes the seat more time."""
        seat = wait.seat
        if seat.session.sealed:
            # Late answers to earlier requests were expected before this one and did not come: what is here is opened.
            return True
        if wait.last is None:
            wait.delayed = self._wire.run_delays()[seat.number] - delayed_before
            if wait.delayed > NEGLIGIBLE:
                wait.last = now + wait.delayed
                return False
        partial = seat.session.partial
        self._late(seat, now, f"{partial} bytes of a frame came, then no more" if partial else "no answer came", out)
        return True

    def _late(self, seat: Seat, at: float, detail: str, out: Gathered) -> None:
        if seat.session.phase is Phase.ASKED:
            seat.session.late()
        seat.took(self._elapsed(at))
        out.faults[seat.number] = (Verdict.TIMEOUT, detail)

    def _elapsed(self, at: float) -> float:
        return max(0.0, at - self._asked - (self._lag.total(at) - self._lag_before))

    async def _open(self, number: int, out: Gathered) -> None:
        """Open what an asked seat sent."""
        seat = self._seats[number]
        outcome = seat.session.breach or seat.session.open()
        if isinstance(outcome, Breach):
            self._wire.stop(number)
            out.faults[number] = (outcome.verdict, outcome.detail)
        elif outcome is not None:
            seat.took(self._elapsed(self._arrived.get(number, self._asked)))
            out.answers[number] = outcome
        elif seat.output_ended:
            out.faults[number] = (Verdict.CRASHED, await self._wire.gone(number))
        else:
            self._late(seat, trio.current_time(), "only answers to earlier requests came", out)

    def _open_strays(self, numbers: Iterable[int], out: Gathered) -> None:
        """A seat that was not asked may only have sent what is dropped."""
        for seat in [self._seats[number] for number in sorted(numbers)]:
            breach = seat.session.breach or seat.session.open()
            if seat.playing and isinstance(breach, Breach):
                self._wire.stop(seat.number)
                out.faults[seat.number] = (breach.verdict, breach.detail)


def _void_if_host_was_late(wait: _Wait) -> None:
    session = wait.seat.session
    if wait.last is not None and session.sealed and not session.breach:
        raise HostFault(f"seat {wait.seat.number} was late, but had no core for {wait.delayed * 1000:.0f} ms of its time")
