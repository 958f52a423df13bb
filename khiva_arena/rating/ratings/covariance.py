"""The certainty of a solution: covariances clustered on blocks. Formulas:
docs/how-ratings-work.md F4.

# Theory of operation

The question is how far the numbers would move if the same bots played again on other
seeds. Matches that share a seed share its luck (a good hand for seat 2, a deal that
suits one bot). So they are not independent, and a formula that counts matches is too
sure of itself. Everything here therefore looks at *blocks*: a block is all matches on
one seed, at any table. Blocks are independent of each other, and events inside one may
depend in any way at all.

The estimate makes the summed score of all blocks zero. At the solution, write U_b for
the score of block b alone (points less expected points, for each parameter). Write H_b
for its information (how fast U_b falls as the parameters rise). H is the sum of all
H_b, with the prior draws and the loose anchors; H^-1 is called the *bread*. Were
matches independent, H^-1 would be the covariance ("the model's"). The *sandwich* asks
the blocks instead: CR0 = H^-1 (sum U_b U_b') H^-1, from how much the U_b scatter around
zero. (Their sum goes between the slices of bread: the *meat*.)

CR0 is too small with few blocks, because the solution was drawn towards each block's
own luck. CR3 undoes that by leaving out one block at a time: J_b = (H - H_b)^-1 U_b is
the step that the solution takes, to first order, when block b is gone. CR3 = (B - 1)/B
sum J_b J_b', as a jackknife does. In simulations with 10 to 100 seeds its 95 %
intervals hold the truth in about 95 % of cases; those of CR0 hold it in 88 to 93 %.
Prior draws and loose anchors are in H, but they belong to no block: they are not left
out.

Leaving out looks like one inverse of size P for each block. It is not: with A = H^-1
and S the parameters that occur in block b, J_b = A[:, S] z_b, where z_b = (I - H_b A[S,
S])^-1 U_b. A block costs the cube of the bots in it, and nothing of the size B x P x P
is held.

*Degrees of freedom.* A variance from B blocks is itself an estimate; B - 1 is how many
independent deviations from the mean it has. The t quantile with B - 1 degrees of
freedom makes the interval wide enough for that (``scale.half_width``). A bot that
played on fewer seeds is in fewer U_b, so a comparison takes the smaller number of the
two bots compared.

*No variance seen.* If every block says the same about a difference, nothing was seen of
how much it varies: +/- 0 would be a lie, and the right answer is "no error known". CR0
and CR3 do not show that by themselves. The prior draws keep every U_b a little off
zero, and tie each bot a little to others that it is not compared with. So CR0 is
computed once more without the draws, to first order: from U_b - H_b d, where d is the
step to the solution without draws, less the mean over blocks (loose anchors pull the
mean). That is zero, except for rounding, exactly if all blocks agree;
``Variances.none_seen`` compares it with the variance that independent matches would
have, so that "zero" has a scale. It says nothing of numbers that are given.
"""

from collections.abc import Callable

import msgspec
import numpy as np
import numpy.typing as npt

from khiva_arena.rating.ratings.match_arrays import Floats, Ints
from khiva_arena.rating.ratings.model import Solution
from khiva_arena.rating.ratings.pairs import PairCells, sums_at
from khiva_arena.rating.ratings.rows import Rows, by_block, expected_score

_ROUNDING = 1e-9  # of a variance
_GIVEN = (
    1e-4  # of a variance: if the matches make up less of it (1 % of an error), the number is given
)
# of the prior draws when they are taken away, so that every parameter keeps a finite
# value
_DRAWS_KEPT = 1e-4


