"""Circular orders: who passes to whom. Chosen so that every ordered pair of neighbours
occurs equally over an event.

The N rotations of a table share one circular order, so a table gives N ordered pairs of
neighbours: seat i passes to i + 1. N bots have (N - 1)! circular orders. Seeds come in
blocks, in which every line-up plays a set of orders that holds each ordered pair
equally often, so that a whole block is exactly balanced for each line-up by itself:

===== ====== ====== ====================================================================
seats orders  block the orders of a block
===== ====== ====== ====================================================================
2          1      1 the only one
3          2      2 both
4          6      6 all: the arcs of K4* do not fall into three directed Hamiltonian
                    cycles (Tillson 1980), so no less will do
5         24      4 the powers 1..4 of one order, read as a 5-cycle; they hold each pair
                    once at *each* distance
6        120     10 a fixed set in which each pair occurs twice: like K4*, K6* does not
                    fall into cycles
7..10            N-1 a fixed set in which each pair occurs once, see
                    ``decompositions.py``
===== ====== ====== ====================================================================

Inside a block, orders are chosen seed by seed so that the event is near balance after
every seed, however many seeds there are: greedy in a random order of line-ups, then
threshold accepting (Dueck and Scheuer 1990), integers only. A block does not depend on
the others, so a resumed event starts at the block it needs.

The balance reached, with c the tables in which b sits next after a, and the fair share
f = (tables of a and b) / (N - 1), over all line-ups of 2 to 9 bots, after every seed
(tested):
- whole blocks: c = f for every pair, for every line-up by itself, copies and subsets of
  line-ups included;
- inside a block: |c - f| <= 1, that is equality plus or minus one.
Where f is a fraction, the search as a rule rounds every pair up or down. Where f is a
whole number some pairs may be at f - 1 and f + 1. With 4 bots on 4 seats after the
third seed of a block no choice avoids that (Tillson); for 3 seats and an even number of
bots, 4 seats and 6, 8, 9 bots, and 5 seats and 6, 7, 8 bots a choice with c = f may
exist that the bounded search does not always find. With 10 or more bots, or a part of
the line-ups, a few pairs may be off by a little more (4/3 at 4 seats, with the set of
``coverings`` for 6 bots).

From 6 seats on a line-up begins a block with one of ``LABELLINGS`` ways to read the
fixed set, all drawn, and has the rest of it after that. Whole blocks are exactly
balanced for each line-up by itself, as above; inside a block a pair may be off by up to
three tables (two with one bot more than there are seats; 7/3 with all line-ups of 10
bots at 7 seats).
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from operator import itemgetter
from typing import Any

import msgspec

from khiva_arena.rng import Stream

Order = tuple[int, ...]
BLOCK_SEEDS = {2: 1, 3: 2, 4: 6, 5: 4, 6: 10, 7: 6, 8: 7, 9: 8, 10: 9}
ALL_ORDERS_MOST = 5
"""The most seats with blocks of all orders or of powers: at larger tables a block is
one of the fixed sets of ``decompositions.py``.
"""
LABELLINGS = 12
_MOVES = 8_000  # of the search, for one seed: at most about 40 ms
_NEVER = 1 << 62


def circular_orders(seats: int) -> tuple[Order, ...]:
    """Return all (seats - 1)! circular orders of positions 0..seats-1, written from
    position 0.
    """
    return tuple((0, *rest) for rest in permutations(range(1, seats)))


def power(order: Order, d: int) -> Order:
    """Return every d-th of ``order``, written from position 0: the d-th power of the
    cycle. Of use if the number of seats is a prime.
    """
    seats = len(order)
    return tuple(order[d * i % seats] for i in range(seats))


def label_orders(seats: int, stream: Stream) -> tuple[tuple[Order, ...], ...]:
    """Return the fixed set of orders of so many positions, read in ``LABELLINGS`` ways
    that are drawn.
    """
    # not above: few tables are that large
    from khiva_arena.rating.schedule.decompositions import DECOMPOSITIONS

    sets = []
    for _ in range(LABELLINGS):
        labels = list(range(seats))
        stream.shuffle(labels)
        sets.append(
            tuple(_from_0([labels[place] for place in order]) for order in DECOMPOSITIONS[seats])
        )
    return tuple(sets)


def _from_0(order: Sequence[int]) -> Order:
    at = order.index(0)
    return (*order[at:], *order[:at])


def next_of(sets: Sequence[Sequence[Order]], orders_played: Sequence[Order]) -> tuple[Order, ...]:
    """Return the orders a line-up may play next in its block: at first the first order
    of any of these sets, then the rest of the set that was begun.
    """
    if not orders_played:
        return tuple(dict.fromkeys(orders[0] for orders in sets))
    orders_begun = next(orders for orders in sets if orders[0] == orders_played[0])
    return tuple(order for order in orders_begun if order not in orders_played)


def allowed_next(orders_played: Sequence[Order], seats: int) -> tuple[Order, ...]:
    """Return the orders a line-up may play next in its block, after ``orders_played``.

    5 seats: an order, its square or cube, the other of the two, and at last its fourth
    power, which is the order read backwards. So the pairs that are balanced after the
    first seed are balanced after the third one too.
    """
    if not orders_played or seats == 4:
        return tuple(order for order in circular_orders(seats) if order not in orders_played)
    powers = (2, 3) if seats == 5 and len(orders_played) < 3 else (seats - 1,)
    return tuple(
        order
        for order in (power(orders_played[0], d) for d in powers)
        if order not in orders_played
    )


class _Imbalance(msgspec.Struct):
    """The distance of each ordered pair from its fair share.

    above: by pair, (N - 1) * c - (tables of the pair), an integer.
    limit: N - 1; a pair with less than this, up or down, has its fair share, rounded.
    off: how many pairs do not.
    """

    above: list[int]
    limit: int
    off: int = 0

    def add(self, pairs: Sequence[int], amount: int) -> None:
        """Add an amount to each of these pairs: the limit for one more table in which
        they are neighbours.
        """
        above, limit, off = self.above, self.limit, self.off
        for p in pairs:
            old = above[p]
            new = above[p] = old + amount
            off += (-limit < old < limit) - (-limit < new < limit)
        self.off = off


def block_orders(
    line_ups: Sequence[tuple[int, ...]], key: bytes, block: int
) -> Iterator[tuple[Order, ...]]:
    """Yield the orders of each seed of a block, by line-up, as positions in the
    line-up.

    Positions are labels of their own, so that copies of a bot are treated alike; a bot
    next to its own copy counts nowhere.
    """
    seats = len(line_ups[0])
    together = [
        (a, b)
        for bots in line_ups
        for i, a in enumerate(bots)
        for j, b in enumerate(bots)
        if i != j and a != b
    ]
    index = {pair: i for i, pair in enumerate(dict.fromkeys(together))}
    imbalance = _Imbalance([0] * len(index), seats - 1)
    numbers = [index[pair] for pair in together]
    orders_played: list[list[Order]] = [[] for _ in line_ups]
    labels = Stream(key, "schedule", "labels", str(block))
    sets = [label_orders(seats, labels) for _ in line_ups] if seats > ALL_ORDERS_MOST else []
    for within in range(BLOCK_SEEDS[seats]):
        stream = Stream(key, "schedule", "orders", str(block), str(within))
        imbalance.add(numbers, -1)
        if sets:
            options = [
                next_of(orders_allowed, orders)
                for orders_allowed, orders in zip(sets, orders_played, strict=True)
            ]
        else:
            options = [allowed_next(orders, seats) for orders in orders_played]
        pairs = [
            [_neighbours(bots, order, index) for order in some]
            for bots, some in zip(line_ups, options, strict=True)
        ]
        picks = _choose(pairs, imbalance, stream)
        choice = tuple(some[pick] for some, pick in zip(options, picks, strict=True))
        for orders, order in zip(orders_played, choice, strict=True):
            orders.append(order)
        yield choice


def _neighbours(bots: Sequence[int], order: Order, index: dict[tuple[int, int], int]) -> list[int]:
    order_of_bots = [bots[p] for p in order]
    arcs = zip(order_of_bots, order_of_bots[1:] + order_of_bots[:1], strict=True)
    return [index[arc] for arc in arcs if arc[0] != arc[1]]


def _choose(
    pairs: Sequence[Sequence[Sequence[int]]], imbalance: _Imbalance, stream: Stream
) -> list[int]:
    """Return one option for each line-up, such that as few pairs as possible are off
    balance; ``imbalance`` then includes the choice.

    ``pairs[i][o]``: the pairs that option o of line-up i adds to.
    """
    picks = _greedy(pairs, imbalance, stream)
    if not imbalance.off or len(pairs[0]) == 1:
        return picks
    above, limit, below = imbalance.above, imbalance.limit, stream.below
    # an option has no pair or several, of which a getter makes a tuple
    readers = [
        [itemgetter(*option) if option else itemgetter(slice(0)) for option in options]
        for options in pairs
    ]
    squares = [[sum(map(option.count, option)) for option in options] for options in pairs]
    best, cost, lowest = picks.copy(), 0, 0
    for move in range(_MOVES):
        if not imbalance.off:
            return picks
        i = below(len(pairs))
        old, options = picks[i], pairs[i]
        for p in options[old]:
            above[p] -= limit
        sums = [sum(read(above)) for read in readers[i]]
        of_old, sums[old] = sums[old], _NEVER
        least = min(sums)
        ties = [o for o, total in enumerate(sums) if total == least]
        new = ties[below(len(ties))]
        for p in options[old]:
            above[p] += limit
        # of the sum of squares
        change = limit * (limit * (squares[i][new] - squares[i][old]) + 2 * (least - of_old))
        # a climb of two neighbours each one off passes in the first third, of one in
        # the second, then none does
        if change > 2 * limit**2 * (3 * (_MOVES - move) // _MOVES):
            continue
        imbalance.add(options[old], -limit)
        imbalance.add(options[new], limit)
        picks[i] = new
        cost += change
        if cost < lowest:
            best, lowest = picks.copy(), cost
    for options, pick, good in zip(pairs, picks, best, strict=True):
        imbalance.add(options[pick], -limit)
        imbalance.add(options[good], limit)
    return best


def _greedy(
    pairs: Sequence[Sequence[Sequence[int]]], imbalance: _Imbalance, stream: Stream
) -> list[int]:
    turn: list[Any] = list(range(len(pairs)))
    stream.shuffle(turn)
    picks = [0] * len(pairs)
    for i in turn:
        picks[i] = _pick(pairs[i], imbalance, stream)
        imbalance.add(pairs[i][picks[i]], imbalance.limit)
    return picks


def _pick(options: Sequence[Sequence[int]], imbalance: _Imbalance, stream: Stream) -> int:
    """Return the option whose pairs are furthest below their share; a tie is drawn."""
    above_of = imbalance.above.__getitem__
    costs = [sum(map(above_of, option)) for option in options]
    lowest = min(costs)
    ties = [o for o, cost in enumerate(costs) if cost == lowest]
    return ties[stream.below(len(ties))]
