"""One sample of one figure, printed as a number, or of several as an object: ``python
samples.py NAME [WORD ...]``. bench.py repeats them.

A sample is a process of its own, so that two versions of the project can be measured in
turn: PYTHONPATH says which one.
"""

import json
import math
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "support")]

from busy import busy  # noqa: E402 - found beside this folder
from jobs import job  # noqa: E402
from overload import BUSY  # noqa: E402
from stages import make_run  # noqa: E402

from khiva_arena.arbiter import pool  # noqa: E402
from khiva_arena.arbiter.fairness import CpuAccount  # noqa: E402
from khiva_arena.arbiter.match import Job, Outcome  # noqa: E402
from khiva_arena.bots.sandbox.command import Command  # noqa: E402
from khiva_arena.bots.sandbox.level import Level, Sandbox  # noqa: E402
from khiva_arena.games.registry import get  # noqa: E402
from khiva_arena.rng import Stream  # noqa: E402

T = TypeVar("T")
ARENA = [sys.executable, "-m", "khiva_arena"]
MATCHES = 30
SLOW_MATCHES = 3
THINK_MS = "20"
ENDS = 20
SEEDS = 20
STEPS = 2000
WORLDS = 8
OWN_CPU = """
import resource, sys
from khiva_arena.interface.cli import main
code = main.run(sys.argv[1:])
use = resource.getrusage(resource.RUSAGE_SELF)
print(use.ru_utime + use.ru_stime, file=sys.stderr)
sys.exit(code)
"""
"""A command of the arena, which says at its end what it used of the processor without
those that it started.
"""


def arbiter(instant: str, seats: str) -> float:
    """Microseconds of the arbiter's CPU a decision, rules and views included, with bots
    that answer at once; what starts and ends of bots take is measured beside it and
    left out.
    """
    return arbiter_and_bots(instant, seats)["alone"]


def arbiter_and_bots(instant: str, seats: str) -> dict[str, float]:
    """The same, and the CPU of the bots added."""
    with one_core():
        return _a_decision(
            [job([Command((instant, "rotate"), "/tmp")] * int(seats), n) for n in range(MATCHES)]
        )


def overloaded(instant: str, seats: str, *without_looks: str) -> float:
    """The arbiter's part with bots that think for THINK_MS, on a core that it shares
    with BUSY busy processes. ``without_looks``, if it is there: it never looks at what
    bots have of the processor, as it does once they are slow.
    """
    inside = [sys.executable, __file__, slow_bots.__name__, instant, seats, *without_looks]
    with (
        one_core(),
        busy(BUSY),
    ):  # not from the process that plays: these would be among its children, which it looks through
        return float(subprocess.run(inside, capture_output=True, text=True, check=True).stdout)


def slow_bots(instant: str, seats: str, *without_looks: str) -> float:
    """What ``overloaded`` says, on the machine as it is."""
    if without_looks:
        begin = CpuAccount.begin
        CpuAccount.begin = lambda account, _: begin(account, math.inf)  # type: ignore[method-assign]
    bots = [Command((instant, "think", THINK_MS), "/tmp")] * int(seats)
    return _a_decision([job(bots, n) for n in range(SLOW_MATCHES)])["alone"]


def floor(pingpong: str, seats: str) -> float:
    """Microseconds of CPU of a C program that asks as many children in turn and does
    nothing else, pinned alike.
    """
    with one_core():
        done = subprocess.run(
            [pingpong, "-n", seats, "-s", "0.4"], capture_output=True, text=True, check=True
        )
    return float(json.loads(done.stdout)["lockstep"]["parent_cpu_us"])


def start(instant: str, level: str) -> float:
    """Milliseconds by the clock from a bot's start to its end, on one core, in matches
    that end at once.
    """
    jobs = [_ends_at_once(job([Command((instant, "rotate"), "/")] * 2, n)) for n in range(ENDS)]
    jobs = [changed(one, sandbox=Sandbox(Level(level))) for one in jobs]
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
        subprocess.run(
            [*ARENA, "match", *bots, "--isolation", "trusted"],
            capture_output=True,
            check=True,
            cwd=folder,
        )
        return (float(stamp.read_text()) - began) * 1000


