"""Matches in this process, for trainers: many a second, without sandbox, clocks or
records.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from khiva_arena.bots.protocol.bot_function import Choose
from khiva_arena.common.result import Result
from khiva_arena.env.coded_game import table_of, whole
from khiva_arena.env.deals import Deals, Seed
from khiva_arena.env.players import Players, chooser
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game, Plain
from khiva_arena.rng import Stream

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class LocalRow:
    """A bot of a local table.

    matches, first: how many it played, and how many it won; a shared win counts in
        parts.
    points: on average.
    score: the share of pairs in which it finished ahead, ties half.
    elo, error: as in standings, with half the width of the 95 % interval over deals;
        None if there is none.
    """

    name: str
    matches: int
    first: float
    points: float
    score: float | None
    elo: float | None
    error: float | None


@dataclass(frozen=True)
class LocalTable:
    """The results of bots in this process, best first. Iterate it for its rows;
    ``table["greedy"]`` is one of them.

    results: of each match, the numbers of the bots by seat, in the order in which they
        were given; ranks; scores.
    """

    game: str
    seats: int
    deals: int
    rows: tuple[LocalRow, ...]
    results: tuple[Result, ...]

    def __iter__(self) -> Iterator[LocalRow]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> LocalRow:
        return {row.name: row for row in self.rows}[name]

    def __repr__(self) -> str:
        return f"<local table of {len(self.rows)} bots: {self.game}, {len(self.results)} matches>"

    def __str__(self) -> str:
        from tabulate import tabulate

        def shown(value: float | None) -> str:
            return "n/a" if value is None else f"{value:.1f}"

        lines = []
        for row in self.rows:
            sure = "~" if row.error is None else ""
            score = None if row.score is None else 100 * row.score
            lines.append(
                [
                    row.name,
                    sure + shown(row.elo),
                    shown(row.error),
                    row.matches,
                    *map(shown, (score, row.first, row.points)),
                ]
            )
        heads = ["bot", "elo", "+/-", "matches", "score%", "1st", "points"]
        table = tabulate(lines, heads, tablefmt="plain", disable_numparse=True)
        notes = (
            "\n~: the results give no error of it"
            if any(row.error is None for row in self.rows)
            else ""
        )
        title = (
            f"{self.game} at {self.seats} seats, in this process: {self.deals} deals, no time "
            "limits, no records"
        )
        return f"{title}\n{table}\n+/- is 95 %, over deals{notes}"

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with a row for each bot. Needs pandas."""
        import pandas

        return pandas.DataFrame([asdict(row) for row in self.rows])


def local(
    bots: Sequence[str | Choose],
    *,
    game: str | Game = "khiva",
    seats: int | None = None,
    deals: int = 10,
    seed: Seed | None = None,
    rules: Mapping[str, Plain] | None = None,
) -> LocalTable:
    """Play bots in this process, every line-up on the same deals, each in every
    rotation.

    bots: functions ``choose(decide, match)``, and Python bots that come with the arena,
        as "shipped:python/greedy".
    seats: by default as many as there are bots. With fewer seats than bots, each set of
        so many bots plays.
    seed: equal seeds, equal deals; by default they are drawn from the system. No run
        has the same deals.

    There are no processes, time limits or records: a function may keep data from match
    to match, and its exceptions are raised here. Raises ConfigError for wrong
    arguments, BotError for a choice that is not an index into ``legal``.
    """
    if isinstance(bots, str) or not isinstance(bots, Sequence) or len(bots) < 2:
        raise ConfigError(f"bots: {bots!r:.200} is not a list of two bots or more")
    table_game, size, complete_rules = table_of(game, len(bots) if seats is None else seats, rules)
    if size > len(bots):
        raise ConfigError(
            f"bots: {len(bots)} for {size} seats: give one several times to seat copies of it"
        )
    if whole("deals", deals) < 1:
        raise ConfigError(f"deals: {deals} is not 1 or more")
    players = _unique([chooser(bot, table_game.name) for bot in bots])
    source, results = Deals(seed), []
    for deal in range(deals):
        secret = source.next()
        for number, line_up in enumerate(combinations(range(len(bots)), size)):
            order = list(line_up)
            Stream(secret, "local", str(number)).shuffle(order)
            rotations = [order[turn:] + order[:turn] for turn in range(size)]
            results += [
                _play(table_game, complete_rules, players, seated, secret, deal)
                for seated in rotations
            ]
    return LocalTable(
        table_game.name, size, deals, _rows([name for name, _ in players], results), tuple(results)
    )


def _unique(players: Sequence[tuple[str, Choose]]) -> list[tuple[str, Choose]]:
    """Append a number to each name that several bots have."""
    names = [name for name, _ in players]
    return [
        (name if names.count(name) == 1 else f"{name}-{names[: i + 1].count(name)}", choose)
        for i, (name, choose) in enumerate(players)
    ]


def _play(
    game: Game,
    rules: Mapping[str, Plain],
    named: Sequence[tuple[str, Choose]],
    order: Sequence[int],
    secret: bytes,
    deal: int,
) -> Result:
    players = Players(
        game, len(order), rules, {seat: named[bot][1] for seat, bot in enumerate(order)}
    )
    state, events = game.new(len(order), rules, secret)
    players.begin(secret, f"{deal:016x}", events)
    while not state.is_over:
        players.saw(state.apply({seat: players.choose(state, seat) for seat in state.pending()}))
    return Result(
        seed=deal,
        block=str(deal),
        bots=tuple(order),
        ranks=tuple(state.ranks),
        scores=tuple(state.scores),
    )


def _rows(names: Sequence[str], results: Sequence[Result]) -> tuple[LocalRow, ...]:
    from khiva_arena.rating.ratings.elo import rate  # with numpy: an environment does without it

    ratings = rate(results, len(names), names.index("random") if "random" in names else 0)
    rows = []
    for bot, name in enumerate(names):
        played = [(result, result.bots.index(bot)) for result in results if bot in result.bots]
        wins = [(result.ranks[seat] == 1) / result.ranks.count(1) for result, seat in played]
        points = sum(result.scores[seat] for result, seat in played) / len(played)
        rows.append(
            LocalRow(
                name,
                len(played),
                sum(wins),
                points,
                ratings.score[bot],
                ratings.elo[bot],
                ratings.error[bot],
            )
        )
    return tuple(sorted(rows, key=lambda row: -(row.elo or 0.0)))
