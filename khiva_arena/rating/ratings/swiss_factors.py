"""The factors of a swiss of equal bots by shape, read from a table.

``python -m tests.tools swiss-factors`` writes the table, ``swiss_factors.json``, from
replays of the landed draw. Equal bots need the most, so that these are never too small;
they grow slowly with the number of bots, fall slowly with that of seeds, and rise with
the rounds until most have met most.
"""

from bisect import bisect_left, bisect_right
from functools import cache
from importlib import resources
from math import log2
from typing import NamedTuple

import msgspec


class Factors(NamedTuple):
    """The factors that replays of an event gave, in standard errors.

    pair: the 95 % quantile of how far a difference was from the truth.
    ranks: the 95 % quantile of the largest such distance of a replay.
    """

    pair: float
    ranks: float


class _Table(msgspec.Struct, frozen=True):
    """The file: the names of its columns, and a row of numbers for each shape."""

    columns: list[str]
    rows: list[tuple[int, int, int, int, float, float]]


def by_shape(bots: int, seats: int, rounds: int, seeds: int) -> Factors:
    """Return the factors of a swiss. They are those of the next fewer seats and seeds
    that were measured, and the larger ones of two numbers of rounds. Between two
    numbers of bots they lie on a straight line over the logarithm, and on beyond the
    last.
    """
    table = _table()
    sizes = sorted({shape[0] for shape in table})
    at = min(max(1, bisect_left(sizes, bots)), len(sizes) - 1)
    low, high = sizes[at - 1], sizes[at]
    share = max(0.0, log2(bots / low) / log2(high / low))
    below, above = (_factors_of(table, size, seats, rounds, seeds) for size in (low, high))
    return Factors(
        *(round(a + share * max(0.0, b - a), 3) for a, b in zip(below, above, strict=True))
    )


def _factors_of(
    table: dict[tuple[int, int, int, int], Factors], bots: int, seats: int, rounds: int, seeds: int
) -> Factors:
    """Return the factors of a number of bots that was measured."""
    shapes = [shape for shape in table if shape[0] == bots]
    of_seats = _not_above({shape[1] for shape in shapes}, seats)
    of_seeds = _not_above({shape[3] for shape in shapes}, seeds)
    counts = sorted({shape[2] for shape in shapes})
    around = {
        counts[max(0, bisect_right(counts, rounds) - 1)],
        counts[min(len(counts) - 1, bisect_left(counts, rounds))],
    }
    factors = [table[bots, of_seats, of_rounds, of_seeds] for of_rounds in around]
    return Factors(max(factor.pair for factor in factors), max(factor.ranks for factor in factors))


def _not_above(numbers: set[int], number: int) -> int:
    """Return the largest of some numbers that is not above another, or the least."""
    return max((candidate for candidate in numbers if candidate <= number), default=min(numbers))


@cache
def _table() -> dict[tuple[int, int, int, int], Factors]:
    text = resources.files(__package__).joinpath("swiss_factors.json").read_bytes()
    rows = msgspec.json.decode(text, type=_Table).rows
    return {
        (bots, seats, rounds, seeds): Factors(pair, ranks)
        for bots, seats, rounds, seeds, pair, ranks in rows
    }
