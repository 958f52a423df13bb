"""Read the game and the rules that flags or a settings file give."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from khiva_arena.competition.settings.file import names_file
from khiva_arena.entrants import toml_file
from khiva_arena.errors import ConfigError, GameFault
from khiva_arena.games.base import Game
from khiva_arena.games.registry import NAMES, get


def game_named(word: str) -> Game:
    """Return a game that comes with the arena, or one that the user has made, by its
    file or package. Raises ConfigError, GameFault.
    """
    if word in NAMES:
        return get(word)
    # not above: most games come with the arena
    from khiva_arena.arbiter.handed_games import open_game

    return open_game(word)


def given_rule(value: Any) -> Any:
    """Return a rule as it was given, or the table of the file that it names. Raises
    ConfigError.
    """
    return toml_file.read(Path(value[1:])).values if names_file(value) else value


def rules_by_flags(games: Sequence[Game], variants: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules, as ``--rule`` gives them, for the game to which they belong. Raises
    ConfigError with every mistake.
    """
    if variants and len(games) != 1:
        raise ConfigError("--rule: rules are of one game; name it, and no other, with --game")
    try:
        rules = {key: given_rule(value) for key, value in variants.items()}
        for game in games:
            game.rules(rules)
    except GameFault:
        raise
    except ConfigError as error:
        raise ConfigError([f"--rule: {problem}" for problem in error.problems]) from None
    return rules
