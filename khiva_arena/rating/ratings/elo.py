"""Elo with honest errors, from matches. Formulas: docs/how-ratings-work.md.

Meaning: P(A finishes ahead of B, ties half) = 1 / (1 + 10^(-(A - B)/400)), whatever the
    number of seats. The prior draws are at 0 of a scale without an anchor, which is
    then shifted to the anchor; errors are relative to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from math import isnan, log, sqrt
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from khiva_arena.common.result import Result
from khiva_arena.rating.ratings.connections import Bound
from khiva_arena.rating.ratings.covariance import blocks_by_bot
from khiva_arena.rating.ratings.effects import AnchorCheck, EffectsToFit, FittedEffect
from khiva_arena.rating.ratings.estimate import Fit, anchor_checks, fit, given_numbers, problem_of
from khiva_arena.rating.ratings.match_arrays import Floats, Matches
from khiva_arena.rating.ratings.oneway import OneWay, one_way
from khiva_arena.rating.ratings.pairs import PairCells, pair_weight
from khiva_arena.rating.ratings.quasi import quasi_variances
from khiva_arena.rating.ratings.scale import ELO_PER_NAT, FEWEST_SEEDS, LEVEL, half_width
from khiva_arena.rating.ratings.widening import PLAIN, Widening

__all__ = ["ELO_PER_NAT", "FEWEST_SEEDS", "LEVEL", "PRIOR_GAMES", "Ratings", "half_width", "rate"]

PRIOR_GAMES = 1.0  # drawn, of weight 1, of each bot against an average bot


class Distance(NamedTuple):
    """The distance between two bots.

    elo: of the first above the second, None if the results say nothing
    error: half the width of the 95 % interval, None if there is none
    """

    elo: float | None
    error: float | None


class EloInterval(NamedTuple):
    """The ends of a 95 % interval in Elo; an end that the results leave open is
    None.
    """

    low: float | None
    high: float | None


class QuasiErrors(NamedTuple):
    """The errors of bots, of which the error between any two follows approximately; see
    ``quasi``.

    se: Elo; sqrt(se_i^2 + se_j^2) is near the error between i and j. None for all if
        two bots have no error between them, and for one if its square would be below 0.
    worst: the worst relative error of that, 0.05: 5 %.
    """

    se: tuple[float | None, ...]
    worst: float | None


class Ratings(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Ratings of n bots, relative to the anchor; with several anchors, relative to the
    numbers given for them.

    Tuples are by bot; None: there is none.
    anchor: the one anchor, whose number is 0, or the first of several.
    blocks: how many blocks (seeds) errors are clustered on.
    elo: Elo, the numbers.
    error: Elo, half width of the 95 % interval of ``elo``; 0 for an anchor that is
        exact. None with fewer than two blocks, if ``bounds`` says that the number is
        the prior's, or if all blocks say the same of it.
    se: Elo, the standard error below ``error``; there even if bounds say that it is not
        to be trusted, but not if all blocks say the same.
    bounds: against the anchors, see ``Bound``.
    groups: between bots of different numbers the results alone place no finite
        distance. Anchors are at one.
    score: mean pair score, 0..1, weighted as in the fit.
    seeds: blocks in which the bot met another.
    covariance: (n, n) Elo squared, of ``elo``.
    no_variance_seen: (n, n) whether all blocks say the same of the difference between
        two bots, so that nothing was seen of how much it varies and it has no error; on
        the diagonal, the same of a number against what is given for the anchors. Never
        of a difference that is given.
    bread: (n, n) nats squared, the inverse Hessian of the ratings before they were
        shifted to an anchor.
    components: the groups as lists of bots, largest first.
    pool_se: Elo, of the bot against the mean of all bots in its group that have played,
        itself among them; it does not matter whether the anchor is one of them. None if
        there is no other, or if all blocks say the same of it.
    pool_error: Elo, half width of the 95 % interval of that.
    design_effect: variance against the pool over what it would be were all matches
        independent.
    oneway: what is certain between bots of which one gave all points; None if there are
        no such bots, and with effects.
    effects: those asked for.
    anchors: with several, each one's check.
    widening: how many standard errors make an interval.
    two_seats: whether no table has more.
    """

    anchor: int
    blocks: int
    elo: tuple[float | None, ...]
    error: tuple[float | None, ...]
    se: tuple[float | None, ...]
    bounds: tuple[Bound, ...]
    groups: tuple[int, ...]
    score: tuple[float | None, ...]
    seeds: tuple[int, ...]
    covariance: Floats
    no_variance_seen: npt.NDArray[np.bool_]
    bread: Floats
    components: tuple[tuple[int, ...], ...]
    pool_se: tuple[float | None, ...]
    pool_error: tuple[float | None, ...]
    design_effect: tuple[float | None, ...]
    oneway: OneWay | None = None
    effects: tuple[FittedEffect, ...] = ()
    anchors: tuple[AnchorCheck, ...] = ()
    widening: Widening = PLAIN
    two_seats: bool = False

    @cached_property
    def quasi(self) -> QuasiErrors:
        """The quasi standard errors of the bots that have an ``error``. Few tables show
        them, and they take long.
        """
        bots = [
            bot
            for bot, group in enumerate(self.groups)
            if group == self.groups[self.anchor] and self.error[bot] is not None
        ]
        square = np.ix_(bots, bots)
        between_two = ~np.eye(len(bots), dtype=np.bool_)
        quasi = (
            None
            if (self.no_variance_seen[square] & between_two).any()
            else quasi_variances(self.covariance[square])
        )
        ses: list[float | None] = [None] * len(self.elo)
        if quasi is None:
            return QuasiErrors(tuple(ses), None)
        for bot, q in zip(bots, quasi.variances.tolist(), strict=True):
            ses[bot] = sqrt(q) if q >= 0 else None
        return QuasiErrors(tuple(ses), quasi.worst)

    def between(self, i: int, j: int) -> Distance:
        """Return the Elo of bot i above bot j, with an error from the full
        covariance.
        """
        a, b = self.elo[i], self.elo[j]
        variance = float(self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j])
        if a is None or b is None:
            return Distance(None, None)
        if (
            isnan(variance)
            or self.groups[i] != self.groups[j]
            or (i != j and self.no_variance_seen[i, j])
        ):
            return Distance(a - b, None)
        error = self.widening.half_width(
            sqrt(max(0.0, variance)), min(self.seeds[i], self.seeds[j])
        )
        return Distance(a - b, error)

    def ends(self, i: int, j: int) -> EloInterval:
        """Return the ends of the 95 % interval of how far bot i is above bot j. One of
        them is None if all points flow one way, and both if the results say nothing.
        """
        distance, error = self.between(i, j)
        if distance is not None and error is not None:
            return EloInterval(distance - error, distance + error)
        if self.oneway is None or distance is None:
            return EloInterval(None, None)
        if self.oneway.above[i, j]:
            return EloInterval(_lowest(self.oneway, i, j, self.widening), None)
        bound = _lowest(self.oneway, j, i, self.widening) if self.oneway.above[j, i] else None
        return EloInterval(None, None if bound is None else -bound)

    def interval(self, bot: int) -> EloInterval:
        """Return the ends of the 95 % interval of ``elo``, None as in ``ends``. The
        numbers given for the anchors count.
        """
        elo, error = self.elo[bot], self.error[bot]
        if elo is not None and error is not None:
            return EloInterval(elo - error, elo + error)
        exact = [
            one
            for one in [check.bot for check in self.anchors] or [self.anchor]
            if self.error[one] == 0
        ]
        ends = [(self.elo[one] or 0.0, *self.ends(bot, one)) for one in exact if one != bot]
        lows = [given + low for given, low, _ in ends if low is not None]
        highs = [given + high for given, _, high in ends if high is not None]
        return EloInterval(max(lows, default=None), min(highs, default=None))

    def rough(self, bot: int) -> bool:
        """Tell whether the error of ``elo`` is from so few seeds that it is hardly
        known itself.
        """
        anchors = [check.bot for check in self.anchors] or [self.anchor]
        return (
            self.interval(bot) != (None, None)
            and self.error[bot] != 0
            and self._fewer(bot, anchors) < FEWEST_SEEDS
        )

    def _fewer(self, bot: int, anchors: Sequence[int]) -> int:
        return min(self.seeds[bot], max(self.seeds[anchor] for anchor in anchors))


