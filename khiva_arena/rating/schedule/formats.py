"""Formats as pure functions from terms and results so far to the next tables, and to
places at the end.

``docs/formats.md`` defines them for people. Nothing here depends on the order in which
results come, on a clock or on the system's chance; no float decides anything. A round
is drawn from the results of the rounds before it alone, so an event that is stopped
anywhere continues as if it had not been.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from khiva_arena.common.result import Result
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.rating.schedule import gauntlet, knockout, league, roundrobin, seating, sprt, swiss
from khiva_arena.rating.schedule.names import ALL_MEET, OF_SOME, Format
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.rating.schedule.terms import Detail, DrawnRound, Placing, Shape, Terms, round_key

__all__ = [
    "FORMATS",
    "TAKERS",
    "Detail",
    "DrawnRound",
    "Format",
    "FormatModule",
    "Placing",
    "ScheduledMatch",
    "Shape",
    "Terms",
    "check_results",
    "check_terms",
    "draw",
    "places",
    "rounds",
    "schedule",
    "shapes",
]


class FormatModule(Protocol):
    """The members of a format's module. A format is such a file, with a line each in
    ``names.Format`` and ``FORMATS``.
    """

    @property
    def TAKES(self) -> tuple[str, ...]:
        """The settings that only this format and few others have: fields of
        ``Terms``.
        """

    @property
    def IN_ROUNDS(self) -> bool:
        """True if the format has rounds that are drawn from the results before them,
        seeds of each, and places that are not by score alone. Otherwise all line-ups
        are known from the start, and ``--copies`` and ``--lineups`` make them more or
        fewer.
        """

    @property
    def AUTO(self) -> bool:
        """True if ``--lineups auto`` goes with the format: a small set of line-ups in
        which all bots meet.
        """

    @property
    def SEQUENTIAL(self) -> bool:
        """True if the format ends when a test has decided, and belongs to ``khiva-arena
        sprt``.
        """

    def mistakes(self, terms: Terms) -> list[str]:
        """Return the mistakes in terms of this format, one line each; mistakes that any
        format can have are checked here.
        """

    def shapes(self, terms: Terms) -> tuple[Shape, ...]:
        """Return all rounds of terms without a mistake, without a result and without
        listing a line-up.
        """

    def draw(self, terms: Terms, shape: Shape, past: Sequence[Sequence[Result]], /) -> DrawnRound:
        """Draw the tables of one round. ``past``: the results of each round before it,
        complete.
        """

    def places(self, terms: Terms, results: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
        """Return every bot with its place, best first, from the results of the rounds
        so far.
        """


FORMATS: dict[str, FormatModule] = {
    Format.ROUND_ROBIN: roundrobin,
    Format.GAUNTLET: gauntlet,
    Format.SWISS: swiss,
    Format.KNOCKOUT: knockout,
    Format.SPRT: sprt,
    Format.LEAGUE: league,
    Format.PLAY: league,
}
"""The modules of the formats, by name."""

TAKERS = {key: [name for name, form in FORMATS.items() if key in form.TAKES] for key in OF_SOME}
"""The names of the formats that have each setting of ``OF_SOME``."""
_LISTED = [name for name, form in FORMATS.items() if not form.IN_ROUNDS]


def check_terms(terms: Terms) -> None:
    """Raise ConfigError with every mistake in the terms."""
    problems = _of_other_formats(terms)
    if terms.seeds < 1:
        problems.append(f"--seeds is at least 1, not {terms.seeds}")
    if terms.authors and terms.copies > 1:
        problems.append(
            "--copies and --authors-apart do not go together: copies of a bot have one author"
        )
    if terms.draw and not (FORMATS[terms.format].AUTO and terms.draw == ALL_MEET):
        problems.append(f"the draw {terms.draw!r} is not for --format {terms.format}")
    problems += FORMATS[terms.format].mistakes(terms)
    if problems:
        raise ConfigError(problems)


def _of_other_formats(terms: Terms) -> list[str]:
    """Return as mistakes the settings that the format does not use: giving one shows
    that the user expects something else.
    """
    settings = [
        ("--rounds", terms.rounds is not None, TAKERS["rounds"]),
        ("--advance", terms.advance is not None, TAKERS["advance"]),
        ("--candidate", bool(terms.candidates), TAKERS["candidates"]),
        ("--copies", terms.copies != 1, _LISTED),
        ("--lineups", terms.most is not None, _LISTED),
    ]
    return [
        f"{flag} is not for --format {terms.format}: it goes with {' and '.join(takers)}"
        for flag, is_given, takers in settings
        if is_given and terms.format not in takers
    ]


def shapes(terms: Terms) -> tuple[Shape, ...]:
    """Return all rounds of the event, without a result and without listing a line-up.
    Raises ConfigError as ``check_terms``.
    """
    check_terms(terms)
    return FORMATS[terms.format].shapes(terms)


def rounds(
    terms: Terms, results: Callable[[Shape], Sequence[Result] | None]
) -> Iterator[DrawnRound]:
    """Yield the rounds, each drawn when it is asked for.

    results: returns the results of a round in any order, None while the round is not
        complete, which ends the iteration. Called when the next round is drawn.

    Raises ConfigError as ``check_terms``, and StoreError if the results are not those
    of the round that was drawn.
    """
    past: list[Sequence[Result]] = []
    all_shapes = shapes(terms)
    for shape in all_shapes:
        now = draw(terms, shape, past)
        yield now
        of_round = results(shape) if shape is not all_shapes[-1] else None
        if of_round is None:
            return
        check_results(now, of_round)
        past.append(of_round)


def draw(terms: Terms, shape: Shape, past: Sequence[Sequence[Result]]) -> DrawnRound:
    """Draw the tables of one round. ``past``: the results of each round before it,
    complete.
    """
    return FORMATS[terms.format].draw(terms, shape, past)


def check_results(now: DrawnRound, results: Sequence[Result]) -> None:
    """Raise StoreError if these are not all the results of the round."""
    seats = now.rotations or len(now.line_ups[0])
    counts = Counter((result.seed, result.lineup, result.rotation) for result in results)
    fits = all(
        now.first_seed <= k < now.first_seed + now.seeds
        and 0 <= lineup < len(now.line_ups)
        and 0 <= rotation < seats
        for k, lineup, rotation in counts
    )
    if not fits or max(counts.values(), default=0) > 1:
        raise StoreError(f"round {now.number + 1} holds results that are not of its schedule")
    missing = now.seeds * len(now.line_ups) * seats - len(counts)
    if missing:
        raise StoreError(
            f"round {now.number + 1} is not complete: {missing} of its matches have no result"
        )
    strange = next((r for r in results if tuple(sorted(r.bots)) != now.line_ups[r.lineup]), None)
    if strange is not None:
        raise StoreError(
            f"round {now.number + 1}, seed {strange.seed}, line-up {strange.lineup}: other "
            "bots than were drawn"
        )


def schedule(terms: Terms, draw: DrawnRound, first_seed: int = 0) -> Iterator[ScheduledMatch]:
    """Yield the matches of a round in schedule order, lazily, from seed ``first_seed``
    of the event on. ``k``, the seed, and ``ordinal`` are those of the event, ``lineup``
    is that of the round. Circular orders are balanced within the round.
    """
    key, first = round_key(terms.key, draw.number), max(0, first_seed - draw.first_seed)
    orders, twins = draw.orders, draw.twins
    for match in seating.schedule(
        draw.line_ups, draw.seeds, key=key, first_seed=first, fixed=orders, twins=twins
    ):
        ordinal, k = match.ordinal + draw.first_ordinal, match.k + draw.first_seed
        if draw.rotations and match.rotation >= draw.rotations:
            continue
        yield ScheduledMatch(ordinal, k, match.lineup, match.rotation, match.bots)


def places(terms: Terms, results_of_all_rounds: Sequence[Sequence[Result]]) -> tuple[Placing, ...]:
    """Return every bot with its place, best first, from the results of the rounds so
    far. Ties share a place and stand in the order the bots were given in. The last
    round may be incomplete; results that the caller leaves out do not count.
    """
    return FORMATS[terms.format].places(terms, results_of_all_rounds)
