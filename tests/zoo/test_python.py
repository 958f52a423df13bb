"""Ways to misbehave in Python, in ticks: each has its verdict, the match is recorded,
and the other seat plays to its end.
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from arena import ROOT
from module_matches import job
from python import payload_folder
from table import CRASHED, FLOODED, ILLEGAL, OK, PROTOCOL, START_FAILED, TIMEOUT
from test_modules import hold_ticks
from wording import sentence

from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Clock, Verdict
from khiva_arena.entrants import bots, staging

pytestmark = [pytest.mark.language, pytest.mark.slow, pytest.mark.xdist_group("python")]

KIT = ROOT / "bots" / "python" / "kit" / "khiva_kit.py"
TIME = {"startup_ms": 300, "turn_ms": 300}
BEFORE = """
import sys
from khiva_kit import read_frame, write_frame
source, sink = open(0, "rb"), open(1, "wb")
def answer(message, more=0):
    write_frame(sink, {"type": "act", "req": message["req"], "choice": more})
decisions = 0
while (message := read_frame(source)) is not None:
    if message["type"] == "hello":
        write_frame(sink, {"type": "hello", "proto": 1, "name": "zoo"})
    elif message["type"] == "decide":
        decisions += 1
        if decisions != 2:
            answer(message)
        else:
"""
"""A bot that answers each question, but the second one in the way that comes behind
these lines.
"""
USED = "^" + sentence("arbiter", "ticks-used", used="([0-9,]+)", limit="[0-9,]+")


class Row(NamedTuple):
    """What a bot does at its second question, its verdict, and what is found in the
    detail of its fault and in its notes.
    """

    code: str
    verdict: Verdict
    detail: str = ""
    notes: str = ""


def crashes(code: str, notes: str) -> Row:
    """A bot that raises."""
    return Row(code, CRASHED, "^exited with code 1$", notes)


ROWS = {
    "honest": Row("answer(message)", OK),
    "raises": crashes(
        "raise ValueError('no idea')", r'main\.py", line 16, in <module>\n.*\nValueError: no idea\n'
    ),
    "exits": Row("sys.exit()", CRASHED, "^exited with code 0$"),
    "never-ends": Row("while True: pass", TIMEOUT, USED),
    "says-nothing": Row("pass", TIMEOUT, USED),
    "sleeps": Row("import time; time.sleep(3600)", TIMEOUT, USED),
    "threads": crashes(
        "import threading; threading.Thread(target=answer, args=(message,)).start()",
        "threads are not available",
    ),
    "choice-beyond": Row("answer(message, 10_000)", ILLEGAL),
    "choice-a-string": Row("answer(message, '1')", PROTOCOL),
    "choice-a-float": Row("answer(message, .5)", PROTOCOL),
    "another-request": Row("answer({'req': message['req'] + 7})", PROTOCOL),
    "answers-twice": Row("answer(message); answer(message)", OK),
    "answers-for-ever": Row("while True: answer(message)", FLOODED),
    "no-message": Row("write_frame(sink, {})", PROTOCOL),
    "no-frame": Row("sink.write(b'hello there'); sink.flush()", PROTOCOL),
    "a-large-message": Row("write_frame(sink, {'a': 'x' * 65_535, 'b': 'x' * 65_535})", PROTOCOL),
    "notes-for-ever": Row("while True: print('x' * 1000)", TIMEOUT, USED, "x{1000}"),
    "recurses": crashes("f = lambda: f(); f()", "RecursionError: maximum recursion depth exceeded"),
    "recurses-caught": Row(
        "try: (f := lambda: f())()\n            except RecursionError: answer(message)", OK
    ),
    "recurses-in-c": crashes("f = lambda x: sorted([1, 2], key=f); f(0)", "RecursionError"),
    "memory": crashes("a = []\n            while True: a.append(bytes(10**5))", "MemoryError"),
    # of what is left beside some: to use up all by calls takes more ticks than this
    # turn has
    "memory-by-calls": Row(
        "kept = bytes(4 << 20); sys.setrecursionlimit(10**6); f = lambda: f()\n"
        "            try: f()\n            except MemoryError: answer(message)",
        OK,
    ),
    "memory-caught": Row("try: bytes(10**8)\n            except MemoryError: answer(message)", OK),
    "regular-expression": Row("import re; re.match('(x+x+)+y', 'x' * 50)", TIMEOUT, USED),
    "large-integers": Row("n = 3\n            while True: n *= n", TIMEOUT, USED),
    "pickles": crashes(
        "import pickle; pickle.loads(b'cposix\\nsystem\\n(S\"x\"\\ntR.')", r"\w+Error"
    ),
    "collects": Row(
        "import gc; a = [[]]; a[0].append(a); del a; gc.collect(); gc.get_objects(); "
        "answer(message)",
        OK,
    ),
    "traces": Row("sys.settrace(lambda *_: None); answer(message)", OK),
    "closes": Row("import os; os.close(1); answer(message)", CRASHED),
}
STARTS = {
    "source-of-no-language": (b"let let = ;", "exited with code 1"),
    "source-of-4-MiB": (
        b"def a(): return [x + 1 for x in (1, 2, 3)]\n" * 90_000,
        "exited with code 1|" + USED[1:],
    ),
    "brackets-in-source": (b"(" * 1_000_000, "exited with code 1"),
    "no-end": (b"while True: pass", USED[1:]),
    "numpy": (b"import numpy", "exited with code 1"),
}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Command:
    return stage(tmp_path_factory.mktemp("bots"), "honest", program(ROWS["honest"].code))


def program(code: str) -> bytes:
    return f"{BEFORE}            {code}\n".encode()


def stage(place: Path, name: str, code: bytes) -> Command:
    return staging.stage(
        bots.load(str(payload_folder(place / name, {"main.py": code, KIT.name: KIT.read_bytes()})))
    )


@pytest.mark.parametrize("name", ROWS)
def test_a_bot_that_misbehaves_has_its_verdict(name: str, honest: Command, tmp_path: Path) -> None:
    row = ROWS[name]
    outcome = play_one(job([stage(tmp_path, name, program(row.code)), honest], Clock.TICKS, **TIME))
    assert outcome.record is not None, outcome.void
    faults = outcome.seats[0].faults
    assert ([fault.verdict for fault in faults], outcome.seats[1].faults) == (
        [] if row.verdict is OK else [row.verdict],
        (),
    )
    assert not faults or re.search(row.detail, faults[0].detail), faults
    assert re.search(row.notes, outcome.seats[0].ending.notes), outcome.seats[0].ending.notes[-500:]
    hold_ticks(outcome.record)


@pytest.mark.parametrize("name", STARTS)
def test_a_bot_that_does_not_start_has_its_verdict(
    name: str, honest: Command, tmp_path: Path
) -> None:
    code, detail = STARTS[name]
    outcome = play_one(job([stage(tmp_path, name, code), honest], Clock.TICKS, **TIME))
    assert outcome.record is not None, outcome.void
    (fault,) = outcome.seats[0].faults
    assert (fault.verdict, outcome.seats[1].faults) == (START_FAILED, ())
    assert re.search(detail, fault.detail), fault
