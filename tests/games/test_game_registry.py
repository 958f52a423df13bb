"""The table of games."""

import subprocess
import sys

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


def test_a_game_is_loaded_when_it_is_asked_for_and_no_other():
    """What a command does not play costs it no time at the start."""
    script = (
        "import sys; from khiva_arena.games import registry; registry.get('khiva'); "
        "print([name for name in registry.NAMES if f'khiva_arena.games.{name}' in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "['khiva']\n"


def test_the_games_are_a_mapping_by_name():
    assert list(registry.GAMES) == list(registry.NAMES)
    assert len(registry.GAMES) == len(registry.NAMES)
    assert "chess" not in registry.GAMES
