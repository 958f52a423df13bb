"""Random 3-seat games of Khiva a second, on one core, through the public API: ``python tests/benchmarks/random_games.py``.

CPU time, best of five; prints one JSON line. ``--seats N`` and ``--views`` (also make each asked seat's view) on request.
"""

import argparse
import json
import random
import time

from khiva_arena.games import registry
from khiva_arena.games.base import Game

AIM = 2500


def play(game: Game, rules: dict[str, object], seats: int, secret: bytes, views: bool) -> None:
    """One random game."""
    state, _ = game.new(seats, rules, secret)
    draw = random.random
    while pending := state.pending():
        if views:
            for seat in pending:
                state.view(seat)
        state.apply({seat: int(draw() * len(decision.legal)) for seat, decision in pending.items()})


def measure(seats: int, views: bool, games: int = 500, repeats: int = 5) -> float:
    """Games for each second of CPU time, the best of ``repeats``."""
    game = registry.get("khiva")
    rules = game.rules({})
    best = 0.0
    for repeat in range(repeats):
        random.seed(repeat)
        secrets = [random.randbytes(32) for _ in range(games)]
        start = time.process_time()
        for secret in secrets:
            play(game, rules, seats, secret, views)
        best = max(best, games / (time.process_time() - start))
    return best


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seats", type=int, default=3, choices=(2, 3, 4, 5))
    parser.add_argument("--views", action="store_true")
    options = parser.parse_args(arguments)
    value = round(measure(options.seats, options.views))
    name = f"khiva_random_games_{options.seats}p" + ("_with_views" if options.views else "")
    row: dict[str, object] = {"name": name, "value": value, "unit": "games/s"}
    if options.seats == 3 and not options.views:
        row["aim"] = AIM
    print(json.dumps(row))


if __name__ == "__main__":
    main()
