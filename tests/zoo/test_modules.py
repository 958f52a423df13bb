"""Every way to misbehave that a module can show, in an event in ticks and by the wall
clock: the verdicts are those of the table of the zoo, but where a module has no signals
and a trap or the ticks end it.
"""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from module_matches import TIME, job, staged
from scripted_modules import names, of_row, scripted
from table import CRASHED, ROWS, TIMEOUT, Expected, Row, start
from wording import sentence

from khiva_arena.arbiter.lifetimes import describe_status
from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import TICKS_A_MS, Clock
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.verify import verify

pytestmark = [pytest.mark.language, pytest.mark.slow]

Stage = Callable[[str, int], Command]
TRAPPED = describe_status(101)
TRAPS = {
    "segfault": "an access to memory that it does not have",
    "aborts": sentence("modules", "place-never-reached"),
    "memory": sentence("modules", "place-never-reached"),
    "divides": sentence("modules", "division-zero"),
    "calls-another-type": "a call through a pointer to a function of another type",
    "calls-nothing": "a call through an empty pointer to a function",
    "recurses": sentence("modules", "calls-too-deep"),
}
"""The words for what ends a module, by row. By the wall clock they stand in its notes:
there it is a process that exits.
"""
MODULES_ALONE = [
    *(Row("+", name, CRASHED) for name in TRAPS if name not in ("segfault", "aborts", "memory")),
    Row("+", "memory-caught"),
    start("+", "start-recurses", "^crashed"),
    start("+", "start-traps", "^crashed"),
]
SHOWN = [row for row in ROWS if row.name in names()] + MODULES_ALONE
"""The rows that a module can show."""
OTHERWISE: dict[str, Expected] = {
    "closes-stdout": (TIMEOUT, sentence("sandbox", "closed-output") + "$")
}
"""What becomes of rows otherwise when a module shows them, by either clock."""


def expected(row: Row, clock: Clock) -> Row:
    """What becomes of a module that shows a row."""
    if row.name in TRAPS:
        return replace(
            row,
            verdict=CRASHED,
            detail=f"^{TRAPS[row.name] if clock is Clock.TICKS else TRAPPED}",
            time={},
        )
    if row.name in OTHERWISE:
        verdict, detail = OTHERWISE[row.name]
        row = replace(row, verdict=verdict, detail=detail, levels={}, deadline="turn")
    if clock is Clock.WALL or not (row.deadline or row.verdict is TIMEOUT):
        return row
    if (
        row.strikes
    ):  # a module that is late once is late for good: no VM goes on behind the end of its ticks
        row = replace(row, verdict=TIMEOUT, strikes=(TIMEOUT, TIMEOUT))
    prefix = "timeout: " if row.deadline == "startup" else ""
    return replace(
        row,
        detail=f"^{prefix}{sentence('arbiter', 'ticks-used', used='([0-9,]+)', limit='[0-9,]+')}",
    )


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    folder = tmp_path_factory.mktemp("modules")
    return lambda name, turn_ms: staged(
        folder, f"{name}-{turn_ms}", scripted(of_row(name, turn_ms))
    )


def named(row: Row) -> str:
    return row.name + ("-lenient" if row.strikes else "")


@pytest.mark.parametrize("clock", Clock)
@pytest.mark.parametrize("row", SHOWN, ids=named)
def test_a_module_that_misbehaves_has_its_verdict(row: Row, clock: Clock, stage: Stage) -> None:
    row = expected(row, clock)
    policy = "lenient" if row.strikes else "strict"
    time = TIME | row.time
    commands = [stage(name, time["turn_ms"]) for name in (row.name, "honest")]
    outcome = play_one(job(commands, clock, policy=policy, **time))
    record = outcome.record
    assert record is not None, outcome.void
    faults = outcome.seats[0].faults
    assert (record.verdicts[0], outcome.seats[1].faults) == (row.verdict, ())
    assert [fault.verdict for fault in faults] == [
        *row.strikes,
        *([] if row.verdict == "ok" else [row.verdict]),
    ]
    assert not faults or re.search(row.detail, faults[-1].detail), faults
    assert re.search(row.notes, outcome.seats[0].ending.notes)
    if row.name in TRAPS and clock is Clock.WALL:
        assert TRAPS[row.name] in outcome.seats[0].ending.notes
    if clock is Clock.TICKS:
        hold_ticks(record)


def hold_ticks(record: Record) -> None:
    """Hold that each question which was answered or failed by the seat took ticks, and
    a time-out all that there were.
    """
    assert record.ticks
    verify(Record.from_json(record.to_json()), bytes(range(32)))
    most = record.header.time["turn_ms"] * TICKS_A_MS
    for step, row in zip(record.steps, record.ticks[1:], strict=True):
        for choice, ticks in zip(step, row, strict=True):
            assert (
                ticks >= most
                if choice.why == "timeout"
                else ticks > 0 or choice.why in ("forfeited", "protocol")
            )
