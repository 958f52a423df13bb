"""When no more seeds are begun, and that what was begun counts."""

import pytest

from khiva_arena.competition.playing.seed_limit import Most, SeedLimit


def test_time_ends_the_beginning_of_seeds_and_not_their_matches() -> None:
    limit = SeedLimit(Most(seconds=10), 2, 0, 0.0)
    assert [limit.may_begin(seed, seconds) for seed, seconds in ((0, 0), (0, 3), (1, 9.9))] == [
        True
    ] * 3
    assert limit.may_begin(1, 14)
    assert not limit.is_reached
    assert not limit.may_begin(2, 14)
    assert limit.may_begin(1, 15)
    assert (limit.is_reached, limit.begun) == (True, 2)


def test_the_time_of_earlier_runs_counts_and_so_does_what_they_began() -> None:
    limit = SeedLimit(Most(seconds=10), 2, 3, 9.0)
    assert limit.may_begin(2, 100)
    assert not limit.may_begin(3, 1.0)
    assert SeedLimit(Most(seconds=10), 2, 3, 9.0).may_begin(3, 0.9)


def test_one_seed_is_always_played() -> None:
    assert SeedLimit(Most(seconds=0), 2, 0, 0.0).may_begin(0, 5)
    assert SeedLimit(Most(matches=1), 2, 0, 0.0).may_begin(0, 5)


@pytest.mark.parametrize(("matches", "seeds"), [(1, 1), (5, 1), (6, 2), (11, 3), (12, 4)])
def test_matches_are_played_as_whole_seeds(matches: int, seeds: int) -> None:
    limit = SeedLimit(Most(matches=matches), 3, 0, 0.0)
    assert [limit.may_begin(seed, 0) for seed in range(5)].count(True) == seeds
    assert Most(matches=matches).of_whole_seeds(3) == Most(matches=3 * seeds), "as it is announced"
