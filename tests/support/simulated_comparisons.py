"""Comparisons of bots that do not exist, with known strengths, seed luck, and matches
that last longer for one side.

A match's points are luck of (deal, seat) + strength of the bot + how (bot, deal) suit +
noise, as in ``simulated.py``. The first bot's matches last longer the better it does.
``slots`` places play match after match in the order of the schedule; which seeds begin,
the decision after each seed, and the interval at the end are the arena's own.
"""

from fractions import Fraction
from functools import cache
from heapq import heapify, heapreplace
from typing import NamedTuple

import numpy as np
from simulated import World

from khiva_arena.common.result import Comparison
from khiva_arena.competition.playing.comparing import ERROR, SHARPEST
from khiva_arena.competition.playing.seed_limit import Most, SeedLimit, begun_before
from khiva_arena.rating.ratings.comparison import ComparisonTest, Side
from khiva_arena.rating.ratings.likelihood import elo_of


class Shape(NamedTuple):
    """The tables of a comparison.

    seats: at each.
    against: third bots, each of another strength; 0: the other seats hold copies of the
        other bot.
    """

    seats: int
    against: int = 0

    @property
    def matches(self) -> int:
        """On a seed."""
        return self.seats * (2 if self.against else 1)


FULL = Comparison(ERROR, SHARPEST)
WORLDS = (
    World("seat luck", luck=1.0, suits=0.3),
    World("near-deterministic", luck=1.0, suits=0.7, noise=0.05, step=0.5),
)
ELO = (0.0, 30.0, 100.0, 300.0)
SHAPES = (Shape(2), Shape(3), Shape(2, 1), Shape(3, 2))
SOON = {2: 40, 3: 48}
"""The matches within which nine of ten comparisons tell 300 Elo, by seats."""
_AT_ONCE = 40_000  # seeds


class Simulated(NamedTuple):
    """A comparison that is over."""

    side: Side
    low: float
    high: float
    matches: int
    is_clear: bool


class Seeds(NamedTuple):
    """Arrays by seed: the pair points of the first bot, those of the other against
    third bots, and the seconds of each match.
    """

    new: np.ndarray
    old: np.ndarray
    seconds: np.ndarray


def table_scores(
    rng: np.random.Generator, world: World, seats: int, mine: np.ndarray, theirs: np.ndarray
) -> np.ndarray:
    """Pair points of a bot against the others, by deal and rotation. ``mine``:
    (deals,). ``theirs``: (deals, seats - 1).
    """
    deals = len(mine)
    luck = rng.normal(0, world.luck, (deals, 1, seats))
    turn = np.arange(seats)
    order = np.concatenate([mine[:, None], theirs], axis=1)
    seated = order[
        :, (turn[None, :] - turn[:, None]) % seats
    ]  # deal, rotation, seat: the bot sits at seat ``rotation``
    points = luck + seated + rng.normal(0, world.noise, seated.shape)
    if world.step:
        points = np.round(points / world.step)
    own = points[:, turn, turn][:, :, None]
    pairs = (own > points) + (own == points) / 2
    return pairs.sum(axis=2) - 0.5


def seeds_of(
    rng: np.random.Generator, world: World, shape: Shape, strength: float, number: int
) -> Seeds:
    suits = lambda: rng.normal(0, world.suits, number)  # noqa: E731
    others = shape.seats - 1
    if not shape.against:
        copy = suits()[:, None] + np.zeros((number, others))  # copies suit a deal alike
        points = table_scores(rng, world, shape.seats, strength + suits(), copy)
        new, old, all_points = points.sum(axis=1), np.zeros(number), points
    else:
        third = np.stack([0.3 * place + suits() for place in range(shape.against)], axis=1)[
            :, np.arange(others) % shape.against
        ]
        one, other = (
            table_scores(rng, world, shape.seats, value + suits(), third)
            for value in (strength, 0.0)
        )
        new, old, all_points = (
            one.sum(axis=1),
            other.sum(axis=1),
            np.concatenate([one, other], axis=1),
        )
    seconds = (1 + 2 * all_points / others) * rng.lognormal(0, 0.3, all_points.shape)
    return Seeds(new, old, seconds)


@cache
def strength_and_elo(world: World, shape: Shape, elo: float) -> tuple[float, float]:
    """The strength at which the first bot is about so many Elo above the other, and
    that Elo, found with many deals.
    """
    if not elo:
        return 0.0, 0.0
    low, high = 0.0, 8.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if _elo(world, shape, middle, 20_000) < elo else (low, middle)
    return high, _elo(world, shape, high, 100_000)


