"""Emira's fixed tables: sheiks, caravans, prices, the 28 Emiras, the 18 event cards,
the status cards and the goals.

Numbers used inside the engine (E numbers are those of RULES.md):

- colour 0..4, appearance kind 0..2, caravan type 0..3, event card 0..17, Emira 0..27:
  indices into the names below.
- status card: its price, which says its points; cards of one price are alike.
- caravan: its type and how many incomes it still brings, which is its place on the
  track counted from the left.
- palace value: in halves, so that Restoration fits (E13).
"""

from collections.abc import Mapping
from itertools import permutations
from typing import Any, NamedTuple

SEATS = (3, 4, 5)

# --- sheiks (E14) ---

COLOURS = ("green", "white", "red", "blue", "black")
GREEN, WHITE, RED, BLUE, BLACK = range(5)
START_GOLD = 750
BASE_ROOM = 2
RED_CARD = 350
"""The status card of the red sheik; without him it goes to the others."""

# --- appearance (E7) ---

KINDS = ("beauty", "manners", "dress")
BEAUTY, MANNERS, DRESS = range(3)
BONUS_COUNTERS = 12

# --- caravans (E1, E2) ---

CARAVANS = ("small_slow", "small_fast", "large_slow", "large_fast")
CARAVAN_PRICE = (450, 550, 750, 900)
ADARA_PRICE = (400, 500, 650, 800)
CARAVAN_INCOME = (150, 300, 250, 500)
CARAVAN_LENGTH = (8, 4, 8, 4)
SLOW = (True, False, True, False)
SMALL, LARGE, CAMELS, SECTIONS = range(4)
"""Things that the supply counts, in this order; caravan type // 2 is a caravan's
size.
"""
SUPPLY = {3: (8, 8, 16, 20), 4: (12, 12, 23, 20), 5: (12, 12, 23, 20)}
BAG = {3: 6, 4: 8, 5: 8}
"""Counters of each kind that begin in the bag; one beauty is Nadia's, one manners
Layla's, one dress the blue sheik's (E16).
"""

# --- actions (E21) ---

ACTIONS = ("none", *CARAVANS, "appearance", "status", "palace", "camel", "grant")
"""Actions in the order of ``legal``; bit i of an action mask is ACTIONS[i + 1]."""
NONE, _, _, _, _, APPEARANCE, STATUS, PALACE, CAMEL, GRANT = range(10)
APPEARANCE_PRICE = 350
PALACE_PRICE, BADRA_PRICE = 500, 400
CAMEL_PRICE, FARAH_PRICE = 150, 50
TRACK = (50, 70, 100, 150)
"""Gold that a camel takes off a bid (E3), by how often its owner has played Better
Breed.
"""
GRANT_GOLD = 150
GRANT_BELOW = 500
GRANT_PRINCESSES = 4
LEAST_BID = STEP = 10
BID_PASS, BID_GRANT = 0, 1
"""Numbers of these answers among the bids of a position; a bid is STEP at least."""
MOST_BIDS = 1000
"""Number of bids after which a list of bids is cut."""
HIGHEST_BID = 100_000
"""The highest possible bid, so that all entries can be made once."""

# --- event cards ---

EVENTS = (
    "bazaar",
    "better_breed",
    "camel_breeding",
    "camel_epidemic",
    "changing_her_mind",
    "court_influence",
    "double_trouble",
    "golden_times",
    "good_looking",
    "guest_house",
    "interrupt_spice_trade",
    "new_orders",
    "new_spice_caravan",
    "noble_merchandise",
    "quiet_days",
    "restoration",
    "sick_camels",
    "vermin",
)
EVENT_OF = {name: card for card, name in enumerate(EVENTS)}
COPIES = 3
RESTORATION = EVENT_OF["restoration"]
EVENTS_DEALT = 3
EVENT_PRICE = {2: 150, 3: 250}
ZAINAB_PRICE = {2: 100, 3: 200}
"""Price by how many cards the buyer looks at (E24)."""

# --- status cards (E15) ---

STATUS_CARDS = (
    (300,) * 3 + (350,) * 4 + (400,) * 3 + (700, 750, 800, 800, 850, 900, 1200, 1300, 1400, 1500)
)
STATUS_OUT_3 = (300, 350, 400, 800, 800, 1400)
"""Status cards out of the game for 3 players (E16)."""
STATUS_ON_TOP = {3: 3, 4: 6, 5: 6}


def points(card: int) -> int:
    """Return the status points of a status card."""
    return 1 if card <= 400 else 2 if card <= 900 else 3


POINTS = {card: points(card) for card in STATUS_CARDS}

# --- Emiras ---

A, S, P, G = range(4)
PREFERENCES = ("appearance", "status", "palace", "gold")
TALENTS = ("intelligence", "household", "cooking", "romance")
I, M, C, R = (1 << talent for talent in range(4))  # noqa: E741


class EmiraCard(NamedTuple):
    """An Emira card.

    name: as on the card.
    first, second: her preferences in a sheik, in this order.
    """

    name: str
    first: int
    second: int
    talents: int
    """Bit mask; with two talents only one counts at a time (E11)."""


