"""How long decisions took, as a page shows it: by bot over a whole table, and at each step of a replay."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from khiva_arena.events.tables import PooledTable
from khiva_arena.page.data import PageTimes, Took
from khiva_arena.page.source import RecordedMatch
from khiva_arena.replay.definition import TimeLimits
from khiva_arena.store.db import EventRow
from khiva_arena.store.rows import SpentTime

PER_DECADE = 10
SHORTEST = 10
"""Microseconds: the bars begin here, and what is shorter is in the first one."""
_EDGES = np.array([round(SHORTEST * 10 ** (at / PER_DECADE)) for at in range(1, 8 * PER_DECADE)])
_WAITING = 4096
"""So many times are counted at once."""


class Spread:
    """Times in microseconds, held as how often each was measured: those of millions of decisions take the room of a few thousand.
    They are rounded to the three digits that a page shows; the middle one of rounded times is the middle one, rounded."""

    def __init__(self) -> None:
        self._waiting = array("q")
        self._often: Counter[float] = Counter()
        self._bars = np.zeros(len(_EDGES) + 1, dtype=np.int64)

    def extend(self, times: Iterable[int]) -> None:
        """Count some more."""
        self._waiting.extend(times)
        if len(self._waiting) >= _WAITING:
            self._count()

    def _count(self) -> None:
        times, often = np.unique(np.array(self._waiting, dtype=np.int64), return_counts=True)
        for time, count in zip(times.tolist(), often.tolist(), strict=True):
            self._often[_ms(time)] += count
        np.add.at(self._bars, np.searchsorted(_EDGES, times, side="right"), often)
        self._waiting = array("q")

    def percentiles(self, *percents: int) -> list[float]:
        """In milliseconds; there must be times. 100 is the longest."""
        self._count()
        shortest_first = sorted(self._often)
        upto = np.cumsum([self._often[one] for one in shortest_first])
        last = len(self) - 1
        places = [min(len(self) * percent // 100, last) for percent in percents]
        return [shortest_first[int(at)] for at in np.searchsorted(upto, places, side="right")]

    def bars(self) -> list[int]:
        """How many there are between each edge and the next, up to the longest."""
        self._count()
        return [int(often) for often in np.trim_zeros(self._bars, "b")]

    def __len__(self) -> int:
        return self._often.total() + len(self._waiting)


class DecisionTimes:
    """Collects the times of all decisions of some tables. ``may``: says of a bot, by its identity, whether they are shown."""

    def __init__(self, tables: Sequence[PooledTable], may: Callable[[str], bool]) -> None:
        self._table = {event.id: at for at, one in enumerate(tables) for event in one.events}
        self._may = may
        self._took: dict[tuple[int, str], Spread] = defaultdict(Spread)

    def add(self, event: EventRow, match: RecordedMatch) -> None:
        """Count a match; one whose times are not known counts for nothing, as does one of an event that is in no table."""
        table = self._table.get(event.id)
        if table is None:
            return
        for bot, times in zip(match.result.bots, match.times or (), strict=False):
            identity = event.bots[bot].identity
            if self._may(identity):
                self._took[table, identity].extend([one[1] for one in times])

    def of(self, table: int) -> list[PageTimes]:
        """Of a table, by bot; of bots whose times are not shown, or of which none is known, there is nothing."""
        return [_times(bot, took) for (number, bot), took in self._took.items() if number == table and took]


class RoundTrips:
    """Collects the ways to bots on other machines and back, as they were measured before each decision."""

    def __init__(self) -> None:
        self._took: dict[tuple[str, int], Spread] = defaultdict(Spread)

    def add(self, event: EventRow, match: RecordedMatch) -> None:
        """Count a match."""
        for bot, times in zip(match.result.bots, match.times or (), strict=False):
            if trips := [trip for _, _, *rest in times for trip in rest]:
                self._took[event.id, bot].extend(trips)

    def said(self, event: EventRow, bot: int) -> str:
        """Of a bot of an event, in words; "" if nothing is known."""
        trips = self._took.get((event.id, bot))
        if not trips:
            return ""
        median, most = trips.percentiles(50, 95)
        return f"round trip {median} ms, 95 % of them within {most} ms"


def _times(bot: str, took: Spread) -> PageTimes:
    median, p95, p99, slowest = took.percentiles(50, 95, 99, 100)
    decisions, bars = len(took), took.bars()
    return PageTimes(bot=bot, decisions=decisions, median_ms=median, p95_ms=p95, p99_ms=p99, slowest_ms=slowest, bars=bars)


def _ms(microseconds: int) -> float:
    """Three digits are enough to look at, and few bytes."""
    return float(f"{microseconds / 1000:.3g}")


def by_step(match: RecordedMatch, limits: TimeLimits, may: Sequence[bool]) -> list[dict[int, Took]]:
    """By seat, by step, how long it took, of the seats that may be shown; empty if there are none."""
    found = [_banked(times, limits) if shown else {} for times, shown in zip(match.times or (), may, strict=False)]
    return found if any(found) else []


def _banked(times: Sequence[SpentTime], limits: TimeLimits) -> dict[int, Took]:
    """Of one seat. What is left of a bank follows from the times, see ``Bank`` in arbiter/clock.py."""
    found: dict[int, Took] = {}
    left = limits.bank_ms * 1000
    for step, took, *_ in times:
        beyond = took - limits.turn_ms * 1000
        left = max(0, left - max(0, beyond))
        found[step] = [_ms(took), left // 1000] if beyond > 0 else _ms(took)
    return found
