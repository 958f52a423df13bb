"""Tables of modules around another one, which hand everything on: to show it, or to
keep what bots write.
"""

from collections.abc import Mapping

import trio

from khiva_arena.arbiter.stderr_tap import BotOutput
from khiva_arena.arbiter.tick_batches import ModuleTable, Reply, RunEnd, TickAsk
from khiva_arena.arbiter.trace import FROM_BOT, Trace
from khiva_arena.arbiter.transcript import Cutter
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.protocol.messages import FRAME_MOST_TO_ARBITER


class KeepingTable:
    """A table that keeps the beginning of what each module writes on
    stdout. ``outputs``: by seat.
    """

    def __init__(self, table: ModuleTable, seats: int) -> None:
        self.outputs = [BotOutput() for _ in range(seats)]
        self._table = table
        self.announce, self.remark, self.send, self.round_trip = (
            table.announce,
            table.remark,
            table.send,
            table.round_trip,
        )
        self.stop, self.close = table.stop, table.close

    async def ask(self, asks: Mapping[int, TickAsk]) -> Mapping[int, Reply]:
        replies = await self._table.ask(asks)
        for seat, reply in replies.items():
            self.outputs[seat].add(reply.frame)
        return replies


class TracingTable:
    """A table that shows or keeps all messages, with the ticks of every answer."""

    def __init__(self, table: ModuleTable, trace: Trace) -> None:
        self._table, self._trace = table, trace
        trace.begin()
        self.announce, self.remark, self.round_trip = table.announce, table.remark, table.round_trip

    def send(self, seat: int, data: bytes) -> None:
        self._trace.sent(seat, data)
        self._table.send(seat, data)

    async def ask(self, asks: Mapping[int, TickAsk]) -> Mapping[int, Reply]:
        for seat, (frame, _) in asks.items():
            if frame:
                self._trace.sent(seat, frame)
        replies = await self._table.ask(asks)
        for seat, reply in replies.items():
            # a run out of time counts in full, whatever the module used of it
            self._show(
                seat, reply, asks[seat].ticks if reply.kind is RunEnd.TIMEOUT else reply.spent
            )
        return replies

    def stop(self, seat: int) -> None:
        self._table.stop(seat)
        self._trace.say(seat, trio.current_time(), "x", "is out: its module never runs again")

    async def close(self, grace: float) -> list[Ending]:
        endings = await self._table.close(grace)
        self._trace.end_stderr()
        return endings

    def _show(self, seat: int, reply: Reply, ticks: int) -> None:
        at, took = trio.current_time(), f" in {ticks:,} ticks"
        self._trace.keep(seat, FROM_BOT, reply.frame)
        cutter = Cutter(FRAME_MOST_TO_ARBITER)
        pieces = [*cutter.feed(reply.frame), *cutter.end()]
        for piece in pieces:
            self._trace.show(seat, at, piece, took)
        if not pieces:
            self._trace.say(
                seat, at, "<", f"{reply.kind}{took}" + (f": {reply.detail}" if reply.detail else "")
            )
