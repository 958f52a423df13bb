"""What a Khiva position is worth to a seat, in points. Shared by the greedy and the searching bot.

Numbers: a card or carpet is 10 * colour + value; a place is 0 for the tent and 6 * path + shop for the rest (5: outpost).
"""

from collections.abc import Sequence

TENT, OUTPOST = 0, 5
SALT_PRICE = 3
# Fitted to the final margins of games between greedy bots: what one point of load is worth at each distance from a seat's
# outpost, and what a gem is worth beyond its own point, since it buys boosts and salt.
NEAR = (0.0, 0.22, 0.22, 0.20, 0.18, 0.06, 0.03, 0.0, 0.0, 0.0)
GEM = 1.5
CARPET = 2.0  # a carpet just drawn: its colour is not known beforehand, and it may never come home


def distance(seat: int, place: int) -> int:
    """Steps to the seat's outpost with nothing in the way."""
    path, shop = divmod(place, 6)
    if shop == 0:
        return 5
    return 5 - shop if path == seat else shop + 4


# NEARNESS[seat][place]: what a point of load there is worth to that seat.
NEARNESS = tuple(tuple(NEAR[distance(seat, place)] for place in range(30)) for seat in range(5))


def walk(seat: int, place: int, tent_counts: bool) -> list[int]:
    """The places ahead of a camel that this seat moves, nearest first."""
    path, shop = divmod(place, 6)
    first = shop + 1 if path == seat or not shop else 1
    back = [6 * path + s for s in range(shop - 1, 0, -1)] if shop and path != seat else []
    tent = [TENT] if tent_counts and shop and path != seat else []
    return back + tent + [6 * seat + s for s in range(first if shop else 1, OUTPOST + 1)]


WALK = tuple(tuple(tuple(tuple(walk(seat, place, t)) for place in range(30)) for seat in range(5)) for t in (False, True))


class Board:
    """What lies on the table, as far as it decides what a move is worth. Lists by seat or by camel."""

    def __init__(
        self,
        rules: dict,
        camels: Sequence[int],
        loads: Sequence[int],
        gems: Sequence[int],
        carpets: Sequence[Sequence[int]],
        salt: int,
    ) -> None:
        self.rules = rules
        self.seats = range(len(gems))
        self.camels, self.loads, self.gems, self.salt = camels, loads, gems, salt
        # What each camel would bring each seat at its outpost: the teapot and the carpets of its colour.
        self.cargo = [list(loads) for _ in self.seats]
        for cargo, held in zip(self.cargo, carpets, strict=True):
            for code in held:
                cargo[code // 10] += code % 10
        # For each seat: what a point of load is worth at each place and its cargo, and the same of each other seat.
        pairs = list(zip(NEARNESS, self.cargo, strict=False))
        self._near = [(own, pairs[:seat] + pairs[seat + 1 :]) for seat, own in enumerate(pairs)]
        # By seat and camel, once they are asked for: where the camel may stop ahead, and what it promises where it is.
        self._ahead: list[list[list[int] | None]] = [[None] * len(camels) for _ in self.seats]
        self._now: list[list[float | None]] = [[None] * len(camels) for _ in self.seats]
        self._cards: dict[tuple[int, int], float] = {}

    def card(self, seat: int, card: int) -> float:
        """What it is worth to win a bid with this card, moved on as well as the gems allow. Never less than 0."""
        worth = self._cards.get((seat, card))
        if worth is None:
            camel, value = divmod(card, 10)
            ahead = self._ahead[seat][camel]
            if ahead is None:
                way = WALK[self.rules["khiva_spaces"] == "own_tent"][seat][self.camels[camel]]
                ahead = self._ahead[seat][camel] = [place for place in way if place not in self.camels or not place]
            most = value + min(self.gems[seat], self.rules["gem_slots"][camel][value - 1])
            ends = ahead[value - 1 : most] or ([] if self.rules["overshoot"] == "no_move" else [ahead[-1]])
            worth = max([self.landing(seat, camel, place, boost) for boost, place in enumerate(ends)], default=0.0)
            self._cards[seat, card] = worth
        return worth

    def landing(self, seat: int, camel: int, place: int, boost: int) -> float:
        """What it is worth to move a camel there for so many gems: what is gained at once and the better outlook."""
        now = self._now[seat][camel]
        if now is None:
            now = self._now[seat][camel] = self._outlook(seat, camel, self.camels[camel])
        gain = -GEM * boost - now
        shop = place % 6
        if shop == OUTPOST:
            return gain + self.cargo[seat][camel]  # a new teapot in the tent promises everybody the same
        if shop == 1:
            gain += GEM
        elif shop == 2:
            gain += CARPET
        elif shop == 3:
            gain += 2 * GEM
        elif shop == 4:
            can_buy = self.gems[seat] - boost >= SALT_PRICE
            gain += max(CARPET, self.salt - SALT_PRICE * GEM if can_buy else 0.0)
        return gain + self._outlook(seat, camel, place)

    def _outlook(self, seat: int, camel: int, place: int) -> float:
        """What this camel would promise the seat there, less what it would promise the others on average."""
        (near, cargo), others = self._near[seat]
        total = 0.0
        for far, load in others:
            total += far[place] * load[camel]
        return near[place] * cargo[camel] - total / len(others)
