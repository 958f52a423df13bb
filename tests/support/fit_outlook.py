"""Fits the weights of the deep searching bot again: plays ``search`` against itself and
asks who finished ahead, and prints rows for WEIGHTS in
bots/python/search_deep/outlook.py.

    python tests/support/fit_outlook.py --seats 3 --matches 12000

takes about an hour of one core. The weights that are shipped were fitted in this way to
matches of a copy of the game and of ``search`` in C++, which was written for the
purpose and thrown away.
"""

import argparse
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

BOTS = Path(__file__).parents[2] / "bots" / "python"
sys.path[:0] = [str(BOTS / name) for name in ("kit", "shared", "search_deep")]
import deep  # noqa: E402
import outlook  # noqa: E402
import search  # noqa: E402

from khiva_arena.games.khiva import GAME  # noqa: E402
from khiva_arena.games.khiva.tables import HAND_SIZES  # noqa: E402
from khiva_arena.records.replay import seeds  # noqa: E402

WORLDS, PROMISING = 6, 4  # of search
RIDGE = 10.0
STEPS = 12
PER_HAND = 3
OPEN = 3 + 2 * outlook.FAR


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--matches", type=int, default=12000)
    asked = parser.parse_args()
    for row in fit(asked.seats, asked.matches):
        print(f"{row},")


def fit(seats: int, matches: int) -> list[outlook.Weights]:
    """The weights, by phase."""
    units = _units(seats)
    samples: list[list[tuple[Any, float]]] = [[] for _ in range(len(outlook.SOON) + 1)]
    for deal in range(matches):
        positions, ranks = _match(seats, deal, units)
        for phase, numbers in positions:
            for one, other in combinations(range(seats), 2):
                ahead = (ranks[one] < ranks[other]) + 0.5 * (ranks[one] == ranks[other])
                samples[phase].append((numbers[one] - numbers[other], ahead))
    return [_weights(_regression(*map(np.array, zip(*phase, strict=True)))) for phase in samples]


def _weights(numbers: Any) -> outlook.Weights:
    """What is listed one behind the other, as weights, in hundredths."""
    whole = [round(100 * float(number)) for number in numbers]
    far, hand = outlook.FAR, whole[OPEN:]
    by_size = tuple((hand[at], hand[at + 1], hand[at + 2]) for at in range(0, len(hand), PER_HAND))
    return outlook.Weights(
        (whole[0], whole[1], whole[2]),
        tuple(whole[3 : 3 + far]),
        tuple(whole[3 + far : OPEN]),
        by_size,
    )


def _units(seats: int) -> list[outlook.Weights]:
    """Weights that are all 0 but one: an outlook by these is what that one counts."""
    size = OPEN + PER_HAND * len(HAND_SIZES[seats])
    return [_weights(0.01 * row) for row in np.eye(size)]


def _match(
    seats: int, deal: int, units: list[outlook.Weights]
) -> tuple[list[tuple[int, Any]], list[int]]:
    """At the end of each turn: its phase, and what counts by seat. The ranks in the
    end.
    """
    secret = seeds.seed_secret(seeds.run_secret("weights"), deal)
    rules = GAME.rules({})
    state, _ = GAME.new(seats, rules, secret)
    positions, hands, turn = [], state.hands, 1
    while not state.is_over:
        choices = {}
        for seat, asked in state.pending().items():
            decide = {
                "kind": asked.kind,
                "view": state.view(seat),
                "legal": [list(entry) for entry in asked.legal],
            }
            match = {"seed": seeds.seat_number(secret, f"m{deal}", seat), "rules": rules}
            choices[seat] = search.choose(decide, match, WORLDS, PROMISING)
        if state.offer is None:
            hands = deep._passed(state, choices)
        state.apply(choices)
        if state.turn > turn and not state.is_over:
            turn = state.turn
            positions.append((_phase(state), _numbers(state, hands, units)))
    return positions, list(state.ranks)


def _phase(state: Any) -> int:
    return sum(outlook._turns_left(state) >= soon for soon in outlook.SOON)


def _numbers(state: Any, hands: list[list[int]], units: list[outlook.Weights]) -> Any:
    """By seat: what the weights are multiplied with."""
    columns, shipped = [], outlook.WEIGHTS[state.seats]
    for unit in units:
        outlook.WEIGHTS[state.seats] = (unit,) * len(shipped)
        judged = outlook.Outlook(state)
        columns.append([judged.seat(seat, hands) for seat in range(state.seats)])
    outlook.WEIGHTS[state.seats] = shipped
    return np.array(columns).T


def _regression(differences: Any, ahead: Any) -> Any:
    """Newton's method for a logistic regression without a constant, with a ridge that
    keeps it finite.
    """
    scale = differences.std(axis=0) + 1e-9
    rows = differences / scale
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-rows @ weights))
        slope = rows.T @ (ahead - chance) - RIDGE * weights
        curve = (rows * (chance * (1.0 - chance))[:, None]).T @ rows + RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(curve, slope)
    return weights / scale


if __name__ == "__main__":
    main()
