"""How sure a fit is: covariances clustered on blocks. Formulas: reference/ratings.md F4.

U_b is block b's summed score and H_b its information, without the ghost; H holds the ghost, where there is one.
CR0 = H^-1 (sum U_b U_b') H^-1;  CR1 = CR0 B / (B - 1);  CR3 = (B - 1)/B sum J_b J_b' with J_b = (H - H_b)^-1 U_b, which is the
first step of leaving block b out. Let S be the bots of block b and A = H^-1: then J_b = A[:, S] z_b with
z_b = (I - H_b A[S, S])^-1 U_b, so a block costs the cube of the bots in it, not of all bots, and nothing B x n x n is held.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from khiva_arena.ratings.fit import Fit, expected, fit
from khiva_arena.ratings.pairs import Floats, Ints, PairCells

Kind = Literal["model", "cr0", "cr1", "cr3", "jackknife"]
_NUMBERS_AT_ONCE = 2_000_000
_SINGULAR = 1e10  # condition above which the bots hang together by one block alone


def covariance(solution: Fit, kind: Kind = "cr3") -> Floats:
    """The (n, n) covariance of the ratings *relative to the anchor*, in nats squared; the anchor's row is zero.

    var(t_i - t_j) = V_ii + V_jj - 2 V_ij holds for any two bots. All NaN where there is none: fewer than two blocks, or a
    block that alone holds the bots together, which the ghost otherwise does; rows of bots that are not in the fit are NaN.
    """
    blocks = solution.cells.blocks
    absolute: Floats
    if kind == "model":
        absolute = solution.bread
    elif blocks < 2:
        absolute = np.full_like(solution.bread, np.nan)
    elif kind == "jackknife":
        absolute = _jackknife(solution)
    else:
        meat = _meat(solution, leave_out=kind == "cr3")
        factor = {"cr0": 1.0, "cr1": blocks / (blocks - 1), "cr3": (blocks - 1) / blocks}[kind]
        absolute = np.asarray(factor * solution.bread @ meat @ solution.bread)
    a = solution.anchor
    relative: Floats = absolute - absolute[a] - absolute[:, [a]] + absolute[a, a]
    gone = np.isnan(solution.nats)
    relative[gone, :] = relative[:, gone] = np.nan
    return relative


def blocks_by_bot(cells: PairCells) -> Ints:
    """(n,) how many blocks hold a counted pair of the bot."""
    nodes = np.unique(np.concatenate([cells.block * cells.bots + cells.low, cells.block * cells.bots + cells.high]))
    return np.bincount(nodes % cells.bots, minlength=cells.bots)


def _meat(solution: Fit, *, leave_out: bool) -> Floats:
    """(n, n) sum over blocks of z_b z_b', or of U_b U_b' if blocks are not left out."""
    meat = np.zeros_like(solution.bread)
    for bots, scores, information in _scores(solution):
        z: Floats = scores
        if leave_out:
            kept = np.eye(bots.shape[1]) - information @ solution.bread[bots[:, :, None], bots[:, None, :]]
            if not solution.prior and (np.linalg.cond(kept) > _SINGULAR).any():  # the ghost holds all bots, whatever is left out
                return np.full_like(meat, np.nan)
            z = np.asarray(np.linalg.solve(kept, scores[:, :, None])[:, :, 0])
        np.add.at(meat, (bots[:, :, None], bots[:, None, :]), z[:, :, None] * z[:, None, :])
    return meat


def _scores(solution: Fit) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Blocks with equally many bots together: bots (b, m), U (b, m) and H_b (b, m, m); some at a time, to bound memory."""
    cells = solution.cells
    p = expected(solution.nats[cells.low] - solution.nats[cells.high])
    rest = cells.score - cells.weight * p
    weight = cells.weight * p * (1 - p)
    # a node is a bot in a block; nodes of a block lie together, so a bot's place in its block is a difference
    ends = np.concatenate([cells.block * cells.bots + cells.low, cells.block * cells.bots + cells.high])
    nodes, at = np.unique(ends, return_inverse=True)
    low, high = at[: len(rest)], at[len(rest) :]
    score = np.bincount(low, rest, len(nodes)) - np.bincount(high, rest, len(nodes))
    sizes = np.bincount(nodes // cells.bots, minlength=cells.blocks)
    starts = np.cumsum(sizes) - sizes
    first_cell = np.searchsorted(cells.block, np.arange(cells.blocks + 1))
    for m in np.unique(sizes):
        alike = np.flatnonzero(sizes == m)
        step = max(1, _NUMBERS_AT_ONCE // int(m * m))
        for some in (alike[i : i + step] for i in range(0, len(alike), step)):
            place = starts[some][:, None] + np.arange(m)
            counts = first_cell[some + 1] - first_cell[some]
            mine = np.arange(counts.sum()) + np.repeat(first_cell[some] - (np.cumsum(counts) - counts), counts)
            b = np.repeat(np.arange(len(some)), counts)
            i, j = low[mine] - starts[some][b], high[mine] - starts[some][b]
            information = np.zeros((len(some), m, m))
            for row, column, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                np.add.at(information, (b, row, column), sign * weight[mine])
            yield nodes[place] % cells.bots, score[place], information


def _jackknife(solution: Fit) -> Floats:
    """(B - 1)/B sum over blocks of squared deviations from their mean, when one block at a time is left out and all is fitted
    anew: the slow full form of what CR3 takes one step of."""
    cells = solution.cells
    every = [fit(cells.only(cells.block != b), solution.anchor, solution.prior).nats for b in range(cells.blocks)]
    changes = np.where(np.isnan(solution.nats), 0, np.stack(every) - solution.nats)
    changes -= changes.mean(axis=0)
    return np.asarray(changes.T @ changes) * (cells.blocks - 1) / cells.blocks
