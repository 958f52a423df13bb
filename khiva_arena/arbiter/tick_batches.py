"""Ask seats whose modules pay in ticks: one batch for all seats of a step, and the
runner's count of what each took.

Theory of operation
===================

A module runs only while it is asked, and stands still from the last byte of its answer
on. So there is no clock here, no lag, and nothing to read between two steps. All seats
of a step are asked at once, and nothing is opened before each has its reply: no seat
can notice another one's answer or fault.

A seat has its turn and the rest of its bank, in ticks. The runner ends its run exactly
there. A frame that answers an earlier request is dropped, as a process's is, and the
module goes on with the ticks that it has left. An answer that takes no ticks lay there
before its request came, so it is one that nobody asked for.

The backstop is the one thing that another machine may do otherwise: a seat has used far
more of the processor than its ticks cost. The match is void, and the seat is its cause.
The bot that does so again in the event is out by the verdict RESOURCE, which in a
record of format 2 means that alone; no ticks are recorded for it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from khiva_arena.arbiter.seat import Seat, StepResult
from khiva_arena.arbiter.wire import Ending, HostFault
from khiva_arena.bots.protocol.session import Answer, Breach, Phase
from khiva_arena.common.result import Verdict

BACKSTOP = "its ticks took too much of the processor"
UNASKED = "an act for a request which was not asked when it was written"


class RunEnd(StrEnum):
    """The end of a module's run, as the runner tells it."""

    ANSWERED = "answered"
    TIMEOUT = "timeout"
    EXITED = "exited"
    TRAPPED = "trapped"
    STACK = "stack"
    BACKSTOP = "backstop"
    REFUSED = "refused"


CRASHES = (RunEnd.EXITED, RunEnd.TRAPPED, RunEnd.STACK)

FUNCTIONS_SHOWN = 5


def by_function(functions: Sequence[tuple[int, str]]) -> list[str]:
    """Return rows that say where a module's ticks went, the most first. ``functions``:
    ticks and name of each.
    """
    by_name = Counter[str]()
    for ticks, name in functions:
        by_name[name] += ticks
    shown = by_name.most_common(FUNCTIONS_SHOWN)
    others = by_name.total() - sum(ticks for _, ticks in shown)
    rows = [*shown, *([("others", others)] if others else [])]
    return [f"  {100 * ticks / by_name.total():4.1f} % {name}" for name, ticks in rows]


class TickAsk(NamedTuple):
    """A run of a module.

    frame: what it can read then; b"" if it goes on.
    ticks: that it may take at most.
    """

    frame: bytes
    ticks: int


class Reply(NamedTuple):
    """The runner's word on a run.

    kind: how the run ended.
    spent: ticks that it took.
    frame: what the module wrote, if it answered.
    detail: for the bot's author, how it ended if it did not answer.
    """

    kind: RunEnd
    spent: int
    frame: bytes = b""
    detail: str = ""


class ModuleTable(Protocol):
    """The modules of one match, in one runner or several."""

    def announce(self, seat: int, step: int, kind: str) -> None:
        """Announce the question that is sent next: for the marks in a bot's notes of
        stderr.
        """

    def remark(self, seat: int, line: str) -> None:
        """Add a line of the arbiter's to a bot's notes."""

    def send(self, seat: int, data: bytes) -> None:
        """Give a module a frame that it may read when it runs again."""

    async def ask(self, asks: Mapping[int, TickAsk]) -> Mapping[int, Reply]:
        """Let the modules of these seats run, and return a reply for each. Raises
        HostFault if a runner fails.
        """

    def round_trip(self, seat: int) -> float | None:
        """Return None: every module runs on this machine."""

    def stop(self, seat: int) -> None:
        """Drop the seat's module: it never runs again."""

    async def close(self, grace: float) -> list[Ending]:
        """End the input of all modules, let them run a turn more if there is ``grace``,
        then end and reap the runners.
        """


