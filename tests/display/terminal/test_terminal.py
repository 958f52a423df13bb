"""A run on a real terminal: the live screen, who may end it, and what is left of it.
And shipped bots, as far as their language is here, which `make run` leans on.
"""

import os
import pty
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from arena import arena, bots, descendants, living
from once import made_once
from quick_bots import quick_program
from rich.cells import cell_len
from sample_stream import begin
from stores import FORFEITS, NAIVE, RANDOM, TRUSTED
from terminal import Terminal, take_terminal
from waiting import until
from wording import pattern, sentence

from khiva_arena.bots.sandbox.detect import best
from khiva_arena.common.stream import Note, encoded
from khiva_arena.display.terminal.tty import can_draw, in_front

pytestmark = pytest.mark.slow

SHORT = ("--trust-bots", "--rule", "max_turns=8", "--seats", "2", "--seed", "seen", "--out", "out")
PAIR = ["run", *bots(RANDOM, NAIVE), *SHORT]


@made_once
def late(folder: Path) -> None:
    """Two bots that take a moment to start, in which nothing is computed: a run lasts
    until its screen has come.
    """
    for name, how in (("random", "lots"), ("naive", "first")):
        (folder / name).mkdir()
        (folder / name / "bot").write_bytes(quick_program())
        (folder / name / "program").write_text(f"#!/bin/sh\nsleep 0.1\nexec ./bot {how}\n")
        (folder / name / "bot.toml").write_text(f'name = "{name}"\nrun = "./program"\n')
        for program in ("bot", "program"):
            (folder / name / program).chmod(0o755)


def slowly(late: Path, seeds: int) -> list[str]:
    return [
        "run",
        *bots(str(late / "random"), str(late / "naive")),
        *SHORT,
        "-j",
        "1",
        "--seeds",
        str(seeds),
    ]


def screen_of(run: Terminal) -> int:
    """The process that draws."""
    return next(
        pid
        for pid in descendants(run.process.pid)
        if b"khiva_arena.display.terminal.screen" in _command(pid)
    )


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def drawing(text: str) -> bool:
    return "whole tables" in text


def lines_of(run: Terminal) -> list[str]:
    return [line for line in run.shown.text.split("\n") if line]


@pytest.mark.soak
def test_a_run_draws_one_screen_and_leaves_none(tmp_path: Path) -> None:
    run = Terminal([*PAIR, "--seeds", "25"], tmp_path)
    assert run.until(lambda text: re.search(r"[1-9]\d*/50 matches \d+ %", text)), run.raw
    seen = run.shown.text
    assert seen.count("round-robin, khiva at 2 seats") == 1
    assert "faults 0   voids 0   pauses 0" in seen
    assert run.end() == 0
    said = arena(*PAIR[:-1], "apart", "--seeds", "25", cwd=tmp_path).stderr
    left = [line for line in said.splitlines() if "apart" not in line]
    assert (
        " ".join(lines_of(run)[:-1]).split() == " ".join(left).split()
    )  # all but where the results are; it wraps lines
    assert b"\x1b[?" not in run.raw  # no mode is set that would have to be set back


def test_a_screen_follows_its_terminal_shows_elo_with_its_error_and_goes_at_an_interrupt(
    late: Path, tmp_path: Path
) -> None:
    run = Terminal(slowly(late, 5000), tmp_path, stdout=True)
    assert run.until(drawing), run.raw
    run.size(12, 44)
    narrow = r"matches/s +left .+\nseeds \d+/5000  faults 0  voids 0\n"
    assert run.until(lambda text: re.search(narrow, text)), run.raw
    frame = re.search(r"(?s)\nseeds \d+/5000  faults 0  voids 0\n(.*)", run.shown.text)[1]
    assert all(cell_len(line) <= 44 for line in frame.split("\n"))
    run.size(24, 80)
    assert run.until(lambda text: "95 % at any look, from random" in text), run.raw
    row = next(line for line in lines_of(run) if re.match(r" +\d  naive ", line))
    assert re.fullmatch(r"  \d  naive +(n/a|(>=|<=)?-?\d+\.\d +(\d+\.\d|n/a)) +\d+\.\d +\d+", row)
    below = descendants(run.process.pid)
    run.type(b"\x03")
    assert run.end() == 130
    assert not living(below)
    lines = lines_of(run)
    assert "matches/s" not in run.shown.text
    told = pattern(
        "competition",
        "interrupted-same-command-resumes",
        how_far=r"\d+ of 10000 matches are recorded",
    )
    assert [bool(re.fullmatch(told, line)) for line in lines if "interrupted" in line] == [True]
    assert b"\nrank  bot " in run.raw.rpartition(b"interrupted: ")[2], "the table so far"


def test_a_terminal_that_cannot_draw_gets_plain_lines(tmp_path: Path) -> None:
    run = Terminal([*PAIR, "--seeds", "1"], tmp_path, term="dumb")
    assert run.end() == 0
    assert b"\x1b" not in run.raw
    warned = 0 if best().confines else 2  # lines, in which bots are trusted
    assert lines_of(run)[warned].startswith("event ")


def test_nothing_is_drawn_elsewhere(tmp_path: Path) -> None:
    unseen = arena(*PAIR, "--seeds", "1", cwd=tmp_path).stderr
    assert "\r" not in unseen
    assert "\x1b" not in unseen
    assert "matches/s" not in unseen


