"""A match for an environment: played by the engine, or by the rules in C where these
are built, which is far quicker.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from khiva_arena import crules
from khiva_arena.env.coded_game import CodedGame
from khiva_arena.env.coding import Encoded
from khiva_arena.games.base import Event, State


class Match(Protocol):
    """A match as its seats see it in numbers, and as the environment plays it."""

    @property
    def asked(self) -> Sequence[int]:
        """The seats that are asked, rising; none when the match is over."""

    @property
    def scores(self) -> list[int]:
        """The points by seat."""

    @property
    def ranks(self) -> list[int]:
        """The places by seat, 1 is best."""

    def observation(self, seat: int) -> NDArray[np.float32]:
        """Return what a seat sees, as numbers of its own."""

    def mask(self, seat: int) -> NDArray[np.int8]:
        """Return by action whether it is legal for a seat that is asked."""

    def index(self, seat: int, action: int) -> int | None:
        """Return the index into ``legal`` that an action means; None if it is illegal
        now.
        """

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        """Play the choices of all seats that are asked; return the events, of the
        engine alone.
        """

    def state(self) -> State:
        """Return the match as the engine has it."""


class EngineMatch:
    """A match that the engine plays."""

    def __init__(self, table: CodedGame, secret: bytes) -> None:
        self._table = table
        self._state, self.events = table.game.new(table.seats, table.rules, secret)
        self._past: Encoded | None = None

    @property
    def asked(self) -> Sequence[int]:
        return [*self._state.pending()]

    @property
    def scores(self) -> list[int]:
        return self._state.scores

    @property
    def ranks(self) -> list[int]:
        return self._state.ranks

    def observation(self, seat: int) -> NDArray[np.float32]:
        past = self._past = self._table.coding.encode_after(self._past, self._state.view(seat))
        return np.frombuffer(past.numbers, dtype=np.float32).copy()

    def mask(self, seat: int) -> NDArray[np.int8]:
        mask: NDArray[np.int8] = self._table.menu(self._state.pending()[seat]).mask.copy()
        return mask

    def index(self, seat: int, action: int) -> int | None:
        return self._table.index(self._state, seat, action)

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        return self._state.apply(choices)

    def state(self) -> State:
        return self._state


def replayed(table: CodedGame, secret: bytes, steps: Sequence[Mapping[int, int]]) -> Match:
    """Return a match after so many steps: by the rules in C where they are built, else
    by the engine.
    """
    match = MatchInC(table, secret) if table.in_c else EngineMatch(table, secret)
    for choices in steps:
        match.apply(choices)
    return match


class MatchInC:
    """A match by the rules in C. It is pickled as its secret and choices."""

    events: list[Event] = []  # noqa: RUF012  nobody is told of any

    def __init__(self, table: CodedGame, secret: bytes) -> None:
        self._table, self._secret = table, secret
        self._steps: list[Mapping[int, int]] = []
        self._rules = crules.RulesInC(table.game.name, table.game.every_rule(table.rules))
        self._without, self._actions = table.left_out or 0, table.coding.actions
        self._match = self._rules.new(table.seats, secret)
        self._questions = self._match.questions()
        self._engine: State | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return replayed, (self._table, self._secret, self._steps)

    @property
    def asked(self) -> Sequence[int]:
        return [*self._questions]

    @property
    def scores(self) -> list[int]:
        return self._match.scores

    @property
    def ranks(self) -> list[int]:
        return self._match.ranks

    def observation(self, seat: int) -> NDArray[np.float32]:
        return np.frombuffer(self._match.observe(seat, self._without), np.float32)

    def mask(self, seat: int) -> NDArray[np.int8]:
        mask = np.zeros(self._actions, np.int8)
        mask[self._match.actions(seat)] = 1
        return mask

    def index(self, seat: int, action: int) -> int | None:
        actions = self._match.actions(seat)
        return actions.index(action) if action in actions else None

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        self._match.apply(choices)
        self._steps.append(dict(choices))
        self._questions = self._match.questions()
        return self._engine.apply(choices) if self._engine else []

    def state(self) -> State:
        """Play the match again in the engine, which goes along from then on, and return
        it.
        """
        if self._engine is None:
            self._engine, _ = self._table.game.new(
                self._table.seats, self._table.rules, self._secret
            )
            for choices in self._steps:
                self._engine.apply(choices)
        return self._engine
