"""Comparisons as rows of a design: one side ahead of another, with the terms of each.
docs/how-ratings-work.md F1.

A row says: P(ahead) = 1 / (1 + exp(-d)), where d is the sum of the parameters in the
``plus`` columns less that of the ``minus`` columns. For plain ratings a row is a cell
of ``pairs``, and a side is one bot; with effects a row is one pair of one match, and a
side is a bot, its seat, and the bot that passes to it.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from khiva_arena.rating.ratings.match_arrays import Floats, Ints, TableArrays
from khiva_arena.rating.ratings.pairs import Meetings, PairCells, meetings, sums_at

ColumnNumbers = npt.NDArray[np.signedinteger[Any]]  # 32 bits if there are many rows
_ROWS_AT_ONCE = 500_000
_NODES_AT_ONCE = 4_000_000
_NUMBERS_AT_ONCE = 2_000_000


class Rows(msgspec.Struct, frozen=True, eq=False):
    """Rows, r of them, over P parameters, in order of block; c terms a side.

    width: P.
    blocks: how many there are.
    block: (r,) its number, from 0.
    plus, minus: (r, c) columns of the two sides.
    weight, score: (r,) as in ``PairCells``; the score is that of the plus side.
    """

    width: int
    blocks: int
    block: Ints
    plus: ColumnNumbers
    minus: ColumnNumbers
    weight: Floats
    score: Floats

    def difference(self, parameters: Floats) -> Floats:
        """Return (r,) the d of each row."""
        total = np.zeros(len(self.block))
        for k in range(self.plus.shape[1]):
            total += parameters[self.plus[:, k]]
            total -= parameters[self.minus[:, k]]
        return total


class Columns(msgspec.Struct, frozen=True):
    """The order of the parameters of n bots: ratings, then the seats of each table
    size, then neighbours; the last is the shift of the whole scale, which is in no row.

    bots: n.
    sizes: table sizes with seat terms, ascending.
    neighbours: whether there are neighbour terms.
    """

    bots: int
    sizes: tuple[int, ...] = ()
    neighbours: bool = False

    @property
    def first_neighbour(self) -> int:
        return self.bots + sum(self.sizes)

    @property
    def shift(self) -> int:
        return self.first_neighbour + (self.bots if self.neighbours else 0)

    @property
    def width(self) -> int:
        return self.shift + 1

    def first_seat(self, size: int) -> int:
        return self.bots + sum(other for other in self.sizes if other < size)


def expected_score(difference: Floats) -> Floats:
    """Return P(ahead) at a difference in nats: 1 / (1 + exp(-d)), written so that
    nothing overflows.
    """
    return np.asarray(np.exp(-np.logaddexp(0, -difference)))


def rows_of_cells(cells: PairCells, width: int) -> Rows:
    """Return rows of ratings without terms: column = bot."""
    sides = cells.low[:, None], cells.high[:, None]
    return Rows(width, cells.blocks, cells.block, *sides, cells.weight, cells.score)


class RowsWithTerms(NamedTuple):
    """Rows with seat and neighbour terms, and the columns of these terms."""

    rows: Rows
    columns: Columns


def rows_of_tables(
    tables: Sequence[TableArrays], bots: int, *, seats: bool, neighbours: bool
) -> RowsWithTerms:
    """Return rows with seat and neighbour terms. A table of two has no neighbour terms:
    there the neighbour is the opponent.

    Raises ValueError like ``pair_cells``.
    """
    sizes = {table.bots.shape[1] for table in tables}
    columns = Columns(bots, tuple(sorted(sizes)) if seats else (), neighbours)
    blocks, plus, minus, weights, scores = _sides(tables, columns)
    order = np.argsort(blocks, kind="stable")
    numbers = blocks[order]
    new = np.ones(len(numbers), dtype=np.bool_)
    new[1:] = numbers[1:] != numbers[:-1]
    block = np.cumsum(new, dtype=np.int64) - 1
    plus, minus = (
        np.asfortranarray(plus[order]),
        np.asfortranarray(minus[order]),
    )  # used column by column
    rows = Rows(columns.width, int(new.sum()), block, plus, minus, weights[order], scores[order])
    return RowsWithTerms(rows, columns)


def _sides(
    tables: Sequence[TableArrays], columns: Columns
) -> tuple[Ints, ColumnNumbers, ColumnNumbers, Floats, Floats]:
    """Return block, both sides' columns, weight and score of every counted pair."""
    terms = 1 + bool(columns.sizes) + columns.neighbours
    blocks: list[Ints] = [np.zeros(0, dtype=np.int64)]
    plus, minus = [np.zeros((0, terms), dtype=np.int32)], [np.zeros((0, terms), dtype=np.int32)]
    weights, scores = [np.zeros(0)], [np.zeros(0)]
    for table in tables:
        for meeting in meetings(table, columns.bots):
            blocks.append(meeting.block)
            plus.append(_side(meeting, meeting.i, columns))
            minus.append(_side(meeting, meeting.j, columns))
            weights.append(np.full(len(meeting.block), meeting.weight))
            scores.append(meeting.weight * meeting.ahead)
    sides = np.concatenate(plus), np.concatenate(minus)
    return np.concatenate(blocks), *sides, np.concatenate(weights), np.concatenate(scores)


