"""The round robin: all line-ups of the bots, or some of them, in which bots sit equally
often, on every seed.
"""

from collections.abc import Sequence

from khiva_arena.common.result import Result
from khiva_arena.rating.schedule import lineups
from khiva_arena.rating.schedule.scores import by_score
from khiva_arena.rating.schedule.terms import (
    DrawnRound,
    Placing,
    Shape,
    Terms,
    drawn_round,
    round_key,
    shapes_of,
)

TAKES = ()
IN_ROUNDS = False
AUTO = True
SEQUENTIAL = False


def mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the terms of a round robin, one line each."""
    problems = lineups.mistakes(
        terms.bots, terms.seats, terms.copies, _largest_number(terms), terms.authors
    )
    if not problems and terms.draw and len(_all_meet(terms)) != terms.most:
        problems.append(
            f"no set of {terms.most} line-ups of {terms.bots} bots at {terms.seats} seats "
            "is known in which all meet"
        )
    return problems


def _largest_number(terms: Terms) -> int:
    return lineups.MOST_LINE_UPS if terms.most is None else terms.most


def _all_meet(terms: Terms) -> tuple[lineups.LineUp, ...]:
    from khiva_arena.rating.schedule import coverings  # not above: most events play all line-ups

    return coverings.all_meet(terms.bots, terms.seats, terms.copies, terms.authors) or ()


def shapes(terms: Terms) -> tuple[Shape, ...]:
    """Return the only round."""
    total = lineups.count_line_ups(
        terms.bots,
        terms.seats,
        lineups.cap_of(terms.bots, terms.seats, terms.copies),
        terms.authors,
    )
    return shapes_of(terms, [min(total, _largest_number(terms))])


def draw(terms: Terms, shape: Shape, _past: Sequence[Sequence[Result]]) -> DrawnRound:
    """Draw the line-ups of the only round, which depend on no result."""
    key = round_key(terms.key, shape.number)
    if terms.draw:
        from khiva_arena.rating.schedule import coverings

        total = lineups.count_line_ups(
            terms.bots,
            terms.seats,
            lineups.cap_of(terms.bots, terms.seats, terms.copies),
            terms.authors,
        )
        return drawn_round(
            shape, coverings.by_lot(_all_meet(terms), terms.bots, terms.authors, key), total=total
        )
    all_line_ups = lineups.line_ups(
        terms.bots, terms.seats, terms.copies, terms.most, key=key, authors=terms.authors
    )
    return drawn_round(shape, all_line_ups.chosen, total=all_line_ups.total)


def places(terms: Terms, results: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
    """Return places by score; equal scores share a place."""
    return by_score(terms.bots, results)