def _elo(world: World, shape: Shape, strength: float, number: int) -> float:
    seeds = seeds_of(np.random.default_rng(7), world, shape, strength, number)
    new, old = (float(points.mean()) / _pairs(shape) for points in (seeds.new, seeds.old))
    return elo_of(new) - elo_of(old) if shape.against else elo_of(new)


def _pairs(shape: Shape) -> int:
    return shape.seats * (shape.seats - 1)


def compared(seeds: Seeds, shape: Shape, rule: Comparison, seconds: float, slots: int) -> Simulated:
    """Play a comparison until it is clear or its time ends."""
    test, pairs = ComparisonTest(rule, shape.matches), 2 * _pairs(shape)
    for seed in range(seeds_begun(seeds.seconds, seconds, slots)):
        new = Fraction(round(2 * seeds.new[seed]), pairs)
        if test.add(new, Fraction(round(2 * seeds.old[seed]), pairs) if shape.against else None):
            break
    elo = test.elo()
    return Simulated(
        test.ends().side, elo.low, elo.high, test.blocks * shape.matches, bool(test.decision)
    )


def seeds_begun(matches: np.ndarray, seconds: float, slots: int) -> int:
    """Return on how many seeds matches are played. ``matches``: how long each lasts, by
    seed.
    """
    limit, free = SeedLimit(Most(seconds), matches.shape[1], 0, 0.0), [0.0] * slots
    heapify(free)
    for seed, of_seed in enumerate(matches):
        for match in of_seed:
            if not limit.may_begin(seed, free[0]):
                return limit.begun
            heapreplace(free, free[0] + match)
    raise AssertionError(f"{len(matches)} seeds are too few for {seconds} s")


def seeds_after_kill(matches: np.ndarray, seconds: float, slots: int, kill: float) -> int:
    """Return on how many seeds matches are played if the first run is killed, and
    another one goes on with what it recorded: the matches that had ended on the
    complete seeds from the first on, and on the next one. ``kill``: seconds since its
    start.
    """
    limit, free, ends = (
        SeedLimit(Most(seconds), matches.shape[1], 0, 0.0),
        [0.0] * slots,
        np.full(matches.shape, np.inf),
    )
    heapify(free)
    for place in np.ndindex(matches.shape):
        if free[0] > kill or not limit.may_begin(place[0], free[0]):
            break
        ends[place] = free[0] + matches[place]
        heapreplace(free, ends[place])
    complete = int(np.argmin((ends <= kill).all(axis=1)))
    kept = ends <= kill
    kept[complete + 1 :] = False
    limit = SeedLimit(
        Most(seconds), matches.shape[1], begun_before(complete), float(matches[kept].sum()) / slots
    )
    free = [0.0] * slots
    for place in np.ndindex(matches.shape):
        if not kept[place]:
            if not limit.may_begin(place[0], free[0]):
                return limit.begun
            heapreplace(free, free[0] + matches[place])
    raise AssertionError(f"{len(matches)} seeds are too few for {seconds} s")


class Figures(NamedTuple):
    """Of many comparisons: shares that claim a false side, hold the truth, and say
    better; matches of nine in ten.
    """

    false: float
    held: float
    better: float
    nine_in_ten: float
    clear: float


def figures(
    world: World, shape: Shape, elo: float, seconds: float, slots: int, number: int, seed: int
) -> Figures:
    strength, truth = strength_and_elo(world, shape, elo)
    rng = np.random.default_rng([seed, shape.seats, shape.against, round(elo), slots])
    most = int(seconds * slots / shape.matches * 1.5) + 12
    found: list[Simulated] = []
    while len(found) < number:
        at_once = min(number - len(found), max(1, _AT_ONCE // most))
        many = seeds_of(rng, world, shape, strength, at_once * most)
        for one in range(at_once):
            part = slice(one * most, (one + 1) * most)
            found.append(
                compared(Seeds(*(each[part] for each in many)), shape, FULL, seconds, slots)
            )
    wrong = {Side.WORSE} if elo else {Side.BETTER, Side.WORSE}
    return Figures(
        np.mean([one.side in wrong for one in found]),
        np.mean([one.low <= truth <= one.high for one in found]),
        np.mean([one.side is Side.BETTER for one in found]),
        float(np.quantile([one.matches for one in found], 0.9)),
        np.mean([one.is_clear for one in found]),
    )
