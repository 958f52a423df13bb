"""Errors of other kinds than those that are shown, from the parts of the fit:
references print them, so they check those parts.

model: were all matches independent. cr0, cr1: clustered, without leaving out. cr3: what
    is shown. jackknife: every block left out and all fitted once more, of which cr3
    takes the first step.
"""

import numpy as np

from khiva_arena.rating.ratings.covariance import add_squares, variances
from khiva_arena.rating.ratings.effects import EffectsToFit
from khiva_arena.rating.ratings.estimate import problem_of, problem_of_cells, solution_of
from khiva_arena.rating.ratings.rows import by_block
from khiva_arena.rating.ratings.scale import ELO_PER_NAT

KINDS = ("model", "cr0", "cr1", "cr3")
NO_PRIOR = 1e-8  # so weak that it moves nothing; weaker still, rounding would


def without_prior(figures):
    """What ``figures(prior)`` tends to as the prior draws vanish: the fit without them,
    to ten digits. By Richardson's extrapolation from priors at which rounding is far
    away.
    """
    return 2 * np.array(figures(1e-4), dtype=float) - np.array(figures(2e-4), dtype=float)


def covariance_of(kind, matches, bots, anchor, prior=1.0, anchors=None, effects=None):
    """(n, n) of the numbers in Elo squared, and the variances of the effects, in the
    order of ``Ratings.effects``.
    """
    given = {anchor: (0.0, 0.0)} if anchors is None else anchors
    problem = problem_of(matches, bots, prior, effects or EffectsToFit())
    solution = solution_of(problem, given)
    bread, blocks = solution.bread, problem.rows.blocks
    if kind == "model":
        covariance = bread
    elif kind == "cr3":
        covariance = variances(problem.rows, solution).clustered
    elif kind == "jackknife":
        covariance = _refits(problem, solution, given)
    else:
        meat = np.zeros_like(bread)
        for _, columns, scores, _ in by_block(problem.rows, solution.parameters):
            add_squares(meat, columns, scores)
        covariance = bread @ (meat + solution.anchor_information) @ bread
        covariance *= blocks / (blocks - 1) if kind == "cr1" else 1
    of_numbers = solution.numbers @ covariance @ solution.numbers.T
    return ELO_PER_NAT**2 * of_numbers, ELO_PER_NAT**2 * np.diag(covariance)[
        bots : problem.columns.shift
    ]


def standard_errors(kind, *how, **more):
    """Of the numbers, in Elo."""
    return np.sqrt(np.maximum(0, np.diag(covariance_of(kind, *how, **more)[0])))


def _refits(problem, solution, given):
    cells, blocks = problem.cells, problem.cells.blocks
    every = [
        solution_of(
            problem_of_cells(cells.only(cells.block != block), problem.prior), given
        ).parameters
        for block in range(blocks)
    ]
    changes = np.stack(every) - solution.parameters
    changes -= changes.mean(axis=0)
    return changes.T @ changes * (blocks - 1) / blocks
