"""Ways to misbehave in JavaScript, in ticks: each has its verdict, the match is
recorded, and the other seat plays to its end.
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from javascript import KIT, payload_folder
from module_matches import job
from table import CRASHED, FLOODED, ILLEGAL, OK, PROTOCOL, START_FAILED, TIMEOUT
from test_modules import hold_ticks
from wording import sentence

from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Clock, Verdict
from khiva_arena.entrants import bots, staging

pytestmark = [pytest.mark.language, pytest.mark.slow, pytest.mark.xdist_group("javascript")]

TIME = {"startup_ms": 200, "turn_ms": 200}
BEFORE = """
const answer = (message, more = 0) => khiva.writeFrame({ type: "act", req: message.req,
  choice: more });
let decisions = 0;
for (let message; (message = khiva.readFrame()); ) {
  if (message.type === "hello") khiva.writeFrame({ type: "hello", proto: 1, name: "zoo" });
  else if (message.type === "decide" && decisions++ !== 1) answer(message);
  else if (message.type === "decide") {
"""
"""A bot that answers each question, but the second one in the way that comes behind
these lines.
"""
DEEP = "^" + re.escape(sentence("modules", "calls-too-deep"))
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
    """A bot that throws."""
    return Row(code, CRASHED, "^exited with code 1$", notes)


ROWS = {
    "honest": Row("answer(message)", OK),
    "throws": crashes('throw new Error("no idea")', r"main\.js:9\n.*\nError: no idea\n"),
    "returns": Row("return", CRASHED, "^exited with code 0$"),
    "never-ends": Row("for (;;);", TIMEOUT, USED),
    "says-nothing": Row("", TIMEOUT, USED),
    "promises": Row("Promise.resolve().then(() => answer(message))", TIMEOUT, USED),
    "choice-beyond": Row("answer(message, 10000)", ILLEGAL),
    "choice-a-string": Row('answer(message, "1")', PROTOCOL),
    "choice-a-float": crashes(
        "answer(message, 0.5)", "TypeError: a message of a bot has strings and whole numbers only"
    ),
    "another-request": Row("answer({ req: message.req + 7 })", PROTOCOL),
    "answers-twice": Row("answer(message); answer(message)", OK),
    "answers-for-ever": Row("for (;;) answer(message)", FLOODED),
    "no-message": Row("khiva.writeFrame({})", PROTOCOL),
    "a-large-message": Row(
        'khiva.writeFrame({ a: "x".repeat(65535), b: "x".repeat(65535) })', PROTOCOL
    ),
    "notes-for-ever": Row('for (;;) console.log("x".repeat(1000))', TIMEOUT, USED, "x{1000}"),
    "recurses": crashes("(function f() { f() })()", "RangeError: Maximum call stack size exceeded"),
    "recurses-caught": Row("try { (function f() { f() })() } catch { answer(message) }", OK),
    "brackets": Row('JSON.parse("[".repeat(1e5))', CRASHED, DEEP),
    "memory": crashes(
        "const all = []; for (;;) all.push(new Uint8Array(1e5))", "InternalError: out of memory"
    ),
    "memory-caught": Row("try { new Uint8Array(1e8) } catch { answer(message) }", OK),
    "regular-expression": Row('/(x+x+)+y/.test("x".repeat(50))', TIMEOUT, USED),
    "large-integers": Row("for (let n = 3n; ; n *= n);", TIMEOUT, USED),
}
STARTS = {
    "source-of-no-language": (b"let let = ;", "exited with code 1"),
    "source-of-4-MiB": (
        b"function a(){return [1,2,3].map(x=>x+1)}\n" * 99_000,
        "exited with code 1|" + USED[1:],
    ),
    "brackets-in-source": (b"(" * 1_000_000, DEEP[1:]),
    "no-end": (b"for (;;);", USED[1:]),
}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Command:
    return stage(tmp_path_factory.mktemp("bots"), "honest", program(ROWS["honest"].code))


def program(code: str) -> bytes:
    return f"{BEFORE}{code}\n}}}}".encode()


def stage(place: Path, name: str, code: bytes) -> Command:
    files = {"main.js": code, KIT.name: KIT.read_bytes()}
    return staging.stage(bots.load(str(payload_folder(place / name, files))))


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
