"""How a fit's cost grows with the log: ``python tests/benchmarks/ratings.py``, one JSON
object for each size and layout.

200 bots at tables of 3 to 5, every line-up in all its rotations, 10^4, 10^5 and 10^6
matches; laid out as 50 seeds, as 5,000 seeds (or as many as there are tables), and with
a seed of its own for each table. Each is measured in a process of its own by its CPU
time (user and system, one thread), from arrays of matches to ratings with CR3 errors;
``peak_mb`` is of the whole process, log and imports included, in 10^6 bytes. ``growth``
is CPU per match over that of the next smaller size. ``objects`` is the same from a
stream of ``Result``, which is made on the way and counted; ``effects`` the same with
seat and neighbour terms.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from made_results import rated

BOTS = 200
SIZES = (10_000, 100_000, 1_000_000)
LAYOUTS = {"50 seeds": 50, "5,000 seeds": 5_000, "a seed for each table": 0}
ROWS = (
    *((name, "arrays") for name in LAYOUTS),
    ("5,000 seeds", "objects"),
    ("5,000 seeds", "effects"),
)
AIM = {"cpu_s": 30, "peak_mb": 2000}


def log(matches: int, seeds: int) -> Any:
    """A third of the tables of each size. Points: strength, luck of the seat on that
    seed, how the bot suits it, and noise.
    """
    import numpy as np

    from khiva_arena.rating.ratings.match_arrays import TableArrays

    rng = np.random.default_rng(20261120)
    tables = round(matches / 12)  # of each size
    strength = np.linspace(0, 3, BOTS)
    made = []
    for seats in (3, 4, 5):
        line_up = rng.integers(BOTS, size=(tables, seats))
        while (twice := (np.diff(np.sort(line_up), axis=1) == 0).any(axis=1)).any():
            line_up[twice] = rng.integers(BOTS, size=(int(twice.sum()), seats))
        number = np.arange(tables) * 3 + seats - 3
        block = np.repeat(number % seeds if seeds else number, seats)
        turn = (np.arange(seats) + np.arange(seats)[:, None]) % seats
        bots = line_up[:, turn].reshape(-1, seats)
        luck = np.sin(block[:, None] * 12.9898 + np.arange(seats) * 78.233) + np.sin(
            block[:, None] * 3.17 + bots * 7.77
        )
        points = np.round(2 * (strength[bots] + luck + rng.normal(size=bots.shape)))
        ranks = 1 + (points[:, None, :] > points[:, :, None]).sum(axis=2)
        made.append(TableArrays(block, bots.astype(np.int64), ranks.astype(np.int64)))
    return made


def stream(arrays: Any) -> Iterator[Any]:

    for tables in arrays:
        for block, bots, ranks in zip(
            tables.block.tolist(), tables.bots.tolist(), tables.ranks.tolist(), strict=True
        ):
            yield rated(block, tuple(bots), tuple(ranks))


def measure(matches: int, layout: str, form: str) -> dict[str, Any]:
    """In this process; CPU of the fit alone."""
    from khiva_arena.rating.ratings.effects import EffectsToFit
    from khiva_arena.rating.ratings.elo import rate
    from khiva_arena.rating.ratings.pairs import cells_of_tables

    arrays = log(matches, LAYOUTS[layout])
    effects = EffectsToFit(seats=True, neighbours=True) if form == "effects" else EffectsToFit()
    began = time.process_time()
    ratings = rate(
        cells_of_tables(arrays, BOTS) if form == "arrays" else stream(arrays),
        BOTS,
        0,
        effects=effects,
    )
    cpu = time.process_time() - began
    if None in ratings.error[1:] or None in ratings.elo:
        raise SystemExit("a bot of the benchmark has no error; the figures would say nothing")
    played = sum(len(tables.block) for tables in arrays)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return {
        "matches": played,
        "blocks": ratings.blocks,
        "cpu_s": round(cpu, 2),
        "peak_mb": round(peak),
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--one",
        nargs=3,
        metavar=("MATCHES", "LAYOUT", "FORM"),
        help="measure one row in this process",
    )
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest size")
    options = parser.parse_args(arguments)
    if options.one:
        matches, layout, form = options.one
        print(json.dumps(measure(int(matches), layout, form)))
        return
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    for layout, form in ROWS:
        before = None
        for matches in (size for size in SIZES if size <= options.most):
            words = [sys.executable, __file__, "--one", str(matches), layout, form]
            done = subprocess.run(
                words, capture_output=True, text=True, check=True, env={**os.environ, **one_thread}
            )
            row = json.loads(done.stdout)
            each = row["cpu_s"] / row["matches"]
            growth = round(each / before, 2) if before else None
            row |= {"us_per_match": round(each * 1e6, 1), "growth": growth}
            row |= {"aim": AIM} if matches == SIZES[-1] else {}
            print(
                json.dumps(
                    {"name": "ratings_fit", "bots": BOTS, "layout": layout, "from": form, **row}
                ),
                flush=True,
            )
            before = each


if __name__ == "__main__":
    main()
