"""Who had no core, and who took more than its due of them: CPU as the system counts it, over one decision.

A seat that was asked is due one core while the decision lasts, one that was not asked a tenth of a core. What it takes
beyond that is its own affair, unless another seat is late because it had no core meanwhile.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from khiva_arena.arbiter.usage import Waited

DUE_ASKED = 1.2  # one core, and a fifth for what the system does on a bot's behalf
DUE_UNASKED = 0.1
# The system counts CPU in ticks of 10 ms: this much in a difference of two readings may be rounding.
ROUNDING = 0.020


@dataclass(frozen=True, slots=True)
class Look:
    """A look at the whole table ``at`` a time, in seconds, by seat: how long each thread of its processes waited for a core,
    by its number, and the CPU that they used, so far."""

    at: float
    delays: list[dict[int, Waited]]
    cpu: list[float]


def owed(before: Look, after: Look, seat: int) -> float:
    """Seconds of its time for which a seat had no core: what its thread that waited longest did not get, less what its other
    threads got meanwhile. A seat is due one core: it may share that among its threads, and is owed no more than it lacked."""
    delayed, own = _longest(before.delays[seat], after.delays[seat])
    had = after.cpu[seat] - before.cpu[seat]
    others = max(0.0, had - own)
    return max(0.0, min(delayed - _at_most(others), after.at - before.at - _at_most(had)))


def _longest(before: Mapping[int, Waited], after: Mapping[int, Waited]) -> Waited:
    """What the thread that waited longest between two looks waited and had. One that was not there before began at nothing."""
    nothing = Waited(0.0, 0.0)
    changes = [(now, before.get(thread, nothing)) for thread, now in after.items()]
    return max([Waited(now.delay - then.delay, now.cpu - then.cpu) for now, then in changes], default=nothing)


def _at_most(cpu: float) -> float:
    """What a difference of two readings may stand for; next to nothing is taken for nothing more."""
    return cpu + ROUNDING if cpu > ROUNDING else cpu


def over_its_due(before: Look, after: Look, seats: Mapping[int, bool]) -> dict[int, float]:
    """Of these seats (True: it was asked) those that used clearly more CPU than is their due, with the seconds used."""
    window = after.at - before.at
    used = {seat: after.cpu[seat] - before.cpu[seat] for seat in seats}
    return {seat: used[seat] for seat, asked in seats.items() if used[seat] > _due(window, asked)}


def _due(window: float, asked: bool) -> float:
    return window * (DUE_ASKED if asked else DUE_UNASKED) + ROUNDING
