"""A match by the rules in C: rules, positions, and the worlds of a view.
bots/rules/README.md lists the calls.

All memory that C writes is private to the object that handed it over. What comes from
outside is checked by ``door``.
"""

from collections.abc import Mapping
from operator import index
from typing import Any, NamedTuple, Self

import msgpack

from khiva_arena.crules.door import BITS, WHOLE, checked, checked_secret
from khiva_arena.crules.library import (
    MemoryInC,
    copied,
    floats,
    function,
    ints,
    memory,
    sizes,
    word,
)
from khiva_arena.crules.stream import StreamInC
from khiva_arena.errors import ConfigError, IllegalChoice, OtherSeat
from khiva_arena.rng import SECRET_BYTES

BAD_VIEW, OF_OTHER_SEAT = 5, 8
"""The errors of the headers for what is not a view, and for the view of another seat in
a world.
"""
_TIMES = range(1 << 31)


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
        self._memory = memory(self.sizes.rules)
        packed = _packed(rules)
        if self._call("read_rules", packed, word(len(packed)), self._memory):
            raise ConfigError(
                f"this is not a complete rules map of {game}: hand over the one of hello, "
                "or of GAME.every_rule"
            )

    def new(self, seats: int, secret: bytes, *, quick: bool = False) -> "StateInC":
        """Set a match up, as the arena deals it by this secret of 32 bytes; ``quick``:
        by other draws, made faster.

        Raises ConfigError for a number of seats that the game lacks.
        """
        return StateInC(self, seats, secret, quick)

    def view(self, view: Mapping[str, Any] | bytes) -> "ViewInC":
        """Return a view as a bot gets it, or as ``StateInC.see`` returned it, ready for
        worlds.

        Raises ConfigError if it is none, or fits no position; OtherSeat for the view of
        another seat in a world.
        """
        return ViewInC(self, view)

    def observation_size(self, seats: int, without: int = 0) -> int:
        """Return how many numbers an observation has; bit i of ``without`` leaves key i
        out.
        """
        left_out = checked("without", without, BITS)
        return self._call("numbers", self._memory, self._seats(seats), word(left_out))

    def actions(self, seats: int) -> int:
        """Return how many actions an environment has, waiting included."""
        return self._call("actions", self._memory, self._seats(seats))

    def _call(self, name: str, *arguments: Any) -> int:
        """Call a function of the game, with arguments that were checked."""
        return function(self.game, name)(*arguments)

    def _seats(self, seats: int) -> int:
        """Return a number of seats. Raises ConfigError for more than any match has."""
        number: int = checked("seats", seats, WHOLE)
        if not 2 <= number <= self.sizes.seats:
            raise ConfigError(f"{self.game} is not for {number} seats")
        return number


