"""CPU time in a step, as the system counts it: seats that had no core, seats that took
too much.

A seat that was asked has a share of one core while the step lasts, one that was not
asked a tenth of a core. It may take more than that, unless another seat is late because
it had no core at that time. Nor may it keep the arbiter from a core, whose own lag is
added to every deadline: all who think have as much longer.
"""

import math
import random
from collections.abc import Mapping, Sequence

import msgspec
import trio
from msgspec.structs import replace

from khiva_arena.arbiter.wire import Use, Wire
from khiva_arena.bots.sandbox import system
from khiva_arena.bots.sandbox.cell import CORES
from khiva_arena.bots.sandbox.proc_usage import ThreadTime, own_delay

DUE_ASKED = CORES + 0.2  # a fifth for what the system does on a bot's behalf
DUE_UNASKED = 0.1
# The system counts CPU in ticks of 10 ms: this much in a difference of two readings may
# be rounding.
ROUNDING = 0.020
# How often the processes of seats that are waited for are looked at, at random moments
# about so far apart: a child that nobody waits for is in no figure once it has ended,
# but is seen while it runs.
LOOK_SECONDS = 0.025
# A sample from before a step is old if this part of the time that the step gives has
# passed since.
OLD = 0.1


class CpuSample(msgspec.Struct, frozen=True):
    """The processor time that all processes of a table have had so far.

    at: when the sample was taken, in seconds of the monotonic clock
    delays: by seat, for each thread by its number how long it waited for a core and how
        long it had one
    cpu: by seat, seconds of CPU that its processes used
    own_delay: seconds for which the arbiter itself was ready to run and waited for a
        core
    """

    at: float
    delays: list[dict[int, ThreadTime]]
    cpu: list[float]
    own_delay: float = 0.0


class CpuAccount:
    """An account of the processor time of one table's seats during a step. Processes
    are looked at only once a seat is slow.

    next_look: when it is time to ``look``, infinite for never
    before: the sample of the first look, or of the beginning of a short step; None
        until then
    since: the sample from just before this step, or before an earlier one if all steps
        since then were quick; None before the first step
    changed_seats: seats whose processes have changed in this step: the processor time
        of such a seat is not known
    """

    def __init__(self, wire: Wire) -> None:
        self.next_look = math.inf
        self.before: CpuSample | None = None
        self.since: CpuSample | None = None
        self.changed_seats: set[int] = set()
        self._wire = wire
        self._trees: dict[int, frozenset[int]] | None = None

    def begin(self, seconds: float, *, is_short: bool = False) -> None:
        """Begin a step. A sample takes some tenths of a millisecond, so one is taken
        now only if the step is short, if the step before was slow, or if the last
        sample is old.

        seconds: the least that a seat may take for the step
        """
        now = trio.current_time()
        if (
            is_short
            or self.since is None
            or self._trees is not None
            or now - self.since.at > OLD * seconds
        ):
            # Between the reading and its time the arbiter may have no core: what a seat
            # then uses is not to count against it.
            self.since = replace(self.sample(), at=now)
        self.before = self.since if is_short else None
        self._trees = None
        self.changed_seats.clear()

    def sample(self) -> CpuSample:
        """Take a sample now."""
        return sample_of(self._wire.uses())

    def look(self, seats: Sequence[int], greeted: Sequence[int]) -> None:
        """Look at the processes of ``seats``, those waited for. Note seats whose
        processes came or went since the first look.

        greeted: the seats among them that have started. At the start of a match
            processes come and go, the arbiter's among them; but the start has its own
            clock.
        """
        if self._trees is None:
            uses = self._wire.uses()
            self.before = self.before or sample_of(uses)
            self._trees = {seat: uses[seat].processes for seat in greeted if uses[seat].processes}
            return
        trees = self._trees
        self.changed_seats |= {
            seat
            for seat, now in self._wire.trees(self._comparable(seats)).items()
            if now != trees[seat]
        }

    def _comparable(self, seats: Sequence[int]) -> list[int]:
        return [
            seat for seat in seats if seat in (self._trees or ()) and seat not in self.changed_seats
        ]

    def look_again(self, seats: Sequence[int]) -> None:
        """Resume the looks at ``seats`` if they had ended: these seats are waited for
        from now on, maybe once more.
        """
        if self.next_look == math.inf:
            self.plan_next(seats)

    def plan_next(self, seats: Sequence[int]) -> None:
        """Choose when to look again at seats that are waited for: never, if a look can
        find nothing any more, as while a person thinks.
        """
        soon = trio.current_time() + LOOK_SECONDS * random.uniform(0.5, 1.5)
        self.next_look = soon if self._comparable(seats) else math.inf


def sample_of(uses: Sequence[Use]) -> CpuSample:
    """Return the sample that was read just now as ``uses``."""
    return CpuSample(
        trio.current_time(), [use.threads for use in uses], [use.cpu for use in uses], own_delay()
    )


def cpu_shortfall(before: CpuSample, after: CpuSample, seat: int) -> float:
    """Return the seconds of its time for which a seat had no core.

    They are the time for which its thread that waited longest was kept waiting, less
    the time that its other threads got then. A seat's share is one core, which its
    threads may divide: its shortfall is never more than it lacked of one core.
    """
    delay, own_cpu, _ = _longest(before.delays[seat], after.delays[seat])
    cpu = after.cpu[seat] - before.cpu[seat]
    others_cpu = max(0.0, cpu - own_cpu)
    return max(0.0, min(delay - _at_most(others_cpu), after.at - before.at - _at_most(cpu)))


def _longest(before: Mapping[int, ThreadTime], after: Mapping[int, ThreadTime]) -> ThreadTime:
    """Return how long the thread that waited longest between two samples waited, and
    how long it had a core.

    A thread that was not there before began at 0. One that has made itself wait, as by
    its niceness, does not count.
    """
    nothing = ThreadTime(0.0, 0.0)
    changes = [(now, before.get(thread, nothing)) for thread, now in after.items()]
    changes = [(now, then) for now, then in changes if now.as_started and then.as_started]
    return max(
        [ThreadTime(now.delay - then.delay, now.cpu - then.cpu) for now, then in changes],
        default=nothing,
    )


def _at_most(cpu: float) -> float:
    """Return the most that a difference of two readings may stand for; next to nothing
    counts as nothing.
    """
    return cpu + ROUNDING if cpu > ROUNDING else cpu


def over_cpu_share(
    before: CpuSample, after: CpuSample, seats: Mapping[int, bool]
) -> dict[int, float]:
    """Return the seats that used clearly more CPU than their share, with the seconds
    that they used.

    seats: True for a seat that was asked
    """
    window = after.at - before.at
    seconds = {seat: after.cpu[seat] - before.cpu[seat] for seat in seats}
    return {
        seat: seconds[seat]
        for seat, is_asked in seats.items()
        if seconds[seat] > _share(window, is_asked)
    }


def over_half_of_cores(
    since: CpuSample, after: CpuSample, seats: Mapping[int, bool]
) -> dict[int, float]:
    """Return the seats that used more CPU than their share and half of what all cores
    can give, with the seconds of use.

    seats: True for a seat that was asked
    """
    half = (after.at - since.at) * system.cores() / 2 + ROUNDING
    return {
        seat: seconds
        for seat, seconds in over_cpu_share(since, after, seats).items()
        if seconds > half
    }


def _share(window: float, is_asked: bool) -> float:
    return window * (DUE_ASKED if is_asked else DUE_UNASKED) + ROUNDING
