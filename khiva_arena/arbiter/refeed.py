"""A replay of one seat: send one live bot the recorded requests, and see what it
answers now.

The consequences of an answer are not played: the next request is the recorded one,
whichever choice the bot made.
"""

import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import trio
from msgspec.structs import replace

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.gather import Gatherer
from khiva_arena.arbiter.match import EXIT_GRACE, Job
from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.seat import Blame, Seat, full_bank, start_allowance
from khiva_arena.arbiter.trace import Trace
from khiva_arena.arbiter.wire import Ending, HostFault, Wire
from khiva_arena.bots.protocol.messages import Decide, End, Fault, Hello
from khiva_arena.bots.protocol.session import Answer, Greeting
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import Policy, Verdict
from khiva_arena.errors import StagingError
from khiva_arena.records.replay.record import Header
from khiva_arena.records.replay.requests import Request

if TYPE_CHECKING:  # most matches are by the wall clock
    from khiva_arena.arbiter.tick_batches import ModuleTable, TickGatherer

STARTED_SECONDS, MOMENT = 5.0, 0.005


class Reply(msgspec.Struct, frozen=True):
    """The answer that a bot now gives to one decision.

    request: the recorded request
    choice: an index into ``legal``, None at a fault
    blame: the fault, None if there is none
    ticks: that it took, in a match in ticks
    """

    request: Request
    choice: int | None
    blame: Blame | None = None
    ticks: int | None = None


class RefeedResult(msgspec.Struct, frozen=True):
    """The outcome of feeding a bot.

    name: as the bot greeted, "" if it did not
    replies: one for each decision that it was sent
    out: the fault that ended it, None if it lasted to the end of the requests
    ending: how its process ended
    """

    name: str
    replies: tuple[Reply, ...]
    out: Blame | None
    ending: Ending


class FedBot(NamedTuple):
    """A bot that is sent a match again, and what it is under.

    command: how it is started.
    sandbox: how it is kept.
    header: of the match.
    seat: the seat whose messages it is sent.
    """

    command: Command
    sandbox: Sandbox
    header: Header
    seat: int


def feed(
    requests: Sequence[Request],
    bot: FedBot,
    *,
    trace: Trace | None = None,
    attach: Callable[[int], bool] | None = None,
) -> RefeedResult:
    """Feed one bot under the limits and the policy of the match.

    attach: called with the process before anything is sent; True means to wait for a
        line on stdin. With it there is no clock.

    Raises StagingError if the host cannot start the bot; KeyboardInterrupt when every
    process is reaped.
    """
    return trio.run(
        _feed, requests, bot, trace, attach, restrict_keyboard_interrupt_to_checkpoints=True
    )


async def _feed(
    requests: Sequence[Request],
    bot: FedBot,
    trace: Trace | None,
    attach: Callable[[int], bool] | None,
) -> RefeedResult:
    if bot.header.in_ticks:
        async with ForkServers() as servers:
            return await _feed_module(requests, bot, trace, servers)
    try:
        wire = Processes(
            [bot.command], bot.sandbox, alone=True, on_stderr=trace.on_stderr if trace else None
        )
    except HostFault as fault:
        raise StagingError(f"the bot cannot be started on this machine now: {fault}") from None
    shown = trace.around(wire) if trace else wire
    seat = Seat.fresh(0, bot.header)
    # The last attempt at a match: a bot that had no core for a while is not started
    # again.
    gatherer = Gatherer(shown, [seat], LagMeter(), ponder=bot.sandbox.ponder, last=True)
    return await _feed_all(
        requests, _Feeder(shown, seat, gatherer, bot.header, clock=attach is None), wire, attach
    )


async def _feed_module(
    requests: Sequence[Request], bot: FedBot, trace: Trace | None, servers: ForkServers
) -> RefeedResult:
    from khiva_arena.arbiter.live import table_of  # not above: most matches are by the wall clock
    from khiva_arena.arbiter.tick_batches import TickGatherer

    alone = replace(bot.header, seats=(bot.header.seats[bot.seat],))
    try:
        table = await table_of(
            Job(0, 1, alone, b"", (bot.command,), bot.sandbox), servers, alone=True, trace=trace
        )
    except HostFault as fault:
        raise StagingError(f"the bot cannot be started on this machine now: {fault}") from None
    seat = Seat.fresh(0, bot.header)
    return await _feed_all(
        requests, _Feeder(table, seat, TickGatherer(table, [seat], ()), bot.header)
    )


