"""Matches in ticks whose runner is a double of it."""

import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace
from scripted_table import job_in_ticks

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.command import Command

DOUBLE = Path(__file__).parent / "double_runner.py"


def a_job(*modules: str, **time: int) -> Job:
    """A match of modules named by what they do."""
    commands = tuple(
        Command((), "/", module=(what, "00" * 32, sys.executable, str(DOUBLE))) for what in modules
    )
    return replace(job_in_ticks(len(modules), **time), commands=commands)


def assert_equal_however_many_at_a_time(jobs: Sequence[Job]) -> None:
    """Play matches one by one, three at a time, and in two processes: each has a
    record, which is the same each time.
    """
    digests = []
    for slots, workers in ((1, 1), (3, 1), (2, 2)):
        outcomes: list[Outcome] = []
        pool.play(jobs, slots, outcomes.append, workers)
        digests.append(
            [
                one.record and one.record.digest
                for one in sorted(outcomes, key=lambda one: one.ordinal)
            ]
        )
    assert digests[0] == digests[1] == digests[2]
    assert None not in digests[0]
