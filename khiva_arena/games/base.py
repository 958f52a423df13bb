"""What every game offers: the contract between a game and the arbiter, the replayer and the bots that search.

A game knows no clock, process or global randomness, and no file but data of its own folder, read at import. Its chance comes
from ``rng.Stream`` of the match's secret.

Plain values (``Plain``) are what a bot can receive: None, bool, int with magnitude at most 2**53 - 1, str, list, dict with
str keys.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypedDict

from khiva_arena.errors import ConfigError, IllegalChoice, RulesError

if TYPE_CHECKING:
    from khiva_arena.rng import Stream

Plain = Any


class Decision(NamedTuple):
    """What one seat is asked. A choice is an index into ``legal``; index 0 is the default a failing seat gets.

    kind: name of the decision, as in the table of the game's RULES.md.
    legal: at least two entries, each a plain list, in an order that depends only on what the seat may know; nothing
        of chance in them that no event has told it of.
    """

    kind: str
    legal: Sequence[list[Plain]]


Pending = Mapping[int, Decision]
"""By seat that is asked, its decision; more than one seat answers simultaneously and in secret."""
NOBODY: Pending = MappingProxyType({})
"""Nobody is asked anything."""


class Event(NamedTuple):
    """Something that happened. A game may make an event once and share it: ``data`` is to be read, never changed.

    data: what happened; it has a "type".
    to: the seats that may see it, None for everybody.
    """

    data: dict[str, Plain]
    to: tuple[int, ...] | None = None


def seen_by(events: Sequence[Event], seat: int) -> list[dict[str, Plain]]:
    """What one seat sees of these events."""
    return [event.data for event in events if event.to is None or seat in event.to]


EventFields = Mapping[str, Mapping[str, Any]]
"""By type of event and name of a field, what it holds: types."""


class Shapes(NamedTuple):
    """The types of what a game's bots get, for ``games/schema.py``; as strict as they can be.

    view: a TypedDict.
    decisions: by kind, the types that an entry of ``legal`` may have, each a tuple.
    events: TypedDicts, each with a Literal "type", in the order of RULES.md.
    """

    view: Any
    decisions: Mapping[str, Sequence[Any]]
    events: Sequence[Any]


def event_shapes(events: EventFields) -> tuple[Any, ...]:
    """The shapes of events from the fields that each type of them has."""
    typed_dict: Any = TypedDict  # mypy takes none whose fields are not spelled out there
    return tuple(typed_dict(kind, {"type": Literal[kind], **fields}) for kind, fields in events.items())


def check_choices(asked: Pending, choices: Mapping[int, int]) -> None:
    """Raises IllegalChoice unless there is an index into ``legal`` for each asked seat and for no other."""
    if not asked:
        raise IllegalChoice("the match is over")
    if len(choices) != len(asked):
        raise IllegalChoice(f"choices for seats {list(choices)}, but asked are {list(asked)}")
    for seat, decision in asked.items():
        choice = choices.get(seat)
        if type(choice) is not int or not 0 <= choice < len(decision.legal):
            raise IllegalChoice(
                f"seat {seat}: {choice!r} is not an index into the {len(decision.legal)} entries of {decision.kind}"
            )


class State(ABC):
    """A match in progress, mutable, with ``clone`` for bots that search."""

    @abstractmethod
    def pending(self) -> Pending:
        """Who is asked what, in seat order. More than one seat: simultaneous and secret. Empty when the match is over.

        Idempotent and cheap to call again. A decision with one legal entry is never asked.
        """

    @abstractmethod
    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        """Play one choice for each pending seat: all checked first, then committed in the rules' order.

        Returns what happened, in order. Raises IllegalChoice, with nothing changed, unless the seats are exactly the
        pending ones and each choice is an index into its ``legal``.
        """

    def expect(self, steps: Sequence[Mapping[int, int]]) -> None:  # noqa: B027  most states are played in this process
        """These choices are all that will be played from here on, and nothing is looked at meanwhile but who is asked, with how
        many choices, and how it stands: a state that is played elsewhere can be played ahead."""

    @abstractmethod
    def view(self, seat: int) -> dict[str, Plain]:
        """All that this seat knows under perfect recall, and nothing that no event has told it of, as plain values. The caller
        owns the result."""

    def public(self) -> dict[str, Plain]:
        """What every seat knows: the keys of a view in its order, and None in those that ``private`` has. The caller owns it.

        ``private`` laid over it is the view, so it is made once for all seats that are asked at a time. A game that mostly asks
        one seat at a time gains nothing by it, and leaves both as they are: nothing is public, and all of a view is private.
        """
        return {}

    def private(self, seat: int) -> dict[str, Plain]:
        """The keys of a seat's view that ``public`` leaves to it. The caller owns them."""
        return self.view(seat)

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """No decision is left."""

    @property
    @abstractmethod
    def scores(self) -> list[int]:
        """Points by seat as they stand, defined at every moment."""

    @property
    def ranks(self) -> list[int]:
        """Place by seat as it stands, 1 is best; ties share a place and the next one is left out (1, 2, 2, 4). Unless a game says
        otherwise, more points are better."""
        scores = self.scores
        return [1 + sum(other > score for other in scores) for score in scores]

    def components(self) -> dict[str, int]:
        """How many of each physical piece there are, wherever they lie: equal at every moment of a match."""
        return {}

    def clone(self) -> Self:
        """An independent copy that behaves equally for ever after."""
        from copy import deepcopy  # not above: games that are searched have a faster one

        return deepcopy(self)


