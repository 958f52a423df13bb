"""Every figure of the project, one JSON object a line: ``make bench``. Needs a C compiler; takes under four minutes.

The arbiter is measured with bots in C that answer at once, beside a bare ping-pong in C through the same kind of pipes in
the same run, all on one core. CPU is the process's own account (user and system) and so little disturbed by what else runs;
decisions a second are by the wall and need a machine at rest. Peers: what the C++ chess runners take on such a machine.
"""

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import random_games  # noqa: E402 - found beside this file
import ratings  # noqa: E402
import standings  # noqa: E402
from jobs import SECRET, job  # noqa: E402

from khiva_arena.arbiter import pool  # noqa: E402
from khiva_arena.arbiter.match import Job, Outcome  # noqa: E402
from khiva_arena.games.registry import get  # noqa: E402
from khiva_arena.sandbox.cell import cell  # noqa: E402
from khiva_arena.sandbox.command import Command  # noqa: E402
from khiva_arena.sandbox.detect import levels  # noqa: E402
from khiva_arena.sandbox.level import Level, Sandbox  # noqa: E402

PEERS_CPU = {"fastchess (arbiter and bots)": [30, 50], "cutechess (arbiter and bots)": [75, 120]}
MATCHES = {2: 300, 3: 200, 4: 200}


def say(name: str, value: float, unit: str, **beside: Any) -> None:
    print(json.dumps({"name": name, "value": round(value, 2), "unit": unit, **beside}), flush=True)


def compiled(folder: Path, name: str) -> str:
    """A C program of this folder, built."""
    out = folder / name
    subprocess.run(["cc", "-O2", "-o", str(out), str(HERE / f"{name}.c")], check=True)
    return str(out)


