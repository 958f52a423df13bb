"""The public contract between a game and the arbiter, the replayer and the bots that
search.

A game knows no clock, no process and no global randomness. It reads no file but data of
its own folder, at import. All its chance comes from ``rng.Stream`` of the match's
secret. So a secret and a list of choices are a whole match, which anybody can replay.

A choice is an index into a list, so that one way of answering serves every game, and a
record is a list of small integers.

Plain values (``Plain``) can be sent to a bot: None, bool, int with magnitude at most
2**53 - 1, str, list, dict with str keys.
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
    """The question that one seat has to answer, with an index into ``legal``. Index 0
    is the default that a failing seat gets.

    kind: name of the decision, as in the table of the game's RULES.md.
    legal: at least two entries, each a plain list, in an order that depends only on
        facts which the seat may know. An entry shows no chance that no event has told
        the seat.
    """

    kind: str
    legal: Sequence[list[Plain]]


Pending = Mapping[int, Decision]
"""The decision of each seat that is asked. Several seats answer simultaneously and in
secret.
"""
NOBODY: Pending = MappingProxyType({})
"""The ``Pending`` in which nobody is asked anything."""


class Event(NamedTuple):
    """A public or private occurrence in a match. A game may make an event once and
    share it: read ``data``, never change it.

    data: the facts, with the kind of event under "type".
    to: the seats that may see the event, None for everybody.
    """

    data: dict[str, Plain]
    to: tuple[int, ...] | None = None


def seen_by(events: Sequence[Event], seat: int) -> list[dict[str, Plain]]:
    """Return the data of the events that one seat may see, in order."""
    return [event.data for event in events if event.to is None or seat in event.to]


EventFields = Mapping[str, Mapping[str, Any]]
"""The types of an event's fields: by type of event, then by name of the field."""


class Shapes(NamedTuple):
    """The types of the values that a game sends to bots, for ``games/schema.py``; as
    strict as they can be.

    view: a TypedDict.
    decisions: by kind, the types that an entry of ``legal`` may have, each a tuple.
    events: TypedDicts, each with a Literal "type", in the order of RULES.md.
    """

    view: Any
    decisions: Mapping[str, Sequence[Any]]
    events: Sequence[Any]


def event_shapes(events: EventFields) -> tuple[Any, ...]:
    """Return a TypedDict for each type of event, made from the fields of that type."""
    typed_dict: Any = TypedDict  # mypy wants the fields of a TypedDict spelled out
    return tuple(
        typed_dict(kind, {"type": Literal[kind], **fields}) for kind, fields in events.items()
    )


class SeatPoints(NamedTuple):
    """The points of one seat by source. A source has a name in plain words, which
    people read: "teapots", "gems".

    counted: the points of each source, in the order in which the rules name them. Their
        sum is the score of the seat.
    uncounted: the points of pieces that the seat holds and that count nothing as the
        match stands.
    """

    counted: dict[str, int]
    uncounted: dict[str, int]


def check_choices(asked: Pending, choices: Mapping[int, int]) -> None:
    """Raise IllegalChoice unless each asked seat, and no other seat, has an index into
    its ``legal``, or if nobody is asked.
    """
    if not asked:
        raise IllegalChoice("the match is over")
    if len(choices) != len(asked):
        raise IllegalChoice(f"choices for seats {list(choices)}, but asked are {list(asked)}")
    for seat, decision in asked.items():
        choice = choices.get(seat)
        if type(choice) is not int or not 0 <= choice < len(decision.legal):
            raise IllegalChoice(
                f"seat {seat}: {choice!r} is not an index into the {len(decision.legal)} "
                f"entries of {decision.kind}"
            )


