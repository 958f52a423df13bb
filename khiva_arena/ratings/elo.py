"""Elo with honest errors, from matches. Meaning: P(A finishes ahead of B, ties half) = 1 / (1 + 10^(-(A - B)/400)), whatever
the number of seats. The ghost is at 0 of an unanchored fit, which is then shifted to the anchor; errors are relative to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, log, sqrt

import numpy as np
import numpy.typing as npt

from khiva_arena.ratings import anchored
from khiva_arena.ratings.covariance import Kind, blocks_by_bot, covariance, covariances, nothing_seen
from khiva_arena.ratings.effects import AnchorCheck, Effect, Effects
from khiva_arena.ratings.fit import Bound, Fit, fit
from khiva_arena.ratings.oneway import OneWay, one_way
from khiva_arena.ratings.pairs import Floats, MatchArrays, PairCells, RatedMatch, pair_cells
from khiva_arena.ratings.quasi import differences, quasi_variances
from khiva_arena.ratings.scale import ELO_PER_NAT, FEWEST_SEEDS, LEVEL, Estimate, half_width

__all__ = ["ELO_PER_NAT", "FEWEST_SEEDS", "GHOST_GAMES", "LEVEL", "Ratings", "half_width", "rate"]

GHOST_GAMES = 1.0  # half won, half lost, of weight 1


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings of n bots, in Elo, relative to the anchor; with several anchors, relative to the numbers given for them. Tuples
    are by bot; None: there is none.

    anchor: the one anchor, whose number is 0, or the first of several.
    prior: games of each bot against the ghost.
    blocks: how many blocks (seeds) errors are clustered on.
    elo: the numbers.
    error: half width of the 95 % interval of ``elo``; 0 for an anchor that is exact. None with fewer than two blocks, where
        ``bounds`` says that the number is the prior's, or where all blocks say the same of it.
    se: the standard error below ``error``; there even where bounds say that it is not to be trusted, but not where all blocks say
        the same.
    still: (n, n) whether all blocks say the same of the difference between two bots, so that nothing was seen of how much it
        varies and it has no error; on the diagonal, the same of a number against what is given for the anchors. Never of a
        difference that is given, and of none by errors of the model, which look at no blocks.
    bounds: against the anchors, see ``Bound``.
    groups: between bots of different numbers the results alone place no finite distance. Anchors are at one.
    components: the same as lists of bots, largest first.
    score: mean pair score, 0..1, weighted as in the fit.
    seeds: blocks in which the bot met another.
    covariance: (n, n) Elo squared, of ``elo``.
    pool_se, pool_error: of the bot against the mean of all bots in its group that have played, itself among them; whether the
        anchor is one of them does not matter. None if there is no other, or where all blocks say the same of it.
    quasi_se: sqrt(q_i^2 + q_j^2) is near the error between i and j, over the bots that have an ``error``; see ``quasi``.
        None for all where two of these have no error between them, and for one where q_i^2 would be below 0.
    quasi_worst: the worst relative error of that, 0.05: 5 %.
    design_effect: variance against the pool over what it would be were all matches independent.
    bread: (n, n) nats squared, the inverse Hessian of the ratings before they were shifted to an anchor; zero rows for bots that
        have no rating.
    oneway: what is certain between bots of which one gave all points; None if there are no such bots, without a prior, for
        ratings with effects, and for errors of another kind than CR3.
    effects: those asked for.  anchors: with several, each one's check.
    """

    anchor: int
    prior: float
    blocks: int
    elo: tuple[float | None, ...]
    error: tuple[float | None, ...]
    se: tuple[float | None, ...]
    bounds: tuple[Bound, ...]
    groups: tuple[int, ...]
    score: tuple[float | None, ...]
    seeds: tuple[int, ...]
    covariance: Floats
    still: npt.NDArray[np.bool_]
    bread: Floats
    components: tuple[tuple[int, ...], ...]
    pool_se: tuple[float | None, ...]
    pool_error: tuple[float | None, ...]
    quasi_se: tuple[float | None, ...]
    quasi_worst: float | None
    design_effect: tuple[float | None, ...]
    oneway: OneWay | None = None
    effects: tuple[Effect, ...] = ()
    anchors: tuple[AnchorCheck, ...] = ()

    def between(self, i: int, j: int) -> tuple[float | None, float | None]:
        """Elo of bot i above bot j and its 95 % half width, from the full covariance; None where there is none."""
        a, b = self.elo[i], self.elo[j]
        variance = float(self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j])
        if a is None or b is None:
            return None, None
        if isnan(variance) or self.groups[i] != self.groups[j] or (i != j and self.still[i, j]):
            return a - b, None
        return a - b, half_width(sqrt(max(0.0, variance)), min(self.seeds[i], self.seeds[j]))

    def ends(self, i: int, j: int) -> tuple[float | None, float | None]:
        """Ends of the 95 % interval of how far bot i is above bot j. One of them is None where all points flow one way, and both
        where nothing tells."""
        apart, error = self.between(i, j)
        if apart is not None and error is not None:
            return apart - error, apart + error
        if self.oneway is None or apart is None:
            return None, None
        if self.oneway.above[i, j]:
            return _least(self.oneway, i, j), None
        least = _least(self.oneway, j, i) if self.oneway.above[j, i] else None
        return None, None if least is None else -least

    def interval(self, bot: int) -> tuple[float | None, float | None]:
        """Ends of the 95 % interval of ``elo``, as ``ends``: what is given for the anchors counts."""
        elo, error = self.elo[bot], self.error[bot]
        if elo is not None and error is not None:
            return elo - error, elo + error
        exact = [one for one in [check.bot for check in self.anchors] or [self.anchor] if self.error[one] == 0]
        ends = [(self.elo[one] or 0.0, *self.ends(bot, one)) for one in exact if one != bot]
        lows = [given + low for given, low, _ in ends if low is not None]
        highs = [given + high for given, _, high in ends if high is not None]
        return max(lows, default=None), min(highs, default=None)

    def rough(self, bot: int) -> bool:
        """Whether the error of ``elo`` is from so few seeds that it is hardly known itself."""
        anchors = [check.bot for check in self.anchors] or [self.anchor]
        return self.interval(bot) != (None, None) and self.error[bot] != 0 and self._fewer(bot, anchors) < FEWEST_SEEDS

    def _fewer(self, bot: int, anchors: Sequence[int]) -> int:
        return min(self.seeds[bot], max(self.seeds[one] for one in anchors))


