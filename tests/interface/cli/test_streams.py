"""Broken streams and signals: what nobody reads ends no run, and every way to be ended
is 130 and resumable.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from arena import FAULTY, arena, bots, kill, started
from stores import NAIVE, RANDOM
from waiting import until
from wording import sentence

from khiva_arena.display.terminal import interrupts
from khiva_arena.interface.cli import main

pytestmark = pytest.mark.slow

ARENA = f"{sys.executable} -m khiva_arena"
NO_TOOLS = "PATH=/nowhere"
"""Before a command that would look which languages are there."""
FAULTS = "--bot {random} --bot '{faulty} raise 2' --seats 2 --seeds 3 --seed x --out out"
WORDS = FAULTS.format(random=RANDOM, faulty=FAULTY)


def shell(script: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.soak
@pytest.mark.parametrize(
    "stderr", ["2>&1 | head -1", "2>&1 >/dev/null | head -c 1", "2>/dev/full", "2>&-"]
)
def test_nobody_reads_the_messages_and_the_run_plays_on(tmp_path: Path, stderr: str) -> None:
    done = shell(f"{ARENA} run {WORDS} {stderr}; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert done.returncode == 0, done.stdout
    assert "6 of 6 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout


@pytest.mark.parametrize("words", ["-h", "bots", "games --json"])
def test_a_full_disk_under_stdout_is_one_line(tmp_path: Path, words: str) -> None:
    done = shell(f"{NO_TOOLS} {ARENA} {words} > /dev/full", tmp_path)
    said = "the output cannot be written: " + sentence("sandbox", "no-space-left-device")
    if "--json" in words:
        assert json.loads(done.stderr) == {"v": 1, "code": 1, "message": said, "next": []}
    else:
        assert done.stderr == f"khiva-arena: error: {said}\n"
    assert done.returncode == 1


def test_a_reader_of_stdout_that_has_gone_is_no_error(tmp_path: Path) -> None:
    for words in ("-h", "bots", "games --json"):
        done = shell(f"{NO_TOOLS} {ARENA} {words} | true; exit ${{PIPESTATUS[0]}}", tmp_path)
        assert (done.returncode, done.stderr) == (0, "")


def test_no_other_broken_pipe_is_taken_for_stdout_s(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(main.cli, "main", broken)
    assert main.run(["games"]) == 70
    assert "this is a bug" in capsys.readouterr().err


def test_a_log_that_cannot_be_opened_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "out" / "log.jsonl").mkdir(parents=True)
    done = arena(
        "run", *bots(RANDOM, NAIVE), "--seats", "2", "--seeds", "1", "--out", "out", cwd=tmp_path
    )
    assert "this run has no log" in done.stderr
    assert "2 of 2 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout


def _begun(path: Path) -> None:
    assert until(path.exists)


def test_a_background_job_with_sigint_ignored_is_ended_by_sigterm(tmp_path: Path) -> None:
    before = signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # as a script's shell does for what it runs with &
    try:
        words = ["run", *bots(RANDOM, NAIVE), "--seats", "2", "--seeds", "50000", "--out", "out"]
        running = started(*words, cwd=tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    _begun(tmp_path / "out" / "log.jsonl")
    kill(running, signal.SIGTERM)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130, said
    assert sentence("cli", "same-command-resumes") in said


INTERRUPTED = """
import sys
from khiva_arena.interface.cli import main
from khiva_arena.competition.run import own_events

def interrupted(*_, **__):
    raise KeyboardInterrupt

own_events.standing_of = interrupted
sys.exit(main.run(sys.argv[1:]))
"""


def test_an_interrupt_between_two_steps_of_the_start_says_how_to_continue(tmp_path: Path) -> None:
    """The log is there already, the event is not: a signal that comes just then must
    not end in silence.
    """
    words = ["run", *bots(RANDOM, NAIVE), "--seats", "2", "--seeds", "1", "--out", "out"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (
        done.stderr.count(
            sentence(
                "competition",
                "interrupted-same-command-resumes",
                how_far=sentence("run", "no-match-begun"),
            )
        )
        == 1
    )


def test_nohup_outlives_the_terminal(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        words = ["run", *bots(RANDOM, NAIVE), "--seats", "2", "--seeds", "5", "--out", "out"]
        running = started(*words, cwd=tmp_path)
    finally:
        signal.signal(signal.SIGHUP, before)
    _begun(tmp_path / "out" / "log.jsonl")
    kill(running, signal.SIGHUP)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 0, said


def test_a_second_interrupt_does_not_hide_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main.cli, "main", interrupted)
    monkeypatch.setattr(interrupts, "_handled", [signal.SIGINT])
    before = signal.getsignal(signal.SIGINT)
    try:
        assert main.run(["games"]) == 130
        os.kill(os.getpid(), signal.SIGINT)  # would raise here
    finally:
        signal.signal(signal.SIGINT, before)


IN_A_CLASS = """
import os, signal
from khiva_arena.interface.cli import main
class Named:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
def command(*words, **more):
    type("Made", (), {"one": Named()})
main.cli.main = command
main.main()
"""


def test_an_interrupt_while_a_class_is_made_is_one() -> None:
    """Python 3.11 makes a RuntimeError of it, as in the import of any module with an
    enumeration.
    """
    done = subprocess.run(
        [sys.executable, "-c", IN_A_CLASS], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (130, "khiva-arena: interrupted\n")


LOST = """
import gc, os, signal, sys, time
from khiva_arena.interface.cli import main
class Deleted:
    def __init__(self):
        self.me = self
    def __del__(self):
        os.kill(os.getpid(), signal.{name})
        for _ in range(1000):
            pass
def command(*words, **more):
    Deleted()
    gc.collect()
    time.sleep(60)
main.cli.main = command
main.main()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupt_while_an_object_is_deleted_is_not_lost(name: str, tmp_path: Path) -> None:
    """Python drops what is raised there."""
    command = [sys.executable, "-c", LOST.format(name=name)]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (130, "khiva-arena: interrupted\n")
