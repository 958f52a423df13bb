"""One sample of one figure, printed as a number, or of several as an object: ``python samples.py NAME [WORD ...]``. bench.py
repeats them.

A sample is a process of its own, so that two versions of the project can be measured in turn: PYTHONPATH says which one.
"""

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "support")]

from jobs import job  # noqa: E402 - found beside this file
from msgspec.structs import replace  # noqa: E402
from overload import BUSY, busy  # noqa: E402
from stages import make_run  # noqa: E402

from khiva_arena.arbiter import pool  # noqa: E402
from khiva_arena.arbiter.fairness import CpuAccount  # noqa: E402
from khiva_arena.arbiter.match import Job, Outcome  # noqa: E402
from khiva_arena.games.registry import get  # noqa: E402
from khiva_arena.sandbox.command import Command  # noqa: E402
from khiva_arena.sandbox.level import Level, Sandbox  # noqa: E402

ARENA = [sys.executable, "-m", "khiva_arena"]
MATCHES = 30
SLOW_MATCHES = 3
THINK_MS = "20"
ENDS = 20
SEEDS = 20


def arbiter(instant: str, seats: str) -> float:
    """Microseconds of the arbiter's CPU a decision, rules and views included, with bots that answer at once; what starts and ends
    of bots take is measured beside it and left out."""
    return arbiter_and_bots(instant, seats)["alone"]


def arbiter_and_bots(instant: str, seats: str) -> dict[str, float]:
    """The same, and the CPU of the bots added."""
    with one_core():
        return _a_decision([job([Command((instant, "rotate"), "/tmp")] * int(seats), n) for n in range(MATCHES)])


def overloaded(instant: str, seats: str, *without_looks: str) -> float:
    """The arbiter's part with bots that think for THINK_MS, on a core that it shares with BUSY busy processes. ``without_looks``,
    if it is there: it never looks at what bots have of the processor, as it does once they are slow."""
    inside = [sys.executable, __file__, slow_bots.__name__, instant, seats, *without_looks]
    with one_core(), busy(BUSY):  # not from the process that plays: these would be among its children, which it looks through
        return float(subprocess.run(inside, capture_output=True, text=True, check=True).stdout)


def slow_bots(instant: str, seats: str, *without_looks: str) -> float:
    """What ``overloaded`` says, on the machine as it is."""
    if without_looks:
        begin = CpuAccount.begin
        CpuAccount.begin = lambda account, _: begin(account, math.inf)  # type: ignore[method-assign]
    bots = [Command((instant, "think", THINK_MS), "/tmp")] * int(seats)
    return _a_decision([job(bots, n) for n in range(SLOW_MATCHES)])["alone"]


def floor(pingpong: str, seats: str) -> float:
    """Microseconds of CPU of a C program that asks as many children in turn and does nothing else, pinned alike."""
    with one_core():
        done = subprocess.run([pingpong, "-n", seats, "-s", "0.4"], capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["lockstep"]["parent_cpu_us"])


def start(instant: str, level: str) -> float:
    """Milliseconds by the clock from a bot's start to its end, on one core, in matches that end at once."""
    jobs = [_ends_at_once(job([Command((instant, "rotate"), "/")] * 2, n)) for n in range(ENDS)]
    jobs = [replace(one, sandbox=Sandbox(Level(level))) for one in jobs]
    with one_core():
        _played(jobs[:2])
        began = time.perf_counter()
        _played(jobs)
    return (time.perf_counter() - began) / (2 * ENDS) * 1000


def command(*words: str) -> float:
    """Milliseconds of CPU that a command of the arena takes."""
    return _cpu([*ARENA, *words]) * 1000


def first_request(instant: str) -> float:
    """Milliseconds by the clock from ``match`` to the first request that a bot gets."""
    with tempfile.TemporaryDirectory() as folder:
        stamp = Path(folder) / "stamp"
        bots = ["--bot", f"{instant} stamp {stamp}", "--bot", f"{instant} rotate"]
        began = time.time()
        # At trusted, since the stamp lies where no other level lets a bot write.
        subprocess.run([*ARENA, "match", *bots, "--isolation", "trusted"], capture_output=True, check=True, cwd=folder)
        return (float(stamp.read_text()) - began) * 1000


def event(instant: str, level: str, jobs: str) -> float:
    """Matches a second of a whole ``run`` of two bots that answer at once, its start and its table included."""
    with tempfile.TemporaryDirectory() as folder:
        bots = [word for n in range(2) for word in ("--bot", f"{instant} rotate {n}")]
        words = ["--seats", "2", "--seeds", str(SEEDS), "--isolation", level, "--jobs", jobs, "--out", "out"]
        began = time.perf_counter()
        subprocess.run([*ARENA, "run", *bots, *words], capture_output=True, check=True, cwd=folder)
        return 2 * SEEDS / (time.perf_counter() - began)


def verify(store: str, matches: str) -> float:
    """Milliseconds of CPU a match that ``verify`` takes, its start included."""
    return _cpu([*ARENA, "verify", store]) * 1000 / int(matches)


@contextmanager
def one_core() -> Iterator[None]:
    """All that is started inside shares one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _a_decision(jobs: list[Job]) -> dict[str, float]:
    """Microseconds of CPU a decision, of the arbiter alone and with its bots, beyond what the same starts and ends take."""
    _played([_ends_at_once(one) for one in jobs[:3]])  # imports, and what is made once for all
    short, of_bots_in_short, few = _played([_ends_at_once(one) for one in jobs])
    whole, of_bots, many = _played(jobs)
    alone = (whole - short) / (many - few) * 1e6
    return {"alone": alone, "with_bots": alone + (of_bots - of_bots_in_short) / (many - few) * 1e6}


def _played(jobs: list[Job]) -> tuple[float, float, int]:
    """CPU seconds for matches one after the other, of this process and of its bots, and the decisions in them."""
    outcomes: list[Outcome] = []
    began, bots_before = time.process_time(), _children()
    pool.play(jobs, 1, outcomes.append, 1)
    cpu, of_bots = time.process_time() - began, _children() - bots_before
    return cpu, of_bots, sum(report.decisions for outcome in outcomes for report in outcome.seats)


def _ends_at_once(one: Job) -> Job:
    """The same bots, started and ended, with a game that is over after the shortest time the rules allow."""
    rules = get("khiva").rules({"max_turns": 1})
    return replace(one, header=replace(one.header, rules=rules))


def _cpu(words: list[str]) -> float:
    before = _children()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return _children() - before


def _children() -> float:
    """CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


SAMPLES: dict[str, Callable[..., float | dict[str, float]]] = {
    one.__name__: one
    for one in (
        arbiter, arbiter_and_bots, overloaded, slow_bots, floor, start, command, first_request, event, verify, make_run
    )
}  # fmt: skip

if __name__ == "__main__":
    print(json.dumps(SAMPLES[sys.argv[1]](*sys.argv[2:])))
