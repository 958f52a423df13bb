"""Elo with honest errors, from matches. Meaning: P(A finishes ahead of B, ties half) = 1 / (1 + 10^(-(A - B)/400)), whatever
the number of seats. The ghost is at 0 of an unanchored fit, which is then shifted to the anchor; errors are relative to it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan, log, sqrt

import numpy as np

from khiva_arena.ratings.covariance import Kind, blocks_by_bot, covariance
from khiva_arena.ratings.fit import Bound, fit
from khiva_arena.ratings.pairs import Floats, PairCells, RatedMatch, pair_cells

ELO_PER_NAT = 400 / log(10)
GHOST_GAMES = 1.0  # half won, half lost, of weight 1
LEVEL = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings of n bots relative to the anchor, in Elo. Tuples are by bot; None: there is none.

    elo: the anchor's is 0.
    error: half width of the 95 % interval of ``elo``; 0 for the anchor. None with fewer than two blocks, or where ``bounds``
        says that the number is the prior's.
    se: the standard error below ``error``; there even where bounds say that it is not to be trusted.
    groups: between bots of different numbers the results alone place no finite distance.
    score: mean pair score, 0..1, weighted as in the fit.
    seeds: blocks in which the bot met another.  blocks: of all.
    covariance: (n, n) Elo squared, relative to the anchor.
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

    def between(self, i: int, j: int) -> tuple[float | None, float | None]:
        """Elo of bot i above bot j and its 95 % half width, from the full covariance."""
        a, b = self.elo[i], self.elo[j]
        variance = float(self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j])
        if a is None or b is None or isnan(variance):
            return (None if a is None or b is None else a - b), None
        apart = self.groups[i] != self.groups[j]
        error = None if apart else half_width(sqrt(max(0.0, variance)), min(self.seeds[i], self.seeds[j]))
        return a - b, error


def rate(
    matches: Iterable[RatedMatch] | PairCells, bots: int, anchor: int, prior: float = GHOST_GAMES, kind: Kind = "cr3"
) -> Ratings:
    """Rate bots 0..bots-1 from all their matches at once; the order of the matches does not matter.

    ``prior``: games against the ghost; 0 for none, then bots without a finite rating have none. ``kind``: of the errors.
    Raises ValueError on an anchor or bot out of range.
    """
    if not 0 <= anchor < bots:
        raise ValueError(f"anchor {anchor} is not among the {bots} bots")
    cells = matches if isinstance(matches, PairCells) else pair_cells(matches, bots)
    solution = fit(cells, anchor, prior)
    variance = covariance(solution, kind) * ELO_PER_NAT**2
    nats = solution.nats - solution.nats[anchor]
    seeds = blocks_by_bot(cells)
    ses = [None if isnan(v) else sqrt(max(0.0, v)) for v in np.diag(variance).tolist()]
    met = [anchor == bot or count > 0 for bot, count in enumerate(seeds)]
    elo = [float(t * ELO_PER_NAT) if there and not isnan(t) else None for t, there in zip(nats, met, strict=True)]
    errors: list[float | None] = []
    for bot, (se, bound) in enumerate(zip(ses, solution.bounds, strict=True)):
        usable = elo[bot] is not None and se is not None and bound is Bound.NONE
        errors.append(half_width(se, int(min(seeds[bot], seeds[anchor]))) if usable and se is not None else None)
    errors[anchor] = 0.0 if seeds[anchor] > 1 and ses[anchor] is not None else None
    return Ratings(
        anchor,
        cells.blocks,
        tuple(elo),
        tuple(errors),
        tuple(ses),
        solution.bounds,
        solution.groups,
        _scores(cells),
        tuple(seeds.tolist()),
        variance,
    )


def half_width(se: float, blocks: int) -> float | None:
    """Half width of the 95 % interval: t quantile with blocks - 1 degrees of freedom; None below two blocks.

    ``blocks``: of the bot that has fewer of the two compared. With all bots on all seeds that is B.
    """
    if blocks < 2:
        return None
    from scipy.special import stdtrit  # here, not above: scipy takes longer to import than all else

    return se * float(stdtrit(blocks - 1, (1 + LEVEL) / 2))


def _scores(cells: PairCells) -> tuple[float | None, ...]:
    weight = np.bincount(cells.low, cells.weight, cells.bots) + np.bincount(cells.high, cells.weight, cells.bots)
    lost = cells.weight - cells.score
    score = np.bincount(cells.low, cells.score, cells.bots) + np.bincount(cells.high, lost, cells.bots)
    return tuple(s / w if w else None for s, w in zip(score.tolist(), weight.tolist(), strict=True))
