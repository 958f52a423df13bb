"""Looks at a table before it was played on: its events extend others, or are not at
their planned end.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from khiva_arena.common.result import Result
from khiva_arena.competition.events.extending import chain_of, length_of
from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.rating.ratings.looks import MOST_LOOKS, ONE_LOOK, Looks, planned, unplanned
from khiva_arena.rating.schedule.formats import FORMATS
from khiva_arena.records.store.db import EventRow


class CountedResults:
    """The number of results of each event, counted as they are read."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, results: Iterable[Result]) -> Iterator[Result]:
        """Yield the same results, counted as they are read."""
        for result in results:
            self._counts[result.event] += 1
            yield result

    def looks(self, events: Sequence[EventRow]) -> Looks:
        """Return how the table of these events allows for looks. Whoever stops a batch
        of a league plays it on, or leaves a gap in the chain: it never counts as short
        of its end.
        """
        may_end = [event for event in events if not (_is_test(event) or event.definition.batch)]
        short = any(self._counts[event.id] < bare_timetable(event).matches for event in may_end)
        return looks_of(events, stopped=short)


def looks_of(events: Sequence[EventRow], *, stopped: bool = False, extended: bool = False) -> Looks:
    """Return how a table of these events allows for looks.

    stopped: whether an event is short of its planned end: somebody may stop it there
        because its results please.
    extended: whether there is to be an event more, which extends one of them.

    Up to the planned number of looks, at the seeds planned for them, have a boundary of
    their own. Everything else is a mixture, tuned by the seeds of the first events.
    """
    by_id = {event.id: event for event in events}
    extended_ids = {event.definition.extends for event in events}
    chains = [
        chain_of(by_id, event)
        for event in events
        if event.id not in extended_ids and not _is_test(event)
    ]
    if not chains:
        return ONE_LOOK
    first = chains[0][0].definition
    number = first.looks or 0
    links = len(chains[0]) + extended
    if number and len(chains) == 1 and not stopped and links <= number and _evenly(chains[0]):
        return planned(number, number * first.seeds)
    if stopped or extended or number or any(len(chain) > 1 for chain in chains):
        return unplanned(sum(chain[0].definition.seeds for chain in chains))
    return ONE_LOOK


def _evenly(chain: Sequence[EventRow]) -> bool:
    """Tell whether each event of a chain has a whole multiple of the seeds of the first
    one, within the planned looks.
    """
    first = chain[0].definition
    within = (
        length_of(chain) <= (first.looks or 0) * first.seeds and (first.looks or 0) <= MOST_LOOKS
    )
    return within and all(event.definition.seeds % first.seeds == 0 for event in chain)


def _is_test(event: EventRow) -> bool:
    """Tell whether an event is a sequential test, which itself allows for being
    stopped.
    """
    return FORMATS[event.definition.format].SEQUENTIAL
