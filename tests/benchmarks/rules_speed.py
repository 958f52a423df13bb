"""The rules in C beside the engine, and the environments beside those of others, in one
run.

Prints one JSON object a line: what was counted, a second of CPU. The parts of a line
take turns, and each figure is the best of three rounds.
"""

import argparse
import json
import random
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import khiva_arena
from khiva_arena import crules
from khiva_arena.crules.game import copy_states, draw_worlds, random_games
from khiva_arena.games import registry
from khiva_arena.games.base import Game
from khiva_arena.rng import Stream

SEATS, ROUNDS, SECONDS, MATCHES = 3, 3, 0.5, 512


def rate(work: Callable[[], int]) -> float:
    """Return how much is done a second of CPU; ``work`` does a part and returns how
    much that was.
    """
    begun, done = time.process_time(), 0
    while (spent := time.process_time() - begun) < SECONDS:
        done += work()
    return done / spent


def compare(name: str, **works: Callable[[], int]) -> None:
    """Print the rates of several works, measured in turns."""
    best = dict.fromkeys(works, 0.0)
    for _ in range(ROUNDS):
        for key, work in works.items():
            best[key] = max(best[key], rate(work))
    print(
        json.dumps({"what": name, **{key: float(f"{value:.3g}") for key, value in best.items()}}),
        flush=True,
    )


def drawn(state: Any, lots: random.Random) -> dict[int, int]:
    return {seat: lots.randrange(len(one.legal)) for seat, one in state.pending().items()}


def rules_of(game: Game) -> None:
    """Random games, clones and worlds of one game at three seats."""
    lots, given = random.Random(1), game.rules({})
    rules = crules.RulesInC(game.name, game.every_rule(given))

    def play() -> int:
        state, _ = game.new(SEATS, given, lots.randbytes(32))
        while not state.is_over:
            state.apply(drawn(state, lots))
        return 1

    compare(
        f"{game.name}: random games",
        engine=play,
        c=lambda: random_games(rules, SEATS, lots.getrandbits(63), 1000) and 1000,
    )
    state, _ = game.new(SEATS, given, lots.randbytes(32))
    for _ in range(20):
        state.apply(drawn(state, lots))
    seat = next(iter(state.pending()))
    view, stream = state.view(seat), Stream(bytes(32), "worlds")
    read, one = rules.view(view), rules.new(SEATS, bytes(32))

    def clone() -> int:
        for _ in range(100):
            state.clone()
        return 100

    def imagine() -> int:
        for _ in range(20):
            game.determinise(view, given, stream)
        return 20

    compare(
        f"{game.name}: clones", engine=clone, c=lambda: copy_states(one, 1_000_000) and 1_000_000
    )
    compare(
        f"{game.name}: worlds of a view",
        engine=imagine,
        c=lambda: 5000 - draw_worlds(read, 5000, quick=False),
        c_quick=lambda: 5000 - draw_worlds(read, 5000, quick=True),
    )


def stepping(env: Any) -> Callable[[], int]:
    """Return the work of some steps of matches that are stepped together; choosing at
    random is part of it.
    """
    rng = np.random.default_rng(0)
    held = [env.reset(seed=1)[0]]

    def step() -> int:
        for _ in range(5):
            mask = held[0]["action_mask"]
            held[0] = env.step((rng.random(mask.shape, dtype=np.float32) * mask).argmax(1))[0]
        return 5 * len(mask)

    return step


def acting(env: Any) -> Callable[[], int]:
    """Return the work of one match of an AEC environment."""
    rng = np.random.default_rng(0)

    def play() -> int:
        env.reset()
        steps = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
                steps += 1
        return steps

    return play


def goofspiel() -> Callable[[], int]:
    """Return the work of one match of the library's goofspiel, three seats and thirteen
    cards, with tensors.
    """
    import pyspiel

    game = pyspiel.load_game("goofspiel", {"players": 3, "num_cards": 13})
    lots = random.Random(1)

    def play() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(lots.choice(state.legal_actions()))
                continue
            for seat in range(3):
                state.information_state_tensor(seat)
            state.apply_actions([lots.choice(state.legal_actions(seat)) for seat in range(3)])
            steps += 3
        return steps

    return play


def environments(game: Game) -> None:
    """Steps of one game at three seats, each with the observation and the mask of a
    seat.
    """
    made = khiva_arena.env.vector(game.name, SEATS, MATCHES)
    works = {"vector": stepping(made)}
    if game.name == "khiva":
        works["vector_without_history"] = stepping(
            khiva_arena.env.vector(game.name, SEATS, MATCHES, without=("history",))
        )
    works["aec"] = acting(khiva_arena.env.aec(game.name, SEATS))
    if find_spec("pyspiel"):
        works["pyspiel_goofspiel_with_tensors"] = goofspiel()
    if find_spec("pygame"):
        from pettingzoo import make

        works |= {
            f"pettingzoo_{name}": acting(make("aec", f"classic/{name}"))
            for name in ("tictactoe-v3", "leduc_holdem-v4")
        }
    compare(f"{game.name}: steps", **works)


def main() -> int:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    warnings.simplefilter("error")
    for name in crules.GAMES:
        rules_of(registry.get(name))
        environments(registry.get(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
