"""Silk Road's chance: tiles, camels, jewels, drivers and every shuffle of the goods,
each from a stream of its own.

RULES.md, "The deal", describes these draws in words that a C programmer can follow.
"""

from collections.abc import Iterable

from khiva_arena.games.silk_road.tables import CAMELS, COLOURS, DECK, DRIVERS, JEWELS_PER_COLOUR
from khiva_arena.rng import Stream


def _shuffle(secret: bytes, purpose: str, ordinal: int, items: Iterable[int]) -> list[int]:
    result = list(items)
    Stream(secret, "silk_road", purpose, str(ordinal)).shuffle(result)
    return result


def goods(secret: bytes) -> list[int]:
    """Return all goods cards, in the order dealt."""
    return _shuffle(secret, "goods", 1, DECK)


def reshuffle(secret: bytes, ordinal: int, discard: Iterable[int]) -> list[int]:
    """Return a new pile, top first; ``ordinal`` is 2 for the first reshuffle."""
    return _shuffle(secret, "goods", ordinal, sorted(discard))


def tiles(secret: bytes, kinds: Iterable[int]) -> list[int]:
    """Return the tiles by village; ``kinds`` rise."""
    return _shuffle(secret, "tiles", 1, kinds)


def camels(secret: bytes) -> list[int]:
    """Return the camels in the order laid out."""
    return _shuffle(secret, "camels", 1, CAMELS)


def jewels(secret: bytes) -> list[int]:
    """Return the colours of the jewels in the order they leave the bag."""
    return _shuffle(
        secret, "jewels", 1, (c for c in range(len(COLOURS)) for _ in range(JEWELS_PER_COLOUR))
    )


def drivers(secret: bytes) -> list[int]:
    """Return the drivers in the order handed out: all five, however many play."""
    return _shuffle(secret, "drivers", 1, DRIVERS)
