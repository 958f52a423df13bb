"""A match by the rules in C: rules, positions, and the worlds of a view. bots/rules/README.md lists the calls.

All memory that C writes belongs to the object that handed it over. An index that comes from outside is checked before C sees it.
"""

import ctypes
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgpack

from khiva_arena.crules.library import MemoryInC, function, ints, memory, sizes
from khiva_arena.crules.stream import StreamInC
from khiva_arena.errors import ConfigError, IllegalChoice
from khiva_arena.rng import SECRET_BYTES

BAD_VIEW = 5
"""The error of each header for what is not a view."""


class QuestionInC(NamedTuple):
    """The decision of a seat that is asked.

    kind: its place in the table of decisions of RULES.md, from 1.
    choices: how many there are.
    """

    kind: int
    choices: int


class RulesInC:
    """The rules of a match: those of a game, by a complete rules map as a hello has it.

    Raises ConfigError for a game without rules in C, or a map that is none.
    """

    def __init__(self, game: str, rules: Mapping[str, Any]) -> None:
        self.game = game
        self.sizes = sizes(game)
        self.memory = memory(self.sizes.rules)
        packed = _packed(rules)
        if self.call("read_rules", packed, ctypes.c_size_t(len(packed)), self.memory):
            raise ConfigError(f"this is not a complete rules map of {game}: hand over the one of hello, or of GAME.every_rule")

    def call(self, name: str, *arguments: Any) -> int:
        """Call a function of the game."""
        return function(self.game, name)(*arguments)

    def new(self, seats: int, secret: bytes, *, quick: bool = False) -> "StateInC":
        """Set a match up, as the arena deals it by this secret of 32 bytes; ``quick``: by other draws, made faster.

        Raises ConfigError for a number of seats that the game lacks.
        """
        if not isinstance(secret, bytes) or len(secret) != SECRET_BYTES:
            raise ValueError(f"a match's secret is {SECRET_BYTES} bytes")
        state = StateInC(self, self._seats(seats))
        if self.call("new", state.memory, state.seen, self.memory, seats, secret, int(quick)):
            raise ConfigError(f"{self.game} is not for {seats} seats")
        return state

    def view(self, view: Mapping[str, Any]) -> "ViewInC":
        """Return a view as a bot gets it, ready for worlds. Raises ConfigError if it is none, or fits no position."""
        return ViewInC(self, view)

    def observation_size(self, seats: int, without: int = 0) -> int:
        """Return how many numbers an observation has; bit i of ``without`` leaves key i out."""
        return self.call("numbers", self.memory, self._seats(seats), ctypes.c_uint64(without))

    def actions(self, seats: int) -> int:
        """Return how many actions an environment has, waiting included."""
        return self.call("actions", self.memory, self._seats(seats))

    def _seats(self, seats: int) -> int:
        """Return a number of seats. Raises ConfigError for more than any match has."""
        if not 2 <= seats <= self.sizes.seats:
            raise ConfigError(f"{self.game} is not for {seats} seats")
        return seats


