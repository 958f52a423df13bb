"""Durations of the matches that a store has, and forecasts for more matches from
them.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from math import ceil, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from khiva_arena.common.time_in_words import in_time
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow, Store

_SURE = 2.0  # standard errors: about 95 %
LOAD = 0.25
"""The share of its mean by which a match may take more or less because of the machine's
load. No interval knows the load, so each is as much wider.
"""
AROUND = 1.2  # times as long as its matches last is a place taken; if nothing says more
_LONG_ENOUGH = 10.0  # seconds, since the ends of matches are recorded in whole ones
_PAUSE = (
    60.0  # seconds without an end of a match: nothing was played meanwhile, or matches are as long
)
_ALIKE = ("game", "rules", "seats", "time", "policy", "isolation", "limits", "ponder", "clock")


class MatchTime(NamedTuple):
    """The mean duration of a match with its surroundings: processes start and end,
    results are written.

    seconds: of one match, in the mean.
    error: half width of the 95 % interval of that mean for an equal load of the
        machine; None for fewer than two matches.
    source: the matches it comes from, in words.
    """

    seconds: float
    error: float | None
    source: str

    def of(self, matches: int, jobs: int) -> str:
        """Return in words how long ``matches`` will take, ``jobs`` at a time."""
        about, low, high = (
            in_time(seconds * matches / jobs) for seconds in (self.seconds, self.low, self.high)
        )
        return f"about {about} ({low} to {high} if the load of the machine stays within a quarter)"

    @property
    def low(self) -> float:
        """The least mean seconds of a match that can be foreseen."""
        return max(0.0, self.seconds - (self.error or 0.0)) * (1 - LOAD)

    @property
    def high(self) -> float:
        """The most mean seconds of a match that can be foreseen. A single match does
        not say how much others differ: half as long again is assumed.
        """
        return (self.seconds + (self.seconds / 2 if self.error is None else self.error)) * (
            1 + LOAD
        )

    def at_least(self, matches: int, jobs: int) -> str:
        """Return in words the lower end for ``matches``, ``jobs`` at a time, for
        durations that leave something out.
        """
        return in_time(self.low * matches / jobs)


def mean_time(seconds: Sequence[float], source: str, around: float = 1.0) -> MatchTime | None:
    """Return the mean of these durations, None without any. ``around``: the factor for
    a match with its surroundings.
    """
    if not seconds:
        return None
    error = around * _SURE * stdev(seconds) / sqrt(len(seconds)) if len(seconds) > 1 else None
    return MatchTime(around * fmean(seconds), error, source)


def around_matches(seconds: Sequence[float], ends: Sequence[str]) -> float:
    """Return the factor by which a place was taken longer than its matches lasted.

    seconds: the durations of an event's matches.
    ends: when each of them ended.

    The number of places is not recorded: the fewest that could have held so many
    matches is assumed. Pauses are left out.
    """
    if not seconds:
        return AROUND
    moments = sorted(map(datetime.fromisoformat, ends))
    gaps = [(after - before).total_seconds() for before, after in pairwise(moments)]
    playing_gaps = [gap for gap in gaps if gap <= max(_PAUSE, 10 * max(seconds))]
    if sum(playing_gaps) < _LONG_ENOUGH:
        return AROUND
    at_once = fmean(seconds) * len(playing_gaps) / sum(playing_gaps)
    places = max(
        1, ceil(at_once - 1 / sum(playing_gaps))
    )  # a second is lost where ends are rounded
    return min(2.0, max(1.0, places / at_once))


def of_store(store: Store, definition: Definition) -> MatchTime | None:
    """Return how long matches of a definition take, None if the store has none that
    compare.

    Only events count that were played under the same conditions, by at least half of
    the definition's bots.
    """
    seconds: list[float] = []
    events: list[EventRow] = []
    around = 0.0
    for event in store.events():
        if alike(event.definition, definition) and (durations := store.seconds(event.id)):
            seconds += durations
            around += len(durations) * around_matches(durations, store.ends(event.id))
            events.append(event)
    numbers = ", ".join(str(event.number) for event in events)
    source = (
        f"{len(seconds):,} matches of event{'s' if len(events) > 1 else ''} {numbers} in this store"
    )
    return mean_time(seconds, source, around / max(1, len(seconds)))


def alike(one: Definition, other: Definition) -> bool:
    """Tell whether matches of one definition take about as long as those of the
    other.
    """
    same = {bot.name for bot in one.bots} & {bot.name for bot in other.bots}
    return 2 * len(same) >= len(other.bots) and all(
        getattr(one, name) == getattr(other, name) for name in _ALIKE
    )
