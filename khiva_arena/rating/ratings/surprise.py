"""The surprise in two bots' score against each other: its distance from the ratings'
expectation. docs/how-ratings-work.md F4.

Rock, paper, scissors show in it. The residual of a pair is its score less the score
that the ratings expect. Its error is that of leaving out one block at a time from both:
d_b = (share without b - share) + p (1 - p) (J_bi - J_bj), with J_b the step of CR3
(F4), to first order in it; the variance is (B - 1)/B sum (d_b - mean)^2. So it is known
that the ratings were fitted to the same matches, and blocks count as one observation
each. Sums of J_b J_b' are those of the covariance, and all else is in the cells:
nothing of the size of blocks times pairs is made.
"""

import numpy as np
import numpy.typing as npt

from khiva_arena.rating.ratings.covariance import add_squares, left_out
from khiva_arena.rating.ratings.elo import ELO_PER_NAT, Ratings
from khiva_arena.rating.ratings.match_arrays import Floats, Ints
from khiva_arena.rating.ratings.pairs import PairCells, sums_at
from khiva_arena.rating.ratings.quasi import differences
from khiva_arena.rating.ratings.rows import by_block, expected_score, rows_of_cells

_ROUNDING = 1e-12  # a variance of shares below this is rounding
_BRIDGE = 1 - 1e-6  # of a connection that is in this pair alone


def surprises(cells: PairCells, ratings: Ratings) -> Floats:
    """Return (n, n) the residual of row against column over its standard error,
    antisymmetric.

    NaN if they never met or one has no rating; with fewer than two blocks; if all
    blocks say the same of the residual; and if no others connect the two, so that the
    ratings were fitted to this very score. If the score itself was the same in all
    blocks, as of a bot that took everything, each block counts as one match at the
    expected score besides. For ratings with effects it is approximate:
    ``expected_score`` leaves the effects out.
    """
    bots = len(ratings.elo)
    surprise = np.full((bots, bots), np.nan)
    nats = np.array([np.nan if elo is None else elo / ELO_PER_NAT for elo in ratings.elo])
    cells = cells.only(~np.isnan(nats[cells.low]) & ~np.isnan(nats[cells.high]))
    if cells.blocks < 2:
        return surprise
    pairs, at, blocks = np.unique(
        cells.low * bots + cells.high, return_inverse=True, return_counts=True
    )
    low, high = np.divmod(pairs, bots)
    step, squares, sums = _steps(cells, nats, ratings)
    weight, score = sums_at(at, cells.weight, len(pairs)), sums_at(at, cells.score, len(pairs))
    share, expected_share = score / weight, expected_score(nats[low] - nats[high])
    slope = expected_share * (1 - expected_share)
    with np.errstate(invalid="ignore", divide="ignore"):  # of a pair with one block
        shift = (score[at] - cells.score) / (weight[at] - cells.weight) - share[at]
    of_share = sums_at(at, shift**2, len(pairs))
    total = (
        of_share
        + 2 * slope * sums_at(at, shift * step, len(pairs))
        + slope**2 * differences(squares)[low, high]
    )
    mean = (sums_at(at, shift, len(pairs)) + slope * (sums[low] - sums[high])) / cells.blocks
    variance = (cells.blocks - 1) / cells.blocks * (total - cells.blocks * mean**2)
    is_known = (blocks > 1) & (variance > _ROUNDING) & ~_bridges(low, high, bots)
    variance = variance + np.where(of_share < _ROUNDING, slope / blocks, 0)
    z = (share - expected_share)[is_known] / np.sqrt(variance[is_known])
    surprise[low[is_known], high[is_known]], surprise[high[is_known], low[is_known]] = z, -z
    return surprise


def _steps(cells: PairCells, nats: Floats, ratings: Ratings) -> tuple[Floats, Floats, Floats]:
    """Return by cell J_bi - J_bj of its block; (n, n) sum of J_b J_b'; (n,) sum of
    J_b.
    """
    bots, bread = cells.bots, ratings.bread
    squares, sums = np.zeros((bots, bots)), np.zeros(bots)
    nodes: list[Ints] = []
    steps: list[Floats] = []
    for block, columns, scores, information in by_block(rows_of_cells(cells, bots), nats):
        z = left_out(columns, scores, information, bread)
        add_squares(squares, columns, z)
        sums += sums_at(columns.ravel(), z.ravel(), bots)
        nodes.append((block[:, None] * bots + columns).ravel())
        steps.append((bread[columns[:, :, None], columns[:, None, :]] @ z[:, :, None]).ravel())
    node, step = np.concatenate(nodes), np.concatenate(steps)
    order = np.argsort(node)
    node, step = node[order], step[order]
    low_step, high_step = (
        step[np.searchsorted(node, cells.block * bots + side)] for side in (cells.low, cells.high)
    )
    return low_step - high_step, bread @ squares @ bread, bread @ sums


def _bridges(low: Ints, high: Ints, bots: int) -> npt.NDArray[np.bool_]:
    """Return whether each pair is the only connection of its two bots, not even over
    others: the pairs with an effective resistance of 1.
    """
    laplacian = np.zeros((bots, bots))
    for row, column, sign in ((low, low, 1), (high, high, 1), (low, high, -1), (high, low, -1)):
        np.add.at(laplacian, (row, column), sign)
    resistance = differences(np.linalg.pinv(laplacian, hermitian=True).astype(np.float64))
    return np.asarray(resistance[low, high] > _BRIDGE)
