"""What is counted of each bot, not estimated."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from khiva_arena.ratings.matches import MatchRow, Measured
from khiva_arena.result import Verdict


@dataclass(slots=True)
class Tally:
    """One bot.

    matches, seeds: rated ones that it sat in.
    finishes: how often it came where in those, by place.
    faults: how often it made which, in every match.
    voids: attempts at its matches that were void.
    measured: of each of its seats in every match.
    """

    matches: int = 0
    seeds: set[str] = field(default_factory=set)
    finishes: Counter[int] = field(default_factory=Counter)
    faults: Counter[Verdict] = field(default_factory=Counter)
    voids: int = 0
    measured: list[Measured] = field(default_factory=list)


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
            for bot, faults in zip(row.bots, row.faults, strict=True):
                by_bot[bot].faults.update(faults)
        for bot, measured in zip(row.bots, row.measured, strict=False):  # empty if nothing was measured
            by_bot[bot].measured.append(measured)
    return by_bot
