"""Leagues of bots whose strengths are known: each batch is drawn by the league's draw,
played at random, and rated by its fit.

A match is an exact draw of Plackett and Luce, so that the truth is known without a fit.
Matches on one deal share its luck through a Gaussian copula: of the variance 30 % is
the seat's and 10 % the bot's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import erf, exp, log, pi, sqrt

import numpy as np

from khiva_arena.extensions.league.draw.counts import Counts
from khiva_arena.extensions.league.draw.draw import (
    MORE_TABLES,
    Active,
    BatchShape,
    CircularOrder,
    draw,
)
from khiva_arena.rating.ratings.elo import Ratings, rate
from khiva_arena.rating.ratings.match_arrays import TableArrays
from khiva_arena.rating.ratings.pairs import PairCells, cells_of_tables

ANCHORS = 3
SEAT_LUCK, BOT_LUCK = 0.3, 0.1
_normal = np.vectorize(erf, otypes=[float])


@dataclass(frozen=True)
class Season:
    """What a league is simulated with.

    bots: at the beginning, the anchors among them.
    spread: the standard deviation of strengths, Elo.
    newcomers, versions, leavers: a batch, in the mean.
    by_lot: whether batches are drawn by lot alone, in place of the league's draw.
    looks: after how many batches each newcomer is looked at; 0 for never.
    """

    bots: int
    seats: int
    batches: int
    spread: float
    newcomers: float
    versions: float
    leavers: float
    checks: tuple[int, ...]
    by_lot: bool = False
    most_tables: int | None = None
    looks: int = 0
    drift: bool = False


class TrueSkill:
    """The two-player update with its default parameters, fed pair by pair in order of
    arrival; without a margin for draws.
    """

    BETA, TAU, SIGMA = 25 / 6, 25 / 300, 25 / 3
    ELO = 1600 / log(10) / (2 * BETA * sqrt(pi))  # that one unit is worth where two are equal

    def __init__(self) -> None:
        self.mean: list[float] = []
        self._variance: list[float] = []

    def add(self, winner: int, loser: int) -> None:
        while len(self.mean) <= max(winner, loser):
            self.mean.append(0.0)
            self._variance.append(self.SIGMA**2)
        w, z = (self._variance[bot] + self.TAU**2 for bot in (winner, loser))
        c = sqrt(2 * self.BETA**2 + w + z)
        t = (self.mean[winner] - self.mean[loser]) / c
        v = exp(-t * t / 2) / sqrt(2 * pi) / max(1e-12, (1 + erf(t / sqrt(2))) / 2)
        shrinks = v * (v + t)
        self.mean[winner] += w / c * v
        self.mean[loser] -= z / c * v
        self._variance[winner] = w * max(1e-4, 1 - w / c**2 * shrinks)
        self._variance[loser] = z * max(1e-4, 1 - z / c**2 * shrinks)


@dataclass
class League:
    """A league that is played. Bots have numbers in order of entry, anchors first;
    ``entered`` is by bot, its first batch.
    """

    season: Season
    rng: np.random.Generator
    elo: list[float] = field(default_factory=list)
    bots: list[Active] = field(default_factory=list)
    entered: list[int] = field(default_factory=list)
    left: dict[int, int] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    played: list[TableArrays] = field(default_factory=list)
    tables: int = 0
    longest_wait: int = 0
    trueskill: TrueSkill = field(default_factory=TrueSkill)

    def __post_init__(self) -> None:
        for number in range(self.season.bots):
            self._enter(self.rng.normal(0, self.season.spread), author=number >= ANCHORS)

    def _enter(self, elo: float, *, author: bool = True, family: str = "") -> None:
        number = len(self.elo)
        family = family or f"family {number}"
        self.elo.append(float(elo))
        self.bots.append(Active(f"bot {number}", family, f"author of {family}" if author else ""))
        self.entered.append(len(self.played))

    @property
    def active(self) -> list[int]:
        return [bot for bot in range(len(self.elo)) if bot not in self.left]

    def _change_roster(self) -> None:
        season, rng, now = self.season, self.rng, len(self.played)
        for _ in range(rng.poisson(season.leavers)):
            self.left[int(rng.choice(self.active[ANCHORS:]))] = now
        for _ in range(rng.poisson(season.versions)):
            old = int(rng.choice(self.active[ANCHORS:]))
            self.left[old] = now
            self._enter(
                self.elo[old] + rng.normal(0.1, 0.3) * season.spread, family=self.bots[old].family
            )
        for _ in range(rng.poisson(season.newcomers)):
            self._enter(rng.normal(0, season.spread))

    def play_batch(self) -> None:
        """Change the roster, draw a batch and play it."""
        if self.played:
            self._change_roster()
        active = self.active
        roster = [self.bots[bot] for bot in active]
        tables = self._by_lot(len(active)) if self.season.by_lot else self._drawn(roster)
        names = [bot.identity for bot in roster]
        self.counts.add([[names[place] for place in table] for table in tables], names)
        self.longest_wait = max([self.longest_wait, *(self.counts.waits[name] for name in names)])
        self.tables += len(tables)
        self._play(np.array(active)[np.array(tables)])

    def _drawn(self, roster: Sequence[Active]) -> Sequence[CircularOrder]:
        key = sha256(self.rng.bytes(32)).digest()
        return draw(
            roster, self.counts, BatchShape(self.season.seats, self.season.most_tables), key
        )

    def _by_lot(self, bots: int) -> Sequence[CircularOrder]:
        """As many tables as the league's draw has: everybody sits once, and some by lot
        once more.
        """
        seats = self.season.seats
        floor = -(-bots // seats)
        line = self.rng.permutation(bots)
        more = np.setdiff1d(line, line[bots - bots % seats :])
        self.rng.shuffle(more)
        line = np.concatenate([line, more])[: seats * (floor + -(-floor // MORE_TABLES))]
        return [tuple(table) for table in line.reshape(-1, seats).tolist()]

    def _play(self, tables: np.ndarray) -> None:
        seats = self.season.seats
        bots = np.concatenate([np.roll(tables, -rotation, axis=1) for rotation in range(seats)])
        of_seat, of_bot = self.rng.normal(size=seats), self.rng.normal(size=len(self.elo))
        luck = sqrt(SEAT_LUCK) * of_seat + sqrt(BOT_LUCK) * of_bot[bots]
        performance = luck + sqrt(1 - SEAT_LUCK - BOT_LUCK) * self.rng.normal(size=bots.shape)
        late = np.clip((1 - _normal(performance / sqrt(2))) / 2, 0, 1 - 1e-16)
        arrival = -np.log1p(-late) / 10 ** (np.array(self.elo)[bots] / 400)
        ranks = 1 + (arrival[:, :, None] > arrival[:, None, :]).sum(axis=2)
        block = np.full(len(bots), len(self.played))
        self.played.append(TableArrays(block, bots, ranks))
        if self.season.looks:
            for sits, places in zip(bots.tolist(), ranks.tolist(), strict=True):
                line = [bot for _, bot in sorted(zip(places, sits, strict=True))]
                for at, winner in enumerate(line):
                    for loser in line[at + 1 :]:
                        self.trueskill.add(winner, loser)

    def cells(self, first: int = 0) -> PairCells:
        """The results since a batch."""
        parts = self.played[first:]
        whole = TableArrays(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("block", "bots", "ranks")
            )
        )
        return cells_of_tables([whole], len(self.elo))

    def ratings(self, first: int = 0) -> Ratings:
        """The table of the results since a batch; the first anchor has 0."""
        return rate(self.cells(first), len(self.elo), 0)


@dataclass
class Shares:
    """Of each league one number, for a mean with its standard error."""

    values: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.values:
            return "n/a"
        error = (
            f"{np.std(self.values, ddof=1) / sqrt(len(self.values)):.2f}"
            if len(self.values) > 1
            else "n/a"
        )
        return f"{np.mean(self.values):.2f} +/- {error}"