def event(instant: str, level: str, jobs: str) -> float:
    """Matches a second of a whole ``run`` of two bots that answer at once, its start
    and its table included.
    """
    with tempfile.TemporaryDirectory() as folder:
        bots = [word for n in range(2) for word in ("--bot", f"{instant} rotate {n}")]
        words = [
            "--seats",
            "2",
            "--seeds",
            str(SEEDS),
            "--isolation",
            level,
            "--jobs",
            jobs,
            "--out",
            "out",
        ]
        began = time.perf_counter()
        subprocess.run([*ARENA, "run", *bots, *words], capture_output=True, check=True, cwd=folder)
        return 2 * SEEDS / (time.perf_counter() - began)


def whole_match(instant: str, level: str) -> float:
    """Milliseconds of CPU of a whole match of two bots that answer at once, what a run
    takes once left out.
    """
    return (
        (_run_cpu(instant, level, SEEDS) - _run_cpu(instant, level, 1)) * 1000 / (2 * (SEEDS - 1))
    )


def match_of_modules(module: str, native: str) -> dict[str, float]:
    """Milliseconds of CPU of a whole match of two bots of one kit, in ticks and as
    processes, at the best level here.

    What a run takes once is left out. Arbiter and bots are told apart: a bot that dies
    with its namespace is in no sum of the system's.
    """
    both = {"ticks": (module, "--clock", "ticks"), "processes": (native,)}
    return {
        f"{how}_{part}": used for how, words in both.items() for part, used in _used(*words).items()
    }


def _used(bot: str, *words: str) -> dict[str, float]:
    few, many = (_arbiter_and_seats(bot, seeds, *words) for seeds in (1, SEEDS))
    return {part: (many[part] - few[part]) * 1000 / (2 * (SEEDS - 1)) for part in few}


