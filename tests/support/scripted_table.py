"""A table of modules without a runner: modules are functions from a message to how
their run ends and what it takes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgpack
import trio
import trio.testing
from jobs import job
from msgspec.structs import replace
from scripted import frame

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.match import Job, LiveMatch, Outcome
from khiva_arena.arbiter.tick_batches import Reply, RunEnd, TickAsk
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import PRICE_LIST, Measured

# A module gets each message with the ticks that it may take, None in place of the
# message if it goes on with an earlier one.
Module = Callable[[dict[str, Any] | None, int], Reply]
HELLO_TICKS, ACT_TICKS = 1_000, 50_000


class ScriptedTable:
    """A ``ModuleTable`` of scripted modules.

    sent: messages to each seat.
    frames: the same, as bytes.
    batches: seats and ticks of each batch.
    """

    def __init__(self, modules: Sequence[Module]) -> None:
        self._modules = list(modules)
        self.remarks: list[tuple[int, str]] = []
        self.sent: list[tuple[int, dict[str, Any]]] = []
        self.frames: list[tuple[int, bytes]] = []
        self.batches: list[dict[int, int]] = []
        self.stopped: set[int] = set()

    def announce(self, seat: int, step: int, kind: str) -> None:
        pass

    def remark(self, seat: int, line: str) -> None:
        self.remarks.append((seat, line))

    def send(self, seat: int, data: bytes) -> None:
        self.frames.append((seat, data))
        self.sent.append((seat, msgpack.unpackb(data[4:])))

    async def ask(self, asks: Mapping[int, TickAsk]) -> Mapping[int, Reply]:
        assert not self.stopped & asks.keys()
        self.batches.append({seat: ask.ticks for seat, ask in asks.items()})
        for seat, ask in asks.items():
            if ask.frame:
                self.send(seat, ask.frame)
        read = {
            seat: msgpack.unpackb(ask.frame[4:]) if ask.frame else None
            for seat, ask in asks.items()
        }
        return {seat: self._modules[seat](read[seat], ask.ticks) for seat, ask in asks.items()}

    def round_trip(self, seat: int) -> float | None:
        return None

    def stop(self, seat: int) -> None:
        self.stopped.add(seat)

    async def close(self, grace: float) -> list[Ending]:
        return [
            Ending(0, seat in self.stopped, Measured(0.0, page_faults=0), "", 0)
            for seat in range(len(self._modules))
        ]


def answer(message: dict[str, Any], spent: int = ACT_TICKS, choice: int = 0) -> Reply:
    """The answer to a decide."""
    return Reply(
        RunEnd.ANSWERED, spent, frame({"type": "act", "req": message["req"], "choice": choice})
    )


def honest(message: dict[str, Any] | None, ticks: int) -> Reply:
    """Answers everything with the last legal choice."""
    assert message
    if message["type"] == "hello":
        return Reply(
            RunEnd.ANSWERED, HELLO_TICKS, frame({"type": "hello", "proto": 1, "name": "scripted"})
        )
    return answer(message, choice=len(message["legal"]) - 1)


def on_decide(number: int, act: Module) -> Module:
    """An honest module but for its decision ``number``, from 1, and any run that goes
    on with it.
    """
    asked = [0]

    def module(message: dict[str, Any] | None, ticks: int) -> Reply:
        asked[0] += message is not None and message["type"] == "decide"
        return (
            act(message, ticks) if message is None or asked[0] == number else honest(message, ticks)
        )

    return module


def job_in_ticks(seats: int, policy: str = "lenient", **time: int) -> Job:
    """A job whose record is of format 2."""
    by_the_wall = job([Command((), "")] * seats, policy=policy, **time)
    header = replace(
        by_the_wall.header, format=2, clock="ticks", meter=PRICE_LIST, isolation="module"
    )
    return replace(by_the_wall, header=header)


def play(job: Job, modules: Sequence[Module]) -> tuple[Outcome, ScriptedTable]:
    """Play a job with scripted modules."""

    async def run() -> tuple[Outcome, ScriptedTable]:
        table = ScriptedTable(modules)
        return await LiveMatch(job, table, LagMeter()).play(), table

    return trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
