"""Many events of one shape, fitted at once as arrays, without an anchor.
docs/how-ratings-work.md F2, F4 and F13.

Each of R events of n bots gets the numbers that ``rate`` gives. An event is made of
rounds; all seeds of a round have the same tables, each played once in every rotation.
So one matrix a round says how leaving out one of its seeds changes the fit.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from khiva_arena.rating.ratings.elo import ELO_PER_NAT, PRIOR_GAMES
from khiva_arena.rating.ratings.match_arrays import Floats, Ints
from khiva_arena.rating.ratings.pairs import pair_weight
from khiva_arena.rating.ratings.rows import expected_score

_STEPS = 60
_CLOSE_ENOUGH = 1e-9
_LONGEST = 2.0  # nats of one step
_NONE_SEEN = 1e-9  # of the variance of independent matches, as in covariance.py
_KEPT = 1e-4  # of the prior draws, as in covariance.py


class ReplicaRound(msgspec.Struct, frozen=True, eq=False):
    """One round of R events, on S seeds each.

    tables: (R, T, K) the bots of each table.
    rated: (R, T) whether its matches are rated.
    points: (R, S, n) how many bots each bot finished ahead of, over all its rated
        matches of a seed; copies of it do not count.
    ahead: (R, n, n) whether the bot of the row finished ahead of that of the column in
        some rated match.
    """

    tables: Ints
    rated: npt.NDArray[np.bool_]
    points: npt.NDArray[np.int64]
    ahead: npt.NDArray[np.bool_]

    def met(self) -> Floats:
        """Return (R, n, n) the summed weights of the matches of two bots on one
        seed.
        """
        events, _, seats = self.tables.shape
        bots = self.points.shape[2]
        weight = np.zeros(events * bots * bots)
        first = np.arange(events)[:, None] * bots
        for i, j in permutations(range(seats), 2):
            a, b = self.tables[:, :, i], self.tables[:, :, j]
            weight += np.bincount(
                ((first + a) * bots + b).ravel(), (self.rated & (a != b)).ravel(), len(weight)
            )
        return np.asarray(
            weight.reshape(events, bots, bots) * (pair_weight(seats) * seats), dtype=np.float64
        )


class Replicas(NamedTuple):
    """Fits of R events.

    nats: (R, n) ratings, whose prior draws are at 0.
    bread: (R, n, n) nats squared, the model's covariance.
    clustered: (R, n, n) nats squared, CR3.
    compared: (R, n, n) whether the results place two bots at a finite distance whose
        variance was seen.
    """

    nats: Floats
    bread: Floats
    clustered: Floats
    compared: npt.NDArray[np.bool_]

    def errors(self) -> Floats:
        """Return (R, n, n) standard errors of differences in nats; NaN of two that are
        not compared.
        """
        variance = _differences(self.clustered)
        return np.where(self.compared, np.sqrt(np.where(self.compared, variance, 1.0)), np.nan)


def fit_replicas(rounds: Sequence[ReplicaRound]) -> Replicas:
    """Fit each event with the prior of the headline fit, and its CR3 errors over
    seeds.
    """
    meetings = [one.met() for one in rounds]
    seeds = [one.points.shape[1] for one in rounds]
    weight = np.sum(
        [count * of_seed for count, of_seed in zip(seeds, meetings, strict=True)], axis=0
    )
    unit = [pair_weight(one.tables.shape[2]) for one in rounds]
    score = np.sum(
        [w * one.points.sum(axis=1, dtype=np.int64) for w, one in zip(unit, rounds, strict=True)],
        axis=0,
    )
    nats = _solve(weight, score)
    p = _expectation(nats)
    bread = np.asarray(np.linalg.inv(_hessian(weight, nats, p)), dtype=np.float64)
    loose, step = _without_draws(nats, bread)
    jackknife, scatter, total = np.zeros_like(bread), np.zeros_like(bread), np.zeros_like(nats)
    for one, of_seed, w in zip(rounds, meetings, unit, strict=True):
        scores = w * one.points - (of_seed * p).sum(axis=2)[:, None, :]
        information = _laplacian(of_seed * p * (1 - p))
        remainder = np.eye(p.shape[1]) - information @ bread
        z = np.linalg.solve(remainder, np.swapaxes(scores, 1, 2))  # (R, n, S)
        jackknife += z @ np.swapaxes(z, 1, 2)
        changes = scores - (information @ step[:, :, None])[:, None, :, 0]
        scatter += np.swapaxes(changes, 1, 2) @ changes
        total += changes.sum(axis=1)
    blocks = sum(seeds)
    of_blocks = np.asarray(bread @ jackknife @ bread * ((blocks - 1) / blocks), dtype=np.float64)
    scatter -= total[:, :, None] * total[:, None, :] / blocks
    among = _differences(np.asarray(loose @ scatter @ loose, dtype=np.float64))
    often = np.sum(
        [(of_seed.sum(axis=2) > 0) * count for count, of_seed in zip(seeds, meetings, strict=True)],
        axis=0,
    )
    comparable = _both_ways(np.logical_or.reduce([one.ahead for one in rounds]))
    comparable &= (np.minimum(often[:, :, None], often[:, None, :]) > 1) & (
        among > _NONE_SEEN * _differences(bread)
    )
    return Replicas(nats, bread, of_blocks, comparable)


def _solve(weight: Floats, score: Floats) -> Floats:
    """Return (R, n) the nats at which expected points, with those of the prior draws,
    equal points.
    """
    nats = np.zeros_like(score)
    for _ in range(_STEPS):
        p = _expectation(nats)
        slope = score - (weight * p).sum(axis=2) + PRIOR_GAMES * (0.5 - expected_score(nats))
        step = np.linalg.solve(_hessian(weight, nats, p), slope[:, :, None])[:, :, 0]
        size = np.abs(step).max()
        if size < _CLOSE_ENOUGH:
            break
        longest = np.abs(step).max(axis=1, keepdims=True)
        nats = nats + step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300))
    return np.asarray(nats)


def _expectation(nats: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(nats[:, None, :] - nats[:, :, None])))


def _hessian(weight: Floats, nats: Floats, p: Floats) -> Floats:
    q = expected_score(nats)
    hessian = _laplacian(weight * p * (1 - p))
    at = np.arange(nats.shape[1])
    hessian[:, at, at] += PRIOR_GAMES * q * (1 - q)
    return hessian


def _laplacian(between: Floats) -> Floats:
    laplacian = -between
    at = np.arange(between.shape[1])
    laplacian[:, at, at] += between.sum(axis=2)
    return laplacian


def _differences(covariance: Floats) -> Floats:
    variances = np.diagonal(covariance, axis1=1, axis2=2)
    return np.asarray(
        variances[:, :, None] + variances[:, None, :] - covariance - np.swapaxes(covariance, 1, 2)
    )


def _without_draws(nats: Floats, bread: Floats) -> tuple[Floats, Floats]:
    """Return (R, n, n) the bread of fits almost without prior draws, and (R, n) the
    first step towards those fits.
    """
    p = expected_score(nats)
    root = np.sqrt((1 - _KEPT) * PRIOR_GAMES * p * (1 - p))
    scaled = root[:, :, None] * bread
    remainder = np.eye(nats.shape[1]) - scaled * root[:, None, :]
    loose = bread + np.swapaxes(scaled, 1, 2) @ np.linalg.solve(remainder, scaled)
    pull = (1 - _KEPT) * PRIOR_GAMES * (p - 0.5)
    return loose, (loose @ pull[:, :, None])[:, :, 0]


def _both_ways(ahead: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return (R, n, n) whether points flow both ways between two bots, directly or
    through others; False of one with itself.
    """
    bots = ahead.shape[1]
    itself = np.eye(bots, dtype=np.bool_)
    reach = (ahead | itself).astype(np.float32)
    for _ in range(max(1, (bots - 1).bit_length())):
        reach = (reach @ reach > 0).astype(np.float32)
    reachable = reach > 0
    return np.asarray(reachable & np.swapaxes(reachable, 1, 2) & ~itself)


