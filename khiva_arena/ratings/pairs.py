"""Matches taken apart into pairs of bots, summed by block and pair: all that a fit needs, in numpy arrays.

Which pairs of a match count:
- every pair of seats, by final rank: ahead 1, tied 1/2, behind 0. Final ranks put forfeited seats last, so a forfeiter
  loses to all who did not forfeit, and forfeiters compare by when they forfeited;
- two copies of one bot: not counted, they say nothing about it;
- where a seat failed to start: only pairs with such a seat. The others played another game than they came for.
A pair of a match with K seats weighs 3 / (K + 1) (1, .75, .6, .5 for K = 2..5): reference/ratings.md F2.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_CHUNK = 100_000  # matches turned into arrays at a time: bounds memory to some 100 MB whatever the number of matches


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """A match as the fit sees it. ``block``: what was dealt, errors cluster on it. ``bots``: indices from 0, by seat."""

    block: int | str
    bots: tuple[int, ...]
    ranks: tuple[int, ...]
    unstarted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PairCells:
    """One cell for each block and pair of bots that met in it, in order of block, low, high; low < high.

    ``weight``: summed weights of the pair. ``score``: what ``low`` made of it, 0..weight. ``blocks`` are numbered 0.. .
    """

    bots: int
    blocks: int
    block: Ints
    low: Ints
    high: Ints
    weight: Floats
    score: Floats

    def only(self, keep: npt.NDArray[np.bool_]) -> "PairCells":
        """The cells where ``keep``, with the blocks that are left numbered anew."""
        left, block = np.unique(self.block[keep], return_inverse=True)
        parts = self.low[keep], self.high[keep], self.weight[keep], self.score[keep]
        return PairCells(self.bots, len(left), block.astype(np.int64), *parts)


def pair_cells(matches: Iterable[RatedMatch], bots: int) -> PairCells:
    """Sum matches of ``bots`` bots into cells. Time is near linear in the matches, memory in the cells.

    Raises ValueError where a match names a bot outside 0..bots-1.
    """
    numbers: dict[int | str, int] = {}
    chunks: list[tuple[Ints, Floats, Floats]] = []
    rest = iter(matches)
    while chunk := list(islice(rest, _CHUNK)):
        for match in chunk:
            numbers.setdefault(match.block, len(numbers))
        chunks.append(_by_key(*_concat(list(_by_seats(chunk, bots, numbers)))))
    keys, weight, score = _by_key(*_concat(chunks))
    block, pair = np.divmod(keys, max(1, bots * bots))
    low, high = np.divmod(pair, max(1, bots))
    cells = PairCells(bots, len(numbers), block, low, high, weight, score)
    return cells.only(np.ones(len(keys), dtype=np.bool_))  # blocks without a counted pair are no blocks


def _by_seats(matches: list[RatedMatch], bots: int, numbers: dict[int | str, int]) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Key, weight and score of every counted pair, one array each for every table size and pair of seats."""
    by_seats: dict[int, list[RatedMatch]] = {}
    for match in matches:
        by_seats.setdefault(len(match.bots), []).append(match)
    for seats, group in by_seats.items():
        block = np.array([numbers[m.block] for m in group], dtype=np.int64)
        bot = np.array([m.bots for m in group], dtype=np.int64)
        rank = np.array([m.ranks for m in group], dtype=np.int64)
        if rank.shape != bot.shape or (bot < 0).any() or (bot >= bots).any():
            raise ValueError("a match needs a bot in range and a rank for each seat")
        unstarted = np.zeros(bot.shape, dtype=np.bool_)
        for row, match in enumerate(group):
            if match.unstarted:
                unstarted[row, list(match.unstarted)] = True
        all_started = ~unstarted.any(axis=1)
        for i in range(seats):
            for j in range(i + 1, seats):
                counts = (bot[:, i] != bot[:, j]) & (all_started | unstarted[:, i] | unstarted[:, j])
                a, b = bot[counts, i], bot[counts, j]
                ahead = (1.0 + np.sign(rank[counts, j] - rank[counts, i])) / 2  # what i made of j
                weight = np.full(len(a), 3 / (seats + 1))
                key = (block[counts] * bots + np.minimum(a, b)) * bots + np.maximum(a, b)
                yield key, weight, weight * np.where(a < b, ahead, 1 - ahead)


def _concat(parts: list[tuple[Ints, Floats, Floats]]) -> tuple[Ints, Floats, Floats]:
    if not parts:
        return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
    keys, weights, scores = zip(*parts, strict=True)
    return np.concatenate(keys), np.concatenate(weights), np.concatenate(scores)


def _by_key(keys: Ints, weight: Floats, score: Floats) -> tuple[Ints, Floats, Floats]:
    """Sum over equal keys; the keys come out sorted."""
    distinct, at = np.unique(keys, return_inverse=True)
    size = len(distinct)
    return distinct, summed(at, weight, size), summed(at, score, size)


def summed(at: Ints, values: Floats, size: int) -> Floats:
    """(size,) the sum of the values at each index."""
    return np.asarray(np.bincount(at, values, size), dtype=np.float64)
