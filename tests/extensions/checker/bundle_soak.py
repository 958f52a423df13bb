"""Some thousand matches in ticks, checked in browsers; digests and costs beside those
of the command.

It fails where a digest is another one or a cost is beyond its limit. All of these are
CPU and memory of processes and, but for the least of some starts, ratios within this
run: a busy machine does not change them much, and the limits are far.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
sys.path.extend(map(str, (ROOT / "tests").glob("**/support")))

from arena import arena, arena_process, bots  # noqa: E402
from browser import Page, browser  # noqa: E402
from bundling import lines_of  # noqa: E402
from checker import checker  # noqa: E402
from firefox import Firefox, firefox  # noqa: E402
from module_cup import of_kind, play_cup, vectors  # noqa: E402
from tick_bots import bot, works  # noqa: E402

from khiva_arena.bots.sandbox.proc_usage import Usage, tree, usage  # noqa: E402

AT_FAULT = {"khiva": "illegal three times", "emira": "late", "silk_road": "traps"}
"""A game is played by seven honest modules and one with this fault, which sits in three
matches of eight.
"""
SHIPPED = [
    "python/random",
    "python/naive",
    "python/greedy",
    "javascript/random",
    "javascript/greedy",
]
HOURS = 4 * 3600.0
DIGEST = re.compile(r"run digest (\w+)", re.IGNORECASE)
START, TIMES_VERIFY, TIMES_TEN = 6.0, 3.0, 2.0
"""The limits: seconds of CPU until a match is read, times the CPU of `verify`, and
times the memory after ten matches.
"""
TOLD = "document.querySelector('#found .dim')?.textContent"
OPENED = {"chromium": browser, "firefox": firefox}


def played(folder: Path, seeds: str) -> Path:
    """Play an event unless it lies there, and return its bundle: 168 matches a seed of
    modules, or 50 of interpreters.
    """
    if not folder.exists():
        folder.mkdir(parents=True)
        if fault := AT_FAULT.get(folder.name):
            modules = {
                f"honest-{number}": bot({1: works(number)}) for number in range(1, 8)
            } | vectors({"at-fault": fault})
            play_cup(
                folder, "--game", folder.name, "--seeds", seeds, modules=modules, seconds=HOURS
            )
        else:
            words = (
                "--clock",
                "ticks",
                "--seats",
                "2",
                "--lineups",
                "5",
                "--seeds",
                "5",
                "--seed",
                "cup",
                "--out",
                "store",
            )
            arena(
                "run", *words, *bots(*map("shipped:{}".format, SHIPPED)), cwd=folder, seconds=HOURS
            )
            arena("bundle", "store", "cup.khiva", "--with-modules", cwd=folder)
    return folder / "cup.khiva"


def verified(cup: Path) -> tuple[str, float]:
    """Return the digest that `verify --rerun-bots` prints, and the seconds of CPU that
    it takes.
    """
    before = getrusage(RUSAGE_CHILDREN)
    (digest,) = DIGEST.findall(
        arena_process("verify", cup.name, "--rerun-bots", cwd=cup.parent, seconds=HOURS).stdout
    )
    after = getrusage(RUSAGE_CHILDREN)
    return digest, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def used() -> Usage:
    """Return what all processes use that this one has started."""
    return usage([pid for pid in tree(os.getpid(), 1_000) if pid != os.getpid()], 1)


class Costs(NamedTuple):
    """What a check of a bundle took.

    start: seconds of CPU from the choice of the file until its first match was read.
    times_verify: the CPU of all that followed, in times of what the command takes.
    times_ten: the memory at the end, in times of that after ten matches.
    """

    start: float
    times_verify: float
    times_ten: float


def checked(opened: Page | Firefox, page: Path, cup: Path, digest: str, seconds: float) -> Costs:
    """Check a bundle in a browser, print a line with what that took, and return it."""
    records = [match["record"] for match in of_kind(lines_of(cup), "match")]
    at_fault = sum(any(why for step in record["steps"] for _, _, why in step) for record in records)
    opened.visit(page.as_uri())
    opened.until("return document.querySelector('main')?.childElementCount > 0")
    looks = [used()]
    opened.choose(cup)
    for told in ("(read|run)", "[0-9]{2,} matches run", f"{len(records)} matches run"):
        opened.watch(f"return /{told}/.test({TOLD})", HOURS)
        looks.append(used())
    opened.watch("return document.querySelector('[data-what=verdict]')", HOURS)
    (verdict,), (event,) = opened.texts("[data-what=verdict]"), opened.texts("[data-what=event]")
    assert (verdict[:7], *DIGEST.findall(event)) == ("Equal: ", digest), (verdict, event)
    start, took = looks[1].cpu - looks[0].cpu, used().cpu - looks[1].cpu
    costs = Costs(start, took / seconds, looks[3].memory / looks[2].memory)
    said = (
        f"start {start:.1f} s, a match {took / len(records):.3f} s, {costs.times_verify:.1f} "
        "times verify"
    )
    memory = f"{looks[2].memory >> 20} MB after ten, {looks[3].memory >> 20} at the end"
    print(
        f"{cup.parent.name}: {len(records)} matches equal, {at_fault} with faults; {said}; "
        f"{memory}",
        flush=True,
    )
    return costs


def beyond(found: Sequence[Costs]) -> list[str]:
    """What is beyond its limit in some checks of a browser."""
    costs = Costs(
        min(one.start for one in found), *(max(one[at] for one in found) for at in (1, 2))
    )
    limits = zip(Costs._fields, costs, (START, TIMES_VERIFY, TIMES_TEN), strict=True)
    return [f"{name}: {cost:.1f}, at most {limit}" for name, cost, limit in limits if cost > limit]


def main(folder: Path, seeds: str, *browsers: str) -> int:
    """Check in each browser what lies in a folder, once it is played, and return the
    exit code.
    """
    told = {
        cup: verified(cup)
        for name in (*AT_FAULT, "interpreters")
        if (cup := played(folder / name, seeds))
    }
    (page := folder / "khiva-arena.html").write_text(checker())
    wrong = []
    for name in browsers:
        found = []
        for cup, (digest, seconds) in told.items():
            with OPENED[name]() as opened:
                print(name, end=" ")
                found.append(checked(opened, page, cup, digest, seconds))
        wrong += [f"{name}: {line}" for line in beyond(found)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out", type=Path, default=Path("results/bundle-soak"), help="default: results/bundle-soak"
    )
    parser.add_argument("--seeds", default="2", help="of each event, 2 unless you say so")
    parser.add_argument("--browser", action="append", choices=OPENED, help="only this one")
    options = parser.parse_args()
    os.nice(10)
    sys.exit(main(options.out.resolve(), options.seeds, *(options.browser or OPENED)))
