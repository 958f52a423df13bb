"""``match --trace``, ``--capture`` and ``--notes``: what went to and from the bots, and
what they wrote on stderr.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from pathlib import Path
from typing import Any

import msgpack
import pytest
import trio
import trio.testing
from arena import FAULTY, ROOT, arena, bots, descendants, living
from disks import fill, small_disk
from forked_command import Forked
from jobs import job
from once import made_once
from scripted import ScriptedWire, act, honest, play
from stores import FORFEITS, NAIVE, RANDOM
from waiting import until
from wording import pattern, sentence

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.match import Job, LiveMatch
from khiva_arena.arbiter.trace import OPENED_MOST, STDERR_LINES, Trace
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.display.terminal import console
from khiva_arena.display.terminal.console import BufferedStderr

pytestmark = pytest.mark.slow

LINE = re.compile(r" *(\d+\.\d) ms  (\S+#\d) ([<>|x!]) (.*)")
FLOOD = """
import os, threading
def flood():
    while True:
        os.write(2, b"\\n" * 65_536)
threading.Thread(target=flood, daemon=True).start()
"""


def traced(text: str) -> list[tuple[float, str, str, str]]:
    """The lines of a trace: time, seat, sign, what."""
    found = [LINE.fullmatch(line) for line in text.splitlines()]
    return [(float(one[1]), one[2], one[3], one[4]) for one in found if one]


@made_once
def store(folder: Path) -> None:
    arena(
        "run",
        *bots(RANDOM, NAIVE),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--seed",
        "demo",
        "--out",
        "out",
        cwd=folder,
    )


def test_a_trace_shows_both_directions_and_changes_nothing(tmp_path: Path) -> None:
    words = ["match", *bots(RANDOM, NAIVE), "--seed", "demo"]
    plain = arena(*words, cwd=tmp_path)
    done = arena(*words, "--trace", cwd=tmp_path)
    assert done.stdout == plain.stdout
    lines = traced(done.stderr)
    assert [(seat, sign, what.split()[0]) for _, seat, sign, what in lines[:2]] == [
        ("random#0", ">", "hello"),
        ("naive#1", ">", "hello"),
    ]
    kinds = {(sign, what.split()[0]) for _, _, sign, what in lines}
    assert kinds >= {(">", "hello"), (">", "decide"), (">", "end"), ("<", "hello"), ("<", "act")}
    assert all(len(what) < 460 for *_, what in lines)
    assert any("characters)" in what for *_, what in lines)
    whole = traced(arena(*words, "--trace", "--full", cwd=tmp_path).stderr)
    assert len(whole) == len(lines)
    assert not any("characters)" in what for *_, what in whole)
    asked = next(what for _, _, sign, what in whole if sign == ">" and what.startswith("decide "))
    assert {"view", "legal"} <= json.loads(asked.partition(" ")[2]).keys()


def test_what_is_wrong_and_what_is_said_on_stderr_is_shown(tmp_path: Path) -> None:
    crashing = arena("match", *bots(RANDOM, FORFEITS), "--seed", "demo", "--trace", cwd=tmp_path)
    assert any(
        sign == "|" and "no idea what to play" in what
        for _, _, sign, what in traced(crashing.stderr)
    )
    assert any(
        (sign, what) == ("<", "end of output") for _, _, sign, what in traced(crashing.stderr)
    )
    printing = traced(
        arena(
            "match", *bots(RANDOM, f"{FAULTY} print 2"), "--seed", "demo", "--trace", cwd=tmp_path
        ).stderr
    )
    assert any(
        sign == "<" and what.startswith("? 7468696e6b696e67") and "thinking hard" in what
        for _, _, sign, what in printing
    )
    assert any(sign == "x" for _, _, sign, _ in printing)


def test_no_answer_is_shown_before_all_have_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast seat's first act comes at 1 ms, the slow one's at 500 ms: when the first
    is shown, both are in.
    """
    wires: list[ScriptedWire] = []
    shown: list[tuple[float, str, int]] = []

    def write(line: str) -> None:
        at, _, what = line.split(maxsplit=2)
        shown.append((float(at), what, sum(" < " in entry for entry in wires[0].log)))

    def match(made: Job, wire: ScriptedWire, lag: LagMeter) -> LiveMatch:
        wires.append(wire)
        return LiveMatch(made, Trace(["bot#0", "bot#1"], write).around(wire), lag)

    def slow(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return act(message, delay=0.5) if message["type"] == "decide" else honest(message)

    monkeypatch.setattr("scripted.live_match", match)
    outcome, _ = play(job([Command((), "")] * 2), [honest, slow])
    assert outcome.record is not None
    first, second, *_ = [entry for entry in shown if " < act" in entry[1]]
    assert (first[1][:5], second[1][:5]) == ("bot#0", "bot#1")
    assert first[2] == 4  # two greetings and both acts had come
    assert second[0] - first[0] == pytest.approx(499, abs=2)


def test_a_large_frame_of_a_bot_is_not_opened_for_show(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def large(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        return (
            act(message, x=[[]] * OPENED_MOST) if message["type"] == "decide" else honest(message)
        )

    monkeypatch.setattr(
        "scripted.live_match",
        lambda made, wire, lag: LiveMatch(made, Trace("ab", shown.append).around(wire), lag),
    )
    outcome, _ = play(job([Command((), "")] * 2), [honest, large])
    assert outcome.record is not None
    told = [line for line in shown if " b < " in line and "hello" not in line]
    assert told
    assert all(
        re.search(r"b < 82\d\d bytes, not opened here: 84a474797065a3616374", line) for line in told
    )
    assert all("not opened" not in line for line in shown if " a < " in line)


# --- what floods, and what is not read ---


def heard(*steps: tuple[float, bytes]) -> tuple[list[str], list[str]]:
    """What is shown of a bot's stderr when so much comes at these seconds: each write,
    and the text of each line.
    """
    writes: list[str] = []

    async def hear() -> None:
        trace = Trace(["bot"], writes.append)
        for at, data in steps:
            await trio.sleep_until(began + at)
            trace.on_stderr(0, data)
        trace.end_stderr()

    async def run() -> None:
        nonlocal began
        began = trio.current_time()
        await hear()

    began = 0.0
    trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
    return writes, [line.split("bot ", 1)[1] for write in writes for line in write.split("\n")]


def test_a_flood_on_stderr_is_a_write_a_chunk_and_a_few_lines_a_second() -> None:
    writes, lines = heard(
        *[(0.01 * number, b"\n" * 65_536) for number in range(150)], (2.5, b"end\n")
    )
    assert len(writes) == 3
    assert lines.count("| ") == 2 * STDERR_LINES
    assert [line for line in lines if line != "| "] == [
        "! ... "
        + sentence(
            "arbiter",
            "bytes-stderr-not-shown",
            size=100 * 65536 - STDERR_LINES,
            lines=100 * 65536 - STDERR_LINES,
        ),
        "! ... "
        + sentence(
            "arbiter",
            "bytes-stderr-not-shown",
            size=50 * 65536 - STDERR_LINES,
            lines=50 * 65536 - STDERR_LINES,
        ),
        "| end",
    ]
    _, (first, rest) = heard((0.0, b"x" * 100_000))
    assert (len(first), rest) == (
        2 + 32_768,
        "! ... " + sentence("arbiter", "bytes-stderr-not-shown", size="67232", lines="0"),
    )


def test_lines_of_stderr_come_whole_however_they_are_cut() -> None:
    text = "".join(f"line {number} \u20ac\n" for number in range(20)).encode() + b"last"
    for size in (1, 2, 3, 7, 1_000):
        _, lines = heard(*[(0.0, text[at : at + size]) for at in range(0, len(text), size)])
        assert lines == [f"| line {number} \u20ac" for number in range(20)] + ["| last"]
    for lead in range(3):
        _, lines = heard(
            (0.0, b"x" * (1_000 - lead) + "\u20ac".encode()[:2]),
            (0.0, "\u20ac".encode()[2:] + b"y\n"),
        )
        assert "".join(line[2:] for line in lines) == "x" * (1_000 - lead) + "\u20acy"


def test_a_bot_that_floods_stderr_does_not_hold_up_a_traced_match(tmp_path: Path) -> None:
    (tmp_path / "flood.py").write_text(
        FLOOD + (ROOT / "tests" / "support" / "faulty.py").read_text()
    )
    words = ["match", *bots("{python} flood.py honest 0", NAIVE), "--seed", "demo", "--turn", "20s"]
    began = time.monotonic()
    plain = arena(*words, cwd=tmp_path)
    lasted = time.monotonic() - began
    done = arena(*words, "--trace", cwd=tmp_path, seconds=10 + 5 * lasted)
    assert done.stdout == plain.stdout
    lines = traced(done.stderr)
    assert any(
        sign == "!" and sentence("arbiter", "bytes-stderr-not-shown-2") in what
        for *_, sign, what in lines
    )
    assert sum(sign == "|" for *_, sign, _ in lines) <= STDERR_LINES * (1 + lines[-1][0] / 1_000)


def unread(*words: str, cwd: Path) -> "subprocess.Popen[str]":
    """Start ``khiva-arena``, its stderr a pipe that takes 4 KiB."""
    ours, theirs = os.pipe()
    fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, 4_096)
    process = Forked(words, cwd=cwd, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    process.stderr = os.fdopen(ours, encoding="utf-8")
    return process


def test_a_match_plays_on_while_nobody_reads_its_trace(tmp_path: Path) -> None:
    words = ["match", *bots(RANDOM, NAIVE), "--seed", "demo", "--trace", "--capture", "raw"]
    with unread(*words, cwd=tmp_path) as process:
        captured = tmp_path / "raw" / "seat-0.to-bot"
        assert until(lambda: captured.is_file() and b"decide" in captured.read_bytes())
        assert until(lambda: not descendants(process.pid))
        sent = arena("decode", "raw/seat-0.to-bot", cwd=tmp_path).stdout.splitlines()
        assert sent[-1].split()[3] == "end"
        out, said = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "digest" in out
    assert sum((seat, sign) == ("random#0", ">") for _, seat, sign, _ in traced(said)) == len(sent)
    assert "not shown" not in said


@pytest.mark.parametrize("how", ["played", "playing"])
def test_an_interrupt_ends_a_match_whose_trace_nobody_reads(how: str, tmp_path: Path) -> None:
    words = [
        "match",
        *bots(f"{FAULTY} silent 5" if how == "playing" else RANDOM, RANDOM),
        "--seed",
        "demo",
        "--turn",
        "60s",
    ]
    with unread(*words, "--trace", "--capture", "raw", cwd=tmp_path) as process:
        captured = tmp_path / "raw" / "seat-0.to-bot"
        assert until(lambda: captured.is_file() and b"decide" in captured.read_bytes())
        if how == "played":
            assert until(lambda: not descendants(process.pid))
        else:
            assert until(lambda: captured.read_bytes().count(b"decide") == 5)
            assert living(descendants(process.pid))
        alive = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert not living(alive)


@contextmanager
def stderr_is(kind: str) -> Iterator[int]:
    """Stderr is a pipe of 4 KiB, or a terminal, whose other end this gives. Not a
    fixture: pytest sets its own for each test.
    """
    ours, theirs = os.pipe() if kind == "pipe" else pty.openpty()
    if kind == "pipe":
        fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, 4_096)
    with open(theirs, "w", encoding="utf-8") as stderr, redirect_stderr(stderr):
        yield ours
    os.close(ours)


@pytest.mark.parametrize("kind", ["pipe", "terminal"])
def test_what_is_not_read_in_time_is_dropped_and_counted(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "HELD_MOST", 10_000)
    got = bytearray()

    def read() -> None:
        while b"after" not in got:
            got.extend(os.read(reader, 65_536))

    with stderr_is(kind) as reader, BufferedStderr() as lines:
        for number in range(3_000):
            lines(f"{number}\n{'x' * 50}")
        thread = threading.Thread(target=read)
        thread.start()
        assert until(lambda: got)
        assert until(lambda: not select.select([reader], [], [], 0)[0])  # there is room then
        lines("after")
        lines.__exit__(None)
        thread.join(timeout=10)
    found = got.decode().replace("\r\n", "\n").splitlines()
    told = [
        re.fullmatch(
            r"\.\.\. " + pattern("terminal", "lines-not-shown-stderr", dropped=r"(\d+)"), line
        )
        for line in found
    ]
    dropped = [int(one[1]) for one in told if one]
    assert sum(dropped) + len(found) - len(dropped) == 2 * 3_000 + 1
    assert dropped
    assert found[:2] == ["0", "x" * 50]
    assert found[-1] == "after"
    numbers = [int(line) for line in found if line.isdecimal()]
    assert numbers == sorted(numbers)
    assert found.count("x" * 50) == len(numbers)


@pytest.mark.parametrize("kind", ["pipe", "terminal"])
def test_an_interrupt_gives_up_a_stderr_that_nobody_reads(kind: str) -> None:
    began = time.monotonic()
    with stderr_is(kind):
        with suppress(KeyboardInterrupt), BufferedStderr() as lines:
            for number in range(1_000):
                lines(f"{number} {'x' * 997}")
            assert time.monotonic() - began < 1
            raise KeyboardInterrupt
        assert time.monotonic() - began < 5
        assert os.readlink(f"/proc/self/fd/{sys.stderr.fileno()}") == os.devnull


# --- raw bytes ---


def test_captured_bytes_are_frames_and_nothing_is_written_over(store: Path, tmp_path: Path) -> None:
    words = ["match", "--from", str(store / "out"), "0", "--capture", "raw"]
    arena(*words, cwd=tmp_path)
    assert sorted(path.name for path in (tmp_path / "raw").iterdir()) == [
        "seat-0.from-bot",
        "seat-0.to-bot",
        "seat-1.from-bot",
        "seat-1.to-bot",
    ]
    sent = arena(
        "decode", "--to-bot", "--json", "raw/seat-1.to-bot", cwd=tmp_path
    ).stdout.splitlines()
    came = arena(
        "decode", "--to-arbiter", "--json", "raw/seat-1.from-bot", cwd=tmp_path
    ).stdout.splitlines()
    reqs = [json.loads(line)["message"]["req"] for line in sent if '"decide"' in line]
    assert reqs == [json.loads(line)["message"]["req"] for line in came[1:]]
    data = (tmp_path / "raw" / "seat-0.to-bot").read_bytes()
    assert msgpack.unpackb(data[4 : 4 + int.from_bytes(data[:4], "big")])["seat"] == 0
    assert "exists already" in arena(*words, cwd=tmp_path, code=2).stderr
    (tmp_path / "file").touch()
    assert "cannot be written" in arena(*words[:-1], "file/raw", cwd=tmp_path, code=2).stderr


def test_a_capture_that_is_cut_short_is_said_so(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        fill(disk, leave=4_096)
        done = arena(
            "match",
            *bots(RANDOM, NAIVE),
            "--seed",
            "demo",
            "--capture",
            "disk/raw",
            cwd=tmp_path,
            code=1,
        )
        kept = sum(path.stat().st_size for path in (disk / "raw").iterdir())
    assert "digest " in done.stdout
    assert kept <= 4_096
    error = (
        "--capture disk/raw: not all bytes are kept: No space left on device; capture again "
        "elsewhere"
    )
    assert done.stderr == f"khiva-arena: error: {error}\n"


def test_what_could_not_begin_leaves_no_files_in_the_way(tmp_path: Path) -> None:
    words = ["match", "--seed", "demo", "--capture", "raw"]
    arena(*words, *bots("{python} nothing.py", NAIVE), cwd=tmp_path, code=2)
    assert not (tmp_path / "raw").exists()
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "seat-1.to-bot").touch()
    assert (
        "seat-1.to-bot: exists already"
        in arena(*words, *bots(RANDOM, NAIVE), cwd=tmp_path, code=2).stderr
    )
    assert [path.name for path in (tmp_path / "raw").iterdir()] == ["seat-1.to-bot"]


# --- notes ---


def test_notes_are_shown_with_marks(tmp_path: Path) -> None:
    words = ["match", *bots(RANDOM, FORFEITS), "--seed", "demo"]
    lines = arena(*words, "--notes", cwd=tmp_path).stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("--- stderr of seat 1"))
    assert re.fullmatch(r"\[step \d+: \w+\]", lines[at + 1])
    assert lines[at + 2] == "  Traceback (most recent call last):"
    assert (
        "--notes cannot go with --json, which prints only the record"
        in arena(*words, "--notes", "--json", cwd=tmp_path, code=2).stderr
    )


def test_stored_notes_are_shown_with_marks(tmp_path: Path) -> None:
    arena(
        "run", *bots(RANDOM, FORFEITS), "--seats", "2", "--seeds", "1", "--out", "out", cwd=tmp_path
    )
    lines = arena("show", "out", "0", "--notes", cwd=tmp_path).stdout.splitlines()
    at = next(
        i
        for i, line in enumerate(lines)
        if line.startswith("--- stderr of seat") and line.endswith("bytes)")
    )
    assert re.fullmatch(r"\[step \d+: \w+\]", lines[at + 1])
    assert lines[at + 2] == "  Traceback (most recent call last):"
