"""Bots that are modules beside the same bots as processes, one JSON object a line.

Needs clang; languages that are not here are left out by name. Figures are CPU. That of
a whole match is that of a run with all that it starts, as the system counts ended
children. Elsewhere it is the arbiter's in this process, and that of bots as the record
of a match has it. Each is the median of ROUNDS, with an interval.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median_low

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import kits  # noqa: E402 - found beside this file
import wasm_vm  # noqa: E402
import wasmtime  # noqa: E402
from bench import plain  # noqa: E402
from module_matches import BEST, job, staged  # noqa: E402
from modules import SeatAlone, compiled, machine  # noqa: E402
from msgspec.structs import replace  # noqa: E402
from spread import LEAST, spread  # noqa: E402

from khiva_arena.arbiter import pool  # noqa: E402
from khiva_arena.arbiter.match import Job, Outcome  # noqa: E402
from khiva_arena.bots.modules.meter import rewritten  # noqa: E402
from khiva_arena.bots.modules.runner import line  # noqa: E402
from khiva_arena.bots.sandbox.command import Command  # noqa: E402
from khiva_arena.common import shipped  # noqa: E402
from khiva_arena.common.result import Clock  # noqa: E402
from khiva_arena.entrants import bots, module_runner, staging  # noqa: E402
from khiva_arena.entrants.only_modules import kept, only_modules  # noqa: E402
from khiva_arena.games.registry import get  # noqa: E402

ROUNDS = LEAST + 2
MATCHES = 20
SEEDS = 25
TABLES = 4
PLENTY = 10**12
CLANG = ("clang", "--target=wasm32-wasi", "-O2", "-ffp-contract=off", "-Wl,--stack-first")
HELLO, ASKED = kits.requests()
PLAYOUT = """
static unsigned state = 1;
static unsigned below(unsigned n) { state = state * 1664525u + 1013904223u;
  return (state >> 16) % n; }
