"""The cards of a match as a seat saw them go, from the history of its view."""

from collections.abc import Mapping
from typing import NamedTuple

from khiva_arena.games.base import Plain
from khiva_arena.games.silk_road.tables import DECK, FIRST_HAND, GOODS

SEAT_CODES, GIVEN, BLIND, TURNED_UP, RESHUFFLE = 20, 5, 10, 100, 105
"""Codes of ``history.cards`` (see ``cards.py``)."""
NUMBER_OF_GOODS = len(GOODS)
LARGE = 1000


class Trail(NamedTuple):
    """The cards of a match as a seat saw them go.

    seats: how many there are.
    piles: for each pile, the cards that this seat did not see leave it.
    """

    seats: int
    piles: tuple[tuple[int, ...], ...]
    slots: tuple[tuple[int, int], ...]
    """(seat, pile) of each slot, in order."""
    steps: tuple[tuple[int, int], ...]
    """(seat, change of its hand), in order: the number of a slot; -1 - good: a card
    given; LARGE + good: a card taken.
    """
    asked: tuple[int, int, int]
    """(seat, least number of different goods, good) that the open question says of a
    hand: -1 for nothing.
    """

    def steps_of(self, seat: int) -> list[int]:
        """Return the changes of a seat's hand."""
        return [step for owner, step in self.steps if owner == seat]


def trail(view: Mapping[str, Plain]) -> Trail:
    """Return the trail of the cards from the history of a view."""
    seats, me, history = view["seats"], view["seat"], view["history"]
    own_draws = iter(history["drawn"])
    piles = [
        [DECK.count(good) for good in range(NUMBER_OF_GOODS)],
        *([*counts] for counts in history["shuffles"]),
    ]
    now = 0
    slots: list[tuple[int, int]] = []
    steps: list[tuple[int, int]] = []

    def blind(seat: int) -> None:
        if seat == me:
            piles[now][next(own_draws)] -= 1
        else:
            steps.append((seat, len(slots)))
            slots.append((seat, now))

    for seat in range(seats):
        for _ in range(FIRST_HAND):
            blind(seat)
    for code in history["cards"]:
        if code == RESHUFFLE:
            now += 1
        elif code >= TURNED_UP:
            piles[now][code - TURNED_UP] -= 1
        else:
            seat, kind_code = divmod(code, SEAT_CODES)
            if kind_code == BLIND:
                blind(seat)
            elif seat != me:
                steps.append(
                    (seat, -1 - (kind_code - GIVEN) if kind_code >= GIVEN else LARGE + kind_code)
                )
    piles_left = tuple(
        tuple(good for good in range(NUMBER_OF_GOODS) for _ in range(counts[good]))
        for counts in piles[: now + 1]
    )
    return Trail(seats, piles_left, tuple(slots), tuple(steps), _asked_seat(view))


def _asked_seat(view: Mapping[str, Plain]) -> tuple[int, int, int]:
    """Return the facts that all know of a hand because its seat has a choice."""
    ask = view["ask"]
    if ask["seat"] == view["seat"]:
        return -1, 0, -1
    return (
        ask["seat"],
        2 if ask["kind"] in ("customs", "pay") else 0,
        ask["good"] if ask["kind"] == "lay_out" else -1,
    )