class StateInC:
    """A position of a match, with what the seats have seen. It begins as
    ``RulesInC.new`` deals it.
    """

    rules: RulesInC
    seats: int
    _memory: MemoryInC
    _seen: MemoryInC

    def __init__(self, rules: RulesInC, seats: int, secret: bytes, quick: bool = False) -> None:
        number = checked("rules", rules, RulesInC)._seats(seats)
        self._make_room(rules, number)
        words = (
            self._memory,
            self._seen,
            rules._memory,
            number,
            checked_secret(secret),
            int(bool(quick)),
        )
        if rules._call("new", *words):
            raise ConfigError(f"{rules.game} is not for {number} seats")

    @classmethod
    def _empty(cls, rules: RulesInC, seats: int) -> Self:
        """Return memory of a position that C is about to write: until then no other
        call may have it.
        """
        new = cls.__new__(cls)
        new._make_room(rules, seats)
        return new

    def _make_room(self, rules: RulesInC, seats: int) -> None:
        self.rules, self.seats = rules, seats
        self._memory, self._seen = memory(rules.sizes.state), memory(rules.sizes.memory)

    def clone(self) -> Self:
        """Return a copy that goes its own way."""
        new = type(self).__new__(type(self))
        new.rules, new.seats = self.rules, self.seats
        new._memory, new._seen = copied(self._memory), copied(self._seen)
        return new

    def questions(self) -> dict[int, QuestionInC]:
        """Return what each seat that is asked has to decide; nothing when the match is
        over.
        """
        kinds, choices = ints(self.rules.sizes.seats), ints(self.rules.sizes.seats)
        asked = self.rules._call("questions", self.rules._memory, self._memory, kinds, choices)
        return {
            seat: QuestionInC(kinds[seat], choices[seat])
            for seat in range(self.seats)
            if asked >> seat & 1
        }

    @property
    def is_over(self) -> bool:
        """True if no decision is left."""
        return not self.rules._call("asked", self.rules._memory, self._memory)

    def legal(self, seat: int) -> list[list[int]]:
        """Return the entries of a seat's ``legal`` as numbers: for a word its place as
        the header of the game lists them.
        """
        number, width = self._seat(seat), self.rules.sizes.entry + 1
        entries = ints(self._choices(number) * width)
        self.rules._call("legal", self.rules._memory, self._memory, number, entries)
        return [
            list(entries[at + 1 : at + 1 + entries[at]]) for at in range(0, len(entries), width)
        ]

    def apply(self, choices: Mapping[int, int]) -> None:
        """Play the choices of all seats that are asked. Raises IllegalChoice, with
        nothing changed, for others.
        """
        questions, given = self.questions(), {**checked("choices", choices, Mapping)}
        by_seat = ints(self.rules.sizes.seats)
        fits = given.keys() == questions.keys()
        for seat, question in questions.items() if fits else ():
            try:
                number = index(given[seat])
            except TypeError:
                number = -1
            fits = fits and 0 <= number < question.choices
            by_seat[seat] = number if fits else 0
        if not fits or self.rules._call(
            "apply", self.rules._memory, self._memory, self._seen, by_seat
        ):
            raise IllegalChoice(f"choices {given!r:.200}, but asked are {questions}")

    def playout(self, stream: StreamInC) -> int:
        """Play to the end at random, and return the number of decisions. The seats then
        have no view: only the result counts.
        """
        return self.rules._call(
            "playout",
            self.rules._memory,
            self._memory,
            checked("stream", stream, StreamInC)._memory,
        )

    def attempt(
        self, habits: "HabitsInC", seat: int, choice: int, turns: int, stream: StreamInC
    ) -> float:
        """Try a choice of a seat in a copy, all else and further turns by habit, which
        learns. turns: 1 to 16, more count as 16.

        Return how far the seat then leads the others on average, in points made and to
        be expected; 0 for a choice that it does not have.
        """
        if checked("habits", habits, HabitsInC).game != self.rules.game:
            raise ValueError(f"these are habits of {habits.game}, not of {self.rules.game}")
        number, depth = (
            checked("choice", choice, WHOLE),
            max(1, min(checked("turns", turns, WHOLE), 16)),
        )
        known = number if 0 <= number < 1 << 31 else -1
        words = (self.rules._memory, self._memory, habits._memory, self._seat(seat), known, depth)
        return float(function("khiva", "try")(*words, checked("stream", stream, StreamInC)._memory))

    @property
    def scores(self) -> list[int]:
        """Points of each seat as the match stands."""
        return self._standing()[0]

    @property
    def ranks(self) -> list[int]:
        """Place of each seat as the match stands, 1 is best."""
        return self._standing()[1]

    def observe(self, seat: int, without: int = 0) -> Any:
        """Return what a seat sees as an observation of the environments, an array of
        C's floats.
        """
        numbers = floats(self.rules.observation_size(self.seats, without))
        words = (self._seat(seat), word(checked("without", without, BITS)), numbers)
        self.rules._call("observe", self.rules._memory, self._memory, self._seen, *words)
        return numbers

    def actions(self, seat: int) -> list[int]:
        """Return by choice of a seat the action that means it."""
        number = self._seat(seat)
        actions = ints(self._choices(number))
        self.rules._call("actions_of", self.rules._memory, self._memory, number, actions)
        return list(actions)

    def see(self, seat: int) -> bytes:
        """Return the view of a seat as the bytes of the header's structure: equal views
        are equal bytes.
        """
        view = memory(self.rules.sizes.view)
        self.rules._call(
            "see", self.rules._memory, self._memory, self._seen, self._seat(seat), view
        )
        return bytes(view)

    def _choices(self, seat: int) -> int:
        questions = self.questions()
        return questions[seat].choices if seat in questions else 0

    def _seat(self, seat: int) -> int:
        number: int = checked("seat", seat, range(self.seats))
        return number

    def _standing(self) -> tuple[list[int], list[int]]:
        scores, ranks = ints(self.rules.sizes.seats), ints(self.rules.sizes.seats)
        self.rules._call("standing", self.rules._memory, self._memory, self.seats, scores, ranks)
        return list(scores[: self.seats]), list(ranks[: self.seats])


