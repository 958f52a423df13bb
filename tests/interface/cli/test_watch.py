"""``khiva-arena watch``: the screen, or plain lines, over a stream that another process
writes or has written.
"""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from arena import FAULTY, arena, bots
from forked_command import started
from sample_stream import begin, fault, matches, replace_line, round_
from stores import GREEDY, NAIVE, RANDOM
from terminal import Terminal
from wording import sentence

from khiva_arena.common import stream
from khiva_arena.common.stream import encoded

pytestmark = pytest.mark.slow

PLAYED = list(matches())
NOTE = stream.Note(
    t=0.1,
    text=sentence("competition", "x-bots-time", jobs="2", seats="3") + " 2 cores",
    warning=True,
)
VOID = stream.VoidRecorded(
    t=9.0, match=200, attempt=1, bots=[0, 1, 2], why="the host was \x1b[2J late", before=False
)
END = stream.RunEnded(t=61.0, how="complete", fixed=len(PLAYED), seconds=61.0, digest="d1")


def written(path: Path, *lines: stream.Any_line) -> Path:
    with path.open("ab") as file:
        file.write(b"".join(map(encoded, lines)))
    return path


def lines_of(run: Terminal) -> list[str]:
    return [line for line in run.shown.text.split("\n") if line]


def piped(*words: str, cwd: Path) -> "subprocess.Popen[str]":
    return started("watch", *words, cwd=cwd)


def test_a_run_that_is_over_is_shown_as_it_stood(tmp_path: Path) -> None:
    written(tmp_path / "events", begin(), round_(), NOTE, *PLAYED, fault(), VOID, END)
    seen = Terminal(["watch", "events"], tmp_path, stdout=True)
    assert seen.end() == 0
    lines = lines_of(seen)
    assert (
        lines[0]
        == "warning: " + sentence("competition", "x-bots-time", jobs="2", seats="3") + " 2 cores"
    )
    assert lines[1] == r"warning: void  match=200  attempt=1  why=the host was \x1b[2J late"
    assert lines[2] == "round-robin, khiva at 3 seats"
    assert lines[3].endswith("  240/240 matches 100 %")
    assert lines[4].endswith("seeds 4/4")
    assert lines[5] == "faults 1   voids 1   pauses 0"
    assert lines[7].split()[1] == "search"
    assert lines[12].split()[:4] == ["6", "random", "0.0", "0.0"]
    assert lines[13] == "Elo after 80 whole tables; +/- is 95 %, from random"
    assert lines[14:] == ["match 7  greedy  timeout  no answer within 1000 ms"]


@pytest.mark.soak
def test_its_elo_is_that_of_the_standings(tmp_path: Path) -> None:
    words = ["run", *bots(RANDOM, NAIVE, GREEDY), "--seats", "2", "--seeds", "5"]
    done = arena(
        *words,
        "--seed",
        "demo",
        "--trust-bots",
        "--json",
        "--out",
        "out",
        "--events-file",
        "events",
        cwd=tmp_path,
    )
    rows = json.loads(done.stdout)["standings"][0]["rows"]
    expected = [
        (
            row["name"],
            f"{row['bound']}{row['elo']:.1f}",
            "n/a" if row["error"] is None else f"{row['error']:.1f}",
        )
        for row in rows
    ]
    seen = Terminal(["watch", "events"], tmp_path, stdout=True)
    assert seen.end() == 0
    assert len(expected) == 3
    assert re.findall(r"^ +\d  (\S+) +(\S+) +(\S+) ", seen.shown.text, re.MULTILINE) == expected


def test_plain_lines_are_those_of_the_run(tmp_path: Path) -> None:
    words = [
        "run",
        *bots(RANDOM, f"{FAULTY} exit"),
        "--seats",
        "2",
        "--seeds",
        "2",
        "--isolation",
        "trusted",
    ]
    said = arena(
        *words, "--out", "out", "--events-file", "events", cwd=tmp_path
    ).stderr.splitlines()
    seen = arena("watch", "events", cwd=tmp_path).stdout.splitlines()
    assert seen[-1] == sentence("terminal", "run-ended-matches-recorded", how="complete", fixed="4")
    assert seen[:-1] == [
        line for line in said if not line.startswith("warning: isolation")
    ]  # that is before the event
    assert sum(line.startswith("fault ") for line in seen) == 2
    assert "  times=4  " in next(line for line in reversed(seen) if line.startswith("fault "))


