"""What every game has from the adapter, whatever its rules."""

import copy
import pickle

import pytest
from wording import pattern

from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game
from khiva_arena.games.registry import GAMES


@pytest.fixture(params=GAMES.values(), ids=lambda game: game.name)
def game(request: pytest.FixtureRequest) -> Game:
    found: Game = request.param
    return found


def test_a_game_can_be_sent_to_another_process_and_be_copied(game: Game) -> None:
    for twin in (pickle.loads(pickle.dumps(game)), copy.deepcopy(game)):
        assert type(twin) is type(game)
        assert twin.rules({}) == game.rules({})


def test_a_state_answers_as_its_functions_do_and_so_does_its_clone(game: Game) -> None:
    seats = game.seats[0]
    state, opening = game.new(seats, game.rules({}), bytes(32))
    assert opening
    assert not state.is_over
    assert state.pending() is state.pending()
    twin = state.clone()
    assert type(twin) is type(state)
    assert twin.apply(dict.fromkeys(twin.pending(), 0)) == state.apply(
        dict.fromkeys(state.pending(), 0)
    )
    assert (twin.view(0), twin.scores, twin.ranks) == (state.view(0), state.scores, state.ranks)
    assert len(state.scores) == len(state.ranks) == seats


def test_a_game_refuses_seats_that_it_lacks_and_states_of_other_games(game: Game) -> None:
    with pytest.raises(ConfigError, match=f"{game.title} is for {game.seats[0]} to"):
        game.new(game.seats[-1] + 1, game.rules({}), bytes(32))
    other = next(one for one in GAMES.values() if one.name != game.name)
    state, _ = other.new(other.seats[0], other.rules({}), bytes(32))
    with pytest.raises(
        TypeError,
        match=pattern(
            "games", "sketch-takes-state-not", title=f"{game.title}", name=f"{type(state).__name__}"
        ),
    ):
        game.sketch(state, ["a", "b", "c"])
