"""How often ``compare`` errs, how often its interval holds the truth, and how soon it
tells, for bots that do not exist.

A line for each number of seats, world, true difference, number of matches at a time and
time. A short time ends most comparisons by the time, a long one lets the looks decide.
Matches last longer the better the first bot does. Exits with 1 if a false side is
claimed in more than 5 % of comparisons, if an interval holds in less than 95 %, or if
300 Elo are not told within 40 matches at two seats and 48 at three in nine of ten. With
third bots between them, bots are harder to tell apart, so that nothing is asked of how
soon.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from simulated_comparisons import ELO, SHAPES, SOON, WORLDS, figures

SLOTS = (1, 4)
TIMES = (40, 400)  # seconds, of matches that last two on the mean


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--number", type=int, default=2000, help="comparisons for each line (default 2000)"
    )
    number, outside = parser.parse_args().number, 0
    print(
        "seats  third  world               Elo  -j  seconds  false %  held %  better %  by "
        "a look %  matches of 9 in 10",
        flush=True,
    )
    for shape in SHAPES:
        for world in WORLDS:
            for elo in ELO:
                for slots in SLOTS:
                    for seconds in TIMES:
                        found = figures(world, shape, elo, seconds, slots, number, seed=20261129)
                        is_late = elo == 300 and seconds == TIMES[-1] and not shape.against
                        is_late = is_late and (
                            found.better < 0.9 or found.nine_in_ten > SOON[shape.seats]
                        )
                        mark = (
                            "  OUTSIDE"
                            if found.false > 0.05 or found.held < 0.95 or is_late
                            else ""
                        )
                        outside += bool(mark)
                        where = (
                            f"{shape.seats:5}  {shape.against:5}  {world.name:18} {elo:4.0f}  "
                            f"{slots:2}  {seconds:7}"
                        )
                        shares = f"{100 * found.false:7.2f}  {100 * found.held:6.2f}"
                        shares += f"  {100 * found.better:8.1f}  {100 * found.clear:11.1f}"
                        print(f"{where}  {shares}  {found.nine_in_ten:18.0f}{mark}", flush=True)
    return int(outside > 0)


if __name__ == "__main__":
    sys.exit(main())
