"""One match of a game from outside, in the process that plays it."""

import os
import time
import traceback
from typing import Any

from khiva_arena.errors import ConfigError
from khiva_arena.extensions.own_games.calls import Spec, Unplain, encode, strictly
from khiva_arena.games.base import Event, Game, Pending, State
from khiva_arena.words import an


def error_words(error: BaseException, spec: Spec) -> str:
    """Return the error that was raised, and the line of the game's own code."""
    own_frames = [
        at
        for at in traceback.extract_tb(error.__traceback__)
        if spec.folder and at.filename.startswith(spec.folder)
    ]
    if isinstance(error, SyntaxError) and error.filename == spec.path:
        place = f", line {error.lineno} of {os.path.basename(spec.path)}"
        return f"raised {type(error).__name__}: {error.msg}{place}"
    place = (
        f", line {own_frames[-1].lineno} of {os.path.basename(own_frames[-1].filename)}"
        if own_frames
        else ""
    )
    text = " ".join(str(error).split())[:300]
    return f"raised {type(error).__name__}{': ' if text else ''}{text}{place}"


def _kind(value: object) -> str:
    return "None" if value is None else an(type(value).__name__)


def _questions(pending: Pending) -> list[list[Any]]:
    return [[seat, decision.kind, list(decision.legal)] for seat, decision in pending.items()]


class ForkedMatch:
    """The methods by which a fork is called: those of a game, and those of its states,
    which are numbered.

    calling: the method that is being called, for blame.
    """

    def __init__(self, game: Game, spec: Spec) -> None:
        self._game, self._spec = game, spec
        self._states: list[State] = []
        self._seats = 0
        self.calling = ""

    def rules(self, given: dict[str, Any]) -> Any:
        return self._game.rules(given)

    def every_rule(self, rules: dict[str, Any]) -> Any:
        return self._game.every_rule(rules)

    def seats_of(self, rules: dict[str, Any]) -> list[int]:
        return list(self._game.seats_of(rules))

    def new(self, seats: int, rules: dict[str, Any], secret: bytes) -> Any:
        self._seats = seats
        try:
            start = self._game.new(seats, rules, secret)
        except ConfigError:
            if seats not in self._game.seats_of(rules):
                self.calling = "check_seats"
            raise
        if not (isinstance(start, tuple) and len(start) == 2 and isinstance(start[0], State)):
            raise Unplain(
                f"returned {_kind(start)}, and must return two values, the state and the "
                "events of the opening"
            )
        self._states.append(start[0])
        return self._snapshot(*start)

    def apply(self, number: int, choices: dict[int, int]) -> Any:
        return self._snapshot(self._states[number], self._states[number].apply(choices))

    def play(self, number: int, choices: dict[int, int]) -> Any:
        """Apply choices in a replay, of which nothing is shown, and return the
        standing.
        """
        self.calling = "apply"
        state = self._states[number]
        state.apply(choices)
        self.calling = "pending, is_over, scores or ranks"
        questions = [
            [seat, decision.kind, len(decision.legal)] for seat, decision in state.pending().items()
        ]
        return [questions, state.is_over, list(state.scores), list(state.ranks)]

    def _snapshot(self, state: State, events: list[Event]) -> dict[str, Any]:
        """Return all that is asked for at every step, at once."""
        if not isinstance(events, list | tuple):
            raise Unplain(f"returned {_kind(events)}, and must return a list of events")
        if strangers := [event for event in events if not isinstance(event, Event)]:
            raise Unplain(
                f"returned {_kind(strangers[0])} among its events, each of which is an "
                f"Event({{...}})"
            )
        answer = {
            "events": strictly(
                [[event.data, event.to if event.to is None else list(event.to)] for event in events]
            )
        }
        self.calling = "pending"
        pending, again = state.pending(), state.pending()
        answer["pending"] = strictly(_questions(pending))
        if answer["pending"] != encode(_questions(again)):
            raise Unplain("gives something else when it is called again")
        if not set(pending) <= set(range(self._seats)):
            raise Unplain(f"asks seats {list(pending)}, of {self._seats}")
        self.calling = "view"
        answer["views"] = strictly([state.view(seat) for seat in pending])
        self.calling = "is_over, scores or ranks"
        return {
            **answer,
            "over": state.is_over,
            "scores": list(state.scores),
            "ranks": list(state.ranks),
        }

    def view(self, number: int, seat: int) -> Any:
        return strictly(self._states[number].view(seat))

    def points_by_source(self, number: int) -> Any:
        return self._states[number].points_by_source

    def components(self, number: int) -> Any:
        return self._states[number].components()

    def clone(self, number: int) -> int:
        self._states.append(self._states[number].clone())
        return len(self._states) - 1

    def sketch(self, number: int, names: list[str]) -> str:
        """Return the game's own sketch, "" if it has none: then the views show
        everything, and the caller has them anyhow.
        """
        return (
            ""
            if type(self._game).sketch is Game.sketch
            else self._game.sketch(self._states[number], names)
        )

    def narrate(self, data: dict[str, Any], to: list[int] | None, names: list[str]) -> str:
        return self._game.narrate(Event(data, None if to is None else tuple(to)), names)

    def points(self, view: dict[str, Any]) -> list[int] | None:
        return self._game.points(view)

    def choice(self, kind: str, entry: list[Any], view: dict[str, Any]) -> str:
        return self._game.choice(kind, entry, view)

    def vet(self, seats: int, rules: dict[str, Any], steps: int, seed: str, seconds: float) -> Any:
        """Return the findings of the conformance check in one random match; see
        ``games/conformance.py``.

        seconds: for all of it.
        """
        from khiva_arena.games.conformance import found_in

        began = time.monotonic()
        try:
            return found_in(
                self._game,
                seats,
                rules,
                steps,
                seed,
                lambda share: time.monotonic() < began + share * seconds,
            )
        except BaseException as error:
            return [[f"it {error_words(error, self._spec)}"], []]
