"""The table of the author's matches: places, points by source, and the mean difference
of scores with its interval.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import atan, cos, pi, sin, sqrt
from statistics import fmean, stdev
from typing import Any, NamedTuple

from khiva_arena.games.base import Event, State
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.verify import verify

FEWEST_DEALS = 5
"""Deals below which there is no interval."""
LEVEL = 0.95


class AuthorMatch(NamedTuple):
    """A match from the author's seat.

    deal: the number of its deal.
    own: the author's seat.
    ranks, scores: by seat.
    points: by seat, points by source; () for a game that does not say.
    ticks: the most that the author's bot took for a decision.
    faults: how many the author's bot had.
    """

    deal: int
    own: int
    ranks: Sequence[int]
    scores: Sequence[int]
    points: Sequence[Mapping[str, int]]
    ticks: int
    faults: int

    @property
    def is_lost(self) -> bool:
        """True if another seat is before the author's."""
        return self.ranks[self.own] > 1

    @property
    def is_won(self) -> bool:
        """True if the author's seat has the first place for itself."""
        return not self.is_lost and list(self.ranks).count(1) == 1

    def ahead(self, values: Sequence[float]) -> float:
        """Return how much more the author's seat has than the others on average."""
        return values[self.own] - fmean(
            value for seat, value in enumerate(values) if seat != self.own
        )


def tally(matches: Sequence[AuthorMatch], seats: int) -> dict[str, Any]:
    """Return the table of matches as plain values."""
    sources = list(matches[0].points[0]) if matches and matches[0].points else []
    of_source = {
        source: [(one, [of_seat.get(source, 0) for of_seat in one.points]) for one in matches]
        for source in sources
    }
    return {
        "matches": len(matches),
        "won": sum(one.is_won for one in matches),
        "drawn": sum(not one.is_won and not one.is_lost for one in matches),
        "lost": sum(one.is_lost for one in matches),
        "points": [
            {
                "source": source,
                "own": fmean(values[one.own] for one, values in rows),
                "others": fmean(values[one.own] - one.ahead(values) for one, values in rows),
            }
            for source, rows in of_source.items()
        ],
        "ticks": max((one.ticks for one in matches), default=0),
        "faults": sum(one.faults for one in matches),
        "difference": difference(matches, seats),
    }


def difference(matches: Sequence[AuthorMatch], seats: int) -> dict[str, Any]:
    """Return the mean difference of scores over whole deals, and half of its 95 %
    interval: None below ``FEWEST_DEALS``.
    """
    by_deal: dict[int, list[float]] = {}
    for one in matches:
        by_deal.setdefault(one.deal, []).append(one.ahead(one.scores))
    means = [fmean(of_deal) for of_deal in by_deal.values() if len(of_deal) == seats]
    count = len(means)
    margin = quantile(count - 1) * stdev(means) / sqrt(count) if count >= FEWEST_DEALS else None
    return {"deals": count, "mean": fmean(means) if means else None, "margin": margin}


@cache
def quantile(freedom: int) -> float:
    """Return the t that Student's t of so many degrees of freedom stays within, on both
    sides, with ``LEVEL``.
    """
    low, high = 0.0, 13.0  # more than that of one degree
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _within(freedom, middle) < LEVEL else (low, middle)
    return middle


def _within(freedom: int, t: float) -> float:
    """Return P(-t < T < t), by the finite sum of Abramowitz and Stegun, 26.7.3 and
    26.7.4.
    """
    angle, odd = atan(t / sqrt(freedom)), freedom % 2
    term, total = (cos(angle) if odd else 1.0), 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= cos(angle) ** 2 * (k - 1) / k
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def scores_by_step(record: Record, secret: bytes) -> tuple[list[tuple[int, ...]], State]:
    """Return the scores after each step, the opening first, and the state at the
    end.
    """
    scores: list[tuple[int, ...]] = []

    def watch(_step: int, state: State, _events: Sequence[Event]) -> None:
        scores.append(tuple(state.scores))

    return scores, verify(record, secret, watch)


def worst(scores: Sequence[Sequence[int]], own: int) -> int | None:
    """Return the step after which a seat fell behind the best of the others most; None
    if it never did.
    """
    ahead = [
        of_step[own] - max(score for seat, score in enumerate(of_step) if seat != own)
        for of_step in scores
    ]
    losses = [before - after for before, after in pairwise(ahead)]
    most = max(losses, default=0)
    return len(losses) - losses[::-1].index(most) if most > 0 else None


def most_ticks(record: Record, own: int) -> int:
    """Return the most ticks that a seat took for a decision."""
    rows = zip(record.steps, (record.ticks or ())[1:], strict=False)
    return max(
        (
            spent
            for step, row in rows
            for choice, spent in zip(step, row, strict=True)
            if choice.seat == own
        ),
        default=0,
    )
