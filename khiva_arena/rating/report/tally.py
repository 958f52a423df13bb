"""The counts of each bot, which are not estimated."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from khiva_arena.common.result import Measured, Result, Spent, total
from khiva_arena.rating.ratings.match_arrays import MatchCollector, Matches, join_matches

_AT_ONCE = 1_000
"""The number of seats whose measurements are added up at a time."""


class Tally(msgspec.Struct):
    """The counts of one bot.

    matches, seeds: rated ones that it sat in.
    finishes: by place, how often it came in there in those.
    faults: by kind, how often it made the fault, in every match.
    voids: attempts at its matches that were void.
    measured: of its seats in every match, sums of some and single ones.
    spent: what it reported in each match in which it was offered to.
    """

    matches: int = 0
    seeds: int = 0
    finishes: Counter[int] = msgspec.field(default_factory=Counter)
    faults: Counter[str] = msgspec.field(default_factory=Counter)
    voids: int = 0
    measured: list[Measured] = msgspec.field(default_factory=list)
    spent: list[Spent] = msgspec.field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add the counts of another tally that are over every match."""
        self.faults += other.faults
        self.voids += other.voids
        self.measured += other.measured
        self.spent += other.spent


class Collection(NamedTuple):
    """The data of a table.

    matches: all of them
    tallies: by bot, the counts over every match
    """

    matches: Matches
    tallies: list[Tally]


class EventsData(msgspec.Struct, frozen=True, eq=False):
    """The data that a table needs of some events, in which bots still have the numbers
    that their events give them.

    matches: all of them.
    tallies: by event, by bot, the counts over every match.
    """

    matches: Matches
    tallies: dict[str, dict[int, Tally]]

    def end(self, bots: int, number: Callable[[str, int], int]) -> Collection:
        """Return the matches and the tallies of the bots of a table.

        bots: how many there are.
        number: returns, for an event and the number of a bot there, its number among
            ``bots``; any other number if it is none of them.
        """
        tallies = [Tally() for _ in range(bots)]
        for event, of_event in self.tallies.items():
            for bot, tally in of_event.items():
                if 0 <= (at := number(event, bot)) < bots:
                    tallies[at].add(tally)
        return Collection(self.matches, tallies)


def join_data(parts: Sequence[EventsData]) -> EventsData:
    """Return the data of parts that share no event and no deal, as if all results had
    been collected in this order.
    """
    tallies = {event: of_event for part in parts for event, of_event in part.tallies.items()}
    return EventsData(join_matches([part.matches for part in parts]), tallies)


class Collected:
    """A collector that takes the results of a pool one by one, and keeps the data that
    a table needs.

    matches: how many it took.
    """

    def __init__(self, results: Iterable[Result] = ()) -> None:
        self.matches = 0
        self._collector = MatchCollector()
        self._tallies: defaultdict[str, defaultdict[int, Tally]] = defaultdict(
            lambda: defaultdict(Tally)
        )
        for result in results:
            self.add(result)

    def add(self, match: Result) -> None:
        """Add a result. Raises ValueError like ``MatchCollector.add``."""
        self._collector.add(match)
        self.matches += 1
        of_event = self._tallies[match.event]
        if voids := match.voids - match.not_begun:
            for bot in set(match.bots):
                of_event[bot].voids += voids
        if not match.fault_free:
            for bot, faults in zip(match.bots, match.faults, strict=True):
                of_event[bot].faults.update(fault for fault, _ in faults)
        for bot, measured in zip(
            match.bots, match.measured, strict=False
        ):  # empty if nothing was measured
            mine = of_event[bot].measured
            mine.append(measured)
            if len(mine) >= _AT_ONCE:
                mine[:] = [total(mine)]
        for bot, spent in zip(match.bots, match.spent, strict=False):
            if spent is not None:
                of_event[bot].spent.append(spent)

    def data(self) -> EventsData:
        """Return what was collected; no more results can be added."""
        for tally in [tally for of_event in self._tallies.values() for tally in of_event.values()]:
            tally.measured = [total(tally.measured)]
        return EventsData(
            self._collector.end(),
            {event: {**of_event} for event, of_event in self._tallies.items()},
        )


def count_rated(tallies: Sequence[Tally], matches: Matches) -> None:
    """Add matches, seeds and finishes over the rated matches."""
    bots = len(tallies)
    seeds = [np.zeros(0, dtype=np.int64)]
    for table in matches.tables():
        count, seats = table.bots.shape
        sat = np.unique(
            np.arange(count)[:, None] * bots + table.bots
        )  # copies of a bot sit in one match
        for tally, often in zip(
            tallies, np.bincount(sat % bots, minlength=bots).tolist(), strict=True
        ):
            tally.matches += often
        seeds.append(np.unique(table.block[:, None] * bots + table.bots))
        finishes = np.bincount(
            (table.bots * (seats + 1) + table.ranks).ravel(), minlength=bots * (seats + 1)
        )
        for tally, places in zip(tallies, finishes.reshape(bots, seats + 1).tolist(), strict=True):
            tally.finishes.update({place: often for place, often in enumerate(places) if often})
    for tally, often in zip(
        tallies,
        np.bincount(np.unique(np.concatenate(seeds)) % bots, minlength=bots).tolist(),
        strict=True,
    ):
        tally.seeds += often