def shrunk(nats: Floats, of_blocks: Floats, bread: Floats) -> Ints:
    """Return (n,) whole Elo of one fit, shrunk to their mean: the strengths that are
    likely, if bots differ as much as these results leave likely.

    Each contrast keeps tau2 / (tau2 + v) of itself, v the model's variance times the
    pooled design effect, at least 1. Here tau, the deviation of true strengths, is
    averaged over ``_SPREADS`` by likelihood.
    """
    bots = len(nats)
    values, vectors = np.linalg.eigh(np.eye(bots) - 1 / bots)
    basis = vectors[:, values > 0.5]
    of_model, as_seen = basis.T @ bread @ basis, basis.T @ of_blocks @ basis
    effect = max(1.0, float(np.trace(as_seen) / np.trace(of_model)))
    variance, axes = np.linalg.eigh(effect * (of_model + of_model.T) / 2)
    along = axes.T @ (basis.T @ nats)
    total = (_SPREADS / ELO_PER_NAT)[:, None] ** 2 + variance
    likelihood = -(np.log(total) + along**2 / total).sum(axis=1) / 2
    share = np.exp(likelihood - likelihood.max())
    share_kept = (share[:, None] * (1 - variance / total)).sum(axis=0) / share.sum()
    return np.asarray(
        np.rint(ELO_PER_NAT * (basis @ (axes @ (share_kept * along)))), dtype=np.int64
    )


_SPREADS = np.arange(0.0, 800.0, 10.0)
"""The deviations of true strengths, in Elo."""
