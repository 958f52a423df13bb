"""What is counted of each bot, not estimated."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from khiva_arena.result import Measured, Result


@dataclass(slots=True)
class Tally:
    """One bot.

    matches, seeds: rated ones that it sat in.
    finishes: by place, how often it came in there in those.
    faults: how often it made which, in every match.
    voids: attempts at its matches that were void.
    measured: of each of its seats in every match.
    """

    matches: int = 0
    seeds: set[str] = field(default_factory=set)
    finishes: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    voids: int = 0
    measured: list[Measured] = field(default_factory=list)


def tally(rated: Iterable[Result], every: Iterable[Result]) -> defaultdict[int, Tally]:
    """By bot: matches, seeds and finishes over what is rated, all else over every match."""
    by_bot: defaultdict[int, Tally] = defaultdict(Tally)
    for match in rated:
        for bot in set(match.bots):
            mine = by_bot[bot]
            mine.matches += 1
            mine.seeds.add(match.block)
        for bot, rank in zip(match.bots, match.ranks, strict=True):
            by_bot[bot].finishes[rank] += 1
    for match in every:
        if match.voids:
            for bot in set(match.bots):
                by_bot[bot].voids += match.voids
        if not match.fault_free:
            for bot, faults in zip(match.bots, match.faults, strict=True):
                by_bot[bot].faults.update(fault for fault, _ in faults)
        for bot, measured in zip(match.bots, match.measured, strict=False):  # empty if nothing was measured
            by_bot[bot].measured.append(measured)
    return by_bot
