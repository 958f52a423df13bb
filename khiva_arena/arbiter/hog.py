"""Who had no core, and who took more than its due of them: CPU as the system counts it, over one decision.

A seat that was asked is due one core while the decision lasts, one that was not asked a tenth of a core. What it takes
beyond that is its own affair, unless another seat is late because it had no core meanwhile.
"""

from collections.abc import Mapping
from dataclasses import dataclass

DUE_ASKED = 1.2  # one core, and a fifth for what the system does on a bot's behalf
DUE_UNASKED = 0.1
# The system counts CPU in ticks of 10 ms: this much in a difference of two readings may be rounding.
ROUNDING = 0.020


@dataclass(frozen=True, slots=True)
class Look:
    """A look at the whole table ``at`` a time, in seconds, by seat: how long its processes waited for a core, and the CPU
    that they used, so far."""

    at: float
    delays: list[float]
    cpu: list[float]


def owed(before: Look, after: Look, seat: int) -> float:
    """Seconds of its time for which a seat had no core. A seat is due one core: however long its threads waited for each
    other's, it is owed no more than what it did not get of one."""
    delayed = after.delays[seat] - before.delays[seat]
    had = after.cpu[seat] - before.cpu[seat]
    return max(0.0, min(delayed, after.at - before.at - had - (ROUNDING if had > ROUNDING else 0.0)))


def over_its_due(before: Look, after: Look, seats: Mapping[int, bool]) -> dict[int, float]:
    """Of these seats (True: it was asked) those that used clearly more CPU than is their due, with the seconds used."""
    window = after.at - before.at
    used = {seat: after.cpu[seat] - before.cpu[seat] for seat in seats}
    return {seat: used[seat] for seat, asked in seats.items() if used[seat] > _due(window, asked)}


def _due(window: float, asked: bool) -> float:
    return window * (DUE_ASKED if asked else DUE_UNASKED) + ROUNDING
