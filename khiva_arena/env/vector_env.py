"""Thousands of matches of a game stepped at once, for trainers that learn from batches.

In each match one seat acts at a time: of the seats that are asked the one of lowest
number that has not chosen yet. Choices of one step of the arena stay secret until all
are made. A match that ends is followed by the next one in its place at once.
"""

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from khiva_arena.crules.tables import Arrays, TablesInC
from khiva_arena.env.coded_game import (
    DEFAULT,
    CodedGame,
    by_places,
    check_rewards,
    warn_of_slowness,
    whole,
)
from khiva_arena.env.coding import Encoded
from khiva_arena.env.deals import Deals
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game, Plain, State

Observations = dict[str, NDArray[Any]]
Infos = dict[str, NDArray[Any]]
VectorStep = tuple[Observations, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Infos]
SLOWER = 100
"""How many times as long a step takes without the rules in C, about."""


class VectorEnv:
    """Matches that are stepped together. Arrays have a row a match; those that a step
    returns belong to the caller.

    coding: of views and choices as numbers.
    seats: of a match.
    games: how many matches.
    in_c: True if they are played by the rules in C.
    """

    def __init__(
        self,
        game: str | Game,
        seats: int | None,
        games: int,
        *,
        rules: Mapping[str, Plain] | None,
        rewards: str,
        without: Sequence[str],
    ) -> None:
        check_rewards(rewards)
        table = CodedGame(game, seats, rules, None, without)
        self.coding, self.seats, self.games = table.coding, table.seats, whole("games", games)
        if self.games < 1:
            raise ConfigError(f"games: {games} matches are none")
        self.in_c = table.in_c
        warn_of_slowness(table, SLOWER)
        self._arrays = Arrays.of(self.games, self.seats, table.coding.size, table.coding.actions)
        self._tables: MatchTables = (
            TablesInC(
                table.game.name,
                table.game.every_rule(table.rules),
                self._arrays,
                rewards == "points",
                table.left_out,
            )
            if self.in_c
            else _TablesOfEngine(table, self._arrays, rewards == "points")
        )
        self._deals: list[Deals] = [Deals() for _ in range(self.games)]
        self._begun = False

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Deal all matches anew, and return observations and infos.

        seed: match i plays the deals that ``aec(...).reset(seed=seed + i)`` is followed
            by. Without one they go on.
        """
        for number, deals in enumerate(self._deals):
            if seed is not None:
                deals.seed(index(seed) + number)
            self._deal(number)
        self._arrays.illegal[:] = 0
        self._tables.begin()
        self._begun = True
        self._deal_all(range(self.games))
        return self._observations(), self._infos()

    def step(self, actions: ArrayLike) -> VectorStep:
        """Take an action in each match, and return observations, rewards, terminations,
        truncations and infos.

        actions: one a match, of the seat that acts there. In place of an illegal one
            the default is played, as in the arena.

        Observations are of the seats that act next: ``observation`` (games, numbers) of
        float32, ``action_mask`` (games, actions) of int8. Rewards (games, seats) are
        what each seat gained by the step. Where ``terminations`` is true a match ended,
        and its place has the first observation of the next one. Nothing is ever
        truncated. ``infos["seat"]`` says who acts, ``infos["illegal"]`` where the
        default was played.
        """
        if not self._begun:
            raise RuntimeError("reset() comes before the first step()")
        taken = np.ascontiguousarray(actions)
        if taken.shape != (self.games,) or not np.issubdtype(taken.dtype, np.integer):
            raise ValueError(
                f"actions are {self.games} whole numbers, not {taken.dtype} of shape {taken.shape}"
            )
        self._tables.step(taken.astype(np.int64, copy=False))
        arrays = self._arrays
        self._deal_all(np.flatnonzero(arrays.over))
        over = arrays.over.astype(bool)
        return (
            self._observations(),
            arrays.rewards.copy(),
            over,
            np.zeros(self.games, bool),
            self._infos(),
        )

    def _observations(self) -> Observations:
        return {
            "observation": self._arrays.observations.copy(),
            "action_mask": self._arrays.masks.copy(),
        }

    def _infos(self) -> Infos:
        return {"seat": self._arrays.seat.copy(), "illegal": self._arrays.illegal.astype(bool)}

    def _deal_all(self, matches: Sequence[int] | range | NDArray[Any]) -> None:
        for number in matches:
            self._deal(int(number))

    def _deal(self, number: int) -> None:
        """Lay the secret of a match's next deal ready."""
        self._arrays.secrets[number] = np.frombuffer(self._deals[number].next(), np.uint8)


class MatchTables(Protocol):
    """Matches that write what they show into arrays that they were made with."""

    def begin(self) -> None:
        """Begin all matches by their secrets."""

    def step(self, actions: NDArray[np.int64]) -> None:
        """Take an action in each match; begin the next match in place of one that
        ends.
        """


class _TablesOfEngine:
    """Matches that the engine plays, one after another."""

    def __init__(self, table: CodedGame, arrays: Arrays, by_points: bool) -> None:
        self._table, self._arrays, self._by_points = table, arrays, by_points
        self._states: list[State] = []
        self._chosen: list[dict[int, int]] = [{} for _ in arrays.seat]
        self._past: list[Encoded | None] = [None for _ in arrays.seat]

    def begin(self) -> None:
        self._chosen = [{} for _ in self._chosen]
        self._states = [self._new(number) for number in range(len(self._chosen))]
        for number in range(len(self._states)):
            self._show(number)

    def step(self, actions: NDArray[np.int64]) -> None:
        arrays = self._arrays
        arrays.rewards[:] = arrays.over[:] = 0
        for number, action in enumerate(actions.tolist()):
            state, seat = self._states[number], int(arrays.seat[number])
            choice = self._table.index(state, seat, action)
            arrays.illegal[number] = choice is None
            self._chosen[number][seat] = DEFAULT if choice is None else choice
            if len(self._chosen[number]) == len(state.pending()):
                self._go_on(number, state)
            self._show(number)

    def _new(self, number: int) -> State:
        table = self._table
        return table.game.new(table.seats, table.rules, self._arrays.secrets[number].tobytes())[0]

    def _go_on(self, number: int, state: State) -> None:
        arrays, before = self._arrays, state.scores
        state.apply(self._chosen[number])
        self._chosen[number] = {}
        if self._by_points:
            arrays.rewards[number] = [
                now - then for now, then in zip(state.scores, before, strict=True)
            ]
        if state.is_over:
            arrays.over[number] = 1
            if not self._by_points:
                arrays.rewards[number] = by_places(state.ranks)
            self._states[number] = self._new(number)

    def _show(self, number: int) -> None:
        arrays, state = self._arrays, self._states[number]
        seat, decision = next(
            (seat, one) for seat, one in state.pending().items() if seat not in self._chosen[number]
        )
        arrays.seat[number] = seat
        past = self._past[number] = self._table.coding.encode_after(
            self._past[number], state.view(seat)
        )
        arrays.observations[number] = np.frombuffer(past.numbers, np.float32)
        arrays.masks[number] = self._table.menu(decision).mask
