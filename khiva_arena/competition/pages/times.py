"""Durations of decisions, as a page shows them: by bot over a table, and at each step
of a replay.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from khiva_arena.common.result import Verdict
from khiva_arena.common.text import harmless
from khiva_arena.common.time_in_words import in_time
from khiva_arena.competition.events.pool_tables import PooledTable
from khiva_arena.competition.pages.page_source import RecordedMatch
from khiva_arena.display.page.data import PageTimes, Took
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.records.store.db import EventRow
from khiva_arena.records.store.rows import SpentTime

PER_DECADE = 10
SHORTEST = 10
"""The microseconds at which the bars begin; shorter times are in the first bar."""
_EDGES = np.array([round(SHORTEST * 10 ** (at / PER_DECADE)) for at in range(1, 8 * PER_DECADE)])
_WAITING = 4096
"""The number of times that are counted at once."""


class Spread:
    """Times in microseconds, held as how often each was measured.

    So the times of millions of decisions take the room of a few thousand. They are
    rounded to the three digits that a page shows. The median of rounded times is the
    median, rounded.
    """

    def __init__(self) -> None:
        self._waiting = array("q")
        self._often: Counter[float] = Counter()
        self._bars = np.zeros(len(_EDGES) + 1, dtype=np.int64)

    def extend(self, times: Iterable[int]) -> None:
        """Count more times."""
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
        """Return these percentiles in milliseconds; there must be times. 100 is the
        longest.
        """
        self._count()
        shortest_first = sorted(self._often)
        upto = np.cumsum([self._often[place] for place in shortest_first])
        last = len(self) - 1
        places = [min(len(self) * percent // 100, last) for percent in percents]
        return [shortest_first[int(at)] for at in np.searchsorted(upto, places, side="right")]

    def bars(self) -> list[int]:
        """Return the number of times between each edge and the next, up to the
        longest.
        """
        self._count()
        return [int(often) for often in np.trim_zeros(self._bars, "b")]

    def __len__(self) -> int:
        return self._often.total() + len(self._waiting)


class DecisionTimes:
    """The times of all decisions of some tables. ``may``: tells by a bot's identity
    whether its times are shown.
    """

    def __init__(self, tables: Sequence[PooledTable], may: Callable[[str], bool]) -> None:
        self._table = {event.id: at for at, table in enumerate(tables) for event in table.events}
        self._may = may
        self._took: dict[tuple[int, str], Spread] = defaultdict(Spread)

    def add(self, event: EventRow, match: RecordedMatch) -> None:
        """Count a match. A match whose times are not known, or whose event is in no
        table, counts for nothing.
        """
        table = self._table.get(event.id)
        if table is None:
            return
        for bot, times in zip(match.result.bots, match.times or (), strict=False):
            identity = event.bots[bot].identity
            if self._may(identity):
                self._took[table, identity].extend([spent[1] for spent in times])

    def of(self, table: int) -> list[PageTimes]:
        """Return the decision times of a table by bot; bots without known or visible
        times are absent.
        """
        return [
            _times(bot, took)
            for (number, bot), took in self._took.items()
            if number == table and took
        ]


class _BotCosts:
    """The microseconds of a bot's decisions: of all, and of those that it was late
    with. ``name``: of the bot.
    """

    def __init__(self, name: str) -> None:
        self.name, self.all, self.late = name, 0, 0


class FaultCosts:
    """The time that bots' time-outs took from some tables. ``may``: tells by a bot's
    identity whether its times are shown.
    """

    def __init__(self, tables: Sequence[PooledTable], may: Callable[[str], bool]) -> None:
        self._table = {event.id: at for at, table in enumerate(tables) for event in table.events}
        self._may = may
        self._seconds: defaultdict[int, float] = defaultdict(float)
        self._bots: dict[tuple[int, str], _BotCosts] = {}

    def add(self, event: EventRow, match: RecordedMatch) -> None:
        """Count a match. In ticks the times of decisions are no part of the time that a
        match takes.
        """
        table = self._table.get(event.id)
        if table is None or match.seconds is None or event.definition.in_ticks:
            return
        self._seconds[table] += match.seconds
        for bot, faults, times in zip(
            match.result.bots, match.result.faults, match.times or (), strict=False
        ):
            who = event.bots[bot]
            if self._may(who.identity):
                costs = self._bots.setdefault((table, who.identity), _BotCosts(who.name))
                late = {step for fault, step in faults if fault == Verdict.TIMEOUT}
                costs.all += sum(spent[1] for spent in times)
                costs.late += sum(spent[1] for spent in times if spent[0] in late)

    def of(self, table: int) -> list[str]:
        """Return a line for each bot of a table with time-outs, the most expensive
        first.
        """
        late = [
            costs for (number, _), costs in self._bots.items() if number == table and costs.late
        ]
        late.sort(key=lambda costs: -costs.late)
        return [
            harmless(
                f"Time-outs of {costs.name} took {in_time(costs.late / 1e6)}, and all its "
                f"decisions {in_time(costs.all / 1e6)}; "
                f"all matches took {in_time(self._seconds[table])}."
            )
            for costs in late
        ]


class RoundTrips:
    """The round trips to bots on other machines, as they were measured before each
    decision.
    """

    def __init__(self) -> None:
        self._took: dict[tuple[str, int], Spread] = defaultdict(Spread)

    def add(self, event: EventRow, match: RecordedMatch) -> None:
        """Count a match."""
        for bot, times in zip(match.result.bots, match.times or (), strict=False):
            if trips := [trip for _, _, *trips_of_step in times for trip in trips_of_step]:
                self._took[event.id, bot].extend(trips)

    def in_words(self, event: EventRow, bot: int) -> str:
        """Return in words the round trips of a bot of an event; "" if none are
        known.
        """
        trips = self._took.get((event.id, bot))
        if not trips:
            return ""
        median, high = trips.percentiles(50, 95)
        return f"round trip {median} ms, 95 % of them within {high} ms"


def _times(bot: str, took: Spread) -> PageTimes:
    median, p95, p99, slowest = took.percentiles(50, 95, 99, 100)
    decisions, bars = len(took), took.bars()
    return PageTimes(
        bot=bot,
        decisions=decisions,
        median_ms=median,
        p95_ms=p95,
        p99_ms=p99,
        slowest_ms=slowest,
        bars=bars,
    )


def _ms(microseconds: int) -> float:
    """Return milliseconds in three digits: enough to look at, and few bytes."""
    return float(f"{microseconds / 1000:.3g}")


def by_step(match: RecordedMatch, limits: TimeLimits, may: Sequence[bool]) -> list[dict[int, Took]]:
    """Return by seat, by step, the time of each decision, {} for a seat that may not be
    shown; [] if there is nothing to show.
    """
    by_seat = [
        _banked(times, limits) if visible else {}
        for times, visible in zip(match.times or (), may, strict=False)
    ]
    return by_seat if any(by_seat) else []


def _banked(times: Sequence[SpentTime], limits: TimeLimits) -> dict[int, Took]:
    """Return the times of one seat by step. The rest of a bank follows from the times,
    see ``Bank`` in arbiter/clock.py.
    """
    by_step: dict[int, Took] = {}
    bank = limits.bank_ms * 1000
    for step, took, *_ in times:
        beyond = took - limits.turn_ms * 1000
        bank = max(0, bank - max(0, beyond))
        by_step[step] = [_ms(took), bank // 1000] if beyond > 0 else _ms(took)
    return by_step
