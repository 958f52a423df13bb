"""How a sequential test is scheduled: a gauntlet of one candidate, which is looked at after each seed and ends early."""

from khiva_arena.rating.schedule import gauntlet
from khiva_arena.rating.schedule.gauntlet import AUTO, IN_ROUNDS, TAKES, draw, places, shapes
from khiva_arena.rating.schedule.terms import Terms

__all__ = ["AUTO", "IN_ROUNDS", "SEQUENTIAL", "TAKES", "draw", "mistakes", "places", "shapes"]

SEQUENTIAL = True


def mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the terms of a sequential test, one line each."""
    candidates = len(terms.candidates)
    problems = [f"a sequential test is of one --candidate, not of {candidates}"] if candidates > 1 else []
    return gauntlet.table_mistakes(terms) or [*problems, *gauntlet.candidate_mistakes(terms)] or gauntlet.seats_unfilled(terms)