async def _feed_all(
    requests: Sequence[Request],
    feeder: "_Feeder",
    wire: Processes | None = None,
    attach: Callable[[int], bool] | None = None,
) -> RefeedResult:
    done = False
    try:
        pid = await _program(wire) if wire and attach is not None else None
        if attach is not None and pid is not None and attach(pid):
            await trio.lowlevel.wait_readable(sys.stdin.fileno())
            os.read(sys.stdin.fileno(), 4096)
        await feeder.run(requests)
        done = feeder.out is None
    except HostFault as fault:
        raise StagingError(f"the bot cannot be played on this machine now: {fault}") from None
    finally:
        with trio.CancelScope(shield=True):
            endings = await feeder.wire.close(
                (EXIT_GRACE if attach is None else math.inf) if done else 0.0
            )
    return RefeedResult(feeder.seat.name, tuple(feeder.replies), feeder.out, endings[0])


async def _program(wire: Processes) -> int | None:
    """Wait for the process that runs the bot's own program, and return it. If none does
    in STARTED_SECONDS, return the one started.
    """
    until = trio.current_time() + STARTED_SECONDS
    while not wire.describe_exit(0) and trio.current_time() < until:
        pid = wire.running(0)
        if pid is not None:
            return pid
        await trio.sleep(MOMENT)
    return wire.pid(0)


class _Feeder:
    def __init__(
        self,
        wire: "Wire | ModuleTable",
        seat: Seat,
        gatherer: "Gatherer | TickGatherer",
        header: Header,
        *,
        clock: bool = True,
    ) -> None:
        self.wire = wire
        self.seat = seat
        self.replies: list[Reply] = []
        self.out: Blame | None = None
        self._gatherer = gatherer
        self._header = header
        self._clock = clock

    async def run(self, requests: Sequence[Request]) -> None:
        """Send the requests one after the other until the bot is out."""
        for request in requests:
            message = request.message
            if isinstance(message, Hello):
                await self._greet(message)
            elif isinstance(message, Decide):
                await self._ask(request, message)
            elif isinstance(message, Fault):
                self.wire.send(0, self.seat.session.fault(message))
            elif isinstance(message, End):
                self.wire.announce(0, request.step, "end")
                self.wire.send(0, self.seat.session.end(message))
            if self.out is not None:
                return

    async def _greet(self, message: Hello) -> None:
        outcome = await self._gather(
            self.seat.session.hello(message), start_allowance(self._header)
        )
        if isinstance(outcome, Greeting):
            self.seat.name = outcome.name
            self.seat.bank = full_bank(self._header)  # the start has a clock of its own
        elif outcome is not None and not isinstance(outcome, Answer):
            verdict, detail = outcome
            why = detail if verdict is Verdict.START_FAILED else f"{verdict}: {detail}"
            self.out = Blame(Verdict.START_FAILED, why, 0)

    async def _ask(self, request: Request, message: Decide) -> None:
        fault = self._gatherer.drain().get(0)
        outcome: Greeting | Answer | tuple[Verdict, str] | None = fault
        if fault is None:
            self.seat.asked_at = request.step
            self.wire.announce(0, request.step, message.kind)
            outcome = await self._gather(
                self.seat.session.ask(message, message.req), self.seat.bank.allowance()
            )
        if isinstance(outcome, Answer) and 0 <= outcome.choice < len(message.legal):
            self.replies.append(
                Reply(request, outcome.choice, ticks=self.seat.ticks.get(request.step))
            )
            return
        if isinstance(outcome, Answer):
            outcome = (
                Verdict.ILLEGAL,
                f"choice {outcome.choice} of {len(message.legal)} legal ones",
            )
        assert outcome is not None
        verdict, detail = Verdict(outcome[0]), outcome[1]
        forfeits = self.seat.blame(verdict, detail, request.step, Policy(self._header.policy))
        self.replies.append(
            Reply(request, None, self.seat.faults[-1], self.seat.ticks.get(request.step))
        )
        if forfeits:
            self.out = self.seat.faults[-1]

    async def _gather(
        self, frame: bytes, allowance: float
    ) -> Greeting | Answer | tuple[Verdict, str] | None:
        """Return the greeting or answer, or the fault."""
        result = await self._gatherer.gather(
            {0: frame}, {0: allowance if self._clock else math.inf}
        )
        return result.answers.get(0) or result.faults.get(0)
