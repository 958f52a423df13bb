"""Each way to misbehave, once, in a seat drawn by lot, at the best isolation level of
this machine; the telling ones at every level. ``python -m tests.tools zoo`` plays all
of them in every seat at every level.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from arena import ROOT, descendants, living
from expect import SECONDS_MOST, differences
from in_targets import soak_but_every
from play import BROKEN, TIME, best_levels, play, remove_notes
from table import CRASHED, PROTOCOL, RESOURCE, ROWS, START_FAILED, TELLING, TIMEOUT, WALLED, Row
from waiting import until

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common import shipped

SEATS = (2, 3)
LEVELS = best_levels()
TRIES, TOO_BUSY = 5, 0.3
PLAYED = [row for row in ROWS if row.name]


def named(row: Row) -> str:
    """A test's name for it."""
    return row.name + ("-lenient" if row.strikes else "")


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """What the first match loads is not a row's growth."""
    play(["honest", "honest"], LEVELS[0])


def waited_for_a_core() -> float:
    """Return for how many seconds this thread, the arbiter's, was ready to run and had
    no core.
    """
    return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9


def check(row: Row, level: Level) -> None:
    """Play a row; once more if it came out otherwise on a machine without a core for
    the arbiter, which gives that time back.
    """
    lots = random.Random(f"zoo {named(row)} {level}")
    seats = lots.choice(SEATS)
    seat = lots.randrange(seats)
    names = ["honest" if number != seat else row.name for number in range(seats)]
    limits = TIME | dict(row.time)
    for _ in range(TRIES):
        before = waited_for_a_core()
        played = play(names, level, lenient=bool(row.strikes), time_=limits, cpu=row.cpu)
        found = differences(row, level, seat, played, limits)
        if not found or waited_for_a_core() - before < TOO_BUSY * played.wall:
            break
    assert found == []


@pytest.mark.soak
@pytest.mark.parametrize("row", PLAYED, ids=named)
def test_a_row_once_at_the_best_level(row: Row) -> None:
    check(row, LEVELS[0])


@pytest.mark.soak
@pytest.mark.parametrize("level", LEVELS[1:])
@pytest.mark.parametrize("name", TELLING)
def test_telling_rows_at_every_level(name: str, level: Level) -> None:
    check(next(row for row in PLAYED if row.name == name), level)


# --- the table ---


def test_every_number_of_the_specification_is_in_the_table() -> None:
    assert {row.number for row in ROWS} == {str(number) for number in range(1, 58)} | {"+"}


def test_the_table_and_the_program_name_the_same_rows() -> None:
    said = subprocess.run(
        [sys.executable, "-B", str(BROKEN / "main.py")], capture_output=True, text=True, check=True
    ).stdout
    assert {line.split()[0] for line in said.splitlines()} == {row.name for row in PLAYED} | {
        "honest"
    }


def test_a_row_that_no_bot_can_play_names_the_tests_that_stand_for_it() -> None:
    for row in ROWS:
        assert bool(row.name) != bool(row.covered_by)
        for word in row.covered_by:
            path, _, test = word.partition("::")
            assert f"def {test}(" in (ROOT / path).read_text()


def test_no_bot_of_the_zoo_is_among_the_shipped_ones() -> None:
    assert all(BROKEN not in (path, *path.parents) for path in shipped.bots().values())


# --- two at one table ---

PAIRS = [
    ("segfault", (CRASHED, "SIGSEGV"), "deaf", (TIMEOUT, "no answer came")),
    ("flood-zeros", (PROTOCOL, "a frame of 0 bytes"), "fork-bomb", (RESOURCE, "processes:")),
    ("start-exit", (START_FAILED, "exited with code 1"), "memory-shared", (RESOURCE, "memory:")),
    ("stops-itself", (TIMEOUT, "no answer came"), "stops-itself", (TIMEOUT, "no answer came")),
    ("memory-shared", (RESOURCE, "memory:"), "memory", (RESOURCE, "memory:")),
    ("daemon-stdout", (CRASHED, "exited with code 0"), "notes-flood", (TIMEOUT, "no answer came")),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "expected", "other", "expected_of_other"),
    soak_but_every(PAIRS, 2),
    ids=[f"{p[0]}+{p[2]}" for p in PAIRS],
)
def test_two_at_one_table_are_blamed_separately(
    one: str, expected: tuple[str, str], other: str, expected_of_other: tuple[str, str]
) -> None:
    names = ["honest", one, other, "honest"]
    random.Random(f"zoo {one} {other}").shuffle(names)
    limits = TIME | {"turn_ms": 3_000 if RESOURCE in (expected[0], expected_of_other[0]) else 300}
    played = play(names, LEVELS[0], time_=limits)
    record = played.outcome.record
    assert record is not None, played.outcome.void
    wanted = sorted([expected, expected_of_other])
    blamed = sorted(
        (record.verdicts[seat], *[f.detail for f in played.outcome.seats[seat].faults])
        for seat in range(4)
    )
    assert [word for word, *_ in blamed if word != "ok"] == [word for word, _ in wanted]
    for (verdict, detail), (_, *said) in zip(
        wanted, [entry for entry in blamed if entry[0] != "ok"], strict=True
    ):
        assert len(said) == 1, said
        assert detail in said[0], verdict
    for seat, name in enumerate(names):
        if name == "honest":
            assert not played.outcome.seats[seat].faults
    assert played.survivors + played.leftovers == []
    assert played.wall < limits["turn_ms"] / 1000 + SECONDS_MOST


# --- what takes more than one match ---


@pytest.mark.parametrize("level", [level for level in LEVELS if level in WALLED])
def test_a_bot_finds_nothing_of_its_last_match(level: Level) -> None:
    """It leaves notes wherever it can write, and finds none of them in the next one."""
    try:
        for _ in range(2):
            check(next(row for row in PLAYED if row.name == "leaves-notes"), level)
    finally:
        remove_notes()


def test_a_trusted_bot_finds_what_it_left() -> None:
    """Or else the test above would show nothing."""
    try:
        said = [
            play(["leaves-notes", "honest"], Level.TRUSTED).outcome.seats[0].ending.notes
            for _ in range(2)
        ]
    finally:
        remove_notes()
    assert ["REACHED" in notes for notes in said] == [False, True]


@pytest.mark.slow
def test_a_host_that_stands_still_is_nobodys_fault() -> None:
    """The arbiter is stopped for three turns in the middle of a match."""
    words = [
        sys.executable,
        str(Path(__file__).with_name("run.py")),
        "slow",
        "--seats",
        "2",
        "--level",
        LEVELS[0],
    ]
    arbiter = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for _ in range(3):
            wait_for_bots(arbiter.pid)
            time.sleep(0.3)
            os.kill(arbiter.pid, signal.SIGSTOP)
            time.sleep(3 * TIME["turn_ms"] / 1000)
            os.kill(arbiter.pid, signal.SIGCONT)
        said, _ = arbiter.communicate(timeout=120)
    finally:
        arbiter.kill()
        arbiter.wait()
    assert arbiter.returncode == 0, said


def wait_for_bots(pid: int) -> None:
    """Until two bots run."""
    assert until(lambda: len(living(descendants(pid))) >= 2), "no two bots ran"
