"""Whole competitions of bots that do not exist, drawn by the formats themselves: how
often the intervals and ranks of their tables hold the truth, plain and widened by
replays.

A match is an exact draw of Plackett and Luce, so that the truth is known without a fit.
Matches on one seed share its luck through a Gaussian copula: of the variance 30 % is
the seat's on that deal and 10 % the bot's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import erf, sqrt

import numpy as np
from msgspec import structs

from khiva_arena.common.result import Result
from khiva_arena.competition.events.draw_factors import replay_factors
from khiva_arena.competition.events.redraws import EventToReplay, follows_results
from khiva_arena.rating.ratings.compare import rank_intervals
from khiva_arena.rating.ratings.crosstable import crosstable
from khiva_arena.rating.ratings.elo import Ratings, rate
from khiva_arena.rating.ratings.pairs import pair_cells
from khiva_arena.rating.ratings.widening import PLAIN, Widening
from khiva_arena.rating.schedule import formats
from khiva_arena.rating.schedule.formats import FORMATS, Terms

_NORMAL = np.vectorize(erf, otypes=[float])


@dataclass(frozen=True)
class Luck:
    """Parts of the variance of a bot's performance: of the seat on a deal, and of the
    bot on a deal; the rest is of the match.
    """

    seat: float = 0.3
    bot: float = 0.1


@dataclass(frozen=True)
class Stage:
    """A stage after another: its terms without bots and key, and how many of the best
    come to it.
    """

    format: str
    take: int
    seats: int
    seeds: int


@dataclass
class Held:
    """Sums over competitions: shares of intervals that hold, false ranks, half
    widths.
    """

    competitions: int = 0
    pairs: list[float] = field(default_factory=list)
    cells: list[float] = field(default_factory=list)
    false_ranks: int = 0
    widths: list[float] = field(default_factory=list)

    def add(self, ratings: Ratings, cells, elo: Sequence[float]) -> None:
        self.competitions += 1
        held, widths = [], []
        for i, j in combinations(range(len(elo)), 2):
            apart, error = ratings.between(i, j)
            if apart is not None and error is not None:
                held.append(abs(apart - elo[i] + elo[j]) <= error)
                widths.append(error)
        if held:
            self.pairs.append(float(np.mean(held)))
            self.widths.append(float(np.mean(widths)))
        table = crosstable(cells, ratings)
        truth = 1 / (1 + 10 ** ((np.array(elo)[None, :] - np.array(elo)[:, None]) / 400))
        known = np.triu(~np.isnan(table.low), 1)
        if known.any():
            self.cells.append(float(((table.low <= truth) & (truth <= table.high))[known].mean()))
        self.false_ranks += any(
            interval is not None and not interval[0] <= place <= interval[1]
            for mine, interval in zip(elo, rank_intervals(ratings), strict=True)
            for place in (
                1 + sum(other > mine for other in elo),
                sum(other >= mine for other in elo),
            )
        )

    @property
    def cover(self) -> float:
        return 100 * float(np.mean(self.pairs))

    @property
    def cover_error(self) -> float:
        return 100 * float(np.std(self.pairs)) / sqrt(len(self.pairs))

    @property
    def of_cells(self) -> float:
        return 100 * float(np.mean(self.cells))

    @property
    def ranks(self) -> float:
        return 100 * self.false_ranks / self.competitions

    @property
    def width(self) -> float:
        return float(np.mean(self.widths))


def play_round(
    rng: np.random.Generator,
    terms: Terms,
    drawn,
    elo: np.ndarray,
    bots: Sequence[int],
    luck: Luck,
    event: str,
) -> list[Result]:
    """The results of one round. ``bots``: by position of the event, the number of the
    bot, by which ``elo`` is.
    """
    seats, weight = terms.seats, 10 ** (elo / 400)
    results = []
    ordinal = drawn.first_ordinal
    for k in range(drawn.seeds):
        of_seat, of_bot = rng.normal(size=seats), rng.normal(size=len(elo))
        for lineup, line_up in enumerate(drawn.line_ups):
            order = rng.permutation(line_up)
            for rotation in range(seats):
                sits = np.roll(order, -rotation)
                mine = np.array(bots)[sits]
                noise = rng.normal(size=seats)
                rest = 1 - luck.seat - luck.bot
                performance = (
                    sqrt(luck.seat) * of_seat + sqrt(luck.bot) * of_bot[mine] + sqrt(rest) * noise
                )
                late = (1 - _NORMAL(performance / sqrt(2))) / 2
                arrival = -np.log1p(-np.clip(late, 0, 1 - 1e-16)) / weight[mine]
                ranks = tuple((1 + (arrival[:, None] > arrival).sum(axis=1)).tolist())
                seed = drawn.first_seed + k
                results.append(
                    Result(
                        event=event,
                        ordinal=ordinal,
                        seed=seed,
                        lineup=lineup,
                        rotation=rotation,
                        block=f"{event}/{seed}",
                        bots=tuple(sits.tolist()),
                        ranks=ranks,
                        scores=(0,) * seats,
                        verdicts=("ok",) * seats,
                    )
                )
                ordinal += 1
    return results


def competition(
    rng: np.random.Generator,
    terms: Terms,
    elo: Sequence[float],
    luck: Luck,
    stages: Sequence[Stage] = (),
    rounds: int | None = None,
) -> tuple[list[EventToReplay], list[Result]]:
    """Play an event, or one and its later stages. Returns what is replayed, and the
    results with bots as in ``elo``. ``rounds``: only so many of the first event.
    """
    events: list[EventToReplay] = []
    rated: list[Result] = []
    bots, best = tuple(range(terms.bots)), []
    for number, stage in enumerate([None, *stages]):
        mine = terms
        if stage is not None:
            bots = tuple(bots[place.bot] for place in best)[: stage.take]
            mine = Terms(stage.format, len(bots), stage.seats, stage.seeds, seeded=True, key=b"")
        mine = replace(mine, key=rng.bytes(32))
        past: list[list[Result]] = []
        for shape in formats.shapes(mine)[: rounds if stage is None else None]:
            drawn = formats.draw(mine, shape, past)
            past.append(
                play_round(rng, mine, drawn, np.array(elo, dtype=float), bots, luck, str(number))
            )
        best = formats.places(mine, past)
        in_rounds = FORMATS[mine.format].IN_ROUNDS
        played = () if in_rounds else ((drawn.line_ups, mine.seeds),)
        events.append(
            EventToReplay(
                replace(mine, key=b""),
                bots,
                len(past) if in_rounds else 0,
                played,
                None if stage is None else number - 1,
            )
        )
        rated += [
            Result(
                event=one.event,
                ordinal=one.ordinal,
                seed=one.seed,
                lineup=one.lineup,
                rotation=one.rotation,
                block=one.block,
                bots=tuple(bots[bot] for bot in one.bots),
                ranks=one.ranks,
                scores=one.scores,
                verdicts=one.verdicts,
            )
            for results in past
            for one in results
        ]
    return events, rated


def by_replays(
    events: Sequence[EventToReplay], ratings: Ratings, key: bytes, number: int
) -> Widening:
    if not any(map(follows_results, events)):
        return PLAIN
    return Widening(
        "replayed", *replay_factors(events, ratings, [True] * len(ratings.elo), key, number)
    )


class Simulation:
    """Competitions of one kind.

    plain, wide: what held so far, plain and as they are judged.
    """

    def __init__(
        self,
        terms: Terms,
        elo: Sequence[float],
        *,
        seed: int = 20261122,
        replays: int = 100,
        luck: Luck = Luck(),
        stages: Sequence[Stage] = (),
        judge: Callable[[Sequence[EventToReplay], Ratings, bytes], Widening] | None = None,
    ) -> None:
        """``judge``: by replays, unless it is given."""
        self._what = terms, elo, luck, stages
        self._judge = judge or partial(by_replays, number=replays)
        self._rng = np.random.default_rng(
            [seed, terms.bots, terms.seats, terms.seeds, int(max(elo) - min(elo))]
        )
        self.plain, self.wide = Held(), Held()

    def play(self, number: int) -> None:
        """So many competitions more."""
        terms, elo, luck, stages = self._what
        for _ in range(number):
            events, results = competition(self._rng, terms, elo, luck, stages)
            cells = pair_cells(results, len(elo))
            ratings = rate(cells, len(elo), 0)
            widening = self._judge(events, ratings, self._rng.bytes(32))
            self.plain.add(ratings, cells, elo)
            self.wide.add(structs.replace(ratings, widening=widening), cells, elo)


def simulate(terms: Terms, elo: Sequence[float], number: int, **how) -> tuple[Held, Held]:
    """What held in so many competitions, plain and as they are judged."""
    simulation = Simulation(terms, elo, **how)
    simulation.play(number)
    return simulation.plain, simulation.wide
