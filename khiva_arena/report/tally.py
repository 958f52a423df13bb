"""What is counted of each bot, not estimated."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from khiva_arena.ratings.matches import MatchRow
from khiva_arena.result import Verdict


@dataclass(slots=True)
class Tally:
    """One bot; see ``standings.Standing`` for what each is."""

    matches: int = 0
    seeds: set[str] = field(default_factory=set)
    finishes: Counter[int] = field(default_factory=Counter)
    faults: Counter[Verdict] = field(default_factory=Counter)
    voids: int = 0
    cpu_s: float | None = None
    paused: int = 0
    caused: int = 0
    page_faults: int | None = None


def tally(rated: Iterable[MatchRow], every: Iterable[MatchRow]) -> defaultdict[str, Tally]:
    """By bot id: matches, seeds and finishes over what is rated, all else over every match."""
    by_bot: defaultdict[str, Tally] = defaultdict(Tally)
    for row in rated:
        for bot in set(row.bots):
            mine = by_bot[bot]
            mine.matches += 1
            mine.seeds.add(row.seed)
        for bot, rank in zip(row.bots, row.ranks, strict=True):
            by_bot[bot].finishes[rank] += 1
    for row in every:
        if row.voids:
            for bot in set(row.bots):
                by_bot[bot].voids += row.voids
        if not row.fault_free:
            for bot, faults in zip(row.bots, row.faults, strict=False):  # empty where there is nothing to say
                by_bot[bot].faults.update(faults)
        for bot, cpu_s in zip(row.bots, row.cpu_s, strict=False):
            if cpu_s is not None:
                mine = by_bot[bot]
                mine.cpu_s = (mine.cpu_s or 0.0) + cpu_s
        for bot, caused in zip(row.bots, row.caused, strict=False):
            by_bot[bot].caused += caused
        for bot, read in zip(row.bots, row.page_faults, strict=False):
            if read is not None:
                mine = by_bot[bot]
                mine.page_faults = (mine.page_faults or 0) + read
        if any(row.paused):
            for bot, paused in zip(row.bots, row.paused, strict=False):
                by_bot[bot].paused += paused
    return by_bot
