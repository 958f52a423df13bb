"""The common part of every ``game.py``: a ``State`` and a ``Game`` put together from
the files of a game's folder.

The files of a game are modules of functions over a position, so that each can be read
and tested alone. This file gives them the shape of the contract in ``base.py``.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from khiva_arena.games.base import NOBODY, Event, Game, Pending, Plain, State
from khiva_arena.games.wording import Line
from khiva_arena.rng import Stream


class PositionState(State):
    """A match in progress, of a game whose position holds ``asked`` and ``over``.

    A game's state inherits from its position first and from this second, and names the
    functions that do the rest::

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
        """Make an empty table.

        ruleset: the result of ``compile_rules`` for a rules map.
        """

    def pending(self) -> Pending:
        """Return the open decision of each asked seat, as ``State`` asks; the same
        frozen mapping until the next ``apply``.
        """
        return self.asked

    @property
    def is_over(self) -> bool:
        """True if no decision is left."""
        return self.over

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes that pickles and deep copies are made of. A frozen
        mapping cannot be pickled as it is.
        """
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
    """The part of ``variants.py`` that the adapter needs."""

    @property
    def VARIANTS(self) -> Mapping[str, str]:
        """The value of ``Game.variants``."""

    @property
    def SAMPLES(self) -> Sequence[Mapping[str, Plain]]:
        """The value of ``Game.samples``."""

    def canonical(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the canonical rules map, as ``Game.rules`` does."""

    def compile_rules(self, rules: Mapping[str, Plain]) -> Any:
        """Return a canonical rules map in the form that the engine reads."""


class RulesFile(Protocol[TakenState]):
    """The part of ``rules.py`` that the adapter needs."""

    def set_up(self, pos: TakenState) -> list[Event]:
        """Deal and lay out an empty table; return the events of the opening."""


class NotationFile(Protocol[TakenState]):
    """The part of ``notation.py`` that the adapter needs."""

    @property
    def LINES(self) -> Mapping[str, Line]:
        """The functions that make the line of an event for ``Game.narrate``, by type of
        event.
        """

    def choice(self, kind: str, entry: Sequence[Plain], view: Mapping[str, Plain]) -> str:
        """Return an entry of ``legal`` in words, as ``Game.choice`` does."""

    def sketch(self, pos: TakenState, names: Sequence[str]) -> str:
        """Return the whole state as text, as ``Game.sketch`` does."""


class AdaptedGame(Game, Generic[AnyState]):
    """A game made of the files of its folder. Its class names the files, beside the
    constants of ``Game``.

    state: the class of its states.
    variants_file: ``variants.py``.
    rules_file: ``rules.py``.
    notation_file: ``notation.py``.

    The folder has ``worlds.py`` beside them, which is imported once somebody asks for a
    world.
    """

    state: type[AnyState]
    variants_file: VariantsFile
    rules_file: RulesFile[AnyState]
    notation_file: NotationFile[AnyState]

    @property
    def variants(self) -> Mapping[str, str]:
        """The possible values of each rule, see ``Game.variants``."""
        return self.variants_file.VARIANTS

    @property
    def samples(self) -> Sequence[Mapping[str, Plain]]:
        """Rules maps that a check plays beside the default, see ``Game.samples``."""
        return self.variants_file.SAMPLES

    def rules(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the canonical rules map, as ``Game.rules`` says."""
        return self.variants_file.canonical(given)

    def new(
        self, seats: int, rules: Mapping[str, Plain], secret: bytes
    ) -> tuple[AnyState, list[Event]]:
        """Set up a match, as ``Game.new`` says."""
        self.check_seats(seats)
        state = self.state(seats, self.variants_file.compile_rules(rules), secret)
        return state, self.rules_file.set_up(state)

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        """Return one line of text for an event, as ``Game.narrate`` says."""
        return self.notation_file.LINES[event.data["type"]](event.data, names)

    def sketch(self, state: State, names: Sequence[str]) -> str:
        """Return the whole state as text for people, as ``Game.sketch`` says. Raises
        TypeError for a state of another game.
        """
        if not isinstance(state, self.state):
            raise TypeError(f"sketch takes a state of {self.title}, not {type(state).__name__}")
        return self.notation_file.sketch(state, names)

    def choice(self, kind: str, entry: Sequence[Plain], view: Mapping[str, Plain]) -> str:
        """Return an entry of ``legal`` in words, for a person who is asked."""
        return self.notation_file.choice(kind, entry, view)

    def determinise(
        self, view: Mapping[str, Plain], rules: Mapping[str, Plain], stream: Stream
    ) -> AnyState:
        """Return a state in which the seat of ``view`` has exactly this view, as
        ``Game.determinise`` says.
        """
        worlds = import_module(
            f"{self.state.__module__.rpartition('.')[0]}.worlds"
        )  # not above: a match needs no worlds
        state: AnyState = worlds.determinise(
            view, self.variants_file.compile_rules(rules), stream, self.state
        )
        return state
