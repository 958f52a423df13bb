"""Ask seats and collect their sealed answers under their clocks: the one place where a deadline is owned.

All requests go out before any answer is read. Until every seat has answered or run out of time, only lengths are looked
at; then the payloads are opened. A seat's deadline covers its whole frame and is never moved by bytes that trickle in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import trio

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.seat import Seat
from khiva_arena.arbiter.wire import Arrival, HostFault, Wire
from khiva_arena.protocol.session import Answer, Breach, Greeting, Phase
from khiva_arena.result import Verdict

# A seat that has not answered by then is slow enough for a look at how long the host has kept it from running.
SLOW = 0.010
NEGLIGIBLE = 0.001


@dataclass(slots=True, eq=False)
class _Wait:
    """One seat that was asked. ``deadline`` is when its time is up, the arbiter's lag not counted; ``last`` is set once it
    is, to the end of the time that the host kept its processes from running.

    ``closed`` is set when nothing more is waited for, to how much was sealed then: what comes later is not opened for this
    request. ``elapsed`` is the time it took, in seconds.
    """

    seat: Seat
    deadline: float
    last: float | None = None
    delayed: float = 0.0
    closed: int | None = None
    elapsed: float = 0.0

    @property
    def waiting(self) -> bool:
        """Whether the awaited answer cannot be there yet and may still come."""
        return self.closed is None and not self.seat.session.ready and not self.seat.output_ended

    def due(self, lag: float) -> float:
        """When to give up: the arbiter's own lag is added back."""
        return self.deadline + lag if self.last is None else self.last


@dataclass(slots=True)
class Gathered:
    """What a gather brought, by seat: the greeting or answer, or the fault, of each that was asked."""

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
        self._delays: list[float] | None = None
        self._arrived: dict[int, float] = {}

    def drain(self) -> dict[int, tuple[Verdict, str]]:
        """Before anybody is asked: whatever is there is nobody's answer. Returns the faults in it."""
        for arrival in self._wire.look():
            self._take(arrival)
        faults = {}
        for seat in self._seats:
            if seat.playing and seat.session.sealed:
                outcome = seat.session.open()
                if isinstance(outcome, Breach):
                    self._wire.stop(seat.number)
                    faults[seat.number] = (outcome.verdict, outcome.detail)
        return faults

    async def gather(self, requests: Mapping[int, bytes], allowances: Mapping[int, float]) -> Gathered:
        """Send each seat its frame, then wait for all of them, ``allowances[seat]`` seconds at most.

        Raises HostFault when a seat's overrun is explained by the host.
        """
        send = self._wire.send
        for number, frame in requests.items():
            send(number, frame)
        self._asked = asked = trio.current_time()
        self._lag_before = self._lag.total(asked)
        self._delays = None
        self._arrived.clear()
        # Seats that have sent stray acts before come first, see _open_in_turn.
        seats = sorted([self._seats[number] for number in requests], key=_never_strayed)
        waits: Sequence[_Wait] = [_Wait(seat, asked + allowances[seat.number]) for seat in seats]
        out = Gathered()
        while waits:
            await self._collect(waits)
            waits = self._open_in_turn(waits, out)
        for number, (verdict, detail) in out.faults.items():
            if verdict is Verdict.CRASHED and not detail:
                out.faults[number] = (verdict, await self._wire.gone(number))
        return out

    async def _collect(self, waits: Sequence[_Wait]) -> None:
        """Read until nobody is waited for."""
        lag = 0.0
        while waiting := [wait for wait in waits if wait.waiting]:
            wake = min([wait.due(lag) for wait in waiting])
            if self._delays is None:
                wake = min(wake, self._asked + SLOW)
            for arrival in await self._wire.receive(wake):
                self._take(arrival)
            now = trio.current_time()
            if now < self._asked + SLOW:
                continue
            lag = self._lag.total(now) - self._lag_before
            if self._delays is None:
                self._delays = self._wire.run_delays()
            for wait in waiting:
                if wait.waiting and now >= wait.due(lag):
                    self._out_of_time(wait, now, self._delays[wait.seat.number])

    def _take(self, arrival: Arrival) -> None:
        """Hand bytes to the seat's session."""
        seat = self._seats[arrival.seat]
        if not arrival.data:
            seat.output_ended = True
            return
        session = seat.session
        before = session.ready
        if not session.receive(arrival.data):
            self._wire.stop(arrival.seat)
        if session.sealed and not before:
            self._arrived[arrival.seat] = arrival.at  # what comes behind an answer is not charged to it

    def _out_of_time(self, wait: _Wait, now: float, delayed_before: float) -> None:
        """The last look was taken. The host may owe the seat more time; else what is sealed now is all that counts."""
        if wait.last is None and not wait.seat.session.sealed:
            wait.delayed = self._wire.run_delays()[wait.seat.number] - delayed_before
            if wait.delayed > NEGLIGIBLE:
                wait.last = now + wait.delayed
                return
        wait.closed = wait.seat.session.sealed
        wait.elapsed = self._elapsed(now)

    def _open_in_turn(self, waits: Sequence[_Wait], out: Gathered) -> Sequence[_Wait]:
        """Open what the asked seats sent. Where that was only late or second acts for earlier requests and time is left, stop
        and return that seat and those behind it, still sealed, to be waited for again."""
        for i, wait in enumerate(waits):
            if not self._open(wait, out):
                return waits[i:]
        return ()

    def _open(self, wait: _Wait, out: Gathered) -> bool:
        """Open what an asked seat sent. Returns False when the answer may still come."""
        seat = wait.seat
        partial = seat.session.partial
        outcome = seat.session.open(wait.closed)
        if isinstance(outcome, Breach):
            self._wire.stop(seat.number)
            out.faults[seat.number] = (outcome.verdict, outcome.detail)
        elif outcome is not None:
            if wait.last is not None:
                late = wait.delayed * 1000
                raise HostFault(f"seat {seat.number} was late, but had no core for {late:.0f} ms of its time")
            seat.took(self._elapsed(self._arrived.get(seat.number, self._asked)))
            out.answers[seat.number] = outcome
        elif wait.closed is not None:
            out.faults[seat.number] = self._late(wait, partial)
        elif seat.output_ended:
            out.faults[seat.number] = (Verdict.CRASHED, "")  # how it ended is asked when nobody is kept waiting
        else:
            self._arrived.pop(seat.number, None)
            return False
        return True

    def _late(self, wait: _Wait, partial: int) -> tuple[Verdict, str]:
        seat = wait.seat
        if seat.session.phase is Phase.ASKED:
            seat.session.late()
        seat.took(wait.elapsed)
        if how := self._wire.exited(seat.number):
            return Verdict.CRASHED, f"{how}, and left a process behind that keeps its output open"
        return Verdict.TIMEOUT, f"{partial} bytes of a frame came, then no more" if partial else "no answer came"

    def _elapsed(self, at: float) -> float:
        """Seconds from the request to ``at``, without the arbiter's own lag."""
        return max(0.0, at - self._asked - (self._lag.total(at) - self._lag_before))


def _never_strayed(seat: Seat) -> bool:
    return not seat.session.strayed
