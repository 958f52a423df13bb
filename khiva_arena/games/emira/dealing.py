"""Emira's chance: setup, the appearance counters, and the riots, each from a stream of
its own (RULES.md, "The deal").
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from khiva_arena.games.emira.tables import (
    COPIES,
    EMIRAS,
    EVENTS,
    EVENTS_DEALT,
    GOALS,
    KINDS,
    POINTS,
    RED,
    RED_CARD,
    RESTORATION,
    STATUS_CARDS,
    STATUS_ON_TOP,
    STATUS_OUT_3,
)
from khiva_arena.rng import Stream


class Events(NamedTuple):
    """The first deal of event cards."""

    dealt: list[list[int]]
    """Three cards of each seat, rising."""
    rest: list[int]
    """The other cards, rising."""


def _stream(secret: bytes, purpose: str, ordinal: int = 1) -> Stream:
    return Stream(secret, "emira", purpose, str(ordinal))


def _shuffle(stream: Stream, items: Iterable[int]) -> list[int]:
    result = list(items)
    stream.shuffle(result)
    return result


def colours(secret: bytes, seats: int) -> list[int]:
    """Return a colour for each seat (E14)."""
    return _shuffle(_stream(secret, "colours"), range(5))[:seats]


def start(secret: bytes, seats: int) -> int:
    """Return the seat that has the start marker first (E14)."""
    return _stream(secret, "start").below(seats)


def goals(secret: bytes, seats: int) -> list[int]:
    """Return a goal card for each seat, of the set for the number of players (E17)."""
    return _shuffle(_stream(secret, "goals"), range(len(GOALS[seats])))[:seats]


def emiras(secret: bytes) -> list[int]:
    """Return the Emira deck, top first (E17)."""
    return _shuffle(_stream(secret, "emiras"), range(len(EMIRAS)))


def status(secret: bytes, seats: int, owned: Sequence[int]) -> list[int]:
    """Return the status deck, top first: cards below 3 points on top, then all others
    (E15, E16).
    """
    cards = list(STATUS_CARDS)
    if RED in owned:
        cards.remove(RED_CARD)
    if seats == 3:
        for card in STATUS_OUT_3:
            cards.remove(card)
    small = _shuffle(_stream(secret, "status", 1), (card for card in cards if POINTS[card] < 3))
    top, rest = small[: STATUS_ON_TOP[seats]], small[STATUS_ON_TOP[seats] :]
    large = [card for card in cards if POINTS[card] == 3]
    return top + _shuffle(_stream(secret, "status", 2), sorted(rest + large))


def reshuffled_status(secret: bytes, ordinal: int, cards: Iterable[int]) -> list[int]:
    """Return the status deck after Noble Merchandise, for the ``ordinal``-th time from
    1 (E35).
    """
    return _shuffle(_stream(secret, "status", 2 + ordinal), sorted(cards))


def first_events(secret: bytes, seats: int, advanced: bool) -> Events:
    """Return three event cards for each seat and the rest; without Restoration in the
    basic game (E17).
    """
    deck = [
        card
        for card in range(len(EVENTS))
        for _ in range(COPIES)
        if advanced or card != RESTORATION
    ]
    deck = _shuffle(_stream(secret, "events", 1), deck)
    hands = range(0, seats * EVENTS_DEALT, EVENTS_DEALT)
    return Events(
        [sorted(deck[i : i + EVENTS_DEALT]) for i in hands], sorted(deck[seats * EVENTS_DEALT :])
    )


def events(secret: bytes, cards: Iterable[int]) -> list[int]:
    """Return the event deck, top first, once each seat has kept a card (E17)."""
    return _shuffle(_stream(secret, "events", 2), sorted(cards))


def appearance(secret: bytes, ordinal: int, bag: Sequence[int]) -> int:
    """Return the kind of the counter drawn in round ``ordinal``; the bag is by kind
    (E20).
    """
    counters = [kind for kind in range(len(KINDS)) for _ in range(bag[kind])]
    return counters[_stream(secret, "appearance", ordinal).below(len(counters))]


class Riot:
    """The draws of princesses who leave in one upkeep failure, one by one (E9)."""

    def __init__(self, secret: bytes, ordinal: int) -> None:
        self._leave = _stream(secret, "riot", ordinal)
        self._under = _stream(secret, "under", ordinal)

    def draw(self, palace: Iterable[int]) -> int:
        """Draw and return one of the princesses."""
        cards = sorted(palace)
        return cards[self._leave.below(len(cards))]

    def order(self, princesses: Iterable[int]) -> list[int]:
        """Return the princesses who left in the order in which they go under the
        deck.
        """
        return _shuffle(self._under, sorted(princesses))
