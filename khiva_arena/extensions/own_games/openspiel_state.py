"""A position of a game of OpenSpiel's library, and trials of what the game declares.

Draws come from the arbiter's secret. Only the process that runs a game's code imports
this file.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any, Self

import pyspiel

from khiva_arena.games.base import NOBODY, Decision, Event, Pending, State, check_choices
from khiva_arena.rng import Stream

MOST_SCALE = 1_000_000
"""The factor by which returns are multiplied to be whole, at most."""
SHOWN = 20
"""Decisions of a random match at which it is tried whether seats are told what they
know.
"""
TRIED, TRIED_STEPS = 3, 3_000
"""Random matches, and steps of each, from which the scale is found, and whether seats
are told what they know.
"""
NEAR = 1e-9
Dynamics, Chance, Information = (
    pyspiel.GameType.Dynamics,
    pyspiel.GameType.ChanceMode,
    pyspiel.GameType.Information,
)


class LibraryState(State):
    """A match of a game of the library. Chance is drawn from the secret, and a single
    choice is played unasked.
    """

    def __init__(self, game: Any, rules: Mapping[str, Any], secret: bytes) -> None:
        self._game, self._rules = game, rules
        self._open = game.get_type().information == Information.PERFECT_INFORMATION
        self._state = game.new_initial_state()
        self._chance = Stream(secret, "openspiel", "chance")
        self._last_views = [""] * game.num_players()
        self._pending: Pending = NOBODY

    def begin(self) -> list[Event]:
        """Play on to the first decision, and return the events."""
        return self._on([])

    def pending(self) -> Pending:
        return self._pending

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        check_choices(self._pending, choices)
        actions = {seat: self._pending[seat].legal[choice][0] for seat, choice in choices.items()}
        return self._on(self._apply_actions(actions))

    def _on(self, events: list[Event]) -> list[Event]:
        """Play chance and single choices, until somebody is asked or the match is over,
        and return the events.
        """
        state = self._state
        self._pending = NOBODY
        while not state.is_terminal() and not self._pending:
            if state.is_mean_field_node():
                raise ValueError("it has come to a mean-field node")
            if state.is_chance_node():
                state.apply_action(draw_outcome(state.chance_outcomes(), self._chance))
                continue
            legal = {seat: state.legal_actions(seat) for seat in self._to_move()}
            if any(len(actions) > 1 for actions in legal.values()):
                self._pending = {
                    seat: Decision(
                        "act",
                        [[action, state.action_to_string(seat, action)] for action in actions],
                    )
                    for seat, actions in legal.items()
                    if len(actions) > 1
                }
            else:
                events += self._apply_actions({})
        return events + self._new_to_seats()

    def _to_move(self) -> Sequence[int]:
        return (
            range(self._game.num_players())
            if self._state.is_simultaneous_node()
            else (self._state.current_player(),)
        )

    def _apply_actions(self, taken: Mapping[int, int]) -> list[Event]:
        """Apply the choices, with the only choice of the other seats, and return the
        events.
        """
        state = self._state
        only = {
            seat: next(iter(state.legal_actions(seat)), 0)
            for seat in self._to_move()
            if seat not in taken
        }
        actions = {**only, **taken}
        events = [
            Event(
                {
                    "type": "acted",
                    "seat": seat,
                    "action": action,
                    "text": state.action_to_string(seat, action),
                },
                None if self._open else (seat,),
            )
            for seat, action in sorted(actions.items())
            if action in state.legal_actions(seat)
        ]
        if state.is_simultaneous_node():
            state.apply_actions([actions[seat] for seat in range(self._game.num_players())])
        else:
            state.apply_action(actions[state.current_player()])
        return events

    def _new_to_seats(self) -> list[Event]:
        """Return an event for each seat whose view or question has changed, with a hash
        of both: its next request has the thing itself.
        """
        events = []
        for seat, before in enumerate(self._last_views):
            decision = self._pending.get(seat)
            view = f"{self.view(seat)} {decision and [action for action, _ in decision.legal]}"
            now = self._last_views[seat] = sha256(view.encode()).hexdigest()[:16]
            if now != before:
                events.append(Event({"type": "observed", "hash": now}, (seat,)))
        return events

    def _text(self, seat: int) -> str:
        return text_of(self._state, seat, self._rules["shows"])

    def view(self, seat: int) -> dict[str, Any]:
        """Return the view of a seat. The history is that of all actions, with those of
        chance, by which the library rebuilds the state.
        """
        view = {
            "game": self._rules["game"],
            "shows": self._rules["shows"],
            "text": self._text(seat),
        }
        if self._rules["tensor"] == "yes":
            view["tensor"] = whole_tensor(self._state, seat, self._rules["shows"])
        return {**view, "history": list(self._state.history())} if self._open else view

    @property
    def is_over(self) -> bool:
        return bool(self._state.is_terminal())

    @property
    def scores(self) -> list[int]:
        """The library's returns, multiplied by the rule ``scale``. Returns of the end
        have to be whole then; before it they are rounded down.
        """
        scale = self._rules["scale"]
        points = [score * scale for score in self._state.returns()]
        if self.is_over and (uneven := [score for score in points if not is_whole(score)]):
            way = way_on(self._game, self._state.returns())
            raise ValueError(
                f"a return of {uneven[0] / scale!r} is not whole at scale {scale}: {way}"
            )
        return [round(score) if self.is_over else math.floor(score + NEAR) for score in points]

    def clone(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._state, twin._last_views = self._state.clone(), list(self._last_views)
        twin._chance = Stream.__new__(Stream)
        for name in Stream.__slots__:
            value = getattr(self._chance, name)
            setattr(twin._chance, name, list(value) if isinstance(value, list) else value)
        return twin


def draw_outcome(outcomes: Sequence[tuple[int, float]], stream: Stream) -> int:
    """Return an outcome of a chance node."""
    at, below = (stream.u64() >> 11) * 2.0**-53, 0.0
    for action, chance in outcomes:
        below += chance
        if at < below:
            return int(action)
    return int(next(action for action, chance in reversed(outcomes) if chance > 0))


def text_of(state: Any, seat: int, shows: str) -> str:
    """Return the text that a seat is shown."""
    return str(getattr(state, f"{shows}_string")(seat))


def whole_tensor(state: Any, seat: int, shows: str) -> list[int]:
    """Return the tensor that a seat is shown, as whole numbers. Raises ValueError if
    they are not whole.
    """
    values = getattr(state, f"{shows}_tensor")(seat)
    if any(value != int(value) for value in values):
        raise ValueError("its tensor has numbers that are not whole")
    return [int(value) for value in values]


def gives(game: Any, call: Callable[[Any, int], object]) -> bool:
    """Tell whether a game gives this to all seats in a random match: some games raise
    where they promise a value.
    """
    state, stream = game.new_initial_state(), Stream(bytes(32), "openspiel", "shown")
    decisions = 0
    try:
        while decisions < SHOWN:
            if not state.is_chance_node():
                decisions += 1
                for seat in range(game.num_players()):
                    call(state, seat)
            if state.is_terminal():
                return True
            at_random(state, stream)
    except Exception:  # any error means that the game does not give it
        return False
    return True


def at_random(state: Any, stream: Stream) -> None:
    """Play one step of a random match."""
    if state.is_chance_node():
        state.apply_action(draw_outcome(state.chance_outcomes(), stream))
    elif state.is_simultaneous_node():
        legal = [state.legal_actions(seat) for seat in range(state.num_players())]
        state.apply_actions(
            [actions[stream.below(len(actions))] if actions else 0 for actions in legal]
        )
    else:
        actions = state.legal_actions()
        state.apply_action(actions[stream.below(len(actions))])


def scale_of(game: Any) -> int | None:
    """Return the factor that makes the returns of random matches whole; None if it is
    more than ``MOST_SCALE``.
    """
    returns: list[float] = []
    for number in range(TRIED):
        state, stream = (
            game.new_initial_state(),
            Stream(bytes(32), "openspiel", "scale", str(number)),
        )
        for _ in range(TRIED_STEPS):
            if state.is_terminal():
                returns += state.returns()
                break
            at_random(state, stream)
    return whole_at(returns)


def whole_at(returns: Sequence[float], divisor: int = 1) -> int | None:
    """Return the least multiple of ``divisor`` that makes the returns whole; None if it
    is more than ``MOST_SCALE``.
    """
    scale = math.lcm(
        divisor, *(Fraction(score).limit_denominator(MOST_SCALE).denominator for score in returns)
    )
    return (
        scale if scale <= MOST_SCALE and all(is_whole(score * scale) for score in returns) else None
    )


def way_on(game: Any, returns: Sequence[float]) -> str:
    """Return the advice about a match whose returns are not whole at its scale."""
    scale = whole_at(returns, scale_of(game) or 1)
    if scale is None:
        return (
            f"no scale up to {MOST_SCALE:,} makes those of this match and of others whole, so "
            "it cannot be played"
        )
    return (
        f"give --rule scale={scale}, the least for this match and some at random; one that "
        "needs more will say so"
    )


def is_whole(value: float) -> bool:
    """Tell whether a value is whole, but for the rounding of floating-point numbers."""
    return abs(value - round(value)) <= NEAR * max(1.0, abs(value))
