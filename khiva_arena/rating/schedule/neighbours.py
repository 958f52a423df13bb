"""The balance of neighbours in an event's schedule, if its seeds are no whole blocks.

A neighbour is the bot that sits next after another; balance is equal shares. Nothing is
told of tables of up to five seats: a pair is within one table of its share there, as a
rule, whatever the seeds.
"""

from collections import Counter
from itertools import permutations

from khiva_arena.rating.schedule.formats import schedule
from khiva_arena.rating.schedule.orders import ALL_ORDERS_MOST, BLOCK_SEEDS
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.words import count

MOST_TABLES = 10_000
"""The largest number of tables that are counted before a start: more take seconds."""


def off_balance(timetable: Timetable, seeds: int) -> str:
    """Return in a line how far neighbours are from balance, and which seeds balance
    them; "" if they are balanced, or if later rounds are still to be drawn. ``seeds``:
    as the user gave them, with those of an event that is extended.
    """
    block = BLOCK_SEEDS[timetable.seats]
    rest = timetable.seeds % block
    if timetable.seats <= ALL_ORDERS_MOST or not rest or len(timetable.shapes) > 1:
        return ""
    few = timetable.shapes[0].line_ups * rest <= MOST_TABLES
    off = furthest(timetable, rest) if few else 0
    if few and not off:
        return ""
    extent = (
        f"at up to {count(off, 'table')} more or fewer than its share"
        if few
        else "more or less often than its share"
    )
    return (
        f"who sits next after whom is balanced over every {block} seeds at "
        f"{timetable.seats} seats: with {timetable.seeds} a bot "
        f"sits next after another {extent}; --seeds {seeds + block - rest} balances it"
    )


def furthest(timetable: Timetable, rest: int) -> int:
    """Return by how many tables, rounded up, a pair is off its share at the
    most. ``rest``: the seeds after the last whole block, which alone put anybody off.
    """
    draw = timetable.round(0)
    assert draw is not None
    seats = timetable.seats
    above: Counter[tuple[int, int]] = (
        Counter()
    )  # by pair, in parts of a table of which seats - 1 are a whole one
    for match in schedule(timetable.terms, draw, timetable.seeds - rest):
        if match.rotation == 0:
            for pair in permutations(match.bots, 2):
                above[pair] -= 1
            for pair in zip(match.bots, match.bots[1:] + match.bots[:1], strict=True):
                above[pair] += seats - 1
    largest = max(
        (abs(parts) for pair, parts in above.items() if len(set(pair)) == 2), default=0
    )  # one bot may be alone
    return -(-largest // (seats - 1))
