"""Every question that Emira can ask, as frozen mappings made once and shared: an equal
question is an identical object.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import permutations
from types import MappingProxyType

from khiva_arena.games.base import Decision, Pending, Plain
from khiva_arena.games.emira.tables import (
    ACTIONS,
    CARAVANS,
    EVENTS,
    HIGHEST_BID,
    KINDS,
    MOST_BIDS,
    NAMES,
    STEP,
)

BySeat = tuple[Pending, ...]
"""A question as asked to each of the seats 0, 1, 2, 3, 4."""


def _by_seat(kind: str, entries: Iterable[list[Plain]]) -> BySeat:
    decision = Decision(kind, tuple(entries))
    return tuple(MappingProxyType({seat: decision}) for seat in range(5))


def _words(kind: str, *entries: Plain) -> BySeat:
    return _by_seat(kind, ([entry] for entry in entries))


_BIDS: list[list[Plain]] = [[bid] for bid in range(0, HIGHEST_BID + STEP, STEP)]


@lru_cache(maxsize=2048)
def bid(least: int, most: int, grant: bool) -> BySeat:
    """Make the question for a bid: pass, the grant if it may be taken now, then bids
    rising from ``least`` to ``most``.

    At most MOST_BIDS bids are listed.
    """
    first: list[list[Plain]] = [["pass"], ["grant"]] if grant else [["pass"]]
    amounts = _BIDS[least // STEP : min(most // STEP + 1, least // STEP + MOST_BIDS)]
    return _by_seat("bid", [*first, *amounts])


@cache
def action(mask: int) -> BySeat:
    """Make the question for an action: no action, then those of ``mask`` in their order
    (bit i is ACTIONS[i + 1]).
    """
    return _words("action", "none", *(name for i, name in enumerate(ACTIONS[1:]) if mask >> i & 1))


@lru_cache(maxsize=8192)
def play(mask: int) -> BySeat:
    """Make the question for an event card to play: none, then the event cards of
    ``mask`` in their order.
    """
    return _words("play", "none", *(name for i, name in enumerate(EVENTS) if mask >> i & 1))


@cache
def buy(most: int) -> BySeat:
    """Make the question how many cards to look at: none, two, or with enough gold and
    cards three.
    """
    return _words("buy", 0, 2, 3) if most == 3 else _words("buy", 0, 2)


@lru_cache(maxsize=8192)
def events(kind: str, cards: tuple[int, ...]) -> BySeat:
    """Make the question for one of these event cards, all different."""
    return _words(kind, *(EVENTS[card] for card in cards))


@lru_cache(maxsize=8192)
def first_event(cards: tuple[int, ...]) -> Decision:
    """Make the decision which dealt card to keep, for the one simultaneous question."""
    return events("first_event", cards)[0][0]


@lru_cache(maxsize=8192)
def emiras(kind: str, cards: tuple[int, ...]) -> BySeat:
    """Make the question for one of these Emiras."""
    return _words(kind, *(NAMES[card] for card in cards))


@lru_cache(maxsize=8192)
def numbers(kind: str, entries: tuple[int, ...]) -> BySeat:
    """Make the question for one of these numbers: status cards by price, incomes left
    of a caravan, places in a deck.
    """
    return _words(kind, *entries)


@lru_cache(maxsize=8192)
def pairs(kind: str, entries: tuple[tuple[int, int], ...]) -> BySeat:
    """Make the question for one of these pairs of numbers."""
    return _by_seat(kind, (list(entry) for entry in entries))


@lru_cache(maxsize=8192)
def caravans(entries: tuple[tuple[int, int], ...]) -> BySeat:
    """Make the question for one of the seat's own caravans: [type, incomes left]."""
    return _by_seat("caravan", ([CARAVANS[kind], left] for kind, left in entries))


@cache
def kinds(kind: str, which: tuple[int, ...]) -> BySeat:
    """Make the question for one of these kinds of appearance."""
    return _words(kind, *(KINDS[k] for k in which))


ORDER = {
    count: _by_seat("order", (list(order) for order in permutations(range(count))))
    for count in (2, 3)
}
"""Questions for the order in which to lay 2 or 3 cards, as positions in the old order,
which comes first.
"""
MIND = _words("mind", "keep", "swap", "bottom")
MIND_OF_SIDI = _words("mind", "keep", "bottom")
SPLIT = _words("split", "odd", "even")
VERMIN = _words("vermin", *CARAVANS)
GIFT = _words("gift", "refuse", "pay")