class State(ABC):
    """A match in progress, mutable, with ``clone`` for bots that search."""

    @abstractmethod
    def pending(self) -> Pending:
        """Return the open decision of each asked seat, in seat order; empty when the
        match is over.

        Several seats answer simultaneously and in secret. Calling this again is cheap
        and gives an equal result. A decision with one legal entry is never asked.
        """

    @abstractmethod
    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        """Play one choice for each pending seat, and return the events in order. All
        choices are checked before any is committed.

        The choices are committed in the order of the rules. Raises IllegalChoice, with
        nothing changed, unless the seats are exactly the pending ones and each choice
        is an index into its ``legal``.
        """

    def expect(self, steps: Sequence[Mapping[int, int]]) -> None:  # noqa: B027  most states are played in this process
        """Announce all the choices that a replay is about to apply, so that a game in
        another process may play them ahead.

        Until the last of these steps the caller reads only the asked seats, the number
        of their choices, ``is_over``, ``scores`` and ``ranks``.
        """

    @abstractmethod
    def view(self, seat: int) -> dict[str, Plain]:
        """Return all that a seat knows under perfect recall, as plain values, and
        nothing that no event has told it. The caller owns the result.
        """

    def public(self) -> dict[str, Plain]:
        """Return the part of a view that is equal for all seats: the keys in their
        order, with None for the keys of ``private``.

        ``private`` laid over ``public`` is the view, so the public part is made once
        for all seats that are asked at a time. A game that mostly asks one seat at a
        time gains nothing, and keeps these defaults: nothing is public, the whole view
        is private. The caller owns the result.
        """
        return {}

    def private(self, seat: int) -> dict[str, Plain]:
        """Return the keys of a seat's view that ``public`` leaves as None. The caller
        owns the result.
        """
        return self.view(seat)

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """True if no decision is left."""

    @property
    @abstractmethod
    def scores(self) -> list[int]:
        """Points of each seat as the match stands, defined at every moment."""

    @property
    def points_by_source(self) -> list[SeatPoints] | None:
        """Where the points of each seat come from as the match stands; None for a game
        that does not say.

        Every seat has the same sources in the same order, at every moment of every
        match under the same rules.
        """
        return None

    @property
    def ranks(self) -> list[int]:
        """Place of each seat as the match stands, 1 is best. Ties share a place and the
        next place is left out (1, 2, 2, 4). Unless a game overrides this, more points
        are better.
        """
        scores = self.scores
        return [1 + sum(other > score for other in scores) for score in scores]

    def components(self) -> dict[str, int]:
        """Return how many of each physical piece there are, wherever they lie: equal at
        every moment of a match.
        """
        return {}

    def clone(self) -> Self:
        """Return an independent copy that behaves equally for ever after."""
        from copy import deepcopy  # not above: games for search have a faster clone

        return deepcopy(self)


