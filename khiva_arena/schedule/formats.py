"""Formats as pure functions: from terms and the results so far to the next tables, and to places at the end.

``FORMATS.md`` beside this file defines them for people. Nothing here depends on the order in which results come, on a clock
or on the system's chance; no float decides anything. A round is drawn from the results of the rounds before it alone, so an
event that stops anywhere goes on as if it had not.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.schedule import gauntlet, knockout, lineups, roundrobin, swiss
from khiva_arena.schedule.lineups import LineUps
from khiva_arena.schedule.roundrobin import Match
from khiva_arena.schedule.scores import by_score
from khiva_arena.schedule.terms import (
    Format,
    KnockoutDetail,
    Place,
    Result,
    Round,
    Shape,
    SwissDetail,
    Terms,
    drawn,
    round_key,
    shapes_of,
)

__all__ = [
    "Format",
    "KnockoutDetail",
    "Match",
    "Place",
    "Result",
    "Round",
    "Shape",
    "SwissDetail",
    "Terms",
    "check",
    "check_results",
    "draw",
    "places",
    "rounds",
    "schedule",
    "shapes",
]

_LISTED = (Format.ROUND_ROBIN, Format.GAUNTLET, Format.SPRT)  # their line-ups are known before any result


def check(terms: Terms) -> None:
    """Raise ConfigError with every mistake in the terms."""
    problems = _of_other_formats(terms)
    if terms.seeds < 1:
        problems.append(f"--seeds is at least 1, not {terms.seeds}")
    if terms.authors and terms.copies > 1:
        problems.append("--copies and --authors-apart do not go together: copies of a bot have one author")
    if terms.format is Format.ROUND_ROBIN:
        most = lineups.MOST_LINE_UPS if terms.most is None else terms.most
        problems += lineups.mistakes(terms.bots, terms.seats, terms.copies, most, terms.authors)
    else:
        problems += _of_the_field(terms)
    if problems:
        raise ConfigError(problems)


def _of_other_formats(terms: Terms) -> list[str]:
    """Settings that the format has no use for: who gives one expects something else."""
    given = [
        ("--rounds", terms.rounds is not None, (Format.SWISS,)),
        ("--advance", terms.advance is not None, (Format.KNOCKOUT,)),
        ("--candidate", bool(terms.candidates), (Format.GAUNTLET, Format.SPRT)),
        ("--copies", terms.copies != 1, _LISTED),
        ("--lineups", terms.most is not None, _LISTED),
    ]
    return [
        f"{flag} is not for --format {terms.format}: it goes with {' and '.join(uses)}"
        for flag, said, uses in given
        if said and terms.format not in uses
    ]


def _of_the_field(terms: Terms) -> list[str]:
    fewest, most = lineups.FEWEST_SEATS, lineups.MOST_SEATS
    if not fewest <= terms.seats <= most:
        return [f"a table has {fewest} to {most} seats, not --seats {terms.seats}"]
    if terms.bots < 1:
        return ["there are no bots to play"]
    if terms.format in _LISTED:
        problems = [f"--copies is at least 1, not {terms.copies}"] if terms.copies < 1 else []
        return problems or gauntlet.mistakes(terms)
    if terms.bots < terms.seats:
        return [f"{terms.bots} bots cannot fill a table of --seats {terms.seats}: add bots, or give fewer seats"]
    return swiss.mistakes(terms) if terms.format is Format.SWISS else knockout.mistakes(terms)


def shapes(terms: Terms) -> tuple[Shape, ...]:
    """All rounds of the event, without a result and without listing a line-up. Raises ConfigError as ``check``."""
    check(terms)
    if terms.format is Format.SWISS:
        return swiss.shapes(terms)
    if terms.format is Format.KNOCKOUT:
        return knockout.shapes(terms)
    if terms.format is Format.ROUND_ROBIN:
        cap = terms.copies if terms.bots == 1 else min(terms.copies, terms.seats - 1)
        total = lineups.count(terms.bots, terms.seats, cap, terms.authors)
        return shapes_of(terms, [min(total, lineups.MOST_LINE_UPS if terms.most is None else terms.most)])
    return gauntlet.shapes(terms)


def rounds(terms: Terms, results: Callable[[Shape], Sequence[Result] | None]) -> Iterator[Round]:
    """The rounds, each drawn when it is asked for. ``results`` is asked for a round's results, in any order, only then when
    the round after it is drawn; where it answers None, the round is not complete and the iteration ends.

    Raises ConfigError as ``check``, and StoreError where the results are not those of the round that was drawn.
    """
    past: list[Sequence[Result]] = []
    every = shapes(terms)
    for shape in every:
        now = draw(terms, shape, past)
        yield now
        found = results(shape) if shape is not every[-1] else None
        if found is None:
            return
        check_results(now, found)
        past.append(found)


def draw(terms: Terms, shape: Shape, past: Sequence[Sequence[Result]]) -> Round:
    """The tables of one round. ``past``: the results of each round before it, complete."""
    if terms.format is Format.SWISS:
        return swiss.draw(terms, shape, past)
    if terms.format is Format.KNOCKOUT:
        return knockout.draw(terms, shape, past)
    if terms.format is Format.ROUND_ROBIN:
        chosen = lineups.line_ups(
            terms.bots, terms.seats, terms.copies, terms.most, key=round_key(terms.key, shape.number), authors=terms.authors
        )
        return drawn(shape, chosen.chosen, total=chosen.total)
    total, tables = gauntlet.line_ups(terms)
    return drawn(shape, tables, total=total)


def check_results(now: Round, results: Sequence[Result]) -> None:
    """Raise StoreError where these are not all the results of the round."""
    seats = len(now.line_ups[0])
    seen = Counter((result.k, result.lineup, result.rotation) for result in results)
    fits = all(
        now.first_seed <= k < now.first_seed + now.seeds and 0 <= lineup < len(now.line_ups) and 0 <= rotation < seats
        for k, lineup, rotation in seen
    )
    if not fits or max(seen.values(), default=0) > 1:
        raise StoreError(f"round {now.number + 1} holds results that are not of its schedule")
    missing = now.seeds * len(now.line_ups) * seats - len(seen)
    if missing:
        raise StoreError(f"round {now.number + 1} is not complete: {missing} of its matches have no result")
    strange = next((r for r in results if tuple(sorted(r.bots)) != now.line_ups[r.lineup]), None)
    if strange is not None:
        raise StoreError(f"round {now.number + 1}, seed {strange.k}, line-up {strange.lineup}: other bots than were drawn")


def schedule(terms: Terms, drawn: Round, first_seed: int = 0) -> Iterator[Match]:
    """The matches of a round in schedule order, lazily, from seed ``first_seed`` of the event on. ``k``, the seed, and
    ``ordinal`` are those of the event, ``lineup`` is that of the round. Circular orders are balanced within the round."""
    chosen = LineUps(terms.bots, terms.seats, terms.copies, drawn.total, drawn.line_ups)
    key, first = round_key(terms.key, drawn.number), max(0, first_seed - drawn.first_seed)
    for match in roundrobin.schedule(chosen, drawn.seeds, key=key, first_seed=first):
        yield Match(match.ordinal + drawn.first_ordinal, match.k + drawn.first_seed, match.lineup, match.rotation, match.bots)


def places(terms: Terms, results_of_all_rounds: Sequence[Sequence[Result]]) -> tuple[Place, ...]:
    """Every bot with its place, best first, from the results of the rounds so far; ties share a place and stand in the order
    the bots were given in. The last round may be incomplete; what a caller leaves out does not count."""
    if terms.format is Format.SWISS:
        return swiss.places(terms, results_of_all_rounds)
    if terms.format is Format.KNOCKOUT:
        return knockout.places(terms, results_of_all_rounds)
    return by_score(terms.bots, results_of_all_rounds)
