"""The data of a Khiva position: every piece and its place, the memory of each seat, and
the open question.

No rule is here: ``rules.py`` changes a position, ``observation.py`` shows one seat its
part. Cards, carpets and places are the numbers of ``tables.py``.
"""

from collections import Counter
from typing import NamedTuple, Self

from khiva_arena.games.base import NOBODY, Pending
from khiva_arena.games.khiva.tables import CAMELS, CODE, COLOURS, TENT
from khiva_arena.games.khiva.variants import Ruleset

Bid = tuple[int, int]
"""(card, seat). A higher card number is a lower value, so the winning bid for a camel
is the largest.
"""


class Offer(NamedTuple):
    """The open question of the activation phase.

    kind: of decision.
    seat: the asked seat.
    card: the card that won the camel.
    """

    kind: str
    seat: int
    card: int
    lands: tuple[int, ...]
    """Places where the camel stops for boost 0, 1, ... (boost and move), or the place
    where it stands (shop4).
    """


class Position:
    """The position of a match. Lists are by seat unless their text says otherwise;
    ``clone`` copies all that can change.
    """

    __slots__ = (
        "aside",
        "asked",
        "away",
        "bids",
        "camel",
        "camels",
        "carpet_pile",
        "carpets",
        "deal",
        "delivered",
        "discard",
        "ending",
        "gems",
        "hands",
        "loads",
        "offer",
        "over",
        "passes",
        "played",
        "ruleset",
        "salt_pile",
        "salts",
        "seats",
        "secret",
        "shown",
        "supply",
        "teapot_pile",
        "teapots",
        "turn",
        "winners",
    )

    seats: int
    ruleset: Ruleset
    secret: bytes
    """Secret of the match; redeals draw from its streams."""
    turn: int
    """Number of the turn being played, from 1, or of the last one played when over."""
    deal: int
    """Number of the deal, from 1."""
    hands: list[list[int]]
    """Cards, rising, which is value downwards, then colour."""
    aside: list[int]
    """Cards put aside face down."""
    shown: list[int]
    """Cards put aside face up (2 players)."""
    discard: list[int]
    """Cards face up since the last deal, oldest first."""
    bids: list[list[Bid]]
    """Revealed cards not yet discarded, by camel."""
    camel: int
    """The camel being activated; 5 while the seats choose."""
    winners: int
    """Bit mask of the seats that won a camel this turn."""
    camels: list[int]
    """Place of each camel."""
    loads: list[int]
    """Value of the teapot that each camel carries, 0 when bare."""
    gems: list[int]
    supply: int | None
    """Gems left, None if there is no limit (O5)."""
    carpets: list[list[int]]
    """Codes of undelivered carpets, in the order drawn."""
    delivered: list[list[int]]
    teapots: list[list[int]]
    salts: list[list[int]]
    teapot_pile: list[int]
    """Values of the teapots left; the top is the last item."""
    carpet_pile: list[int]
    """Codes of the carpets left; the top is the last item."""
    salt_pile: list[int]
    """Values of the salt bags left; the top is the last item."""
    ending: str | None
    """The pile that triggered the end, or "turns"; None before."""
    over: bool
    played: list[int]
    """Codes of all cards revealed in the match: turn by turn, within a turn seat by
    seat.
    """
    passes: list[list[int]]
    """Codes of all cards passed, by giver, turn by turn. A code is 0 if a determinised
    position does not know it.
    """
    away: list[dict[int, int]]
    """Cards that the giver has not seen since it passed them, by giver, each with the
    turn of the pass.
    """
    asked: Pending
    offer: Offer | None

    def __init__(self, seats: int, ruleset: Ruleset, secret: bytes) -> None:
        """Make an empty table: no card dealt, no pile built, camels bare in the
        tent.
        """
        self.seats = seats
        self.ruleset = ruleset
        self.secret = secret
        self.turn = self.deal = 1
        self.hands = [[] for _ in range(seats)]
        self.aside, self.shown, self.discard = [], [], []
        self.bids = [[] for _ in CAMELS]
        self.camel = len(COLOURS)
        self.winners = 0
        self.camels = [TENT] * len(COLOURS)
        self.loads = [0] * len(COLOURS)
        self.gems = [0] * seats
        self.supply = ruleset.supply
        self.carpets = [[] for _ in range(seats)]
        self.delivered = [[] for _ in range(seats)]
        self.teapots = [[] for _ in range(seats)]
        self.salts = [[] for _ in range(seats)]
        self.teapot_pile, self.carpet_pile, self.salt_pile = [], [], []
        self.ending = None
        self.over = False
        self.played = []
        self.passes = [[] for _ in range(seats)]
        self.away = [{} for _ in range(seats)]
        self.asked = NOBODY
        self.offer = None

    def clone(self) -> Self:
        """Return an independent copy."""
        cls = type(self)
        new = cls.__new__(cls)
        new.seats = self.seats
        new.ruleset = self.ruleset
        new.secret = self.secret
        new.turn = self.turn
        new.deal = self.deal
        new.hands = [hand[:] for hand in self.hands]
        new.aside = self.aside[:]
        new.shown = self.shown[:]
        new.discard = self.discard[:]
        new.bids = [bids[:] for bids in self.bids]
        new.camel = self.camel
        new.winners = self.winners
        new.camels = self.camels[:]
        new.loads = self.loads[:]
        new.gems = self.gems[:]
        new.supply = self.supply
        new.carpets = [carpets[:] for carpets in self.carpets]
        new.delivered = [carpets[:] for carpets in self.delivered]
        new.teapots = [teapots[:] for teapots in self.teapots]
        new.salts = [salts[:] for salts in self.salts]
        new.teapot_pile = self.teapot_pile[:]
        new.carpet_pile = self.carpet_pile[:]
        new.salt_pile = self.salt_pile[:]
        new.ending = self.ending
        new.over = self.over
        new.played = self.played[:]
        new.passes = [passes[:] for passes in self.passes]
        new.away = [dict(away) for away in self.away]
        new.asked = self.asked
        new.offer = self.offer
        return new

    def components(self) -> dict[str, int]:
        """Return every piece by name, wherever it lies; gems only if the supply is
        limited (O5).
        """
        cards = [
            *self.aside,
            *self.shown,
            *self.discard,
            *(card for hand in self.hands for card in hand),
        ]
        cards += [card for bids in self.bids for card, _ in bids]
        carpets = [
            *self.carpet_pile,
            *(code for held in (*self.carpets, *self.delivered) for code in held),
        ]
        teapots = [
            *self.teapot_pile,
            *(v for v in self.loads if v),
            *(v for won in self.teapots for v in won),
        ]
        salts = [*self.salt_pile, *(v for bags in self.salts for v in bags)]
        pieces = Counter(f"card {CODE[card]:02}" for card in cards)
        pieces.update(f"carpet {code:02}" for code in carpets)
        pieces.update(f"teapot {value}" for value in teapots)
        pieces.update(f"salt {value}" for value in salts)
        pieces.update({"camel": len(self.camels)})
        if self.supply is not None:
            pieces.update({"gem": self.supply + sum(self.gems)})
        return dict(sorted(pieces.items()))
