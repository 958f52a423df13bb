"""What a match needs of its bots' pipes, so that a test can script them: bytes out, arrivals in, one wait for all seats."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from khiva_arena.result import Measured
from khiva_arena.sandbox.proc_usage import ThreadTime


class HostFault(Exception):
    """The host, not a bot, failed or was late: the match is void. The text says what was measured or refused.

    late: seats that were late by it, and so caused the void
    """

    def __init__(self, why: str, late: tuple[int, ...] = ()) -> None:
        super().__init__(why)
        self.late = late


class Arrival(NamedTuple):
    """Bytes that came from a bot.

    seat: whose
    at: when the arbiter noticed, in seconds of the monotonic clock
    data: b"" if nothing more can come: it closed its output or its input, or is dead
    """

    seat: int
    at: float
    data: bytes


class Use(NamedTuple):
    """What a seat's processes have had of the processor so far.

    threads: by its number, how long each thread waited for a core and how long it had one; empty if that is not known
    cpu: seconds that its processes used, those that ended and were waited for included
    processes: the numbers of those that live; none of a seat that only stands for a player who is elsewhere
    """

    threads: dict[int, ThreadTime]
    cpu: float
    processes: frozenset[int]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a bot's process ended.

    status: its exit status, negative for a signal, None if it never started
    killed: the arbiter ended it
    measured: CPU time and page faults, those of children that were waited for included
    notes: the beginning and the end of what it wrote on stderr, with marks, see stderr.py
    notes_total: bytes that it wrote there in all
    peak: bytes of memory that the largest of its processes had at most, 0 if that is not known
    unending: in words, that processes which it left behind do not end; "" if they do
    """

    status: int | None
    killed: bool
    measured: Measured
    notes: str
    notes_total: int
    peak: int = 0
    unending: str = ""

    @property
    def cpu(self) -> float:
        """Seconds of CPU time."""
        return self.measured.cpu_s or 0.0


class Wire(Protocol):
    """All bots of one match."""

    def asked(self, seat: int, step: int, kind: str) -> None:
        """The next thing that is sent asks this: for the marks in what the bot writes on stderr."""

    def send(self, seat: int, data: bytes) -> None:
        """Write without ever blocking; what the pipe does not take is kept and written later."""

    def look(self) -> Sequence[Arrival]:
        """What has come, without waiting."""

    def round_trip(self, seat: int) -> float | None:
        """Seconds that the way to the seat's player and back takes now; None if it sits here, or that is not measured."""

    def end_input(self, seat: int) -> bool:
        """End the bot's input unless something is still to be written there. Returns whether it has ended."""

    async def receive(self, deadline: float) -> Sequence[Arrival]:
        """What has come; waits for something until ``deadline`` and then returns nothing, after one last look."""

    def stop(self, seat: int) -> None:
        """Kill the seat's bot and all of its processes; nothing more arrives from it."""

    def uses(self) -> list[Use]:
        """What each seat has had of the processor so far."""

    def trees(self, seats: Sequence[int]) -> dict[int, frozenset[int]]:
        """The living processes of each of these seats' bots."""

    def rest(self, seat: int) -> None:
        """Stop all of a bot's processes, until ``wake`` or its end."""

    def wake(self, seat: int) -> None:
        """Let a bot that rests continue."""

    def exceeded(self, seat: int) -> str:
        """Which limit the bot exceeded, in words; "" if none is known."""

    def doing(self, seat: int) -> str:
        """What a bot that does not answer is doing, in words; "" if that is not known."""

    def exited(self, seat: int) -> str:
        """How the bot's own process ended, in words; "" while it runs. A child of it may still hold its output open."""

    async def gone(self, seat: int) -> str:
        """How a bot whose output ended came to its end, in words: its exit code or signal, or that it is still there."""

    async def close(self, grace: float) -> list[Ending]:
        """End of input to all, ``grace`` seconds to exit, then kill and reap every process. Idempotent."""


class PassingWire:
    """A wire around another one, which does what the wires that are made of this do not do themselves."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.asked = wire.asked
        self.end_input = wire.end_input
        self.round_trip = wire.round_trip
        self.uses = wire.uses
        self.trees = wire.trees
        self.rest = wire.rest
        self.wake = wire.wake
        self.exceeded = wire.exceeded
        self.doing = wire.doing
        self.exited = wire.exited
        self.gone = wire.gone
