"""The knockout by tables: the best ``advance`` of each table advance, until one full
table is left, the final.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import msgspec

from khiva_arena.common.result import Result
from khiva_arena.rating.schedule.grouping import exchange_seats, snake
from khiva_arena.rating.schedule.scores import (
    BotSums,
    RoundSums,
    round_sums,
    scores_of,
    with_places,
)
from khiva_arena.rating.schedule.terms import (
    Detail,
    DrawnRound,
    PlaceColumn,
    Placing,
    Shape,
    Terms,
    drawn_round,
    shapes_of,
    too_few_bots,
)
from khiva_arena.rng import Stream
from khiva_arena.words import count

TAKES = ("advance",)
IN_ROUNDS = True
AUTO = False
SEQUENTIAL = False


@dataclass(frozen=True, slots=True)
class KnockoutDetail(Detail):
    """The columns that a knockout adds to a bot's place.

    out: number of the round in which it went out, from 0; of the last round for those
        beaten in the final; None for the winner and for bots that are still in.
    """

    out: int | None

    def columns(self, *, over: bool) -> tuple[PlaceColumn, ...]:
        """Return the column "out", see ``Detail``. Rounds are counted from 1."""
        if self.out is None:
            return (PlaceColumn("out", "out in", None, "won" if over else "still in"),)
        return (PlaceColumn("out", "out in", self.out + 1, f"round {self.out + 1}"),)


class BracketRound(msgspec.Struct, frozen=True):
    """A round by numbers.

    left: how many bots are left before it; those that do not sit at a table have a bye.
    tables: how many tables it has.
    advance: how many bots of each table reach the next round; 0 in the final.
    """

    left: int
    tables: int
    advance: int


def bracket(bots: int, seats: int, advance: int) -> tuple[BracketRound, ...]:
    """Return all rounds, the final last.

    A round has as many tables as can be filled without leaving fewer bots than a final
    has seats. If even one table would leave fewer, there is one table, and only so many
    of its bots go out that a final is left.
    """
    rounds: list[BracketRound] = []
    active = bots
    while active > seats:
        tables = min(active // seats, (active - seats) // (seats - advance))
        rounds.append(
            BracketRound(active, tables, advance)
            if tables
            else BracketRound(active, 1, seats - (active - seats))
        )
        active -= rounds[-1].tables * (seats - rounds[-1].advance)
    return (*rounds, BracketRound(seats, 1, 0))


def advance_of(terms: Terms) -> int:
    return terms.seats // 2 if terms.advance is None else terms.advance


def mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the terms of a knockout, one line each."""
    if problems := too_few_bots(terms):
        return problems
    if not 1 <= advance_of(terms) < terms.seats:
        return [
            f"--advance is 1 to {terms.seats - 1} at a table of {terms.seats}, not {terms.advance}"
        ]
    tables = bracket(terms.bots, terms.seats, advance_of(terms))[0].tables
    largest = max(Counter(terms.authors).values(), default=0)
    if largest > tables:
        have = count(tables, "table")
        return [
            (
                f"--authors-apart: {largest} bots have one author, but round 1 has {have} to "
                "part them at"
            )
        ]
    return []


def shapes(terms: Terms) -> tuple[Shape, ...]:
    return shapes_of(
        terms,
        [
            bracket_round.tables
            for bracket_round in bracket(terms.bots, terms.seats, advance_of(terms))
        ],
    )


def draw(terms: Terms, shape: Shape, past: Sequence[Sequence[Result]]) -> DrawnRound:
    """Draw the next round. ``past``: the results of each round before it, complete."""
    return draw_of(terms, shape, [round_sums(terms.bots, results) for results in past])


