"""A wire without processes: bots are functions from a message to what they write and
when; time is virtual.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgpack
import trio
import trio.testing

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.live import live_match
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.wire import Arrival, Ending, Use
from khiva_arena.bots.sandbox.proc_usage import ThreadTime
from khiva_arena.common.result import Measured

# A bot gets each message and says what it writes: pairs of seconds from now and raw
# bytes, b"" for the end of its output.
Bot = Callable[[dict[str, Any]], list[tuple[float, bytes]]]


def frame(message: object) -> bytes:
    """A message as a bot's kit frames it: with the msgpack library, not the arbiter's
    codec.
    """
    payload = msgpack.packb(message)
    return len(payload).to_bytes(4, "big") + payload


def hello(delay: float = 0.0, **fields: Any) -> list[tuple[float, bytes]]:
    """A bot's hello."""
    return [(delay, frame({"type": "hello", "proto": 1, "name": "scripted"} | fields))]


def act(
    message: dict[str, Any], delay: float = 0.001, choice: int = 0, **fields: Any
) -> list[tuple[float, bytes]]:
    """The answer to a decide."""
    return [(delay, frame({"type": "act", "req": message["req"], "choice": choice} | fields))]


def honest(message: dict[str, Any]) -> list[tuple[float, bytes]]:
    """Answers everything with the last legal choice after a millisecond."""
    if message["type"] == "hello":
        return hello()
    return act(message, choice=len(message["legal"]) - 1) if message["type"] == "decide" else []


def first(how: Bot, kind: str = "play_pass") -> Bot:
    """Honest except for the first decision of this kind."""
    done: list[bool] = []

    def bot(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message.get("kind") == kind and not done:
            done.append(True)
            return how(message)
        return honest(message)

    return bot


def at_turns(delays: dict[int, float]) -> Bot:
    """Honest except for the turns named, which take as long as it says there."""

    def bot(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        turn = message["view"]["turn"] if message.get("kind") == "play_pass" else 0
        return act(message, delay=delays[turn]) if turn in delays else honest(message)

    return bot


class ScriptedWire:
    """A ``Wire`` of scripted bots. ``log`` holds a line for each message and each
    chunk, in order, with the virtual time.
    """

    def __init__(self, bots: Sequence[Bot]) -> None:
        self._bots = list(bots)
        self.trips: dict[int, float] = {}
        self._coming: list[Arrival] = []
        self._began = trio.current_time()
        self.stopped: set[int] = set()
        self.resting: set[int] = set()
        self.sent: list[tuple[int, dict[str, Any]]] = []
        self.frames: list[tuple[int, bytes]] = []
        self.log: list[str] = []
        # What each look at the table finds once something was sent, the last one again
        # and again; by seat. ``owns`` is the CPU of the thread that waited; without it
        # a bot has but one.
        self.delays: list[list[float]] = [[0.0] * len(self._bots)]
        self.cpus: list[list[float]] = [[0.0] * len(self._bots)]
        self.owns: list[list[float]] = []
        self.processes: list[list[set[int]]] = [[{seat} for seat in range(len(self._bots))]]
        self.excesses: dict[int, str] = {}

    def _note(self, seat: int, sign: str, what: str) -> None:
        self.log.append(f"{trio.current_time() - self._began:8.3f} {sign} {seat} {what}")

    def announce(self, seat: int, step: int, kind: str) -> None:
        pass

    def send(self, seat: int, data: bytes) -> None:
        if seat in self.stopped:
            return
        message = msgpack.unpackb(data[4:])
        assert len(data) == 4 + int.from_bytes(data[:4], "big")
        self.sent.append((seat, message))
        self.frames.append((seat, data))
        detail = {"decide": "kind", "fault": "code", "end": "reason"}.get(message["type"])
        self._note(seat, ">", message["type"] + (f" {message[detail]}" if detail else ""))
        now = trio.current_time()
        self._coming += [
            Arrival(seat, now + delay, chunk) for delay, chunk in self._bots[seat](message)
        ]
        self._coming.sort(key=lambda arrival: arrival.at)

    def end_input(self, seat: int) -> bool:
        return True

    async def receive(self, deadline: float) -> Sequence[Arrival]:
        next_at = next(
            (arrival.at for arrival in self._coming if arrival.seat not in self.resting), math.inf
        )
        await trio.sleep_until(max(trio.current_time(), min(next_at, deadline)))
        return self.look()

    def round_trip(self, seat: int) -> float | None:
        return self.trips.get(seat)

    def look(self) -> Sequence[Arrival]:
        now = trio.current_time()
        held = self.stopped | self.resting
        out = [
            arrival._replace(at=now)
            for arrival in self._coming
            if arrival.at <= now and arrival.seat not in held
        ]
        self._coming = [
            arrival for arrival in self._coming if arrival.at > now or arrival.seat in self.resting
        ]
        for arrival in out:
            self._note(
                arrival.seat, "<", f"{len(arrival.data)} bytes" if arrival.data else "end of output"
            )
        return out

    def stop(self, seat: int) -> None:
        if seat not in self.stopped:
            self._note(seat, "x", "stopped")
        self.stopped.add(seat)

    def uses(self) -> list[Use]:
        if not self.sent:
            return [Use({}, 0.0, frozenset())] * len(self._bots)
        own = _next(self.owns) if self.owns else self.cpus[0]
        threads = [
            {seat: ThreadTime(*of_it)}
            for seat, of_it in enumerate(zip(_next(self.delays), own, strict=True))
        ]
        return list(map(Use, threads, _next(self.cpus), map(frozenset, self.processes[0])))

    def trees(self, seats: Sequence[int]) -> dict[int, frozenset[int]]:
        if len(self.processes) > 1:
            self.processes.pop(0)
        return {seat: frozenset(self.processes[0][seat]) for seat in seats}

    def rest(self, seat: int) -> None:
        self._note(seat, "z", "rests")
        self.resting.add(seat)

    def wake(self, seat: int) -> None:
        if seat in self.resting:
            self._note(seat, "w", "wakes")
            self.resting.discard(seat)

    def doing(self, seat: int) -> str:
        return ""

    def exceeded_limit(self, seat: int) -> str:
        return self.excesses.get(seat, "")

    def describe_exit(self, seat: int) -> str:
        return ""

    async def describe_end(self, seat: int) -> str:
        return "exited with code 3"

    async def close(self, grace: float) -> list[Ending]:
        return [
            Ending(0, seat in self.stopped, Measured(0.0, page_faults=0), "", 0)
            for seat in range(len(self._bots))
        ]


def _next(looks: list[list[float]]) -> list[float]:
    return looks.pop(0) if len(looks) > 1 else looks[0]


def play(
    job: Job,
    bots: Sequence[Bot],
    lag: LagMeter | None = None,
    delays: Sequence[list[float]] = (),
    cpus: Sequence[list[float]] = (),
    owns: Sequence[list[float]] = (),
    trips: dict[int, float] | None = None,
) -> tuple[Outcome, ScriptedWire]:
    """Play a job with scripted bots in virtual time; ``delays``, ``cpus`` and ``owns``
    are what looks at the table find, ``trips`` the round trips to players who are
    elsewhere.
    """

    async def run() -> tuple[Outcome, ScriptedWire]:
        wire = ScriptedWire(bots)
        wire.delays = list(delays) or wire.delays
        wire.cpus = list(cpus) or wire.cpus
        wire.owns = list(owns)
        wire.trips = trips or {}
        return await live_match(job, wire, lag or LagMeter()).play(), wire

    return trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
