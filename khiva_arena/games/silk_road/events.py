"""The events of Silk Road, with a maker for each type, which also decides the seats
that see it.

Events that recur are made once and shared: an event is to be read and never changed.
RULES.md has the table of events.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from khiva_arena.games.base import Event, Plain


def setup(
    tiles: Mapping[str, str],
    caravans: Sequence[Sequence[Plain]],
    queue: Sequence[int],
    jewels: Mapping[str, Sequence[int]],
    drivers: Sequence[int],
) -> Event:
    """Make the event of the table's layout; caravans are [place, target, camels]."""
    return Event(
        {
            "type": "setup",
            "tiles": dict(tiles),
            "caravans": [list(caravan) for caravan in caravans],
            "queue": list(queue),
            "jewels": {city: list(colours) for city, colours in jewels.items()},
            "drivers": list(drivers),
        }
    )


def hand(seat: int, goods: Sequence[int]) -> Event:
    """Make the event of the first hand of one seat, which alone sees it."""
    return Event({"type": "hand", "seat": seat, "goods": list(goods)}, (seat,))


def turn(ordinal: int, seat: int) -> Event:
    """Make the event that begins a seat's turn."""
    return Event({"type": "turn", "turn": ordinal, "seat": seat})


@lru_cache(maxsize=16384)
def move(seat: int, good: int, count: int, size: int, start: str, place: str) -> Event:
    """Make the event of a seat that plays cards to its display and moves a caravan (S2,
    S3).
    """
    return Event(
        {
            "type": "move",
            "seat": seat,
            "good": good,
            "count": count,
            "size": size,
            "from": start,
            "place": place,
        }
    )


@cache
def take(seat: int, good: int) -> Event:
    """Make the event of an open card that goes to a hand."""
    return Event({"type": "take", "seat": seat, "good": good})


@cache
def draw(seat: int) -> Event:
    """Make the event of a card from the pile that goes to a hand."""
    return Event({"type": "draw", "seat": seat})


@cache
def drawn(seat: int, good: int) -> Event:
    """Make the event of the card that a seat drew; that seat alone sees it."""
    return Event({"type": "drawn", "seat": seat, "good": good}, (seat,))


@cache
def no_card(seat: int) -> Event:
    """Make the event of nothing being left to draw or to take (S16)."""
    return Event({"type": "no_card", "seat": seat})


@cache
def skip(seat: int) -> Event:
    """Make the event of a seat that does not take a card that it could."""
    return Event({"type": "skip", "seat": seat})


@cache
def refill(goods: tuple[int, ...]) -> Event:
    """Make the event of cards from the pile that join the open ones (S5)."""
    return Event({"type": "refill", "goods": list(goods)})


def reshuffle(ordinal: int, counts: Sequence[int]) -> Event:
    """Make the event of the discards becoming the new pile: counts by good (S16)."""
    return Event({"type": "reshuffle", "shuffle": ordinal, "counts": list(counts)})


@cache
def action(place: str, tile: str) -> Event:
    """Make the event of a caravan that stops at a village."""
    return Event({"type": "action", "place": place, "tile": tile})


@cache
def nothing(tile: str) -> Event:
    """Make the event of a village's action that has no effect."""
    return Event({"type": "nothing", "tile": tile})


@cache
def discard(seat: int, source: str, good: int, why: str) -> Event:
    """Make the event of a card that goes from a hand or a display to the discard
    pile.
    """
    return Event({"type": "discard", "seat": seat, "from": source, "good": good, "why": why})


@cache
def rob(seat: int, victim: int, good: int) -> Event:
    """Make the event of a card that changes displays (S12)."""
    return Event({"type": "rob", "seat": seat, "victim": victim, "good": good})


@cache
def salvage(seat: int, source: str, good: int) -> Event:
    """Make the event of the end of the robber's chain: the top card of discard or pile
    goes to a display (S12).
    """
    return Event({"type": "salvage", "seat": seat, "from": source, "good": good})


@cache
def name(seat: int, good: int) -> Event:
    """Make the event of a good of the three that will be given being named, in the
    bazaar (S13).
    """
    return Event({"type": "name", "seat": seat, "good": good})


@cache
def buy(seat: int, good: int) -> Event:
    """Make the event of an open card that goes to a display: baksheesh (S13)."""
    return Event({"type": "buy", "seat": seat, "good": good})


@cache
def market(kind: str, size: int, place: str) -> Event:
    """Make the event that begins a market, with its kind (S7, S17)."""
    return Event({"type": "market", "kind": kind, "size": size, "place": place})


@cache
def decline(seat: int, camel: int) -> Event:
    """Make the event of a seat that does not sell (S15)."""
    return Event({"type": "decline", "seat": seat, "camel": camel})


@cache
def sale(seat: int, camel: int, count: int) -> Event:
    """Make the event of a seat that sells the good of a camel: ``count`` cards go from
    its display to the discard pile (S7, S9).
    """
    return Event({"type": "sale", "seat": seat, "camel": camel, "count": count})


@cache
def unsold(camel: int) -> Event:
    """Make the event of a camel whose good nobody sells (S7, S9, S15)."""
    return Event({"type": "unsold", "camel": camel})


@cache
def jewel(seat: int, colour: int) -> Event:
    """Make the event of a seat that takes a jewel of the city."""
    return Event({"type": "jewel", "seat": seat, "colour": colour})


@cache
def swap(one: int, other: int) -> Event:
    """Make the event of two seats that change drivers (S7)."""
    return Event({"type": "swap", "seats": [one, other]})


@cache
def colourless(seat: int) -> Event:
    """Make the event of a seat that gets a colourless jewel."""
    return Event({"type": "colourless", "seat": seat})


@cache
def marker(seat: int) -> Event:
    """Make the event of three colourless jewels becoming a marker (S14)."""
    return Event({"type": "marker", "seat": seat})


@cache
def stable(camel: int) -> Event:
    """Make the event of a camel that goes to the tail of the caravanserai."""
    return Event({"type": "stable", "camel": camel})


@cache
def join(camel: int, size: int) -> Event:
    """Make the event of the head of the caravanserai joining a caravan (S9)."""
    return Event({"type": "join", "camel": camel, "size": size})


def removed(source: str, colours: Sequence[int]) -> Event:
    """Make the event of jewels that leave the game, from a city or the bag."""
    return Event({"type": "removed", "from": source, "colours": list(colours)})


def caravan(
    size: int, place: str, camels: Sequence[int], target: str, colours: Sequence[int]
) -> Event:
    """Make the event of a new caravan that sets out, with the jewels laid on its target
    (S8).
    """
    return Event(
        {
            "type": "caravan",
            "size": size,
            "place": place,
            "camels": list(camels),
            "target": target,
            "colours": list(colours),
        }
    )


def retire(size: int) -> Event:
    """Make the event that no new caravan of this size sets out: the bag is short of
    jewels, or the end has begun (S17).
    """
    return Event({"type": "retire", "size": size})


@cache
def lay_out(seat: int, good: int, count: int) -> Event:
    """Make the event of a seat that adds cards of its hand to its display before the
    last market (S17).
    """
    return Event({"type": "lay_out", "seat": seat, "good": good, "count": count})


def end(cause: str, scores: Sequence[int], ranks: Sequence[int]) -> Event:
    """Make the event of the end of the match."""
    return Event({"type": "end", "cause": cause, "scores": list(scores), "ranks": list(ranks)})
