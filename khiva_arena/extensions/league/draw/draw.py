"""The draw of a league's batch: a pure function of the roster, of counts and of a
public key, in integers.

Who meets whom depends on how often bots sat, waited and met, and not on who won. A draw
that follows results selects the lucky and never measures them again, so that errors of
ratings become too small (docs/how-ratings-work.md has figures).

1. *Floor*: each active bot gets one seat. If a batch may not have so many tables, the
   anchors and half of the others do. Those come first that did not sit in their last
   batch, all of them, and then those with the fewest tables. So nobody waits for two
   batches in a row.
2. *More*: seats that are left at these tables, and a quarter more tables, go to the
   bots with the fewest tables so far.
3. *Line-ups*: seats are shuffled and cut into tables. Bots are exchanged only where
   versions of one family, or bots of one author, would meet, or two bots that met too
   often of late.
4. *Orders*: each table gets the circular order whose neighbours have been neighbours
   least often.

Every tie is decided by the stream of the key.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations

import msgspec

from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.draw.counts import RECENT_BATCHES, Counts
from khiva_arena.rating.schedule.grouping import Tables, exchange_seats
from khiva_arena.rng import Stream

CircularOrder = tuple[int, ...]
_Pair = tuple[int, int]
MORE_TABLES = 4
"""One table more for so many of the floor."""
MOST_EXTRA = 3
"""The most seats of a bot in a batch beside its first."""
ATTEMPTS = 6
"""The most times that the line-ups are mended: after the first, for pairs that meet
several times in this very batch.
"""
_FAMILY, _AUTHOR = 10**12, 10**6
_ALL_ORDERS_SEATS, _ORDERS_TRIED = 5, 24


class Active(msgspec.Struct, frozen=True):
    """A bot of the roster that a batch may seat.

    identity: of the bot.
    family: the random id of the family that it is a version of.
    author: the random id of its author, "" for an anchor.
    """

    identity: str
    family: str
    author: str


class BatchShape(msgspec.Struct, frozen=True):
    """The shape of a league's batches.

    seats: at a table.
    most_tables: of the floor; None for as many as it takes to seat everybody.
    authors_apart: whether bots of one author meet only if there is no other way.
    """

    seats: int
    most_tables: int | None = None
    authors_apart: bool = True


def draw(
    bots: Sequence[Active],
    counts: Counts,
    shape: BatchShape,
    key: bytes,
) -> tuple[CircularOrder, ...]:
    """Return the tables of the next batch, each the positions of its bots in their
    circular order.

    bots: the active ones, in the order of the batch's definition.
    counts: over all batches before.
    key: 32 bytes, the digest of the batch before.

    Raises ConfigError if the bots cannot fill a table without two versions of a family.
    """
    families = Counter(bot.family for bot in bots)
    check_families(len(families), shape.seats)
    seats = _seats(bots, counts, shape, key)
    tables = _line_ups(seats, bots, counts, shape, key)
    return _orders(tables, bots, counts, key)


# --- who sits ---


def _floor_tables(bots: Sequence[Active], counts: Counts, shape: BatchShape) -> int:
    """Return how many tables seat each bot once, or fewer if a batch may not have so
    many. These seat the anchors and half of the others, or all that did not sit in
    their last batch if they are more.
    """
    tables = -(-len(bots) // shape.seats)
    if shape.most_tables is None or tables <= shape.most_tables:
        return tables
    others = sum(bool(bot.author) for bot in bots)
    waiting = sum(counts.waits[bot.identity] > 0 for bot in bots)
    return max(
        shape.most_tables, -(-(len(bots) - others + max(waiting, -(-others // 2))) // shape.seats)
    )


def check_families(families: int, seats: int) -> None:
    """Raise ConfigError if bots of so many families cannot fill a table."""
    if families < seats:
        raise ConfigError(
            f"a table has {seats} seats, and versions of one family never meet: there are bots of "
            f"{families} families; enter more with `khiva-arena league enter`"
        )


def _seats(
    bots: Sequence[Active],
    counts: Counts,
    shape: BatchShape,
    key: bytes,
) -> list[int]:
    """Return a position for each seat of the batch; a bot with several seats stands
    there several times.
    """
    lots = list(range(len(bots)))
    Stream(key, "league", "seats").shuffle(lots)
    floor = _floor_tables(bots, counts, shape)
    so_far = [counts.tables[bot.identity] for bot in bots]
    first = sorted(
        range(len(bots)),
        key=lambda bot: (
            bots[bot].author != "",
            -counts.waits[bots[bot].identity],
            so_far[bot],
            lots[bot],
        ),
    )
    seats = first[: floor * shape.seats]
    of_bot, of_family = Counter(seats), Counter(bots[bot].family for bot in seats)
    author = [_author(bot, shape) for bot in bots]
    of_author = Counter(author[bot] for bot in seats)
    tables = max(floor + -(-floor // MORE_TABLES), *of_family.values())
    while len(seats) < tables * shape.seats:
        able = [bot for bot in range(len(bots)) if of_family[bots[bot].family] < tables]
        bot = min(
            able,
            key=lambda bot: (
                of_author[author[bot]] >= tables,  # two of them would meet
                of_bot[bot] > MOST_EXTRA,
                so_far[bot] + of_bot[bot],
                lots[bot],
            ),
        )
        seats.append(bot)
        of_bot[bot] += 1
        of_family[bots[bot].family] += 1
        of_author[author[bot]] += 1
    return seats


def _author(bot: Active, shape: BatchShape) -> str:
    """Return what stands for the author of a bot: bots for which it is equal meet only
    if there is no other way.
    """
    return bot.author if bot.author and shape.authors_apart else bot.family


# --- who meets ---


def _line_ups(
    seats: list[int],
    bots: Sequence[Active],
    counts: Counts,
    shape: BatchShape,
    key: bytes,
) -> Tables:
    """Return the seats cut into tables by lot, with as few exchanges as keep apart who
    must not meet, or has met too often.
    """
    stream = Stream(key, "league", "line-ups")
    stream.shuffle(seats)
    tables = [
        list(range(first, first + shape.seats)) for first in range(0, len(seats), shape.seats)
    ]
    allowed = allowed_meetings(len(bots), len(tables), shape.seats)
    position = {bot.identity: number for number, bot in enumerate(bots)}
    met: Counter[_Pair] = Counter()
    for (a, b), meetings in counts.recent_meetings.items():
        if a in position and b in position:
            met[_pair(position[a], position[b])] = meetings
    weights = _apart(bots, shape)
    _add_excess(weights, met, allowed - 1)
    for _ in range(ATTEMPTS):
        of_seats = [[weights[a][b] for b in seats] for a in seats]
        for place, row in enumerate(of_seats):
            row[place] = 0
        exchange_seats(tables, of_seats)
        now = Counter(
            _pair(seats[p], seats[q]) for table in tables for p, q in combinations(table, 2)
        )
        again = Counter({pair: met[pair] + often for pair, often in now.items() if often > 1})
        if not _add_excess(weights, again, allowed):
            break
    return [[seats[place] for place in table] for table in tables]


def allowed_meetings(bots: int, tables: int, seats: int) -> int:
    """Return how often two bots may meet in the last batches: twice as often as two
    bots do on average in as many batches like this one, rounded up.
    """
    return max(
        1, -(-2 * RECENT_BATCHES * tables * seats * (seats - 1) // max(1, bots * (bots - 1)))
    )


def _pair(a: int, b: int) -> _Pair:
    return (a, b) if a < b else (b, a)


def _apart(bots: Sequence[Active], shape: BatchShape) -> list[list[int]]:
    """Return by two bots how much it costs to seat them, or two seats of one bot, at
    one table.
    """
    who = [(bot.family, _author(bot, shape)) for bot in bots]
    return [
        [
            _FAMILY if family == other else _AUTHOR if author == other_author else 0
            for other, other_author in who
        ]
        for family, author in who
    ]


def _add_excess(weights: list[list[int]], met: Mapping[_Pair, int], allowed: int) -> bool:
    """Add to the cost of seating two bots together how often they met beyond what is
    allowed, and tell whether any pair did.
    """
    excess = {pair: often - allowed for pair, often in met.items() if often > allowed}
    for (a, b), often in excess.items():
        weights[a][b] += often
        weights[b][a] += often
    return bool(excess)


# --- in which order ---


def _orders(
    tables: Tables,
    bots: Sequence[Active],
    counts: Counts,
    key: bytes,
) -> tuple[CircularOrder, ...]:
    """Return the circular order of each table, table by table, such that neighbours are
    those that were so least often.
    """
    stream = Stream(key, "league", "orders")
    so_far = counts.neighbours.copy()
    orders: list[CircularOrder] = []
    for table in tables:
        options = _circular_orders(table, stream)
        stream.shuffle(options)
        best = min(
            options,
            key=lambda order: sum(2 * so_far[pair] + 1 for pair in _neighbours(order, bots)),
        )
        so_far.update(_neighbours(best, bots))
        first = stream.below(len(best))
        orders.append(best[first:] + best[:first])
    return tuple(orders)


def _circular_orders(table: Sequence[int], stream: Stream) -> list[CircularOrder]:
    """Return all circular orders of a table, or some by lot if there are very many."""
    if len(table) <= _ALL_ORDERS_SEATS:
        return [(table[0], *rest) for rest in permutations(table[1:])]
    some = []
    for _ in range(_ORDERS_TRIED):
        order = list(table)
        stream.shuffle(order)
        some.append(tuple(order))
    return some


def _neighbours(order: CircularOrder, bots: Sequence[Active]) -> list[tuple[str, str]]:
    """Return the ordered pairs of neighbours of a circular order, by identity."""
    return [
        (bots[a].identity, bots[b].identity)
        for a, b in zip(order, (*order[1:], order[0]), strict=True)
    ]
