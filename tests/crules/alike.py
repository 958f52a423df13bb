"""Play random matches in the engine and in C and compare each step: ``python
tests/crules/alike.py khiva --matches 1000000``.

Ends with the first difference. Views, numbers and worlds are compared at some of the
positions of one match in ten.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from rules_in_c import play_alike

from khiva_arena import crules
from khiva_arena.games import registry

VIEWS, PART = 0.1, 200


def some(name: str, seed: str, first: int, matches: int) -> int:
    """Play matches by rules and seats that their numbers draw, and return the steps."""
    game, steps = registry.get(name), 0
    for number in range(first, first + matches):
        seats = game.seats[number % len(game.seats)]
        steps += play_alike(game, seats, f"{seed} {number}", VIEWS if number % 10 == 0 else 0.0)
    return steps


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="+", choices=crules.GAMES)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    for name in options.games:
        begun, parts = time.monotonic(), -(-options.matches // PART)
        with ProcessPoolExecutor(options.jobs) as pool:
            sizes = [
                min(PART, options.matches - first) for first in range(0, options.matches, PART)
            ]
            steps = sum(
                pool.map(some, [name] * parts, [options.seed] * parts, count(0, PART), sizes)
            )
        seconds = time.monotonic() - begun
        print(
            f"{name}: {options.matches:,} matches of all seat counts and any rules, "
            f"{steps:,} steps, equal; {seconds:,.0f} s"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
