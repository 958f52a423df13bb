"""Figures that can be believed, one JSON object a line. Needs a C compiler.

Each figure is sampled (samples.py) until the 95 % interval of its median is narrow, or
MOST times. Beside the arbiter stands its floor, the same conversation by a C program,
sampled in turn with it and pinned to the same core: ratios to it say more than
microseconds, which change with the machine and the hour. The floor of the overloaded
arbiter is itself without its looks at what bots have of the processor. With BASE
another version of this project is sampled in turn, too, and the line says whether this
one is faster, slower, or that it cannot be told.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import random_games  # noqa: E402 - found beside this file
import ratings  # noqa: E402
import standings  # noqa: E402
from jobs import job  # noqa: E402
from spread import LEAST, Spread, spread, told  # noqa: E402

from khiva_arena.arbiter import pool  # noqa: E402
from khiva_arena.bots.sandbox.command import Command  # noqa: E402
from khiva_arena.bots.sandbox.detect import levels  # noqa: E402
from khiva_arena.bots.sandbox.level import Level  # noqa: E402

NARROW = 0.03
MOST = 41
SECONDS = 90.0
VERIFIED = 300

Sample = dict[str, float]


class Figure(NamedTuple):
    """What is measured.

    name: of its line
    unit: of its value
    words: what samples.py is told
    floor: the same of its floor, None without one
    lower_is_better: False of rates
    """

    name: str
    unit: str
    words: tuple[str, ...]
    floor: tuple[str, ...] | None = None
    lower_is_better: bool = True


def figures(folder: Path) -> Iterator[Figure]:
    """All of them; what they need is made in the folder."""
    instant, pingpong = compiled(folder, "instant"), compiled(folder, "pingpong")
    store = str(folder / "store")
    words = [
        "--seats",
        "3",
        "--seeds",
        str(VERIFIED // 6),
        "--isolation",
        "trusted",
        "--seed",
        "bench",
        "--out",
        store,
    ]
    bots = [word for n in range(3) for word in ("--bot", f"{instant} rotate {n}")]
    subprocess.run(
        [sys.executable, "-m", "khiva_arena", "run", *bots, *words], capture_output=True, check=True
    )
    for seats in ("2", "3", "4", "5"):
        yield Figure(
            f"arbiter_{seats}_seats",
            "us/decision",
            ("arbiter", instant, seats),
            ("floor", pingpong, seats),
        )
    words = ("overloaded", instant, "4")
    yield Figure("arbiter_4_seats_overloaded", "us/decision", words, (*words, "without looks"))
    here = [str(level) for level in Level if not levels()[level]]
    for level in here:
        yield Figure(f"start_{level}", "ms", ("start", instant, level))
    yield Figure("version", "CPU ms", ("command", "--version"))
    yield Figure("help", "CPU ms", ("command", "match", "-h"))
    yield Figure("games", "CPU ms", ("command", "games"))
    yield Figure("first_request", "ms", ("first_request", instant))
    for level in here:
        yield Figure(
            f"event_{level}", "matches/s", ("event", instant, level, "1"), lower_is_better=False
        )
    with_two = ("event", instant, "trusted", "2")
    yield Figure("event_trusted_2_jobs", "matches/s", with_two, lower_is_better=False)
    yield Figure("make_run", "s", ("make_run",))
    for level in here:
        yield Figure(f"match_{level}", "CPU ms", ("whole_match", instant, level))
    if shutil.which("clang"):
        yield Figure("match_of_modules", "CPU ms", ("match_of_modules", *kit_bots(folder)))
    yield Figure("run_of_two", "ms", ("short_run", instant))
    matches = str(matches_in(store))
    yield Figure("verify", "ms/match", ("verify", store, matches))
    yield Figure("verify_2_jobs", "ms/match", ("verify", store, matches, "2"))
    standings.played(folder / "small")
    yield Figure(
        "report_of_few_matches",
        "CPU ms",
        ("command", "report", str(folder / "small"), "--out", str(folder / "page.html")),
    )
    standings.grown(folder / "small", folder / "grown", standings.SEEDS)
    yield Figure("standings_10050_matches", "CPU s", ("standings", str(folder / "grown")))
    for game, seats in (
        ("khiva", "2"),
        ("khiva", "3"),
        ("emira", "3"),
        ("silk_road", "2"),
        ("silk_road", "3"),
    ):
        for kind in ("aec", "parallel"):
            yield Figure(
                f"{kind}_{game}_{seats}_seats",
                "steps/s",
                ("environment", game, seats, kind),
                lower_is_better=False,
            )
    for game in ("khiva", "emira", "silk_road"):
        yield Figure(f"worlds_{game}", "worlds/s", ("worlds", game, "3"), lower_is_better=False)
    yield Figure("without_bytecode_help", "times", ("uncompiled", "run", "-h"))
    bots = ["--bot", "shipped:python/random", "--bot", "shipped:python/naive"]
    yield Figure(
        "without_bytecode_match", "times", ("uncompiled", "match", *bots, "--isolation", "trusted")
    )


def kit_bots(folder: Path) -> tuple[str, str]:
    """The bot with which the C kit begins, as a module and as a program, each built
    once.
    """
    for name, more in (("module", ("--module",)), ("native", ())):
        subprocess.run(
            [sys.executable, "-m", "khiva_arena", "new", "c", str(folder / name), *more],
            capture_output=True,
            check=True,
        )
    return str(folder / "module"), str(folder / "native")


def matches_in(store: str) -> int:
    """How many a store has."""
    done = subprocess.run(
        [sys.executable, "-m", "khiva_arena", "show", store, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    return len(json.loads(done.stdout)["matches"])


def compiled(folder: Path, name: str) -> str:
    """A C program of this folder, built."""
    folder.chmod(0o755)  # under root bots are users of their own
    out = folder / name
    subprocess.run(["cc", "-O2", "-o", str(out), str(HERE / f"{name}.c")], check=True)
    return str(out)


def measured(figure: Figure, base: Path | None) -> Iterator[dict[str, object]]:
    """Sample a figure, its floor and that of another version in turn, until all is
    known well enough. Yields its line, or one for each of its parts.
    """
    mine: list[Sample] = []
    floors: list[Sample] = []
    theirs: list[Sample] = []
    until = time.monotonic() + SECONDS
    while len(mine) < MOST and (len(mine) < LEAST or time.monotonic() < until):
        mine.append(sampled(ROOT, figure.words))
        if figure.floor:
            floors.append(sampled(ROOT, figure.floor))
        if base:
            try:
                theirs.append(sampled(base, figure.words))
            except SystemExit as lacking:  # an older version has not all that is measured here
                print(f"not compared: {lacking}", file=sys.stderr)
                base = None
        if len(mine) >= LEAST and all(
            found.error <= NARROW
            for part in mine[0]
            for found in _spreads(part, mine, floors, theirs)
        ):
            break
    for part in mine[0]:
        yield _line(figure, part, mine, floors, theirs)


def _line(
    figure: Figure, part: str, mine: list[Sample], floors: list[Sample], theirs: list[Sample]
) -> dict[str, object]:
    name = f"{figure.name}_{part}" if part else figure.name
    line: dict[str, object] = {
        "name": name,
        "unit": figure.unit,
        **plain(spread([one[part] for one in mine])),
    }
    if floors:
        line["floor"] = plain(spread([one[part] for one in floors]))
        line["times_floor"] = plain(_ratio(part, mine, floors))
    if theirs:
        ratio = _ratio(part, mine, theirs)
        line["base"] = plain(spread([one[part] for one in theirs]))
        line["ratio"] = plain(ratio)
        line["says"] = told(ratio, lower_is_better=figure.lower_is_better)
    return line


def _spreads(
    part: str, mine: list[Sample], floors: list[Sample], theirs: list[Sample]
) -> list[Spread]:
    """What has to be known well: with another version the ratio to it, else the figure
    itself.
    """
    if theirs:
        return [_ratio(part, mine, theirs)]
    return [spread([one[part] for one in some]) for some in (mine, floors) if some]


def _ratio(part: str, mine: list[Sample], others: list[Sample]) -> Spread:
    return spread([one[part] / other[part] for one, other in zip(mine, others, strict=True)])


def plain(found: Spread) -> dict[str, float]:
    """A spread as it is printed."""
    return {
        "value": round(found.value, 3),
        "low": round(found.low, 3),
        "high": round(found.high, 3),
        "n": found.n,
    }


def sampled(tree: Path, words: tuple[str, ...]) -> Sample:
    """One sample of a version of the project, by its parts; a figure without parts has
    one, named "".
    """
    samples = str(
        HERE / "samples.py"
    )  # of this version, so that what it measures is new to no other
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    line = [sys.executable, samples, *words]
    # Not here: `python -m` looks into the working folder first, and would find this
    # version.
    done = subprocess.run(
        line, capture_output=True, text=True, env=environment, cwd="/", check=False
    )
    if done.returncode:
        sys.exit(f"bench: {' '.join(words)} of {tree}:\n{done.stderr}")
    found = json.loads(done.stdout.splitlines()[-1])
    return found if isinstance(found, dict) else {"": found}


@contextmanager
def other_version(commit: str) -> Iterator[Path | None]:
    """A clone at a commit; None for no commit."""
    if not commit:
        yield None
        return
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(
            ["git", "clone", "--quiet", "--shared", "--no-checkout", str(ROOT), name], check=True
        )
        id = subprocess.run(
            ["git", "rev-parse", "--verify", f"{commit}^{{commit}}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        switched = subprocess.run(
            ["git", "checkout", "--quiet", id.stdout.strip()],
            cwd=name,
            capture_output=True,
            text=True,
        )
        if id.returncode or switched.returncode:
            sys.exit(f"bench: BASE: {(id.stderr or switched.stderr).strip()}")
        subprocess.run(
            [sys.executable, "-m", "compileall", "-q", f"{name}/khiva_arena"], check=True
        )
        if (programs := Path(name, "khiva_arena/native/build.py")).exists():  # not in 0.2.0
            subprocess.run([sys.executable, str(programs)], check=True, stdout=subprocess.DEVNULL)
        yield Path(name)


def say(name: str, value: float, unit: str, **beside: float) -> None:
    print(json.dumps({"name": name, "value": round(value, 2), "unit": unit, **beside}), flush=True)


def in_flight() -> None:
    """What each further match in flight costs the arbiter: memory and descriptors, with
    bots that think for long.
    """
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
    """Start that many matches at a time with bots that greet and then say nothing;
    print memory (kB) and descriptors.
    """
    hello = (
        b"\0\0\0\x20"
        + bytes.fromhex("83a474797065a568656c6c6fa570726f746f01a46e616d65a4")
        + b"hold"
    )
    hello = (len(hello) - 4).to_bytes(4, "big") + hello[4:]
    octal = "".join(f"\\{byte:03o}" for byte in hello)
    quiet = Command(("/bin/sh", "-c", f"printf '{octal}'; exec sleep 60"), "/tmp")
    jobs = [
        job([quiet] * seats, n, policy="strict", turn_ms=4_000, bank_ms=0) for n in range(matches)
    ]
    import trio

    async def watch() -> None:
        await trio.sleep(3)
        _print_held()

    async def both() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch)
            await pool._play_here(iter(jobs), matches, lambda _: None, 1, hold_back=False)

    trio.run(both)


def _print_held() -> None:
    rollup = Path("/proc/self/smaps_rollup").read_text()
    memory = sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Private"))
    print(json.dumps([memory, len(os.listdir("/proc/self/fd"))]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--only", default="", help="figures with this word in their names, and no others"
    )
    parser.add_argument("--base", default="", help="a commit to compare with")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, other_version(asked.base) as base:
        for figure in figures(Path(folder)):
            if asked.only in figure.name:
                for line in measured(figure, base):
                    print(json.dumps(line), flush=True)
    if not asked.only and not asked.base:
        in_flight()
        random_games.main([])
        ratings.main([])
        standings.main(5)


if __name__ == "__main__":
    main()