def _lowest(oneway: OneWay, i: int, j: int, widening: Widening) -> float | None:
    """Return the lower end of how far bot i is above j, in Elo, if all points flow from
    j to i.
    """
    seeds, error = int(oneway.met[i, j]), float(oneway.error[i, j])
    ends = []
    if not isnan(error):
        ends.append(
            float(oneway.distance[i, j])
            - (widening.half_width(error, int(oneway.freedom[i, j]) + 1) or 0.0)
        )
    if seeds > 1:
        chance = ((1 - LEVEL) / 2) ** (1 / seeds)
        ends.append(log(chance / (1 - chance)))
    return max(ends) * ELO_PER_NAT if ends else None


def rate(
    matches: Iterable[Result] | Matches | PairCells,
    bots: int,
    anchor: int,
    prior: float = PRIOR_GAMES,
    *,
    anchors: Mapping[int, float] | None = None,
    anchor_sds: Mapping[int, float] | None = None,
    effects: EffectsToFit | None = None,
    widening: Widening = PLAIN,
) -> Ratings:
    """Rate bots 0..bots-1 from all their matches at once; the order of the matches does
    not matter.

    prior: drawn matches of each bot, above 0.
    anchors: given numbers of one bot or several, ``anchor`` among them; None: 0 for
        ``anchor``.
    anchor_sds: how uncertain they are, as standard deviations; None or 0: exact. That
        uncertainty is part of all errors.
    effects: fitted with the ratings; they need the matches, not cells.
    widening: how many standard errors make an interval.

    Raises ValueError on an anchor or bot out of range, and on arguments that cannot be
    combined.
    """
    if not 0 <= anchor < bots:
        raise ValueError(f"anchor {anchor} is not among the {bots} bots")
    numbers = given_numbers(
        anchor, bots, {anchor: 0.0} if anchors is None else anchors, anchor_sds or {}
    )
    problem = problem_of(matches, bots, prior, effects or EffectsToFit())
    checks = anchor_checks(problem, numbers) if len(numbers) > 1 else ()
    ratings = _ratings(fit(problem, numbers), problem.cells, tuple(numbers), checks, widening)
    if effects or len(ratings.components) == 1:
        return ratings
    return replace(
        ratings, oneway=one_way(problem.cells, prior, tuple(numbers), np.array(ratings.seeds))
    )


