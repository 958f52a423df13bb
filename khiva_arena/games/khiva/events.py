"""The events of Khiva, with a maker for each type, which also decides the seats that
see it.

Events that recur, some thousands in all, are made once and shared: an event is to be
read and never changed. RULES.md has the table of events.
"""

from collections.abc import Sequence
from functools import cache

from khiva_arena.games.base import Event
from khiva_arena.games.khiva.tables import CARPET_FACE, FACE, PLACE_FACE, SALT_BAGS

Cards = tuple[int, ...]
_face = FACE.__getitem__


def setup(loads: Sequence[int]) -> Event:
    """Make the event of the setup: teapots on the camels, by camel, and the salt pile,
    top first.
    """
    return Event({"type": "setup", "teapots": list(loads), "salts": list(SALT_BAGS)})


def deal(ordinal: int, each: int, aside: int) -> Event:
    """Make the event that begins a deal: the number of new cards a hand, and of cards
    that lie aside face down.
    """
    return Event({"type": "deal", "deal": ordinal, "each": each, "aside": aside})


def hand(seat: int, cards: Sequence[int]) -> Event:
    """Make the event of a seat's new cards, which that seat alone sees."""
    return Event({"type": "hand", "seat": seat, "cards": list(map(_face, cards))}, (seat,))


def shown(cards: Sequence[int]) -> Event:
    """Make the event of cards put aside face up (K21)."""
    return Event({"type": "shown", "cards": list(map(_face, cards))})


@cache
def passed(seat: int, left: int, cards: Cards) -> Event:
    """Make the event of passed cards, which giver and receiver alone see (K1)."""
    return Event(
        {"type": "pass", "seat": seat, "to": left, "cards": list(map(_face, cards))}, (seat, left)
    )


def reveal(turn: int, cards: Sequence[Cards]) -> Event:
    """Make the event of the cards played, by seat."""
    return Event(
        {"type": "reveal", "turn": turn, "cards": [list(map(_face, played)) for played in cards]}
    )


@cache
def stay(camel: int, why: str) -> Event:
    """Make the event of a camel that does not move, with the reason: no_card, overshoot
    (O4) or declined (O11).
    """
    return Event({"type": "stay", "camel": camel, "why": why})


def win(camel: int, seat: int, card: int, rejected: Sequence[tuple[int, int]]) -> Event:
    """Make the event of a seat that wins a camel; ``rejected`` are the other cards and
    their seats.
    """
    losers = [[loser, FACE[bid]] for bid, loser in rejected]
    return Event(
        {"type": "win", "camel": camel, "seat": seat, "card": FACE[card], "rejected": losers}
    )


@cache
def win_alone(camel: int, seat: int, card: int) -> Event:
    """Make the event of a seat that wins a camel for which nobody else played."""
    return win(camel, seat, card, ())


@cache
def gems(seat: int, count: int, why: str) -> Event:
    """Make the event of gems gained, with the reason: rejected (K3) or shop (K9)."""
    return Event({"type": "gems", "seat": seat, "count": count, "why": why})


@cache
def move(camel: int, seat: int, boost: int, start: int, stop: int) -> Event:
    """Make the event of a camel that moves; ``boost`` gems are paid."""
    places = {"from": PLACE_FACE[start], "to": PLACE_FACE[stop]}
    return Event({"type": "move", "camel": camel, "seat": seat, "boost": boost, **places})


@cache
def carpet(seat: int, code: int) -> Event:
    """Make the event of the top carpet being drawn."""
    return Event({"type": "carpet", "seat": seat, "carpet": CARPET_FACE[code]})


@cache
def top(colour: int) -> Event:
    """Make the event of the colour of the carpet that now lies on top, if that colour
    can be seen (O7).
    """
    return Event({"type": "top", "colour": colour})


@cache
def salt(seat: int, bag: int) -> Event:
    """Make the event of the top salt bag being bought for 3 gems."""
    return Event({"type": "salt", "seat": seat, "salt": bag})


@cache
def nothing(seat: int) -> Event:
    """Make the event of a shop that gives nothing: its pile is empty (K17), or the
    mover declines (O11).
    """
    return Event({"type": "nothing", "seat": seat})


def deliver(camel: int, seat: int, teapot: int, carpets: Sequence[int], load: int) -> Event:
    """Make the event of a camel that comes home to an outpost and goes back loaded with
    ``load``, 0 when bare.
    """
    faces = [CARPET_FACE[code] for code in carpets]
    return Event(
        {
            "type": "deliver",
            "camel": camel,
            "seat": seat,
            "teapot": teapot,
            "carpets": faces,
            "load": load,
        }
    )


def last_turn(cause: str) -> Event:
    """Make the event of the end being triggered (K16)."""
    return Event({"type": "last_turn", "cause": cause})


def end(cause: str, scores: Sequence[int], ranks: Sequence[int]) -> Event:
    """Make the event of the end of the match."""
    return Event({"type": "end", "cause": cause, "scores": list(scores), "ranks": list(ranks)})
