"""Draws that no event has told a seat of, at a game that does not come with the arena:
see tests/games/test_draws.py.
"""

from functools import partial

from wording import sentence

from khiva_arena.extensions.own_games.own_game import advice
from khiva_arena.extensions.own_games.template.game import GAME
from khiva_arena.games import draws
from khiva_arena.rng import Stream


def test_a_game_that_is_not_the_same_again_is_not_said_to_leak() -> None:
    assert (
        "let nothing but the secret, the rules and the choices decide: no random module, no time, "
        "no id(), nothing kept outside of the state."
    ) in advice(sentence("games", "replay-shows-seats-same"))


def test_no_false_alarm() -> None:
    for number, seats in enumerate((GAME.seats[0], GAME.seats[-1])):
        secret = bytes([number]) * 32
        assert (
            draws.leak(
                partial(GAME.new, seats, GAME.rules({}), secret), seats, Stream(secret, "test"), 60
            )
            == ""
        )