class Game(ABC):
    """One game: constants and a factory. ``games/registry.py`` lists those that come with the arena."""

    name: str
    title: str
    rules_version: str
    seats: Sequence[int]
    """The seat counts it can be played with, rising."""
    outside: ClassVar[bool] = False
    """Whether its code does not come with the arena: each call may then take its time, and raise GameFault."""

    @property
    def word(self) -> str:
        """What names it on a command line."""
        return self.name

    @property
    def variants(self) -> Mapping[str, str]:
        """By key of the rules map, for people: what it can be."""
        return {}

    @property
    def samples(self) -> Sequence[Mapping[str, Plain]]:
        """Rules maps, without the defaults, that show a bot what the default rules do not: a check plays them, too."""
        return ()

    @property
    def scenery(self) -> Mapping[str, Plain]:
        """What a drawing of the table needs beside views and events: names of pieces and what is printed on them."""
        return {}

    def check_seats(self, seats: int) -> None:
        """Raises ConfigError on a seat count the game lacks."""
        if seats not in self.seats:
            raise ConfigError(f"{self.title} is for {self.seats[0]} to {self.seats[-1]} seats, not {seats}")

    def rules(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """The rules map: defaults with ``given`` laid over them, canonical, for hashing into the record. Whole except for
        what ``every_rule`` adds.

        Raises RulesError naming every unknown key, unknown variant and inconsistency. Unless a game says otherwise, there is
        nothing to choose.
        """
        if given:
            raise RulesError([f"{key}: {self.title} has no such rule" for key in given])
        return {}

    def every_rule(self, rules: Mapping[str, Plain]) -> dict[str, Plain]:
        """A map that ``self.rules`` made, with the rules that it leaves out: those that came after the game was published stand
        in it only with another value than their default, so that older records and ids of events do not change."""
        return dict(rules)

    def seats_of(self, rules: Mapping[str, Plain]) -> Sequence[int]:
        """The seat counts that it can be played with under a map that ``self.rules`` made."""
        return self.seats

    @abstractmethod
    def new(self, seats: int, rules: Mapping[str, Plain], secret: bytes) -> tuple[State, list[Event]]:
        """Set up a match. ``rules`` comes from ``self.rules``; ``secret`` is 32 bytes. Returns the state and the opening.

        Raises ConfigError on a seat count the game lacks.
        """

    def played(self, seats: int, rules: Mapping[str, Plain], secret: bytes) -> tuple[State, list[Event]]:
        """The same, of a match that is to be recorded."""
        return self.new(seats, rules, secret)

    def vet(self, seats: int, rules: Mapping[str, Plain]) -> None:  # noqa: B027  most games were tested when they were written
        """Look at a game before it is played. Raises GameFault if it breaks the contract."""

    def determinise(self, view: Mapping[str, Plain], rules: Mapping[str, Plain], stream: "Stream") -> State:
        """A world for bots that search: a state in which the seat of ``view`` would have exactly this view and legal list. What
        the seat cannot know is drawn from ``stream``, everything that is possible under all it knows equally likely, whatever the
        others' choices may say. ``rules`` is the whole map of the match, which is not over.

        Raises InternalError if the view fits no state, ConfigError if the game makes no worlds.
        """
        raise ConfigError(f"{self.title} makes no worlds of views")

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        """One line of text for an event, for people, "" for one that says nothing to them. ``names`` by seat."""
        data = {key: value for key, value in event.data.items() if key not in ("type", "seat")}
        seat = event.data.get("seat")
        who = f"{names[seat]} " if type(seat) is int and 0 <= seat < len(names) else ""
        said = ", ".join(f"{key} {value}" for key, value in data.items()).replace("\n", " ")
        seen = "" if event.to is None else f" (seen by {', '.join(names[one] for one in event.to) or 'nobody'})"
        return f"{who}{str(event.data['type']).replace('_', ' ')}{': ' if said else ''}{said}{seen}"

    def choice(self, kind: str, entry: Sequence[Plain], view: Mapping[str, Plain]) -> str:
        """An entry of ``legal`` in words, for a person who is asked. ``view``: of that seat."""
        return ", ".join(str(part).replace("_", " ") for part in entry)

    def points(self, view: Mapping[str, Plain]) -> list[int] | None:
        """Points by seat as they stand, if a seat can count all of them from its view: ``State.scores``. None if the rules hide
        something that they hang on."""
        return None

    def sketch(self, state: State, names: Sequence[str]) -> str:
        """The whole state as text for people, hidden things included: for playthroughs and debugging, never for bots."""
        return "\n".join(
            f"{name}, {state.scores[seat]}: {', '.join(f'{key} {value}' for key, value in state.view(seat).items())}"
            for seat, name in enumerate(names)
        )
