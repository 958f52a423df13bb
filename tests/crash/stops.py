"""Hundreds of stops of real runs, see tests/support/stopping.py.

Each round is a competition in a fresh folder, at one of the levels that there are and
-j 1 or 2 by turns, stopped up to MOST times by SIGTERM, SIGHUP or SIGINT to the
arbiter, its process group or its whole tree, and then left to end. No bot may be blamed
for a stop and no match be void by one, nothing may outlive it, and the digest must be
that of a run without a stop. Busy processes compete for the cores meanwhile.
"""

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "support")]

from busy import busy  # noqa: E402 - found beside this folder
from stopping import HOWS, SIGNALS, Stop, Stopped, instant, stop  # noqa: E402

from khiva_arena.bots.sandbox.detect import levels  # noqa: E402

MOST = 10
STOPS = 200
BUSY = 4


def main(stops: int, seed: int, busy_processes: int) -> int:
    """Print what was stopped how, and what came of it."""
    chance = random.Random(seed)
    marker = f"stops-{os.getpid()}"
    there = [str(level) for level, why in levels().items() if not why]
    found: list[Stop] = []
    digests: dict[str, str] = {}
    rounds = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="khiva-stops-")))
        folder.chmod(0o755)  # root's bots run as users of their own
        program = instant(folder)
        stack.enter_context(busy(busy_processes))
        while len(found) < stops:
            level = there[rounds % len(there)]
            run = Stopped(
                folder / f"round{rounds}", marker, 1 + rounds // len(there) % 2, level, program
            )
            rounds += 1
            while len(run.stopped) < min(MOST, stops - len(found)):
                one = stop(run, chance, chance.choice(HOWS), chance.choice(SIGNALS))
                if one is None:
                    break
                run.stopped.append(one)
            found += run.stopped
            run.to_the_end()
            if run.digest() != digests.setdefault(level, run.digest()):
                print(
                    f"round {rounds}, seed {seed}: the digest is not that of another run at {level}"
                )
                return 1
            print(f"round {rounds}, {level}, -j {run.jobs}: {len(found)} stops", file=sys.stderr)
    for (how, name), count in sorted(Counter((one.how, one.signal) for one in found).items()):
        print(f"{count:5d}  {how:8s} {name}")
    longest = max(one.seconds for one in found)
    print(
        f"{len(found)} stops in {rounds} runs at {', '.join(there)}, seed {seed}, "
        f"{busy_processes} busy processes"
    )
    print(
        "no bot was blamed, no match void, equal digests, no process left; the longest "
        f"stop took {longest:.1f} s"
    )
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--stops", type=int, default=STOPS, help=f"how many, {STOPS} unless you say so"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--busy",
        type=int,
        default=BUSY,
        help=f"processes that compete for the cores, {BUSY} unless you say so",
    )
    options = parser.parse_args()
    sys.exit(main(options.stops, options.seed, options.busy))
