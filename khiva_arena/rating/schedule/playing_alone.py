"""One match at one table, as ``khiva-arena play`` stores it: its bots sit where its definition has them, and nothing rotates. So
its table is never whole, and never rated."""

from collections.abc import Sequence

from msgspec import structs

from khiva_arena.common.result import Result
from khiva_arena.rating.schedule.scores import by_score
from khiva_arena.rating.schedule.terms import DrawnRound, Placing, Shape, Terms, drawn_round, seating_mistakes, shapes_of

TAKES = ("tables",)
IN_ROUNDS = False
AUTO = False
SEQUENTIAL = False


def mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the terms of a match, one line each."""
    problems = seating_mistakes(terms)
    if [len(table) for table in terms.tables] != [terms.seats] or {*terms.tables[0]} != {*range(terms.bots)} or terms.seeds != 1:
        problems.append(
            f"a match alone has one deal and one table, at which each of its bots has a seat, and {terms.seats} seats"
        )
    return problems


def shapes(terms: Terms) -> tuple[Shape, ...]:
    """Return the only round, of one match."""
    return tuple(structs.replace(shape, rotations=1) for shape in shapes_of(terms, [1]))


def draw(terms: Terms, shape: Shape, _past: Sequence[Sequence[Result]]) -> DrawnRound:
    """Return the only round."""
    return drawn_round(shape, [tuple(sorted(terms.tables[0]))], orders=terms.tables)


def places(terms: Terms, results: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
    """Return places by score; equal scores share a place."""
    return by_score(terms.bots, results)
