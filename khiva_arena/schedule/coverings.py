"""Small sets of line-ups in which all bots that may meet do, and sit equally often.

They are the sets of ``--lineups auto``, one for each shape: a number of bots, of seats, and of the bots of each author.
``coverings.txt`` has those of three seats and more; ``tests/support/make_coverings.py`` has found them by a search. If authors
are kept apart, a set is made when it is needed, without chance. The lot of an event only renames the bots of a set. So sets are
part of every schedule that was drawn from them: never change one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import gcd
from pathlib import Path

from khiva_arena.rng import Stream
from khiva_arena.schedule.lineups import MOST_LINE_UPS, LineUp, fewest

FILE = Path(__file__).with_name("coverings.txt")
"""The file with a line for each shape: bots, seats and the length of the cycles, then line-ups that are renamed."""


def all_meet(bots: int, seats: int, copies: int = 1, authors: Sequence[int] = ()) -> tuple[LineUp, ...] | None:
    """Return the set of a shape, its bots by position. Bots of one author, given as a group number per bot, never sit together;
    within an author bots sit equally often, plus or minus one. None if the set would take more than ``MOST_LINE_UPS`` line-ups,
    or no table can be filled."""
    sizes = tuple(sorted(Counter(authors).values(), reverse=True)) if authors else (1,) * bots
    return _set_of(sizes, seats, copies)


@lru_cache(maxsize=64)
def _set_of(authors: tuple[int, ...], seats: int, copies: int) -> tuple[LineUp, ...] | None:
    """Return the set of so many bots of each author, numbered author by author, those with most bots first."""
    bots = sum(authors)
    if max(authors, default=0) > 1:
        return _of_authors(authors, seats) if len(authors) >= seats else None
    if bots * (1 if bots >= seats else copies) < seats or bots * (bots - 1) > MOST_LINE_UPS * seats * (seats - 1):
        return None
    if bots <= seats:
        return _all_at_each_table(bots, seats)
    return tuple(combinations(range(bots), 2)) if seats == 2 else _from_file(bots, seats)


def _all_at_each_table(bots: int, seats: int) -> tuple[LineUp, ...]:
    """Return line-ups that seat each bot as often as there is room for all; the remaining seats go round."""
    often, more = divmod(seats, bots)
    return tuple(
        tuple(sorted([*range(bots)] * often + [(first * more + i) % bots for i in range(more)]))
        for first in range(bots // gcd(bots, more))
    )


def _from_file(bots: int, seats: int) -> tuple[LineUp, ...] | None:
    begins = f"{bots} {seats} "
    for line in FILE.read_text(encoding="ascii").splitlines():
        if line.startswith(begins):
            head, _, rest = line.partition(":")
            line_ups = [tuple(map(int, words.split())) for words in rest.split(",")]
            return tuple(sorted(renamed(line_ups, int(head.split()[2]))))
    return None


def renamed(line_ups: Iterable[LineUp], length: int) -> set[LineUp]:
    """Return line-ups, and these with bots renamed in cycles of a length: 0 to 1, 1 to 2, and the last of a cycle to its
    first."""
    return {
        tuple(sorted(bot - bot % length + (bot + step) % length for bot in line_up))
        for line_up in line_ups
        for step in range(length)
    }


def _of_authors(authors: tuple[int, ...], seats: int) -> tuple[LineUp, ...] | None:
    """Return a set for bots of whom some have one author: greedy, each seat to the bot that meets most others for the first
    time."""
    author = [number for number, size in enumerate(authors) for _ in range(size)]
    others = [sum(1 << other for other in range(len(author)) if author[other] != mine) for mine in author]
    if sum(map(int.bit_count, others)) > MOST_LINE_UPS * seats * (seats - 1):
        return None
    unmet, sat = others.copy(), [0] * len(author)
    picked: list[LineUp] = []
    while any(unmet) and len(picked) <= MOST_LINE_UPS:
        picked.append(_next_line_up(seats, others, unmet, sat))
    while (line_up := _evening(authors, seats, sat, picked)) and len(picked) <= MOST_LINE_UPS:
        picked.append(line_up)
    return tuple(sorted(picked)) if len(picked) <= MOST_LINE_UPS else None


def _next_line_up(seats: int, others: Sequence[int], unmet: list[int], sat: list[int]) -> LineUp:
    """Return the next line-up, and count it in ``unmet`` and ``sat``. others, unmet: by bot, a bit for each bot that it may meet,
    and has not met yet."""
    line_up: list[int] = []
    free, chosen = (1 << len(others)) - 1, 0
    for _ in range(seats):
        bots = [bot for bot in range(len(others)) if free >> bot & 1]
        wanted = chosen or free
        bot = min(bots, key=lambda bot: (-(unmet[bot] & wanted).bit_count(), -unmet[bot].bit_count(), sat[bot]))
        line_up.append(bot)
        chosen, free = chosen | 1 << bot, free & others[bot]
        sat[bot] += 1
    for bot in line_up:
        unmet[bot] &= ~chosen
    return tuple(sorted(line_up))


def _evening(authors: Sequence[int], seats: int, sat: list[int], taken: Sequence[LineUp]) -> LineUp | None:
    """Return one more line-up, none of those taken, of bots that sit less often than others of their author, and count it in
    ``sat``. None if within each author bots sit equally often, plus or minus one."""
    ends = [sum(authors[: number + 1]) for number in range(len(authors))]
    members = [range(end - size, end) for end, size in zip(ends, authors, strict=True)]
    uneven = [max(sat[bot] for bot in some) - min(sat[bot] for bot in some) for some in members]
    if max(uneven) <= 1:
        return None
    first, *others = sorted(range(len(authors)), key=lambda number: -uneven[number])
    least = min(sat[bot] for bot in members[first])
    needed = [bot for bot in members[first] if sat[bot] == least]
    by_sat = [sorted(members[number], key=lambda bot: sat[bot]) for number in others]
    every = (bots for some in combinations(by_sat, seats - 1) for bots in product(needed, *some))
    line_up = next((tuple(sorted(bots)) for bots in every if tuple(sorted(bots)) not in taken), None)
    for bot in line_up or ():
        sat[bot] += 1
    return line_up


def by_lot(line_ups: Sequence[LineUp], bots: int, authors: Sequence[int], key: bytes) -> tuple[LineUp, ...]:
    """Return a set of ``all_meet`` with its bots renamed, in canonical order. The names are drawn among bots whose authors have
    as many bots."""
    members: dict[int, list[int]] = {}
    for bot in range(bots):
        members.setdefault(authors[bot] if authors else bot, []).append(bot)
    stream = Stream(key, "schedule", "names")
    groups = list(members.values())
    stream.shuffle(groups)
    for group in groups:
        stream.shuffle(group)
    names = [bot for group in sorted(groups, key=len, reverse=True) for bot in group]
    return tuple(sorted(tuple(sorted(names[bot] for bot in line_up)) for line_up in line_ups))


def without_meeting(line_ups: Iterable[LineUp], bots: int, authors: Sequence[int] = ()) -> tuple[int, int]:
    """Return how many pairs of bots that may meet do not, and how many may."""
    may = bots * (bots - 1) // 2 - sum(size * (size - 1) // 2 for size in Counter(authors).values())
    met = {pair for line_up in line_ups for pair in combinations(line_up, 2) if pair[0] != pair[1]}
    return may - len(met), may


def auto(bots: int, seats: int, copies: int = 1, authors: Sequence[int] = ()) -> tuple[int, bool]:
    """Return how many line-ups ``--lineups auto`` plays, and whether all bots that may meet do so in them."""
    if (line_ups := all_meet(bots, seats, copies, authors)) is not None:
        return len(line_ups), True
    return fewest(bots, seats, copies, tuple(authors)), False