def _least(oneway: OneWay, i: int, j: int) -> float | None:
    """The lower end of how far bot i is above j, in Elo, where all points flow from j to i."""
    seeds, error = int(oneway.met[i, j]), float(oneway.error[i, j])
    found = []
    if not isnan(error):
        found.append(float(oneway.apart[i, j]) - (half_width(error, int(oneway.freedom[i, j]) + 1) or 0.0))
    if seeds > 1:
        chance = ((1 - LEVEL) / 2) ** (1 / seeds)
        found.append(log(chance / (1 - chance)))
    return max(found) * ELO_PER_NAT if found else None


def rate(
    matches: Iterable[RatedMatch] | MatchArrays | PairCells,
    bots: int,
    anchor: int,
    prior: float = GHOST_GAMES,
    kind: Kind = "cr3",
    *,
    anchors: Mapping[int, float] | None = None,
    anchor_sds: Mapping[int, float] | None = None,
    effects: Effects | None = None,
) -> Ratings:
    """Rate bots 0..bots-1 from all their matches at once; the order of the matches does not matter.

    ``prior``: games against the ghost; 0 for none, then bots without a finite rating have none. ``kind``: of the errors.
    ``anchors``: given numbers of one bot or several, ``anchor`` among them; none: 0 for ``anchor``. ``anchor_sds``: how
    uncertain they are, as standard deviations; none or 0: exact. That uncertainty is part of all errors. ``effects``: fitted
    with the ratings; they need the matches, not cells. With effects or ``anchors`` there must be a prior and no jackknife.
    Raises ValueError on an anchor or bot out of range, and on what cannot be combined.
    """
    if not 0 <= anchor < bots:
        raise ValueError(f"anchor {anchor} is not among the {bots} bots")
    if anchors is None and not anchor_sds and not effects:
        cells = matches if isinstance(matches, PairCells) else pair_cells(matches, bots)
        solution = fit(cells, anchor, prior)
        found = _ratings(_plain(solution, kind), cells, (anchor,), anchor, prior)
        return _with_one_way(found, cells, solution, (anchor,)) if kind == "cr3" and prior > 0 else found
    given = anchored.given(anchor, bots, {anchor: 0.0} if anchors is None else anchors, anchor_sds or {})
    setup = anchored.prepare(matches, bots, prior, kind, effects or Effects())
    checks = anchored.checks(setup, given) if len(given) > 1 else ()
    found = _ratings(anchored.estimate(setup, given), setup.cells, tuple(given), anchor, prior, checks)
    return found if effects or kind != "cr3" else _with_one_way(found, setup.cells, fit(setup.cells, anchor, prior), tuple(given))


def _with_one_way(found: Ratings, cells: PairCells, solution: Fit, anchors: Sequence[int]) -> Ratings:
    if len(set(found.groups)) == 1:
        return found
    return replace(found, oneway=one_way(cells, solution, anchors, np.array(found.seeds)))


