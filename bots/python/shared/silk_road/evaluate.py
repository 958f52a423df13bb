"""What a Silk Road position is worth to a seat, in points: markets played out on paper, near ones counting more than far ones.

Goods and colours are 0..4, camels 1..10, as in the view; lists of caravans are by size, index size - 1.
"""

from collections.abc import Mapping, Sequence
from typing import Any

GOOD_OF = (-1, 3, 2, 1, 0, 4, 4, 0, 1, 2, 3)
COLOURLESS = (2.0, 2.0, 4.0)
"""By how many are held already: the third makes a marker of 8."""
CARD = 0.6
"""What a card is worth beyond the markets in sight."""
IN_HAND = 0.5
"""How much a card in hand counts towards the lead in its good; a card in another's hand may be of any good."""
NEAR = (1.0, 0.6, 0.5, 0.45, 0.42, 0.4, 0.38, 0.36, 0.34, 0.32, 0.3, 0.28)
"""What a market counts by the steps that the caravan still has to go."""

Steps = Mapping[str, Mapping[str, int]]
"""By city and place: steps to the city, with nothing in the way."""
_distances: dict[str, Steps] = {}


def distances(chart: Mapping[str, Any]) -> Steps:
    """Of a map of the rules; worked out once."""
    key = repr(chart)
    if key not in _distances:
        _distances[key] = {city: _steps_to(chart, city) for city in chart["cities"]}
    return _distances[key]


def _steps_to(chart: Mapping[str, Any], city: str) -> dict[str, int]:
    """Backwards from the city along the roads; a signpost leaves one way only, other cities are not entered."""
    roads = [*chart["one_way"], *chart["two_way"], *([b, a] for a, b in chart["two_way"])]
    steps, edge = {city: 0}, [city]
    while edge:
        after = []
        for here in edge:
            for before, there in roads:
                way = chart["signposts"].get(before, {}).get(city, there)
                open_end = here == city or here not in chart["cities"]
                if there == here and way == here and open_end and before not in steps:
                    steps[before] = steps[here] + 1
                    after.append(before)
        edge = after
    return steps


def jewel_gain(held: Sequence[int], colour: int) -> int:
    """Points that one more jewel of a colour brings: it makes the set that lacks it one colour bigger."""
    return 1 + sum(count > held[colour] for count in held)


class Table:
    """What decides the markets: who lays out what, drivers, caravans, jewels. Lists by seat are copied where they change."""

    def __init__(self, view: Mapping[str, Any], steps: Steps) -> None:
        self.me, self.seats = view["seat"], range(view["seats"])
        self.displays = [display[:] for display in view["displays"]]
        self.hand = view["hand"][:]
        self.known, self.hands = view["known"], view["hands"]
        self.drivers, self.jewels = view["drivers"], view["jewels"]
        self.colourless = view["colourless"]
        self.caravans = [caravan and [*caravan] for caravan in view["caravans"]]
        self.cities = view["cities"]
        self.steps = steps

    def strengths(self) -> list[list[float]]:
        """By seat and good: cards laid out, and a part of those that may be by the time of a market."""
        result = []
        for seat in self.seats:
            if seat == self.me:
                extra = [IN_HAND * count for count in self.hand]
            else:
                unknown = (self.hands[seat] - sum(self.known[seat])) / 5
                extra = [IN_HAND * (count + unknown) for count in self.known[seat]]
            result.append([count + more for count, more in zip(self.displays[seat], extra, strict=True)])
        return result

    def margin(self, gains: Sequence[float]) -> float:
        """A seat's gain less that of the others on average."""
        return gains[self.me] - (sum(gains) - gains[self.me]) / (len(gains) - 1)

    def market(self, camels: Sequence[int], city: str, counts: Sequence[Sequence[float]]) -> float:
        """What a large market brings, if everybody sells."""
        cards = [list(row) for row in counts]
        drivers, left = list(self.drivers), list(self.cities.get(city, ()))
        held = [list(jewels) for jewels in self.jewels]
        gains = [0.0 for _ in self.seats]
        for camel in camels:
            good = GOOD_OF[camel]
            seller = max(self.seats, key=lambda seat: (cards[seat][good], drivers[seat]))
            count = cards[seller][good]
            if count < 1 or not left:
                continue
            colour = max(left, key=lambda colour: (jewel_gain(held[seller], colour), -colour))
            gains[seller] += jewel_gain(held[seller], colour) - CARD * count / 2
            held[seller][colour] += 1
            left.remove(colour)
            lowest = min((seat for seat in self.seats if cards[seat][good] == count), key=drivers.__getitem__)
            drivers[seller], drivers[lowest] = drivers[lowest], drivers[seller]
            cards[seller][good] = count // 2
        return self.margin(gains)

    def small_market(self, camel: int) -> float:
        """What the sale of one camel's good for a colourless jewel brings."""
        good = GOOD_OF[camel]
        seller = max(self.seats, key=lambda seat: (self.displays[seat][good], self.drivers[seat]))
        count = self.displays[seller][good]
        gains = [0.0 for _ in self.seats]
        if count:
            gains[seller] = COLOURLESS[min(2, self.colourless[seller])] - CARD * ((count + 1) // 2)
        return self.margin(gains)

    def outlook(self) -> float:
        """What the markets that lie ahead promise."""
        counts = self.strengths()
        total = CARD * (sum(self.displays[self.me]) + sum(self.hand))
        for caravan in self.caravans:
            if caravan:
                place, target, camels = caravan
                steps = self.steps[target].get(place, len(NEAR))
                total += NEAR[min(steps, len(NEAR) - 1)] * self.market(camels, target, counts)
        return total
