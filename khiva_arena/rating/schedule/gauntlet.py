"""The gauntlet: each candidate against line-ups of the bots that are not candidates.

Candidates whose authors rule out the same bots meet the very same line-ups, on the same
seeds: nothing but the candidate differs between their tables.
"""

from collections.abc import Sequence

from khiva_arena.common.result import Result
from khiva_arena.rating.schedule.lineups import MOST_LINE_UPS, LineUp, count_line_ups, pick
from khiva_arena.rating.schedule.scores import by_score
from khiva_arena.rating.schedule.terms import (
    DrawnRound,
    Placing,
    Shape,
    Terms,
    drawn_round,
    seating_mistakes,
    shapes_of,
)
from khiva_arena.rng import Stream
from khiva_arena.words import count

TAKES = ("candidates",)
IN_ROUNDS = False
AUTO = False
SEQUENTIAL = False


def candidates_of(terms: Terms) -> tuple[int, ...]:
    """Return the candidates; the first bot if none is named."""
    return terms.candidates or (0,)


def mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the terms of a gauntlet, one line each."""
    return table_mistakes(terms) or candidate_mistakes(terms) or seats_unfilled(terms)


def table_mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the seats, the bots and their copies, one line each."""
    problems = seating_mistakes(terms)
    return (
        problems
        if problems or terms.copies >= 1
        else [f"--copies is at least 1, not {terms.copies}"]
    )


def candidate_mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the candidates and the number of line-ups, one line
    each.
    """
    candidates, problems = candidates_of(terms), []
    if len(set(candidates)) < len(candidates):
        problems.append("--candidate names a bot twice")
    if any(not 0 <= bot < terms.bots for bot in candidates):
        problems.append("--candidate names a bot that does not play")
    if _largest_number(terms) < len(candidates):
        problems.append(f"--lineups {_largest_number(terms)} is less than one for each --candidate")
    return problems


def seats_unfilled(terms: Terms) -> list[str]:
    """Return a mistake, as a list of one line, for the first candidate whose tables
    cannot be filled; [] if all can. The terms have no other mistake.
    """
    return [problem for bot in candidates_of(terms) for problem in _unfilled(terms, bot)][:1]


def _largest_number(terms: Terms) -> int:
    return MOST_LINE_UPS if terms.most is None else terms.most


def _unfilled(terms: Terms, candidate: int) -> list[str]:
    opponents, seats = _opponents(terms, candidate), terms.seats - 1
    if terms.authors:
        authors = len({terms.authors[bot] for bot in opponents})
        if authors >= seats:
            return []
        return [
            f"--authors-apart leaves bots of {count(authors, 'other author')} to bot "
            f"{candidate + 1}, a --candidate, for {seats} "
            "seats beside it: add bots of others, or give fewer --seats"
        ]
    if len(opponents) * min(terms.copies, seats) >= seats:
        return []
    if not opponents:
        return ["every bot is a --candidate: a gauntlet needs others to play them"]
    return [
        f"{count(len(opponents), 'bot')} beside the --candidate cannot fill {seats} seats: add "
        f"bots, or let copies of one bot sit together with --copies {-(-seats // len(opponents))}"
    ]


def _opponents(terms: Terms, candidate: int) -> tuple[int, ...]:
    """Return the bots that may sit with a candidate."""
    candidates, authors = candidates_of(terms), terms.authors
    return tuple(
        bot
        for bot in range(terms.bots)
        if bot not in candidates and not (authors and authors[bot] == authors[candidate])
    )


def _counts(terms: Terms) -> list[tuple[int, int]]:
    """Return by candidate how many line-ups it has, and how many of them are played:
    all, or the same share of ``most`` for each.
    """
    limit, candidates = _largest_number(terms), candidates_of(terms)
    totals = [_possible(terms, _opponents(terms, bot)) for bot in candidates]
    share = limit if sum(totals) <= limit else limit // len(candidates)
    return [(total, min(total, share)) for total in totals]


def _possible(terms: Terms, opponents: tuple[int, ...]) -> int:
    return count_line_ups(
        len(opponents),
        terms.seats - 1,
        min(terms.copies, terms.seats - 1),
        _authors(terms, opponents),
    )


def _authors(terms: Terms, opponents: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(terms.authors[bot] for bot in opponents) if terms.authors else ()


def shapes(terms: Terms) -> tuple[Shape, ...]:
    """Return the only round."""
    return shapes_of(terms, [sum(number for _, number in _counts(terms))])


def draw(terms: Terms, shape: Shape, _past: Sequence[Sequence[Result]]) -> DrawnRound:
    """Draw the line-ups of the only round, which depend on no result."""
    counts, cap = _counts(terms), min(terms.copies, terms.seats - 1)
    line_ups: list[LineUp] = []
    for candidate, (_, number) in zip(candidates_of(terms), counts, strict=True):
        opponents = _opponents(terms, candidate)
        stream = Stream(
            terms.key, "schedule", "gauntlet"
        )  # the same for all: equal others give equal line-ups
        tables = pick(
            len(opponents), terms.seats - 1, cap, number, stream, _authors(terms, opponents)
        )
        line_ups += [tuple(sorted((candidate, *(opponents[i] for i in table)))) for table in tables]
    return drawn_round(shape, sorted(line_ups), total=sum(total for total, _ in counts))


def places(terms: Terms, results: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
    """Return places by score; equal scores share a place."""
    return by_score(terms.bots, results)
