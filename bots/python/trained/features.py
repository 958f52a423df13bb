"""What the trained policy looks at: the position, and each option of the decision, as numbers.

An option is a card of the hand, or an answer to a question in the middle of a turn. Shapes and seats are those of table.py, with
K options. What is reckoned here in points goes the way of the greedy bot, bots/python/shared; what that is worth is learnt.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from network import multiplies
from table import FLOAT, MOST_LANDS, NONE, Reader, Table

from khiva_arena.env.coding import Coding
from khiva_arena.games.khiva.tables import FIRST_HAND, KEPT, OUTPOST, SALT_PRICE, WALKS

LONGEST_WALK, MOST_STEPS, BOOSTS = 9, 7, 3
NEAR = np.array([0.0, 0.22, 0.22, 0.20, 0.18, 0.06, 0.03, 0.0, 0.0, 0.0], FLOAT)
GEM, CARPET, TEMPER = 1.5, 2.0, 2.0
SHOP_GAIN = np.array([0.0, GEM, CARPET, 2 * GEM, 0.0, 0.0], FLOAT)
ONE_OF = np.eye(9, dtype=FLOAT)
OPTION = 64
"""How many numbers an option has."""


class Features:
    """The features of a seat count.

    options: K, the most options of a decision.
    """

    def __init__(self, coding: Coding, seats: int, rules: Mapping[str, Any]) -> None:
        self.reader = Reader(coding, seats, rules)
        self.seats, self.plays = seats, KEPT[seats]
        self.options = max(FIRST_HAND[seats], MOST_LANDS)
        self.slots = np.array(rules["gem_slots"])
        walks = [row[: 6 * seats] for row in WALKS[rules["khiva_spaces"]][:seats]]
        # By seat and place: the way to the seat's outpost, which goes on there for ever.
        self.walk = np.array(
            [[(*walk, *[6 * seat + OUTPOST] * 9)[:LONGEST_WALK] for walk in row] for seat, row in enumerate(walks)]
        )
        # By place and seat: how far the outpost is, and what a point is worth at that distance.
        self.far = np.minimum([[len(walk) for walk in row] for row in walks], LONGEST_WALK).T.astype(int)
        self.near = NEAR[self.far]

    def read(self, observations: Any) -> tuple[Any, Any]:
        """Return positions (N, numbers) and options (N, K, numbers) of N observations."""
        table = self.reader.read(observations)
        cargo = table.loads[:, None] + table.carpets
        lands = self._lands(table)
        promise = self._promise(cargo)
        worth = self._worth(table, cargo, lands, promise)
        risk = self._risk(table, worth)
        wins = _before(1.0 - risk)
        position = self._position(table, cargo, worth, wins)
        options = np.zeros((len(position), self.options, OPTION), FLOAT)
        colour, value = self._shown(table)
        options[:, :, :5], options[:, :, 5:10] = ONE_OF[value, :5], ONE_OF[colour, :5]
        cards = self._cards(table, worth, wins, risk, lands[:, 0], colour, value)
        for number, column in enumerate(cards, 10):
            options[:, :, number] = column
        for number, column in enumerate(self._answers(table, cargo, promise), 10 + len(cards)):
            options[:, :MOST_LANDS, number] = column
        return position, options

    # --- what cards and places are worth, in points ---

    def _lands(self, table: Table) -> Any:
        """Return (N, S, 5, 7): where a camel stops that a seat moves on by 1 to 7 free places."""
        count, places = len(table.places), 6 * self.seats
        rows = np.arange(count)[:, None]
        taken = np.zeros((count, places), np.int8)
        taken[rows, table.places] = 1
        taken[:, 0] = 0
        ways = self.walk[np.arange(self.seats)[:, None], table.places[:, None]]
        free = np.cumsum(1 - np.take(taken, ways + places * rows[:, :, None, None], mode="clip"), axis=3, dtype=np.int64)
        lands = np.broadcast_to((6 * np.arange(self.seats) + OUTPOST)[:, None, None], (*ways.shape[:3], LONGEST_WALK + 1)).copy()
        # The nearest place with so many free ones up to it: written last.
        at = free + (LONGEST_WALK + 1) * np.arange(free.size // LONGEST_WALK).reshape(*free.shape[:3], 1)
        for step in range(LONGEST_WALK - 1, -1, -1):
            lands.ravel()[at[..., step]] = ways[..., step]
        return lands[..., 1 : MOST_STEPS + 1]

    @multiplies
    def _promise(self, cargo: Any) -> Any:
        """Return (N, S, 5, places): what a camel there promises a seat, less what it promises the others on average."""
        every = (self.near @ cargo).swapaxes(1, 2) / (self.seats - 1)
        own = cargo[..., None] * (self.near.T * FLOAT(self.seats / (self.seats - 1)))[:, None]
        return own - every[:, None]

    def _worth(self, table: Table, cargo: Any, lands: Any, promise: Any) -> Any:
        """Return (N, S, 5, 5): what it is worth to a seat to win with a card, by colour and value. Never less than 0."""
        row = promise.shape[3] * np.arange(cargo.size).reshape(*cargo.shape, 1)
        here = np.take(promise, row + table.places[:, None, :, None], mode="clip")
        shops = lands % 6
        there = np.where(shops == OUTPOST, cargo[..., None], np.take(promise, row + lands, mode="clip"))
        gain = SHOP_GAIN[shops] + there - here
        fourth = (shops == 4).astype(FLOAT)
        salt = np.maximum(CARPET, table.piles[:, 3:4] - SALT_PRICE * GEM)
        worth = np.zeros((*cargo.shape, 5), FLOAT)
        for boost in range(BOOSTS):
            bag = np.where(table.gems - boost >= SALT_PRICE, salt, FLOAT(CARPET))[:, :, None, None]
            points = gain[..., boost : boost + 5] + (bag * fourth[..., boost : boost + 5] - FLOAT(GEM * boost))
            points *= (table.gems >= boost)[:, :, None, None] & (self.slots >= boost)
            np.maximum(worth, points, out=worth)
        return worth

    def _risk(self, table: Table, worth: Any) -> Any:
        """Return (N, 5, 5): how likely another seat plays a card this turn."""
        appeal = np.exp(np.minimum(worth, FLOAT(40.0)) / FLOAT(TEMPER))
        usual = (appeal * table.hidden[:, None]).sum(axis=(2, 3)) / np.maximum(table.hidden.sum(axis=(1, 2)), 1.0)[:, None]
        rest = np.maximum(table.sizes - 1.0, 0.0) * usual
        picks = np.minimum(self.plays * appeal / (appeal + rest[:, :, None, None]), FLOAT(1.0))
        return 1.0 - (1.0 - table.held * picks).prod(axis=1)

    # --- features ---

    def _position(self, table: Table, cargo: Any, worth: Any, wins: Any) -> Any:
        """Return (N, numbers) about the position as a whole."""
        count = len(cargo)
        held = table.hand.sum(axis=2)
        lowest = np.where(held > 0, 5.0 - table.hand.argmax(axis=2), 0.0)
        hopes = (table.hand * (wins * (worth[:, 0] - GEM) + GEM)).reshape(count, -1)
        best = table.played.min(axis=1, keepdims=True)
        columns = [
            table.asked,
            ONE_OF[table.sizes[:, 0].astype(int)],
            table.piles / (22, 15, 5, 10),
            1.0 / (1.0 + table.piles[:, :3]),
            table.ends,
            (table.scores[:, :1] - table.scores[:, 1:]) / 10.0,
            table.scores[:, :1] / 50.0,
            table.gems / 5.0,
            table.gems >= SALT_PRICE,
            table.loads / 5.0,
            table.places == 0,
            self.far[table.places].reshape(count, -1) / 5.0,
            cargo.reshape(count, -1) / 10.0,
            self.near[table.places].reshape(count, -1) * 5.0,
            ((table.played == best) & (best < NONE)).reshape(count, -1),
            held / 2.0,
            lowest / 5.0,
            hopes.sum(axis=1, keepdims=True) / 10.0,
            hopes.max(axis=1, keepdims=True) / 5.0,
        ]
        return np.concatenate([column.astype(FLOAT) for column in columns], axis=1)

    def _shown(self, table: Table) -> tuple[Any, Any]:
        """Return (N, K) colours and (N, K) values - 1: the hand in its order, or again and again the card that is asked about."""
        in_order = table.hand[:, :, ::-1].swapaxes(1, 2).reshape(-1, 25)
        cards = np.argsort(1.0 - in_order, axis=1, kind="stable")[:, : self.options]
        asks = table.asked[:, :1] == 0
        colour, value = table.card[:, :1], table.card[:, 1:]
        return np.where(asks, colour, cards % 5), np.where(asks, value - 1, 4 - cards // 5)

    def _cards(self, table: Table, worth: Any, wins: Any, risk: Any, lands: Any, colour: Any, value: Any) -> list[Any]:
        """Return columns (N, K) about the cards of these colours and values."""
        rows, gems = np.arange(len(colour))[:, None], table.gems[:, :1]
        load, own = table.loads[rows, colour], table.carpets[:, 0][rows, colour]
        far = self.far[table.places][rows, colour]
        columns = [load / 5.0, own / 5.0, table.carpets[:, 1:].max(axis=1)[rows, colour] / 5.0]
        columns += [far[:, :, 0] / 5.0, far[:, :, 1] / 5.0, far[:, :, 1:].min(axis=2) / 5.0]
        slots = self.slots[colour, value]
        for boost in range(BOOSTS):
            can = ((gems >= boost) & (slots >= boost)).astype(FLOAT)
            to = lands[rows, colour, value + boost]
            home = can * (to == OUTPOST)
            columns += [
                *(can * (to % 6 == shop) for shop in range(1, OUTPOST)),
                home,
                home * (load + own) / 5.0,
                can * (to > OUTPOST),
            ]
        mine, others = worth[:, 0][rows, colour, value], worth[:, 1:].swapaxes(1, 3)[rows, value, colour]
        wins, held = wins[rows, colour, value], table.hand.cumsum(axis=2)[rows, colour, value]
        strongest = (risk * worth[:, 1:].max(axis=1)).sum(axis=2)[rows, colour]
        return [
            *columns,
            mine / 5.0,
            others[:, :, 0] / 5.0,
            others.max(axis=2) / 5.0,
            others.mean(axis=2) / 5.0,
            wins,
            wins * mine / 5.0,
            _before(1.0 - table.held.sum(axis=1))[rows, colour, value],
            _before_sum(table.hidden)[rows, colour, value] / 2.0,
            held - 1.0,
            table.hand.sum(axis=2)[rows, colour] - held,
            strongest / 5.0,
            risk.sum(axis=2)[rows, colour],
        ]

    def _answers(self, table: Table, cargo: Any, promise: Any) -> list[Any]:
        """Return columns (N, 6) about answers: zeros where cards are chosen."""
        rows, camel, boost = np.arange(len(cargo))[:, None], table.card[:, :1], np.arange(MOST_LANDS)
        lands, is_shop, bag = table.lands, table.asked[:, 2:], table.piles[:, 3:]
        is_boost, home = table.asked[:, 1:2] * (lands > 0), lands == OUTPOST
        left = np.maximum(table.gems[:, :1] - boost, 0.0)
        return [
            is_boost * boost / 5.0,
            *(is_boost * (lands % 6 == shop) for shop in range(1, OUTPOST + 1)),
            is_boost * (lands > OUTPOST),
            is_boost * home * cargo[:, 0][rows, camel] / 5.0,
            is_boost * ~home * promise[:, 0][rows, camel, lands] / 5.0,
            is_boost * left / 5.0,
            is_boost * (left >= SALT_PRICE),
            is_boost * (lands % 6 == 4) * (left >= SALT_PRICE) * bag / 10.0,
            is_shop * (boost == 0),
            is_shop * (boost == 1),
            is_shop * (boost == 1) * bag / 10.0,
        ]


def _before(spared: Any) -> Any:
    """Return (N, 5, 5): the product over all lower cards of a colour."""
    product = np.ones_like(spared)
    np.cumprod(spared[..., :-1], axis=-1, out=product[..., 1:])
    return product


def _before_sum(cards: Any) -> Any:
    """Return (N, 5, 5): the sum over all lower cards of a colour."""
    return cards.cumsum(axis=-1) - cards
