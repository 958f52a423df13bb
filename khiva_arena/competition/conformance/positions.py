"""Real positions of real games: one seat is the bot under check, all others choose at
random.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from khiva_arena.bots.protocol import messages
from khiva_arena.errors import InternalError
from khiva_arena.games.base import Event, Game
from khiva_arena.games.schema import shapes_of
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.rng import Stream

MATCHES_SEARCHED = 25
"""Matches for each seat count and rules map before a kind of decision is given up,
because no random match has come to it.
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A seat of a match, which the bot under check has.

    game: the game that is played.
    seats: number of seats at the table.
    seat: the bot's, from 0.
    given: the rules that are not default.
    secret: of the deal, 32 bytes.
    """

    game: Game
    seats: int
    seat: int
    given: Mapping[str, Any]
    secret: bytes

    @property
    def match(self) -> str:
        """The match's id."""
        return f"check-{self.secret.hex()[:12]}"

    def __str__(self) -> str:
        rules = (
            f" with {', '.join(f'{key} = {value}' for key, value in self.given.items())}"
            if self.given
            else ""
        )
        return f"{self.game.name}, seat {self.seat} of {self.seats}{rules}"


@dataclass(frozen=True, slots=True)
class Question:
    """A decision of the bot's seat: a ``decide`` without ``req`` and times.

    kind: of decision.
    view: the seat's knowledge.
    events: seen since its last decision.
    legal: the choices.
    """

    kind: str
    view: dict[str, Any]
    events: list[dict[str, Any]]
    legal: Sequence[list[Any]]

    def message(self, req: int, turn_ms: int, bank_ms: int) -> dict[str, Any]:
        """Return the ``decide``, as a map that may be changed."""
        decide = messages.Decide(
            req, self.kind, turn_ms, bank_ms, self.view, self.events, list(self.legal)
        )
        return dict(msgspec.to_builtins(decide))


def place(
    game: Game, seats: int, seat: int, settings: Mapping[str, Any] | None = None, label: str = ""
) -> Place:
    """Return a match for the bot; equal arguments give an equal match."""
    secret = sha256(f"khiva-arena check {game.name} {seats} {seat} {label}".encode()).digest()
    return Place(game, seats, seat, settings or {}, secret)


def crowded(game: Game) -> int:
    """Return the smallest number of seats at which a match continues when one is out;
    the largest there is if none does.
    """
    return next((seats for seats in game.seats if seats > 2), game.seats[-1])


def hello_of(place: Place, limits: TimeLimits) -> dict[str, Any]:
    """Return the hello that the bot gets at a place, as a map that may be changed."""
    match = place.match
    hello = messages.Hello(
        protos=[messages.PROTOCOL],
        caps=[],
        game=place.game.name,
        rules=place.game.rules(place.given),
        rules_version=place.game.rules_version,
        match=match,
        seat=place.seat,
        seats=place.seats,
        seed=seeds.seat_number(place.secret, match, place.seat),
        time=messages.Time(limits.startup_ms, limits.turn_ms, limits.bank_ms),
        commit=seeds.commitment(match, place.secret),
    )
    return dict(msgspec.to_builtins(hello))


class CheckTable:
    """A match in progress. ``next`` plays the others on until the bot is asked,
    ``choose`` plays for the bot.
    """

    def __init__(self, where: Place) -> None:
        self.where = where
        self._state, events = where.game.new(
            where.seats, where.game.rules(where.given), where.secret
        )
        self._draws = Stream(where.secret, "check")
        self._unseen: list[dict[str, Any]] = []
        self._out: set[int] = set()
        self._see(events)

    def next(self) -> Question | None:
        """Return the question that the bot is asked now, None when the match is over.
        Asking again gives the same, without the events.
        """
        while pending := self._state.pending():
            mine = pending.get(self.where.seat)
            if mine is not None:
                events, self._unseen = self._unseen, []
                return Question(mine.kind, self._state.view(self.where.seat), events, mine.legal)
            self._apply({})
        return None

    def choose(self, choice: int) -> None:
        """Play the bot's choice, with random choices of the others in the same
        decision.
        """
        self._apply({self.where.seat: choice})

    def announce(self, event: dict[str, Any]) -> None:
        """Put one more event into the bot's next request."""
        self._unseen.append(event)

    def forfeit(self, seat: int) -> None:
        """Put another seat out, as if it had crashed: an event says so, and the default
        is played for that seat from now on.
        """
        self._out.add(seat)
        self.announce({"type": "forfeit", "seat": seat, "why": "crashed", "strikes": 0})

    def skip_to(self, kind: str) -> Question:
        """Play for the bot, too, until it is asked a decision of this kind. Raises
        InternalError if that never comes.
        """
        while pending := self._state.pending():
            mine = pending.get(self.where.seat)
            if mine is not None and mine.kind == kind:
                question = self.next()
                assert question is not None
                return question
            self._apply({})
        raise InternalError(f"{self.where}: no {kind} comes up")

    @property
    def over(self) -> bool:
        """True if the match has come to its end."""
        return self._state.is_over

    def end(self) -> messages.End:
        """Return the ``end`` message; all others are out unless the match is over."""
        return messages.End(
            "over" if self._state.is_over else "forfeits", self._state.ranks, self._state.scores
        )

    def _apply(self, choices: Mapping[int, int]) -> None:
        pending = self._state.pending()
        others = {
            seat: 0 if seat in self._out else self._draws.below(len(question.legal))
            for seat, question in pending.items()
        }
        self._see(self._state.apply(others | dict(choices)))

    def _see(self, events: Sequence[Event]) -> None:
        self._unseen += [
            event.data for event in events if event.to is None or self.where.seat in event.to
        ]


def kinds_of(game: Game) -> set[str]:
    """Return all kinds of decision that a game has, under any rules; none are known of
    a game that does not come with the arena.
    """
    if game.outside:
        return set()
    return set(shapes_of(game).decisions)


def decisions_of_a_match(game: Game) -> int:
    """Estimate how many decisions a seat has in a whole match.

    It is the number of the seat with most, in matches at random, with as few and as
    many seats as there may be.
    """
    counts = [
        Counter(seat for seat, _ in _asked_at_random(place(game, seats, 0)))
        for seats in (game.seats[0], game.seats[-1])
    ]
    return max(count for counted in counts for count in counted.values())


def find(game: Game, kinds: set[str]) -> dict[str, Place]:
    """Return, by kind of decision, a match and a seat in which the kind comes up, if
    random matches find one.
    """
    places: dict[str, Place] = {}
    for ordinal in range(MATCHES_SEARCHED):
        for settings in ({}, *game.samples):
            for seats in game.seats:
                if places.keys() >= kinds:
                    return places
                base = place(game, seats, 0, settings, f"search {ordinal}")
                for seat, kind in _asked_at_random(base):
                    if kind in kinds and kind not in places:
                        places[kind] = Place(game, seats, seat, settings, base.secret)
    return places


def _asked_at_random(place: Place) -> Iterator[tuple[int, str]]:
    """Yield the seat and the kind of every decision of a match as ``skip_to`` plays
    it.
    """
    state, _ = place.game.new(place.seats, place.game.rules(place.given), place.secret)
    stream = Stream(place.secret, "check")
    while pending := state.pending():
        for seat, decision in pending.items():
            yield seat, decision.kind
        state.apply({seat: stream.below(len(decision.legal)) for seat, decision in pending.items()})
