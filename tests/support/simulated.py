"""Results of bots that do not exist, with what makes real results hard to judge: luck
of the seat, bots that suit a deal, and bots that do the same thing again. Everything
comes from a numpy generator that the test seeds.

A match's points are luck of (deal, seat) + strength of the bot + how (bot, deal) suit +
noise; more points, better rank. Every line-up plays every deal in all rotations of a
circular order drawn for each deal and line-up.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from math import log10

import numpy as np
from made_results import rated
from sandwich import NO_PRIOR

from khiva_arena.common.result import Hypotheses, Model, Result
from khiva_arena.rating.ratings.elo import rate
from khiva_arena.rating.ratings.match_arrays import TableArrays
from khiva_arena.rating.ratings.pairs import PairCells, cells_of_tables
from khiva_arena.rating.ratings.sprt import SequentialTest, SprtReport


@dataclass(frozen=True)
class World:
    """A world of bots and deals.

    luck, suits, noise: standard deviations.
    step: points are rounded to it, which makes ties; 0: none.
    spread: strength of the strongest bot above the weakest, evenly between.
    more: bots more than seats.
    """

    name: str
    luck: float = 0.0
    suits: float = 0.0
    noise: float = 1.0
    step: float = 0.0
    spread: float = 0.0
    more: int = 0


WORLDS = (
    World("seat luck", luck=2.0),
    World("bots suit deals", luck=1.0, suits=0.7, spread=0.5),
    World("near-deterministic", luck=1.0, suits=0.7, noise=0.05, step=0.5, spread=0.5),
    World("line-ups", luck=1.0, suits=0.7, noise=0.3, spread=1.0, more=2),
)
RARE = World(
    "rare upsets", luck=2.0, suits=0.1, noise=0.05, spread=0.3
)  # most deals end the same: whoever sits well wins


def between(
    elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05, model: Model = Model.LOGISTIC
) -> Hypotheses:
    """Return two hypotheses with the rates of errors and the model that a test has by
    default.
    """
    return Hypotheses(elo0, elo1, alpha, beta, model)


def strengths(world: World, bots: int) -> np.ndarray:
    return np.linspace(0, world.spread, bots)


def played(rng: np.random.Generator, world: World, seats: int, blocks: int) -> TableArrays:
    """All matches of ``blocks`` deals between seats + world.more bots."""
    bots = seats + world.more
    line_ups = np.array(list(combinations(range(bots), seats)))
    shape = (blocks, len(line_ups))
    order = rng.permuted(np.broadcast_to(line_ups, (*shape, seats)), axis=2)
    turned = np.stack(
        [np.roll(order, -r, axis=2) for r in range(seats)], axis=2
    )  # deal, line-up, rotation, seat
    luck = rng.normal(0, world.luck, (blocks, 1, 1, seats))
    suits = rng.normal(0, world.suits, (blocks, bots)) + strengths(world, bots)
    points = (
        luck
        + suits[np.arange(blocks)[:, None, None, None], turned]
        + rng.normal(0, world.noise, turned.shape)
    )
    if world.step:
        points = np.round(points / world.step)
    ranks = 1 + (points[..., None, :] > points[..., :, None]).sum(axis=-1)
    block = np.broadcast_to(np.arange(blocks)[:, None, None], turned.shape[:3])
    return TableArrays(
        block.reshape(-1).copy(), turned.reshape(-1, seats), ranks.reshape(-1, seats)
    )


def cells_of(tables: TableArrays, bots: int) -> PairCells:
    return cells_of_tables([tables], bots)


def matches_of(tables: TableArrays) -> list[Result]:
    rows = zip(tables.block.tolist(), tables.bots.tolist(), tables.ranks.tolist(), strict=True)
    return [rated(block, tuple(bots), tuple(ranks)) for block, bots, ranks in rows]


def trials(
    rng: np.random.Generator, world: World, seats: int, blocks: int, number: int
) -> Iterator[PairCells]:
    """The cells of ``number`` competitions of ``blocks`` deals each; played some at a
    time, which is much faster.
    """
    at_once = max(1, 40_000 // blocks)
    for start in range(0, number, at_once):
        some = min(at_once, number - start)
        cells = cells_of(played(rng, world, seats, some * blocks), seats + world.more)
        ends = np.searchsorted(cells.block, np.arange(some + 1) * blocks)
        for trial, (low, high) in enumerate(pairwise(ends.tolist())):
            part = slice(low, high)
            yield PairCells(
                cells.bots,
                blocks,
                cells.block[part] - trial * blocks,
                cells.low[part],
                cells.high[part],
                cells.weight[part],
                cells.score[part],
                cells.unit,
            )


def truth(world: World, seats: int, blocks: int = 60_000, seed: int = 1) -> tuple[float, ...]:
    """Elo that the estimate tends to. Where the world is not logistic no rating is
    'true'; what the rating means is then the limit of the fit over ever more deals, and
    that is what an interval has to cover. Of many deals at once, without prior draws;
    the error that is left is under a twentieth of that of 100 deals.
    """
    if world.spread == 0:
        return (0.0,) * (seats + world.more)
    rng = np.random.default_rng(seed)
    total: dict[int, list[float]] = {}
    for _ in range(blocks // 5000):
        cells = cells_of(played(rng, world, seats, 5000), seats + world.more)
        pair = cells.low * cells.bots + cells.high
        for key in np.unique(pair).tolist():
            sums = total.setdefault(key, [0.0, 0.0])
            sums[0] += float(cells.weight[pair == key].sum())
            sums[1] += float(cells.score[pair == key].sum())
    keys = np.array(sorted(total))
    weight, score = np.array([total[key] for key in sorted(total)]).T
    bots = seats + world.more
    whole = PairCells(
        bots, 1, np.zeros(len(keys), dtype=np.int64), keys // bots, keys % bots, weight, score
    )
    return tuple(elo or 0.0 for elo in rate(whole, bots, 0, prior=NO_PRIOR).elo)


def coverage(
    world: World, seats: int, blocks: int, number: int, seed: int = 20261120
) -> tuple[float, float, float]:
    """How often a 95 % interval of a difference between two bots holds the truth, over
    all pairs of bots that have one; the standard error of that figure over the trials
    (intervals of one trial are not independent); and the share that has one.
    """
    bots = seats + world.more
    pairs = bots * (bots - 1) / 2
    elo = truth(world, seats)
    held, shown = np.zeros(number), np.zeros(number)
    for trial, cells in enumerate(
        trials(np.random.default_rng([seed, seats, blocks]), world, seats, blocks, number)
    ):
        ratings = rate(cells, bots, 0)
        for i, j in combinations(range(bots), 2):
            apart, error = ratings.between(i, j)
            assert apart is not None
            if error is not None:
                shown[trial] += 1 / pairs
                held[trial] += (abs(apart - elo[i] + elo[j]) <= error) / pairs
    share = float(held.sum() / shown.sum())
    return (
        share,
        float(np.std(held - share * shown) / number**0.5 / shown.mean()),
        float(shown.mean()),
    )


def candidate_scores(
    rng: np.random.Generator, world: World, seats: int, strength: float, blocks: int
) -> list[Fraction]:
    """Block scores of a candidate at a table of copies of one baseline: one table a
    deal, in all rotations.
    """
    score = _candidate_scores(rng, world, seats, strength, blocks)
    return [
        Fraction(points, 2 * seats * (seats - 1))
        for points in np.rint(score * 2 * seats * (seats - 1)).astype(int).tolist()
    ]


def sequential_tests(
    rng: np.random.Generator,
    world: World,
    seats: int,
    strength: float,
    hypotheses: Hypotheses,
    number: int,
) -> Iterator[SprtReport]:
    """Reports of so many tests of a candidate of that strength, 800 blocks at most."""
    for _ in range(number):
        test = SequentialTest(hypotheses, seats)
        for score in candidate_scores(rng, world, seats, strength, 800):
            if test.add(score):
                break
        yield test.report()


@cache
def strength_for(world: World, seats: int, deviations: float) -> tuple[float, float]:
    """The candidate's strength at which its mean block score is so many standard
    deviations of a block above 1/2, and the Elo of that score; found with many deals,
    the Elo from others.
    """
    sd = float(_candidate_scores(np.random.default_rng(1), world, seats, 0.0, 20_000).std())
    low, high = 0.0, 5.0
    for _ in range(14):
        middle = (low + high) / 2
        mean = float(
            _candidate_scores(np.random.default_rng(1), world, seats, middle, 20_000).mean()
        )
        low, high = (middle, high) if mean < 0.5 + deviations * sd else (low, middle)
    score = float(_candidate_scores(np.random.default_rng(2), world, seats, high, 100_000).mean())
    return high, -400 * log10(1 / score - 1)


def _candidate_scores(
    rng: np.random.Generator, world: World, seats: int, strength: float, blocks: int
) -> np.ndarray:
    luck = rng.normal(0, world.luck, (blocks, 1, seats))
    mine, theirs = (
        strength + rng.normal(0, world.suits, (blocks, 1)),
        rng.normal(0, world.suits, (blocks, 1, 1)),
    )
    points = luck + theirs + np.zeros((blocks, seats, seats))
    turn = np.arange(seats)
    points[:, turn, turn] = luck[:, 0] + mine
    points += rng.normal(0, world.noise, points.shape)
    if world.step:
        points = np.round(points / world.step)
    own = points[:, turn, turn][:, :, None]
    pairs = (own > points) + (own == points) / 2
    return np.asarray((pairs.sum(axis=(1, 2)) - seats / 2) / (seats * (seats - 1)))
