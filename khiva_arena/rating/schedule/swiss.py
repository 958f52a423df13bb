"""The swiss by tables: in each round, bots of similar score sit together, if possible
with bots they have not met.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import lcm

from khiva_arena.common.result import Result
from khiva_arena.rating.schedule.grouping import exchange_seats, search, snake
from khiva_arena.rating.schedule.scores import (
    HALF,
    RoundSums,
    or_last,
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
    round_key,
    shapes_of,
    too_few_bots,
)
from khiva_arena.rng import Stream
from khiva_arena.words import count

TAKES = ("rounds",)
IN_ROUNDS = True
AUTO = False
SEQUENTIAL = False
MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class SwissDetail(Detail):
    """The columns that a swiss adds to a bot's place.

    points: sum of its scores at its tables.
    tables: how many it sat at.
    opponents: mean score of those it met there, 0 to 1; None if it met nobody.
    """

    points: Fraction
    tables: int
    opponents: Fraction | None

    def columns(self, *, over: bool) -> tuple[PlaceColumn, ...]:
        """Return the columns "points", "tables" and "opponents", see ``Detail``."""
        points, percent = (
            float(self.points),
            None if self.opponents is None else float(100 * self.opponents),
        )
        return (
            PlaceColumn("points", "points", round(points, 3), f"{points:.2f}"),
            PlaceColumn("tables", "tables", self.tables, str(self.tables)),
            PlaceColumn(
                "opponents",
                "opponents%",
                None if percent is None else round(percent, 3),
                "n/a" if percent is None else f"{percent:.1f}",
            ),
        )


def default_rounds(bots: int, seats: int) -> int:
    """Return ceil(log2 bots) + 1, within two limits. At most as many rounds as leave
    everybody new opponents, (bots - 1) // (seats - 1); at least as many as let
    everybody play.

    Sitting in the upper half of a table halves the field, so log2 rounds would order
    all bots if results were sure; they are not, hence one more.
    """
    all_play = -(
        -bots // (bots // seats * seats)
    )  # bots that are left over in a round play in the next one
    return max(all_play, min((bots - 1).bit_length() + 1, (bots - 1) // (seats - 1)))


def mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the terms of a swiss, one line each."""
    if problems := too_few_bots(terms):
        return problems
    if terms.rounds is not None and not 1 <= terms.rounds <= MOST_ROUNDS:
        problems.append(f"--rounds is 1 to {MOST_ROUNDS}, not {terms.rounds}")
    tables = terms.bots // terms.seats
    largest = max(Counter(terms.authors).values(), default=0)
    if largest > tables:
        have = count(tables, "table")
        problems.append(
            f"--authors-apart: {largest} bots have one author, but a round has {have} to "
            "part them at"
        )
    return problems


