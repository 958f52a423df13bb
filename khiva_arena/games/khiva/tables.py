"""Khiva's fixed tables: colours, cards, places, walks, hand positions, and every
question the game can ask.

Numbers used inside the engine (K numbers are those of RULES.md):

- colour and camel: 0..4 = white, blue, green, pink, black, the activation order (K2).
- card: 0..24 = (5 - value) * 5 + colour, so that a rising list of cards is a hand in
  its order: value downwards, then colour.
- code of a card or carpet: 10 * colour + value; the canonical order before a shuffle is
  rising code.
- place: 0 is the tent in Khiva, 6 * path + shop the shops 1..4 and the outpost (5) of
  the path of that seat.
"""

from collections.abc import Callable
from itertools import combinations, permutations
from operator import itemgetter
from types import MappingProxyType

from khiva_arena.games.base import Decision, Pending, Plain

COLOURS = ("white", "blue", "green", "pink", "black")
CAMELS = range(5)
VALUES = (1, 2, 3, 4, 5)
SEATS = (2, 3, 4, 5)

# --- cards (K1: one copy of each of 5 colours x 5 values) ---

COLOUR = tuple(card % 5 for card in range(25))
VALUE = tuple(5 - card // 5 for card in range(25))
CODE = tuple(10 * c + v for c, v in zip(COLOUR, VALUE, strict=True))
CARD_OF = {code: card for card, code in enumerate(CODE)}
FACE: tuple[list[Plain], ...] = tuple([c, v] for c, v in zip(COLOUR, VALUE, strict=True))
"""Cards as a bot sees them. They are shared: events hold these very lists, a view holds
copies.
"""
DECK = tuple(sorted(range(25), key=CODE.__getitem__))
"""All cards in canonical order."""
CARPET_FACE: dict[int, list[Plain]] = {10 * c + v: [c, v] for c in CAMELS for v in range(1, 10)}

# --- the deal (K1, K15, K21) ---

FIRST_HAND = {2: 8, 3: 5, 4: 5, 5: 5}
KEPT = {2: 2, 3: 1, 4: 1, 5: 1}
"""Cards in hand at a redeal; also how many cards one seat plays, and passes, in a
turn.
"""
SHOWN = {2: 4, 3: 0, 4: 0, 5: 0}
TURNS_PER_DEAL = {2: 3, 3: 4, 4: 4, 5: 4}

SALT_BAGS = (10, 9, 8, 7, 6)
"""Salt pile, top first (K10)."""
SALT_PRICE = 3
TEAPOT_VALUES = (2, 3, 4, 5, 6, 7)
TEAPOTS = 22

# --- places and walks (K4-K7) ---

TENT = 0
OUTPOST = 5
SHOP = tuple(place % 6 for place in range(30))
PLACE_FACE: tuple[list[Plain], ...] = tuple(
    [-1, 0] if place % 6 == 0 else [place // 6, place % 6] for place in range(30)
)


def _walk(place: int, seat: int, tent_counts: bool) -> tuple[int, ...]:
    """Return the places ahead of a camel at ``place`` that ``seat`` moves, to the
    outpost of ``seat``, nothing in the way.

    On a foreign path the camel goes back down that path first and then through Khiva
    (K6). The tent is a place to stop at only in the variant own_tent (O3).
    """
    tent = 6 * seat
    path, shop = divmod(place, 6)
    if shop and path == seat:
        return tuple(tent + s for s in range(shop + 1, OUTPOST + 1))
    back = [6 * path + s for s in range(shop - 1, 0, -1)]
    through = [TENT] if tent_counts and shop else []
    return (*back, *through, *(tent + s for s in range(1, OUTPOST + 1)))


WALKS = {
    variant: tuple(tuple(_walk(place, seat, counts) for place in range(30)) for seat in range(5))
    for variant, counts in (("skip", False), ("own_tent", True))
}
"""WALKS[khiva_spaces][seat][place]: the places ahead, nearest first."""

# --- hand positions of play_pass ---


def _positions(hand: int, played: int) -> tuple[tuple[int, ...], ...]:
    """Return all (play..., pass...) positions of a hand, played and passed rising, in
    lexicographic order.
    """
    if played == 1:
        return tuple(permutations(range(hand), 2))
    return tuple(
        (*play, *give)
        for play in combinations(range(hand), played)
        for give in combinations([i for i in range(hand) if i not in play], played)
    )


HAND_SIZES = {2: (8, 6, 4), 3: (5, 4, 3, 2), 4: (5, 4, 3, 2), 5: (5, 4, 3, 2)}
LEGAL = {
    (seats, hand): _positions(hand, KEPT[seats]) for seats in SEATS for hand in HAND_SIZES[seats]
}
"""LEGAL[seats, hand size]: the entries of play_pass, in the order of ``legal``."""
PICK: dict[tuple[int, int], tuple[Callable[[list[int]], tuple[int, ...]], ...]] = {
    size: tuple(itemgetter(*entry) for entry in entries) for size, entries in LEGAL.items()
}
"""Functions that take the cards of an entry of LEGAL out of a hand, in the order of
LEGAL.
"""

# --- questions: one frozen mapping for each thing that can be pending, made once ---


def _play_pass(seats: int, hand: int) -> Pending:
    decision = Decision("play_pass", tuple(list(entry) for entry in LEGAL[seats, hand]))
    return MappingProxyType(dict.fromkeys(range(seats), decision))


def _one(kind: str, *entries: int | str) -> tuple[Pending, ...]:
    """Return one question as asked to each of the seats 0, 1, 2, 3, 4."""
    decision = Decision(kind, tuple([entry] for entry in entries))
    return tuple(MappingProxyType({seat: decision}) for seat in range(5))


ASK_PLAY_PASS = {
    (seats, hand): _play_pass(seats, hand) for seats in SEATS for hand in HAND_SIZES[seats]
}
ASK_BOOST = tuple(_one("boost", *range(most + 1)) for most in range(6))
"""ASK_BOOST[most][seat]: spend 0..most gems. ASK_BOOST[0] is never asked."""
ASK_MOVE = _one("move", "move", "stay")
_WARES: tuple[tuple[str, ...], ...] = (
    ("carpet", "salt"),
    ("nothing", "salt"),
    ("carpet", "salt", "nothing"),
    ("carpet", "nothing"),
)
ASK_SHOP4 = {entries: _one("shop4", *entries) for entries in _WARES}
"""Questions by the goods that the shop offers, default first (K10, K17, O11)."""


# --- what a drawing needs ---

SCENERY = {"colours": list(COLOURS)}
"""Names of the colours of camels and cards."""
