"""Write khiva_arena/rating/ratings/swiss_factors.json, the factors of a swiss of equal
bots by shape: how many standard errors hold 95 % of all differences (pair) and the
largest of all (ranks).

For fields that are too large to be replayed for each table, and for the screen of a
run. Each number comes from replays of the landed draw (competition/events/redraws.py);
those of fewer rounds are the same replays as far as they had come.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path[:] = [
    p for p in sys.path if Path(p).resolve() != Path(__file__).resolve().parent
]  # its name is a package's name too

import numpy as np  # noqa: E402

from khiva_arena.competition.events.redraws import (  # noqa: E402
    EventToReplay,
    all_distances,
    factors_of,
    play_replays,
)
from khiva_arena.rating.ratings.swiss_factors import Factors  # noqa: E402
from khiva_arena.rating.schedule.terms import Terms  # noqa: E402

OUT = Path(__file__).parents[3] / "khiva_arena" / "rating" / "ratings" / "swiss_factors.json"
ROUNDS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16)
SEATS = (2, 3, 4, 6)
SIZES = {
    8: ((2, 5, 20), 300),
    16: ((2, 5, 20), 200),
    32: ((5,), 60),
    64: ((2, 5, 20), 100),
    128: ((2, 5), 60),
}
"""By number of bots: seeds of a round, and how many replays."""
AT_ONCE = 10


def measured(bots: int, seats: int, seeds: int, number: int) -> dict[int, Factors]:
    """By number of rounds."""
    terms = Terms("swiss", bots, seats, seeds, rounds=max(ROUNDS), key=b"")
    event = EventToReplay(terms, tuple(range(bots)), max(ROUNDS))
    distances: dict[int, list[np.ndarray]] = {rounds: [] for rounds in ROUNDS}
    for first in range(0, number, AT_ONCE):
        every = play_replays(
            [event],
            [0] * bots,
            [True] * bots,
            bytes(32),
            range(first, min(number, first + AT_ONCE)),
        )
        for rounds in ROUNDS:
            distances[rounds].append(all_distances(every[:rounds], [0] * bots))
    return {rounds: factors_of(np.concatenate(parts)) for rounds, parts in distances.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument(
        "--bots", type=int, nargs="*", default=list(SIZES), help="only these numbers of bots"
    )
    wanted = parser.parse_args()
    rows = []
    for bots in wanted.bots:
        every_seeds, number = SIZES[bots]
        for seats in SEATS:
            for seeds in every_seeds:
                for rounds, found in measured(bots, seats, seeds, number).items():
                    rows.append([bots, seats, rounds, seeds, found.pair, found.ranks])
                print(bots, seats, seeds, rows[-len(ROUNDS) :], flush=True)
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    columns = json.dumps(["bots", "seats", "rounds", "seeds", "pair", "ranks"])
    wanted.out.write_text(f'{{\n "columns": {columns},\n "rows": [\n{lines}\n ]\n}}\n')


if __name__ == "__main__":
    main()
