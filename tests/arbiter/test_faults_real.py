"""Each fault with a real process, in every seat: the verdict, who is blamed, bounded
time, no process left behind.
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from arena import descendants
from jobs import SECRET, job
from sound_bot import sound
from wording import sentence

from khiva_arena.arbiter.match import Outcome
from khiva_arena.arbiter.pool import play_one
from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.stderr import for_people, without_marks
from khiva_arena.bots.sandbox import silence
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Verdict
from khiva_arena.records.replay.verify import verify

pytestmark = pytest.mark.slow

SEATS = 3
EVERY_SEAT = pytest.mark.parametrize("seat", range(SEATS))
FAULTY = str(Path(__file__).parent.parent / "support" / "faulty.py")
# Generous: the machine may be busy. What is asserted is that nothing waits for a bot's
# whole life.
BOUND = 20.0


def bot(*arguments: str) -> Command:
    return Command((sys.executable, FAULTY, *arguments), "/tmp")


def children() -> set[int]:
    """All living descendants of this process."""
    return descendants(os.getpid())


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    before, descriptors = children(), set(os.listdir("/proc/self/fd"))
    yield
    assert children() <= before
    assert len(os.listdir("/proc/self/fd")) <= len(descriptors)


def run(how: list[str], seat: int, policy: str = "lenient", **time_: int) -> Outcome:
    commands = [sound() if number != seat else bot(*how) for number in range(SEATS)]
    limits = {"startup_ms": 10_000, "turn_ms": 300, "bank_ms": 0} | time_
    began = time.monotonic()
    outcome = play_one(job(commands, policy=policy, **limits))
    assert time.monotonic() - began < BOUND
    assert outcome.record is not None, outcome.void
    verify(outcome.record, SECRET)
    others = [outcome.record.verdicts[number] for number in range(SEATS) if number != seat]
    assert others == [Verdict.OK] * (SEATS - 1)
    assert not any(outcome.seats[number].faults for number in range(SEATS) if number != seat)
    return outcome


CASES = [
    ("exit", Verdict.CRASHED, "exited with code 3"),
    ("segv", Verdict.CRASHED, "SIGSEGV"),
    ("raise", Verdict.CRASHED, "exited with code 1"),
    ("print", Verdict.PROTOCOL, "b'thinking"),
    ("flood", Verdict.PROTOCOL, "a frame of 0 bytes"),
    ("answers", Verdict.FLOODED, "more than 16"),
    ("close", Verdict.CRASHED, "closed its output"),
    ("stop", Verdict.TIMEOUT, "no answer came"),
    ("daemon", Verdict.CRASHED, sentence("arbiter", "left-process-behind-keeps")),
    ("deaf", Verdict.TIMEOUT, "no answer came"),
    ("half", Verdict.TIMEOUT, sentence("arbiter", "bytes-frame-came-no", partial="3")),
    ("spin", Verdict.TIMEOUT, "no answer came"),
    ("illegal", Verdict.ILLEGAL, "choice 9999 of"),
]


@pytest.mark.parametrize(
    ("how", "verdict", "detail", "seat"),
    [(*case, number % SEATS) for number, case in enumerate(CASES)],
    ids=[case[0] for case in CASES],
)
def test_fault_is_blamed_on_its_seat(how: str, verdict: Verdict, detail: str, seat: int) -> None:
    outcome = run([how, "2"], seat, policy="strict")
    assert outcome.record is not None
    assert outcome.record.verdicts[seat] is verdict
    assert detail in outcome.seats[seat].faults[0].detail
    assert outcome.record.ranks[seat] == SEATS
    assert outcome.record.reason == "over"


@EVERY_SEAT
@pytest.mark.parametrize(
    ("how", "detail"),
    [
        ("start-exit", "exited with code 1"),
        ("start-silent", "timeout: no answer came"),
        ("start-text", "b'Hello! I am a bot."),
    ],
)
def test_start_failed(how: str, detail: str, seat: int) -> None:
    outcome = run([how], seat, startup_ms=1_500)
    assert outcome.record is not None
    assert outcome.record.verdicts[seat] is Verdict.START_FAILED
    assert detail in outcome.seats[seat].faults[0].detail


@EVERY_SEAT
def test_stderr_of_a_crash_is_kept(seat: int) -> None:
    outcome = run(["raise", "2"], seat)
    assert "RuntimeError: no idea what to play" in outcome.seats[seat].ending.notes


@EVERY_SEAT
def test_what_a_bot_writes_cannot_reach_into_a_terminal(seat: int) -> None:
    notes = run(["escapes", "1"], seat).seats[seat].ending.notes
    assert without_marks(notes) == "\\x1b[2J\\x1b]0;owned\\x07\\xff plain\n"
    assert for_people(notes) == "[step 1: play_pass]\n  \\x1b[2J\\x1b]0;owned\\x07\\xff plain"


@EVERY_SEAT
def test_a_command_that_does_not_exist_is_start_failed(seat: int) -> None:
    commands = [
        sound() if number != seat else Command(("/nowhere/bot",), "/tmp") for number in range(SEATS)
    ]
    outcome = play_one(job(commands))
    assert outcome.record is not None
    assert outcome.record.verdicts == tuple(
        Verdict.START_FAILED if n == seat else Verdict.OK for n in range(SEATS)
    )


@EVERY_SEAT
def test_a_flood_of_notes_is_no_fault_and_is_kept_head_and_tail(seat: int) -> None:
    """It answers once, then does nothing but write notes: that is late, and no more
    than late.
    """
    outcome = run(["notes", "1"], seat, policy="lenient")
    kept = outcome.seats[seat].ending
    assert len(kept.notes) < 20_000
    assert kept.notes_total > 65_536
    assert "bytes dropped" in kept.notes
    assert {fault.verdict for fault in outcome.seats[seat].faults} == {Verdict.TIMEOUT}


@EVERY_SEAT
def test_notes_at_the_very_end_are_kept_and_nobody_is_killed_for_them(seat: int) -> None:
    ending = run(["last-notes", "0"], seat).seats[seat].ending
    assert ending.notes.endswith("DONE")
    assert (ending.notes_total, ending.status, ending.killed) == (400_004, 0, False)


def test_what_a_dead_bot_left_behind_is_killed_when_its_end_is_known() -> None:
    """Not only at the end of the match: its leader has exited, its child holds no
    descriptor of ours.
    """

    async def main() -> set[int]:
        before = children()
        wire = Processes([Command(("/bin/sh", "-c", "sleep 60 <&- >&- 2>&- & exit 3"), "/tmp")])
        try:
            assert (await wire.receive(trio.current_time() + 10))[0].data == b""
            assert len(children() - before) >= 1
            assert await wire.describe_end(0) == "exited with code 3"
            assert children() - before == set()
        finally:
            await wire.close(0)
        return children() - before

    assert trio.run(main) == set()


def test_a_bot_that_does_not_read_keeps_nobody_from_the_end_of_their_input() -> None:
    async def main() -> list[int | None]:
        deaf = Command(("/bin/sleep", "60"), "/tmp")
        waits = Command(("/bin/cat",), "/tmp")
        wire = Processes([deaf, waits])
        wire.send(0, bytes(1 << 20))
        return [ending.status for ending in await wire.close(0.5)]

    assert trio.run(main) == [-9, 0]


def test_what_a_bot_does_is_looked_for_in_its_children_too() -> None:
    """A script that starts the real program: the shell waits, and not for its input,
    but the bot computes.
    """

    async def main() -> str:
        wire = Processes(
            [Command(("/bin/sh", "-c", f"'{sys.executable}' -c 'while True: pass'; true"), "/tmp")]
        )
        try:
            doing, until = "", trio.current_time() + 20
            while doing != silence.COMPUTES and trio.current_time() < until:
                await trio.sleep(0.1)
                doing = wire.doing(0)
            return doing
        finally:
            await wire.close(0)

    assert trio.run(main) == "it still computes"


def test_a_bot_that_ignores_the_end_is_killed() -> None:
    outcome = run(["linger", "0"], 2)
    assert outcome.record is not None
    assert outcome.record.verdicts[2] is Verdict.OK
    assert outcome.seats[2].ending.killed


@EVERY_SEAT
def test_a_bot_that_closes_its_input_cannot_be_asked_again(seat: int) -> None:
    outcome = run(["deaf", "2"], seat)
    assert [fault.verdict for fault in outcome.seats[seat].faults] == [
        Verdict.TIMEOUT,
        Verdict.CRASHED,
    ]
    assert outcome.seats[seat].faults[1].detail == "closed its input"


def test_late_under_lenient_strikes_and_plays_on() -> None:
    outcome = run(["late", "2", "0.6"], 0)
    assert outcome.record is not None
    assert outcome.record.verdicts[0] is Verdict.OK
    assert [fault.verdict for fault in outcome.seats[0].faults] == [Verdict.TIMEOUT]