def _arbiter_and_seats(bot: str, seeds: int, *words: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        run = [
            "run",
            "--bot",
            bot,
            "--copies",
            "2",
            "--seats",
            "2",
            "--seeds",
            str(seeds),
            "--seed",
            "bench",
            "--out",
            "out",
            *words,
        ]
        done = subprocess.run(
            [sys.executable, "-c", OWN_CPU, *run], capture_output=True, text=True, cwd=folder
        )
        if done.returncode:
            sys.exit(done.stderr)
        with closing(sqlite3.connect(Path(folder, "out", "arena.db"))) as store:
            ((seats,),) = store.execute("SELECT sum(cpu) FROM seats")
        return {"arbiter": float(done.stderr.splitlines()[-1]), "bots": seats}


def short_run(instant: str) -> dict[str, float]:
    """Milliseconds of a run of two matches, by the clock and of CPU."""
    began = time.perf_counter()
    cpu = _run_cpu(instant, "trusted", 1)
    return {"clock": (time.perf_counter() - began) * 1000, "cpu": cpu * 1000}


def uncompiled(*words: str) -> float:
    """The CPU of a command that may write no bytecode, by that of the same command that
    may.
    """
    with tempfile.TemporaryDirectory() as folder:
        long = _cpu([*ARENA, *words], cwd=folder, PYTHONDONTWRITEBYTECODE="1")
        return long / _cpu([*ARENA, *words], cwd=folder)


def verify(store: str, matches: str, jobs: str = "1") -> dict[str, float]:
    """Milliseconds a match that ``verify`` takes, its start included: of CPU, and by
    the clock.
    """
    began = time.perf_counter()
    cpu = _cpu([*ARENA, "verify", store, "--jobs", jobs])
    return {
        "cpu": cpu * 1000 / int(matches),
        "clock": (time.perf_counter() - began) * 1000 / int(matches),
    }


def standings(store: str) -> float:
    """Seconds of CPU that the table of a store takes."""
    return _cpu([*ARENA, "standings", store])


def environment(game: str, seats: str, kind: str) -> float:
    """Steps of an environment a second of CPU, with observation and mask, actions at
    random.
    """
    from khiva_arena import env as environments

    env, rng = getattr(environments, kind)(game, seats=int(seats)), random.Random(0)
    steps, began = 0, time.process_time()
    while steps < STEPS:
        observations = env.reset(seed=steps)
        while env.agents and kind == "parallel":
            asked = observations[0] if isinstance(observations, tuple) else observations
            actions = {
                agent: rng.choice(seen["action_mask"].nonzero()[0]) for agent, seen in asked.items()
            }
            observations = env.step(actions)[0]
            steps += 1
        while env.agents and kind == "aec":
            seen, _, ended, cut, _ = env.last()
            env.step(None if ended or cut else rng.choice(seen["action_mask"].nonzero()[0]))
            steps += 1
    return steps / (time.process_time() - began)


def worlds(game: str, seats: str) -> float:
    """Worlds drawn from what a seat knows, a second of CPU: some at each decision of a
    match, as a bot that searches does.
    """
    played, rng, count, used = get(game), random.Random(0), 0, 0.0
    rules = played.rules({})
    state, _ = played.new(int(seats), rules, bytes(32))
    while pending := state.pending():
        view, stream = state.view(min(pending)), Stream(count.to_bytes(32, "big"), "worlds")
        began = time.process_time()
        for _ in range(WORLDS):
            played.determinise(view, rules, stream)
        used, count = used + time.process_time() - began, count + WORLDS
        state.apply(
            {seat: rng.randrange(len(decision.legal)) for seat, decision in pending.items()}
        )
    return count / used


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
    """Microseconds of CPU a decision, of the arbiter alone and with its bots, beyond
    what the same starts and ends take.
    """
    _played([_ends_at_once(one) for one in jobs[:3]])  # imports, and what is made once for all
    short, of_bots_in_short, few = _played([_ends_at_once(one) for one in jobs])
    whole, of_bots, many = _played(jobs)
    alone = (whole - short) / (many - few) * 1e6
    return {"alone": alone, "with_bots": alone + (of_bots - of_bots_in_short) / (many - few) * 1e6}


def _played(jobs: list[Job]) -> tuple[float, float, int]:
    """CPU seconds for matches one after the other, of this process and of its bots, and
    the decisions in them.
    """
    outcomes: list[Outcome] = []
    began, bots_before = time.process_time(), _children()
    pool.play(jobs, 1, outcomes.append, 1)
    cpu, of_bots = time.process_time() - began, _children() - bots_before
    return cpu, of_bots, sum(report.decisions for outcome in outcomes for report in outcome.seats)


def _ends_at_once(one: Job) -> Job:
    """The same bots, started and ended, with a game that is over after the shortest
    time the rules allow.
    """
    rules = get("khiva").rules({"max_turns": 1})
    return changed(one, header=changed(one.header, rules=rules))


def changed(value: T, **fields: object) -> T:
    """A value with other fields. Of which class a value is follows from the version
    that is measured.
    """
    names = getattr(value, "__struct_fields__", None) or value.__dataclass_fields__  # type: ignore[attr-defined]
    return type(value)(**{name: getattr(value, name) for name in names} | fields)


def _run_cpu(instant: str, level: str, seeds: int) -> float:
    """CPU seconds of a run of two bots that answer at once, two matches a seed."""
    bots = [word for n in range(2) for word in ("--bot", f"{instant} rotate {n}")]
    words = [
        "--seats",
        "2",
        "--seeds",
        str(seeds),
        "--isolation",
        level,
        "--jobs",
        "1",
        "--out",
        "out",
    ]
    with tempfile.TemporaryDirectory() as folder:
        return _cpu([*ARENA, "run", *bots, *words], cwd=folder)


def _cpu(words: list[str], cwd: str | None = None, **variables: str) -> float:
    before, env = _children(), os.environ | variables
    subprocess.run(
        words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd, env=env
    )
    return _children() - before


def _children() -> float:
    """CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


SAMPLES: dict[str, Callable[..., float | dict[str, float]]] = {
    one.__name__: one
    for one in (
        arbiter,
        arbiter_and_bots,
        overloaded,
        slow_bots,
        floor,
        start,
        command,
        first_request,
        event,
        verify,
        make_run,
        whole_match,
        match_of_modules,
        short_run,
        uncompiled,
        standings,
        environment,
        worlds,
    )
}

if __name__ == "__main__":
    print(json.dumps(SAMPLES[sys.argv[1]](*sys.argv[2:])))
