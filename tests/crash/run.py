"""Hundreds of kill -9 on real runs, see tests/support/killing.py.

Each round is a competition in a fresh folder with a fresh cache, at -j 1 and -j 2 by
turns, killed up to MOST times and then left to end. Its digest must be that of a run
without a kill, with every match there once, sound, and no process left.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

from killing import Competition, Kill, run_to_the_end

MOST = 12
KILLS = 300


def main(kills: int, seed: int) -> int:
    """Print what was killed when, and what came of it."""
    chance = random.Random(seed)
    marker = f"crash-{os.getpid()}"
    found: list[Kill] = []
    rounds = voids = drafts = 0
    with tempfile.TemporaryDirectory(prefix="khiva-crash-") as folder:
        began = time.monotonic()
        first = Competition(Path(folder) / "whole", marker, jobs=1)
        run_to_the_end(first, chance, most=0, seconds=0)
        seconds, digest = time.monotonic() - began, first.digest()
        while len(found) < kills:
            rounds += 1
            run = Competition(Path(folder) / f"round{rounds}", marker, jobs=1 + rounds % 2)
            found += run_to_the_end(run, chance, min(MOST, kills - len(found)), seconds)
            if run.digest() != digest:
                return _differs(first, run, rounds, seed)
            voids += run.voids()
            drafts += len(list(run.cache.glob("staged/draft-*")))
            print(f"round {rounds}: {len(found)} kills", file=sys.stderr)
    for (who, stage), count in sorted(Counter((kill.who, kill.stage) for kill in found).items()):
        print(f"{count:5d}  {who:8s} {stage}")
    print(f"{len(found)} kills in {rounds} runs, seed {seed}: every digest is {digest[:16]}")
    print("no match was lost or doubled, no process was left behind")
    print(
        f"{voids} matches were void once or more, {drafts} drafts of staging are left for "
        "the next sweep"
    )
    return 0


def _differs(first: Competition, run: Competition, rounds: int, seed: int) -> int:
    """What differs between a run without a kill and one with some."""
    print(
        f"round {rounds}, seed {seed}: the digest is not that of a run without a kill; "
        "seats that differ, whole and killed:"
    )
    for one, other in zip(first.results(), run.results(), strict=True):
        if one[:6] != other[:6]:
            print(f"  {one}\n  {other}")
    return 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--kills", type=int, default=KILLS, help=f"how many, {KILLS} unless you say so"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sys.exit(main(options.kills, options.seed))