def test_a_run_that_goes_on_is_followed_to_its_end(tmp_path: Path) -> None:
    path = written(tmp_path / "events", begin(), round_(), *PLAYED[:100])
    seen = Terminal(["watch", "events"], tmp_path, stdout=True)
    assert seen.until(lambda text: "  100/240 matches 41 %" in text), seen.raw
    written(path, *PLAYED[100:200])
    assert seen.until(lambda text: "  200/240 matches 83 %" in text), seen.raw
    written(path, *PLAYED[200:], NOTE, END)
    assert seen.end() == 0
    lines = lines_of(seen)
    assert (
        lines[0]
        == "warning: " + sentence("competition", "x-bots-time", jobs="2", seats="3") + " 2 cores"
    )
    assert lines[-1].startswith("Elo after 80 whole tables")
    assert seen.shown.text.count("round-robin, khiva") == 1


def test_a_run_that_was_resumed_counts_once(tmp_path: Path) -> None:
    before = [replace_line(match, before=True, t=0.0) for match in PLAYED[:90]]
    cut = encoded(PLAYED[91])[:40]
    path = written(tmp_path / "events", begin(), round_(), *PLAYED[:91])
    with path.open("ab") as file:
        file.write(cut + b"\n")
    written(path, begin(before=90), round_(), *before, *PLAYED[90:], END)
    seen = Terminal(["watch", "events"], tmp_path, stdout=True)
    assert seen.end() == 0
    assert "  240/240 matches 100 %" in seen.shown.text
    assert "lines that cannot be read 1" in seen.shown.text


def test_a_fifo_is_followed_until_nobody_writes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    process = piped("fifo", cwd=tmp_path)
    written(tmp_path / "fifo", begin(), NOTE)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert (
        out
        == "warning: " + sentence("competition", "x-bots-time", jobs="2", seats="3") + " 2 cores\n"
    )


def test_ctrl_c_leaves_the_last_frame(tmp_path: Path) -> None:
    written(tmp_path / "events", begin(), round_(), *PLAYED[:100])
    seen = Terminal(["watch", "events"], tmp_path, stdout=True)
    assert seen.until(lambda text: "whole tables" in text), seen.raw
    seen.type(b"\x03")
    assert seen.end() == 130
    assert "100/240 matches 41 %" in seen.shown.text
    assert lines_of(seen)[-1] == "khiva-arena: interrupted"


def test_off_a_terminal_ctrl_c_is_130_too(tmp_path: Path) -> None:
    written(tmp_path / "events", begin(), NOTE)
    process = piped("events", cwd=tmp_path)
    assert process.stdout
    assert (
        process.stdout.readline()
        == "warning: " + sentence("competition", "x-bots-time", jobs="2", seats="3") + " 2 cores\n"
    )
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (
            b"my diary\n",
            sentence("watch", "not-stream-events")
            + ": "
            + sentence("stream", "not-line-stream-events"),
        ),
        (
            encoded(NOTE),
            sentence("watch", "not-stream-events")
            + ": "
            + sentence("stream", "first-line-not-say"),
        ),
        (
            b'{"v":7,"type":"begin","t":0}\n',
            sentence("watch", "not-stream-events")
            + ": "
            + sentence("stream", "version-khiva-arena-reads", v="7", version="1"),
        ),
    ],
)
def test_a_file_that_is_no_stream_is_refused(data: bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(data)
    assert (
        f"khiva-arena: error: events: {why}"
        in arena("watch", "events", cwd=tmp_path, code=2).stderr
    )
    seen = Terminal(["watch", "events"], tmp_path, stdout=True)
    assert seen.end() == 2
    assert f"khiva-arena: error: events: {why}"[:70] in seen.shown.text


def test_what_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    assert (
        "missing: cannot be read: No such file"
        in arena("watch", "missing", cwd=tmp_path, code=2).stderr
    )
    assert ".: it is neither a file nor a FIFO" in arena("watch", ".", cwd=tmp_path, code=2).stderr


def test_no_text_of_a_bot_reaches_the_terminal_as_an_order(tmp_path: Path) -> None:
    evil = "\x1b[2J\x9b31m\x07\u202e\r\n"
    began = begin(bots=[evil, *begin().bots[1:]], stage=evil, game=evil, format=evil)
    told = [
        began,
        round_(),
        *PLAYED,
        fault(bot=0, detail=evil, verdict=evil),
        stream.Note(t=50.0, text=evil, warning=False),
    ]
    written(tmp_path / "events", *told, END)
    seen = Terminal(
        ["watch", "events"], tmp_path, stdout=True
    )  # raises on an escape sequence that is not ours
    assert seen.end() == 0
    for bad in ("\x9b", "\x07", "\u202e"):
        assert bad not in seen.raw.decode()
    assert b"\x1b[2J" not in seen.raw
    assert r"\x1b[2J\x9b31m\x07\u202e\r\n" in seen.shown.text
    plain = arena("watch", "events", cwd=tmp_path).stdout
    assert all(line.isprintable() for line in plain.splitlines())
