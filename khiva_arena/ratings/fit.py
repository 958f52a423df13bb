"""The headline estimate: batch pairwise logistic quasi-likelihood, by Newton. Formulas: reference/ratings.md F1-F3.

P(i finishes ahead of j, ties half) = 1 / (1 + exp(-(t_i - t_j))), with t in nats. Solved is
sum of weight * (score - P) + prior = 0, where the prior is ``prior`` drawn games of weight 1 of each bot against a ghost
at 0: it keeps a bot that won or lost everything finite, and fixes the scale's zero. Without it the anchor is at 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from khiva_arena.ratings.pairs import Floats, Ints, PairCells, summed
from khiva_arena.ratings.rows import expected

_MOST_STEPS = 200
_CLOSE_ENOUGH = 1e-13  # nats
_ROUNDING = 1e-6  # nats: below it rounding would decide what is better, and Newton is safe


class Bound(StrEnum):
    """Whether the results alone, without a prior, place a bot at a finite distance from the anchor (F3).

    They do if points flow both ways between the two, straight or over others. Otherwise the number comes from the prior:
    a bot that only ever takes points is at least there, one that only gives them at most, and one that is in no such chain
    with the anchor is not compared with it at all.
    """

    NONE = ""
    AT_LEAST = ">="
    AT_MOST = "<="
    APART = "?"


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A solution. n bots; all in nats.

    nats: (n,) ratings; the ghost, or without a prior the anchor, is at 0. NaN: not in the fit.
    bread: (n, n) inverse of the Hessian, prior included; zero rows for the anchor without a prior and for bots not in the fit.
    bounds: against the anchor.  groups: bots at a finite distance from each other have the same number, the lowest bot's.
    cells: the pairs that were fitted: without a prior only those among bots at a finite distance from the anchor.
    """

    anchor: int
    prior: float
    nats: Floats
    bread: Floats
    bounds: tuple[Bound, ...]
    groups: tuple[int, ...]
    cells: PairCells


def fit(cells: PairCells, anchor: int, prior: float = 1.0) -> Fit:
    """Fit all bots at once. Never fails: without a prior, bots at no finite distance from the anchor are left out as NaN."""
    low, high, weight, score = pair_sums(cells)
    bounds, groups = connections(cells.bots, (low, high, weight, score), (anchor,))
    free = np.ones(cells.bots, dtype=np.bool_)
    if prior == 0:
        free = np.array([bound is Bound.NONE for bound in bounds], dtype=np.bool_)
        cells = cells.only(free[cells.low] & free[cells.high])
        low, high, weight, score = pair_sums(cells)
    fitted = free.copy()
    free[anchor] &= prior != 0
    nats, hessian = _newton(cells.bots, low, high, weight, score, prior, free)
    bread = np.zeros_like(hessian)
    bread[np.ix_(free, free)] = np.linalg.inv(hessian[np.ix_(free, free)])
    return Fit(anchor, prior, np.where(fitted, nats, np.nan), bread, bounds, groups, cells)


def connections(
    bots: int, sums: tuple[Ints, Ints, Floats, Floats], anchors: Sequence[int]
) -> tuple[tuple[Bound, ...], tuple[int, ...]]:
    """Bounds and groups, as in ``Fit``, from ``pair_sums``. Several anchors are at finite distances, since they are given."""
    reach = flows(bots, sums, anchors)
    under, over = (np.asarray(r[list(anchors)].any(axis=0), dtype=np.bool_) for r in (reach, reach.T))
    bounds = tuple(_BOUNDS[bool(a), bool(b)] for a, b in zip(under, over, strict=True))
    return bounds, tuple(np.argmax(reach & reach.T, axis=1).tolist())


def pair_sums(cells: PairCells) -> tuple[Ints, Ints, Floats, Floats]:
    """Low, high, weight and score of each pair over all blocks."""
    pairs, at = np.unique(cells.low * cells.bots + cells.high, return_inverse=True)
    low, high = np.divmod(pairs, cells.bots)
    return low, high, summed(at, cells.weight, len(pairs)), summed(at, cells.score, len(pairs))


def _newton(
    bots: int, low: Ints, high: Ints, weight: Floats, score: Floats, prior: float, free: npt.NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """The solution and its full (n, n) Hessian. The quasi-likelihood is concave: halving any step that lowers it converges."""
    nats = np.zeros(bots)

    def quality(t: Floats) -> float:
        d = t[low] - t[high]
        pairs = score @ np.logaddexp(0, -d) + (weight - score) @ np.logaddexp(0, d)
        return -float(pairs + prior / 2 * (np.logaddexp(0, -t) + np.logaddexp(0, t)).sum())

    last = np.inf
    for _ in range(_MOST_STEPS):
        p = expected(nats[low] - nats[high])
        ghost = expected(nats)
        rest = score - weight * p
        gradient = summed(low, rest, bots) - summed(high, rest, bots) + prior * (0.5 - ghost)
        hessian = np.diag(prior * ghost * (1 - ghost))
        information = weight * p * (1 - p)
        np.add.at(hessian, (low, low), information)
        np.add.at(hessian, (high, high), information)
        np.add.at(hessian, (low, high), -information)
        np.add.at(hessian, (high, low), -information)
        step = np.zeros(bots)
        if free.any():
            step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        size = float(np.abs(step).max(initial=0))
        if size < _CLOSE_ENOUGH or (size < _ROUNDING and size > last / 2):  # steps that stay as they are, are rounding
            break
        last = size
        before = quality(nats)
        while size > _ROUNDING and quality(nats + step) < before:
            step /= 2
            size /= 2
        nats = nats + step
    return nats, hessian


_BOUNDS = {
    (True, True): Bound.NONE,
    (False, True): Bound.AT_LEAST,
    (True, False): Bound.AT_MOST,
    (False, False): Bound.APART,
}  # (the anchor takes points from it, it takes points from the anchor), straight or over others


def flows(bots: int, sums: tuple[Ints, Ints, Floats, Floats], anchors: Sequence[int]) -> npt.NDArray[np.bool_]:
    """(n, n) whether bot i took points from bot j, straight or over others, as if each anchor took some from each other; the
    transitive closure, by squaring."""
    low, high, weight, score = sums
    reach = np.eye(bots, dtype=np.float32)
    reach[low, high] = score > 1e-9 * weight
    reach[high, low] = weight - score > 1e-9 * weight
    reach[np.ix_(anchors, anchors)] = 1
    while True:
        further = (reach @ reach > 0).astype(np.float32)
        if (further == reach).all():
            return further > 0
        reach = further
