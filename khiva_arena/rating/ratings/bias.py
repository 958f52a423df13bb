"""The worth of a place at the table: biases of seats and neighbours, with ties and
opponents of bots.

Matches in which a seat failed to start are left out of seat and neighbour bias: the
others played another game.
"""

from collections.abc import Iterable
from math import sqrt

import msgspec
import numpy as np

from khiva_arena.common.result import Result
from khiva_arena.rating.ratings.elo import Ratings, half_width
from khiva_arena.rating.ratings.match_arrays import Floats, Ints, Matches, TableArrays, tables_of
from khiva_arena.rating.ratings.pairs import PairCells, meetings, sums_at
from khiva_arena.rating.ratings.proportions import BlockRows, proportions


class SeatBias(msgspec.Struct, frozen=True):
    """The score of a seat, whichever bot sits there. Complete tables have every bot in
    every seat equally often, so that a fair seat scores 1/2.

    seats: of the table.
    seat: from 0.
    score: mean pair score, 0..1.
    low, high: its 95 % interval, clustered on blocks; None with fewer than two blocks.
    matches: how many.
    blocks: seeds they were on.
    """

    seats: int
    seat: int
    score: float
    low: float | None
    high: float | None
    matches: int
    blocks: int


class NeighbourBias(msgspec.Struct, frozen=True):
    """The worth of sitting directly after ``bot``: in the seat that it passes to, its
    own plus one.

    bot: the one that passes.
    effect: pair score; None without an informative block. The residual of a seat is its
        score less the score that the ratings expect against that table. For each other
        bot at tables of one size with ``bot``, residuals are compared between the
        matches in which it sat directly after ``bot`` and the others. The comparisons
        are averaged with the weights of least squares. Near 0 if nobody gains or loses
        by who passes to it.
    low, high: its 95 % interval, clustered on blocks; None with fewer than two
        informative blocks, and if all of these say the same.
    matches: those compared in which some bot sat directly after ``bot``; matches of two
        seats do not count.
    blocks: seeds that contribute to it.
    """

    bot: int
    effect: float | None
    low: float | None
    high: float | None
    matches: int
    blocks: int


def seat_bias(matches: Iterable[Result] | Matches) -> tuple[SeatBias, ...]:
    """Return the bias of each seat of each table size that was played."""
    by_seats: dict[int, list[tuple[Ints, Floats]]] = {}
    for tables in map(_without_unstarted, tables_of(matches)):
        by_seats.setdefault(tables.bots.shape[1], []).append(
            (tables.block, pair_scores(tables.ranks))
        )
    biases = []
    for seats, parts in sorted(by_seats.items()):
        block, score = np.concatenate([b for b, _ in parts]), np.concatenate([s for _, s in parts])
        blocks_played, at = np.unique(block, return_inverse=True)
        if not len(blocks_played):
            continue
        count = np.bincount(at).astype(np.float64)
        for seat in range(seats):
            all_blocks = np.zeros(len(blocks_played), dtype=np.int64)
            p = proportions(
                BlockRows(all_blocks, sums_at(at, score[:, seat], len(blocks_played)), count), 1
            )
            low, high = _or_none(float(p.low[0])), _or_none(float(p.high[0]))
            biases.append(
                SeatBias(seats, seat, float(p.share[0]), low, high, len(block), len(blocks_played))
            )
    return tuple(biases)


def neighbour_bias(
    matches: Iterable[Result] | Matches, ratings: Ratings
) -> tuple[NeighbourBias, ...]:
    """Return the neighbour bias of each bot. Tables with copies of a bot, or with a bot
    that has no rating, are left out.
    """
    bots = len(ratings.elo)
    elo = np.array([np.nan if e is None else e for e in ratings.elo])
    rows = [
        _neighbours(_without_unstarted(tables), elo)
        for tables in tables_of(matches)
        if tables.bots.shape[1] > 2
    ]
    block, upstream, group, after, rest = (
        np.concatenate(column) for column in zip(*rows, _NO_ROWS, strict=True)
    )
    _, at = np.unique(group, return_inverse=True)  # one bot beside one other at tables of one size
    size = np.bincount(at).astype(np.float64)
    x = after - (sums_at(at, after, len(size)) / size)[at]
    y = rest - (sums_at(at, rest, len(size)) / size)[at]
    blocks, b = np.unique(block, return_inverse=True)
    cell, shape = upstream * len(blocks) + b, (bots, len(blocks))
    information = sums_at(cell, x * x, bots * len(blocks)).reshape(shape)
    total = information.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = sums_at(upstream, x * y, bots) / total
        score = sums_at(cell, x * (y - effect[upstream] * x), bots * len(blocks)).reshape(shape)
        jumps = score / (
            total[:, None] - information
        )  # one step of leaving the block out, as in CR3 (docs/how-ratings-work.md F4)
    biases = []
    for bot in range(bots):
        informative = information[bot] > 0
        number, played = int(informative.sum()), int(after[(upstream == bot) & (x != 0)].sum())
        if number == 0:
            biases.append(NeighbourBias(bot, None, None, None, 0, 0))
            continue
        variance = float((jumps[bot, informative] ** 2).sum()) * (number - 1) / number
        error = (
            half_width(sqrt(variance), number)
            if np.isfinite(variance) and variance > _ROUNDING
            else None
        )
        mean = float(effect[bot])
        low, high = (None, None) if error is None else (mean - error, mean + error)
        biases.append(NeighbourBias(bot, mean, low, high, played, number))
    return tuple(biases)