class Variances(msgspec.Struct, frozen=True, eq=False):
    """The covariance of the same numbers, or functions of it, under four views. NaN:
    none, since there are fewer than two blocks.

    clustered: CR3 over blocks: the errors that are shown.
    among_blocks: CR0 without the prior draws, about the mean of blocks: how much blocks
        differ.
    of_matches: were all matches independent, without the uncertainty of given numbers.
    of_model: were all matches independent, with that uncertainty.
    """

    clustered: Floats
    among_blocks: Floats
    of_matches: Floats
    of_model: Floats

    def map(self, function: Callable[[Floats], Floats]) -> "Variances":
        """Apply a function to all four views."""
        return Variances(
            *(
                function(one)
                for one in (self.clustered, self.among_blocks, self.of_matches, self.of_model)
            )
        )

    def none_seen(self) -> npt.NDArray[np.bool_]:
        """Return by element whether all blocks say the same. False for a number that is
        given.
        """
        not_given = self.of_matches > _GIVEN * self.of_model
        return np.asarray(not_given & (self.among_blocks <= _ROUNDING * self.of_matches))


def variances(rows: Rows, solution: Solution) -> Variances:
    """Return the (P, P) covariances of the parameters. ``rows``: the fitted rows, by
    block.
    """
    bread = solution.bread
    of_bread = bread - bread @ solution.anchor_information @ bread
    if rows.blocks < 2:
        none = np.full_like(bread, np.nan)
        return Variances(none, none, of_bread, bread)
    loose, step = _without_draws(solution)
    jackknife, scatter, total = np.zeros_like(bread), np.zeros_like(bread), np.zeros(len(bread))
    for _, columns, scores, information in by_block(rows, solution.parameters):
        add_squares(jackknife, columns, left_out(columns, scores, information, bread))
        score_changes = scores - (information @ step[columns][:, :, None])[:, :, 0]
        add_squares(scatter, columns, score_changes)
        total += sums_at(columns.ravel(), score_changes.ravel(), len(bread))
    jackknife *= (rows.blocks - 1) / rows.blocks
    scatter -= np.outer(total, total) / rows.blocks
    of_blocks = bread @ (jackknife + solution.anchor_information) @ bread
    return Variances(of_blocks, loose @ scatter @ loose, of_bread, bread)


def left_out(columns: Ints, scores: Floats, information: Floats, bread: Floats) -> Floats:
    """Return (b, m) the z_b of blocks as ``by_block`` gives them. ``bread`` may be that
    of a fit under linear constraints: then the fits without a block are under the same
    constraints. The prior draws keep every parameter's value finite in each.
    """
    remainder = (
        np.eye(columns.shape[1]) - information @ bread[columns[:, :, None], columns[:, None, :]]
    )
    return np.asarray(np.linalg.solve(remainder, scores[:, :, None])[:, :, 0])


def add_squares(total: Floats, columns: Ints, z: Floats) -> None:
    """Add the sum of z z' to the elements of its columns: one product of matrices if
    blocks are wide, else number by number.
    """
    blocks, m = columns.shape
    width = len(total)
    if 4 * m >= width:
        whole = np.zeros((blocks, width))
        np.put_along_axis(whole, columns, z, axis=1)
        total += whole.T @ whole
    else:
        cell = columns[:, :, None] * width + columns[:, None, :]
        squares = z[:, :, None] * z[:, None, :]
        total += np.bincount(cell.ravel(), squares.ravel(), width * width).reshape(width, width)


def blocks_by_bot(cells: PairCells) -> Ints:
    """Return (n,) how many blocks hold a counted pair of the bot."""
    present = np.zeros(cells.blocks * cells.bots, dtype=np.bool_)
    present[cells.block * cells.bots + cells.low] = present[
        cells.block * cells.bots + cells.high
    ] = True
    return np.asarray(present.reshape(cells.blocks, cells.bots).sum(axis=0), dtype=np.int64)


def _without_draws(solution: Solution) -> tuple[Floats, Floats]:
    """Return the bread (P, P) of a fit almost without prior draws, and the first step
    (P,) from the parameters towards those of that fit. By Woodbury's identity, which
    holds under constraints as well.
    """
    p = expected_score(solution.parameters)
    root = np.sqrt((1 - _DRAWS_KEPT) * solution.draws * p * (1 - p))
    scaled = root[:, None] * solution.bread
    loose = solution.bread + scaled.T @ np.linalg.solve(np.eye(len(p)) - scaled * root, scaled)
    return loose, (1 - _DRAWS_KEPT) * (loose @ (solution.draws * (p - 0.5)))
