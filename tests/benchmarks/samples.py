"""One sample of one figure, printed as a number: ``python samples.py NAME [WORD ...]``. bench.py repeats them.

A sample is a process of its own, so that two versions of the project can be measured in turn: PYTHONPATH says which one.
"""

import dataclasses
import json
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

from khiva_arena.arbiter import pool  # noqa: E402
from khiva_arena.arbiter.match import Job, Outcome  # noqa: E402
from khiva_arena.games.registry import get  # noqa: E402
from khiva_arena.sandbox.command import Command  # noqa: E402
from khiva_arena.sandbox.level import Level, Sandbox  # noqa: E402

ARENA = [sys.executable, "-m", "khiva_arena"]
MATCHES = 30
ENDS = 20
SEEDS = 20


def arbiter(instant: str, seats: str) -> float:
    """Microseconds of the arbiter's CPU a decision, rules and views included, with bots that answer at once; what starts and ends
    of bots take is measured beside it and left out."""
    jobs = [job([Command((instant, "rotate"), "/tmp")] * int(seats), n) for n in range(MATCHES)]
    with one_core():
        _played([_ends_at_once(one) for one in jobs[:3]])  # imports, and what is made once for all
        short, few = _played([_ends_at_once(one) for one in jobs])
        whole, many = _played(jobs)
    return (whole - short) / (many - few) * 1e6


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


def _played(jobs: list[Job]) -> tuple[float, int]:
    """This process's CPU seconds for matches one after the other, and their decisions."""
    outcomes: list[Outcome] = []
    began = time.process_time()
    pool.play(jobs, 1, outcomes.append, 1)
    cpu = time.process_time() - began
    return cpu, sum(report.decisions for outcome in outcomes for report in outcome.seats)


def _ends_at_once(one: Job) -> Job:
    """The same bots, started and ended, with a game that is over after the shortest time the rules allow."""
    rules = get("khiva").rules({"max_turns": 1})
    return replace(one, header=dataclasses.replace(one.header, rules=rules))


def _cpu(words: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


SAMPLES: dict[str, Callable[..., float]] = {
    one.__name__: one for one in (arbiter, floor, start, command, first_request, event, verify)
}

if __name__ == "__main__":
    print(SAMPLES[sys.argv[1]](*sys.argv[2:]))
