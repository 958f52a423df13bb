"""The tables that workers have, and the checks of a table that comes back.

A worker is not believed. A record is replayed here from its choices: header, secrets,
faults, places and scores have to follow. Figures beside a record, such as times, cannot
be worked out again. They are only held to values that a store can keep, and the size of
an outcome is looked at before anything in it is read. An answer that fails a check is
the worker's fault, not a bot's: its tables go to others.
"""

from collections.abc import Sequence
from typing import NamedTuple

from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.runners import SLOWEST
from khiva_arena.errors import GameFault, RecordError
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.ticks import unconfirmed
from khiva_arena.records.replay.verify import faults_of, verify

LAG_LEAST, LAG_SHARE = 1.0, 0.5
"""A match whose arbiter was late by so many seconds, and by such a share of the match,
was played on too slow a machine. Bots are given back the time by which it was late, so
less than that is no harm.
"""
DECISIONS_A_TURN = 16
TURNS = 2_000
"""The turns of a match of a game that names no length limit in its rules."""
SECONDS_MOST, COUNT_MOST = 2**32, 2**53
"""The largest numbers of an outcome: a store keeps times in microseconds, as numbers of
JSON.
"""
OUTCOME_MOST = 2 * 2**20
"""The most bytes of an outcome; a row of a store may take eight times as many."""


class Assignment(NamedTuple):
    """A table that a worker has: its matches that are not recorded.

    worker: its address
    since, until: when it was given, and when it is late, in seconds by time.monotonic
    outcomes: what the worker has sent, while the bots of some of these matches are run
        again; else none
    drawn: ordinals of the matches whose bots are run again
    """

    table: tuple[Job, ...]
    worker: str
    since: float
    until: float
    outcomes: tuple[Outcome, ...] = ()
    drawn: tuple[int, ...] = ()


def seconds_for(table: Sequence[Job]) -> float:
    """Return the seconds that the matches of a table may take in all if every bot takes
    all its time.
    """
    total = 0.0
    for job in table:
        rules, limits, seats = job.header.rules, job.limits, len(job.header.seats)
        bounds = [
            rules[key] for key in ("max_turns", "max_rounds") if isinstance(rules.get(key), int)
        ]
        decisions = max(bounds, default=TURNS) * DECISIONS_A_TURN
        seconds = limits.startup + seats * (limits.bank_ms / 1000 + decisions * limits.turn)
        total += seconds * (SLOWEST if job.header.clock else 1)
    return total


def lagged(outcome: Outcome) -> bool:
    """Tell whether a machine was too slow for a match: in ticks none is."""
    if outcome.record is not None and outcome.record.ticks:
        return False
    return outcome.lag > max(LAG_LEAST, LAG_SHARE * outcome.seconds)


def of_fit_size(frames: Sequence[bytes]) -> Sequence[bytes]:
    """Return the frames of outcomes unread. Raises ValueError if one is longer than a
    store can keep.
    """
    if any(len(frame) > OUTCOME_MOST for frame in frames):
        raise ValueError("too long")
    return frames


def check(table: Sequence[Job], outcomes: Sequence[Outcome]) -> None:
    """Raise ValueError unless these are outcomes of these matches, with values that a
    store can keep.
    """
    for job, outcome in zip(table, outcomes, strict=False):
        if (outcome.ordinal, outcome.attempt) != (job.ordinal, job.attempt):
            raise ValueError("another match")
        if outcome.record is not None and outcome.record.header != job.header:
            raise ValueError("another header")
        if outcome.record is not None and (outcome.cell is not None) != job.in_ticks:
            raise ValueError("another sandbox")
        _check_beside(outcome, len(job.header.seats))
    if len(outcomes) > len(table):
        raise ValueError("more than were asked for")


def _check_beside(outcome: Outcome, seats: int) -> None:
    """Raise ValueError for seats that are not there, or numbers beside a record that no
    arbiter measures, such as NaN.
    """
    if len(outcome.seats) != seats and (outcome.record is not None or outcome.seats):
        raise ValueError("other seats")
    if not all(0 <= seat < seats for seat in outcome.causes):
        raise ValueError("a seat that is not there")
    times = [outcome.seconds, outcome.lag, outcome.unsettled]
    counts: list[float] = []
    for report in outcome.seats:
        ending = report.ending
        times += [
            *report.times.values(),
            *report.round_trips.values(),
            abs(report.bank_left),
            abs(ending.status or 0),
        ]
        counts += [*report.times, ending.notes_total, ending.peak]
        counts += [value for value in (*report.measured, *ending.measured) if value is not None]
    if not (
        all(0 <= time <= SECONDS_MOST for time in times)
        and all(0 <= value <= COUNT_MOST for value in counts)
    ):
        raise ValueError("a number that cannot be")


def _ended_early(job: Job, record: Record) -> bool:
    """Tell whether a trial ended at the forfeit of its bot: its record has no end that
    the rules give.
    """
    return any(record.forfeited_at[seat] is not None for seat in job.ends_with)


def check_by_replay(job: Job, outcome: Outcome) -> Outcome:
    """Return the outcome if its record follows from its choices by the rules, a void if
    the game fails in the replay.

    Raises RecordError for a record that no arbiter makes: then its sender lies, or is
    broken.
    """
    if outcome.record is None or _ended_early(job, outcome.record):
        return outcome
    try:
        verify(outcome.record, job.secret)
    except GameFault as fault:
        return void(job, str(fault), host=False)
    faults = [
        [(str(blame.verdict), blame.step) for blame in report.faults] for report in outcome.seats
    ]
    if faults != faults_of(outcome.record):
        raise RecordError("the faults beside its record are not those of the record")
    if outcome.record.ticks and {seat for seat, _ in unconfirmed(outcome.record)} - {*job.warned}:
        raise RecordError("a seat is out by the backstop that has met none before")
    if outcome.req_start != seeds.req_start(job.secret, job.header.match):
        raise RecordError("its first req does not follow from the secret")
    return outcome