class Game(ABC):
    """A game's constants and its factory of matches. ``games/registry.py`` lists the
    games that come with the arena.
    """

    name: str
    title: str
    rules_version: str
    seats: Sequence[int]
    """The numbers of seats that the game can be played with, rising."""
    outside: ClassVar[bool] = False
    """True if the code of the game does not come with the arena: each call may then
    take its time, and raise GameFault.
    """

    @property
    def word(self) -> str:
        """The word that names the game on a command line."""
        return self.name

    @property
    def variants(self) -> Mapping[str, str]:
        """The possible values of each key of the rules map, in words for people."""
        return {}

    @property
    def samples(self) -> Sequence[Mapping[str, Plain]]:
        """Rules maps without the defaults, which show a bot what the default rules do
        not. A check plays these rules, too.
        """
        return ()

    @property
    def scenery(self) -> Mapping[str, Plain]:
        """The facts that a drawing of the table needs beside views and events: names of
        pieces and their printed values.
        """
        return {}

    def check_seats(self, seats: int) -> None:
        """Raise ConfigError if the game cannot be played with ``seats`` seats."""
        if seats not in self.seats:
            raise ConfigError(
                f"{self.title} is for {self.seats[0]} to {self.seats[-1]} seats, not {seats}"
            )

    def rules(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the canonical rules map: the defaults with ``given`` laid over them,
        for hashing into the record.

        The map is complete except for the keys that ``every_rule`` adds. Raises
        RulesError naming every unknown key, unknown variant and inconsistency. Unless a
        game overrides this, there is nothing to choose.
        """
        if given:
            raise RulesError([f"{key}: {self.title} has no such rule" for key in given])
        return {}

    def every_rule(self, rules: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return a map that ``self.rules`` made, completed by the rules that such a map
        leaves out.

        A rule that was added after the game was published stands in the map only if its
        value is not the default. So older records and ids of events do not change.
        """
        return dict(rules)

    def seats_of(self, rules: Mapping[str, Plain]) -> Sequence[int]:
        """Return the numbers of seats that the game can be played with under a map that
        ``self.rules`` made.
        """
        return self.seats

    @abstractmethod
    def new(
        self, seats: int, rules: Mapping[str, Plain], secret: bytes
    ) -> tuple[State, list[Event]]:
        """Set up a match, and return the state and the events of the opening.

        seats: how many seats play. Raises ConfigError for a number that the game lacks.
        rules: a map that ``self.rules`` made.
        secret: 32 bytes, from which all chance of the match comes.
        """

    def played(
        self, seats: int, rules: Mapping[str, Plain], secret: bytes
    ) -> tuple[State, list[Event]]:
        """Set up a match that is to be recorded, and return the state and the events of
        the opening, as ``new`` does.
        """
        return self.new(seats, rules, secret)

    def vet(self, seats: int, rules: Mapping[str, Plain]) -> None:  # noqa: B027  most games were tested when they were written
        """Look at the game before it is played. Raises GameFault if the game breaks the
        contract.
        """

    def determinise(
        self, view: Mapping[str, Plain], rules: Mapping[str, Plain], stream: "Stream"
    ) -> State:
        """Return a world for bots that search: a state in which the seat of ``view``
        has exactly this view and legal list.

        The facts that the seat cannot know are drawn from ``stream``. Every world that
        agrees with all the seat knows is equally likely, or near that as the rules of
        the game say, whatever the others' choices may say.

        rules: the complete map of the match, which is not over.

        Raises InternalError if the view fits no state, ConfigError if the game makes no
        worlds, OtherSeat for the view of another seat in a world, where the game does
        not draw what other seats remember.
        """
        raise ConfigError(f"{self.title} makes no worlds of views")

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        """Return one line of text for an event, for people; "" for an event that says
        nothing to them.

        names: by seat.
        """
        data = {key: value for key, value in event.data.items() if key not in ("type", "seat")}
        seat = event.data.get("seat")
        who = f"{names[seat]} " if type(seat) is int and 0 <= seat < len(names) else ""
        said = ", ".join(f"{key} {value}" for key, value in data.items()).replace("\n", " ")
        seen = (
            ""
            if event.to is None
            else f" (seen by {', '.join(names[one] for one in event.to) or 'nobody'})"
        )
        return f"{who}{str(event.data['type']).replace('_', ' ')}{': ' if said else ''}{said}{seen}"

    def choice(self, kind: str, entry: Sequence[Plain], view: Mapping[str, Plain]) -> str:
        """Return an entry of ``legal`` in words, for a person who is asked.

        view: the view of the asked seat.
        """
        return ", ".join(str(part).replace("_", " ") for part in entry)

    def points(self, view: Mapping[str, Plain]) -> list[int] | None:
        """Return ``State.scores`` counted from the view of one seat, or None if the
        rules hide something that scores depend on.
        """
        return None

    def sketch(self, state: State, names: Sequence[str]) -> str:
        """Return the whole state as text for people, hidden things included: for
        playthroughs and debugging, never for bots.
        """
        return "\n".join(
            f"{name}, {state.scores[seat]}: "
            f"{', '.join(f'{key} {value}' for key, value in state.view(seat).items())}"
            for seat, name in enumerate(names)
        )
