"""How likely a seat finishes ahead of the others, judged from a world in which all cards lie open.

Each seat has an outlook: a weighted sum of its points, its gems, what waits on the camels at each distance, and what its cards
promise. One seat finishes ahead of another with the chance 1 / (1 + e to the power of minus the difference of their outlooks).
The weights come from a logistic regression on who finished ahead in matches of ``search`` against itself, 12,000 for each number
of seats; tests/support/fit_outlook.py does such a regression.
"""

from collections.abc import Sequence
from typing import NamedTuple

from policy import appeal
from search import Table

from khiva_arena.games.khiva.tables import COLOUR, KEPT, WALKS


class Weights(NamedTuple):
    """What counts how much in one phase of a match, in hundredths.

    points: of a point; of a gem beside that; of each of the first three gems beside that.
    """

    points: tuple[int, int, int]
    load: tuple[int, ...]
    """Of a point of teapot on a camel that is 1, 2, ... 5, 6 or more free places from the seat's outpost."""
    carpets: tuple[int, ...]
    """Of a point of the seat's carpets of that camel's colour, by the same distance."""
    hand: tuple[tuple[int, int, int], ...]
    """By turns left in the deal: of what a card promises if it wins its camel; and how much more that counts if none of the cards
    that others hold beats it; or if one does."""


SOON = (2.0, 5.0)
"""Turns left at which a match is in its first row of weights (fewer), in the second, or else in the third."""
WEIGHTS = {
    2: (
        Weights((34, -1, 15), (2, 6, 1, -1, -2, -3), (10, 10, 8, 8, 3, 5), ((0, 7, 5), (8, 11, -2), (4, 8, 2))),
        Weights((26, 7, 4), (2, 3, 0, 0, -1, -1), (13, 12, 12, 11, 12, 11), ((1, 5, 2), (4, 6, -2), (2, 7, 2))),
        Weights((19, 7, 6), (1, 2, 0, -1, -1, 0), (12, 12, 12, 13, 13, 13), ((-2, 6, 5), (3, 5, 0), (1, 5, 2))),
    ),
    3: (
        Weights((49, -2, 13), (6, 5, 0, 0, -1, -3), (6, 8, 10, 5, 2, 1), ((18, -3, -7), (15, 16, 1), (18, 8, 1), (14, 8, 3))),
        Weights((35, 0, 13), (4, 4, 1, 0, -1, -2), (11, 9, 9, 8, 6, 5), ((11, 0, -3), (6, 13, 5), (13, 7, 2), (11, 7, 4))),
        Weights((23, 2, 13), (2, 2, 1, 0, -1, -1), (10, 10, 9, 9, 8, 9), ((5, 1, -2), (5, 6, 1), (5, 5, 2), (5, 5, 3))),
    ),
    4: (
        Weights((48, -1, 10), (-1, 4, 2, 1, -1, -3), (14, 10, 7, 1, 4, 0), ((11, -1, -1), (14, 15, 8), (10, 9, 6), (8, 8, 5))),
        Weights((38, 0, 12), (5, 4, 1, 0, -1, -2), (12, 11, 7, 5, 5, 4), ((8, 2, 1), (9, 14, 4), (8, 9, 4), (8, 8, 4))),
        Weights((25, -1, 15), (2, 2, 0, 0, -1, -1), (11, 10, 9, 7, 6, 7), ((3, 3, 2), (5, 8, 2), (5, 7, 3), (6, 4, 3))),
    ),
    5: (
        Weights((48, -2, 12), (8, 8, 0, 1, -1, -2), (7, 10, 9, 4, 4, 1), ((4, 8, 8), (13, 18, 4), (9, 9, 3), (10, 8, 6))),
        Weights((39, -1, 11), (4, 5, 1, 0, -1, -1), (17, 11, 8, 6, 4, 4), ((5, 7, 5), (7, 15, 3), (9, 11, 4), (9, 7, 4))),
        Weights((26, -2, 15), (3, 3, 0, 0, -1, -1), (10, 9, 7, 5, 5, 6), ((4, 2, 1), (5, 9, 2), (6, 7, 3), (6, 5, 3))),
    ),
}
TEAPOTS = {2: 1.55, 3: 1.05, 4: 1.05, 5: 1.05}
CARPETS = {2: 0.95, 3: 0.8, 4: 0.8, 5: 0.8}
"""How many leave their pile in a turn, roughly."""
FAR = 6
FEW_GEMS = 3
# As bits: the places ahead of a camel, by seat and place; the cards that beat a card.
AHEAD = [[sum(1 << ahead for ahead in walk) for walk in walks] for walks in WALKS["skip"]]
BEATEN_BY = [sum(1 << other for other in range(25) if COLOUR[other] == COLOUR[card] and other > card) for card in range(25)]


class Outlook:
    """A world at the end of a turn."""

    def __init__(self, world) -> None:
        self.world, self.seats = world, range(world.seats)
        self.over = world.is_over
        if self.over:
            return
        phase = sum(_turns_left(world) >= soon for soon in SOON)
        self.weights = WEIGHTS[world.seats][phase]
        self._table = Table(world)
        occupied = sum(1 << place for place in set(world.camels))
        scores = world.scores
        self._open_part = [self._open(seat, scores[seat], occupied) for seat in self.seats]
        self._promises: dict[tuple[int, int], float] = {}

    def _open(self, seat: int, score: int, occupied: int) -> float:
        """What all can see, without cards."""
        weights, gems, ahead = self.weights, self.world.gems[seat], AHEAD[seat]
        total = weights.points[0] * score + weights.points[1] * gems + weights.points[2] * min(gems, FEW_GEMS)
        for camel, place in enumerate(self.world.camels):
            far = min(FAR, max(1, (ahead[place] & ~occupied).bit_count())) - 1
            load = self.world.loads[camel]
            total += weights.load[far] * load + weights.carpets[far] * (self._table.cargo[seat][camel] - load)
        return float(total)

    def seat(self, seat: int, hands: Sequence[Sequence[int]]) -> float:
        """The outlook of a seat, if all seats hold these cards."""
        every, free, once = self.weights.hand[len(hands[seat]) // KEPT[len(hands)] - 1]
        held = sum(1 << card for other, cards in enumerate(hands) if other != seat for card in cards)
        total = self._open_part[seat]
        for card in hands[seat]:
            promise = self._promises.get((seat, card))
            if promise is None:
                promise = self._promises[seat, card] = self._table.promise(seat, card)
            beaten = (held & BEATEN_BY[card]).bit_count()
            total += promise * (every + free if not beaten else every + once if beaten == 1 else every)
        return total

    def chance(self, me: int, outlooks: Sequence[float]) -> float:
        """How likely this seat finishes ahead of another one, on average over the others."""
        total = 0.0
        for other in self.seats:
            if other != me:
                total += 1.0 / (1.0 + appeal((outlooks[other] - outlooks[me]) / 50.0))
        return total / (len(self.seats) - 1)

    def result(self, me: int) -> float:
        """The same of a match that is over: the share of the others that this seat finished ahead of."""
        ranks = self.world.ranks
        ahead = sum((ranks[me] < rank) + 0.5 * (ranks[me] == rank) for seat, rank in enumerate(ranks) if seat != me)
        return ahead / (len(ranks) - 1)


def _turns_left(world) -> float:
    """About how many turns a match has left."""
    seats = world.seats
    return min(len(world.teapot_pile) / TEAPOTS[seats], len(world.carpet_pile) / CARPETS[seats])
