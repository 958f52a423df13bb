"""How sure a fit is: covariances clustered on blocks. Formulas: reference/ratings.md F4.

U_b is block b's summed score and H_b its information, without the ghost; H holds the ghost, where there is one.
CR0 = H^-1 (sum U_b U_b') H^-1;  CR1 = CR0 B / (B - 1);  CR3 = (B - 1)/B sum J_b J_b' with J_b = (H - H_b)^-1 U_b, which is the
first step of leaving block b out. Let S be the bots of block b and A = H^-1: then J_b = A[:, S] z_b with
z_b = (I - H_b A[S, S])^-1 U_b, so a block costs the cube of the bots in it, not of all bots, and nothing B x n x n is held.

Where every block says the same of a difference, nothing was seen of how much it varies, and an error of 0 would be a lie. The
errors alone do not tell: the ghost keeps every U_b a little off 0, and moves bots with others that they are not compared with. So
CR0 is computed once more without the ghost, to first order, from U_b - H_b d less the mean of that over blocks, where d is the
step to the solution without it (and the mean what loose anchors pull). That is then 0 but for rounding; see ``nothing_seen``.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from khiva_arena.ratings.fit import Fit, fit
from khiva_arena.ratings.pairs import Floats, Ints, PairCells, summed
from khiva_arena.ratings.rows import Rows, by_block, expected, rows_of_cells

Kind = Literal["model", "cr0", "cr1", "cr3", "jackknife"]
_SINGULAR = 1e10  # condition above which the bots hang together by one block alone
_NOTHING = 1e-9  # of a variance: none but rounding
_GIVEN = 1e-4  # of a variance: so little of it (1 % of an error) is no blocks' say
_LEFT = 1e-4  # of the ghost, so that all parameters keep a value: no more of it is seen than rounding


def covariance(solution: Fit, kind: Kind = "cr3") -> Floats:
    """The first of ``covariances``."""
    return covariances(solution, kind)[0]


def covariances(solution: Fit, kind: Kind = "cr3") -> tuple[Floats, Floats]:
    """The (n, n) covariance of the ratings *relative to the anchor*, in nats squared; the anchor's row is zero. And for
    ``nothing_seen`` CR0 without the ghost; for the model, which looks at no blocks, all NaN.

    var(t_i - t_j) = V_ii + V_jj - 2 V_ij holds for any two bots. All NaN where there is none: fewer than two blocks, or a
    block that alone holds the bots together, which the ghost otherwise does; rows of bots that are not in the fit are NaN.
    """
    blocks = solution.cells.blocks
    bread, none = solution.bread, np.full_like(solution.bread, np.nan)
    if kind == "model":
        return _relative(solution, bread), none
    if blocks < 2:
        return none, none
    loose, step = loosened(np.nan_to_num(solution.nats), bread, np.full(len(bread), solution.prior))
    rows, ghost = rows_of_cells(solution.cells), solution.prior > 0
    total, seen = meat(rows, solution.nats, bread, "cr0" if kind == "jackknife" else kind, step, held=ghost)
    absolute = _jackknife(solution) if kind == "jackknife" else bread @ total @ bread
    return _relative(solution, absolute), _relative(solution, loose @ seen @ loose)


def _relative(solution: Fit, absolute: Floats) -> Floats:
    a = solution.anchor
    relative: Floats = absolute - absolute[a] - absolute[:, [a]] + absolute[a, a]
    gone = np.isnan(solution.nats)
    relative[gone, :] = relative[:, gone] = np.nan
    return relative


def loosened(parameters: Floats, bread: Floats, ghost: Floats) -> tuple[Floats, Floats]:
    """The bread (P, P) of a fit almost without its ghost, and the first step (P,) from its parameters towards those of that fit.
    ``ghost``: (P,) games of each parameter against it. By Woodbury's identity, which holds under constraints as well."""
    p = expected(parameters)
    root = np.sqrt((1 - _LEFT) * ghost * p * (1 - p))
    rooted = root[:, None] * bread
    loose = bread + rooted.T @ np.linalg.solve(np.eye(len(bread)) - rooted * root, rooted)
    return loose, (1 - _LEFT) * (loose @ (ghost * (p - 0.5)))


def nothing_seen(seen: Floats, model: Floats, whole: Floats) -> npt.NDArray[np.bool_]:
    """By element, whether all blocks say the same: the variance ``seen`` among them is none beside that of the ``model``.

    False where blocks have no say, which is where the model's variance is none of the ``whole``: a number that is given.
    """
    return np.asarray((model > _GIVEN * whole) & (seen <= _NOTHING * model))


def blocks_by_bot(cells: PairCells) -> Ints:
    """(n,) how many blocks hold a counted pair of the bot."""
    present = np.zeros(cells.blocks * cells.bots, dtype=np.bool_)
    present[cells.block * cells.bots + cells.low] = present[cells.block * cells.bots + cells.high] = True
    return np.asarray(present.reshape(cells.blocks, cells.bots).sum(axis=0), dtype=np.int64)


def meat(rows: Rows, parameters: Floats, bread: Floats, kind: Kind, step: Floats, *, held: bool) -> tuple[Floats, Floats]:
    """(width, width) what stands between two slices of bread in CR0, CR1 and CR3: sum over blocks of U_b U_b', or z_b z_b' for
    CR3, with the factor of the kind; and that of CR0 after a step of the parameters, to first order, about the mean of blocks.
    ``bread`` may be that of a fit under linear constraints: then so are the leavings-out.

    All NaN with fewer than two blocks; and where leaving out one block leaves parameters without a value, which is looked for
    unless they are ``held`` by a ghost.
    """
    blocks = rows.blocks
    total, after, sums = np.zeros_like(bread), np.zeros_like(bread), np.zeros(len(bread))
    none = np.full_like(bread, np.nan)
    if blocks < 2:
        return none, none
    for _, columns, scores, information in by_block(rows, parameters):
        z = left_out(columns, scores, information, bread, held=held) if kind == "cr3" else scores
        if z is None:
            return none, none
        add_squares(total, columns, z)
        moved = scores - (information @ step[columns][:, :, None])[:, :, 0]
        add_squares(after, columns, moved)
        sums += summed(columns.ravel(), moved.ravel(), len(bread))
    factor = {"cr0": 1.0, "cr1": blocks / (blocks - 1), "cr3": (blocks - 1) / blocks}[kind]
    return factor * total, after - np.outer(sums, sums) / blocks


def left_out(columns: Ints, scores: Floats, information: Floats, bread: Floats, *, held: bool) -> Floats | None:
    """(b, m) the z_b of blocks as ``by_block`` gives them: J_b is the bread of all parameters by those of the block, times z_b.
    None as ``meat`` has none."""
    kept = np.eye(columns.shape[1]) - information @ bread[columns[:, :, None], columns[:, None, :]]
    if not held and (np.linalg.cond(kept) > _SINGULAR).any():
        return None
    return np.asarray(np.linalg.solve(kept, scores[:, :, None])[:, :, 0])


def add_squares(total: Floats, columns: Ints, z: Floats) -> None:
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
