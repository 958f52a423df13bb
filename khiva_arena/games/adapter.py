"""What is the same in every game's ``game.py``: a ``State`` and a ``Game`` put together from the files of a game's folder."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from khiva_arena.games.base import NOBODY, Event, Game, Pending, Plain, State
from khiva_arena.games.wording import Line


class PositionState(State):
    """A match in progress, of a game whose position says who is asked what and whether the match is over.

    A game's state inherits from its position first and from this second, and names the functions that do the rest::

        class KhivaState(Position, PositionState):
            apply = rules.apply
            view = observation.view
            public = observation.public
            private = observation.private
            scores = property(rules.scores)
            ranks = property(rules.ranks)
    """

    asked: Pending
    over: bool

    @abstractmethod
    def __init__(self, seats: int, ruleset: Any, secret: bytes) -> None:
        """An empty table. ``ruleset``: what ``compile_rules`` makes of a rules map."""

    def pending(self) -> Pending:
        """See ``State``. The same frozen mapping until the next ``apply``."""
        return self.asked

    @property
    def is_over(self) -> bool:
        """No decision is left."""
        return self.over

    def __getstate__(self) -> dict[str, Any]:
        """What pickles and deep copies are made of: a frozen mapping cannot be pickled as it is."""
        held: Any = object.__getstate__(self)
        others, slots = held if isinstance(held, tuple) else (held, {})
        return {**(others or {}), **slots, "asked": dict(self.asked)}

    def __setstate__(self, held: Mapping[str, Any]) -> None:
        for name, value in held.items():
            setattr(self, name, value)
        self.asked = MappingProxyType(dict(self.asked)) if self.asked else NOBODY


AnyState = TypeVar("AnyState", bound=PositionState)
TakenState = TypeVar("TakenState", contravariant=True)


class VariantsFile(Protocol):
    """What the adapter needs of ``variants.py``."""

    @property
    def VARIANTS(self) -> Mapping[str, str]:
        """``Game.variants``."""

    @property
    def SAMPLES(self) -> Sequence[Mapping[str, Plain]]:
        """``Game.samples``."""

    def canonical(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """``Game.rules``."""

    def compile_rules(self, rules: Mapping[str, Plain]) -> Any:
        """A canonical rules map as the engine reads it."""


class RulesFile(Protocol[TakenState]):
    """What the adapter needs of ``rules.py``."""

    def set_up(self, pos: TakenState) -> list[Event]:
        """Deal and lay out an empty table; returns the opening."""


class NotationFile(Protocol[TakenState]):
    """What the adapter needs of ``notation.py``."""

    @property
    def LINES(self) -> Mapping[str, Line]:
        """By type of event, what makes its line for ``Game.narrate``."""

    def sketch(self, pos: TakenState, names: Sequence[str]) -> str:
        """``Game.sketch``."""


class AdaptedGame(Game, Generic[AnyState]):
    """A game made of the files of its folder. Its class names them, beside the constants of ``Game``.

    state: the class of its states.
    variants_file: ``variants.py``.
    rules_file: ``rules.py``.
    notation_file: ``notation.py``.
    """

    state: type[AnyState]
    variants_file: VariantsFile
    rules_file: RulesFile[AnyState]
    notation_file: NotationFile[AnyState]

    @property
    def variants(self) -> Mapping[str, str]:
        """See ``Game``."""
        return self.variants_file.VARIANTS

    @property
    def samples(self) -> Sequence[Mapping[str, Plain]]:
        """See ``Game``."""
        return self.variants_file.SAMPLES

    def rules(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """See ``Game``."""
        return self.variants_file.canonical(given)

    def new(self, seats: int, rules: Mapping[str, Plain], secret: bytes) -> tuple[AnyState, list[Event]]:
        """See ``Game``."""
        self.check_seats(seats)
        state = self.state(seats, self.variants_file.compile_rules(rules), secret)
        return state, self.rules_file.set_up(state)

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        """See ``Game``."""
        return self.notation_file.LINES[event.data["type"]](event.data, names)

    def sketch(self, state: State, names: Sequence[str]) -> str:
        """See ``Game``."""
        if not isinstance(state, self.state):
            raise TypeError(f"sketch takes a state of {self.title}, not {type(state).__name__}")
        return self.notation_file.sketch(state, names)
