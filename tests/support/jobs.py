"""Jobs for tests: a match of Khiva without a store."""

from collections.abc import Sequence

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import TRUSTING, Sandbox
from khiva_arena.games.registry import get
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Header, Record, RecordedSeat
from khiva_arena.records.replay.verify import verify

SECRET = bytes(range(32))
TIME = {"startup_ms": 5_000, "turn_ms": 1_000, "bank_ms": 2_000}


def header(seats: int, match: str = "test", policy: str = "lenient", **time: int) -> Header:
    """A header of a match of Khiva by its default rules."""
    game = get("khiva")
    return Header(
        match=match,
        game="khiva",
        rules_version=game.rules_version,
        rules=game.rules({}),
        seats=tuple(
            RecordedSeat(f"bot{n}", f"{n:064x}", seeds.seat_number(SECRET, match, n))
            for n in range(seats)
        ),
        commit=seeds.commitment(match, SECRET),
        time=TIME | time,
        policy=policy,
        isolation="trusted",
    )


def job(
    commands: Sequence[Command],
    ordinal: int = 0,
    policy: str = "lenient",
    sandbox: Sandbox = TRUSTING,
    **time: int,
) -> Job:
    """A job for these commands, seated in their order."""
    return Job(
        ordinal,
        1,
        header(len(commands), f"test{ordinal}", policy, **time),
        SECRET,
        tuple(commands),
        sandbox,
    )


def sound(outcome: Outcome) -> Record:
    """Return the record of a match that was played, replayed through the rules."""
    assert outcome.record is not None, outcome.void
    verify(outcome.record, SECRET)
    return outcome.record