int main(void)
{
    unsigned char cards[25];
    int points[5] = {0};
    for (int game = 0; game < 200000; game++) {
        for (int i = 0; i < 25; i++) cards[i] = (unsigned char)i;
        for (unsigned i = 24; i > 0; i--) {
            unsigned j = below(i + 1);
            unsigned char card = cards[i];
            cards[i] = cards[j], cards[j] = card;
        }
        for (int i = 0; i < 24; i += 2) points[i % 5] += cards[i] > cards[i + 1] ? cards[i]
          : -cards[i + 1];
    }
    return (points[0] ^ points[1] ^ points[2] ^ points[3] ^ points[4]) & 1;
}
"""
"""Shuffles and compares cards, as a search that plays games by chance does."""


def say(name: str, unit: str, samples: Sequence[float], **beside: object) -> None:
    print(json.dumps({"name": name, "unit": unit, **plain(spread(samples)), **beside}), flush=True)


def instant_module(folder: Path) -> Path:
    """Build the bot that answers at once as a module, and return its file."""
    module = folder / "instant.wasm"
    subprocess.run(
        [*CLANG, "-Wl,--max-memory=2097152", "-o", str(module), str(HERE / "instant.c")], check=True
    )
    return module


def both(folder: Path) -> dict[Clock, Command]:
    """Return the bot that answers at once: as a module in ticks, and as a program by
    the wall clock.
    """
    module, native = instant_module(folder), folder / "instant"
    subprocess.run(["cc", "-O2", "-o", str(native), str(HERE / "instant.c")], check=True)
    program = staging.stage(bots.load(str(native)), BEST())
    return {Clock.TICKS: staged(folder, "bot", module.read_bytes()), Clock.WALL: program}


def cpu_of(jobs: Sequence[Job]) -> tuple[float, float, int]:
    """Play matches one after another. Return the arbiter's CPU, that of bots, both in
    seconds, and the decisions.
    """
    outcomes: list[Outcome] = []
    began = time.process_time()
    pool.play(jobs, 1, outcomes.append, 1)
    used, reports = (
        time.process_time() - began,
        [report for outcome in outcomes for report in outcome.seats],
    )
    return (
        used,
        sum(report.measured.cpu_s or 0 for report in reports),
        sum(report.decisions for report in reports),
    )


def many(command: Command, clock: Clock, seats: int, *, short: bool = False) -> list[Job]:
    """Return matches of copies of a bot. ``short``: they are over after the shortest
    time that the rules allow.
    """
    jobs = [job([command] * seats, clock, ordinal=ordinal) for ordinal in range(MATCHES)]
    rules = get("khiva").rules({"max_turns": 1})
    return (
        [replace(one, header=replace(one.header, rules=rules)) for one in jobs] if short else jobs
    )


def whole_matches(folder: Path) -> None:
    """Say what a whole match at two seats takes, and in ticks by what it takes as
    processes, without what a run takes once.

    The bots: random and greedy of the C kit, and two that answer at once.
    """
    both(folder)
    for word in ("c", f"{shipped.WORD}c/greedy"):
        for kind, more in (("module", ["--module"]), ("program", [])):
            _children(["new", word, str(folder / f"{word.rpartition('/')[2]}-{kind}"), *more])
    kit = {
        kind: ["--bot", str(folder / f"c-{kind}"), "--bot", str(folder / f"greedy-{kind}")]
        for kind in ("module", "program")
    }
    for name, bots_of in {
        "kit": kit,
        "instant": {
            "module": ["--bot", str(folder / "instant.wasm"), "--copies", "2"],
            "program": ["--bot", str(folder / "instant"), "--copies", "2"],
        },
    }.items():
        words = {
            "ticks": [*bots_of["module"], "--clock", "ticks"],
            "processes": bots_of["program"],
            "modules_by_the_wall_clock": bots_of["module"],
        }
        rows = [{how: _a_match(folder, words[how]) for how in words} for _ in range(ROUNDS)]
        for how in words:
            say(f"match_of_two_{name}_bots_{how}", "CPU ms", [row[how] for row in rows])
        say(
            f"match_of_two_{name}_bots_ticks_by_processes",
            "times",
            [row["ticks"] / row["processes"] for row in rows],
        )


def _a_match(folder: Path, bots_of: Sequence[str]) -> float:
    """Return the milliseconds of CPU of a match, by a run of few and one of many."""
    used = []
    for seeds in (1, 1 + SEEDS):
        with tempfile.TemporaryDirectory(dir=folder) as out:
            words = (
                "--seats",
                "2",
                "--seeds",
                str(seeds),
                "--seed",
                "bench",
                "--jobs",
                "1",
                "--out",
                f"{out}/cup",
            )
            used.append(_children(["run", *bots_of, *words]))
    return (used[1] - used[0]) * 1e3 / (2 * SEEDS)


def starts_and_decisions(folder: Path) -> None:
    """Say what starting and ending one more seat takes, and what a decision takes at
    four seats.
    """
    rows: dict[tuple[str, str], list[float]] = {}
    commands = both(folder)
    for _ in range(ROUNDS):
        for clock, command in commands.items():
            two, four = (cpu_of(many(command, clock, seats, short=True)) for seats in (2, 4))
            whole = cpu_of(many(command, clock, 4))
            decisions, each = whole[2] - four[2], (whole[1] - four[1]) / (whole[2] - four[2])
            figures = {
                "seat_start_and_end_ms": (four[1] - two[1] - each * (four[2] - two[2]))
                / (2 * MATCHES)
                * 1e3,
                "decision_4_seats_bot_us": each * 1e6,
                "decision_4_seats_arbiter_us": (whole[0] - four[0]) / decisions * 1e6,
            }
            for name, value in figures.items():
                rows.setdefault((name, clock), []).append(value)
    for (name, clock), samples in rows.items():
        title, _, unit = name.rpartition("_")
        say(f"modules_{title}", f"CPU {unit}", samples, clock=clock)


def playout(folder: Path) -> None:
    """Say how much longer a loop of playouts takes as a rewritten module than as a
    plain one.
    """
    source, module = folder / "playout.c", folder / "playout.wasm"
    source.write_text(PLAYOUT)
    subprocess.run([*CLANG, "-o", str(module), str(source)], check=True)
    wasm = module.read_bytes()
    ratios = [_seconds(rewritten(wasm).wasm) / _seconds(wasm) for _ in range(ROUNDS)]
    say("modules_playout_rewritten", "times a plain module", ratios)


def _seconds(wasm: bytes) -> float:
    engine = wasm_vm.engine()
    module, store = wasmtime.Module(engine, wasm), wasmtime.Store(engine)
    functions = [wasmtime.Func(store, asked.type, lambda *_: 0) for asked in module.imports]
    exports = wasmtime.Instance(store, module, functions).exports(store)
    if "khiva:ticks" in exports.keys():  # noqa: SIM118 - no mapping
        exports["khiva:ticks"].set_value(store, PLENTY)
    began = time.process_time()
    exports["_start"](store)
    return time.process_time() - began


def run_again(folder: Path) -> None:
    """Say what ``verify --rerun-bots`` takes, by what playing the event took."""
    module = instant_module(folder)
    words = [
        "--bot",
        str(module),
        "--copies",
        "2",
        "--seats",
        "2",
        "--clock",
        "ticks",
        "--jobs",
        "1",
    ]
    ratios = []
    for number in range(ROUNDS):
        store = str(folder / f"cup{number}")
        played = _children(["run", *words, "--seeds", str(SEEDS), "--out", store])
        ratios.append(_children(["verify", "--jobs", "1", "--rerun-bots", store]) / played)
    say("modules_rerun_by_playing", "times", ratios)


def _children(words: Sequence[str]) -> float:
    """Return the seconds of CPU that a command of the arena takes, with all that it
    starts.
    """
    return _cpu_of_children([sys.executable, "-m", "khiva_arena", *words])


def _cpu_of_children(words: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def memory(folder: Path) -> None:
    """Say what one more table of two seats takes of memory, with the fork server that
    serves it.
    """
    command = staged(folder, "bot", instant_module(folder).read_bytes())
    tables: list[subprocess.Popen[bytes]] = []
    sums = []
    try:
        for _ in range(TABLES + ROUNDS):
            tables.append(_at_work(command))
            sums.append(
                sum(
                    _share(pid) for table in tables for pid in (table.pid, *_children_of(table.pid))
                )
            )
    finally:
        for table in tables:
            table.kill()
            table.communicate()
    say(
        "modules_memory_of_a_table",
        "MB",
        [(more - few) / 1024 for few, more in pairwise(sums[TABLES - 1 :])],
    )


def _at_work(command: Command) -> "subprocess.Popen[bytes]":
    """Start a fork server whose child has started two modules."""
    pipe = subprocess.PIPE
    table = subprocess.Popen(command.module[2:], stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
    assert table.stdin
    assert table.stdout
    path, digest = command.module[:2]
    loading, opening = (
        line.LOADING.pack(1 << 30, bytes.fromhex(digest)) + path.encode(),
        line.opening(bytes(8), 1),
    )
    orders = [(seat, line.OPEN, 0, opening) for seat in range(2)] + [
        (seat, line.ASK, PLENTY, HELLO) for seat in range(2)
    ]
    table.stdin.write(
        line.batch((seat, line.LOAD, 0, loading) for seat in range(2)) + line.batch(orders)
    )
    answer = b""
    while missing := line.missing(answer):
        answer += table.stdout.read(missing)
    return table


def _children_of(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _share(pid: int) -> int:
    """Return the kB of memory of a process: its own, and its share of what others have
    too.
    """
    return int(Path(f"/proc/{pid}/smaps_rollup").read_text().split("Pss:")[1].split()[0])


def kits_as_modules(folder: Path) -> None:
    """Say what a decision of each kit's greedy bot takes: ticks and CPU as a module,
    and CPU as a program.
    """
    for name in ("c", "cpp", "go", "rust"):
        language = shipped.languages()[name]
        if language.module is None or not (
            shipped.is_here(language) and shipped.is_here(language.module)
        ):
            print(f"left out: {language.title}", file=sys.stderr)
            continue
        word, made = f"{shipped.WORD}{name}/greedy", folder / name
        _children(["new", word, str(made), "--module"])
        (module,) = only_modules([bots.load(str(made))], BEST())
        program = staging.stage(bots.load(word), BEST())
        ticks, cpu = _asked_as_module(kept(module.identity).read_bytes())
        native = [
            kits.measured(list(program.argv), program.folder, HELLO, ASKED).cpu_us
            for _ in range(ROUNDS)
        ]
        say(
            "modules_greedy_decision_us",
            "CPU us",
            cpu,
            kit=name,
            median_ticks=ticks,
            program=plain(spread(native)),
        )


def _asked_as_module(module: bytes) -> tuple[int, list[float]]:
    """Return the median ticks of a decision, and the microseconds of CPU of a mean one,
    by round.
    """
    spent, cpu = [], []
    for _ in range(ROUNDS):
        seat = SeatAlone(machine(), compiled(module), bytes(8), 1 << 30)
        seat.say(HELLO)
        seat.ask(PLENTY)
        spent, began = [], time.process_time()
        for frame in ASKED:
            seat.say(frame)
            spent.append(seat.ask(PLENTY)[1])
        cpu.append((time.process_time() - began) / len(ASKED) * 1e6)
        seat.finish(PLENTY)
    return median_low(spent), cpu


def compiling(folder: Path) -> None:
    """Say what the meter and the VM take for a bot in Go, each time anew."""
    _children(["new", "go", str(made := folder / "large"), "--module"])
    (module,) = only_modules([bots.load(str(made))], BEST())
    source, samples = kept(module.identity), []
    for number in range(ROUNDS):
        words = module_runner.runner(
            module_runner.COMPILE, str(source), str(folder / f"code{number}")
        )
        samples.append(_cpu_of_children(words))
    say("modules_rewriting_and_compiling_go", "CPU s", samples, bytes=source.stat().st_size)


ALL = (whole_matches, starts_and_decisions, memory, playout, run_again, kits_as_modules, compiling)
PARTS = {part.__name__: part for part in ALL}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "part", nargs="*", choices=[[], *PARTS], help="a part, or several; without one, all"
    )
    wanted = parser.parse_args().part
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # under root bots are users of their own
        for part in wanted or PARTS:
            PARTS[part](folder)


if __name__ == "__main__":
    main()
