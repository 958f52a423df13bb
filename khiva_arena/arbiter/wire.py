"""The interface of a match to its bots' pipes: bytes out, arrivals in, one wait for all
seats. A test can script it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from khiva_arena.common.result import Measured, Transcript

if TYPE_CHECKING:  # who plays in a page has no processes
    from khiva_arena.bots.sandbox.proc_usage import ThreadTime


class HostFault(Exception):
    """A failure or lateness of the host, not of a bot: the match is void. The text says
    what was measured or refused.

    late: seats that were late by it, and so caused the void
    """

    def __init__(self, why: str, late: tuple[int, ...] = ()) -> None:
        super().__init__(why)
        self.late = late


class Arrival(NamedTuple):
    """Bytes that came from a bot.

    seat: the bot's seat
    at: when the arbiter noticed, in seconds of the monotonic clock
    data: b"" if nothing more can come: the bot closed its output or its input, or is
        dead
    """

    seat: int
    at: float
    data: bytes


class Use(NamedTuple):
    """The processor use of a seat's processes so far.

    threads: by its number, how long each thread waited for a core and how long it had
        one; empty if that is not known
    cpu: seconds that its processes used, those that ended and were waited for included
    processes: the numbers of its living processes; empty for a seat that only stands
        for a player who is elsewhere
    """

    threads: "dict[int, ThreadTime]"
    cpu: float
    processes: frozenset[int]


class Ending(msgspec.Struct, frozen=True):
    """The end of a bot's process.

    status: its exit status, negative for a signal, None if it never started
    killed: the arbiter ended it
    measured: CPU time and page faults, those of children that were waited for included
    notes: the beginning and the end of its stderr, with marks, see stderr.py
    notes_total: bytes of its stderr in all
    peak: bytes of memory that the largest of its processes had at most, 0 if that is
        not known
    unending: in words, that processes which it left behind do not end; "" if they do
    functions: of a module that counts them, ticks and name of each function, the most
        first
    transcript: its whole stderr, None if nobody wants it
    """

    status: int | None
    killed: bool
    measured: Measured
    notes: str
    notes_total: int
    peak: int = 0
    unending: str = ""
    functions: tuple[tuple[int, str], ...] = ()
    transcript: Transcript | None = None

    @property
    def cpu(self) -> float:
        """Seconds of CPU time."""
        return self.measured.cpu_s or 0.0


class Wire(Protocol):
    """The pipes of all bots of one match."""

    def announce(self, seat: int, step: int, kind: str) -> None:
        """Announce the question that is sent next: for the marks in a bot's notes of
        stderr.
        """

    def send(self, seat: int, data: bytes) -> None:
        """Write without ever blocking; bytes that the pipe does not take are kept and
        written later.
        """

    def look(self) -> Sequence[Arrival]:
        """Return everything that has come, without waiting."""

    def round_trip(self, seat: int) -> float | None:
        """Return the seconds of the way to the seat's player and back; None if the
        player sits here, or that is not measured.
        """

    def end_input(self, seat: int) -> bool:
        """End the bot's input unless something is still to be written there. Return
        True if it has ended.
        """

    async def receive(self, deadline: float) -> Sequence[Arrival]:
        """Wait until something has come and return it; return nothing at ``deadline``,
        after one last look.
        """

    def stop(self, seat: int) -> None:
        """Kill the seat's bot and all of its processes; nothing more arrives from
        it.
        """

    def uses(self) -> list[Use]:
        """Return the processor use of each seat so far."""

    def trees(self, seats: Sequence[int]) -> dict[int, frozenset[int]]:
        """Return by seat the living processes of these seats' bots."""

    def rest(self, seat: int) -> None:
        """Stop all of a bot's processes, until ``wake`` or its end."""

    def wake(self, seat: int) -> None:
        """Let a bot that rests continue."""

    def exceeded_limit(self, seat: int) -> str:
        """Return the limit that the bot exceeded, in words; "" if none is known."""

    def doing(self, seat: int) -> str:
        """Describe in words what a bot does that does not answer; "" if that is not
        known.
        """

    def describe_exit(self, seat: int) -> str:
        """Describe how the bot's own process ended; "" while it runs. A child of it may
        still hold its output open.
        """

    async def describe_end(self, seat: int) -> str:
        """Describe how a bot whose output ended came to its end: its exit code or
        signal, or that it is still there.
        """

    async def close(self, grace: float) -> list[Ending]:
        """End the input of all bots, give them ``grace`` seconds to exit, then kill and
        reap every process. Idempotent.
        """


class PassingWire:
    """A wire around another one, which hands on every call that the wires built on it
    do not define themselves.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.announce = wire.announce
        self.end_input = wire.end_input
        self.round_trip = wire.round_trip
        self.uses = wire.uses
        self.trees = wire.trees
        self.rest = wire.rest
        self.wake = wire.wake
        self.exceeded_limit = wire.exceeded_limit
        self.doing = wire.doing
        self.describe_exit = wire.describe_exit
        self.describe_end = wire.describe_end
