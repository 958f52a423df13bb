"""What meetings tell: equals are paired by how little is known of them, whoever was lucky, and no table is wasted on those that
are clearly unequal. The same whole numbers come out everywhere, near those of the fit in floating point."""

import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from leagues import enter, league_in

from khiva_arena.api.verify import verify
from khiva_arena.events.bundling import write_bundle
from khiva_arena.league.audit import audit_chain
from khiva_arena.league.chain.stored_chain import links_of
from khiva_arena.league.draw.certain import ONE, Points, chance, worth_of_meetings
from khiva_arena.league.draw.counts import Counts
from khiva_arena.league.draw.draw import Active, BatchShape, draw
from khiva_arena.league.settings import LeagueOptions
from khiva_arena.ratings.elo import ELO_PER_NAT, rate
from khiva_arena.ratings.pairs import PairCells
from khiva_arena.store.db import Store

BOTS = [f"bot {number:02}" for number in range(12)]


def points_of(strengths: dict[str, float], matches: int, seed: int = 1) -> Points:
    """Matches of three by lot."""
    rng, points = random.Random(seed), Points()
    for _ in range(matches):
        bots = rng.sample(sorted(strengths), 3)
        late = [rng.expovariate(10 ** (strengths[bot] / 400)) for bot in bots]
        points.add(bots, [1 + sum(other < mine for other in late) for mine in late])
    return points


@pytest.mark.parametrize("elo", [0, 1, 57, 400, 1_234, 3_000])
def test_chances_are_those_of_elo(elo: int) -> None:
    assert chance(elo) / ONE == pytest.approx(1 / (1 + 10 ** (-elo / 400)), abs=1e-6)
    assert chance(elo) + chance(-elo) == ONE


@pytest.mark.parametrize("spread", [0.0, 250.0])
def test_the_fit_is_near_that_of_ratings(spread: float) -> None:
    rng = random.Random(2)
    points = points_of({bot: rng.gauss(0, spread) for bot in BOTS}, 300)
    sums = [(a, b, *points.between(BOTS[a], BOTS[b])) for a, b in combinations(range(len(BOTS)), 2)]
    low, high, weight, twice = (np.array(column) for column in zip(*sums, strict=True))
    ratings = rate(PairCells(len(BOTS), 1, np.zeros_like(low), low, high, weight / 60, twice / 120), len(BOTS), 0)
    worth = worth_of_meetings(BOTS, points)
    for a, b in combinations(range(len(BOTS)), 2):
        variance = ratings.bread[a, a] + ratings.bread[b, b] - 2 * ratings.bread[a, b]
        apart = max(0.0, abs(ratings.elo[a] - ratings.elo[b]) - 2 * variance**0.5 * ELO_PER_NAT)
        p = 1 / (1 + 10 ** (-apart / 400))
        assert worth[a][b] / ONE == pytest.approx(variance * p * (1 - p), rel=0.02)
        assert worth[a][b] == worth[b][a]


def test_the_numbers_are_these_on_every_machine() -> None:
    points = Points()
    points.add(BOTS[:3], [1, 2, 3])
    points.add(BOTS[1:4], [1, 1, 3])
    points.add([BOTS[3], BOTS[0]], [2, 1])
    assert worth_of_meetings(BOTS[:4], points) == [
        [3_296_221_972_897, 837_867_620_376, 884_123_907_009, 1_209_551_252_309],
        [837_867_620_376, 2_134_386_653_052, 481_255_935_569, 884_123_907_009],
        [884_123_907_009, 481_255_935_569, 2_134_386_653_050, 837_867_620_376],
        [1_209_551_252_309, 884_123_907_009, 837_867_620_376, 3_296_221_972_891],
    ]


def test_a_bot_that_won_all_is_worth_what_one_is_that_lost_all() -> None:
    """And the others, who drew, meet each other as if it were not there."""
    lucky, unlucky = Points(), Points()
    for a, b in combinations(BOTS[:4], 2):
        lucky.add([a, b], [1, 2] if a == BOTS[0] else [1, 1])
        unlucky.add([a, b], [2, 1] if a == BOTS[0] else [1, 1])
    for row, other in zip(worth_of_meetings(BOTS[:4], lucky), worth_of_meetings(BOTS[:4], unlucky), strict=True):
        assert row == pytest.approx(other, rel=1e-6)


def test_points_of_the_second_bot_are_the_rest() -> None:
    points = Points()
    points.add(["b", "a", "c"], [1, 2, 2])
    assert points.between("b", "a") == (45, 90)
    assert points.between("a", "b") == (45, 0)
    assert points.between("a", "c") == points.between("c", "a") == (45, 45)
    assert points.between("a", "d") == (0, 0)


def test_bots_that_took_all_points_have_a_finite_worth() -> None:
    points = Points()
    for _ in range(500):
        points.add(BOTS[:2], [1, 2])
    worth = worth_of_meetings(BOTS[:3], points)
    assert 0 < worth[0][1] < worth[0][2]


def test_the_clearly_unequal_do_not_meet_and_the_others_do() -> None:
    """Two halves, 800 Elo apart; by lot half of all pairs would be of both."""
    strengths = {bot: 800.0 * (place % 2) for place, bot in enumerate(BOTS)}
    worth = worth_of_meetings(BOTS, points_of(strengths, 400))
    bots = [Active(bot, bot, bot) for bot in BOTS]
    mixed = [0, 0]
    for number in range(20):
        for which, told in enumerate((worth, None)):
            tables = draw(bots, Counts(), BatchShape(3), bytes([number] * 32), told)
            mixed[which] += sum((a + b) % 2 for table in tables for a, b in combinations(table, 2))
    assert mixed[0] < mixed[1] / 3


# --- in a league ---


def test_a_league_drawn_by_certain_results_is_drawn_again_by_its_audit(tmp_path: Path, played: Callable[..., None]) -> None:
    league = league_in(tmp_path / "spring", options=LeagueOptions(retry_minutes=0, draw="certain"))
    for name in ("ann", "bob", "eve", "ida", "una", "zoe"):
        enter(league, name, f"bot of {name}")
    played(league, 4)
    result = verify(league.folder)
    assert result.sound, result.problems
    assert "equal: 1-4" in result.chain
    with Store.read(league.folder) as store:
        write_bundle(tmp_path / "spring.bundle", store, store.events())
        links, events = links_of(store), store.events()
    result = verify(tmp_path / "spring.bundle")
    assert result.sound, result.problems
    assert "equal: 1-4" in result.chain
    blind = audit_chain(links, events, {}, results=lambda event: ())
    assert blind.drawn_again != [1, 2, 3, 4]
    assert audit_chain(links, events, {}).drawn_again == [1]