def _ratings(
    result: Fit,
    cells: PairCells,
    anchors: Sequence[int],
    checks: tuple[AnchorCheck, ...],
    widening: Widening,
) -> Ratings:
    anchor, seeds = anchors[0], blocks_by_bot(cells)
    of_anchors = int(max(seeds[list(anchors)]))
    is_fixed = np.diag(result.no_variance_seen).tolist()
    variances = np.diag(result.variances.clustered).tolist()
    ses = [
        None if isnan(v) or none_seen else sqrt(max(0.0, v))
        for v, none_seen in zip(variances, is_fixed, strict=True)
    ]
    has_matches = [bot in anchors or count > 0 for bot, count in enumerate(seeds)]
    elo = [
        float(number) if is_rated else None
        for number, is_rated in zip(result.elo, has_matches, strict=True)
    ]
    errors: list[float | None] = []
    for bot, (se, bound) in enumerate(zip(ses, result.bounds, strict=True)):
        usable = elo[bot] is not None and bound is Bound.NONE
        errors.append(
            widening.half_width(se, int(min(seeds[bot], of_anchors)))
            if usable and se is not None
            else None
        )
    pool_ses, design = _against_pools(
        result, [number is not None and bool(n) for number, n in zip(elo, seeds, strict=True)]
    )
    pool_errors = [
        None if se is None else widening.half_width(se, n)
        for se, n in zip(pool_ses, seeds.tolist(), strict=True)
    ]
    return Ratings(
        anchor=anchor,
        blocks=cells.blocks,
        elo=tuple(elo),
        error=tuple(errors),
        se=tuple(ses),
        bounds=result.bounds,
        groups=result.groups,
        score=_scores(cells),
        seeds=tuple(seeds.tolist()),
        covariance=result.variances.clustered,
        no_variance_seen=result.no_variance_seen,
        bread=result.bread,
        components=_components(result.groups),
        pool_se=pool_ses,
        pool_error=tuple(pool_errors),
        design_effect=design,
        effects=result.effects,
        anchors=checks,
        widening=widening,
        two_seats=cells.unit == pair_weight(2),
    )


def _against_pools(
    result: Fit, counts: list[bool]
) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Return by bot the standard error against the mean of its group's bots that count,
    and its variance over that of independent matches.
    """
    n = len(result.elo)
    ses: list[float | None] = [None] * n
    design: list[float | None] = [None] * n
    for group in set(result.groups):
        pool = [bot for bot in range(n) if result.groups[bot] == group and counts[bot]]
        if len(pool) < 2:
            continue
        against = result.variances.map(partial(_against_mean, pool))
        none_seen = against.none_seen()
        for k, bot in enumerate(pool):
            variance, model = float(against.clustered[k]), float(against.of_model[k])
            if not isnan(variance) and not none_seen[k]:
                ses[bot] = sqrt(max(0.0, variance))
                design[bot] = variance / model if model > 0 else None
    return tuple(ses), tuple(design)


def _against_mean(pool: list[int], covariance: Floats) -> Floats:
    """Return the variance of each bot of the pool less the mean of the pool."""
    shift = np.eye(len(pool)) - 1 / len(pool)
    return np.asarray(np.einsum("ij,jk,ik->i", shift, covariance[np.ix_(pool, pool)], shift))


def _components(groups: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    by_group: dict[int, list[int]] = {}
    for bot, group in enumerate(groups):
        by_group.setdefault(group, []).append(bot)
    return tuple(
        sorted((tuple(bots) for bots in by_group.values()), key=lambda bots: (-len(bots), bots))
    )


def _scores(cells: PairCells) -> tuple[float | None, ...]:
    weight = np.bincount(cells.low, cells.weight, cells.bots) + np.bincount(
        cells.high, cells.weight, cells.bots
    )
    points_lost = cells.weight - cells.score
    score = np.bincount(cells.low, cells.score, cells.bots) + np.bincount(
        cells.high, points_lost, cells.bots
    )
    return tuple(s / w if w else None for s, w in zip(score.tolist(), weight.tolist(), strict=True))
