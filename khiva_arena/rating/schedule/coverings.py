"""Small sets of line-ups in which all bots that may meet do, and sit equally often.

They are the sets of ``--lineups auto``, one for each shape: a number of bots, of seats,
and of the bots of each author. ``coverings.txt`` has those of three seats and more;
``tests/support/make_coverings.py`` has found them by a search. If authors are kept
apart, a set is made when it is needed, without chance. The lot of an event only renames
the bots of a set. So sets are part of every schedule that was drawn from them: never
change one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import gcd
from pathlib import Path
from typing import NamedTuple

from khiva_arena.rating.schedule.lineups import MOST_LINE_UPS, LineUp, fewest
from khiva_arena.rng import Stream

FILE = Path(__file__).with_name("coverings.txt")
"""The file with a line for each shape: bots, seats and the length of the cycles, then
line-ups that are renamed.
"""


def all_meet(
    bots: int, seats: int, copies: int = 1, authors: Sequence[int] = ()
) -> tuple[LineUp, ...] | None:
    """Return the set of a shape, its bots by position. Bots of one author, given as a
    group number per bot, never sit together; within an author bots sit equally often,
    plus or minus one. None if the set would take more than ``MOST_LINE_UPS`` line-ups,
    or no table can be filled.
    """
    sizes = tuple(sorted(Counter(authors).values(), reverse=True)) if authors else (1,) * bots
    return _set_of(sizes, seats, copies)


@lru_cache(maxsize=64)
def _set_of(authors: tuple[int, ...], seats: int, copies: int) -> tuple[LineUp, ...] | None:
    """Return the set of so many bots of each author, numbered author by author, those
    with most bots first.
    """
    bots = sum(authors)
    if max(authors, default=0) > 1:
        return _of_authors(authors, seats) if len(authors) >= seats else None
    if bots * (1 if bots >= seats else copies) < seats or bots * (
        bots - 1
    ) > MOST_LINE_UPS * seats * (seats - 1):
        return None
    if bots <= seats:
        return _all_at_each_table(bots, seats)
    return tuple(combinations(range(bots), 2)) if seats == 2 else _from_file(bots, seats)


def _all_at_each_table(bots: int, seats: int) -> tuple[LineUp, ...]:
    """Return line-ups that seat each bot as often as there is room for all; the
    remaining seats go round.
    """
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
            return tuple(sorted(rename_bots(line_ups, int(head.split()[2]))))
    return None


def rename_bots(line_ups: Iterable[LineUp], length: int) -> set[LineUp]:
    """Return line-ups, and these with bots renamed in cycles of a length: 0 to 1, 1 to
    2, and the last of a cycle to its first.
    """
    return {
        tuple(sorted(bot - bot % length + (bot + step) % length for bot in line_up))
        for line_up in line_ups
        for step in range(length)
    }


def _of_authors(authors: tuple[int, ...], seats: int) -> tuple[LineUp, ...] | None:
    """Return a set for bots of whom some have one author: greedy, each seat to the bot
    that meets most others for the first time.
    """
    author = [number for number, size in enumerate(authors) for _ in range(size)]
    of_other_authors = [
        sum(1 << bot for bot in range(len(author)) if author[bot] != mine) for mine in author
    ]
    if sum(map(int.bit_count, of_other_authors)) > MOST_LINE_UPS * seats * (seats - 1):
        return None
    unmet, sat = of_other_authors.copy(), [0] * len(author)
    line_ups: list[LineUp] = []
    while any(unmet) and len(line_ups) <= MOST_LINE_UPS:
        line_ups.append(_next_line_up(seats, of_other_authors, unmet, sat))
    while (line_up := _evening(authors, seats, sat, line_ups)) and len(line_ups) <= MOST_LINE_UPS:
        line_ups.append(line_up)
    return tuple(sorted(line_ups)) if len(line_ups) <= MOST_LINE_UPS else None


def _next_line_up(
    seats: int, of_other_authors: Sequence[int], unmet: list[int], sat: list[int]
) -> LineUp:
    """Return the next line-up, and count it in ``unmet`` and ``sat``. others, unmet: by
    bot, a bit for each bot that it may meet, and has not met yet.
    """
    line_up: list[int] = []
    free, chosen = (1 << len(of_other_authors)) - 1, 0
    for _ in range(seats):
        bots = [bot for bot in range(len(of_other_authors)) if free >> bot & 1]
        candidates = chosen or free
        bot = min(
            bots,
            key=lambda bot: (
                -(unmet[bot] & candidates).bit_count(),
                -unmet[bot].bit_count(),
                sat[bot],
            ),
        )
        line_up.append(bot)
        chosen, free = chosen | 1 << bot, free & of_other_authors[bot]
        sat[bot] += 1
    for bot in line_up:
        unmet[bot] &= ~chosen
    return tuple(sorted(line_up))


def _evening(
    authors: Sequence[int], seats: int, sat: list[int], line_ups: Sequence[LineUp]
) -> LineUp | None:
    """Return one more line-up, none of those taken, of bots that sit less often than
    others of their author, and count it in ``sat``. None if within each author bots sit
    equally often, plus or minus one.
    """
    ends = [sum(authors[: number + 1]) for number in range(len(authors))]
    members = [range(end - size, end) for end, size in zip(ends, authors, strict=True)]
    uneven = [
        max(sat[bot] for bot in bots_of_author) - min(sat[bot] for bot in bots_of_author)
        for bots_of_author in members
    ]
    if max(uneven) <= 1:
        return None
    first, *rest = sorted(range(len(authors)), key=lambda number: -uneven[number])
    fewest = min(sat[bot] for bot in members[first])
    first_bots = [bot for bot in members[first] if sat[bot] == fewest]
    by_sat = [sorted(members[number], key=lambda bot: sat[bot]) for number in rest]
    candidates = (
        bots for groups in combinations(by_sat, seats - 1) for bots in product(first_bots, *groups)
    )
    line_up = next(
        (tuple(sorted(bots)) for bots in candidates if tuple(sorted(bots)) not in line_ups), None
    )
    for bot in line_up or ():
        sat[bot] += 1
    return line_up


def by_lot(
    line_ups: Sequence[LineUp], bots: int, authors: Sequence[int], key: bytes
) -> tuple[LineUp, ...]:
    """Return a set of ``all_meet`` with its bots renamed, in canonical order. The names
    are drawn among bots whose authors have as many bots.
    """
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


class PairCounts(NamedTuple):
    """The pairs of bots of an event.

    missing: pairs that may meet and do not
    allowed: pairs that may meet
    """

    missing: int
    allowed: int


def without_meeting(
    line_ups: Iterable[LineUp], bots: int, authors: Sequence[int] = ()
) -> PairCounts:
    """Count the pairs of bots that may meet and do not."""
    may = bots * (bots - 1) // 2 - sum(size * (size - 1) // 2 for size in Counter(authors).values())
    pairs_met = {
        pair for line_up in line_ups for pair in combinations(line_up, 2) if pair[0] != pair[1]
    }
    return PairCounts(may - len(pairs_met), may)


class AutoLineUps(NamedTuple):
    """The line-ups that ``--lineups auto`` plays.

    number: how many there are
    all_meet: True if all bots that may meet do so in them
    """

    number: int
    all_meet: bool


def auto(bots: int, seats: int, copies: int = 1, authors: Sequence[int] = ()) -> AutoLineUps:
    """Return the line-ups that ``--lineups auto`` plays."""
    if (line_ups := all_meet(bots, seats, copies, authors)) is not None:
        return AutoLineUps(len(line_ups), True)
    return AutoLineUps(fewest(bots, seats, copies, tuple(authors)), False)
