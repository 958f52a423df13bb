"""How often the 95 % intervals and the ranks of whole swiss tournaments hold the truth,
plain (as by lot) and widened by replays of the draw.

Each tournament is drawn by the landed swiss and rated by the landed fit; its matches
share the luck of the seat and of the bot on a deal (tests/support/swiss_simulated.py).
A line for each field: cover is over all pairs of bots, crosstable over those that met,
+/- the standard error of the cover itself, wide how much wider intervals are in the
mean. Exits with 1 if a cover is below 93 or above 97 %, or ranks are false in more than
8 % of tournaments.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path[:] = [
    p for p in sys.path if Path(p).resolve() != Path(__file__).resolve().parent
]  # its name is a package's name too
sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from swiss_simulated import Simulation, Stage  # noqa: E402

from khiva_arena.competition.events.redraws import EventToReplay  # noqa: E402
from khiva_arena.rating.ratings.swiss_factors import by_shape  # noqa: E402
from khiva_arena.rating.ratings.widening import Widening  # noqa: E402
from khiva_arena.rating.schedule.formats import Terms  # noqa: E402

HEAD = (
    "bots seats seeds  elo stages              n | plain: cover crosstable false ranks | widened: "
    "cover  +/- crosstable false ranks  wide"
)
CASES = [
    (bots, seats, 5, spread, ()) for spread in (0, 174) for seats in (2, 3) for bots in (8, 12, 16)
]
MORE = [
    *((16, 2, 20, 0, ()), (12, 3, 2, 0, ()), (9, 2, 3, 0, ()), (16, 2, 5, 521, ())),
    (12, 2, 5, 0, (Stage("round-robin", 4, 2, 5),)),
    (12, 2, 5, 0, (Stage("knockout", 4, 2, 5),)),
    (12, 3, 5, 0, (Stage("swiss", 6, 2, 5),)),
    (10, 2, 10, 0, (Stage("round-robin", 4, 2, 10),)),
]
LARGE = (128, 2, 5, 0, ())
AT_ONCE = 25


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--trials", type=int, default=400, help="tournaments for each line (default 400)"
    )
    parser.add_argument(
        "--replays",
        type=int,
        default=100,
        help="of each tournament (default 100; the arena makes 300)",
    )
    parser.add_argument(
        "--more", action="store_true", help="other numbers of seeds and stages, too"
    )
    parser.add_argument("--large", action="store_true", help="only 128 bots, judged by shape")
    parser.add_argument(
        "--skip", type=int, default=0, help="leave out so many fields at the beginning"
    )
    wanted = parser.parse_args()
    print(HEAD, flush=True)
    cases = [LARGE] if wanted.large else [*CASES, *(MORE if wanted.more else [])][wanted.skip :]
    every = [(case, _simulation(case, wanted.replays)) for case in cases]
    outside = 0
    for done in range(
        AT_ONCE, wanted.trials + AT_ONCE, AT_ONCE
    ):  # all fields side by side, so that all are known early
        for case, simulation in every:
            simulation.play(min(AT_ONCE, wanted.trials - done + AT_ONCE))
            good = 93 <= simulation.wide.cover <= 97 and simulation.wide.ranks <= 8
            outside += not good and done >= wanted.trials
            print(_line(case, simulation) + ("" if good else "  OUTSIDE"), flush=True)
    return int(outside > 0)


def _simulation(case: tuple, replays: int) -> Simulation:
    bots, seats, seeds, spread, stages = case
    # a stage of the best of a round-robin: nothing to widen
    terms = Terms("round-robin" if bots == 10 else "swiss", bots, seats, seeds, key=b"")
    how = {"judge": _by_shape} if bots > 64 else {}
    return Simulation(terms, np.linspace(0, spread, bots), replays=replays, stages=stages, **how)


def _by_shape(events: Sequence[EventToReplay], *_: object) -> Widening:
    (event,) = events
    return Widening(
        "shape", *by_shape(len(event.bots), event.terms.seats, event.rounds, event.terms.seeds)
    )


def _line(case: tuple, simulation: Simulation) -> str:
    bots, seats, seeds, spread, stages = case
    plain, wide = simulation.plain, simulation.wide
    names = "+".join(f"{stage.format} {stage.take}" for stage in stages)
    field = f"{bots:4} {seats:5} {seeds:5} {spread:4} {names:16} {wide.competitions:4}"
    was = f"{plain.cover:12.1f} {plain.of_cells:10.1f} {plain.ranks:11.1f}"
    now = f"{wide.cover:14.1f} {wide.cover_error:4.1f} {wide.of_cells:10.1f} {wide.ranks:11.1f}"
    return f"{field} | {was} | {now} {wide.width / plain.width:5.2f}"


if __name__ == "__main__":
    sys.exit(main())
