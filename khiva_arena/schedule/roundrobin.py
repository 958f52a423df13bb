"""The round robin: every seed is played by every line-up, every table in all its rotations. Pure, frozen, keyed.

Schedule order is seed by seed, in a seed line-up by line-up, in a table rotation by rotation, so that a stopped run holds
complete seeds, and complete tables of the next one. Nothing here depends on how many seeds there are in all: more seeds
later continue the same schedule.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from khiva_arena.errors import ConfigError
from khiva_arena.rng import Stream
from khiva_arena.schedule.lineups import MOST_LINE_UPS, LineUp, LineUps, line_ups
from khiva_arena.schedule.orders import BLOCK_SEEDS, block_orders

__all__ = [
    "MOST_LINE_UPS",
    "LineUp",
    "LineUps",
    "Match",
    "Table",
    "Totals",
    "line_ups",
    "matches",
    "schedule",
    "tables",
    "totals",
]


@dataclass(frozen=True, slots=True)
class Table:
    """One line-up on one seed. ``order``: bots in the base circular order; each passes to the next, the last to the first."""

    k: int
    lineup: int
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """One game of a table. ``bots``: bot indices by seat. ``ordinal``: its place in schedule order, from 0."""

    ordinal: int
    k: int
    lineup: int
    rotation: int
    bots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    """What an event comes to; printed before the start."""

    seeds: int
    line_ups: int
    rotations: int

    @property
    def matches(self) -> int:
        return self.seeds * self.line_ups * self.rotations


def totals(chosen: LineUps, seeds: int) -> Totals:
    return Totals(seeds, len(chosen.chosen), chosen.seats)


def tables(chosen: LineUps, seeds: int, *, key: bytes, first_seed: int = 0) -> Iterator[Table]:
    """The tables of seeds first_seed..seeds-1, seed by seed, line-ups in canonical order.

    The circular order is balanced over the event (see ``orders``); who sits first in it is drawn per seed and line-up.
    Lazy: each seed costs up to some 20 ms when it is first asked for. Raises ConfigError if ``seeds`` is below 1.
    """
    if seeds < 1:
        raise ConfigError(f"--seeds is at least 1, not {seeds}")
    length = BLOCK_SEEDS[chosen.seats]
    for block in range(first_seed // length, -(-seeds // length)):
        for within, orders in enumerate(block_orders(chosen.chosen, key, block)):
            k = block * length + within
            if k >= seeds:
                return
            if k >= first_seed:
                firsts = Stream(key, "schedule", "firsts", str(k))
                for lineup, (bots, order) in enumerate(zip(chosen.chosen, orders, strict=True)):
                    first = firsts.below(chosen.seats)
                    yield Table(k, lineup, tuple(bots[p] for p in order[first:] + order[:first]))


def matches(table: Table, line_ups: int) -> tuple[Match, ...]:
    """The N matches of a table: rotation r seats ``order[(i + r) % N]`` at seat i, so each place of the order gets each seat.

    With copies of a bot some rotations may seat the same bots alike; all N are played all the same, to keep tables equal.
    """
    seats = len(table.order)
    start = (table.k * line_ups + table.lineup) * seats
    return tuple(
        Match(start + r, table.k, table.lineup, r, tuple(table.order[(i + r) % seats] for i in range(seats)))
        for r in range(seats)
    )


def schedule(chosen: LineUps, seeds: int, *, key: bytes, first_seed: int = 0) -> Iterator[Match]:
    """All matches of an event in schedule order; lazy, as ``tables``. The first ordinal is that of ``first_seed``."""
    for table in tables(chosen, seeds, key=key, first_seed=first_seed):
        yield from matches(table, len(chosen.chosen))
