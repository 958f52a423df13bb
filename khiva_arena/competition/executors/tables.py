"""A table that a worker has, and how it is judged when it comes back."""

from collections.abc import Sequence
from typing import NamedTuple

from khiva_arena.arbiter.match import Job, Outcome

LAG_LEAST, LAG_SHARE = 1.0, 0.5
"""A match of which the arbiter was late by so many seconds, and by such a part of it, was played on too slow a machine. Bots are
given back what it was late by, so less than that is no harm."""
DECISIONS_A_TURN = 16
TURNS = 2_000
"""A match of a game that names no length limit in its rules."""


class GivenTable(NamedTuple):
    """A table that a worker has: the matches of it that are not recorded.

    worker: its address
    since: by the clock that workers' are held against
    until: by time.monotonic
    """

    table: tuple[Job, ...]
    worker: str
    since: float
    until: float


def seconds_for(table: Sequence[Job]) -> float:
    """How long the matches of a table may take in all if every bot takes all the time that it has."""
    total = 0.0
    for job in table:
        rules, limits, seats = job.header.rules, job.limits, len(job.header.seats)
        named = [rules[key] for key in ("max_turns", "max_rounds") if isinstance(rules.get(key), int)]
        decisions = max(named, default=TURNS) * DECISIONS_A_TURN
        total += limits.startup + seats * (limits.bank_ms / 1000 + decisions * limits.turn)
    return total


def lagged(outcome: Outcome) -> bool:
    """Whether a machine was too slow for a match."""
    return outcome.lag > max(LAG_LEAST, LAG_SHARE * outcome.seconds)


def check(table: Sequence[Job], outcomes: Sequence[Outcome]) -> None:
    """Raise ValueError unless these are outcomes of these matches."""
    for job, outcome in zip(table, outcomes, strict=False):
        if (outcome.ordinal, outcome.attempt) != (job.ordinal, job.attempt):
            raise ValueError("another match")
        if outcome.record is not None and outcome.record.header != job.header:
            raise ValueError("another header")
    if len(outcomes) > len(table):
        raise ValueError("more than were asked for")
