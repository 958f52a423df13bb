"""``make page-soak``: some thousand matches in ticks, checked in browsers; digests and costs beside those of the command."""

import os
import re
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from arena import arena, arena_process, bots  # noqa: E402
from browser import Page, browser  # noqa: E402
from bundling import lines_of  # noqa: E402
from checker import checker  # noqa: E402
from firefox import Firefox, firefox  # noqa: E402
from module_cup import of_kind, play_cup, vectors  # noqa: E402
from tick_bots import bot, works  # noqa: E402

from khiva_arena.sandbox.proc_usage import Usage, tree, usage  # noqa: E402

AT_FAULT = {"khiva": "illegal three times", "emira": "late", "silk_road": "traps"}
"""A game is played by seven honest modules and one with this fault, which sits in three matches of eight."""
SHIPPED = ["python/random", "python/naive", "python/greedy", "javascript/random", "javascript/greedy"]
HOURS = 4 * 3600.0
DIGEST = re.compile(r"run digest (\w+)", re.IGNORECASE)
TOLD = "return document.querySelector('#found .dim').textContent"
OPENED = {"chromium": browser, "firefox": firefox}


def played(folder: Path, seeds: str) -> Path:
    """Play an event unless it lies there, and return its bundle: 168 matches a seed of modules, or 50 of interpreters."""
    if not folder.exists():
        folder.mkdir(parents=True)
        if fault := AT_FAULT.get(folder.name):
            modules = {f"honest-{number}": bot({1: works(number)}) for number in range(1, 8)} | vectors({"at-fault": fault})
            play_cup(folder, "--game", folder.name, "--seeds", seeds, modules=modules, seconds=HOURS)
        else:
            words = ("--clock", "ticks", "--seats", "2", "--lineups", "5", "--seeds", "5", "--seed", "cup", "--out", "store")
            arena("run", *words, *bots(*map("shipped:{}".format, SHIPPED)), cwd=folder, seconds=HOURS)
            arena("bundle", "store", "cup.khiva", "--with-modules", cwd=folder)
    return folder / "cup.khiva"


def verified(cup: Path) -> tuple[str, float]:
    """Return the digest that `verify --rerun-bots` prints, and the seconds of CPU that it takes."""
    before = getrusage(RUSAGE_CHILDREN)
    (digest,) = DIGEST.findall(arena_process("verify", cup.name, "--rerun-bots", cwd=cup.parent, seconds=HOURS).stdout)
    after = getrusage(RUSAGE_CHILDREN)
    return digest, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def used() -> Usage:
    """Return what all processes use that this one has started."""
    return usage([pid for pid in tree(os.getpid(), 1_000) if pid != os.getpid()], 1)


def checked(opened: Page | Firefox, page: Path, cup: Path, digest: str, seconds: float) -> str:
    """Check a bundle in a browser, and return a line with what that took."""
    records = [match["record"] for match in of_kind(lines_of(cup), "match")]
    at_fault = sum(any(why for step in record["steps"] for _, _, why in step) for record in records)
    opened.visit(page.as_uri())
    opened.until("return document.querySelector('main')?.childElementCount > 0")
    looks = [used()]
    opened.choose(cup)
    for told in ("(read|run)", "[0-9]{2,} matches run", f"{len(records)} matches run"):
        opened.until(f"{TOLD}.match(/{told}/)", seconds=HOURS)
        looks.append(used())
    opened.until("return document.querySelector('[data-what=verdict]')", seconds=HOURS)
    (verdict,), (event,) = opened.texts("[data-what=verdict]"), opened.texts("[data-what=event]")
    assert (verdict[:7], *DIGEST.findall(event)) == ("Equal: ", digest), (verdict, event)
    start, took = looks[1].cpu - looks[0].cpu, used().cpu - looks[1].cpu
    costs = f"start {start:.1f} s, a match {took / len(records):.3f} s, {took / seconds:.1f} times verify"
    memory = f"{looks[2].memory >> 20} MB after ten, {looks[3].memory >> 20} at the end"
    return f"{cup.parent.name}: {len(records)} matches equal, {at_fault} with faults; {costs}; {memory}"


def main(folder: Path, seeds: str, *browsers: str) -> None:
    """Check in each browser what lies in a folder, once it is played."""
    told = {cup: verified(cup) for name in (*AT_FAULT, "interpreters") if (cup := played(folder / name, seeds))}
    (page := folder / "khiva-arena.html").write_text(checker())
    for name in browsers:
        for cup, (digest, seconds) in told.items():
            with OPENED[name]() as opened:
                print(name, checked(opened, page, cup, digest, seconds), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])
