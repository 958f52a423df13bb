"""A hundred kills and stops of real clusters, see cluster_killing.py.

Each round is a competition of one of the three games on a fresh cluster. Its digest
must be that of a run on one machine, with every match there once, sound, no bot blamed,
and no process left.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.extend(map(str, Path(__file__).parents[2].glob("**/support")))

from cluster_killing import ClusterCompetition, run_through, troubled

SHAPES = {"khiva": (2, 3), "emira": (3, 4), "silk_road": (2, 3)}
"""By game: seats and seeds of a round."""
A_ROUND = 20
KILLS = 100


def main(kills: int, seed: int) -> int:
    """Print what was done to whom, and what came of it."""
    chance = random.Random(seed)
    marker = f"cluster-{os.getpid()}"
    done: list[str] = []
    rounds, voids, began = 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="khiva-soak-") as folder:
        digests: dict[str, str] = {}
        for game, (seats, seeds) in SHAPES.items():
            whole = ClusterCompetition(
                Path(folder) / game, marker, jobs=2, seeds=seeds, game=game, seats=seats
            )
            assert whole.start().wait() == 0
            digests[game] = whole.digest()
        while len(done) < kills or rounds < len(SHAPES):
            game = list(SHAPES)[rounds % len(SHAPES)]
            seats, seeds = SHAPES[game]
            rounds += 1
            with troubled(chance, min(A_ROUND, max(1, kills - len(done)))) as troubles:
                place = Path(folder) / f"round{rounds}"
                run = ClusterCompetition(
                    place,
                    marker,
                    jobs=1,
                    seeds=seeds,
                    game=game,
                    cluster=troubles.cluster,
                    seats=seats,
                )
                run_through(run, troubles, (0.1, 2.0))
                done += troubles.done
            if run.digest() != digests[game]:
                print(
                    f"round {rounds}, seed {seed}: the digest of {game} is not that of one machine"
                )
                return 1
            voids += run.voids()
            print(
                f"round {rounds}, {game}: {len(done)} kills and stops, "
                f"{time.monotonic() - began:.0f} s",
                file=sys.stderr,
            )
    for what, times in sorted(Counter(done).items()):
        print(f"{times:5d}  {what}")
    print(
        f"{len(done)} kills and stops in {rounds} runs, seed {seed}: every digest is that "
        "of one machine"
    )
    print(f"no match was lost or doubled, no bot blamed, no process left; {voids} voids")
    return 0


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