def crashing(late: Path, jobs: int, seeds: int) -> list[str]:
    how = ("--seats", "2", "--out", "out", "-j", str(jobs), "--seeds", str(seeds))
    return ["run", *bots(str(late / "random"), FORFEITS), *TRUSTED, *how]


def crashed(text: str) -> bool:
    return bool(re.search(r"^1/\d+  \S+  crashed  ", text, re.MULTILINE))


@pytest.mark.soak
def test_faults_are_seen_as_they_happen(late: Path, tmp_path: Path) -> None:
    run = Terminal(crashing(late, 2, seeds=5000), tmp_path)
    assert run.until(crashed), run.raw
    run.type(b"\x03")
    assert run.end() == 130
    assert "crashed" not in run.shown.text


@pytest.mark.soak
def test_a_screen_that_dies_is_followed_by_plain_lines(late: Path, tmp_path: Path) -> None:
    run = Terminal(crashing(late, 1, seeds=20), tmp_path, apart=True)
    assert run.until(crashed), run.raw
    os.kill(screen_of(run), signal.SIGKILL)
    assert run.until(lambda text: "\nfault  1/" in text), run.raw
    assert run.end() == 0
    assert lines_of(run)[-1].startswith("results are in out; next: ")


@pytest.mark.soak
def test_a_screen_that_hangs_stops_nobody(late: Path, tmp_path: Path) -> None:
    run = Terminal(slowly(late, 12), tmp_path)
    assert run.until(drawing), run.raw
    screen = screen_of(run)
    os.kill(screen, signal.SIGSTOP)
    assert run.end() == 0
    assert not living({screen})
    assert lines_of(run)[-1].startswith("results are in out; next: ")


@pytest.mark.soak
def test_a_screen_whose_stream_ends_is_followed_by_plain_lines(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_bytes(encoded(begin()) + encoded(Note(t=1.0, text="x" * 2_000_000, warning=False)))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (path.stat().st_size + 7_000, before[1])
    )  # the store's files stay below that
    try:
        run = Terminal([*PAIR, "--seeds", "20", "--events-file", "events"], tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert run.until(drawing), run.raw
    assert run.end() == 0
    assert (
        run.shown.text.count(
            "warning: " + sentence("competition", "stream-events") + " stops here: File too large"
        )
        == 1
    )
    assert lines_of(run)[-1].startswith("results are in out; next: ")


def test_a_screen_ends_with_its_run(late: Path, tmp_path: Path) -> None:
    run = Terminal(slowly(late, 5000), tmp_path)
    assert run.until(drawing), run.raw
    screen = screen_of(run)
    run.process.kill()
    assert until(lambda: not living({screen}))
    run.end()


def test_who_is_stopped_or_in_the_background_has_left_the_terminal() -> None:
    ours, theirs = pty.openpty()
    stream = os.fdopen(theirs, "w")
    code = "import os, time\nif os.fork() == 0: os.setpgid(0, 0)\ntime.sleep(100)"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=stream, start_new_session=True, preexec_fn=take_terminal
    )
    try:
        assert until(lambda: [pid for pid in descendants(process.pid) if os.getpgid(pid) == pid])
        behind = descendants(process.pid).pop()
        assert in_front(process.pid, stream)
        assert not in_front(behind, stream)
        process.send_signal(signal.SIGSTOP)
        assert until(lambda: not in_front(process.pid, stream))
        process.send_signal(signal.SIGCONT)
        assert until(lambda: in_front(process.pid, stream))
        with open(os.devnull, "w") as elsewhere:
            assert in_front(behind, elsewhere)  # not its terminal: nothing says that it has left
    finally:
        os.kill(behind, signal.SIGKILL)
        process.kill()
        process.wait()
        stream.close()
        os.close(ours)
    assert not in_front(process.pid, sys.__stderr__)


def test_what_can_draw(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    stream = os.fdopen(theirs, "w")
    monkeypatch.setenv("TERM", "xterm")
    with (tmp_path / "file").open("w") as file:
        assert not can_draw(file)
    assert can_draw(stream)
    assert not can_draw(None)
    for term in ("dumb", ""):
        monkeypatch.setenv("TERM", term)
        assert not can_draw(stream)
    stream.close()
    assert not can_draw(stream)
    os.close(ours)


@pytest.mark.soak
def test_a_shipped_bot_whose_language_is_missing_is_left_out_by_name(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    env = {"PATH": str(tools)}
    done = arena(
        "run",
        "--shipped",
        "--seats",
        "4",
        "--seeds",
        "1",
        "--out",
        "out",
        "--rule",
        "max_turns=2",
        "--trust-bots",
        cwd=tmp_path,
        env=env,
    )
    assert re.search(
        pattern(
            "bots",
            "left-out-not-machine",
            word="shipped:c/random",
            title="C",
            language="apt install gcc libc6-dev",
        ),
        done.stderr,
    )
    assert re.search(
        pattern(
            "bots",
            "left-out-not-machine",
            word="shipped:javascript/random",
            title="JavaScript",
            language="apt install nodejs",
        ),
        done.stderr,
    )
    for name in ("random", "naive", "greedy", "search"):
        assert re.search(rf"\d  {name} ", done.stdout)
    assert "random-c" not in done.stdout
    assert "search-deep" not in done.stdout, "a slow bot is for those who ask for it"
    lacks = arena("bots", cwd=tmp_path, env=env).stdout
    assert re.search(r"random-c +any +apt install gcc libc6-dev", lacks)