def opponents_average(cells: PairCells, ratings: Ratings) -> tuple[float | None, ...]:
    """Return the mean Elo of each bot's opponents that have a finite rating, weighted
    as in the fit; None if it met none.
    """
    elo = np.array(
        [
            np.nan if e is None or bound else e
            for e, bound in zip(ratings.elo, ratings.bounds, strict=True)
        ]
    )
    bot, opponent = np.concatenate([cells.low, cells.high]), np.concatenate([cells.high, cells.low])
    weight = np.concatenate([cells.weight, cells.weight]) * ~np.isnan(elo[opponent])
    total = sums_at(bot, weight, cells.bots)
    mean = sums_at(bot, weight * np.nan_to_num(elo[opponent]), cells.bots)
    return tuple(m / w if w else None for m, w in zip(mean.tolist(), total.tolist(), strict=True))


def tie_share(matches: Iterable[Result] | Matches, bots: int) -> tuple[float | None, ...]:
    """Return the share of each bot's rated pairs that were ties, weighted as in the
    fit; None if it has none.
    """
    ties, total = np.zeros(bots), np.zeros(bots)
    for meeting in (meeting for tables in tables_of(matches) for meeting in meetings(tables, bots)):
        for seat in (meeting.i, meeting.j):
            total += meeting.weight * np.bincount(meeting.bots[:, seat], minlength=bots)
            ties += meeting.weight * np.bincount(
                meeting.bots[meeting.ahead == 0.5, seat], minlength=bots
            )
    return tuple(t / w if w else None for t, w in zip(ties.tolist(), total.tolist(), strict=True))


def pair_scores(ranks: Ints) -> Floats:
    """Return (m, K) each seat's mean score against the other seats of its match, from
    ranks (m, K).
    """
    ahead = np.sign(ranks[:, None, :] - ranks[:, :, None]).sum(axis=2)
    return np.asarray((ahead / (ranks.shape[1] - 1) + 1) / 2)


_ROUNDING = 1e-12  # a variance of effects in pair score below this is rounding
_NO_ROWS = (*(np.zeros(0, dtype=np.int64) for _ in range(3)), np.zeros(0), np.zeros(0))


def _without_unstarted(tables: TableArrays) -> TableArrays:
    if tables.unstarted is None:
        return tables
    all_there = ~tables.unstarted.any(axis=1)
    return TableArrays(tables.block[all_there], tables.bots[all_there], tables.ranks[all_there])


def _neighbours(tables: TableArrays, elo: Floats) -> tuple[Ints, Ints, Ints, Floats, Floats]:
    """Return one row for each ordered pair of seats of one bot and another. A row is
    the block, the one bot and the group (table size, one bot, other bot). It also has
    whether the other sits directly after the one, and the other's score less the
    expected one.
    """
    seats = tables.bots.shape[1]
    in_order = np.sort(tables.bots, axis=1)
    usable = (in_order[:, 1:] != in_order[:, :-1]).all(axis=1) & ~np.isnan(elo[tables.bots]).any(
        axis=1
    )
    bots, ranks = tables.bots[usable], tables.ranks[usable]
    strength = elo[bots]
    expectation = 1 / (1 + 10 ** ((strength[:, None, :] - strength[:, :, None]) / 400))
    rest = pair_scores(ranks) - (expectation.sum(axis=2) - 0.5) / (
        seats - 1
    )  # less the seat against itself
    one, other = np.array([(i, j) for i in range(seats) for j in range(seats) if i != j]).T
    group = ((seats * len(elo) + bots[:, one]) * len(elo) + bots[:, other]).reshape(-1)
    after = (
        np.broadcast_to((one + 1) % seats == other, (len(bots), len(one)))
        .reshape(-1)
        .astype(np.float64)
    )
    block = np.repeat(tables.block[usable], len(one))
    return block, bots[:, one].reshape(-1), group, after, rest[:, other].reshape(-1)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value
