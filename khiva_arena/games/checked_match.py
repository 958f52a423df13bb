"""A match of any game that the checks of the contract play at random."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from khiva_arena.games.base import Event, Game, Plain, State
from khiva_arena.rng import Stream

CONTAINERS = (list, dict)
MOST_STEPS = 20_000
"""Calls of ``apply`` that a match may take, at most."""
Choices = dict[int, int]
Picture = tuple[Any, ...]
More = Callable[[float], bool]
"""A test whether less than a share of the time for a look is used up."""


def always(share: float) -> bool:
    return True


class NonConforming(AssertionError):
    """A game that breaks its contract.

    point: the broken point.
    where: the match that shows it.
    """

    def __init__(self, point: str, where: str) -> None:
        self.point, self.where = point, where
        super().__init__(f"{point} ({where})")


@dataclass
class CheckedMatch:
    """A match under check, and the words to print when a point fails.

    game: under check.
    seats: how many there are.
    rules: a whole rules map.
    secret: of the match, 32 bytes.
    """

    game: Game
    seats: int
    rules: dict[str, Plain]
    secret: bytes
    stream: Stream
    """The stream of the checker's own choices."""
    more: More = always
    short: list[str] = field(default_factory=list)
    """The parts that were not looked at as a whole, see ``Findings``."""
    sources: list[str] | None = None
    """The sources of points, once a state has been looked at; none of a game that does
    not say.
    """

    def fail(self, point: str) -> NonConforming:
        where = (
            f"{self.game.name}, {self.seats} seats, secret {self.secret.hex()}, rules {self.rules}"
        )
        return NonConforming(point, where)

    def want(self, holds: bool, point: str) -> None:
        if not holds:
            raise self.fail(point)

    def new(self) -> tuple[State, list[Event]]:
        return self.game.new(self.seats, self.rules, self.secret)

    def random_choices(self, state: State) -> Choices:
        return {
            seat: self.stream.below(len(decision.legal))
            for seat, decision in state.pending().items()
        }

    def picture(self, state: State) -> Picture:
        """Return everything of a state that can be seen from outside."""
        views = [state.view(seat) for seat in range(self.seats)]
        text = self.game.sketch(state, self.names)
        standing = state.is_over, state.scores, state.ranks, state.points_by_source
        return views, text, state.components(), dict(state.pending()), *standing

    @property
    def names(self) -> list[str]:
        return [f"Seat {seat}" for seat in range(self.seats)]


def refuses(call: Callable[[], object], error: type[Exception]) -> bool:
    """Tell whether a call raises just this error. Any other error comes from a fault
    that was not looked for.
    """
    try:
        call()
    except error:
        return True
    except Exception:
        return False
    return False
