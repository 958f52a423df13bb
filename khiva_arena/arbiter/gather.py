"""Ask seats and collect their sealed answers under their clocks: the one place where a
deadline is owned.

Theory of operation
===================

A step asks one seat or several at once. ``gather`` sends all requests before it reads
any answer. It returns when each seat that was asked has an answer or a fault. Until
then a seat is in one of these states:

    waiting     no whole frame has come, its output is open, and its time is not up
    sealed      a whole frame is there; the session has looked at its length, not into
                it
    ended       its output has ended: it has exited, or closed it
    closed      its time is up: only frames sealed by now count, and bytes that come
                later answer nothing
    blamed      it took so much of the processor that another seat or the arbiter was
                late: it is out, whatever it answered

Frames stay sealed until no seat is waiting. Then they are opened, one seat after the
other. So neither an answer nor a breach of the protocol has an effect that another seat
could notice while it still thinks. No bot is killed, woken or written to because of it,
and the arbiter spends no time on it. If a seat had sealed only late answers to earlier
requests, it waits again. So do the seats behind it, which are still sealed; seats that
have done so before are therefore opened last.

Deadlines. A seat has its turn and the rest of its bank, from the moment when the last
request went out, for its whole frame. Bytes that trickle in do not move the deadline. A
seat whose player is elsewhere may have the way there and back as well, as it was
measured before (``Bank.given``). Two things move deadlines:

- The arbiter's own lag (clock.py) is added, since an answer that was there in time may
  have been noticed late. Whoever causes the lag gets none of it: see below.
- A seat whose time is up and that had no core for a part of it (fairness.py) gets that
  part back, as often as it takes. The seat that took it before may take it again. A
  seat gets nothing back if processes of its own began or ended in its time. Their CPU
  time may be counted nowhere, and the CPU time of a bot's own processes excuses
  nothing.

Who is to blame when a seat is late:

1. It had a core, or the time that it got back ran out, too: a TIMEOUT of its own, or
   CRASHED if its program has exited.
2. It answered in the time that it got back, but its own processes changed by then: a
   TIMEOUT (OWN_DOING), since they may have taken the core.
3. It answered in the time that it got back: the answer counts, and is charged without
   that time.

(If a limit of the sandbox is known to have made a bot late or end, TIMEOUT and CRASHED
become RESOURCE.)

Case 3 needs an explanation if the seat lacked a good part of its time (STARVED). Seats
that took more than their share of the processor are the explanation. Such a seat that
was asked is out at once, by the verdict RESOURCE, so that it cannot take the time that
is given back. Such a seat that was not asked may think in the time of others, and only
pauses until its next turn. If there is no such seat, it was the host, and the match is
void (HostFault). At the last attempt at a match the answer is taken all the same. So a
bot voids no match by the moments without a core that every machine brings, and none
twice.

Who is to blame for the arbiter's lag, once it is a good part of the step, and the
arbiter had no core for half of the time:

1. If a seat is late but for the lag, and had no core for a good part of its time, seats
   that took more than their share are held back as above.
2. A seat that took more than its share, and than half of what all cores can give, gets
   none of the lag: all of its time is charged. If it is late then, it is out by the
   verdict RESOURCE. If it has answered in time, or was not asked, it pauses until its
   next turn.
"""

from collections.abc import Mapping, Sequence

import trio

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fairness import CpuAccount, cpu_shortfall, over_half_of_cores
from khiva_arena.arbiter.held_back import HeldBack
from khiva_arena.arbiter.seat import Seat, StepResult
from khiva_arena.arbiter.waits import Wait, has_answered, never_strayed
from khiva_arena.arbiter.wire import Arrival, HostFault, Wire
from khiva_arena.bots.protocol.session import Breach, Phase
from khiva_arena.common.result import Verdict

