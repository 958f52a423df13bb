"""The rules in C are those of the engine: seats asked, kinds, legal lists, scores,
ranks, views and worlds, step by step.
"""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from in_targets import soak_but_every
from rules_in_c import GAMES, PLACES, Both, play_alike

from khiva_arena.games.base import Game

pytestmark = pytest.mark.usefixtures("rules_in_c")
VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
named = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


@pytest.mark.parametrize(("game", "seats"), PLACES)
def test_each_step_by_any_rules_is_the_engine_s(game: Game, seats: int) -> None:
    """In a few matches, and in those of the next test; ``python -m tests.tools
    rules-alike`` plays as many as you like.
    """
    for number in range(10):
        assert play_alike(game, seats, f"steps {seats} {number}") > 0


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), soak_but_every(PLACES, 4))
def test_all_that_a_seat_sees_and_its_worlds_are_the_engine_s(game: Game, seats: int) -> None:
    """Seldom in each of many matches, whose rules differ, rather than often in a
    few.
    """
    for number in range(6):
        assert play_alike(game, seats, f"views {seats} {number}", views=0.01) > 0


@pytest.mark.soak
def test_worlds_of_a_match_of_eleven_deals_are_the_engine_s() -> None:
    """The weights of what seats may have kept exceed 40 bits in it, and are cut."""
    khiva = next(game for game in GAMES if game.name == "khiva")
    assert play_alike(khiva, 4, "all3 169050", views=0.1) > 500


@named
def test_the_published_match_is_played_alike(game: Game) -> None:
    vector: dict[str, Any] = json.loads(
        (VECTORS / "matches" / f"{game.name}.json").read_text("utf-8")
    )
    both = Both(
        game, vector["seats"], game.rules(vector["rules"]), bytes.fromhex(vector["seed_secret"])
    )
    for step in vector["record"]["steps"]:
        both.compare()
        choices = {seat: index for seat, index, _ in step}
        both.engine.apply(choices)
        both.c.apply(choices)
    both.compare()
    assert (both.c.is_over, both.c.scores, both.c.ranks) == (
        True,
        vector["record"]["scores"],
        vector["record"]["ranks"],
    )


@named
def test_equal_secrets_deal_alike_and_other_ones_do_not(game: Game) -> None:
    lots = random.Random(game.name)
    for deal in json.loads((VECTORS / "deals" / f"{game.name}.json").read_text("utf-8"))["deals"]:
        both = Both(game, deal["seats"], game.rules({}), bytes.fromhex(deal["secret"]))
        other = both.c_rules.new(deal["seats"], lots.randbytes(32))
        both.compare_views(lots)
        assert [both.c.see(seat) for seat in range(deal["seats"])] != [
            other.see(seat) for seat in range(deal["seats"])
        ]
