"""SIGTERM, SIGHUP and SIGINT to the arbiter, its process group, or all processes of the
run in any order: 130, no bot is blamed, no match void, nothing outlives it, and the
same command goes on to the digest of a run that nobody stopped. At length: ``python -m
tests.tools stops``.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import ROOT, bots, file_of, living, says_interrupted, started
from jobs import job
from killing import all_gone, read
from levels import EVERY_LEVEL, script_at
from stopping import HOWS, SIGNALS, STOPPED, Stopped, instant, stop
from tools import lacks, need
from waiting import until
from wording import sentence

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox import reap, stops, uids
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.result import Verdict

pytestmark = pytest.mark.soak

SEEDS = 5


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("cc")
    return instant(tmp_path_factory.mktemp("instant"))


@pytest.fixture
def folder() -> Iterator[Path]:
    """Open to the users that root's bots run as."""
    with tempfile.TemporaryDirectory(prefix="khiva-stops-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


SLOTS = {Level.STRICT: (1,), Level.STANDARD: (1, 2), Level.BASIC: (1,), Level.TRUSTED: (2,)}
"""One match at a time, two, or both: what a level adds to a stop does not depend on
that. ``python -m tests.tools stops`` has all of them.
"""


@EVERY_LEVEL
def test_no_stop_is_a_bot_s_fault(folder: Path, program: Path, level: Level) -> None:
    """One match at a time and two: two signals to the whole tree, and one to the
    arbiter or its group.
    """
    marker = f"stops-{os.getpid()}-{level}"
    whole = Stopped(folder / "whole", marker, 1, level, program, SEEDS)
    whole.to_the_end()
    digest = whole.digest()
    for jobs in SLOTS[level]:
        numbers = SIGNALS[jobs - 1 : jobs + 1]
        chance = random.Random(f"{level} {jobs}")
        run = Stopped(folder / f"run{jobs}", marker, jobs, level, program, SEEDS)
        ways = [("tree", number) for number in numbers] + [
            (chance.choice(HOWS[1:]), chance.choice(SIGNALS))
        ]
        for how, number in ways:  # a run may end before it is stopped
            stop(run, chance, how, number)
        run.to_the_end()
        assert run.digest() == digest


def test_timeout_is_a_stop(tmp_path: Path) -> None:
    """It signals its child, and then the group that both are in: at the start of bots,
    too.
    """
    need("timeout")
    words = [
        "run",
        *bots("shipped:python/random", "shipped:python/naive"),
        "--seats",
        "2",
        "--seeds",
        "2000",
        "--out",
        "out",
    ]
    for seconds in ("3", "12", "48"):  # a busy machine may not have begun in the first of them
        command = [
            "timeout",
            seconds,
            sys.executable,
            "-m",
            "khiva_arena",
            *words,
            "--isolation",
            "trusted",
        ]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 124
        assert "fault" not in done.stderr
        if sentence("cli", "same-command-resumes") in done.stderr:
            return
    raise AssertionError(done.stderr)


def dies(number: signal.Signals) -> Command:
    return script_at(Level.TRUSTED, "dying.py", str(int(number)))


HONEST = script_at(Level.TRUSTED, "dying.py", "0")


@pytest.mark.parametrize("number", [*SIGNALS, signal.SIGKILL])
def test_a_bot_that_ends_itself_forfeits_when_no_stop_comes(number: signal.Signals) -> None:
    """After a second, in which the next match is played."""
    outcomes: list[tuple[int, float]] = []
    began = time.monotonic()
    ordinals = [0, 1]
    found: dict[int, Outcome] = {}

    def fix(outcome: Outcome) -> None:
        outcomes.append((outcome.ordinal, time.monotonic() - began))
        found[outcome.ordinal] = outcome

    jobs = [job([dies(number), HONEST], 0), job([HONEST, HONEST], 1)]
    pool.play(jobs, 1, fix, hold_back=True)
    assert sorted(found) == ordinals
    record = found[0].record
    assert record is not None
    assert record.verdicts[0] is Verdict.CRASHED
    assert found[0].seats[0].faults[0].detail == f"was ended by {number.name}"
    assert dict(outcomes)[0] >= stops.SETTLES_SECONDS


@pytest.mark.parametrize("slots", [1, 2])
def test_a_bot_s_death_half_a_second_before_a_stop_is_not_recorded(
    tmp_path: Path, slots: int
) -> None:
    """Nothing is handed on, neither a fault nor a void."""
    dead = tmp_path / "dead"

    def stop_soon() -> None:
        assert until(dead.exists), "the bot did not die"
        time.sleep(stops.SETTLES_SECONDS / 2)
        os.kill(os.getpid(), signal.SIGINT)

    outcomes: list[Outcome] = []
    thread = threading.Thread(target=stop_soon)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        pool.play(
            [job([script_at(Level.TRUSTED, "dying.py", "15", str(dead)), HONEST])],
            slots,
            outcomes.append,
            hold_back=True,
        )
    thread.join()
    assert outcomes == []


@pytest.mark.parametrize("jobs", [1, 2])
@EVERY_LEVEL
def test_a_bot_begins_with_no_signal_blocked_or_ignored(level: Level, jobs: int) -> None:
    """Or what it starts itself could not be ended by SIGTERM."""
    asks = script_at(level, "dying.py", "signals")
    outcomes: list[Outcome] = []
    pool.play(
        [job([asks, asks], n, sandbox=Sandbox(level)) for n in range(jobs)], jobs, outcomes.append
    )
    for outcome in outcomes:
        assert outcome.record is not None
        assert ["blocked 0 ignored 0" in report.ending.notes for report in outcome.seats] == [
            True,
            True,
        ]


def test_what_a_killed_arbiter_left_in_a_namespace_of_its_own_is_swept() -> None:
    """Such as bubblewrap's inner process, whose outer one was killed before it let that
    go on: it waits for ever.
    """
    need("unshare")
    arbiter = subprocess.Popen(
        ["sleep", "300"]
    )  # it lives until our own sweep: arbiters of other tests sweep, too
    marked = os.environ | {reap.MARK: f"{arbiter.pid}-{'0' * 16}"}
    words = ["unshare", *([] if os.geteuid() == 0 else ["-Ur"]), "--pid", "--fork", "sleep", "300"]
    outer = subprocess.Popen(words, env=marked, start_new_session=True)
    inner: set[int] = set()
    try:
        until(lambda: children(outer.pid) or outer.poll() is not None)
        if outer.poll() is not None:
            lacks("there are no namespaces here", may=True)
        inner = children(outer.pid)
        assert inner
        outer.kill()
        outer.wait()
        assert living(inner)
        arbiter.kill()
        arbiter.wait()
        reap.sweep()
        assert all_gone(lambda: living(inner))
    finally:
        for process in (arbiter, outer):
            process.kill()
            process.wait()
        for pid in living(inner):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("as_user", [False, True])
def test_bots_of_an_arbiter_in_a_container_are_not_swept(
    as_user: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their arbiter's number says nothing here: it may live there."""
    need("unshare")
    if as_user and os.geteuid() != 0:
        lacks("no users can be given here", may=True)
    ended = subprocess.Popen(["true"])
    ended.wait()
    bot = f"env {reap.MARK}={ended.pid}-{'0' * 16} sleep 300"
    if as_user:
        bot = f"setpriv --reuid {uids.FIRST + ended.pid % uids.PROCESSES * uids.BOTS} {bot}"
    words = [
        "unshare",
        *([] if os.geteuid() == 0 else ["-Ur"]),
        "--pid",
        "--fork",
        "sh",
        "-c",
        f"{bot} & wait",
    ]
    outer = subprocess.Popen(words, start_new_session=True)
    inner: set[int] = set()
    try:
        until(lambda: any(children(pid) for pid in children(outer.pid)) or outer.poll() is not None)
        if outer.poll() is not None:
            lacks("there are no namespaces here", may=True)
        inner = {pid for first in children(outer.pid) for pid in children(first)}
        until(lambda: all(read(pid, "cmdline").startswith("sleep") for pid in inner))
        killed: list[int] = []
        monkeypatch.setattr(reap.os, "kill", lambda pid, _: killed.append(pid))
        reap.sweep()
        monkeypatch.undo()
        assert inner
        assert not inner.intersection(killed)
    finally:
        for pid in living(inner):
            os.kill(pid, signal.SIGKILL)
        outer.kill()
        outer.wait()


def children(pid: int) -> set[int]:
    return {int(child) for child in file_of(pid, f"task/{pid}/children").split()}


def test_a_signal_to_a_worker_alone_stops_nothing(tmp_path: Path) -> None:
    """It is the arbiter's to stop."""
    words = [
        "run",
        *bots("shipped:python/random", "shipped:python/naive"),
        "--seats",
        "2",
        "--seeds",
        "8",
        "--seed",
        "x",
    ]
    running = started(*words, "-j", "2", "--isolation", "trusted", "--out", "out", cwd=tmp_path)

    def workers() -> set[int]:
        return {pid for pid in children(running.pid) if "arbiter.worker" in read(pid, "cmdline")}

    assert until(lambda: len(workers()) == 2 or running.poll() is not None)
    for pid in workers():
        for number in SIGNALS:
            os.kill(pid, number)
    _, errors = running.communicate(timeout=120)
    assert running.returncode == 0, errors
    assert "void" not in errors
    assert "fault" not in errors


@pytest.mark.parametrize("number", SIGNALS)
def test_a_stop_that_hits_when_all_is_done_keeps_the_exit_code(
    tmp_path: Path, number: signal.Signals
) -> None:
    """Python gives signals back to the system while it ends."""
    code = (
        "import atexit, os, sys\nfrom khiva_arena.interface.cli import main\nsys.argv = "
        "['khiva-arena', 'games', 'khiva']\n"
    )
    (tmp_path / "late.py").write_text(
        f"{code}atexit.register(os.kill, os.getpid(), {int(number)})\nmain.main()"
    )
    done = subprocess.run(
        [sys.executable, "-m", "late"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_interrupt_within_code_that_is_text_keeps_the_exit_code(tmp_path: Path) -> None:
    """As when a stop comes while modules with dataclasses are imported."""
    code = "import sys\nfrom khiva_arena.interface.cli import main\n"
    code += "main.cli.main = lambda *_, **__: exec('raise KeyboardInterrupt')\n"
    (tmp_path / "hit.py").write_text(code + "sys.exit(main.run([]))")
    done = subprocess.run(
        [sys.executable, "-m", "hit"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (STOPPED, b"khiva-arena: interrupted\n")


def batch_script() -> str:
    """As docs/services.md shows it."""
    page = (ROOT / "docs" / "services.md").read_text()
    return page.partition("```sh\n")[2].partition("```")[0]


@pytest.mark.parametrize(
    ("number", "code", "requeued"), [("USR1", 130, True), ("TERM", 130, False), (None, 0, False)]
)
def test_the_batch_script_stops_in_good_order_and_goes_on_when_time_is_up(
    tmp_path: Path, number: str | None, code: int, requeued: bool
) -> None:
    need("bash")
    (tmp_path / "job").write_text(batch_script())
    bots_named = '"shipped:python/random", "shipped:python/naive"'
    settings = (
        f'bots = [{bots_named}]\nseats = 2\nseeds = {2 if number is None else 300}\nout = "out"\n'
    )
    (tmp_path / "competition.toml").write_text(settings)
    programs = {
        "khiva-arena": f'exec {sys.executable} -m khiva_arena "$@"',
        "scontrol": 'echo "$@" > requeued',
    }
    for name, does in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    isolation = {"KHIVA_ARENA_RUN_ISOLATION": "trusted"}
    environment = (
        os.environ | isolation | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "7"}
    )
    with (tmp_path / "said").open("w") as said:
        running = subprocess.Popen(
            ["bash", "job"],
            cwd=tmp_path,
            env=environment,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    if number is not None:
        assert until((tmp_path / "out" / "arena.db").exists)
        running.send_signal(signal.Signals[f"SIG{number}"])
    assert running.wait(timeout=120) == code, (tmp_path / "said").read_text()
    assert (tmp_path / "requeued").exists() == requeued
    assert not requeued or (tmp_path / "requeued").read_text() == "requeue 7\n"


def test_a_hangup_is_a_stop(tmp_path: Path) -> None:
    words = [
        "run",
        *bots("shipped:python/random", "shipped:python/naive"),
        "--seats",
        "2",
        "--seeds",
        "200",
        "--seed",
        "x",
    ]
    running = started(*words, "--isolation", "trusted", "--out", "out", cwd=tmp_path)
    assert until((tmp_path / "out" / "arena.db").exists)
    running.send_signal(signal.SIGHUP)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == STOPPED
    assert says_interrupted(errors)
