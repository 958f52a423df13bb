"""Khiva's chance: the deal, the redeals and the two hidden piles, each from a stream of
its own.

RULES.md, "The deal", describes these draws in words that a C programmer can follow;
``protocol/vectors/deals/khiva.json`` checks both.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from khiva_arena.games.khiva.tables import CODE, DECK, FIRST_HAND, KEPT, SHOWN
from khiva_arena.rng import Stream


class Deal(NamedTuple):
    """Cards by destination, each in the order dealt.

    shown, aside: put aside face up and face down.
    """

    hands: list[list[int]]
    """New cards of each seat."""
    shown: list[int]
    aside: list[int]


def shuffle(stream: Stream, items: Iterable[int]) -> list[int]:
    """Return the items as a new list in the stream's order."""
    result = list(items)
    stream.shuffle(result)
    return result


def first_deal(secret: bytes, seats: int) -> Deal:
    """Deal the whole deck: 8 cards a hand for two seats, 5 for more (K1, K21)."""
    return _deal(secret, seats, 1, DECK, FIRST_HAND[seats])


def redeal(secret: bytes, seats: int, ordinal: int, pool: Iterable[int]) -> Deal:
    """Deal again from a pool of cards (K15, K21).

    ordinal: number of the deal, from 2.
    pool: the discard and all cards that lay aside.
    """
    return _deal(
        secret, seats, ordinal, sorted(pool, key=CODE.__getitem__), FIRST_HAND[seats] - KEPT[seats]
    )


def _deal(secret: bytes, seats: int, ordinal: int, pool: Sequence[int], hand_size: int) -> Deal:
    cards = shuffle(Stream(secret, "khiva", "deal", str(ordinal)), pool)
    dealt = seats * hand_size
    cards_shown = dealt + SHOWN[seats]
    return Deal(
        [cards[i : i + hand_size] for i in range(0, dealt, hand_size)],
        cards[dealt:cards_shown],
        cards[cards_shown:],
    )


def teapots(secret: bytes, values: Sequence[int]) -> list[int]:
    """Return the teapots in drawn order, top first; ``values`` rise."""
    return shuffle(Stream(secret, "khiva", "teapots", "1"), values)


def carpets(secret: bytes, codes: Sequence[int]) -> list[int]:
    """Return the carpet pile in drawn order, top first; ``codes`` rise, which is by
    colour, then value.
    """
    return shuffle(Stream(secret, "khiva", "carpets", "1"), codes)
