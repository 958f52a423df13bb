"""Observations of khiva_arena.env, many at once, as what lies open and what may be hidden.

Seats are counted from the seat that acts: 0 is itself, 1 its left neighbour. Shapes are written with N observations and S seats;
5 is the number of camels, which are the colours, and of card values. A place is 0 for the tent and 6 * seat + shop for the rest.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from network import multiplies

from khiva_arena.env.coding import Coding
from khiva_arena.games.khiva.tables import SALT_BAGS
from khiva_arena.games.khiva.variants import compile_rules

NONE = 9
"""In place of a card's value: no card."""
MOST_LANDS = 6
FLOAT = np.float32


class Table(NamedTuple):
    """What N seats see.

    hand, hidden: (N, 5, 5) by colour and value, 1 for a card that the seat holds, that it has never seen.
    held: (N, S, 5, 5), how likely each seat holds each card.
    sizes, gems, scores: (N, S), cards in hand, gems, points.
    places, loads: (N, 5), of camels.
    carpets: (N, S, 5), points of undelivered carpets.
    played: (N, S, 5), the lowest card on the table by seat and colour, or NONE.
    piles: (N, 4), how many teapots, carpets and salt bags are left, the points of the top bag.
    ends: (N, 1), 1 in the last turn.
    asked: (N, 3), 1 for a choice of cards, of a boost, at shop 4.
    card: (N, 2), colour and value of the card that is asked about.
    lands: (N, 6), where the camel would stop by boost; 0 after the last.
    """

    hand: Any
    hidden: Any
    held: Any
    sizes: Any
    gems: Any
    scores: Any
    places: Any
    loads: Any
    carpets: Any
    played: Any
    piles: Any
    ends: Any
    asked: Any
    card: Any
    lands: Any


class Reader:
    """Reads the observations of a seat count under some rules."""

    def __init__(self, coding: Coding, seats: int, rules: Mapping[str, Any]) -> None:
        self.seats = seats
        self.parts = {part.key: slice(part.start, part.start + part.size) for part in coding.parts}
        ruleset = compile_rules(rules)
        self.teapots, self.bags = np.array(ruleset.teapots, FLOAT), np.array(SALT_BAGS, FLOAT)
        self.carpets = np.zeros((len(ruleset.carpets), 5), FLOAT)
        for row, code in enumerate(ruleset.carpets):
            self.carpets[row, code // 10] = code % 10

    @multiplies
    def read(self, observations: Any) -> Table:
        """Return what N observations say."""
        part = {key: observations[:, where] for key, where in self.parts.items()}
        rows, seats = np.arange(len(observations))[:, None], self.seats
        me = part["seat"].argmax(axis=1)[:, None]
        order = (me + np.arange(seats)) % seats

        def there(key: str, points: Any) -> Any:
            """Return the points of pieces by seat, from the seat that acts on."""
            return (_there(part[key]).reshape(len(rows), seats, -1) @ points)[rows, order]

        carpets, gems, sizes = there("carpets", self.carpets), part["gems"][rows, order], part["hands"][rows, order]
        delivered = there("delivered", self.carpets).sum(axis=2)
        scores = gems + delivered + there("teapots", self.teapots) + there("salts", self.bags)
        camels = part["camels"].reshape(len(rows), 5, -1)
        hand, shown = part["hand"], part["shown"] if part["shown"].shape[1] else 0.0
        hidden = 1.0 - _there(hand + part["discard"] + shown)
        salts, ask = part["salts_left"], part["ask"]
        piles = [
            part["teapots_left"].sum(axis=1),
            part["carpets_left"].sum(axis=1),
            salts.sum(axis=1),
            (salts * self.bags).max(axis=1),
        ]
        face, lands = ask[:, 9 + seats : 34 + seats].argmax(axis=1), ask[:, 34 + seats :].astype(int)
        return Table(
            hand=_by_colour(hand),
            hidden=_by_colour(hidden),
            held=self._held(hidden, part["passed"].reshape(len(rows), 25, -1), sizes, order),
            sizes=sizes,
            gems=gems,
            scores=scores,
            places=_turned_place(camels[:, :, :-1].argmax(axis=2), me, seats),
            loads=camels[:, :, -1],
            carpets=carpets,
            played=_lowest(part["table"].reshape(len(rows), seats, 25)[rows, order]),
            piles=np.stack(piles, axis=1),
            ends=part["ending"].max(axis=1, keepdims=True),
            asked=np.concatenate([1.0 - ask[:, :1], ask[:, 2:4]], axis=1),
            card=np.stack([face % 5, 5 - face // 5], axis=1),
            lands=_turned_place(np.maximum(lands - 1, 0), me, seats),
        )

    def _held(self, hidden: Any, passed: Any, sizes: Any, order: Any) -> Any:
        """Return (N, S, 5, 5): a card that was passed is with one of the seats that may hold it, any other anywhere."""
        known = np.zeros((len(hidden), self.seats, 25), FLOAT)
        for holder in range(2, passed.shape[2]):
            known += passed[:, None, :, holder] == order[:, :, None] + 1
        holders = known.sum(axis=1)
        known /= np.maximum(holders, 1.0)[:, None]
        loose = hidden * (holders == 0)
        share = np.clip((sizes - known.sum(axis=2)) / np.maximum(loose.sum(axis=1, keepdims=True), 1.0), 0.0, 1.0)
        share[:, 0] = 0.0
        return _by_colour(known + share[:, :, None] * loose[:, None])


def _there(places: Any) -> Any:
    """Return 1 for what is there, 0 for what is not."""
    return (places > 0).astype(FLOAT)


def _by_colour(cards: Any) -> Any:
    """Return (..., 5, 5) by colour and value of (..., 25) cards in the order of a hand."""
    return cards.reshape(*cards.shape[:-1], 5, 5)[..., ::-1, :].swapaxes(-1, -2)


def _lowest(cards: Any) -> Any:
    """Return (N, S, 5): the lowest value of (N, S, 25) cards by colour, or NONE."""
    values = _by_colour(cards) > 0
    return np.where(values.any(axis=3), values.argmax(axis=3) + 1, NONE)


def _turned_place(number: Any, me: Any, seats: int) -> Any:
    """Return places of their numbers in an observation: 0 for the tent, then five of each seat."""
    seat, shop = np.divmod(number - 1, 5)
    return np.where(number == 0, 0, 6 * ((seat - me) % seats) + shop + 1)
