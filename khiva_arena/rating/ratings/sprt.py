"""The sequential test whether a candidate is stronger, on block scores
(GSPRT). Formulas: docs/how-ratings-work.md F6, F7.

A block is all tables of one seed in all rotations; its score x, 0..1, is the
candidate's mean pair score over them. Blocks are independent, matches inside a block
are not, so blocks are counted and nothing else.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import asinh, log, sinh, sqrt

import numpy as np

from khiva_arena.common.result import Hypotheses, Model, Result
from khiva_arena.errors import ConfigError
from khiva_arena.rating.ratings.elo import half_width
from khiva_arena.rating.ratings.likelihood import (
    MOST_T,
    Histogram,
    arrays,
    elo_of,
    llr_of_scores,
    llr_of_ts,
    moments,
    score_of,
)
from khiva_arena.rating.ratings.proportions import wilson
from khiva_arena.rating.ratings.stopping import BlockScores, after_stop

NELO_PER_T = 800 / log(10)  # normalised Elo per (mean - 1/2) / sd of one match
# no decision before: Wald's bounds are for many blocks; with 8, up to twice as many
# simulated tests erred
FEWEST_BLOCKS = 32
_ROUNDING = 1e-18  # a variance of block scores below this is rounding


class SprtDecision(StrEnum):
    NONE = ""
    H0 = "H0"
    H1 = "H1"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its 95 % interval, in the unit of the field that holds it.

    value: the number.
    low, high: the ends; infinite Elo if the score's interval reaches 0 or 1.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SprtReport:
    """The result of a sequential test. After the decision it does not change: later
    blocks are not looked at.

    hypotheses: what is tested.
    blocks: how many were looked at.
    fewest: no decision before so many blocks.
    llr: the log likelihood ratio of H1 to H0; None before the first block.
    bounds: as of the hypotheses.
    decision: for which of the two.
    score: mean block score, 0..1, with an interval over the blocks; None below two
        blocks. This, ``elo`` and ``nelo`` are not adjusted for stopping. A test stops
        when the score looks decided: after H1 they are too high on average and after H0
        too low, and their intervals hold less often than they say.
    elo: the score as Elo.
    nelo: the score as normalised Elo of one match; None too if all blocks had the same
        score.
    adjusted: Elo, median-unbiased for the stopping (see stopping.py), within
        -1000..1000. Its interval held the truth in 93 to 97 % of simulations.
    los: likelihood of superiority: how likely an equal candidate does worse than this
        one did, stopping allowed for. This and ``adjusted`` are None below ``fewest``
        blocks, and if all blocks, or nearly all, had the same score (see
        ``after_stop``).
    histogram: block score and how many blocks had it, from low to high.
    """

    hypotheses: Hypotheses
    blocks: int
    fewest: int
    llr: float | None
    bounds: tuple[float, float]
    decision: SprtDecision
    score: Estimate | None
    elo: Estimate | None
    nelo: Estimate | None
    adjusted: Estimate | None
    los: float | None
    histogram: tuple[tuple[Fraction, int], ...]


class SequentialTest:
    """A test that takes block scores in the order of their seeds and decides at the
    first bound met.

    ``matches``: of a block, rotations times line-ups. Raises ConfigError if the bounds
        are too far from 0 for normalised Elo.
    """

    def __init__(self, hypotheses: Hypotheses, matches: int) -> None:
        limit = MOST_T * NELO_PER_T / sqrt(matches)
        if (
            hypotheses.model is Model.NORMALIZED
            and max(abs(hypotheses.elo0), abs(hypotheses.elo1)) > limit
        ):
            raise ConfigError(
                f"normalised Elo is at most {limit:.0f} if a seed has {matches} matches: "
                "set the bounds nearer to 0"
            )
        self.hypotheses, self.matches = hypotheses, matches
        self.decision = SprtDecision.NONE
        self.blocks = 0
        self._counts: Counter[Fraction] = Counter()

    def add(self, score: Fraction) -> SprtDecision:
        """Add one more block's score, 0..1; ignore it after the decision. Raises
        ValueError out of range.
        """
        if not 0 <= score <= 1:
            raise ValueError(f"a block score is between 0 and 1, not {score}")
        if self.decision is SprtDecision.NONE:
            self._counts[score] += 1
            self.blocks += 1
            lower, upper = self.hypotheses.bounds
            if self.blocks >= FEWEST_BLOCKS and not lower < (ratio := self.llr()) < upper:
                self.decision = SprtDecision.H0 if ratio <= lower else SprtDecision.H1
        return self.decision

    def llr(self) -> float:
        """Return the log likelihood ratio of the blocks so far. Raises ValueError if
        there are none.
        """
        return llr(self._support(), self.hypotheses, self.matches)

    def report(self) -> SprtReport:
        score = nelo = adjusted = los = None
        if self.blocks > 1:
            score, nelo = _estimates(self._counts, self.matches)
        if self.blocks >= FEWEST_BLOCKS:
            adjusted, los = self._after_stop()
        return SprtReport(
            hypotheses=self.hypotheses,
            blocks=self.blocks,
            fewest=FEWEST_BLOCKS,
            llr=self.llr() if self.blocks else None,
            bounds=self.hypotheses.bounds,
            decision=self.decision,
            score=score,
            elo=score and Estimate(elo_of(score.value), elo_of(score.low), elo_of(score.high)),
            nelo=nelo,
            adjusted=adjusted,
            los=los,
            histogram=tuple(sorted(self._counts.items())),
        )

    def _support(self) -> dict[Fraction, float]:
        """Return the scores seen; 0 or 1 too if no seen score is on that side of the
        hypotheses, which could not be met else.

        Not all possible scores are there. Were 0 and 1 there always, the likeliest way
        to a hypothesis would be a few blocks at an end. That costs little likelihood
        however many blocks were seen nowhere near. With five seats the test would take
        twice as many blocks.
        """
        support: dict[Fraction, float] = dict(self._counts)
        s0, s1 = self._scores()
        if min(support) >= min(s0, 0.5):
            support.setdefault(Fraction(0), 0)
        if max(support) <= max(s1, 0.5):
            support.setdefault(Fraction(1), 0)
        return support

    def _scores(self) -> tuple[float, float]:
        """Return the hypotheses as block scores, for normalised Elo with the spread
        that was seen.
        """
        ends = self.hypotheses.elo0, self.hypotheses.elo1
        if self.hypotheses.model is Model.LOGISTIC:
            return score_of(ends[0]), score_of(ends[1])
        sd = self._mean_and_variance()[1] ** 0.5
        return 0.5 + _t_of(ends[0], self.matches) * sd, 0.5 + _t_of(ends[1], self.matches) * sd

    def _mean_and_variance(self) -> tuple[float, float]:
        values, counts = arrays(self._counts)
        mean, sd = moments(values, counts / self.blocks)
        return mean, sd**2

    def _after_stop(self) -> tuple[Estimate | None, float | None]:
        mean, variance = self._mean_and_variance()
        if variance < _ROUNDING:
            return None, None
        variance *= self.blocks / (self.blocks - 1)
        quantile = half_width(1.0, self.blocks) or 0.0
        scores = BlockScores(self.blocks, mean, variance)
        score = after_stop(scores, self._scores(), self.hypotheses.bounds, FEWEST_BLOCKS, quantile)
        if score is None:
            return None, None
        middle, low, high, los = score
        return Estimate(elo_of(middle), elo_of(low), elo_of(high)), los


def block_scores(matches: Iterable[Result], candidate: int) -> dict[str, Fraction]:
    """Return the candidate's mean pair score in each block, in the order in which
    blocks first come; only rated pairs count.

    Seats of the candidate's own copies are the candidate too, and all others are its
    opponents. A block without a rated pair of the candidate has no score and is absent:
    where others failed to start, say, only their pairs count.
    """
    sums: dict[str, tuple[Fraction, int]] = {}
    for match in matches:
        points, pairs = sums.setdefault(match.block, (Fraction(0), 0))
        for mine, bot in enumerate(match.bots):
            for seat, opponent in enumerate(match.bots):
                counts = not match.unstarted or mine in match.unstarted or seat in match.unstarted
                if bot == candidate != opponent and counts:
                    ahead = match.ranks[seat] - match.ranks[mine]
                    points += Fraction((ahead > 0) - (ahead < 0) + 1, 2)
                    pairs += 1
        sums[match.block] = points, pairs
    return {block: points / pairs for block, (points, pairs) in sums.items() if pairs}


def llr(histogram: Histogram, hypotheses: Hypotheses, matches: float = 1) -> float:
    """Return the log likelihood ratio of H1 to H0, from how many blocks had which
    score.

    A value with 0 blocks counts as possible; name the ends 0 and 1. ``matches``: of a
    block, which normalised Elo is about.
    """
    if hypotheses.model is Model.LOGISTIC:
        return llr_of_scores(histogram, score_of(hypotheses.elo0), score_of(hypotheses.elo1))
    return llr_of_ts(histogram, _t_of(hypotheses.elo0, matches), _t_of(hypotheses.elo1, matches))


def _t_of(elo: float, matches: float) -> float:
    """Return (mean - 1/2) / sd of a block of so many matches, at a normalised Elo."""
    return sqrt(matches) * elo / NELO_PER_T


def _estimates(counts: Histogram, matches: int) -> tuple[Estimate, Estimate | None]:
    """Return mean score and normalised Elo of blocks, unadjusted for stopping, with t
    intervals. If all blocks had the same score, the interval is as if each were one
    match, see ``proportions``, and there is no normalised Elo.

    The error of normalised Elo is that of the ratio t, mean over sd: block by block
    (x - m)/sd - t/2 (((x - m)/sd)^2 - 1). Far from 0 it grows with t, so the interval
    is made around arsinh t. If blocks score all or nothing, that is half the log of the
    odds.
    """
    values, number = arrays(counts)
    blocks = int(number.sum())
    mean, sd = moments(values, number / blocks)
    quantile = half_width(1 / sqrt(blocks - 1), blocks) or 0.0
    if sd**2 < _ROUNDING:
        low, high = wilson(np.array(mean), np.array(blocks), np.array(quantile * sqrt(blocks - 1)))
        return Estimate(mean, float(low), float(high)), None
    score = Estimate(mean, max(0.0, mean - quantile * sd), min(1.0, mean + quantile * sd))
    t = (mean - 0.5) / sd
    away = (values - mean) / sd
    error = quantile * sqrt(float(number @ (away - t / 2 * (away**2 - 1)) ** 2) / blocks)
    scale, error = NELO_PER_T / sqrt(matches), error / sqrt(1 + t**2)
    return score, Estimate(
        t * scale, scale * sinh(asinh(t) - error), scale * sinh(asinh(t) + error)
    )
