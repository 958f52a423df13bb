"""A game as numbers, for one seat count and one set of rules, with the rewards of its
matches.
"""

import warnings
from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, NamedTuple, SupportsIndex

from khiva_arena import crules
from khiva_arena.env.coding import WAIT, Coding, coding_of
from khiva_arena.errors import ConfigError
from khiva_arena.games import registry
from khiva_arena.games.base import Decision, Game, Plain, State

DEFAULT = 0
"""The index that is played for an illegal action, as the arena does for a bot that
fails.
"""
REWARDS = ("places", "points")
MOST_MENUS = 512
"""The number of decisions whose actions are kept: games ask most questions again and
again, as the same object.
"""


class ActionMenu(NamedTuple):
    """The actions of a decision, in the order of ``legal``, and their mask, an array of
    int8.
    """

    decision: Decision
    actions: list[int]
    mask: Any


class CodedGame:
    """A game as numbers, for one seat count and one set of rules.

    game: its name, or the Game itself.
    seats: by default the fewest that the game has.
    coding: for a game that does not ship with the arena.
    without: keys of the view that an observation leaves out.

    ``left_out`` has bit i if key i of the coding is left out. ``in_c``: the rules in C
    of the game are there, with this coding.

    Raises ConfigError for an unknown game, and for seats, rules or keys that the game
    does not have.
    """

    def __init__(
        self,
        game: str | Game,
        seats: int | None,
        rules: Mapping[str, Plain] | None,
        coding: Coding | None,
        without: Sequence[str] = (),
    ) -> None:
        self.game, self.seats, self.rules = table_of(game, seats, rules)
        whole_coding = coding or coding_of(self.game, self.seats, self.rules)
        self.coding = whole_coding.without(without)
        self.left_out = sum(
            1 << number
            for number, key in enumerate(whole_coding.keys)
            if key not in self.coding.keys
        )
        self.has_own_coding = coding is None and self.game.name in crules.GAMES
        self.in_c = self.has_own_coding and crules.is_built()
        self._menus: dict[int, ActionMenu] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_menus": {}}

    def __setstate__(self, held: dict[str, Any]) -> None:
        self.__dict__.update(held)
        self.in_c = self.has_own_coding and crules.is_built()  # perhaps on another machine

    def menu(self, decision: Decision) -> ActionMenu:
        """Return the actions of a decision, which are made once for each object."""
        menu = self._menus.get(id(decision))
        if menu is None or menu.decision is not decision:
            import numpy as np

            if len(self._menus) >= MOST_MENUS:
                self._menus.clear()
            actions = self.coding.actions_of(decision)
            mask = np.zeros(self.coding.actions, dtype=np.int8)
            mask[actions] = 1
            menu = self._menus[id(decision)] = ActionMenu(decision, actions, mask)
        return menu

    def index(self, state: State, seat: int, action: int) -> int | None:
        """Return the index into ``legal`` that an action means; None if the action is
        illegal now.
        """
        actions = self.menu(state.pending()[seat]).actions
        return actions.index(action) if action in actions else None

    def legal(self, state: State, seat: int) -> list[int]:
        """Return the actions that a seat can take, in the order of ``legal``; ``WAIT``
        alone if the seat is not asked.
        """
        decision = state.pending().get(seat)
        return [WAIT] if decision is None else self.menu(decision).actions[:]


class GameTable(NamedTuple):
    """A game with a number of seats and a complete rules map."""

    game: Game
    seats: int
    rules: dict[str, Plain]


def table_of(game: str | Game, seats: int | None, rules: Mapping[str, Plain] | None) -> GameTable:
    """Return the table that a caller names, by default with the fewest seats. Raises
    ConfigError.
    """
    if isinstance(game, str) and game not in registry.NAMES:
        itself = "Hand over a game of your own itself, with coding=..."
        raise ConfigError(f"{registry.unknown(game, registry.NAMES)} {itself}")
    table_game = registry.get(game) if isinstance(game, str) else game
    if not isinstance(table_game, Game):
        raise ConfigError(
            f"game: {game!r} is neither the name of a game, such as {registry.NAMES[0]!r}, "
            "nor a khiva_arena.Game"
        )
    size = table_game.seats[0] if seats is None else whole("seats", seats)
    table_game.check_seats(size)
    return GameTable(table_game, size, table_game.rules(rules or {}))


def warn_of_slowness(table: CodedGame, factor: int) -> None:
    """Warn that steps take so many times as long, where the rules in C could play this
    table and are not built.
    """
    if table.has_own_coding and not crules.is_built():
        slow = (
            f"the rules in C are not built, so a step takes about {factor} times as long; set "
            "the arena up where a C compiler is"
        )
        warnings.warn(slow, RuntimeWarning, stacklevel=4)


def whole(name: str, value: object) -> int:
    """Return a whole number. Raises ConfigError for anything else."""
    if not isinstance(value, SupportsIndex) or isinstance(value, bool):
        raise ConfigError(f"{name}: {value!r:.200} is not a whole number")
    return index(value)


def by_places(ranks: Sequence[int]) -> list[int]:
    """Return the rewards by seat: 1 for each seat that finished behind, -1 for each
    that finished before. They sum to 0.
    """
    return [sum((better > rank) - (better < rank) for better in ranks) for rank in ranks]


def check_rewards(rewards: str) -> None:
    """Raise ConfigError unless the word is one of ``REWARDS``."""
    if rewards not in REWARDS:
        raise ConfigError(f"rewards: {rewards!r} is none of {', '.join(REWARDS)}")
