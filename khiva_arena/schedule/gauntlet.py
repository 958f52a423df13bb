"""The gauntlet: each candidate against line-ups of the bots that are no candidates.

Candidates whose authors rule out the same bots meet the very same line-ups, on the same seeds: nothing but the candidate
differs between their tables.
"""

from khiva_arena.rng import Stream
from khiva_arena.schedule.lineups import MOST_LINE_UPS, LineUp, count, pick
from khiva_arena.schedule.terms import Format, Shape, Terms, shapes_of


def candidates_of(terms: Terms) -> tuple[int, ...]:
    return terms.candidates or (0,)


def mistakes(terms: Terms) -> list[str]:
    """What is wrong with the terms of a gauntlet, one line each; those of any format are checked elsewhere."""
    candidates, problems = candidates_of(terms), []
    if terms.format is Format.SPRT and len(candidates) > 1:
        problems.append(f"a sequential test is of one --candidate, not of {len(candidates)}")
    if len(set(candidates)) < len(candidates):
        problems.append("--candidate names a bot twice")
    if any(not 0 <= bot < terms.bots for bot in candidates):
        problems.append("--candidate names a bot that does not play")
    most = MOST_LINE_UPS if terms.most is None else terms.most
    if most < len(candidates):
        problems.append(f"--lineups {most} is less than one for each --candidate")
    return problems or [problem for bot in candidates for problem in _unfilled(terms, bot)][:1]


def _unfilled(terms: Terms, candidate: int) -> list[str]:
    others, seats = _others(terms, candidate), terms.seats - 1
    if terms.authors:
        authors = len({terms.authors[bot] for bot in others})
        if authors >= seats:
            return []
        return [
            f"--authors-apart leaves bots of {authors} other authors to bot {candidate + 1}, a --candidate, for {seats} seats "
            "beside it: add bots of others, or give fewer --seats"
        ]
    if len(others) * min(terms.copies, seats) >= seats:
        return []
    if not others:
        return ["every bot is a --candidate: a gauntlet needs others to play them"]
    return [
        f"{len(others)} bot{'s' * (len(others) > 1)} beside the --candidate cannot fill {seats} seats: add bots, or let copies "
        f"of one bot sit together with --copies {-(-seats // len(others))}"
    ]


def _others(terms: Terms, candidate: int) -> tuple[int, ...]:
    """Who may sit with a candidate."""
    candidates, authors = candidates_of(terms), terms.authors
    return tuple(
        bot for bot in range(terms.bots) if bot not in candidates and not (authors and authors[bot] == authors[candidate])
    )


def _counts(terms: Terms) -> list[tuple[int, int]]:
    """By candidate: how many line-ups it has, and how many of them are played: all, or the same share of ``most`` for each."""
    most = MOST_LINE_UPS if terms.most is None else terms.most
    candidates = candidates_of(terms)
    totals = [_possible(terms, _others(terms, bot)) for bot in candidates]
    share = most if sum(totals) <= most else most // len(candidates)
    return [(total, min(total, share)) for total in totals]


def _possible(terms: Terms, others: tuple[int, ...]) -> int:
    return count(len(others), terms.seats - 1, min(terms.copies, terms.seats - 1), _authors(terms, others))


def _authors(terms: Terms, others: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(terms.authors[bot] for bot in others) if terms.authors else ()


def shapes(terms: Terms) -> tuple[Shape, ...]:
    return shapes_of(terms, [sum(played for _, played in _counts(terms))])


def line_ups(terms: Terms) -> tuple[int, tuple[LineUp, ...]]:
    """How many line-ups there are, and those that are played, in canonical order."""
    counts, cap = _counts(terms), min(terms.copies, terms.seats - 1)
    found: list[LineUp] = []
    for candidate, (_, played) in zip(candidates_of(terms), counts, strict=True):
        others = _others(terms, candidate)
        stream = Stream(terms.key, "schedule", "gauntlet")  # the same for all: equal others give equal line-ups
        tables = pick(len(others), terms.seats - 1, cap, played, stream, _authors(terms, others))
        found += [tuple(sorted((candidate, *(others[i] for i in table)))) for table in tables]
    return sum(total for total, _ in counts), tuple(sorted(found))
