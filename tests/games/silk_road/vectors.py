"""Deals of Silk Road for protocol/vectors/deals/silk_road.json;
``tests/games/make_vectors.py`` writes it.
"""

from typing import Any

from khiva_arena.games.silk_road import dealing
from khiva_arena.games.silk_road.tables import FIRST_HAND, OPEN, TILES
from khiva_arena.games.silk_road.variants import canonical, compile_rules

MATCH = (2, {"max_turns": 15})
"""Seats and rules of the match in protocol/vectors/matches, which
``tests/bots/protocol/make_frames.py`` writes.
"""
ABOUT = (
    "Goods 0..4 = ivory, spice, porcelain, silk, tea; jewels 0..4 = blue, yellow, green, red, "
    "violet; tiles by village; all lists in the order dealt, pile and bag top first, queue head "
    "first. reshuffle is the first one, of the discards given."
)


def deal(secret: bytes, seats: int) -> dict[str, Any]:
    """The table before the first move, and a reshuffle of the discards that the first
    hands would make.
    """
    goods = dealing.goods(secret)
    dealt = seats * FIRST_HAND
    camels, jewels, drivers = (
        dealing.camels(secret),
        dealing.jewels(secret),
        dealing.drivers(secret),
    )
    return {
        "secret": secret.hex(),
        "seats": seats,
        "tiles": [
            TILES[tile] for tile in dealing.tiles(secret, compile_rules(canonical({})).tiles)
        ],
        "caravans": [camels[:1], camels[1:3], camels[3:6]],
        "queue": camels[6:],
        "jewels": [jewels[:1], jewels[1:3], jewels[3:6]],
        "bag": jewels[6:],
        "hands": [goods[i : i + FIRST_HAND] for i in range(0, dealt, FIRST_HAND)],
        "open": goods[dealt : dealt + OPEN],
        "pile": goods[dealt + OPEN :],
        "drivers": drivers[:seats],
        "reshuffle": {
            "ordinal": 2,
            "discards": sorted(goods[:dealt]),
            "pile": dealing.reshuffle(secret, 2, goods[:dealt]),
        },
    }
