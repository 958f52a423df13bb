"""The data of a Khiva position: every piece and where it lies, what each seat remembers, and the question that is open.

No rule is here: ``rules.py`` changes a position, ``observation.py`` shows one seat its part. Cards, carpets and places are
the numbers of ``tables.py``.
"""

from collections import Counter
from typing import NamedTuple, Self

from khiva_arena.games.base import NOBODY, Pending
from khiva_arena.games.khiva.tables import CAMELS, CODE, COLOURS, TENT
from khiva_arena.games.khiva.variants import Ruleset

Bid = tuple[int, int]
"""(card, seat). A higher card number is a lower value, so the winning bid for a camel is the largest."""


class Offer(NamedTuple):
    """The open question of the activation phase.

    kind: of decision.
    seat: who is asked.
    card: the card that won the camel.
    """

    kind: str
    seat: int
    card: int
    lands: tuple[int, ...]
    """boost and move: where the camel stops for boost 0, 1, ...; shop4: the place where it stands."""


class Position:
    """A position. Lists by seat unless said otherwise; ``clone`` copies all that can change."""

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
    """Of the match; redeals draw from its streams."""
    turn: int
    """From 1: the turn being played, or the last one played when over."""
    deal: int
    """From 1."""
    hands: list[list[int]]
    """Cards, rising, which is value downwards, then colour."""
    aside: list[int]
    """Cards put aside face down."""
    shown: list[int]
    """Cards put aside face up (2 players)."""
    discard: list[int]
    """Cards face up since the last deal, oldest first."""
    bids: list[list[Bid]]
    """By camel: revealed cards not yet discarded."""
    camel: int
    """The camel being activated; 5 while the seats choose."""
    winners: int
    """Bit mask of the seats that won a camel this turn."""
    camels: list[int]
    """By camel: its place."""
    loads: list[int]
    """By camel: value of the teapot it carries, 0 when bare."""
    gems: list[int]
    supply: int | None
    """Gems left, None if there is no limit (O5)."""
    carpets: list[list[int]]
    """Codes of undelivered carpets, in the order drawn."""
    delivered: list[list[int]]
    teapots: list[list[int]]
    salts: list[list[int]]
    teapot_pile: list[int]
    """Values; the top is the last item."""
    carpet_pile: list[int]
    """Codes; the top is the last item."""
    salt_pile: list[int]
    """Values; the top is the last item."""
    ending: str | None
    """Which pile triggered the end, or "turns"."""
    over: bool
    played: list[int]
    """Codes of all cards revealed in the match: turn by turn, in it seat by seat."""
    passes: list[list[int]]
    """By giver: codes of all cards passed, turn by turn. 0 if a determinised position does not know."""
    away: list[dict[int, int]]
    """By giver: cards it passed and has not seen since, with the turn of the pass."""
    asked: Pending
    offer: Offer | None

    def __init__(self, seats: int, ruleset: Ruleset, secret: bytes) -> None:
        """An empty table: no card dealt, no pile built, camels bare in the tent."""
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
        """An independent copy."""
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
        """Every piece by name, wherever it lies. Gems only if the supply is limited (O5)."""
        cards = [*self.aside, *self.shown, *self.discard, *(card for hand in self.hands for card in hand)]
        cards += [card for bids in self.bids for card, _ in bids]
        carpets = [*self.carpet_pile, *(code for held in (*self.carpets, *self.delivered) for code in held)]
        teapots = [*self.teapot_pile, *(v for v in self.loads if v), *(v for won in self.teapots for v in won)]
        salts = [*self.salt_pile, *(v for bags in self.salts for v in bags)]
        pieces = Counter(f"card {CODE[card]:02}" for card in cards)
        pieces.update(f"carpet {code:02}" for code in carpets)
        pieces.update(f"teapot {value}" for value in teapots)
        pieces.update(f"salt {value}" for value in salts)
        pieces.update({"camel": len(self.camels)})
        if self.supply is not None:
            pieces.update({"gem": self.supply + sum(self.gems)})
        return dict(sorted(pieces.items()))
