"""The position of a match for OpenSpiel: the digits of the deal, then the match and the
step's choices.
"""

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
"""The number of outcomes of a chance node."""
DIGITS = 2
"""The number of chance nodes before a match."""
PAST_BYTES = 16
"""The size of the digest of a seat's past."""
NOTHING = b""
UNKNOWN = b"unknown"
"""The past of other seats in a world that was made for one seat."""
WORLDS_MOST = 1_000
"""The number of draws, at most, for a world in which the same seats are asked."""


class Moment:
    """A position that is copied when OpenSpiel copies a state, and pickled when it
    serialises one.

    state: None before the deal.
    """

    def __init__(self) -> None:
        self.digits: tuple[int, ...] = ()
        self.state: State | None = None
        self.chosen: dict[int, int] = {}
        """The choices by seat in the step that is not complete yet."""
        self._events: list[Event] = []
        self._read: dict[int, tuple[int, bytes]] = {}
        """By seat, the number of events that its digest covers, and the digest of all
        that the seat has seen.
        """

    def __deepcopy__(self, _: object) -> Self:
        new = type(self)()
        new.digits = self.digits
        new.state = self.state.clone() if self.state else None
        new.chosen = dict(self.chosen)
        new._events = self._events[:]
        new._read = dict(self._read)
        return new

    def draw(self, table: CodedGame, digit: int) -> None:
        """Take one more digit of the deal's number; after the last digit begin the
        match.
        """
        self.digits += (digit,)
        if len(self.digits) == DIGITS:
            deal = sum(digit * DEALS**i for i, digit in enumerate(self.digits))
            self.state, self._events = table.game.new(table.seats, table.rules, numbered(deal))

    def apply(self, choices: Mapping[int, int]) -> None:
        """Apply the choices of a whole step."""
        assert self.state is not None
        self._events += self.state.apply(choices)
        self.chosen = {}

    def text(self, seat: int, public: bool, private: bool, recall: bool) -> str:
        """Return the knowledge of a seat as text: its view, who chooses, and its own
        choice if others still choose. ``recall``: also a digest of all events that the
        seat has seen.
        """
        if self.state is None:
            return "no deal yet"
        view = self.state.public() if public else {}
        if private:
            view = {**view, **self.state.private(seat)}
        parts = [json.dumps(view, separators=(",", ":"))]
        if public:
            parts.append(f"chosen {len(self.chosen)} of {len(self.state.pending())}")
        if private and seat in self.chosen:
            parts.append(f"own choice {self.chosen[seat]}")
        if recall:
            parts.append(f"past {self._past(seat).hex()}")
        return "; ".join(parts)

    def numbers(self, seat: int) -> list[int]:
        """Return what a seat knows beside its view, as numbers: how many have chosen,
        its own choice from 1, or 0, and the bytes of the digest of its past.
        """
        return [
            len(self.chosen),
            self.chosen.get(seat, -1) + 1,
            *self._past(seat).ljust(PAST_BYTES, b"\0"),
        ]

    def _past(self, seat: int) -> bytes:
        """Return a digest of all events that the seat has seen; its own choices are
        among them.
        """
        count, digest = self._read.get(seat, (0, NOTHING))
        if count < len(self._events):
            for data in seen_by(self._events[count:], seat):
                digest = sha256(digest + json.dumps(data).encode()).digest()[:PAST_BYTES]
            self._read[seat] = len(self._events), digest
        return digest

    def world(self, table: CodedGame, seat: int, stream: Stream) -> "Moment":
        """Return another moment that looks the same to this seat: its hidden part is
        drawn again. OpenSpiel shows everybody which seats are asked, which a view of
        the game does not, so worlds that ask other seats are rejected.

        Raises InternalError if none of WORLDS_MOST draws fits.
        """
        new = type(self)()
        new.digits = self.digits
        if self.state is None:
            return new
        seats_asked, view = self.state.pending().keys(), self.state.view(seat)
        for _ in range(WORLDS_MOST):
            new.state = table.game.determinise(view, table.rules, stream)
            pending = new.state.pending()
            if pending.keys() == seats_asked:
                break
        else:
            raise InternalError(
                f"none of {WORLDS_MOST} worlds of {table.game.title} asks the seats that are asked"
            )
        new.chosen = {
            opponent: stream.below(len(pending[opponent].legal)) for opponent in self.chosen
        }
        if seat in self.chosen:
            new.chosen[seat] = self.chosen[seat]
        new._read = dict.fromkeys(range(table.seats), (0, UNKNOWN)) | {seat: (0, self._past(seat))}
        return new
