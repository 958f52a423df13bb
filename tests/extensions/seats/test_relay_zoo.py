"""The hostile bots of bots/broken behind a relay: each is blamed as it is beside the
arena, whatever it does to its pipes.

Left out are the rows that need what only the arena's own machine has: limits on memory,
processes, files and CPU, and attacks on the sandbox, on the others and on the arbiter.
"""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from arena import ROOT
from in_targets import soak_but_every
from jobs import SECRET, job
from relaying import BROKEN, hub, local, relay, until_here
from sound_bot import sound

from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.result import Verdict
from khiva_arena.entrants import guests
from khiva_arena.records.replay.verify import verify

sys.path.insert(0, str(ROOT / "tests" / "zoo"))
from table import ROWS, TELLING, Row

AT, MARK = "2", f"zoo-over-a-relay-{os.getpid()}"
TIME = {"startup_ms": 5_000, "turn_ms": 1_000, "bank_ms": 0}
OF_LIMITS = {"42", "43", "44", "45", "46"}
LIMITED = {"open-files-caught"}
DAEMONS = (
    "daemon",
    "daemon-stderr",
    "daemon-nameless",
    "daemon-plays-on",
    "daemon-stdout",
    "start-daemon",
    "child-answers",
)
"""What has left the group of its program is for its own machine to end: the relay
cannot know it.
"""


def makes_sense(row: Row) -> bool:
    of_limits = row.verdict is Verdict.RESOURCE or row.number in OF_LIMITS or row.name in LIMITED
    return bool(row.name) and row.blocked is None and not of_limits


PLAYED = [row for row in ROWS if makes_sense(row)]
SHORT = (*TELLING, "closes-stdin", "half-frame", "notes-flood", "never-exits")
FEW = [row for row in PLAYED if row.name in SHORT and not row.strikes]


@pytest.fixture(scope="module")
def chosen(script: Path) -> Iterator[Path]:
    """A hub with a relay that starts the row that stands in this file."""
    row = script.with_name("row")
    shell = f'exec {sys.executable} -B {BROKEN} "$(cat {row})" {AT} {MARK}'
    chooser = script.with_name("chooser.py")
    chooser.write_text(f"import os\nos.execv('/bin/sh', ['sh', '-c', {shell!r}])\n")
    with hub(reconnect=5.0) as (one, port), relay(script, port, str(chooser)):
        until_here(one)
        yield row


def check(chosen: Path, row: Row) -> None:
    chosen.write_text(row.name)
    here = local("-B", BROKEN, row.name, AT, MARK)
    limits = TIME | {name: max(ms, TIME[name]) for name, ms in dict(row.time).items()}
    policy = "lenient" if row.strikes else "strict"
    try:
        outcome = play_one(
            job([here, sound(), guests.command("remote:ann")], policy=policy, **limits)
        )
        assert outcome.record is not None, outcome.void
        verify(outcome.record, SECRET)
        beside, others, behind = outcome.seats
        assert not others.faults
        assert outcome.record.verdicts[2] == outcome.record.verdicts[0]
        assert [fault.verdict for fault in behind.faults] == [
            fault.verdict for fault in beside.faults
        ]
        if behind.faults:
            details = [row.expected(level)[1] for level in Level]
            assert any(re.search(detail, behind.faults[-1].detail) for detail in details), (
                behind.faults[-1]
            )
    finally:
        left = ended_by_itself()
    assert not left or row.name in DAEMONS, left


def ended_by_itself() -> list[str]:
    """What still runs of the row a moment after the match; it is ended here."""
    until = time.monotonic() + 3.0
    while (found := marked()) and time.monotonic() < until:
        time.sleep(0.02)
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return list(found.values())


def marked() -> dict[int, str]:
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended while we looked
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if MARK.encode() in words:
                found[int(folder.name)] = b" ".join(words).decode(errors="replace")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("row", soak_but_every(FEW, 3), ids=lambda row: row.name)
def test_telling_rows_of_the_zoo_are_blamed_behind_a_relay_as_beside_the_arena(
    chosen: Path, row: Row
) -> None:
    check(chosen, row)


@pytest.mark.long
@pytest.mark.parametrize(
    "row", PLAYED, ids=lambda row: row.name + ("-lenient" if row.strikes else "")
)
def test_every_row_that_makes_sense_is_blamed_behind_a_relay_as_beside_the_arena(
    chosen: Path, row: Row
) -> None:
    check(chosen, row)


def test_what_is_left_out_needs_the_machine_of_the_arena() -> None:
    assert len(PLAYED) > 100
    left_out = {
        row.name for row in ROWS if row.name and not makes_sense(row) and row.blocked is None
    }
    assert left_out >= {"memory", "fork-bomb", "fills-scratch", "cpu"}
