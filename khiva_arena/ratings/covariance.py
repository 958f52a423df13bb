"""How sure a fit is: covariances clustered on blocks. Formulas: reference/ratings.md F4.

U_b is block b's summed score and H_b its information, without the ghost; H holds the ghost, where there is one.
CR0 = H^-1 (sum U_b U_b') H^-1;  CR1 = CR0 B / (B - 1);  CR3 = (B - 1)/B sum J_b J_b' with J_b = (H - H_b)^-1 U_b, which is the
first step of leaving block b out. Let S be the bots of block b and A = H^-1: then J_b = A[:, S] z_b with
z_b = (I - H_b A[S, S])^-1 U_b, so a block costs the cube of the bots in it, not of all bots, and nothing B x n x n is held.
"""

from typing import Literal

import numpy as np

from khiva_arena.ratings.fit import Fit, fit
from khiva_arena.ratings.pairs import Floats, Ints, PairCells
from khiva_arena.ratings.rows import Rows, by_block, rows_of_cells

Kind = Literal["model", "cr0", "cr1", "cr3", "jackknife"]
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
        rows = rows_of_cells(solution.cells)
        absolute = solution.bread @ meat(rows, solution.nats, solution.bread, kind, held=solution.prior > 0) @ solution.bread
    a = solution.anchor
    relative: Floats = absolute - absolute[a] - absolute[:, [a]] + absolute[a, a]
    gone = np.isnan(solution.nats)
    relative[gone, :] = relative[:, gone] = np.nan
    return relative


def blocks_by_bot(cells: PairCells) -> Ints:
    """(n,) how many blocks hold a counted pair of the bot."""
    present = np.zeros(cells.blocks * cells.bots, dtype=np.bool_)
    present[cells.block * cells.bots + cells.low] = present[cells.block * cells.bots + cells.high] = True
    return np.asarray(present.reshape(cells.blocks, cells.bots).sum(axis=0), dtype=np.int64)


def meat(rows: Rows, parameters: Floats, bread: Floats, kind: Kind, *, held: bool) -> Floats:
    """(width, width) what stands between two slices of bread in CR0, CR1 and CR3: sum over blocks of U_b U_b', or z_b z_b' for
    CR3, with the factor of the kind. ``bread`` may be that of a fit under linear constraints: then so are the leavings-out.

    All NaN with fewer than two blocks; and where leaving out one block leaves parameters without a value, which is looked for
    unless they are ``held`` by a ghost.
    """
    blocks = rows.blocks
    total = np.zeros_like(bread)
    if blocks < 2:
        return np.full_like(bread, np.nan)
    for columns, scores, information in by_block(rows, parameters):
        z: Floats = scores
        if kind == "cr3":
            kept = np.eye(columns.shape[1]) - information @ bread[columns[:, :, None], columns[:, None, :]]
            if not held and (np.linalg.cond(kept) > _SINGULAR).any():
                return np.full_like(bread, np.nan)
            z = np.asarray(np.linalg.solve(kept, scores[:, :, None])[:, :, 0])
        _add_squares(total, columns, z)
    return {"cr0": 1.0, "cr1": blocks / (blocks - 1), "cr3": (blocks - 1) / blocks}[kind] * total


def _add_squares(total: Floats, columns: Ints, z: Floats) -> None:
    """Add sum of z z' where it belongs: one product of matrices if blocks are wide, else number by number."""
    blocks, m = columns.shape
    width = len(total)
    if 4 * m >= width:
        whole = np.zeros((blocks, width))
        np.put_along_axis(whole, columns, z, axis=1)
        total += whole.T @ whole
    else:
        where = columns[:, :, None] * width + columns[:, None, :]
        squares = z[:, :, None] * z[:, None, :]
        total += np.bincount(where.ravel(), squares.ravel(), width * width).reshape(width, width)


def _jackknife(solution: Fit) -> Floats:
    """(B - 1)/B sum over blocks of squared deviations from their mean, when one block at a time is left out and all is fitted
    anew: the slow full form of what CR3 takes one step of."""
    cells = solution.cells
    every = [fit(cells.only(cells.block != b), solution.anchor, solution.prior).nats for b in range(cells.blocks)]
    changes = np.where(np.isnan(solution.nats), 0, np.stack(every) - solution.nats)
    changes -= changes.mean(axis=0)
    return np.asarray(changes.T @ changes) * (cells.blocks - 1) / cells.blocks
