"""How long matches take, from those that a store has, and so how long more of them will."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from khiva_arena.replay.definition import Definition
from khiva_arena.store.db import EventRow, Store

_SURE = 2.0  # standard errors: about 95 %
_ALIKE = ("game", "rules", "seats", "time", "policy", "isolation", "limits", "ponder")


class MatchTime(NamedTuple):
    """How long matches took.

    seconds: of one, in the mean.
    error: half width of the 95 % interval of that; None for fewer than two.
    source: which matches those are, in words.
    """

    seconds: float
    error: float | None
    source: str

    def of(self, matches: int, jobs: int) -> str:
        """How long so many will take, so many at a time, in words."""
        all_of = self.seconds * matches / jobs
        if self.error is None:
            return f"about {in_words(all_of)} (95 %: n/a)"
        beyond = self.error * matches / jobs
        return f"about {in_words(all_of)} (95 %: {in_words(max(0.0, all_of - beyond))} to {in_words(all_of + beyond)})"

    def at_least(self, matches: int, jobs: int) -> str:
        """How long so many will take if these durations leave something out: the lower end, in words."""
        return in_words(max(0.0, self.seconds - (self.error or 0.0)) * matches / jobs)


def measured(seconds: Sequence[float], source: str) -> MatchTime | None:
    """What these durations say; None without any."""
    if not seconds:
        return None
    error = _SURE * stdev(seconds) / sqrt(len(seconds)) if len(seconds) > 1 else None
    return MatchTime(fmean(seconds), error, source)


def of_store(store: Store, definition: Definition) -> MatchTime | None:
    """How long matches of a definition take, from those of its events in which at least half of its bots played under the same
    conditions; None if there are none."""
    seconds: list[float] = []
    used: list[EventRow] = []
    for event in store.events():
        if alike(event.definition, definition) and (found := store.seconds(event.id)):
            seconds += found
            used.append(event)
    numbers = ", ".join(str(event.number) for event in used)
    return measured(seconds, f"{len(seconds):,} matches of event{'s' if len(used) > 1 else ''} {numbers} in this store")


def alike(one: Definition, other: Definition) -> bool:
    """Whether matches of the one take about as long as those of the other."""
    same = {bot.name for bot in one.bots} & {bot.name for bot in other.bots}
    return 2 * len(same) >= len(other.bots) and all(getattr(one, name) == getattr(other, name) for name in _ALIKE)


def in_words(seconds: float) -> str:
    """ "40 s", "12 min", "3 h 20 min", "2 d 5 h"."""
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h" + (f" {minutes % 60} min" if minutes % 60 else "")
    return f"{minutes // 1440} d {minutes % 1440 // 60} h"
