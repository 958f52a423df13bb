"""A moment of a match as OpenSpiel has it: the deal's number while it is drawn, then the match and the choices made in a step."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Self

from khiva_arena.env.coded_game import CodedGame
from khiva_arena.env.deals import numbered
from khiva_arena.errors import InternalError
from khiva_arena.games.base import Event, State, seen_by
from khiva_arena.rng import Stream

DEALS = 1024
"""Outcomes of a chance node."""
DIGITS = 2
"""Chance nodes before a match."""
NOTHING = b""
UNKNOWN = b"unknown"
"""The past of other seats in a world that was made for one seat."""
WORLDS_MOST = 1_000
"""Draws for one in which the same seats are asked."""


class Moment:
    """Copied when OpenSpiel copies a state, pickled when it serialises one.

    state: None before the deal.
    """

    def __init__(self) -> None:
        self.digits: tuple[int, ...] = ()
        self.state: State | None = None
        self.chosen: dict[int, int] = {}
        """By seat, its choice in the step that is not complete yet."""
        self._events: list[Event] = []
        self._read: dict[int, tuple[int, bytes]] = {}
        """By seat: how many events are in the digest of all that it has seen, and that digest."""

    def __deepcopy__(self, _: object) -> Self:
        new = type(self)()
        new.digits = self.digits
        new.state = self.state.clone() if self.state else None
        new.chosen = dict(self.chosen)
        new._events = self._events[:]
        new._read = dict(self._read)
        return new

    def draw(self, table: CodedGame, digit: int) -> None:
        """One more digit of the deal's number; after the last the match begins."""
        self.digits += (digit,)
        if len(self.digits) == DIGITS:
            deal = sum(digit * DEALS**i for i, digit in enumerate(self.digits))
            self.state, self._events = table.game.new(table.seats, table.rules, numbered(deal))

    def apply(self, choices: Mapping[int, int]) -> None:
        """A whole step."""
        assert self.state is not None
        self._events += self.state.apply(choices)
        self.chosen = {}

    def text(self, seat: int, public: bool, private: bool, recall: bool) -> str:
        """What a seat sees: its view, who chooses, its own choice if others still choose, and with ``recall`` all that it has
        ever seen."""
        if self.state is None:
            return "no deal yet"
        seen = self.state.public() if public else {}
        if private:
            seen = {**seen, **self.state.private(seat)}
        parts = [json.dumps(seen, separators=(",", ":"))]
        if public:
            parts.append(f"chosen {len(self.chosen)} of {len(self.state.pending())}")
        if private and seat in self.chosen:
            parts.append(f"own choice {self.chosen[seat]}")
        if recall:
            parts.append(f"past {self._past(seat).hex()}")
        return "; ".join(parts)

    def _past(self, seat: int) -> bytes:
        """A digest of all events that the seat has seen; its own choices are among them."""
        count, digest = self._read.get(seat, (0, NOTHING))
        if count < len(self._events):
            for data in seen_by(self._events[count:], seat):
                digest = sha256(digest + json.dumps(data).encode()).digest()[:16]
            self._read[seat] = len(self._events), digest
        return digest

    def world(self, table: CodedGame, seat: int, stream: Stream) -> "Moment":
        """Another moment that looks the same to this seat: what it cannot know is drawn again. In this form everybody sees who is
        asked, of which a view of the game says nothing: a world in which others would be asked is not one.

        Raises InternalError if none of many is.
        """
        new = type(self)()
        new.digits = self.digits
        if self.state is None:
            return new
        asked, view = self.state.pending().keys(), self.state.view(seat)
        for _ in range(WORLDS_MOST):
            new.state = table.game.determinise(view, table.rules, stream)
            pending = new.state.pending()
            if pending.keys() == asked:
                break
        else:
            raise InternalError(f"none of {WORLDS_MOST} worlds of {table.game.title} asks the seats that are asked")
        new.chosen = {other: stream.below(len(pending[other].legal)) for other in self.chosen}
        if seat in self.chosen:
            new.chosen[seat] = self.chosen[seat]
        new._read = dict.fromkeys(range(table.seats), (0, UNKNOWN)) | {seat: (0, self._past(seat))}
        return new
