"""Silk Road's fixed tables: goods, camels, jewels, tiles, and every question whose
entries are few.

Numbers used inside the engine (S numbers are those of RULES.md):

- good: 0..4 = ivory, spice, porcelain, silk, tea; a hand, a display or the open cards
  are five counts by good.
- camel: 1..10, the number on the disc; ``GOOD_OF`` has its good.
- colour of a jewel: 0..4 = blue, yellow, green, red, violet.
- tile: an index into ``TILES``; 0..4 are the small markets by good.
"""

from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from khiva_arena.games.base import Decision, Pending, Plain

SEATS = (2, 3, 4, 5)
MOST_SEATS = 5

# --- pieces (S1) ---

GOODS = ("ivory", "spice", "porcelain", "silk", "tea")
PER_GOOD = 14
DECK = tuple(good for good in range(len(GOODS)) for _ in range(PER_GOOD))
"""All goods cards in canonical order."""
GOOD_OF = (-1, 3, 2, 1, 0, 4, 4, 0, 1, 2, 3)
"""Good of each camel: silk 10 and 1, porcelain 9 and 2, spice 8 and 3, ivory 7 and 4,
tea 6 and 5.
"""
CAMELS = tuple(range(1, 11))
COLOURS = ("blue", "yellow", "green", "red", "violet")
JEWELS_PER_COLOUR = 4
DRIVERS = (1, 2, 3, 4, 5)
COLOURLESS = 10
MARKERS = 6
MARKER_POINTS = 8
SIZES = (1, 2, 3)
"""Sizes by which caravans are known; lists by caravan have size - 1 as index."""

FIRST_HAND = 4
OPEN = 3
CUSTOMS_LIMIT = 4

# --- tiles (S10 to S13) ---

TILES = (
    *(f"{good}_market" for good in GOODS),
    "black_market",
    "camels_1",
    "camels_2",
    "camels_3",
    "customs",
    "sandstorm",
    "robber",
    "bazaar",
    "baksheesh",
)
TILE = {name: tile for tile, name in enumerate(TILES)}
BLACK_MARKET, CAMELS_1, CAMELS_3 = TILE["black_market"], TILE["camels_1"], TILE["camels_3"]
CUSTOMS, SANDSTORM, ROBBER = TILE["customs"], TILE["sandstorm"], TILE["robber"]
BAZAAR, BAKSHEESH = TILE["bazaar"], TILE["baksheesh"]
TILE_SETS = {
    "A": {name: 1 if name.endswith("market") else 2 for name in TILES},
    "C": {
        name: 2 if name.endswith(("s_1", "s_2", "s_3")) or name.split("_")[0] in GOODS else 1
        for name in TILES
    },
}
"""The two known guesses at the printed tiles (O2); both have 22."""

# --- score (S18) ---

SET_POINTS = (0, 1, 3, 6, 10, 15)
"""Points of a set, by number of different colours."""
COLOURLESS_POINTS = tuple(
    MARKER_POINTS * (n // 3) + (0, 2, 4)[n % 3] for n in range(COLOURLESS + 1)
)
"""Points by number of colourless jewels held. Three or more are held only when the
markers have run out (O6).
"""

# --- questions: each made once, so that an equal question is one object ---


class Menu(NamedTuple):
    """A list of entries, and the question that asks each seat for one of them. A list
    of one entry is never asked.

    entries: default first.
    """

    entries: tuple[list[Plain], ...]
    asked: tuple[Pending, ...]
    """The question by seat."""


def menu(kind: str, entries: Sequence[list[Plain]]) -> Menu:
    """Return a menu of these entries, default first."""
    decision = Decision(kind, tuple(entries))
    return Menu(
        tuple(entries), tuple(MappingProxyType({seat: decision}) for seat in range(MOST_SEATS))
    )


def _by_mask(kind: str, *lead: str) -> tuple[Menu, ...]:
    """Return a menu for each bit mask of goods (or colours): the words of ``lead``,
    then the goods in order.
    """
    return tuple(
        menu(kind, [*([word] for word in lead), *([good] for good in range(5) if mask >> good & 1)])
        for mask in range(32)
    )


DRAW = {
    (True, True): _by_mask("draw", "nothing", "pile"),
    (True, False): _by_mask("draw", "nothing"),
    (False, True): _by_mask("draw", "pile"),
    (False, False): _by_mask("draw"),
}
"""DRAW[optional, pile can be drawn from][mask of open goods] (S5)."""
DISCARD_HAND = _by_mask("customs")
DISCARD_DISPLAY = _by_mask("sandstorm")
BAZAAR_FIRST = _by_mask("bazaar", "no")
BAZAAR_NEXT = _by_mask("bazaar")
BAKSHEESH_TAKE = {True: _by_mask("baksheesh", "nothing"), False: _by_mask("baksheesh")}
"""BAKSHEESH_TAKE[optional][mask of open goods] (O4)."""
BAKSHEESH_PAY = _by_mask("pay")
JEWEL = _by_mask("jewel")
SELL = menu("sell", [["sell"], ["decline"]])
LAY_OUT = tuple(
    menu("lay_out", [[count] for count in range(most, -1, -1)]) for most in range(PER_GOOD + 1)
)
"""Menus by number of cards of a good in hand; the default is all (S17)."""
ROB_ENTRIES: tuple[tuple[list[Plain], ...], ...] = tuple(
    tuple([victim, good] for good in range(len(GOODS))) for victim in range(MOST_SEATS)
)
"""ROB_ENTRIES[victim][good]: shared by all questions of the robber."""


def mask(counts: Sequence[int]) -> int:
    """Return the bit mask of the counts, of five, that are not zero."""
    a, b, c, d, e = counts
    return (a > 0) | (b > 0) << 1 | (c > 0) << 2 | (d > 0) << 3 | (e > 0) << 4


# --- what a drawing needs ---

SCENERY = {"goods": list(GOODS), "colours": list(COLOURS), "carries": list(GOOD_OF)}
"""Names of goods and colours, and the good of each camel from 1."""
