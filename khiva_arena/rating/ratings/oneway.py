"""The certainty that one bot is above another if all points flow one way, directly or
through others.

No variance is seen there, and the prior draws alone make the distance finite. But an
order certain after N - 1 wins of N is no less certain after N of N. Two bounds are
computed, and the stronger one counts:
- **Counted seeds.** If the one is not stronger, its mean score against the other on a
  seed is 1/2 or less. So it takes all points of a seed with probability 1/2 or less,
  however alike its matches are. All points of m seeds: 2^-m or less; and the expected
  score p at which that has probability a is a^(1/m), Clopper and Pearson's bound. It
  needs seeds on which the two met.
- **One pair given back.** The fit and its CR3 errors, as if a part of one pair of one
  match had gone the other way at each boundary: where groups of bots meet that have no
  other group between them. Which match that was is chance: the part is spread over all
  matches that it may have been, by their weight and by how likely an upset was in them,
  which gives the numbers. The variance of falling to seed b with its share s_b of them
  is added, (B - 1)/B sum s_b (1 - s_b) a_b a_b'. Here a_b is the CR3 step
  (docs/how-ratings-work.md F4) that the part would be on seed b. With two bots and
  equal seeds this is exactly the mean over all such matches.
The part is ``GIVEN_BACK``: with the prior draws, the 95 % bound of independent matches
at two seats is then Clopper and Pearson's for as many matches. The matches between two
groups on one seed count as one, whoever of them met: that one side took all shows
nothing of how alike its matches on a seed are, and other bots' matches do not tell. So
the bound is near that of counted seeds, and holds even where each seed decides all.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from khiva_arena.rating.ratings.connections import connections, flows
from khiva_arena.rating.ratings.covariance import add_squares, left_out, variances
from khiva_arena.rating.ratings.estimate import Problem, problem_of_cells, solution_of
from khiva_arena.rating.ratings.match_arrays import Floats, Ints
from khiva_arena.rating.ratings.model import Solution
from khiva_arena.rating.ratings.pairs import PairCells, sums_at
from khiva_arena.rating.ratings.quasi import differences
from khiva_arena.rating.ratings.rows import by_block, expected_score

GIVEN_BACK = 0.7  # of one pair of one match
Mask = npt.NDArray[np.bool_]


class OneWay(msgspec.Struct, frozen=True, eq=False):
    """Arrays (n, n); row i, column j.

    above: whether bot i takes points from j, directly or through others, and j none
        from i.
    distance: nats, how far i is above j after one pair was given back; NaN unless
        ``above`` one way or the other, and if fewer than two seeds say.
    error: nats, its standard error; NaN as ``distance``.
    freedom: degrees of freedom of that error: of the seeds of the two, or of those on
        which a boundary between them was crossed.
    met: seeds on which the two met, if one is above the other; else 0.
    """

    above: Mask
    distance: Floats
    error: Floats
    freedom: Ints
    met: Ints


class _Crossings(NamedTuple):
    """The cells at the boundaries between groups with no other group between them, c of
    them.

    cell: (c,) index into the cells.
    boundary: (c,) its number, from 0.
    part: (c,) the part of the boundary that the cell is; parts sum to 1 over a
        boundary.
    by_low: (c,) whether the bot ``low`` is above.
    """

    cell: Ints
    boundary: Ints
    part: Floats
    by_low: Mask


def one_way(cells: PairCells, prior: float, anchors: Sequence[int], seeds: Ints) -> OneWay | None:
    """Return the bounds for bots between which all points flow one way. None if points
    flow both ways between all bots that were compared at all.

    prior: draws of each bot.
    anchors: bots whose numbers are given.
    seeds: (n,) of each bot.
    """
    flow = flows(cells, anchors)
    above = flow & ~flow.T
    if not above.any():
        return None
    _, group = np.unique(connections(cells, anchors)[1], return_inverse=True)
    cells = _one_a_seed(cells, group)
    first = np.unique(group, return_index=True)[1]
    groups_above = above[np.ix_(first, first)]  # of groups
    at_0 = {anchors[0]: (0.0, 0.0)}  # distances do not depend on the anchor
    plain = solution_of(problem_of_cells(cells, prior), at_0)
    crossings = _crossings(cells, plain.parameters, group, groups_above)
    part = GIVEN_BACK * cells.unit * crossings.part
    score = cells.score.copy()
    score[crossings.cell] += np.where(crossings.by_low, -part, part)
    given_back = problem_of_cells(replace(cells, score=score), prior)
    solution = solution_of(given_back, at_0)
    of_the_part = solution.bread @ _of_the_part(given_back, solution, crossings) @ solution.bread
    variance = differences(
        (variances(given_back.rows, solution).clustered + of_the_part)[: cells.bots, : cells.bots]
    )
    freedom = (
        np.minimum(
            np.minimum(seeds[:, None], seeds), _fewest_seeds(cells, crossings, group, groups_above)
        )
        - 1
    )
    is_known = (above | above.T) & (freedom > 0)
    error = np.where(is_known, np.sqrt(np.maximum(0, variance)), np.nan)
    ratings = solution.parameters[: cells.bots]
    distance = np.where(is_known, ratings[:, None] - ratings, np.nan)
    meetings = np.bincount(cells.low * cells.bots + cells.high, minlength=cells.bots**2).reshape(
        cells.bots, cells.bots
    )
    return OneWay(
        above, distance, error, freedom, np.where(above | above.T, meetings + meetings.T, 0)
    )


def _one_a_seed(cells: PairCells, group: Ints) -> PairCells:
    """Return the cells with the weight of one pair of one match for all that two groups
    played on a seed.
    """
    low, high = group[cells.low], group[cells.high]
    groups = int(group.max()) + 1
    _, at = np.unique(
        (cells.block * groups + np.minimum(low, high)) * groups + np.maximum(low, high),
        return_inverse=True,
    )
    of_all = sums_at(at, cells.weight, int(at.max()) + 1)[at]
    part = np.where(low == high, 1.0, cells.unit / of_all)
    return replace(cells, weight=cells.weight * part, score=cells.score * part)


def _crossings(cells: PairCells, nats: Floats, group: Ints, groups_above: Mask) -> _Crossings:
    between = groups_above.astype(np.float32)
    nearest = groups_above & ~(between @ between > 0)
    low, high = group[cells.low], group[cells.high]
    by_low = nearest[low, high]
    cell = np.flatnonzero(by_low | nearest[high, low])
    low, high, by_low = low[cell], high[cell], by_low[cell]
    p = expected_score(nats[cells.low[cell]] - nats[cells.high[cell]])
    likely = cells.weight[cell] * p * (1 - p)
    _, boundary = np.unique(
        np.where(by_low, low * len(groups_above) + high, high * len(groups_above) + low),
        return_inverse=True,
    )
    return _Crossings(
        cell,
        boundary,
        likely / sums_at(boundary, likely, int(boundary.max()) + 1)[boundary],
        by_low,
    )


def _of_the_part(problem: Problem, solution: Solution, crossings: _Crossings) -> Floats:
    """Return (P, P) the middle factor, between two slices of bread, in the variance of
    the seed that the part falls on.
    """
    cells = problem.cells
    total = np.zeros_like(solution.bread)
    block = cells.block[crossings.cell]
    starts = np.searchsorted(block, np.arange(cells.blocks + 1))  # cells come in order of block
    for blocks, columns, _, information in by_block(problem.rows, solution.parameters):
        mine = np.concatenate([np.arange(starts[b], starts[b + 1]) for b in blocks.tolist()])
        place = np.repeat(np.arange(len(blocks)), starts[blocks + 1] - starts[blocks])
        for boundary in np.unique(crossings.boundary[mine]).tolist():
            at_boundary = crossings.boundary[mine] == boundary
            at, row = mine[at_boundary], place[at_boundary]
            share = sums_at(row, crossings.part[at], len(blocks))
            changes = np.zeros((len(blocks), len(total)))
            sign = np.where(crossings.by_low[at], 1.0, -1.0) * crossings.part[at] / share[row]
            np.add.at(changes, (row, cells.low[crossings.cell[at]]), sign)
            np.add.at(changes, (row, cells.high[crossings.cell[at]]), -sign)
            has_share = share > 0
            part = np.take_along_axis(changes, columns, axis=1)[has_share] * GIVEN_BACK * cells.unit
            z = left_out(columns[has_share], part, information[has_share], solution.bread)
            spread = np.sqrt(
                share * np.maximum(0.0, 1 - share)
            )  # a sum of all parts may be a rounding above 1
            add_squares(total, columns[has_share], z * spread[has_share, None])
    return total * (cells.blocks - 1) / cells.blocks


def _fewest_seeds(cells: PairCells, crossings: _Crossings, group: Ints, groups_above: Mask) -> Ints:
    """Return (n, n) on how many seeds the boundaries between two bots were crossed. It
    is the boundary crossed on the fewest seeds, of all on any way from the one bot to
    the other; 0 if there is none between.
    """
    fewest = np.full(groups_above.shape, np.iinfo(np.int64).max)
    reach = groups_above | np.eye(len(groups_above), dtype=np.bool_)
    low, high = group[cells.low[crossings.cell]], group[cells.high[crossings.cell]]
    block = cells.block[crossings.cell]
    for boundary in range(int(crossings.boundary.max()) + 1):
        mine = np.flatnonzero(crossings.boundary == boundary)
        k = mine[0]
        upper, lower = (low[k], high[k]) if crossings.by_low[k] else (high[k], low[k])
        through = np.outer(reach[:, upper], reach[lower])
        fewest[through] = np.minimum(fewest[through], len(np.unique(block[mine])))
    fewest = np.minimum(fewest, fewest.T)
    fewest[fewest == np.iinfo(np.int64).max] = 0
    return np.asarray(fewest[np.ix_(group, group)])
