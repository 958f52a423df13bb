"""Tables that stand in a definition: of a batch of a league, drawn before it began
(extensions/league/draw/draw.py), and of one match alone, as ``khiva-arena play`` stores
it. There nothing rotates, so that its table is never whole, and never rated.
"""

from collections.abc import Sequence

from msgspec import structs

from khiva_arena.common.result import Result
from khiva_arena.rating.schedule.names import Format
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

TAKES = ("tables",)
IN_ROUNDS = False
AUTO = False
SEQUENTIAL = False


def mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the terms of a batch or of a match of its own, one line
    each.
    """
    problems = seating_mistakes(terms)
    if terms.format == Format.PLAY:
        has_one = [len(table) for table in terms.tables] == [terms.seats] and terms.seeds == 1
        if not has_one or {*terms.tables[0]} != {*range(terms.bots)}:
            problems.append(
                f"a match of `play` has one deal and one table of {terms.seats} seats, and "
                "each of its bots sits there"
            )
        return problems
    if not terms.tables:
        problems.append("a batch of a league has no table")
    for number, table in enumerate(terms.tables):
        if (
            len(table) != terms.seats
            or len(set(table)) != terms.seats
            or not set(table) <= set(range(terms.bots))
        ):
            problems.append(
                f"table {number} of the batch does not seat {terms.seats} different bots of it"
            )
    return problems


def shapes(terms: Terms) -> tuple[Shape, ...]:
    """Return the only round."""
    of_all = shapes_of(terms, [len(terms.tables)])
    return (
        tuple(structs.replace(shape, rotations=1) for shape in of_all)
        if terms.format == Format.PLAY
        else of_all
    )


def draw(terms: Terms, shape: Shape, _past: Sequence[Sequence[Result]]) -> DrawnRound:
    """Return the only round, with its tables in the circular orders that stand
    there.
    """
    return drawn_round(shape, [tuple(sorted(table)) for table in terms.tables], orders=terms.tables)


def places(terms: Terms, results: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
    """Return places by score; equal scores share a place."""
    return by_score(terms.bots, results)