class TickGatherer:
    """A collector of answers for one match in ticks."""

    def __init__(
        self,
        table: ModuleTable,
        seats: Sequence[Seat],
        warned: Collection[int],
        forced: Collection[tuple[int, int]] = (),
        granted: Mapping[tuple[int, int], int] | None = None,
    ) -> None:
        """Begin with no request open.

        warned: seats whose bots have met the backstop in this event before.
        forced: seats that meet it without being run, each with the number of the step.
        granted: the most ticks by seat and number of the step, 0 where there are none;
            None: what each seat has.
        """
        self._table = table
        self._seats = seats
        self._warned = {*warned, *(seat for seat, _ in forced)}
        self._forced = frozenset(forced)
        self._granted = granted

    def drain(self) -> dict[int, tuple[Verdict, str]]:
        """Return no faults: a module that is not asked does nothing."""
        return {}

    async def gather(
        self, requests: Mapping[int, bytes], allowances: Mapping[int, float]
    ) -> StepResult:
        """Send each seat its frame and let it run, ``allowances[seat]`` ticks at most.

        Raises HostFault when a seat meets the backstop for the first time, or a runner
        fails.
        """
        out = StepResult()
        limits = {number: self._limit(number, int(allowances[number])) for number in requests}
        spent = dict.fromkeys(requests, 0)
        frames = requests
        while frames:
            asks = {
                number: TickAsk(frame, limits[number] - spent[number])
                for number, frame in frames.items()
            }
            forced = [
                number for number in asks if (number, self._seats[number].asked_at) in self._forced
            ]
            to_run = {number: ask for number, ask in asks.items() if number not in forced}
            replies = dict(await self._table.ask(to_run) if to_run else {})
            replies.update((number, Reply(RunEnd.BACKSTOP, 0)) for number in forced)
            self._check_backstop(replies)
            for number in asks:
                late = replies[number].kind is RunEnd.TIMEOUT
                spent[number] = limits[number] if late else spent[number] + replies[number].spent
            frames = {
                number: b""
                for number in asks
                if not self._open(number, replies[number], limits[number], out)
            }
        for number, ticks in spent.items():
            self._account(number, ticks, out)
        return out

    def _limit(self, number: int, allowance: int) -> int:
        if self._granted is None:
            return allowance
        return min(allowance, self._granted.get((number, self._seats[number].asked_at), 0))

    def _check_backstop(self, replies: Mapping[int, Reply]) -> None:
        met = [number for number, reply in replies.items() if reply.kind is RunEnd.BACKSTOP]
        if first := tuple(number for number in met if number not in self._warned):
            raise HostFault(f"seat {first[0]}: {BACKSTOP}", first)

    def _open(self, number: int, reply: Reply, limit: int, out: StepResult) -> bool:
        """Open a reply. Return False if the module answered an earlier request, and
        goes on.
        """
        seat = self._seats[number]
        if reply.kind is RunEnd.ANSWERED:
            seat.session.receive(reply.frame)
            if not seat.session.sealed:
                raise HostFault(f"the runner gave no whole frame for seat {number}")
            outcome = seat.session.open()
            if outcome is None:
                return False
            if isinstance(outcome, Breach):
                out.faults[number] = (outcome.verdict, outcome.detail)
            elif isinstance(outcome, Answer) and not reply.spent:  # every write takes some
                out.faults[number] = (Verdict.PROTOCOL, UNASKED)
            else:
                out.answers[number] = outcome
                return True
        elif reply.kind is RunEnd.TIMEOUT:
            bank = ", bank empty" if seat.session.phase is Phase.ASKED else ""
            out.faults[number] = (Verdict.TIMEOUT, f"used {limit:,} of {limit:,} ticks{bank}")
            if seat.session.phase is Phase.ASKED:
                seat.session.late()
            return True
        elif reply.kind is RunEnd.BACKSTOP:
            out.faults[number] = (Verdict.RESOURCE, BACKSTOP)
        elif reply.kind in CRASHES:
            out.faults[number] = (Verdict.CRASHED, reply.detail)
        else:
            out.faults[number] = (Verdict.START_FAILED, reply.detail)
        self._table.stop(number)
        return True

    def _account(self, number: int, ticks: int, out: StepResult) -> None:
        """Note what a question took, in the ticks of the record and in the times beside
        it.
        """
        seat = self._seats[number]
        verdict = out.faults[number][0] if number in out.faults else Verdict.OK
        seat.ticks[seat.asked_at] = 0 if verdict is Verdict.RESOURCE else ticks
        if verdict in (Verdict.OK, Verdict.TIMEOUT):
            seat.took(ticks)
