"""The rule that stops a comparison of two bots: once the answer is clear, or when its
time ends. docs/how-ratings-work.md F16.

Each seed has a score between 0 and 1, by which one bot is ahead of the other if it is
above 1/2. Half of the errors that a comparison may make go to the looks, one after each
seed: a mixture over all differences that there may be (``looks.py``), which holds at
every number of seeds at once. The other half goes to the end: one interval by Student's
t, looked at once. So both together err no more often than the comparison may.

Equal scores on all seeds show no variance. There seeds are counted, as ``oneway.py``
does where one bot took all points: if the mean is p, a seed has the score s or more
with probability p / s at most (Markov), so m seeds in a row have it with (p / s)^m at
most. This holds at every look, too, since a row of m + 1 seeds begins with one of m.
"""

from enum import StrEnum
from fractions import Fraction
from functools import cache
from math import sqrt
from typing import NamedTuple

from khiva_arena.common.result import Comparison
from khiva_arena.rating.ratings.likelihood import elo_of
from khiva_arena.rating.ratings.looks import ONE_LOOK, unplanned

_HALF = Fraction(1, 2)
_MOST_SEEDS = 10**9  # below, a search for the seeds that would make an answer clear ends


class Side(StrEnum):
    """The side of an answer: the first bot is better, or worse; NONE while neither is
    clear.
    """

    NONE = ""
    BETTER = "better"
    WORSE = "worse"


class ScoreInterval(NamedTuple):
    """The ends of an interval of the mean score of a seed."""

    low: float
    high: float

    @property
    def side(self) -> Side:
        """The side on which the whole interval lies."""
        if self.low > 0.5:
            return Side.BETTER
        return Side.WORSE if self.high < 0.5 else Side.NONE


class SeedScores(NamedTuple):
    """The scores of the seeds so far.

    seeds: how many there are, 1 or more.
    mean: of the scores.
    variance: of one score, estimated without bias; 0 if all are equal.
    """

    seeds: int
    mean: float
    variance: float


class ComparedElo(NamedTuple):
    """How far the first bot is above the other, in Elo.

    value: the number; a record without a lost point, or without a won one, counts with
        half of a match given back.
    low, high: the ends of its interval; infinite if the score's interval reaches 0 or
        1.
    """

    value: float
    low: float
    high: float


def at_a_look(rule: Comparison, scores: SeedScores) -> ScoreInterval:
    """Return the interval that holds at all looks at once, with the half of errors that
    the looks have.
    """
    return _ends(
        scores, rule.error / 2, _critical_of_looks(rule, scores.seeds) if scores.variance else 0.0
    )


def at_the_end(rule: Comparison, scores: SeedScores) -> ScoreInterval:
    """Return the interval for the one look at the end, with the half of errors that the
    end has.
    """
    return _ends(
        scores, rule.error / 2, _critical_of_the_end(rule, scores.seeds) if scores.variance else 0.0
    )


def _ends(scores: SeedScores, error: float, critical: float) -> ScoreInterval:
    if not scores.variance:
        of_one = (error / 2) ** (1 / scores.seeds)
        return ScoreInterval(scores.mean * of_one, 1 - (1 - scores.mean) * of_one)
    half = critical * sqrt(scores.variance / scores.seeds)
    return ScoreInterval(max(0.0, scores.mean - half), min(1.0, scores.mean + half))


@cache
def _critical_of_looks(rule: Comparison, seeds: int) -> float:
    return float(unplanned(rule.sharpest).critical(seeds, rule.error / 2))


@cache
def _critical_of_the_end(rule: Comparison, seeds: int) -> float:
    return float(ONE_LOOK.critical(seeds, rule.error / 2))


def seeds_to_clear(rule: Comparison, scores: SeedScores) -> int | None:
    """Return after how many seeds in all a look would be clear if the mean and the
    variance stayed; None if never.
    """
    if (
        not scores.variance or scores.mean == 0.5
    ):  # equal scores: the next seed may differ, so nobody can tell
        return None

    def is_clear(seeds: int) -> bool:
        return at_a_look(rule, scores._replace(seeds=seeds)).side is not Side.NONE

    high = max(2, scores.seeds)
    while not is_clear(high):
        high *= 2
        if high > _MOST_SEEDS:
            return None
    low = max(1, scores.seeds - 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_clear(middle) else (middle, high)
    return high


class ComparisonTest:
    """A comparison that takes seeds in their order, and decides at the first look that
    is clear.

    rule: by which it stops.
    matches: on a seed.
    decision: the side that was clear; NONE so far.
    blocks: how many seeds were counted.
    """

    def __init__(self, rule: Comparison, matches: int) -> None:
        self.rule, self.matches = rule, matches
        self.decision = Side.NONE
        self.blocks = 0
        self._sum = self._squares = self._of_new = self._of_old = Fraction(0)
        self._first: Fraction | None = None
        self._is_equal = self._is_direct = True

    def add(self, new: Fraction, old: Fraction | None = None) -> Side:
        """Count a seed, unless the comparison has decided.

        new: the mean pair score of the first bot, 0..1, against the other one, or
            against third bots.
        old: that of the other bot against the same third bots; None if the two meet.
        """
        if self.decision:
            return self.decision
        score = new if old is None else _HALF + (new - old) / 2
        self._is_direct = old is None
        self._first = score if self._first is None else self._first
        self._is_equal = self._is_equal and score == self._first
        self.blocks += 1
        self._sum += score
        self._squares += score**2
        self._of_new += new
        self._of_old += _HALF if old is None else old
        self.decision = at_a_look(self.rule, self.scores).side
        return self.decision

    @property
    def scores(self) -> SeedScores:
        """The scores so far. There is a seed."""
        mean = self._sum / self.blocks
        variance = (
            0.0
            if self._is_equal
            else float((self._squares - self.blocks * mean**2) / (self.blocks - 1))
        )
        return SeedScores(self.blocks, float(mean), variance)

    def ends(self) -> ScoreInterval:
        """Return the interval of the way in which the comparison stopped, or would stop
        now.
        """
        return (at_a_look if self.decision else at_the_end)(self.rule, self.scores)

    def elo(self, *, is_over: bool = True) -> ComparedElo:
        """Return the same in Elo. There is a seed. ``is_over``: if not, the interval is
        the one that holds at all looks.
        """
        ends = self.ends() if is_over else at_a_look(self.rule, self.scores)
        low, high = self._elo(ends.low), self._elo(ends.high)
        return ComparedElo(min(high, max(low, self._seen_elo())), low, high)

    def _seen_elo(self) -> float:
        """Return the difference that was seen in Elo, with half of a match given back
        by each bot whose record is clean.
        """
        given_back = 0.5 / (self.blocks * self.matches / (1 if self._is_direct else 2))
        new, old = (
            min(1 - given_back, max(given_back, float(of / self.blocks)))
            for of in (self._of_new, self._of_old)
        )
        return elo_of(new) if self._is_direct else elo_of(new) - elo_of(old)

    def least_told(self) -> float:
        """Return the smallest difference in Elo that the end would tell with as many
        seeds of this spread; infinite if none.
        """
        return self._elo(at_the_end(self.rule, self.scores._replace(mean=0.5)).high)

    def _elo(self, score: float) -> float:
        """Return a mean score of a seed in Elo. Against third bots two ratings are
        subtracted, both around what was seen.
        """
        if self._is_direct:
            return elo_of(score)
        middle, apart = float((self._of_new + self._of_old) / (2 * self.blocks)), score - 0.5
        return elo_of(min(1.0, max(0.0, middle + apart))) - elo_of(
            min(1.0, max(0.0, middle - apart))
        )
