"""The seating of a round: every seed is played by every line-up, every table in all its
rotations.

Pure, frozen, keyed. Schedule order is seed by seed, in a seed line-up by line-up, in a
table rotation by rotation. So a stopped run holds complete seeds, and complete tables
of the next one. Nothing here depends on how many seeds there are in all: more seeds
later continue the same schedule.
"""

from collections.abc import Iterator, Sequence

import msgspec

from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.lineups import LineUp
from khiva_arena.rating.schedule.orders import BLOCK_SEEDS, Order, block_orders
from khiva_arena.rng import Stream


class ScheduledTable(msgspec.Struct, frozen=True):
    """One line-up on one seed.

    k: the seed.
    lineup: the line-up, numbered within the round.
    order: its bots in the base circular order; each passes to the next, the last to the
        first.
    """

    k: int
    lineup: int
    order: tuple[int, ...]


class ScheduledMatch(msgspec.Struct, frozen=True):
    """One game of a table.

    ordinal: its place in schedule order, from 0.
    k: the seed.
    lineup: the line-up, numbered within the round.
    rotation: of the table's circular order, from 0.
    bots: by seat.
    """

    ordinal: int
    k: int
    lineup: int
    rotation: int
    bots: tuple[int, ...]


def tables(
    line_ups: Sequence[LineUp],
    seeds: int,
    *,
    key: bytes,
    first_seed: int = 0,
    fixed: Sequence[Order] = (),
    twins: bool = False,
) -> Iterator[ScheduledTable]:
    """Yield the tables of seeds first_seed..seeds-1, seed by seed, line-ups in the
    order given, which is the canonical one.

    The circular order is balanced over the event (see ``orders``); its first bot is
    drawn per seed and line-up. Lazy: each seed costs up to some 20 ms when it is first
    asked for. Raises ConfigError if ``seeds`` is below 1.

    fixed: the circular order of each line-up on every seed, if it is not drawn.
    twins: whether the second half of the line-ups sits as the first half is drawn,
        place by place of each line-up.
    """
    if seeds < 1:
        raise ConfigError(f"--seeds is at least 1, not {seeds}")
    for k in range(first_seed, seeds) if fixed else ():
        yield from (ScheduledTable(k, lineup, order) for lineup, order in enumerate(fixed))
    if fixed:
        return
    seats = len(line_ups[0])
    length = BLOCK_SEEDS[seats]
    drawn = line_ups[: len(line_ups) // 2] if twins else line_ups
    for block in range(first_seed // length, -(-seeds // length)):
        for within, orders in enumerate(block_orders(drawn, key, block)):
            k = block * length + within
            if k >= seeds:
                return
            if k >= first_seed:
                firsts = Stream(key, "schedule", "firsts", str(k))
                places = [
                    order[(first := firsts.below(seats)) :] + order[:first] for order in orders
                ]
                for lineup, (bots, order) in enumerate(
                    zip(line_ups, places * (1 + twins), strict=True)
                ):
                    yield ScheduledTable(k, lineup, tuple(bots[p] for p in order))


def matches(table: ScheduledTable, line_ups: int) -> tuple[ScheduledMatch, ...]:
    """Return the N matches of a table: rotation r seats ``order[(i + r) % N]`` at seat
    i, so each place of the order gets each seat.

    With copies of a bot some rotations may seat the bots in the same way; still all N
    are played, to keep tables equal.
    """
    seats = len(table.order)
    start = (table.k * line_ups + table.lineup) * seats
    return tuple(
        ScheduledMatch(
            start + r,
            table.k,
            table.lineup,
            r,
            tuple(table.order[(i + r) % seats] for i in range(seats)),
        )
        for r in range(seats)
    )


def schedule(
    line_ups: Sequence[LineUp],
    seeds: int,
    *,
    key: bytes,
    first_seed: int = 0,
    fixed: Sequence[Order] = (),
    twins: bool = False,
) -> Iterator[ScheduledMatch]:
    """Yield all matches of a round in schedule order; lazy, as ``tables``. The first
    ordinal is that of ``first_seed``.
    """
    for table in tables(line_ups, seeds, key=key, first_seed=first_seed, fixed=fixed, twins=twins):
        yield from matches(table, len(line_ups))
