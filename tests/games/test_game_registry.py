"""The table of games."""

import pytest

from khiva_arena.errors import ConfigError
from khiva_arena.games import registry


def test_games_are_listed_under_their_names():
    assert registry.get("khiva").title == "Khiva"
    assert all(game.name == name for name, game in registry.GAMES.items())


def test_an_unknown_game_names_what_there_is():
    with pytest.raises(ConfigError, match=r"no game 'kiva'.*khiva.*Did you mean khiva\?"):
        registry.get("kiva")
    with pytest.raises(ConfigError, match=r"there are: khiva") as caught:
        registry.get("chess")
    assert "Did you mean" not in str(caught.value)
