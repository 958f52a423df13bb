"""The games as Python games of OpenSpiel, registered when this file is imported.

Each game has two forms. ``python_khiva`` has simultaneous nodes. In
``python_khiva_turn_based`` seats that are asked at the same time choose one after
another, in seat order, without knowing the earlier choices: for algorithms that take no
simultaneous nodes. ``emira`` and ``silk_road`` have the same two forms.

The deal is drawn first: two chance nodes, each a digit of its number, say which of a
million deals it is. All later chance of a match follows from the deal, hidden from all
seats.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from khiva_arena.env.coded_game import CodedGame
from khiva_arena.env.spiel_library import pyspiel
from khiva_arena.env.spiel_position import DEALS, DIGITS
from khiva_arena.env.spiel_state import SpielState, ViewObserver
from khiva_arena.errors import ConfigError
from khiva_arena.games import registry
from khiva_arena.games.base import Game, Plain

TURN_BASED = "_turn_based"


def name_of(game: str, turn_based: bool = False) -> str:
    """Return the name in OpenSpiel of a game of the arena."""
    return f"python_{game}{TURN_BASED if turn_based else ''}"


def load(
    game: str,
    seats: int | None = None,
    *,
    rules: Mapping[str, Plain] | None = None,
    turn_based: bool = False,
) -> Any:
    """Load a game of the arena by its name here, as ``pyspiel.load_game`` does. Games
    that do not ship are not games of OpenSpiel.

    seats: by default the fewest that the game has.
    rules: the rules that differ from the defaults.

    Raises ConfigError for an unknown game, or for seats or rules that the game does not
    have.
    """
    if game not in registry.NAMES:
        name = game.name if isinstance(game, Game) else str(game)
        raise ConfigError(
            f"{registry.unknown(name, registry.NAMES)} Only these are games of OpenSpiel."
        )
    table = CodedGame(game, seats, rules, None)
    parameters = {"players": table.seats, "rules": quote(json.dumps(dict(rules or {})), safe="")}
    return pyspiel.load_game(name_of(game, turn_based), parameters)


def _rules_of(text: str) -> Mapping[str, Plain]:
    """Parse the parameter ``rules``, a dict in JSON with % codes. Raises ConfigError
    for other text.
    """
    try:
        rules = json.loads(unquote(text))
    except ValueError:
        rules = None
    if isinstance(rules, dict):
        return rules
    example = quote('{"max_turns": 1}', safe="")
    raise ConfigError(
        f"rules: {text!r} is no dict in JSON, with % codes as in addresses: "
        f"rules={example} is {unquote(example)}; "
        "khiva_arena.env.openspiel.load(game, seats, rules={...}) writes it"
    )


def _type(game: Game, turn_based: bool) -> Any:
    kinds = pyspiel.GameType
    return kinds(
        short_name=name_of(game.name, turn_based),
        long_name=f"Python {game.title}{', turn by turn' if turn_based else ''}",
        dynamics=kinds.Dynamics.SEQUENTIAL if turn_based else kinds.Dynamics.SIMULTANEOUS,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=game.seats[-1],
        min_num_players=game.seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": game.seats[0], "rules": quote("{}")},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of the arena for OpenSpiel, in one of its two forms. Each form is a class:
    a registered object has to outlive Python itself, as classes do.

    kind: the description of the game that the library takes.
    turn_based: whether there are no simultaneous nodes.
    table: the game, seats, rules, and how views and choices are numbers.
    """

    kind: Any
    game: Game
    turn_based: bool

    def __init__(self, params: Mapping[str, Any]) -> None:
        self.table = CodedGame(self.game, params["players"], _rules_of(params["rules"]), None)
        seats, coding = self.table.seats, self.table.coding
        info = pyspiel.GameInfo(
            num_distinct_actions=coding.actions,
            max_chance_outcomes=DEALS,
            num_players=seats,
            min_utility=1.0 - seats,
            max_utility=seats - 1.0,
            utility_sum=0.0,
            max_game_length=coding.longest,
        )
        super().__init__(self.kind, info, dict(params))

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of chance nodes, one for each digit of the deal's
        number.
        """
        return DIGITS

    def new_initial_state(self) -> Any:
        """Return the state before the deal."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> ViewObserver:
        """Return an observer of a seat's view, as text and as numbers."""
        return ViewObserver(
            self.table, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params
        )


def _register(game: Game, turn_based: bool) -> None:
    kind = _type(game, turn_based)
    pyspiel.register_game(
        kind,
        type(kind.short_name, (SpielGame,), {"kind": kind, "game": game, "turn_based": turn_based}),
    )


for _name in registry.NAMES:
    for _turn_based in (False, True):
        _register(registry.get(_name), _turn_based)