EMIRAS = (
    EmiraCard("Albina", A, S, I),
    EmiraCard("Halimah", A, S, M),
    EmiraCard("Asima", A, S, C),
    EmiraCard("Noor", A, P, I | M),
    EmiraCard("Rasha", A, P, C),
    EmiraCard("Thara", A, P, R),
    EmiraCard("Zainab", A, G, I),
    EmiraCard("Nibal", A, G, M),
    EmiraCard("Samira", A, G, R),
    EmiraCard("Zahrah", S, A, I),
    EmiraCard("Fatima", S, A, M),
    EmiraCard("Layla", S, A, R),
    EmiraCard("Malika", S, P, I),
    EmiraCard("Nadia", S, P, M),
    EmiraCard("Firyal", S, P, C),
    EmiraCard("Hind", S, G, M | R),
    EmiraCard("Farah", S, G, I),
    EmiraCard("Raidah", S, G, C),
    EmiraCard("Adara", P, A, I),
    EmiraCard("Suleika", P, A, M),
    EmiraCard("Janan", P, S, I | C),
    EmiraCard("Sahar", P, S, R),
    EmiraCard("Anisah", P, G, I),
    EmiraCard("Zafirah", P, G, C),
    EmiraCard("Xenia", G, A, C | R),
    EmiraCard("Yasmine", G, S, M),
    EmiraCard("Badra", G, P, I),
    EmiraCard("Sidi Suleiman", -1, -1, 0),
)
NAMES = tuple(emira.name for emira in EMIRAS)
EMIRA_OF = {name: card for card, name in enumerate(NAMES)}
WANTS = tuple((emira.first, emira.second) for emira in EMIRAS)
TALENT = tuple(emira.talents for emira in EMIRAS)
LOVES_GOLD = tuple(G in (emira.first, emira.second) for emira in EMIRAS)

ALBINA, HALIMAH, NOOR, RASHA = (EMIRA_OF[name] for name in ("Albina", "Halimah", "Noor", "Rasha"))
ZAINAB, SAMIRA, ZAHRAH, LAYLA = (EMIRA_OF[name] for name in ("Zainab", "Samira", "Zahrah", "Layla"))
NADIA, FIRYAL, HIND, FARAH = (EMIRA_OF[name] for name in ("Nadia", "Firyal", "Hind", "Farah"))
ADARA, SULEIKA, JANAN, ZAFIRAH = (
    EMIRA_OF[name] for name in ("Adara", "Suleika", "Janan", "Zafirah")
)
XENIA, BADRA, SIDI = (EMIRA_OF[name] for name in ("Xenia", "Badra", "Sidi Suleiman"))

UPKEEP = tuple({JANAN: 100, ZAFIRAH: 0}.get(card, 50) for card in range(len(EMIRAS)))
SULEIKA_SURCHARGE = 100
GIFT = 250
GIFT_EVERY = 3

# --- goals (E11, E32) ---

Demand = tuple[int, int, int, int]
"""Number of princesses demanded for each talent."""
LEAST_PRINCESSES = {5: 4, 4: 5, 3: 6}
"""Princesses, by number of seats, that win with the talents of the goal."""
MOST_PRINCESSES = {5: 6, 4: 7, 3: 8}
"""Princesses, by number of seats, that win with any talents."""


def _either_way(
    base: Demand, counts: tuple[int, ...], talents: tuple[int, ...]
) -> tuple[Demand, ...]:
    """Return every demand made of ``base`` with ``counts`` spread over ``talents``."""
    ways: list[Demand] = []
    for order in permutations(counts):
        want = list(base)
        for talent, count in zip(talents, order, strict=True):
            want[talent] += count
        way = (want[0], want[1], want[2], want[3])
        if way not in ways:
            ways.append(way)
    return tuple(ways)


def _only(*want: int) -> tuple[Demand, ...]:
    i, m, c, r = want
    return ((i, m, c, r),)


GOALS: dict[int, tuple[tuple[Demand, ...], ...]] = {
    5: (
        _only(1, 1, 0, 1),
        _only(1, 0, 1, 1),
        _only(0, 1, 1, 1),
        _only(2, 1, 0, 0),
        _only(2, 0, 1, 0),
        _either_way((0, 0, 0, 0), (2, 1), (0, 3)),
        _either_way((0, 0, 0, 0), (2, 1), (1, 2)),
    ),
    4: (
        _only(1, 1, 1, 1),
        _only(2, 1, 1, 0),
        _either_way((1, 0, 0, 0), (2, 1), (1, 3)),
        _either_way((0, 0, 0, 1), (2, 1), (0, 2)),
        _either_way((0, 0, 0, 0), (2, 1, 1), (1, 2, 3)),
    ),
    3: (
        _only(2, 1, 1, 1),
        _either_way((0, 2, 0, 0), (2, 1), (0, 2)),
        _either_way((2, 0, 0, 0), (2, 1), (1, 3)),
        _either_way((0, 0, 0, 0), (2, 2, 1), (0, 2, 3)),
    ),
}
"""GOALS[seats][card]: the demands of which one has to be met."""


# --- what a drawing needs ---

SCENERY: Mapping[str, Any] = {
    "emiras": {
        card.name: [
            *(PREFERENCES[wish] if wish >= 0 else "" for wish in (card.first, card.second)),
            [talent for bit, talent in enumerate(TALENTS) if card.talents >> bit & 1],
        ]
        for card in EMIRAS
    },
    "caravans": list(CARAVANS),
    "incomes": list(CARAVAN_INCOME),
}
"""An Emira's first and second wish and her talents, by name; names and incomes of
caravans, by type.
"""