def _plain(solution: Fit, kind: Kind) -> Estimate:
    """One anchor, no effects: the headline."""
    anchor = solution.anchor
    variance, seen = (one * ELO_PER_NAT**2 for one in covariances(solution, kind))
    model = variance if kind == "model" else covariance(solution, "model") * ELO_PER_NAT**2
    nats = solution.nats - solution.nats[anchor]
    still = nothing_seen(*map(differences, (seen, model, model)))
    np.fill_diagonal(still, still[:, anchor])
    elo = nats * ELO_PER_NAT
    return Estimate(elo, variance, model, (seen, model, model), still, solution.bread, solution.bounds, solution.groups)


def _ratings(
    found: Estimate, cells: PairCells, anchors: Sequence[int], anchor: int, prior: float, checks: tuple[AnchorCheck, ...] = ()
) -> Ratings:
    seeds = blocks_by_bot(cells)
    most = int(max(seeds[list(anchors)]))  # of an anchor
    variances = zip(np.diag(found.variance).tolist(), np.diag(found.still).tolist(), strict=True)
    ses = [None if isnan(v) or still else sqrt(max(0.0, v)) for v, still in variances]
    met = [bot in anchors or count > 0 for bot, count in enumerate(seeds)]
    elo = [float(number) if there and not isnan(number) else None for number, there in zip(found.elo, met, strict=True)]
    errors: list[float | None] = []
    for bot, (se, bound) in enumerate(zip(ses, found.bounds, strict=True)):
        usable = elo[bot] is not None and se is not None and bound is Bound.NONE
        errors.append(half_width(se, int(min(seeds[bot], most))) if usable and se is not None else None)
    pool_ses, design = _against_pools(found, [number is not None and bool(n) for number, n in zip(elo, seeds, strict=True)])
    here = [bot for bot, group in enumerate(found.groups) if group == found.groups[anchor] and errors[bot] is not None]
    quasi, worst = _quasi(found, here)
    pool_errors = [None if se is None else half_width(se, n) for se, n in zip(pool_ses, seeds.tolist(), strict=True)]
    return Ratings(
        anchor=anchor,
        prior=prior,
        blocks=cells.blocks,
        elo=tuple(elo),
        error=tuple(errors),
        se=tuple(ses),
        bounds=found.bounds,
        groups=found.groups,
        score=_scores(cells),
        seeds=tuple(seeds.tolist()),
        covariance=found.variance,
        still=found.still,
        bread=found.bread,
        components=_components(found.groups),
        pool_se=pool_ses,
        pool_error=tuple(pool_errors),
        quasi_se=quasi,
        quasi_worst=worst,
        design_effect=design,
        effects=found.effects,
        anchors=checks,
    )


def _against_pools(found: Estimate, counts: list[bool]) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Standard error against the mean of those of the bot's group that count, and its variance over that of independent
    matches; by bot."""
    n = len(found.elo)
    ses: list[float | None] = [None] * n
    design: list[float | None] = [None] * n
    for group in set(found.groups):
        pool = [bot for bot in range(n) if found.groups[bot] == group and counts[bot]]
        if len(pool) < 2:
            continue
        shift = np.eye(len(pool)) - 1 / len(pool)
        variance, model, *seen = (
            np.einsum("ij,jk,ik->i", shift, one[np.ix_(pool, pool)], shift)
            for one in (found.variance, found.model_variance, *found.seen)
        )
        still = nothing_seen(*seen)
        for k, bot in enumerate(pool):
            if not isnan(variance[k]) and not still[k]:
                ses[bot] = sqrt(max(0.0, float(variance[k])))
                design[bot] = float(variance[k] / model[k]) if model[k] > 0 else None
    return tuple(ses), tuple(design)


def _quasi(found: Estimate, bots: list[int]) -> tuple[tuple[float | None, ...], float | None]:
    here = np.ix_(bots, bots)
    between_two = ~np.eye(len(bots), dtype=np.bool_)
    quasi = None if (found.still[here] & between_two).any() else quasi_variances(found.variance[here])
    ses: list[float | None] = [None] * len(found.elo)
    if quasi is None:
        return tuple(ses), None
    for bot, q in zip(bots, quasi[0].tolist(), strict=True):
        ses[bot] = sqrt(q) if q >= 0 else None
    return tuple(ses), quasi[1]


def _components(groups: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    by_group: dict[int, list[int]] = {}
    for bot, group in enumerate(groups):
        by_group.setdefault(group, []).append(bot)
    return tuple(sorted((tuple(bots) for bots in by_group.values()), key=lambda bots: (-len(bots), bots)))


def _scores(cells: PairCells) -> tuple[float | None, ...]:
    weight = np.bincount(cells.low, cells.weight, cells.bots) + np.bincount(cells.high, cells.weight, cells.bots)
    lost = cells.weight - cells.score
    score = np.bincount(cells.low, cells.score, cells.bots) + np.bincount(cells.high, lost, cells.bots)
    return tuple(s / w if w else None for s, w in zip(score.tolist(), weight.tolist(), strict=True))
