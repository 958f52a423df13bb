"""Random games a second on one core, through the public API: ``python
tests/benchmarks/random_games.py [GAME ...]``.

CPU time, best of five; one JSON line for each figure. ``--seats N`` (else 3) and
``--views`` (also make each asked seat's view) on request.
"""

import argparse
import json
import random
import time

from khiva_arena.games import registry
from khiva_arena.games.base import Game

AIMS = {
    "khiva": ("games/s", 2500),
    "emira": ("decisions/s", 50_000),
    "silk_road": ("decisions/s", 50_000),
}
"""At 3 seats, without views."""
SPAN = 0.25
"""Games of one repeat: as many as take about this long, in seconds."""


def play(game: Game, rules: dict[str, object], seats: int, secret: bytes, views: bool) -> int:
    """One random game; returns how many decisions it took."""
    state, _ = game.new(seats, rules, secret)
    draw = random.random
    decisions = 0
    while pending := state.pending():
        decisions += len(pending)
        if views:
            for seat in pending:
                state.view(seat)
        state.apply({seat: int(draw() * len(decision.legal)) for seat, decision in pending.items()})
    return decisions


def measure(game: Game, seats: int, views: bool, repeats: int = 5) -> dict[str, float]:
    """Games and decisions for each second of CPU time, the best of ``repeats``."""
    rules = game.rules({})
    best = {"games/s": 0.0, "decisions/s": 0.0}
    for repeat in range(repeats):
        random.seed(repeat)
        games = decisions = 0
        start = time.process_time()
        while (spent := time.process_time() - start) < SPAN:
            decisions += play(game, rules, seats, random.randbytes(32), views)
            games += 1
        best = {
            "games/s": max(best["games/s"], games / spent),
            "decisions/s": max(best["decisions/s"], decisions / spent),
        }
    return best


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "games",
        nargs="*",
        metavar="GAME",
        help=f"of {', '.join(registry.GAMES)}; all of them when none is named",
    )
    parser.add_argument("--seats", type=int, default=3, choices=(2, 3, 4, 5))
    parser.add_argument("--views", action="store_true")
    options = parser.parse_args(arguments)
    if unknown := set(options.games) - set(registry.GAMES):
        parser.error(f"no game {', '.join(sorted(unknown))}; there are {', '.join(registry.GAMES)}")
    for name in options.games or registry.GAMES:
        game = registry.get(name)
        if options.seats not in game.seats:
            print(
                json.dumps(
                    {
                        "name": f"{name}_random_games_{options.seats}p",
                        "value": None,
                        "unit": "games/s",
                    }
                )
            )
            continue
        for unit, value in measure(game, options.seats, options.views).items():
            said = f"{name}_random_{unit.removesuffix('/s')}_{options.seats}p" + (
                "_with_views" if options.views else ""
            )
            row: dict[str, object] = {"name": said, "value": round(value), "unit": unit}
            aim_unit, aim = AIMS.get(name, ("", 0))
            if unit == aim_unit and options.seats == 3 and not options.views:
                row["aim"] = aim
            print(json.dumps(row))


if __name__ == "__main__":
    main()
