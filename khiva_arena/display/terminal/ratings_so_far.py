"""The ratings of a run so far, from its stream's matches: only complete tables count,
as in the standings.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from khiva_arena.common.result import Result
from khiva_arena.common.stream import Begin, MatchRecorded, Round
from khiva_arena.rating.schedule.names import Format

if TYPE_CHECKING:
    from khiva_arena.rating.ratings.elo import Ratings
    from khiva_arena.rating.ratings.looks import Looks
    from khiva_arena.rating.ratings.widening import Widening


@dataclass(frozen=True, slots=True)
class BotSoFar:
    """A bot's row.

    bot: its index
    elo: None if there is none, or no fit yet
    error: 95 % half width
    bound: sign before the Elo, as in the standings
    score: mean pair score, 0..1
    matches: how many are recorded, those of tables that are not complete included
    """

    bot: int
    elo: float | None
    error: float | None
    bound: str
    score: float | None
    matches: int


@dataclass(frozen=True, slots=True)
class RatingsSoFar:
    """The ratings of all bots, best first.

    rows: a bot each
    tables: how many complete ones count
    t: seconds of the stream's clock
    fitted: whether they are rated by Elo, else by score alone
    looked: whether errors hold however often one looks, since the event may be stopped
        here
    """

    rows: tuple[BotSoFar, ...]
    tables: int
    t: float
    fitted: bool
    looked: bool = False


class MatchesSoFar:
    """The matches of one event, as they come.

    tables: how many are complete
    seeds: how many are over
    """

    def __init__(self, began: Begin) -> None:
        self.tables = self.seeds = self._recorded = 0
        self._began = began
        self._open: dict[tuple[int, int], list[MatchRecorded]] = {}
        self._results: list[Result] = []
        self._per_seed: dict[int, int] = {}  # round: matches on each seed
        self._of_seed: dict[int, int] = {}  # seed: matches so far
        self._matches = [0] * len(began.bots)
        self._pairs = [0] * len(began.bots)
        self._points = [0.0] * len(began.bots)
        self._rounds = 1

    def add_round(self, line: Round) -> None:
        """Note how many matches each seed of a round has."""
        self._per_seed[line.number] = line.tables * self._began.seats
        self._rounds = max(self._rounds, len(self._per_seed))

    def add(self, line: MatchRecorded) -> None:
        """Add a match."""
        self._recorded += 1
        for bot in set(line.bots):
            self._matches[bot] += 1
        recorded = self._of_seed[line.seed] = self._of_seed.get(line.seed, 0) + 1
        if recorded == self._per_seed.get(line.round):
            self.seeds += 1
            del self._of_seed[line.seed]
        table = self._open.setdefault((line.seed, line.lineup), [])
        table.append(line)
        if len(table) == self._began.seats:
            del self._open[line.seed, line.lineup]
            self.tables += 1
            for match in table:
                self._count(match)

    def _count(self, line: MatchRecorded) -> None:
        result = Result(
            seed=line.seed,
            block=str(line.seed),
            bots=tuple(line.bots),
            ranks=tuple(line.ranks),
            verdicts=tuple(line.verdicts),
        )
        self._results.append(result)
        unstarted = result.unstarted
        for i, a in enumerate(line.bots):
            for j, b in enumerate(line.bots):
                if a != b and (
                    not unstarted or i in unstarted or j in unstarted
                ):  # as ratings.pairs counts pairs
                    self._pairs[a] += 1
                    self._points[a] += (line.ranks[i] < line.ranks[j]) + (
                        line.ranks[i] == line.ranks[j]
                    ) / 2

    def ratings(self, t: float, *, fitted: bool) -> RatingsSoFar:
        """Return the bots by Elo if ``fitted``, as in the standings, which takes long
        for many matches; else by score.
        """
        fit = self._fit() if fitted else None
        rated = (
            fit if fit and fit.score[self._began.anchor] is not None else None
        )  # without its anchor none has an Elo
        rows = [self._row(bot, rated) for bot in range(len(self._began.bots))]
        if fitted:
            rows.sort(key=lambda row: (row.elo is None, -(row.elo or 0.0)))
        else:
            rows.sort(key=lambda row: (row.score is None, -(row.score or 0.0)))
        return RatingsSoFar(
            tuple(rows), self.tables, t, fitted, looked=fitted and bool(self._looks())
        )

    def since(self, ratings: RatingsSoFar) -> RatingsSoFar:
        """Return the ratings of an earlier fit with the scores and matches of now."""
        return replace(
            ratings, rows=tuple(replace(row, **self._counts(row.bot)) for row in ratings.rows)
        )

    def _counts(self, bot: int) -> dict[str, Any]:
        return {
            "score": self._points[bot] / self._pairs[bot] if self._pairs[bot] else None,
            "matches": self._matches[bot],
        }

    def _row(self, bot: int, rated: "Ratings | None") -> BotSoFar:
        if rated is None or (elo := rated.elo[bot]) is None:
            return BotSoFar(bot, None, None, "", **self._counts(bot))
        return BotSoFar(bot, elo, rated.error[bot], str(rated.bounds[bot]), **self._counts(bot))

    def _fit(self) -> "Ratings":
        from khiva_arena.rating.ratings.elo import rate  # numpy comes with it

        return rate(
            self._results, len(self._began.bots), self._began.anchor, widening=self._widening()
        )

    def _widening(self) -> "Widening":
        """Return how wide errors are. A swiss takes the factors of equal bots by its
        shape so far: a screen replays nothing.
        """
        from khiva_arena.rating.ratings.swiss_factors import by_shape
        from khiva_arena.rating.ratings.widening import Widening

        looks = self._looks()
        if self._began.format != Format.SWISS or self._rounds < 2:
            return Widening(looks=looks)
        shape = by_shape(
            len(self._began.bots), self._began.seats, self._rounds, self._seeds_a_round()
        )
        return Widening("shape", *shape, looks=looks)

    def _looks(self) -> "Looks":
        """Return how errors allow for looks, as in the standings of this event
        alone.
        """
        from khiva_arena.rating.ratings.looks import MOST_LOOKS, ONE_LOOK, planned, unplanned

        looks, seeds = self._began.looks, self._seeds_a_round()
        if self._began.format == Format.SPRT:
            return ONE_LOOK
        if self._recorded < self._began.matches or looks > MOST_LOOKS:
            return unplanned(seeds)
        return planned(looks, looks * seeds) if looks else ONE_LOOK

    def _seeds_a_round(self) -> int:
        return max(1, self._began.seeds // max(1, self._began.rounds))
