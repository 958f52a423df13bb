"""The table of the author's matches, against numbers that are worked out at length."""

import random
from math import gamma, pi, sqrt
from statistics import mean

import pytest

from khiva_arena.extensions.checker.workbench.tally import (
    FEWEST_DEALS,
    AuthorMatch,
    difference,
    quantile,
    tally,
)


def within(freedom: int, t: float, steps: int = 4_000) -> float:
    """P(-t < T < t), by Simpson's rule over the density."""
    scale = gamma((freedom + 1) / 2) / (sqrt(freedom * pi) * gamma(freedom / 2))
    heights = [
        scale * (1 + (2 * t * at / steps - t) ** 2 / freedom) ** (-(freedom + 1) / 2)
        for at in range(steps + 1)
    ]
    return (
        2
        * t
        / steps
        / 3
        * (heights[0] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2]) + heights[-1])
    )


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8, 9, 30, 99, 200])
def test_a_quantile_leaves_a_twentieth_outside(freedom: int) -> None:
    assert within(freedom, quantile(freedom)) == pytest.approx(0.95, abs=1e-9)


def matches_of(deals: int, seats: int, lot: int) -> list[AuthorMatch]:
    rng = random.Random(lot)
    out = []
    for deal in range(deals):
        for own in range(seats):
            scores = [rng.randrange(20) for _ in range(seats)]
            ranks = [1 + sum(other > score for other in scores) for score in scores]
            points = [{"salt": score // 3, "gems": score - score // 3} for score in scores]
            out.append(
                AuthorMatch(deal, own, ranks, scores, points, rng.randrange(9), rng.randrange(3))
            )
    return out


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_table_counts_each_match_once(seats: int) -> None:
    matches = matches_of(7, seats, seats)
    table = tally(matches, seats)
    best = [
        max(score for seat, score in enumerate(one.scores) if seat != one.own) for one in matches
    ]
    own = [one.scores[one.own] for one in matches]
    assert table["won"] == sum(mine > theirs for mine, theirs in zip(own, best, strict=True))
    assert table["drawn"] == sum(mine == theirs for mine, theirs in zip(own, best, strict=True))
    assert table["lost"] == sum(mine < theirs for mine, theirs in zip(own, best, strict=True))
    gems = table["points"][1]
    assert gems["own"] == pytest.approx(mean(one.points[one.own]["gems"] for one in matches))
    others = [
        mean(of["gems"] for seat, of in enumerate(one.points) if seat != one.own) for one in matches
    ]
    assert gems["others"] == pytest.approx(mean(others))


def test_the_interval_is_over_whole_deals_and_needs_five() -> None:
    matches = matches_of(FEWEST_DEALS, 3, 1)
    deals = [
        mean(
            one.scores[one.own] - (sum(one.scores) - one.scores[one.own]) / 2
            for one in matches
            if one.deal == deal
        )
        for deal in range(FEWEST_DEALS)
    ]
    found = difference([*matches, matches[0]._replace(deal=99)], 3)
    squares = sum((deal - mean(deals)) ** 2 for deal in deals)
    assert (found["deals"], found["mean"]) == (5, pytest.approx(mean(deals)))
    assert found["margin"] == pytest.approx(2.776445 * sqrt(squares / 4 / 5))
    assert difference(matches[:-1], 3)["margin"] is None
