"""Deals of Khiva for protocol/vectors/deals/khiva.json; ``tests/games/make_vectors.py``
writes it.
"""

from typing import Any

from khiva_arena.games.khiva import dealing
from khiva_arena.games.khiva.tables import CARD_OF, CODE, KEPT
from khiva_arena.games.khiva.variants import canonical, compile_rules

MATCH = (3, {})
"""Seats and rules of the match in protocol/vectors/matches, which
``tests/bots/protocol/make_frames.py`` writes.
"""
ABOUT = (
    "Cards and carpets are 10 * colour + value (colours 0..4 = white, blue, green, pink, black); "
    "all lists in the order dealt, piles top first; redeal.hands are the new cards alone."
)


def _codes(cards: list[int]) -> list[int]:
    return [CODE[card] for card in cards]


def deal(secret: bytes, seats: int) -> dict[str, Any]:
    """A first deal, the piles, and a redeal in which each seat kept the first cards it
    was dealt.
    """
    rules = compile_rules(canonical({}))
    first = dealing.first_deal(secret, seats)
    kept = [hand[: KEPT[seats]] for hand in first.hands]
    pool = [card for card in CARD_OF.values() if not any(card in hand for hand in kept)]
    second = dealing.redeal(secret, seats, 2, pool)
    teapots = dealing.teapots(secret, rules.teapots)
    return {
        "secret": secret.hex(),
        "seats": seats,
        "first": {
            "hands": [_codes(h) for h in first.hands],
            "shown": _codes(first.shown),
            "aside": _codes(first.aside),
        },
        "camels": teapots[:5],
        "teapots": teapots[5:],
        "carpets": dealing.carpets(secret, rules.carpets),
        "redeal": {
            "deal": 2,
            "kept": [_codes(hand) for hand in kept],
            "pool": sorted(_codes(pool)),
            "hands": [_codes(h) for h in second.hands],
            "shown": _codes(second.shown),
            "aside": _codes(second.aside),
        },
    }