# A seat that has not answered by then is slow enough for a look at how long the host
# has kept it from running.
SLOW = 0.010
# If a seat has no more time than this, a first look after SLOW would leave out too much
# of it. So a sample of all seats is taken before the requests go out, which takes a
# tenth of a millisecond.
SHORT = 0.1
NEGLIGIBLE = 0.001
# If a late seat had no core for at least this part of its time, then seats that took
# more than their share are held back, even if the late seat does not answer after all;
# if there are none, the match is void. If it lacked less, nobody is held back and the
# match is not void: a bot can cause that much itself, and any machine that does
# something else as well brings it about.
STARVED = 0.1
# Only if the arbiter had no core for at least this part of a step, its lag is laid to
# seats. Neither a bot of several threads nor a stop of the arbiter brings that about.
LAGGED = 0.5
# If a busy host leaves a seat the share s of a core, each extension brings it s of what
# it still lacks: so many extensions are enough for a third of a core, and they end if
# it gets next to none.
EXTENDED_MOST = 8
OWN_DOING = "the answer came late, and processes that the bot started may have taken its core"


class Gatherer:
    """A collector of answers for one match."""

    def __init__(
        self,
        wire: Wire,
        seats: Sequence[Seat],
        lag: LagMeter,
        *,
        ponder: bool = True,
        last: bool = False,
    ) -> None:
        """Begin with no request open.

        ponder: True if bots may think in the time of others; otherwise a bot that has
            answered is stopped until it is next sent something
        last: a seat that is late does not void the match, whatever made it late
        """
        self._ponder = ponder
        self._last = last
        self._wire = wire
        self._seats = seats
        self._lag = lag
        self._asked_at = 0.0
        self._lag_before = 0.0
        self._cpu = CpuAccount(wire)
        self._held = HeldBack(wire, seats)
        self._answer_seconds: dict[int, float] = {}

    def drain(self) -> dict[int, tuple[Verdict, str]]:
        """Read and judge everything that bots sent before any seat is asked: it is no
        answer. Return the faults found, by seat.
        """
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

    async def gather(
        self, requests: Mapping[int, bytes], allowances: Mapping[int, float]
    ) -> StepResult:
        """Send each seat its frame, then wait for all of them, ``allowances[seat]``
        seconds at most.

        Raises HostFault when a seat's overrun is explained by the host.
        """
        send = self._wire.send
        shortest = min(allowances.values(), default=SHORT)
        self._cpu.begin(shortest, is_short=shortest <= SHORT)
        for number, frame in requests.items():
            if not self._ponder or self._held.ever_paused:
                self._wire.wake(number)
            send(number, frame)
        self._held.begin(requests.keys())
        self._asked_at = asked_at = trio.current_time()
        self._lag_before = self._lag.total(asked_at)
        self._cpu.next_look = asked_at + SLOW
        self._answer_seconds.clear()
        # Seats that have sent stray acts before come first, see _open_in_turn.
        seats = sorted([self._seats[number] for number in requests], key=never_strayed)
        waits: Sequence[Wait] = [Wait(seat, asked_at + allowances[seat.number]) for seat in seats]
        out = StepResult()
        while waits:
            await self._collect(waits)
            waits = self._open_in_turn(waits, out)
        out.faults |= self._held.blames
        self._rest(seats)
        for number, fault in out.faults.items():
            out.faults[number] = await self._explain_fault(number, *fault)
        return out

    async def _explain_fault(
        self, number: int, verdict: Verdict, detail: str
    ) -> tuple[Verdict, str]:
        """Return the fault with how a bot that ended came to its end, or RESOURCE with
        the limit that it exceeded.
        """
        if verdict is Verdict.CRASHED and not detail:
            detail = await self._wire.describe_end(number)
        if verdict in (Verdict.CRASHED, Verdict.TIMEOUT) and (
            limit := self._wire.exceeded_limit(number)
        ):
            return Verdict.RESOURCE, limit
        return verdict, detail

    def _rest(self, seats: Sequence[Seat]) -> None:
        """Pause these seats, whose turn is over."""
        if not self._ponder:
            for seat in seats:
                self._wire.rest(seat.number)

    async def _collect(self, waits: Sequence[Wait]) -> None:
        """Read until no seat is waited for."""
        lag, cpu = 0.0, self._cpu
        cpu.look_again([wait.seat.number for wait in waits if wait.waiting])
        while waiting := [
            wait for wait in waits if wait.waiting and wait.seat.number not in self._held.blames
        ]:
            wake = min([cpu.next_look, *[wait.due(lag) for wait in waiting]])
            for arrival in await self._wire.receive(wake):
                self._take(arrival)
            if not self._ponder:
                self._rest([wait.seat for wait in waiting if not wait.waiting])
            now = trio.current_time()
            if now < self._asked_at + SLOW:
                continue
            lag = self._lag.total(now) - self._lag_before
            numbers = [wait.seat.number for wait in waiting]
            if now >= cpu.next_look or any(now >= wait.due(lag) for wait in waiting):
                cpu.look(numbers, [number for number in numbers if self._seats[number].name])
            if now >= cpu.next_look:
                cpu.plan_next(numbers)
            if lag >= STARVED * (now - self._asked_at) and (
                now >= wake or any(map(has_answered, waiting))
            ):
                self._explain_lag(waiting, now)
            for wait in waiting:
                if self._is_awaited(wait) and now >= wait.due(lag):
                    self._out_of_time(wait, now)

    def _is_awaited(self, wait: Wait) -> bool:
        return wait.waiting and wait.seat.number not in self._held.blames

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
            # Bytes behind an answer are not charged to it, and the lag of a longer wait
            # for others does not come off it.
            self._answer_seconds[arrival.seat] = self._seconds_until(arrival.at)

    def _out_of_time(self, wait: Wait, now: float) -> None:
        """Give the seat time back if it had no core; otherwise close its wait, so that
        only frames sealed by now count.
        """
        before = self._cpu.before
        if before is not None and before.at - self._asked_at > STARVED * (
            wait.deadline - self._asked_at
        ):
            # The arbiter had no core for a first look in time. What the seat lacked
            # until then counts only if others at the table are known to have taken too
            # much.
            before = self._cpu.since if self._held else before
        if wait.extensions < EXTENDED_MOST and not wait.seat.session.sealed and before is not None:
            after = self._cpu.sample()
            delay = (
                0.0
                if wait.seat.number in self._cpu.changed_seats
                else cpu_shortfall(before, after, wait.seat.number)
            )
            if delay > wait.delay + NEGLIGIBLE:
                # The seat that took this time before may take it again: then that is
                # given back, too.
                wait.last = now + delay - wait.delay
                wait.delay = delay
                wait.extensions += 1
                wait.starved = wait.delay >= STARVED * (after.at - before.at)
                if wait.starved:
                    # at once: the time given back must not be taken, too
                    self._held.hold_back_for(wait.seat.number, delay, before, after)
                return
        wait.frames_in_time = wait.seat.session.sealed
        wait.elapsed = self._seconds_until(now)

    def _explain_lag(self, waits: Sequence[Wait], now: float) -> None:
        """Hold back those who kept the arbiter from a core, so that a seat is late but
        for the lag, or has longer to think.

        waits: the seats that were waited for until now; some may have answered just
            now, or ended
        """
        answered_seats = {wait.seat.number for wait in waits if has_answered(wait)}
        awaited_seats = {wait.seat.number for wait in waits if self._is_awaited(wait)}
        late_seats = {wait.seat.number for wait in waits if now >= wait.deadline}
        since = self._cpu.since
        if since is None or not (answered_seats or late_seats):
            return
        after = self._cpu.sample()
        window, own_delay = after.at - since.at, after.own_delay - since.own_delay
        if own_delay < LAGGED * window:  # such as an arbiter that was stopped
            return
        for seat in late_seats - self._cpu.changed_seats:
            delay = cpu_shortfall(since, after, seat)
            if delay >= STARVED * window:
                self._held.hold_back_for(seat, delay, since, after)
        in_time_seats = awaited_seats - late_seats
        cpu_seconds = over_half_of_cores(since, after, self._held.playing())
        cpu_seconds = {
            seat: seconds for seat, seconds in cpu_seconds.items() if seat not in in_time_seats
        }
        self._held.hold_back(
            cpu_seconds, f"while the arbiter had no core for {own_delay:.1f} s", late_seats
        )
        for seat in cpu_seconds.keys() & answered_seats:
            self._answer_seconds[seat] = now - self._asked_at

    def _open_in_turn(self, waits: Sequence[Wait], out: StepResult) -> Sequence[Wait]:
        """Open the frames of the asked seats, one seat after the other. Return the
        seats to wait for again, or () if there are none.

        A seat that sent only late or second acts for earlier requests, and has time
        left, is waited for again. So are the seats after it, still sealed.
        """
        for i, wait in enumerate(waits):
            if not self._open(wait, out):
                return waits[i:]
        return ()

    def _open(self, wait: Wait, out: StepResult) -> bool:
        """Open the frames of an asked seat. Return False when its answer may still
        come.
        """
        seat = wait.seat
        if seat.number in self._held.blames:
            return True
        partial = seat.session.partial
        outcome = seat.session.open(wait.frames_in_time)
        if isinstance(outcome, Breach):
            self._wire.stop(seat.number)
            out.faults[seat.number] = (outcome.verdict, outcome.detail)
        elif (
            outcome is not None and wait.last is not None and seat.number in self._cpu.changed_seats
        ):
            seat.took(self._answer_seconds.get(seat.number, 0.0))
            out.faults[seat.number] = (Verdict.TIMEOUT, OWN_DOING)
        elif outcome is not None:
            if wait.last is not None:
                self._explain(wait)
            seat.took(max(0.0, self._answer_seconds.get(seat.number, 0.0) - wait.delay))
            out.answers[seat.number] = outcome
        elif wait.frames_in_time is not None:
            out.faults[seat.number] = self._late(wait, partial)
        elif seat.output_ended:
            # how it ended is asked when nobody is kept waiting
            out.faults[seat.number] = (Verdict.CRASHED, "")
        else:
            self._answer_seconds.pop(seat.number, None)
            self._wire.wake(seat.number)
            return False
        return True

    def _explain(self, wait: Wait) -> None:
        """Raise HostFault if the host made the answer late: it came in the time given
        back, and nobody at the table is the cause.
        """
        if wait.starved and not self._last and not self._held:
            late = wait.delay * 1000
            seat = wait.seat.number
            raise HostFault(
                f"seat {seat} was late, but had no core for {late:.0f} ms of its time", (seat,)
            )

    def _late(self, wait: Wait, partial: int) -> tuple[Verdict, str]:
        seat = wait.seat
        if seat.session.phase is Phase.ASKED:
            seat.session.late()
        seat.took(wait.elapsed)
        if end := self._wire.describe_exit(seat.number):
            return Verdict.CRASHED, f"{end}, and left a process behind that keeps its output open"
        frames = f"{partial} bytes of a frame came, then no more" if partial else "no answer came"
        doing = self._wire.doing(seat.number)
        return Verdict.TIMEOUT, f"{frames}; {doing}" if doing else frames

    def _seconds_until(self, at: float) -> float:
        """Return the seconds from the request to ``at``, without the arbiter's own lag.

        In less than SLOW there is no lag to speak of. But the meter, which gets no turn
        while answers come faster than this process can wait for them, would say
        otherwise.
        """
        seconds = at - self._asked_at
        return max(
            0.0, seconds if seconds < SLOW else seconds - (self._lag.total(at) - self._lag_before)
        )
