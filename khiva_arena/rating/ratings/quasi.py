"""Quasi variances: one error for each bot, from which the error between any two follows
approximately.

Source: docs/how-ratings-work.md F5 (Firth). Quasi variances q: q_i + q_j is near the
    variance of the difference of i and j. They minimise the sum over pairs of the
    square of log(q_i + q_j) - log(V_ij), the relative error, as Firth and de Menezes
    (2004) do.
"""

from typing import NamedTuple

import numpy as np

from khiva_arena.rating.ratings.match_arrays import Floats

_STEPS = 200
_CLOSE_ENOUGH = 1e-12  # relative to the largest
_ROUNDING = 1e-9  # of the largest variance: none but rounding, of which there is no logarithm


def differences(covariance: Floats) -> Floats:
    """Return (n, n) variances of the differences, from a covariance: V_ii + V_jj - 2
    V_ij; 0 on the diagonal.
    """
    variances = np.diag(covariance)
    return np.asarray(variances[:, None] + variances - covariance - covariance.T)


class QuasiVariances(NamedTuple):
    """The quasi variances of bots.

    variances: (n,), in the unit of the covariance
    worst: the worst relative error of sqrt(q_i + q_j) over pairs
    """

    variances: Floats
    worst: float


def quasi_variances(covariance: Floats) -> QuasiVariances | None:
    """Return the quasi variances of a covariance.

    Some may be below 0; every sum of two is above. None for fewer than two, or if a
    difference has no variance, or next to none beside the others. For two there are
    many answers: each gets half.
    """
    between = differences(covariance)
    n = len(between)
    pairs = ~np.eye(n, dtype=np.bool_)
    if n < 2 or not (between[pairs] > _ROUNDING * between.max()).all():
        return None
    if n == 2:
        return QuasiVariances(np.full(2, between[0, 1] / 2), 0.0)
    logs = np.log(np.where(pairs, between, 1))
    of_pairs = logs[pairs]
    one, other = np.nonzero(pairs)

    def misfit(q: Floats) -> float:
        sums = q[one] + q[other]
        return float(((np.log(sums) - of_pairs) ** 2).sum()) if (sums > 0).all() else np.inf

    q = np.full(n, np.exp(of_pairs.mean()) / 2)
    before = misfit(q)
    for _ in range(_STEPS):
        sums = q[:, None] + q
        sums.flat[:: n + 1] = 1
        weight = sums**-2
        weight.flat[:: n + 1] = 0
        weight.flat[:: n + 1] = weight.sum(axis=1)
        step = np.linalg.solve(weight, ((logs - np.log(sums)) / sums).sum(axis=1))  # Gauss-Newton
        least = _CLOSE_ENOUGH * np.abs(q).max()
        while (size := float(np.abs(step).max())) > least and not (
            after := misfit(q + step)
        ) < before:
            step /= 2
        if size <= least:
            break
        q, before = q + step, after
    ratio = np.sqrt((q[:, None] + q)[pairs] / between[pairs])
    return QuasiVariances(q, float(np.abs(ratio - 1).max()))
