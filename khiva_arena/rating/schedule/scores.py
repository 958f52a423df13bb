"""The sums of results that a schedule needs: pair scores, meetings, and places with
ties.

Integers and fractions only. A bot scores against each other bot at its table 1 for a
better rank, 1/2 for the same, 0 for a worse one; copies of a bot score nothing against
each other.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import msgspec

from khiva_arena.common.result import Result
from khiva_arena.rating.schedule.lineups import LineUp
from khiva_arena.rating.schedule.terms import Placing

HALF = Fraction(1, 2)


class BotSums(msgspec.Struct):
    """The sums over the matches of one bot.

    halves: its pair scores, in half points.
    pairs: how many pairs those are of.
    firsts: matches in which nobody ranked better.
    game: its scores in the game, in points.
    """

    halves: int = 0
    pairs: int = 0
    firsts: int = 0
    game: int = 0

    @property
    def score(self) -> Fraction | None:
        """The mean pair score, 0 to 1; None without a pair."""
        return Fraction(self.halves, 2 * self.pairs) if self.pairs else None


def bot_sums(bots: int, results: Iterable[Result]) -> list[BotSums]:
    """Return the sums of all bots over some results, in any order."""
    sums = [BotSums() for _ in range(bots)]
    for result in results:
        best = min(result.ranks)
        for bot, rank, score in zip(result.bots, result.ranks, result.scores, strict=True):
            sums[bot].firsts += rank == best
            sums[bot].game += score
        for (a, rank_a), (b, rank_b) in combinations(
            zip(result.bots, result.ranks, strict=True), 2
        ):
            if a != b:
                sums[a].pairs += 1
                sums[b].pairs += 1
                sums[a].halves += 1 + (rank_a < rank_b) - (rank_a > rank_b)
                sums[b].halves += 1 + (rank_b < rank_a) - (rank_b > rank_a)
    return sums


class RoundSums(msgspec.Struct, frozen=True):
    """The sums over the results of a round, all that a draw looks at.

    matches: how many results these are.
    line_ups: each once, in canonical order.
    sums: by bot.
    """

    matches: int
    line_ups: Sequence[LineUp]
    sums: Sequence[BotSums]


def round_sums(bots: int, results: Sequence[Result]) -> RoundSums:
    """Return the sums over the results of a round that a draw looks at."""
    return RoundSums(len(results), line_ups_in(results), bot_sums(bots, results))


def line_ups_in(results: Iterable[Result]) -> list[LineUp]:
    """Return the line-ups of the results, each once, in canonical order."""
    return sorted({tuple(sorted(result.bots)) for result in results})


def scores_of(bots: int, rounds: Sequence[RoundSums]) -> list[Fraction | None]:
    """Return the mean pair score of each bot over some rounds; None without a pair."""
    halves, pairs = (
        [sum(getattr(past.sums[bot], key) for past in rounds) for bot in range(bots)]
        for key in ("halves", "pairs")
    )
    return [
        Fraction(half, 2 * pair) if pair else None for half, pair in zip(halves, pairs, strict=True)
    ]


def by_score(bots: int, results: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
    """Return places by mean pair score over all results; equal scores share a place,
    bots without a match share the last.
    """
    return by_score_of(bots, [round_sums(bots, of_round) for of_round in results])


def by_score_of(bots: int, rounds: Sequence[RoundSums]) -> tuple[Placing, ...]:
    """Return the places that ``by_score`` gives, from sums."""
    scores = scores_of(bots, rounds)
    rows = {bot: Placing(bot, 0, score) for bot, score in enumerate(scores)}
    return with_places(range(bots), lambda bot: (or_last(scores[bot]),), rows)


def or_last(score: Fraction | None) -> Fraction | int:
    """Return a number to sort by: without a score, one below all scores."""
    return -1 if score is None else score


def with_places(
    bots: Iterable[int],
    key: Callable[[int], tuple[Fraction | int, ...]],
    rows: Mapping[int, Placing],
) -> tuple[Placing, ...]:
    """Return the ``rows`` of the bots with their places filled in: a greater key is
    better, and equal keys share a place.
    """
    order = sorted(bots, key=lambda bot: tuple(-part for part in key(bot)))
    placings: list[Placing] = []
    for i, bot in enumerate(order):
        place = placings[-1].place if i and key(bot) == key(order[i - 1]) else i + 1
        row = rows[bot]
        placings.append(Placing(bot, place, row.score, row.detail))
    return tuple(placings)
