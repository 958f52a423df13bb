"""The timetable of an event: the match of each place, computed on demand.

Places are known before any result: how many rounds, tables and matches a format has
follows from its terms alone. The seating of a later round of a swiss or a knockout
follows from the results of the rounds before it.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby, islice
from typing import NamedTuple

from khiva_arena.common.result import Result
from khiva_arena.rating.schedule.formats import (
    DrawnRound,
    Shape,
    Terms,
    check_results,
    check_terms,
    draw,
    schedule,
    shapes,
)
from khiva_arena.rating.schedule.seating import ScheduledMatch

Results = Callable[[Shape], Sequence[Result] | None]


def no_results(_shape: Shape) -> None:
    """Return no results: enough for the first round, and for places in the
    timetable.
    """


class MatchPlace(NamedTuple):
    """The place of a match in an event.

    seed: the number of its deal
    line_up: the number of its table within the round
    rotation: which of the table's matches it is
    """

    seed: int
    line_up: int
    rotation: int


class Timetable:
    """The matches of an event by their place in it.

    terms: the terms from which the schedule is made.
    seats: at a table.
    shapes: all rounds.
    seeds: how many seeds all rounds have.
    matches: how many matches all rounds have.
    """

    def __init__(self, terms: Terms, results: Results = no_results) -> None:
        """Make a timetable. ``results``: returns those of a round, None while it is not
        complete. Raises ConfigError on terms that make no event.
        """
        check_terms(terms)
        self.terms = terms
        self.seats = terms.seats
        self.shapes: tuple[Shape, ...] = shapes(terms)
        self.seeds = sum(shape.seeds for shape in self.shapes)
        self.matches = sum(shape.matches for shape in self.shapes)
        self._results = results
        self._starts = [shape.first_ordinal for shape in self.shapes]
        self._drawn: list[DrawnRound] = []
        self._past: list[Sequence[Result]] = []  # of the rounds before the last one drawn
        self._k = -1
        self._of_seed: tuple[ScheduledMatch, ...] = ()
        self._rest: Iterator[ScheduledMatch] = iter(())

    def per_seed(self, shape: Shape) -> int:
        """Return how many matches of a round are on one seed."""
        return shape.line_ups * shape.per_table

    def shape_of_seed(self, k: int) -> Shape:
        """Return the round that plays seed ``k``, which is one of the event."""
        return next(shape for shape in reversed(self.shapes) if shape.first_seed <= k)

    def shape_of(self, ordinal: int) -> Shape:
        """Return the round of a place, which is one of the event."""
        return self.shapes[bisect_right(self._starts, ordinal) - 1]

    def place(self, ordinal: int) -> MatchPlace | None:
        """Return the place of a match, None beyond the last match."""
        if not 0 <= ordinal < self.matches:
            return None
        shape = self.shape_of(ordinal)
        table, rotation = divmod(ordinal - shape.first_ordinal, shape.per_table)
        k, lineup = divmod(table, shape.line_ups)
        return MatchPlace(shape.first_seed + k, lineup, rotation)

    def ordinal(self, place: MatchPlace) -> int:
        """Return the place in the schedule of a match of the event."""
        shape = self.shape_of_seed(place.seed)
        table = (place.seed - shape.first_seed) * shape.line_ups + place.line_up
        return shape.first_ordinal + table * shape.per_table + place.rotation

    def round(self, number: int) -> DrawnRound | None:
        """Return a round with its tables drawn; None while a round before it is not
        complete.
        """
        while len(self._drawn) <= number:
            if self._drawn:
                results = self._results(self.shapes[len(self._past)])
                if results is None:
                    return None
                check_results(self._drawn[-1], results)
                self._past.append(results)
            self._drawn.append(draw(self.terms, self.shapes[len(self._drawn)], self._past))
        return self._drawn[number]

    def match(self, ordinal: int) -> ScheduledMatch | None:
        """Return the match at a place; None beyond the last, and in a round that cannot
        be drawn yet. Quick if ordinals rise.
        """
        place = self.place(ordinal)
        if place is None:
            return None
        shape, k = self.shape_of(ordinal), place.seed
        draw = self.round(shape.number)
        if draw is None:
            return None
        if k != self._k:
            if k != self._k + 1 or k == shape.first_seed:
                self._rest = schedule(self.terms, draw, k)
            self._k, self._of_seed = k, tuple(islice(self._rest, self.per_seed(shape)))
        return self._of_seed[(ordinal - shape.first_ordinal) % self.per_seed(shape)]


def spread(matches: Iterable[ScheduledMatch]) -> Iterator[ScheduledMatch]:
    """Yield matches in the order in which they are played: seed by seed, and line-ups
    of a seed take turns.

    The rotations of a table are one deal. Anything that a bot manages to leave for its
    next match, such as pages of a file in memory, is worth less the more matches are
    played in between. So the next match is always of a line-up with most matches left,
    and two of one line-up follow each other only where no other is left. Numbers of
    matches follow the schedule and not this order.

    matches: in the order of their seeds. They are read a seed at a time.
    """
    last = -1
    for _, of_seed in groupby(matches, key=lambda match: match.k):
        waiting: dict[int, deque[ScheduledMatch]] = {}
        for match in of_seed:
            waiting.setdefault(match.lineup, deque()).append(match)
        heap = [(-len(queue), lineup) for lineup, queue in waiting.items()]
        heapify(heap)
        while heap:
            count, lineup = heappop(heap)
            if lineup == last and heap:
                next_entry = heappop(heap)
                heappush(heap, (count, lineup))
                count, lineup = next_entry
            last = lineup
            yield waiting[lineup].popleft()
            if count < -1:
                heappush(heap, (count + 1, lineup))