def _side(meeting: Meetings, seat: int, columns: Columns) -> npt.NDArray[np.int32]:
    """Return (c, terms) columns of the side at ``seat``. A term that a table of two
    lacks is the shift, which the other side has as well.
    """
    terms = [meeting.bots[:, seat]]
    if columns.sizes:
        terms.append(np.full(len(meeting.block), columns.first_seat(meeting.seats) + seat))
    if columns.neighbours:
        passes = meeting.bots[:, seat - 1]  # seat 0 gets from the last one
        terms.append(
            np.full(len(meeting.block), columns.shift)
            if meeting.seats == 2
            else columns.first_neighbour + passes
        )
    return np.stack(terms, axis=1).astype(np.int32)


def normal(rows: Rows, weight: Floats) -> Floats:
    """Return (width, width) the sum over rows of weight x x', where x is +1 in the plus
    columns and -1 in the minus ones.
    """
    width = rows.width
    total = np.zeros(width * width)
    sides = [(rows.plus[:, k], 1) for k in range(rows.plus.shape[1])] + [
        (rows.minus[:, k], -1) for k in range(rows.minus.shape[1])
    ]
    for a, (first, sign) in enumerate(sides):
        for second, other in sides[a:]:
            part = np.bincount(first * width + second, weight, width * width)
            total += (
                sign
                * other
                * (part if second is first else part + part.reshape(width, width).T.ravel())
            )
    return total.reshape(width, width)


def gradient(rows: Rows, rest: Floats) -> Floats:
    """Return (width,) the sum over rows of rest x."""
    total = np.zeros(rows.width)
    for k in range(rows.plus.shape[1]):
        total += sums_at(rows.plus[:, k], rest, rows.width)
        total -= sums_at(rows.minus[:, k], rest, rows.width)
    return total


def by_block(rows: Rows, parameters: Floats) -> Iterator[tuple[Ints, Ints, Floats, Floats]]:
    """Yield scores and information of blocks at a solution: blocks with equally many
    parameters m together, some at a time to bound memory. An item is blocks (b,),
    columns (b, m), summed scores U (b, m), information H_b (b, m, m).
    """
    p = expected_score(rows.difference(parameters))
    rest = rows.score - rows.weight * p
    weight = rows.weight * p * (1 - p)
    first = np.searchsorted(rows.block, np.arange(rows.blocks + 1))
    start = 0
    while start < rows.blocks:
        end = int(np.searchsorted(first, first[start] + _ROWS_AT_ONCE, side="right")) - 1
        end = min(max(end, start + 1), start + max(1, _NODES_AT_ONCE // rows.width), rows.blocks)
        yield from _blocks(rows, rest, weight, first, start, end)
        start = end


def _blocks(
    rows: Rows, rest: Floats, weight: Floats, first: Ints, start: int, end: int
) -> Iterator[tuple[Ints, Ints, Floats, Floats]]:
    """Yield scores and information of blocks start..end-1. A node is a parameter in a
    block; nodes of a block lie together, so the place of a parameter in its block is a
    difference.
    """
    mine = slice(first[start], first[end])
    rest, weight = rest[mine], weight[mine]
    ends = (
        np.concatenate([rows.plus[mine], rows.minus[mine]], axis=1)
        + ((rows.block[mine] - start) * rows.width)[:, None]
    )
    present = np.zeros((end - start) * rows.width, dtype=np.bool_)
    present[ends.ravel()] = True
    nodes = np.flatnonzero(present)
    at = (np.cumsum(present) - 1)[ends]
    terms = rows.plus.shape[1]
    score = np.zeros(len(nodes))
    for k in range(terms):
        score += np.bincount(at[:, k], rest, len(nodes))
        score -= np.bincount(at[:, terms + k], rest, len(nodes))
    sizes = np.bincount(nodes // rows.width, minlength=end - start)
    starts = np.cumsum(sizes) - sizes
    first_row = first[start : end + 1] - first[start]
    sides = [(k, 1 if k < terms else -1) for k in range(2 * terms)]
    crossings = [(k, k, 0.5) for k, _ in sides] + [
        (k, o, s * t) for (k, s), (o, t) in combinations(sides, 2)
    ]  # half of them
    for m in np.flatnonzero(np.bincount(sizes)).tolist():
        alike = np.flatnonzero(sizes == m)
        step = max(1, _NUMBERS_AT_ONCE // (m * m))
        for chunk in (alike[i : i + step] for i in range(0, len(alike), step)):
            place = starts[chunk][:, None] + np.arange(m)
            counts = first_row[chunk + 1] - first_row[chunk]
            rows_of_chunk = np.arange(counts.sum()) + np.repeat(
                first_row[chunk] - (np.cumsum(counts) - counts), counts
            )
            b = np.repeat(np.arange(len(chunk)), counts)
            inside = at[rows_of_chunk] - starts[chunk][b][:, None]
            cells = np.concatenate(
                [(b * m + inside[:, k]) * m + inside[:, o] for k, o, _ in crossings]
            )
            values = np.concatenate([sign * weight[rows_of_chunk] for _, _, sign in crossings])
            half = sums_at(cells, values, len(chunk) * m * m).reshape(len(chunk), m, m)
            yield (
                chunk + start,
                nodes[place] % rows.width,
                score[place],
                half + half.transpose(0, 2, 1),
            )