class StateInC:
    """A position of a match, with what the seats have seen."""

    def __init__(self, rules: RulesInC, seats: int) -> None:
        self.rules, self.seats = rules, seats
        self.memory: MemoryInC = memory(rules.sizes.state)
        self.seen: MemoryInC = memory(rules.sizes.memory)

    def clone(self) -> "StateInC":
        """Return a copy that goes its own way."""
        new = StateInC(self.rules, self.seats)
        ctypes.memmove(new.memory, self.memory, ctypes.sizeof(self.memory))
        ctypes.memmove(new.seen, self.seen, ctypes.sizeof(self.seen))
        return new

    def questions(self) -> dict[int, QuestionInC]:
        """Return what each seat that is asked has to decide; nothing when the match is over."""
        kinds, choices = ints(self.rules.sizes.seats), ints(self.rules.sizes.seats)
        asked = self.rules.call("questions", self.rules.memory, self.memory, kinds, choices)
        return {seat: QuestionInC(kinds[seat], choices[seat]) for seat in range(self.seats) if asked >> seat & 1}

    @property
    def is_over(self) -> bool:
        """True if no decision is left."""
        return not self.rules.call("asked", self.rules.memory, self.memory)

    def legal(self, seat: int) -> list[list[int]]:
        """Return the entries of a seat's ``legal`` as numbers: for a word its place as the header of the game lists them."""
        count, width = self._choices(seat), self.rules.sizes.entry + 1
        entries = ints(count * width)
        self.rules.call("legal", self.rules.memory, self.memory, seat, entries)
        return [list(entries[at + 1 : at + 1 + entries[at]]) for at in range(0, count * width, width)]

    def apply(self, choices: Mapping[int, int]) -> None:
        """Play the choices of all seats that are asked. Raises IllegalChoice, with nothing changed, for others."""
        questions = self.questions()
        fits = choices.keys() == questions.keys() and all(0 <= choices[seat] < one.choices for seat, one in questions.items())
        by_seat = ints([choices[seat] if fits and seat in questions else -1 for seat in range(self.rules.sizes.seats)])
        if not fits or self.rules.call("apply", self.rules.memory, self.memory, self.seen, by_seat):
            raise IllegalChoice(f"choices {dict(choices)}, but asked are {questions}")

    def playout(self, stream: StreamInC) -> int:
        """Play to the end at random, and return the number of decisions. The seats then have no view: only the result counts."""
        return self.rules.call("playout", self.rules.memory, self.memory, stream.memory)

    def attempt(self, habits: "HabitsInC", seat: int, choice: int, turns: int, stream: StreamInC) -> float:
        """Try a choice of a seat in a copy, all else and further turns by habit, which learns. turns: 1 to 16, more count as 16.

        Return how far the seat then leads the others on average, in points made and to be expected; 0 for a choice that it
        does not have.
        """
        self._check_seat(seat)
        if habits.game != self.rules.game:
            raise ValueError(f"these are habits of {habits.game}, not of {self.rules.game}")
        tried = function(self.rules.game, "try")
        known, depth = choice if choice in range(1 << 31) else -1, max(1, min(turns, 16))
        words = (self.rules.memory, self.memory, habits.memory, seat, known, depth)
        return float(tried(*words, stream.memory))

    @property
    def scores(self) -> list[int]:
        """Points of each seat as the match stands."""
        return self._standing()[0]

    @property
    def ranks(self) -> list[int]:
        """Place of each seat as the match stands, 1 is best."""
        return self._standing()[1]

    def observe(self, seat: int, without: int = 0) -> Any:
        """Return what a seat sees as an observation of the environments, an array of C's floats."""
        numbers = (ctypes.c_float * self.rules.observation_size(self.seats, without))()
        self._check_seat(seat)
        self.rules.call("observe", self.rules.memory, self.memory, self.seen, seat, ctypes.c_uint64(without), numbers)
        return numbers

    def actions(self, seat: int) -> list[int]:
        """Return by choice of a seat the action that means it."""
        actions = ints(self._choices(seat))
        self.rules.call("actions_of", self.rules.memory, self.memory, seat, actions)
        return list(actions)

    def see(self, seat: int) -> bytes:
        """Return the view of a seat as the bytes of the header's structure: equal views are equal bytes."""
        view = memory(self.rules.sizes.view)
        self._check_seat(seat)
        self.rules.call("see", self.rules.memory, self.memory, self.seen, seat, view)
        return bytes(view)

    def _choices(self, seat: int) -> int:
        questions = self.questions()
        return questions[seat].choices if seat in questions else 0

    def _check_seat(self, seat: int) -> None:
        if not 0 <= seat < self.seats:
            raise ValueError(f"there is no seat {seat} of {self.seats}")

    def _standing(self) -> tuple[list[int], list[int]]:
        scores, ranks = ints(self.rules.sizes.seats), ints(self.rules.sizes.seats)
        self.rules.call("standing", self.rules.memory, self.memory, self.seats, scores, ranks)
        return list(scores[: self.seats]), list(ranks[: self.seats])


class HabitsInC:
    """What each seat has gained by what it did, in attempts from one view.

    Raises ConfigError for a game that lacks these.
    """

    def __init__(self, rules: RulesInC) -> None:
        if rules.game != "khiva":
            raise ConfigError(f"{rules.game} has no playouts that learn, as khiva has")
        self.game = rules.game
        self.memory: MemoryInC = memory(rules.call("habits_size"))


class ViewInC:
    """A view of a match that goes on, from which worlds are drawn."""

    def __init__(self, rules: RulesInC, view: Mapping[str, Any]) -> None:
        packed = _packed(view)
        self.rules = rules
        self.memory, self._knowledge = memory(rules.sizes.view), memory(rules.sizes.knowledge)
        wrong = rules.call("read_view", packed, ctypes.c_size_t(len(packed)), rules.memory, self.memory)
        wrong = wrong or rules.call("think", self._knowledge, rules.memory, self.memory)
        if wrong:
            raise ConfigError(f"this {'is not a view' if wrong == BAD_VIEW else 'view fits no position'} of {rules.game}")
        self.seats = int(view["seats"])

    def world(self, stream: StreamInC) -> StateInC:
        """Return a position in which the seat has this view; what it does not know is drawn, as by ``GAME.determinise``."""
        state = StateInC(self.rules, self.seats)
        memory, seen = state.memory, state.seen
        if self.rules.call("world", memory, seen, self.rules.memory, self.memory, self._knowledge, stream.memory):
            raise ConfigError(f"this view fits no position of {self.rules.game}")
        return state


def _packed(value: Mapping[str, Any]) -> bytes:
    """Return a map as msgpack. Raises ConfigError for what is none."""
    try:
        packed: bytes = msgpack.packb(dict(value))
    except (TypeError, ValueError, OverflowError):
        raise ConfigError("this is no map as the arbiter sends them") from None
    return packed


def random_games(rules: RulesInC, seats: int, seed: int, games: int) -> int:
    """Play so many random games in C, each of a new deal, and return the number of decisions; for benchmarks."""
    return rules.call("random_games", rules.memory, seats, ctypes.c_uint64(seed), games)


def draw_worlds(view: ViewInC, times: int, *, quick: bool) -> int:
    """Draw so many worlds of a view in C, and return how many came to nothing; for benchmarks."""
    return view.rules.call("worlds", view.rules.memory, view.memory, view._knowledge, int(quick), times)


def copy_states(state: StateInC, times: int) -> int:
    """Copy a position so many times in C; for benchmarks."""
    return state.rules.call("clones", state.memory, times)