def floor(pingpong: str, children: int) -> dict[str, Any]:
    """The bare ping-pong's figures."""
    done = subprocess.run([pingpong, "-n", str(children), "-s", "0.7"], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def rules_cpu(outcomes: list[Outcome]) -> float:
    """CPU seconds that the rules and views of these matches take: each is replayed with its views, and nothing else."""
    game = get("khiva")
    records = [outcome.record for outcome in outcomes if outcome.record]
    began = time.process_time()
    for record in records:
        state, _ = game.new(len(record.header.seats), record.header.rules, SECRET)
        for step in record.steps:
            for seat in state.pending():
                state.view(seat)
            state.apply({choice.seat: choice.choice for choice in step})
    return time.process_time() - began


def arbiter(instant: str, pingpong: str, seats: int) -> None:
    """Whole matches one after the other in this process: per decision of the game, starts and ends of bots included; then the
    same without those, which are measured by matches that end at once."""
    jobs = [job([Command((instant, "rotate"), "/tmp")] * seats, n) for n in range(MATCHES[seats])]
    whole = _timed(jobs)
    short = _timed([_ends_at_once(one) for one in jobs])
    bare = floor(pingpong, seats)["lockstep"]
    floor_cpu = bare["parent_cpu_us"]
    decisions = whole.decisions - short.decisions
    playing = (whole.cpu - whole.rules - short.cpu + short.rules) / decisions * 1e6
    say(f"pingpong_{seats}_children", bare["per_second"], "decisions/s", cpu_us=bare["cpu_us"], parent_cpu_us=floor_cpu)
    beside = {"bar": 40, "floor": floor_cpu, "ratio": round(playing / floor_cpu, 1), "peers": PEERS_CPU}
    say(f"arbiter_cpu_{seats}_seats", playing, "us/decision", rules_us=round(whole.rules / whole.decisions * 1e6, 2), **beside)
    with_starts = (whole.cpu - whole.rules) / whole.decisions * 1e6
    per_match = round(whole.decisions / len(jobs), 1)
    say(f"arbiter_cpu_{seats}_seats_with_starts", with_starts, "us/decision", decisions_per_match=per_match)
    rate = decisions / (whole.wall - short.wall)
    beside = {"bar": 20_000, "floor": bare["per_second"], "with_starts": round(whole.decisions / whole.wall)}
    say(f"arbiter_rate_{seats}_seats", rate, "decisions/s", **beside)


@contextmanager
def one_core() -> Iterator[None]:
    """All that is started inside shares one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Timed(NamedTuple):
    """Matches played one after the other in this process; seconds."""

    wall: float
    cpu: float
    rules: float
    decisions: int


def _timed(jobs: list[Job]) -> Timed:
    outcomes: list[Outcome] = []
    began, cpu = time.perf_counter(), time.process_time()
    pool.play(jobs, 1, outcomes.append, 1)
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    decisions = sum(report.decisions for outcome in outcomes for report in outcome.seats)
    return Timed(wall, cpu, rules_cpu(outcomes), decisions)


def _ends_at_once(one: Job) -> Job:
    """The same bots, started and ended, with a game that is over after the shortest time the rules allow."""
    rules = get("khiva").rules({"max_turns": 1})
    return replace(one, header=dataclasses.replace(one.header, rules=rules))


def starts(instant: str) -> None:
    """From the command to the first request of the match: interpreter, imports, the trial start of every bot; and starts."""
    with tempfile.TemporaryDirectory() as folder:
        stamp = Path(folder) / "stamp"
        found = []
        for _ in range(9):
            stamp.unlink(missing_ok=True)
            bots = ["--bot", f"{instant} stamp {stamp}", "--bot", f"{instant} rotate"]
            began = time.time()
            # At trusted, since the stamp lies where no other level lets a bot write.
            words = ["match", *bots, "--isolation", "trusted"]
            subprocess.run([sys.executable, "-m", "khiva_arena", *words], capture_output=True, check=True, cwd=folder)
            found.append(float(stamp.read_text()) - began)
    say("first_request", min(found) * 1000, "ms after the command", median=round(sorted(found)[4] * 1000), bar=150)
    jobs = [_ends_at_once(job([Command((instant, "rotate"), "/tmp")] * 2, n)) for n in range(100)]
    timed = _timed(jobs)
    say("bot_start_to_end", timed.wall / 200 * 1000, "ms", arbiter_cpu_ms=round(timed.cpu / 200 * 1000, 2))


def starts_at_each_level(instant: str) -> None:
    """Matches of two bots that end at once, one after the other; and the bare program, from its start to its end."""
    Path(instant).parent.chmod(0o755)  # under root bots are users of their own
    with one_core():
        for level in [level for level in Level if not levels()[level]]:
            sandbox = Sandbox(level)
            jobs = [replace(_ends_at_once(job([Command((instant, "rotate"), "/")] * 2, n)), sandbox=sandbox) for n in range(50)]
            _timed(jobs[:5])  # what is made once for all
            timed = _timed(jobs)
            bare = sorted(_bare_start(sandbox) for _ in range(50))
            beside = {"arbiter_cpu_ms": round(timed.cpu / 100 * 1000, 2), "bare_ms": round(bare[0], 2)}
            say(f"starts_{level}", 100 / timed.wall, "bots/s", **beside, bare_median_ms=round(bare[25], 2))


def _bare_start(sandbox: Sandbox) -> float:
    made = cell(Command(("/bin/true",), "/"), sandbox, "bench")
    began = time.perf_counter()
    subprocess.run(made.argv, cwd=made.folder, env=made.environment, pass_fds=made.descriptors, check=True)
    took = (time.perf_counter() - began) * 1000
    made.clean()
    return took


def in_flight() -> None:
    """What each further match in flight costs the arbiter: memory and descriptors, with bots that think for long."""
    for seats in (2, 3):
        few, many = (_held(seats, matches) for matches in (2, 34))
        say(f"memory_per_match_{seats}_seats", (many[0] - few[0]) / 32, "kB", bar=100)
        say(f"descriptors_per_match_{seats}_seats", (many[1] - few[1]) / 32, "descriptors", bar=8)


def _held(seats: int, matches: int) -> tuple[float, int]:
    code = f"import sys; sys.path[:0] = {sys.path!r}; import bench; bench.hold({seats}, {matches})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    memory, descriptors = json.loads(done.stdout.splitlines()[-1])
    return memory, descriptors


def hold(seats: int, matches: int) -> None:
    """Start that many matches at a time with bots that greet and then say nothing; print memory (kB) and descriptors."""
    hello = b"\0\0\0\x20" + bytes.fromhex("83a474797065a568656c6c6fa570726f746f01a46e616d65a4") + b"hold"
    hello = (len(hello) - 4).to_bytes(4, "big") + hello[4:]
    octal = "".join(f"\\{byte:03o}" for byte in hello)
    quiet = Command(("/bin/sh", "-c", f"printf '{octal}'; exec sleep 60"), "/tmp")
    jobs = [job([quiet] * seats, n, policy="strict", turn_ms=4_000, bank_ms=0) for n in range(matches)]
    import trio

    async def watch() -> None:
        await trio.sleep(3)
        _print_held()

    async def both() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch)
            await pool._play_here(iter(jobs), matches, lambda _: None, 1)

    trio.run(both)


def _print_held() -> None:
    rollup = Path("/proc/self/smaps_rollup").read_text()
    memory = sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Private"))
    print(json.dumps([memory, len(os.listdir("/proc/self/fd"))]), flush=True)


def main() -> None:
    random_games.main([])
    with tempfile.TemporaryDirectory() as folder:
        instant, pingpong = compiled(Path(folder), "instant"), compiled(Path(folder), "pingpong")
        bare = floor(pingpong, 1)["sequential"]
        say("pingpong_1_child", bare["per_second"], "decisions/s", cpu_us=bare["cpu_us"])
        with one_core():
            for seats in (2, 3, 4):
                arbiter(instant, pingpong, seats)
        starts(instant)
        starts_at_each_level(instant)
    in_flight()
    ratings.main([])
    standings.main(5)


if __name__ == "__main__":
    main()
