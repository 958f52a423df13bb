"""Who leads so far, from the matches of a stream: only whole tables count, as in the standings."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from khiva_arena.cli.watching.stream import Begin, Match, Round
from khiva_arena.result import Verdict

if TYPE_CHECKING:
    from khiva_arena.ratings.pairs import RatedMatch


@dataclass(frozen=True, slots=True)
class Leader:
    """``error``: 95 % half width; ``bound``: as in the standings; ``score``: mean pair score, 0..1; ``matches``: rated ones."""

    bot: int
    elo: float | None
    error: float | None
    bound: str
    score: float | None
    matches: int


@dataclass(frozen=True, slots=True)
class Leaders:
    """Best first, after ``tables`` tables, at ``t`` of the stream. ``rated``: with Elo, else by score."""

    rows: tuple[Leader, ...]
    tables: int
    t: float
    rated: bool


class Tables:
    """The matches of one event, as they come. ``whole``: tables that are complete; ``seeds``: seeds that are."""

    def __init__(self, began: Begin) -> None:
        self._began = began
        self._open: dict[tuple[int, int], list[Match]] = {}
        self._matches = array("q")  # seed, bots, ranks, the bits of the seats that did not start: some 60 bytes a match
        self._size = 2 + 2 * began.seats
        self._per_seed: dict[int, int] = {}
        self._of_seed: dict[int, int] = {}
        self._seated = [0] * len(began.bots)
        self._won = [0.0] * len(began.bots)
        self._weight = [0.0] * len(began.bots)
        self.whole = 0
        self.seeds = 0

    def add_round(self, line: Round) -> None:
        """From here on it is known when a seed of this round is over."""
        self._per_seed[line.number] = line.tables * self._began.seats

    def add(self, line: Match) -> None:
        """One more match."""
        done = self._of_seed[line.seed] = self._of_seed.get(line.seed, 0) + 1
        if done == self._per_seed.get(line.round):
            self.seeds += 1
            del self._of_seed[line.seed]
        table = self._open.setdefault((line.seed, line.lineup), [])
        table.append(line)
        if len(table) == self._began.seats:
            del self._open[line.seed, line.lineup]
            self.whole += 1
            for match in table:
                self._rate(match)

    def _rate(self, line: Match) -> None:
        unstarted = [verdict == Verdict.START_FAILED for verdict in line.verdicts]
        bits = sum(flag << seat for seat, flag in enumerate(unstarted))
        self._matches.extend((line.seed, *line.bots, *line.ranks, bits))
        for bot in set(line.bots):
            self._seated[bot] += 1
        for i, a in enumerate(line.bots):
            for j, b in enumerate(line.bots):
                if a != b and (not bits or unstarted[i] or unstarted[j]):
                    self._weight[a] += 1
                    self._won[a] += (line.ranks[i] < line.ranks[j]) + (line.ranks[i] == line.ranks[j]) / 2

    def by_score(self, t: float) -> Leaders:
        """The bots by their score: needs no fit."""
        rows = [
            Leader(bot, None, None, "", self._won[bot] / weight if weight else None, self._seated[bot])
            for bot, weight in enumerate(self._weight)
        ]
        rows.sort(key=lambda row: -1.0 if row.score is None else row.score, reverse=True)
        return Leaders(tuple(rows), self.whole, t, False)

    def by_elo(self, t: float) -> Leaders:
        """The bots by Elo, fitted as in the standings. Takes long for many matches."""
        from khiva_arena.ratings.elo import rate  # numpy comes with it

        found = rate(self._rated(), len(self._began.bots), self._began.anchor)
        anchored = found.score[self._began.anchor] is not None  # else there is nothing to say, as in the standings
        rows = [
            Leader(
                bot,
                elo if anchored else None,
                found.error[bot] if anchored else None,
                str(found.bounds[bot]) if anchored and elo is not None else "",
                found.score[bot],
                self._seated[bot],
            )
            for bot, elo in enumerate(found.elo)
        ]
        rows.sort(key=lambda row: (row.elo is None, -(row.elo or 0.0)))
        return Leaders(tuple(rows), self.whole, t, True)

    def _rated(self) -> "Iterator[RatedMatch]":
        from khiva_arena.ratings.pairs import RatedMatch

        seats, size = self._began.seats, self._size
        for at in range(0, len(self._matches), size):
            seed, *rest = self._matches[at : at + size]
            bits = rest.pop()
            unstarted = tuple(seat for seat in range(seats) if bits >> seat & 1)
            yield RatedMatch(seed, tuple(rest[:seats]), tuple(rest[seats:]), unstarted)
