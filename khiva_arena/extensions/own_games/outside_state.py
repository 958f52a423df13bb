"""A state of a game from outside, as the rest of the arena sees it."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import msgspec

from khiva_arena.errors import GameFault, IllegalChoice, InternalError
from khiva_arena.extensions.own_games.answer_types import (
    LONGEST_TEXT,
    counts_by_name,
    decoded,
    plain_map,
    plain_text,
    points_of_sources,
    whole_number,
)
from khiva_arena.extensions.own_games.answers import Step, stands_of, step_of
from khiva_arena.extensions.own_games.game_process import Fork, value_of
from khiva_arena.games.base import Event, Pending, Plain, SeatPoints, State, check_choices
from khiva_arena.games.checked_match import MOST_STEPS
from khiva_arena.games.plain import check_plain, wrong_points

AHEAD = 64
"""Steps of a replay that the process of a game may be told before it has answered: few
enough for the buffer of a socket.
"""


class OutsideState(State):
    """A match of a game from outside. It runs in one process, or in two whose answers
    have to be equal.
    """

    def __init__(self, forks: Sequence[Fork], seats: int, game_name: str) -> None:
        self._forks, self._seats, self._shown = forks, seats, game_name
        self._number = 0
        self._steps = 0
        self._expected: list[Mapping[int, int]] = []
        self._ahead = 0
        self._step: Step
        self._views: dict[int, dict[str, Plain]] = {}

    def begin(self, rules: dict[str, Plain], secret: bytes) -> list[Event]:
        """Set up the match, and return the events of the opening."""
        return self._take("new", self._ask("new", self._seats, rules, secret))

    def pending(self) -> Pending:
        """Return the open decision of each asked seat."""
        return self._step.pending

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        """Play one choice for each pending seat, and return the events.

        The choices are checked to be legal here, whatever the game takes: raises
        IllegalChoice. Raises GameFault if the game breaks the contract.
        """
        check_choices(self._step.pending, choices)
        if self._steps == MOST_STEPS:
            raise GameFault(
                f"game {self._shown}: the match has not ended within {MOST_STEPS:,} steps"
            )
        try:
            if self._expected:
                return self._played_ahead(choices)
            answer = self._ask("apply", self._number, dict(choices))
        except IllegalChoice as error:
            raise GameFault(
                f"game {self._shown}: apply() refuses {dict(choices)}, which pending() "
                f"calls legal: {error}"
            ) from None
        self._steps += 1
        return self._take("apply", answer)

    def expect(self, steps: Sequence[Mapping[int, int]]) -> None:
        """Announce the choices of a replay, so that a match in one process is played
        ahead.

        Each step has its own limits, as if it were played by itself.
        """
        if len(self._forks) == 1:
            self._expected = list(steps)

    def _played_ahead(self, choices: Mapping[int, int]) -> list[Event]:
        if choices != self._expected[self._steps]:
            raise InternalError(
                f"{dict(choices)} are played, and {dict(self._expected[self._steps])} were "
                "said to come"
            )
        (fork,) = self._forks
        while self._ahead < min(len(self._expected), self._steps + AHEAD):
            fork.say("play", (self._number, dict(self._expected[self._ahead])))
            self._ahead += 1
        answer = value_of(fork.hear("apply"), self._shown)
        self._steps += 1
        self._step, self._views = stands_of(answer, self._seats, self._shown), {}
        return []

    def view(self, seat: int) -> dict[str, Plain]:
        """Return all that a seat knows. Raises GameFault if the view is not plain."""
        if seat in self._views:
            return self._views.pop(seat)
        view = dict(decoded(plain_map, self._ask("view", self._number, seat), "view", self._shown))
        if wrong := check_plain(view):
            raise GameFault(f"game {self._shown}: view() of seat {seat}: {wrong}")
        return view

    @property
    def is_over(self) -> bool:
        """True if no decision is left."""
        return self._step.over

    @property
    def scores(self) -> list[int]:
        """Points of each seat as the match stands."""
        return list(self._step.scores)

    @property
    def ranks(self) -> list[int]:
        """Place of each seat as the match stands."""
        return list(self._step.ranks)

    @property
    def points_by_source(self) -> list[SeatPoints] | None:
        """Where the points come from; None if the game does not say, or fails to, which
        stops nothing and a check tells of.
        """
        try:
            by_source = decoded(
                points_of_sources,
                self._ask("points_by_source", self._number),
                "points_by_source",
                self._shown,
            )
        except GameFault:
            return None
        return None if wrong_points(by_source, self.scores) else by_source

    def components(self) -> dict[str, int]:
        """Return how many of each physical piece there are."""
        return dict(
            decoded(
                counts_by_name, self._ask("components", self._number), "components", self._shown
            )
        )

    def clone(self) -> Self:
        """Return an independent copy: the game's own clone, in the same process."""
        twin = type(self)(self._forks, self._seats, self._shown)
        twin._number = decoded(whole_number, self._ask("clone", self._number), "clone", self._shown)
        twin._steps, twin._step = self._steps, self._step
        return twin

    def sketch(self, names: Sequence[str]) -> str:
        """Return the whole state as text for people, cut to ``LONGEST_TEXT``
        characters.
        """
        answer = self._ask("sketch", self._number, list(names))
        return str(decoded(plain_text, answer, "sketch", self._shown))[:LONGEST_TEXT]

    def _take(self, call: str, answer: msgspec.Raw) -> list[Event]:
        self._step = step_of(answer, call, self._seats, self._shown)
        self._views = dict(self._step.views)
        return self._step.events

    def _ask(self, call: str, *arguments: Any) -> msgspec.Raw:
        for fork in self._forks:
            fork.say(call, arguments)
        answers = [fork.hear(call) for fork in self._forks]
        if any(answer != answers[0] for answer in answers):
            raise GameFault(
                f"game {self._shown}: {call}() gives something else when the same match is played "
                "again: it must depend on nothing but secret, rules and choices"
            )
        return value_of(answers[0], self._shown)
