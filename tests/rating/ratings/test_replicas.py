"""Many fits at once are the landed fit, one by one; and what strengths are likely after
results.
"""

from itertools import combinations

import numpy as np
import pytest

from khiva_arena.competition.events.redraws import EventToReplay, play_replays
from khiva_arena.rating.ratings.elo import ELO_PER_NAT, rate
from khiva_arena.rating.ratings.match_arrays import TableArrays
from khiva_arena.rating.ratings.pairs import cells_of_tables
from khiva_arena.rating.ratings.replicas import ReplicaRound, fit_replicas, shrunk
from khiva_arena.rating.schedule.terms import Terms


def rounds_of(
    seed: int, bots: int, seats: int, shape: list[tuple[int, int]], replays: int = 4
) -> tuple[list[ReplicaRound], list]:
    """Rounds of so many tables and seeds, and by replay the same matches as a fit takes
    them. Strengths 0, 100, 200, ...
    """
    rng = np.random.default_rng(seed)
    weight = 10 ** (np.arange(bots) * 100 / 400)
    rounds, matches = [], [[] for _ in range(replays)]
    block = 0
    for tables, seeds in shape:
        sits = np.stack(
            [
                [rng.permutation(bots)[: tables * seats].reshape(tables, seats)]
                for _ in range(replays)
            ]
        )[:, 0]
        points, ahead = (
            np.zeros((replays, seeds, bots), dtype=np.int64),
            np.zeros((replays, bots, bots), dtype=np.bool_),
        )
        for replay in range(replays):
            for k in range(seeds):
                for table in sits[replay]:
                    for rotation in range(seats):
                        order = np.roll(table, rotation)
                        ranks = 1 + np.argsort(
                            np.argsort(rng.exponential(size=seats) / weight[order])
                        )
                        matches[replay].append((block + k, order, ranks))
                        for i, j in combinations(range(seats), 2):
                            first, last = (
                                (order[i], order[j])
                                if ranks[i] < ranks[j]
                                else (order[j], order[i])
                            )
                            points[replay, k, first] += 1
                            ahead[replay, first, last] = True
        rounds.append(ReplicaRound(sits, np.ones((replays, tables), dtype=np.bool_), points, ahead))
        block += seeds
    arrays = [
        TableArrays(*(np.array(column) for column in zip(*mine, strict=True))) for mine in matches
    ]
    return rounds, arrays


@pytest.mark.parametrize(
    ("bots", "seats", "shape"),
    [
        (8, 2, [(4, 5), (4, 5), (4, 5)]),
        (7, 3, [(2, 4), (2, 4), (2, 3)]),
        (6, 2, [(2, 1), (3, 2), (3, 1)]),
        (12, 4, [(3, 2), (2, 6)]),
    ],
)
def test_many_fits_at_once_are_the_landed_fit(bots, seats, shape):
    rounds, matches = rounds_of(5, bots, seats, shape)
    found = fit_replicas(rounds)
    errors = found.errors()
    some = 0
    for replay, tables in enumerate(matches):
        ratings = rate(cells_of_tables([tables], bots), bots, 0)
        elo = np.array([np.nan if one is None else one for one in ratings.elo])
        apart = ELO_PER_NAT * (found.nats[replay] - found.nats[replay, 0])
        assert apart[~np.isnan(elo)] == pytest.approx(elo[~np.isnan(elo)], abs=1e-6)
        for i, j in combinations(range(bots), 2):
            _, error = ratings.between(i, j)
            if error is None:
                assert np.isnan(errors[replay, i, j]), f"{replay=} {tables=} {i=} {j=}"
            else:
                some += 1
                own = ratings.widening.critical(min(ratings.seeds[i], ratings.seeds[j]))
                assert ELO_PER_NAT * errors[replay, i, j] * own == pytest.approx(error, rel=1e-6), (
                    f"{replay=} {tables=} {i=} {j=}"
                )
    assert some > 20


def test_a_difference_of_which_all_seeds_say_the_same_has_no_error():
    """Two bots, one win each on every seed."""
    tables, rated = np.array([[[0, 1]]]), np.array([[True]])
    ahead = np.array([[[False, True], [True, False]]])
    found = fit_replicas([ReplicaRound(tables, rated, np.ones((1, 6, 2), dtype=np.int64), ahead)])
    assert np.isnan(found.errors()).all()


def test_matches_that_are_not_rated_are_not_fitted_and_copies_score_nothing_against_each_other():
    terms = Terms("round-robin", 3, 3, 4, copies=2, key=b"")
    line_ups = ((0, 0, 1), (0, 1, 2), (1, 2, 2))
    event = EventToReplay(terms, (0, 1, 2), played=((line_ups, 4),))
    (every,) = play_replays([event], [0, 0, 0], [True] * 3, bytes(32), range(2))
    assert every.points.sum(axis=2).tolist() == [[2 * 3 + 3 * 3 + 2 * 3] * 4] * 2
    assert (
        every.met()[0].tolist() == (np.array([[0, 3, 1], [3, 0, 3], [1, 3, 0]]) * 3 * 0.75).tolist()
    )
    (some,) = play_replays([event], [0, 0, 0], [True, True, False], bytes(32), range(2))
    assert some.points.sum(axis=2).tolist() == [[2 * 3] * 4] * 2
    assert not some.points[:, :, 2].any()
    assert np.isnan(fit_replicas([some]).errors()[:, 2]).all()


def test_matches_follow_plackett_and_luce():
    """Three bots of weights 1, 2 and 4: how often each is first, and ahead of each
    other, over 60,000 matches.
    """
    terms = Terms("round-robin", 3, 3, 1000, key=b"")
    elo = [0, 120, 241]  # weights 1, 2, 4 to a thousandth
    event = EventToReplay(terms, (0, 1, 2), played=((((0, 1, 2),), 1000),))
    (found,) = play_replays([event], elo, [True] * 3, bytes(range(32)), range(20))
    weight = 10 ** (np.array(elo) / 400)
    expected = [
        sum(weight[i] / (weight[i] + weight[j]) for j in range(3) if j != i) for i in range(3)
    ]
    assert found.points.sum(axis=(0, 1)) / 60_000 == pytest.approx(expected, abs=0.01)


def test_likely_strengths_lie_nearer_together_the_less_is_known():
    nats = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    apart = ELO_PER_NAT * (nats - nats.mean())
    sure, unsure, blind = (shrunk(nats, np.eye(5) * v, np.eye(5) * v) for v in (1e-4, 0.3, 30.0))
    assert sure.tolist() == pytest.approx(apart.tolist(), abs=2)
    assert 0.3 * apart[4] < unsure[4] < 0.9 * apart[4]
    assert abs(blind[4]) < 0.4 * apart[4]
    assert unsure.tolist() == (-unsure[::-1]).tolist()
    more = shrunk(nats, np.eye(5) * 1.2, np.eye(5) * 0.3)  # seeds that differ more than matches do
    assert more[4] < unsure[4]
