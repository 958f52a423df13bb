"""A batch of a league: one round, whose tables were drawn before it began and stand in its definition
(extensions/league/draw/draw.py)."""

from collections.abc import Sequence

from khiva_arena.common.result import Result
from khiva_arena.rating.schedule.scores import by_score
from khiva_arena.rating.schedule.terms import DrawnRound, Placing, Shape, Terms, drawn_round, seating_mistakes, shapes_of

TAKES = ("tables",)
IN_ROUNDS = False
AUTO = False
SEQUENTIAL = False


def mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the terms of a batch, one line each."""
    problems = seating_mistakes(terms)
    if not terms.tables:
        problems.append("a batch of a league has no table")
    for number, table in enumerate(terms.tables):
        if len(table) != terms.seats or len(set(table)) != terms.seats or not set(table) <= set(range(terms.bots)):
            problems.append(f"table {number} of the batch does not seat {terms.seats} different bots of it")
    return problems


def shapes(terms: Terms) -> tuple[Shape, ...]:
    """Return the only round."""
    return shapes_of(terms, [len(terms.tables)])


def draw(terms: Terms, shape: Shape, _past: Sequence[Sequence[Result]]) -> DrawnRound:
    """Return the only round, with its tables in the circular orders that were drawn."""
    return drawn_round(shape, [tuple(sorted(table)) for table in terms.tables], orders=terms.tables)


def places(terms: Terms, results: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
    """Return places by score; equal scores share a place."""
    return by_score(terms.bots, results)