def shapes(terms: Terms) -> tuple[Shape, ...]:
    rounds = default_rounds(terms.bots, terms.seats) if terms.rounds is None else terms.rounds
    return shapes_of(terms, [terms.bots // terms.seats] * rounds)


def draw(terms: Terms, shape: Shape, past: Sequence[Sequence[Result]]) -> DrawnRound:
    """Draw the next round. ``past``: the results of each round before it, complete."""
    return draw_of(terms, shape, [round_sums(terms.bots, results) for results in past])


def draw_of(
    terms: Terms, shape: Shape, past: Sequence[RoundSums], *, quick: bool = False
) -> DrawnRound:
    """Draw the next round from sums. ``quick``: by exchanges from one start, without a
    search among many.
    """
    tables = [of_round.line_ups for of_round in past]
    byes = _byes(terms.bots, tables)
    order = _order(terms, past)
    at = {bot: place for place, bot in enumerate(order)}
    resting = sorted(order, key=lambda bot: (byes[bot], -at[bot]))[: terms.bots % terms.seats]
    playing = [bot for bot in order if bot not in resting]
    if past or not terms.seeded:
        start = [list(range(i, i + terms.seats)) for i in range(0, len(playing), terms.seats)]
    else:
        start = snake(len(playing), shape.line_ups)
    meetings = Counter(
        pair for of_round in tables for table in of_round for pair in combinations(table, 2)
    )
    weight, grave = _weights(terms, playing, meetings, ranked=bool(past))
    if quick:
        tables_drawn = start
        exchange_seats(tables_drawn, weight)
    else:
        tables_drawn = search(
            start, weight, grave, Stream(round_key(terms.key, shape.number), "schedule", "swiss")
        )
    return drawn_round(
        shape, sorted(tuple(sorted(playing[p] for p in table)) for table in tables_drawn), resting
    )


def _byes(bots: int, tables: Sequence[Sequence[tuple[int, ...]]]) -> list[int]:
    """Return how many of these rounds each bot sat out."""
    tables_of_bot = Counter(bot for of_round in tables for table in of_round for bot in table)
    return [len(tables) - tables_of_bot[bot] for bot in range(bots)]


def _order(terms: Terms, past: Sequence[RoundSums]) -> list[int]:
    """Return the bots, best first: by score, then by the opponents' mean score, then by
    lot or, in a seeded field, by strength. A bot that has not played stands in the
    middle.
    """
    order = list(range(terms.bots))
    if not terms.seeded:
        Stream(terms.key, "schedule", "lot").shuffle(order)
    (scores, _), (opponents, _) = map(_whole, _standing(terms, past))
    return sorted(order, key=lambda bot: (-scores[bot], -opponents[bot]))


def _or_half(score: Fraction | None) -> Fraction:
    return HALF if score is None else score


def _whole(scores: Sequence[Fraction | None]) -> tuple[list[int], int]:
    """Return scores, 1/2 for none, as whole numbers over one denominator, and that:
    fractions are slow to add and to compare.
    """
    known = [_or_half(score) for score in scores]
    shared = lcm(*(score.denominator for score in known))
    return [score.numerator * (shared // score.denominator) for score in known], shared


def _standing(
    terms: Terms, past: Sequence[RoundSums]
) -> tuple[list[Fraction | None], list[Fraction | None]]:
    """Return by bot its mean pair score, and the mean of the scores of those it met,
    counted once for each table; None if none.
    """
    scores = scores_of(terms.bots, past)
    whole, shared = _whole(scores)
    met: list[list[int]] = [[] for _ in range(terms.bots)]
    for of_round in past:
        for table in of_round.line_ups:
            for a in table:
                met[a] += [whole[b] for b in table if b != a]
    return scores, [
        Fraction(sum(scores_met), shared * len(scores_met)) if scores_met else None
        for scores_met in met
    ]


def _weights(
    terms: Terms, playing: Sequence[int], meetings: Counter[tuple[int, int]], *, ranked: bool
) -> tuple[list[list[int]], int]:
    """Return the cost of seating two bots at one table, by position: authors, then
    meetings so far, then the square of the distance in rank. Also return the least
    weight of a grave pair, which is the cost of one meeting.
    """
    count = len(playing)
    repeat = count**3 * terms.seats  # above all distances together
    author = repeat * (count * count * MOST_ROUNDS + 1)  # above all meetings together
    weight = [[0] * count for _ in playing]
    for p, q in combinations(range(count), 2):
        a, b = sorted((playing[p], playing[q]))
        cost = meetings[a, b] * repeat + (p - q) ** 2 * ranked
        if terms.authors and terms.authors[a] == terms.authors[b]:
            cost += author
        weight[p][q] = weight[q][p] = cost
    return weight, repeat


def places(terms: Terms, results: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
    """Return places by score, then by the opponents' mean score; equals share a place,
    bots without a match share the last.
    """
    return places_of(terms, [round_sums(terms.bots, of_round) for of_round in results])


def places_of(terms: Terms, rounds: Sequence[RoundSums]) -> tuple[Placing, ...]:
    """Return the places that ``places`` gives, from sums."""
    scores, opponents = _standing(terms, rounds)
    complete = [
        of_round
        for shape, of_round in zip(shapes(terms), rounds, strict=False)
        if of_round.matches == shape.matches
    ]
    byes = _byes(terms.bots, [of_round.line_ups for of_round in complete])
    tables = Counter(bot for of_round in rounds for table in of_round.line_ups for bot in table)
    rows = {}
    for bot, score in enumerate(scores):
        points = _or_half(score) * tables[bot]
        detail = SwissDetail(
            byes=byes[bot], points=points, tables=tables[bot], opponents=opponents[bot]
        )
        rows[bot] = Placing(bot, 0, score, detail)
    return with_places(
        range(terms.bots), lambda bot: (or_last(scores[bot]), or_last(opponents[bot])), rows
    )