def draw_of(terms: Terms, shape: Shape, past: Sequence[RoundSums]) -> DrawnRound:
    """Draw the next round from sums."""
    field = _field(terms, past)
    resting = field.resting(terms.seats)
    playing = [bot for bot in field.left if bot not in resting]
    tables = snake(len(playing), shape.line_ups)
    exchange_seats(tables, [[_of_one_author(terms, a, b) for b in playing] for a in playing])
    line_ups = sorted(tuple(sorted(playing[p] for p in table)) for table in tables)
    together = [
        pair
        for table in line_ups
        for pair in combinations(table, 2)
        if _of_one_author(terms, *pair)
    ]
    return drawn_round(shape, line_ups, resting, together=together)


def _of_one_author(terms: Terms, a: int, b: int) -> int:
    return int(bool(terms.authors) and terms.authors[a] == terms.authors[b])


class _Field(msgspec.Struct, frozen=True):
    """The field before a round.

    now: the round by numbers.
    left: the bots that are in, best seeded first.
    byes: by bot, how many it had.
    out: by bot that went out, the number of the round.
    """

    now: BracketRound
    left: list[int]
    byes: list[int]
    out: dict[int, int]

    def resting(self, seats: int) -> list[int]:
        """Return the bots that have a bye: those with the fewest so far, of them the
        best seeded.
        """
        return sorted(self.left, key=lambda bot: self.byes[bot])[
            : len(self.left) - self.now.tables * seats
        ]


def _field(terms: Terms, past: Sequence[RoundSums]) -> _Field:
    """Return the field after some rounds, which are complete and none of them the
    final.
    """
    seeding = list(range(terms.bots))
    if not terms.seeded:
        Stream(terms.key, "schedule", "lot").shuffle(seeding)
    bracket_rounds = bracket(terms.bots, terms.seats, advance_of(terms))
    field = _Field(bracket_rounds[0], seeding, [0] * terms.bots, {})
    for number, of_round in enumerate(past):
        tables, sums = of_round.line_ups, of_round.sums
        losers = {
            bot
            for table in tables
            for bot in _in_rank_order(table, sums, seeding)[field.now.advance :]
        }
        resting = set(field.left).difference(*tables)
        field = _Field(
            bracket_rounds[number + 1],
            [bot for bot in field.left if bot not in losers],
            [byes + (bot in resting) for bot, byes in enumerate(field.byes)],
            field.out | dict.fromkeys(losers, number),
        )
    return field


def _in_rank_order(
    table: Iterable[int], sums: Sequence[BotSums], seeding: Sequence[int]
) -> list[int]:
    """Return a table's bots, best first: by mean pair score, then more first places,
    then game score, then the better seeding.
    ``sums``: of a whole round, in which each bot plays at one table.
    """
    return sorted(
        table,
        key=lambda bot: (-sums[bot].halves, -sums[bot].firsts, -sums[bot].game, seeding.index(bot)),
    )


def places(terms: Terms, results: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
    """Return the places. The final gives places of its own; bots that went out in the
    same round share one. While the event is not over, all bots that are still in share
    the first.
    """
    return places_of(terms, [round_sums(terms.bots, of_round) for of_round in results])


def places_of(terms: Terms, rounds: Sequence[RoundSums]) -> tuple[Placing, ...]:
    """Return the places that ``places`` gives, from sums."""
    all_shapes = shapes(terms)
    complete = [
        of_round
        for shape, of_round in zip(all_shapes, rounds, strict=False)
        if of_round.matches == shape.matches
    ]
    field = _field(terms, complete[: len(all_shapes) - 1])
    final = (
        _in_rank_order(field.left, complete[-1].sums, field.left)
        if len(complete) == len(all_shapes)
        else []
    )
    out = field.out | dict.fromkeys(final[1:], len(all_shapes) - 1)
    key = {
        bot: (field.out.get(bot, len(all_shapes)), -final.index(bot) if bot in final else 0)
        for bot in range(terms.bots)
    }
    scores = scores_of(terms.bots, rounds)
    rows = {
        bot: Placing(bot, 0, score, KnockoutDetail(field.byes[bot], out.get(bot)))
        for bot, score in enumerate(scores)
    }
    return with_places(range(terms.bots), lambda bot: key[bot], rows)
