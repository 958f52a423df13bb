"""Khiva by the rules in C for a bot that searches: attempts by a judgement of its own,
hands, and the means of habits.

Use ``KhivaRules`` instead of ``RulesInC``. The interpreter of Python in ticks lacks
this module: there a bot has ``attempt`` of ``StateInC`` only.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from khiva_arena.crules.door import WHOLE, checked
from khiva_arena.crules.game import HabitsInC, RulesInC, StateInC, ViewInC
from khiva_arena.crules.library import doubles, function, ints
from khiva_arena.crules.stream import StreamInC

_MOST_TURNS, _BY_HABIT, _NONE = 16, -1, -2
_COLOURS, _VALUES, _SHOPS = range(5), range(1, 6), range(1, 6)
_WORDS = {"move": (2, 0), "stay": (2, 1), "carpet": (4, 0), "salt": (4, 1), "nothing": (4, 2)}
"""Answers to a question, by their words: its kind and the number of its entry."""
_HAND = 8


class Judgement(NamedTuple):
    """The points to be expected from what makes no points yet. At the end of a match
    they count nothing.

    gem: of each gem, beside the point that it is
    gems: so many gems of a seat count, at most
    carpet: of each point of a carpet that is not delivered
    load: of each point of the teapot on a camel that is on the seat's own path
    way: of each point of it, for each shop that the camel has come, 1 to 4
    card: of each card in the hand, for each point that its value is below 3
    """

    gem: float = 0.5
    gems: float = 3
    carpet: float = 0.4
    load: float = 0.1
    way: float = 0.0
    card: float = 0.0


USUAL = Judgement()
"""The judgement of ``StateInC.attempt``."""

Deed = tuple[str, *tuple[int, ...]]
"""An act of a seat in an attempt: ("play", colour, value), ("pass", colour, value),
("bring", camel, path, shop), ("move",), ("stay",), ("carpet",), ("salt",) or
("nothing",). A tent is -1, 0 as in views. A camel is brought only where more gems would
bring it to another place: else nobody is asked.
"""


class KhivaPosition(StateInC):
    """A position of Khiva."""

    def hand(self, seat: int) -> list[list[int]]:
        """Return the cards of a seat as its view has them: [colour, value], the highest
        value first.
        """
        cards = ints(_HAND)
        count = function("khiva", "hand")(self._memory, self._seat(seat), cards)
        return [[*divmod(card, 10)] for card in cards[:count]]

    def attempt(
        self,
        habits: HabitsInC,
        seat: int,
        choice: int | None,
        turns: int,
        stream: StreamInC,
        judgement: Judgement = USUAL,
    ) -> float:
        """Try a choice of a seat as ``StateInC.attempt`` does, and judge the result by
        other weights.

        choice: None if the seat, too, is to choose by habit; it need not be asked then
        """
        return self.attempt_all(habits, seat, [choice], turns, stream, judgement)[0]

    def attempt_all(
        self,
        habits: HabitsInC,
        seat: int,
        choices: Sequence[int | None],
        turns: int,
        stream: StreamInC,
        judgement: Judgement = USUAL,
    ) -> list[float]:
        """Try choices of a seat one after another, and return how far each leads: as
        ``attempt`` for each, in one call of C.
        """
        if checked("habits", habits, HabitsInC).game != self.rules.game:
            raise ValueError(f"these are habits of {habits.game}, not of {self.rules.game}")
        depth = max(1, min(checked("turns", turns, WHOLE), _MOST_TURNS))
        tried = ints([_known(choice) for choice in choices])
        leads, weights = doubles(len(tried)), doubles(_weights(judgement))
        words = (
            self.rules._memory,
            self._memory,
            habits._memory,
            self._seat(seat),
            tried,
            len(tried),
            depth,
        )
        function("khiva", "attempt_all")(
            *words, checked("stream", stream, StreamInC)._memory, weights, leads
        )
        return list(leads)

    @classmethod
    def _of(cls, state: StateInC) -> Self:
        """Return a position that nobody else has as one of this class."""
        new = cls.__new__(cls)
        new.rules, new.seats, new._memory, new._seen = (
            state.rules,
            state.seats,
            state._memory,
            state._seen,
        )
        return new


class KhivaRules(RulesInC):
    """The rules of a match of Khiva. Raises ConfigError for a map that is none."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        super().__init__("khiva", rules)

    def new(self, seats: int, secret: bytes, *, quick: bool = False) -> KhivaPosition:
        """Set a match up as ``RulesInC.new`` does."""
        return KhivaPosition(self, seats, secret, quick)

    def view(self, view: Mapping[str, Any] | bytes) -> "KhivaView":
        """Return a view as ``RulesInC.view`` does."""
        return KhivaView(self, view)


class KhivaView(ViewInC):
    """A view of a match of Khiva, from which worlds are drawn."""

    def world(self, stream: StreamInC) -> KhivaPosition:
        """Return a position in which the seat has this view, as ``ViewInC.world``
        does.
        """
        return KhivaPosition._of(super().world(stream))


class KhivaHabits(HabitsInC):
    """What each seat has gained by what it did, in attempts from one view."""

    def mean(self, seat: int, deed: Deed) -> float | None:
        """Return how many points further ahead a deed brought a seat within two turns,
        on average; None if it was never done.
        """
        tries, gained = self._found(seat, deed)
        return gained / tries if tries else None

    def tries(self, seat: int, deed: Deed) -> int:
        """Return how often a seat did something. Raises ValueError for what is no
        deed.
        """
        return int(self._found(seat, deed)[0])

    def _found(self, seat: int, deed: Deed) -> tuple[float, float]:
        found = doubles(2)
        number: int = checked("seat", seat, _COLOURS)
        function("khiva", "deed")(self._memory, number, *_numbers(deed), found)
        return found[0], found[1]


def _known(choice: int | None) -> int:
    """Return a choice as C takes it; one beyond its numbers is none."""
    if choice is None:
        return _BY_HABIT
    number: int = checked("choice", choice, WHOLE)
    return number if 0 <= number < 1 << 31 else _NONE


def _weights(judgement: Judgement) -> list[float]:
    """Return the weights of a judgement. Raises TypeError for another object,
    ValueError for a weight that is no number.
    """
    weights = [*checked("judgement", judgement, Judgement)]
    for name, weight in zip(Judgement._fields, weights, strict=True):
        if not isinstance(weight, int | float) or not abs(weight) < 1e9:
            raise ValueError(f"judgement.{name}: {weight!r:.200} is no number below 1e9")
    return weights


def _numbers(deed: Deed) -> tuple[int, int, int]:
    """Return a deed as C takes it: its kind and two numbers. Raises ValueError for what
    is none.
    """
    match deed:
        case ("play" | "pass", int(colour), int(value)) if colour in _COLOURS and value in _VALUES:
            return int(deed[0] == "pass"), colour, value
        case ("bring", int(camel), int(path), int(shop)) if (
            camel in _COLOURS and path in _COLOURS and shop in _SHOPS
        ):
            return 2, camel, 6 * path + shop
        case ("bring", int(camel), -1, 0) if camel in _COLOURS:
            return 2, camel, 0
        case (str(word),) if word in _WORDS:
            return 3, *_WORDS[word]
    raise ValueError(f"deed: {deed!r:.200} is none of khiva_arena.crules.khiva.Deed")
