"""How a sequential test is scheduled: a gauntlet of one candidate, which is looked at
after each seed and ends early.

Two bots that are compared by others have both a candidate's tables, and sit in them
alike.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from khiva_arena.common.result import Result
from khiva_arena.rating.schedule import gauntlet
from khiva_arena.rating.schedule.gauntlet import AUTO, IN_ROUNDS, TAKES, places, shapes
from khiva_arena.rating.schedule.terms import DrawnRound, Shape, Terms

__all__ = ["AUTO", "IN_ROUNDS", "SEQUENTIAL", "TAKES", "draw", "mistakes", "places", "shapes"]

SEQUENTIAL = True


def mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the terms of a sequential test, one line each."""
    candidates = len(terms.candidates)
    if terms.twins:
        problems = (
            []
            if terms.candidates == (0, 1) and not terms.authors
            else ["only the first two bots are compared by others"]
        )
    else:
        problems = (
            [f"a sequential test is of one --candidate, not of {candidates}"]
            if candidates > 1
            else []
        )
    return (
        gauntlet.table_mistakes(terms)
        or [*problems, *gauntlet.candidate_mistakes(terms)]
        or gauntlet.seats_unfilled(terms)
    )


def draw(terms: Terms, shape: Shape, past: Sequence[Sequence[Result]]) -> DrawnRound:
    """Draw the line-ups of the only round, as a gauntlet does. Twins have the same
    ones, those of the first twin before the others.
    """
    return replace(gauntlet.draw(terms, shape, past), twins=terms.twins)
