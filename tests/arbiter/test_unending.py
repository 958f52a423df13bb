"""At level trusted a bot may leave processes behind that start new ones faster than
they are killed: it is named and out, others play on, and the run goes on.
"""

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from arena import descendants, until_gone
from jobs import SECRET, job

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox import reap
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Verdict
from khiva_arena.records.replay.verify import verify

pytestmark = pytest.mark.slow

HOG = str(Path(__file__).parent.parent / "support" / "hog.py")
GREETS = f"""
import os, runpy, sys, time
if not os.fork():
    os.setsid()
    os.closerange(0, 64)
    time.sleep(60)
    os._exit(0)
sys.argv = ["hog.py", "honest"]
runpy.run_path({HOG!r})
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Any process that is left behind counts as one that does not end; it is ended
    here.
    """
    monkeypatch.setattr(reap, "STRAYS_SECONDS", 0.0)
    monkeypatch.setattr(reap.Adoption, "_unending", set())
    yield
    for pid in reap._children():  # among them may be the browser of other tests
        if reap._of_match(reap._mark_of(pid) or "") in reap.Adoption._unending:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def played(*words: list[str], matches: int = 1) -> list[Outcome]:
    """All outcomes of matches of these bots."""
    commands = [Command((sys.executable, *how), "/") for how in words]
    outcomes: list[Outcome] = []
    pool.play(
        [job(commands, ordinal=number, startup_ms=20_000) for number in range(matches)],
        1,
        outcomes.append,
    )
    return outcomes


@pytest.mark.parametrize(
    "leaves", [[HOG, "leaves", "60"], ["-c", GREETS]], ids=["while it plays", "before it greets"]
)
def test_who_leaves_processes_that_do_not_end_is_out_and_the_others_play_on(
    leaves: list[str],
) -> None:
    outcomes = played([HOG, "honest"], leaves, [HOG, "honest"], matches=2)
    assert len(outcomes) == 2
    for outcome in outcomes:
        assert outcome.record is not None, outcome.void
        verify(outcome.record, SECRET)
        assert outcome.record.verdicts == (Verdict.OK, Verdict.START_FAILED, Verdict.OK)
        assert outcome.record.forfeited_at == (None, 0, None)
        assert outcome.record.reason == "over"
        assert re.search(
            r"1 process that bots left|\d+ processes that bots left",
            outcome.seats[1].faults[0].detail,
        )
        assert not outcome.seats[0].faults + outcome.seats[2].faults


def test_whose_processes_hide_it_void_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bot is to blame, and it is no fault of the arena's either."""
    monkeypatch.setattr(reap, "_mark_of", lambda _: None)
    before = descendants(os.getpid())
    outcomes = played([HOG, "honest"], [HOG, "leaves", "60"])
    assert [outcome.record for outcome in outcomes[:1]] == [None]
    assert "that bots left behind did not end in" in outcomes[0].void
    left = descendants(os.getpid()) - before
    assert until_gone(left), "stopped, and not killed"
    for pid in left:
        os.waitpid(pid, 0)
