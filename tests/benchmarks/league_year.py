"""What a batch of a league costs as its history grows.

A league without bots is made, whose links, draws, matches and sums are the arena's own,
and copied at each size. Printed is a JSON object a size, with CPU seconds of the
player's start, of the process that fits the table, of a write of all that is public,
and of `league enter`; then the ratios to the first size. Each figure is the least of
several runs that take turns.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(ROOT / "tests" / "extensions" / "league" / "support"))

from arena import arena  # noqa: E402 - behind the path of the helpers
from made_league import MadeLeague, Shape  # noqa: E402

from khiva_arena.common.say import say_nothing  # noqa: E402
from khiva_arena.extensions.league.chain.links import StateChanged  # noqa: E402
from khiva_arena.extensions.league.chain.stored_chain import next_place  # noqa: E402
from khiva_arena.extensions.league.folder import PUBLIC  # noqa: E402
from khiva_arena.extensions.league.player.publish import Publisher  # noqa: E402
from khiva_arena.extensions.league.public_state import BATCH_LOG, BATCHES, STATE  # noqa: E402
from khiva_arena.extensions.league.settings import league_of  # noqa: E402
from khiva_arena.extensions.league.walked import keep_walked  # noqa: E402

SIZES = (100, 1_850, 2_000)
"""Both are in seasons of 250: at the same place of theirs, and at the end of one."""
BOTS = 10
SHAPE = Shape(seats=2, seeds=1)
RUNS = 5
MOST = 1.3


def grow(league: MadeLeague, batches: int) -> None:
    """Let a league come to so many batches."""
    while league.chain.over < batches:
        league.batch()
        if league.chain.over % 500 == 0:
            print(f"{league.chain.over} batches", file=sys.stderr)


def publish(league: MadeLeague) -> None:
    """Publish all of a league as its player does at its end; pages of batches are empty
    ones.
    """
    for batch in range(1, league.chain.over + 1):
        page = league.folder / PUBLIC / BATCHES / f"{batch}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.touch()
    with Publisher(league.store, say_nothing) as public:
        public.publish(league.chain)
        keep_walked(league.store, league.so_far)
        public.finish()


def cpu_of(*words: str, folder: Path) -> float:
    """Return the CPU seconds of a command and of all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, cwd=folder, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_of(folder: Path) -> dict[str, float]:
    """Return the CPU seconds of the write after one more link, and the bytes that it
    writes.
    """
    with MadeLeague(folder, SHAPE) as league, Publisher(league.store, say_nothing) as public:
        public.write(league.chain)
        bot = league.chain.active[-1]
        league.add(
            StateChanged(**next_place(league.chain), identity=bot.identity, state="suspended")
        )
        sizes = {
            name: (folder / PUBLIC / name).stat().st_size for name in ("chain.jsonl", BATCH_LOG)
        }
        begun = time.process_time()
        public.write(league.chain)
        keep_walked(league.store, league.so_far)
        seconds = time.process_time() - begun
        added = sum((folder / PUBLIC / name).stat().st_size - size for name, size in sizes.items())
        league.add(StateChanged(**next_place(league.chain), identity=bot.identity, state="active"))
    state, derived = (
        folder / PUBLIC / STATE,
        [folder / "sums" / name for name in ("walked", "published")],
    )
    return {
        "write": seconds,
        "bytes": added + sum(path.stat().st_size for path in (state, *derived)),
    }


def measured(folder: Path, bot: Path) -> dict[str, float]:
    """Return the costs of a league once."""
    python = sys.executable
    start = cpu_of(
        python,
        "-m",
        "khiva_arena",
        "league",
        "play",
        folder.name,
        "--batches",
        "0",
        folder=folder.parent,
    )
    table = cpu_of(
        python,
        "-m",
        "khiva_arena.extensions.league.player.newest_table",
        folder.name,
        folder=folder.parent,
    )
    again = folder.parent / f"{bot.name}-{time.monotonic_ns()}"
    shutil.copytree(bot, again)
    with (again / "main.py").open("a") as file:
        file.write(f"# {again.name}\n")  # else it is the very same bot
    enter = cpu_of(
        python,
        "-m",
        "khiva_arena",
        "league",
        "enter",
        folder.name,
        again.name,
        "--author",
        again.name,  # each bot has an author of its own, who may have few
        "--name",
        again.name,
        folder=folder.parent,
    )
    return {"start": start, "table": table, "enter": enter, **write_of(folder)}


def main(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        arena("league", "new", "spring", "--seats", str(SHAPE.seats), cwd=home)
        arena("new", "python", "my-bot", cwd=home)
        anchors = league_of(home / "spring", {}, say_nothing).frozen_anchors
        leagues = {}
        with MadeLeague(home / "spring", SHAPE, anchors=anchors) as league:
            for number in range(BOTS - len(anchors)):
                league.enter(f"bot {number}", number + 1, number + 1)
            for size in sizes:
                grow(league, size)
                publish(league)
                leagues[size] = Path(shutil.copytree(home / "spring", home / f"spring-{size}"))
        costs: dict[int, list[dict[str, float]]] = {size: [] for size in sizes}
        for _ in range(RUNS):
            for size, folder in leagues.items():
                costs[size].append(measured(folder, home / "my-bot"))
        least = {
            size: {name: min(run[name] for run in runs) for name in runs[0]}
            for size, runs in costs.items()
        }
        for size, cost in least.items():
            print(
                json.dumps(
                    {"batches": size, **{name: round(value, 4) for name, value in cost.items()}}
                )
            )
        for size in sizes[1:]:
            ratios = {
                name: round(value / least[sizes[0]][name], 2) for name, value in least[size].items()
            }
            print(json.dumps({"batches": f"{size} / {sizes[0]}", **ratios}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "batches", type=int, nargs="*", help=f"by default {', '.join(map(str, SIZES))}"
    )
    main(parser.parse_args().batches or list(SIZES))
