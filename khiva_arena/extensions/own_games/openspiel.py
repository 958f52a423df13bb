"""The games of OpenSpiel's library, as one game whose rule ``game`` names the
library's.

Only the process that runs a game's code imports this file. The declarations of a game
of the library are tried, not believed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from hashlib import sha256
from textwrap import shorten
from typing import Any, Self

import pyspiel

from khiva_arena.common.manual import where
from khiva_arena.errors import ConfigError, RulesError
from khiva_arena.games.base import NOBODY, Decision, Event, Game, Pending, State, check_choices
from khiva_arena.games.rules_map import file_in_rules
from khiva_arena.rng import Stream
from khiva_arena.words import meant

DEFAULT = "kuhn_poker"
MOST_SCALE = 1_000_000
"""The factor by which returns are multiplied to be whole, at most."""
SHOWN = 20
"""Decisions of a random match at which it is tried whether seats are told what they
know.
"""
MOST_SEATS, FEWEST_SEATS = 10, 2
TRIED, TRIED_STEPS = 3, 3_000
"""Random matches, and steps of each, from which the scale is found, and whether seats
are told what they know.
"""
NEAR = 1e-9
IN_PYTHON = "python_"
"""The beginning of the names that the library registers once
``open_spiel.python.games`` is imported.
"""
SHOWS = ("information_state", "observation")
"""Kinds of text that a seat is shown: the first that the game gives to every seat."""
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


# --- which games can be played ---


def shown_of(game: Any) -> str:
    """Return the kind of text that seats are shown, of ``SHOWS``; "" if there is
    none.
    """
    return next((kind for kind in SHOWS if gives(game, partial(text_of, shows=kind))), "")


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


def load_game(text: object) -> Any:
    """Return the library's game of a string such as ``goofspiel(players=3)``. Raises
    RulesError with the reason why it cannot be played.
    """
    if type(text) is int:  # as --rule game=2048 is read
        text = str(text)
    if not isinstance(text, str):
        raise RulesError(f"game: {text!r} is not a text")
    name, names = text.partition("(")[0], pyspiel.registered_names()
    if name not in names:
        page = f"{where('openspiel', 'Games that play')} lists its games"
        if name.startswith(IN_PYTHON):
            raise RulesError(
                f"game: {name[:80]} is one of the library's games in Python, which are not "
                f"imported; {page}"
            )
        raise RulesError(f"game: OpenSpiel has no game {name[:80]!r}{meant(name, names)}; {page}")
    if parameter := file_in_rules(OpenSpiel.name, {"game": text}):
        raise RulesError(
            f"game: {name} reads a file ({parameter}), which would be no part of the event: two "
            "games could have one name, and nobody could check a match; `khiva-arena new game DIR` "
            "begins a game of your own, whose file is hashed"
        )
    try:
        game = pyspiel.load_game(text)
    except (
        Exception
    ) as error:  # the library raises errors of any kind, such as a missing index of a map
        raise RulesError(
            f"game: OpenSpiel does not load {text!r}: "
            f"{shorten(str(error), 200, placeholder=' ...')}"
        ) from None
    kind = game.get_type()
    reasons = {
        "its chance is sampled, so that no match could be replayed": kind.chance_mode
        == Chance.SAMPLED_STOCHASTIC,
        "it is a mean-field game, of a population and not of seats": kind.dynamics
        == Dynamics.MEAN_FIELD,
        "its actions are structures, not numbers": getattr(kind, "action_structs_only", False),
        "it has one player": game.num_players() == 1,
        (
            f"it has {game.num_players()} players, and a table has {MOST_SEATS} seats at the most"
        ): game.num_players() > MOST_SEATS,
    }
    for reason, holds in reasons.items():
        if holds:
            raise RulesError(f"game: {kind.short_name} cannot be played: {reason}")
    return game


class OpenSpiel(Game):
    """The one game that stands for all of OpenSpiel's. ``rules_version`` is that of
    this file; the version of the library is added.
    """

    name = "openspiel"
    title = "OpenSpiel"
    rules_version = "1"
    seats = tuple(range(FEWEST_SEATS, MOST_SEATS + 1))
    variants = {  # noqa: RUF012  a constant
        "game": "which game of the library, as goofspiel(players=3,num_cards=13)",
        "shows": (
            "what a seat is shown: information_state, or observation; without it, the first "
            "that the game gives"
        ),
        "tensor": "no, yes: seats are shown it as numbers, too, if they are whole",
        "scale": (
            "by what returns are multiplied to be whole points; without it, by what that takes "
            "in matches at random"
        ),
    }

    def rules(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if unknown := [key for key in given if key not in self.variants]:
            raise RulesError([f"{key}: there is no such rule" for key in unknown])
        game = load_game(given.get("game", DEFAULT))
        scale = given["scale"] if "scale" in given else scale_of(game)
        if scale is None:
            raise RulesError(
                f"game: {game.get_type().short_name} cannot be played: its returns are "
                f"whole at no scale up to {MOST_SCALE:,}"
            )
        if type(scale) is not int or not 1 <= scale <= MOST_SCALE:
            raise RulesError(f"scale: {scale!r} is not a whole number of 1 to {MOST_SCALE:,}")
        shows, tensor, name = (
            given["shows"] if "shows" in given else shown_of(game),
            given.get("tensor", "no"),
            game.get_type().short_name,
        )
        if not shows and "shows" not in given:
            raise RulesError(
                f"game: {name} cannot be played: it tells seats neither an information "
                "state nor observations"
            )
        if shows not in SHOWS or not gives(game, partial(text_of, shows=shows)):
            given_kinds = [kind for kind in SHOWS if gives(game, partial(text_of, shows=kind))]
            raise RulesError(
                f"shows: {name} gives seats no {shows!r}; what it gives: "
                f"{', '.join(given_kinds) or 'nothing'}"
            )
        if tensor not in ("no", "yes") or (
            tensor == "yes" and not gives(game, partial(whole_tensor, shows=shows))
        ):
            raise RulesError(
                f"tensor: {tensor!r} is neither no nor yes, or {name} gives none of whole numbers"
            )
        return {"game": str(game), "scale": scale, "shows": shows, "tensor": tensor}

    def seats_of(self, rules: Mapping[str, Any]) -> Sequence[int]:
        return (load_game(rules["game"]).num_players(),)

    def new(
        self, seats: int, rules: Mapping[str, Any], secret: bytes
    ) -> tuple[LibraryState, list[Event]]:
        game = load_game(rules["game"])
        if seats != game.num_players():
            raise ConfigError(f"{rules['game']} is for {game.num_players()} seats, not {seats}")
        state = LibraryState(game, rules, secret)
        return state, state.begin()

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        if event.data["type"] == "acted":
            return f"{names[event.data['seat']]}: {event.data['text']}"
        return ""  # the next view shows the change

    def choice(self, kind: str, entry: Sequence[Any], view: Mapping[str, Any]) -> str:
        return str(entry[1])

    def sketch(self, state: State, names: Sequence[str]) -> str:
        assert isinstance(state, LibraryState)
        return str(state._state)


GAME = OpenSpiel()