class HabitsInC:
    """What each seat has gained by what it did, in attempts from one view.

    Raises ConfigError for a game that lacks these.
    """

    def __init__(self, rules: RulesInC) -> None:
        if checked("rules", rules, RulesInC).game != "khiva":
            raise ConfigError(f"{rules.game} has no playouts that learn, as khiva has")
        self.game = rules.game
        self._memory: MemoryInC = memory(rules._call("habits_size"))


class ViewInC:
    """A view of a match that goes on, from which worlds are drawn."""

    def __init__(self, rules: RulesInC, view: Mapping[str, Any] | bytes) -> None:
        self.rules: RulesInC = checked("rules", rules, RulesInC)
        self._memory, self._knowledge = memory(rules.sizes.view), memory(rules.sizes.knowledge)
        wrong = self._read(view) or rules._call(
            "think", self._knowledge, rules._memory, self._memory
        )
        if wrong == OF_OTHER_SEAT:
            raise OtherSeat
        if wrong:
            raise ConfigError(
                f"this {'is not a view' if wrong == BAD_VIEW else 'view fits no position'} "
                f"of {rules.game}"
            )
        self.seats = rules._call("seats_of", self._memory)

    def __bytes__(self) -> bytes:
        """Return the view as ``StateInC.see`` returns it."""
        return bytes(self._memory)

    def world(self, stream: StreamInC) -> StateInC:
        """Return a position in which the seat has this view; what it does not know is
        drawn, as by ``GAME.determinise``.
        """
        state, chance = (
            StateInC._empty(self.rules, self.seats),
            checked("stream", stream, StreamInC)._memory,
        )
        words = (
            state._memory,
            state._seen,
            self.rules._memory,
            self._memory,
            self._knowledge,
            chance,
        )
        if self.rules._call("world", *words):
            raise ConfigError(f"this view fits no position of {self.rules.game}")
        return state

    def _read(self, view: Mapping[str, Any] | bytes) -> int:
        """Read a view into the memory of this one, and return the error of the
        header.
        """
        if isinstance(view, bytes):
            if len(view) != len(bytes(self._memory)):
                return BAD_VIEW
            self._memory = copied(view)
            return 0
        packed = _packed(view)
        return self.rules._call(
            "read_view", packed, word(len(packed)), self.rules._memory, self._memory
        )


def _packed(value: Mapping[str, Any]) -> bytes:
    """Return a map as msgpack. Raises ConfigError for what is none."""
    try:
        packed: bytes = msgpack.packb(dict(value))
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise ConfigError("this is no map as the arbiter sends them") from None
    return packed


def random_games(rules: RulesInC, seats: int, seed: int, games: int) -> int:
    """Play so many random games in C, each of a new deal, and return the number of
    decisions; for benchmarks.
    """
    number, played = word(checked("seed", seed, BITS)), checked("games", games, _TIMES)
    first = StateInC(
        rules, seats, bytes(SECRET_BYTES)
    )  # raises ConfigError for seats that the game lacks
    return rules._call("random_games", rules._memory, first.seats, number, played)


def draw_worlds(view: ViewInC, times: int, *, quick: bool) -> int:
    """Draw so many worlds of a view in C, and return how many came to nothing; for
    benchmarks.
    """
    drawn: int = checked("times", times, _TIMES)
    rules: RulesInC = checked("view", view, ViewInC).rules
    return rules._call(
        "worlds", rules._memory, view._memory, view._knowledge, int(bool(quick)), drawn
    )


def copy_states(state: StateInC, times: int) -> int:
    """Copy a position so many times in C; for benchmarks."""
    copied: int = checked("times", times, _TIMES)
    rules: RulesInC = checked("state", state, StateInC).rules
    return rules._call("clones", state._memory, copied)
