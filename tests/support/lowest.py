"""A small game in which all seats choose at each step: the lowest number that nobody
else chose brings a point.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from khiva_arena.env.coding import Coding
from khiva_arena.env.fields import each, number
from khiva_arena.errors import RulesError
from khiva_arena.games.base import (
    NOBODY,
    Decision,
    Event,
    Game,
    Pending,
    Plain,
    State,
    check_choices,
)

NUMBERS = 3
ASKED = Decision("number", tuple([n] for n in range(NUMBERS)))


class LowestState(State):
    def __init__(self, seats: int, rounds: int) -> None:
        self.left, self.points = rounds, [0] * seats

    def pending(self) -> Pending:
        return dict.fromkeys(range(len(self.points)), ASKED) if self.left else NOBODY

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        check_choices(self.pending(), choices)
        alone = [(n, seat) for seat, n in choices.items() if list(choices.values()).count(n) == 1]
        if alone:
            self.points[min(alone)[1]] += 1
        self.left -= 1
        return [Event({"type": "chosen", "numbers": [choices[seat] for seat in sorted(choices)]})]

    def view(self, seat: int) -> dict[str, Plain]:
        return {"seat": seat, "left": self.left, "points": self.points[:]}

    @property
    def is_over(self) -> bool:
        return not self.left

    @property
    def scores(self) -> list[int]:
        return self.points[:]

    @property
    def ranks(self) -> list[int]:
        return [1 + sum(other > own for other in self.points) for own in self.points]

    def components(self) -> dict[str, int]:
        return {}

    def clone(self) -> Self:
        new = type(self)(len(self.points), self.left)
        new.points = self.points[:]
        return new


class Lowest(Game):
    name, title, rules_version, seats = "lowest", "Lowest", "1", (2, 3, 4)
    variants: Mapping[str, str] = {"rounds": "how many"}  # type: ignore[assignment]

    def rules(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        if set(given) - {"rounds"}:
            raise RulesError("unknown rule")
        return {"rounds": 4, **given}

    def new(
        self, seats: int, rules: Mapping[str, Plain], secret: bytes
    ) -> tuple[State, list[Event]]:
        self.check_seats(seats)
        return LowestState(seats, rules["rounds"]), []

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        return str(event.data)

    def sketch(self, state: State, names: Sequence[str]) -> str:
        return str(state.scores)


def coding(seats: int, rounds: int) -> Coding:
    keys: dict[str, Any] = {
        "seat": number(seats),
        "left": number(rounds),
        "points": each(seats, number(rounds)),
    }
    return Coding(1, keys, {"number": [[n] for n in range(NUMBERS)]}, longest=rounds * seats)
