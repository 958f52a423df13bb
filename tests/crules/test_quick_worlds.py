"""Worlds drawn in C from a quick stream are as frequent as the engine's, whose
frequencies the tests of the games hold against brute force.
"""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from drawn_rules import drawn_rules
from rules_in_c import PLACES, drawn_choices

from khiva_arena import crules
from khiva_arena.env.coding import coding_of
from khiva_arena.games.base import Game
from khiva_arena.rng import Stream

pytestmark = pytest.mark.soak
DRAWS, FEW = 1000, 60
RARE = 8
"""Kinds of worlds that were drawn less often are counted as one."""


def views(
    game: Game, seats: int, lots: random.Random
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield rules and views of random matches, one a match."""
    while True:
        rules = drawn_rules(game, lots)
        state, _ = game.new(seats, rules, lots.randbytes(32))
        while not state.is_over:
            if lots.random() < 0.03:
                yield rules, state.view(lots.randrange(seats))
                break
            state.apply(drawn_choices(state, lots))


def compared(one: Counter[bytes], other: Counter[bytes]) -> tuple[float, int]:
    """Return chi-square of two samples of equal size, and its degrees of freedom."""
    often = [kind for kind in one | other if one[kind] + other[kind] >= RARE]
    pairs = [(one[kind], other[kind]) for kind in often]
    rest = one.total() - sum(a for a, _ in pairs), other.total() - sum(b for _, b in pairs)
    pairs += [rest] if sum(rest) else []
    return sum((a - b) ** 2 / (a + b) for a, b in pairs), len(pairs) - 1


EACH_TIME = ("khiva-2", "khiva-5", "emira-3", "silk_road-3")
"""Each game once, and one at the fewest and most seats. The law of Silk Road's worlds
has tests of its own beside this one.
"""


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize(
    ("game", "seats", "enough"),
    [
        *(
            pytest.param(
                *place.values,
                5,
                id=place.id,
                marks=() if place.id in EACH_TIME else pytest.mark.long,
            )
            for place in PLACES
        ),
        *(
            pytest.param(*place.values, 12, id=f"{place.id}-12", marks=pytest.mark.long)
            for place in PLACES
        ),
    ],
)
def test_a_quick_stream_draws_worlds_as_often_as_the_engine(
    game: Game, seats: int, enough: int
) -> None:
    """By what another seat would see in them, in positions with few worlds of that
    kind.
    """
    lots, spread, freedom, positions = random.Random(f"quick {game.name} {seats}"), 0.0, 0, 0
    for rules, view in views(game, seats, lots):
        whole = game.every_rule(rules)
        in_c, coding, other = (
            crules.RulesInC(game.name, whole).view(view),
            coding_of(game, seats, whole),
            (view["seat"] + 1) % seats,
        )
        quick, engines = (
            crules.QuickStreamInC(lots.randbytes(32), "worlds"),
            Stream(lots.randbytes(32), "worlds"),
        )
        drawn: Counter[bytes] = Counter()
        while drawn.total() < DRAWS and len(drawn) <= FEW:
            drawn.update(bytes(in_c.world(quick).observe(other)) for _ in range(50))
        if not 1 < len(drawn) <= FEW:
            continue
        expected = Counter(
            coding.encode(game.determinise(view, rules, engines).view(other)).tobytes()
            for _ in range(DRAWS)
        )
        position = compared(drawn, expected)
        spread, freedom, positions = spread + position[0], freedom + position[1], positions + 1
        if positions == enough:
            break
    assert freedom >= enough
    assert abs(spread - freedom) < 4 * (2 * freedom) ** 0.5
