"""How long decisions took, as a page shows it: by bot over a whole table, and at each step of a replay."""

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence

from khiva_arena.competition.page_source import RecordedMatch
from khiva_arena.competition.tables import PooledTable
from khiva_arena.replay.definition import TimeLimits
from khiva_arena.report.page_data import PageTimes, Took
from khiva_arena.store.db import EventRow
from khiva_arena.store.rows import SpentTime

PER_DECADE = 10
SHORTEST = 10
"""Microseconds: the bars begin here, and what is shorter is in the first one."""
_EDGES = [round(SHORTEST * 10 ** (at / PER_DECADE)) for at in range(1, 8 * PER_DECADE)]


class DecisionTimes:
    """Collects the times of all decisions of some tables. ``may``: says of a bot, by its identity, whether they are shown."""

    def __init__(self, tables: Sequence[PooledTable], may: Callable[[str], bool]) -> None:
        self._table = {event.id: at for at, one in enumerate(tables) for event in one.events}
        self._may = may
        self._took: dict[tuple[int, str], array[int]] = defaultdict(lambda: array("Q"))

    def add(self, event: EventRow, match: RecordedMatch) -> None:
        """Count a match; one whose times are not known counts for nothing."""
        for bot, times in zip(match.result.bots, match.times or (), strict=False):
            identity = event.bots[bot].identity
            if self._may(identity):
                self._took[self._table[event.id], identity].extend([one[1] for one in times])

    def of(self, table: int) -> list[PageTimes]:
        """Of a table, by bot; of bots whose times are not shown, or of which none is known, there is nothing."""
        return [_times(bot, sorted(took)) for (number, bot), took in self._took.items() if number == table and took]


class RoundTrips:
    """Collects the ways to bots on other machines and back, as they were measured before each decision."""

    def __init__(self) -> None:
        self._took: dict[tuple[str, int], array[int]] = defaultdict(lambda: array("Q"))

    def add(self, event: EventRow, match: RecordedMatch) -> None:
        """Count a match."""
        for bot, times in zip(match.result.bots, match.times or (), strict=False):
            if trips := [trip for _, _, *rest in times for trip in rest]:
                self._took[event.id, bot].extend(trips)

    def said(self, event: EventRow, bot: int) -> str:
        """Of a bot of an event, in words; "" if nothing is known."""
        trips = sorted(self._took.get((event.id, bot), ()))
        if not trips:
            return ""
        return f"round trip {_ms(trips[len(trips) // 2])} ms, 95 % of them within {_ms(trips[len(trips) * 95 // 100])} ms"


def _times(bot: str, took: Sequence[int]) -> PageTimes:
    counts = [0] * (len(_EDGES) + 1)
    for one in took:
        counts[bisect_right(_EDGES, one)] += 1
    last = max(at for at, often in enumerate(counts) if often)
    return PageTimes(
        bot=bot,
        decisions=len(took),
        median_ms=_ms(took[len(took) // 2]),
        p95_ms=_ms(took[len(took) * 95 // 100]),
        p99_ms=_ms(took[len(took) * 99 // 100]),
        slowest_ms=_ms(took[-1]),
        bars=counts[: last + 1],
    )


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
