"""A comparison of two bots as an event: its settings, and the answer that its rows
give.

It is a sequential test by another rule (``rating.ratings.comparison``), and is played,
stored and resumed as one.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from khiva_arena.common.result import Comparison
from khiva_arena.competition.events.durations import around_matches
from khiva_arena.competition.events.forfeits import forfeits
from khiva_arena.competition.events.results import of_row
from khiva_arena.competition.events.stored import stored_event, timetable_of
from khiva_arena.competition.playing.sequential import so_far
from khiva_arena.competition.settings.competition import CompetitionParts, playable
from khiva_arena.competition.settings.settings import Settings, settings_from
from khiva_arena.competition.settings.table import TEST_SEEDS
from khiva_arena.entrants.bots import Bot
from khiva_arena.rating.ratings.comparison import ComparisonTest
from khiva_arena.rating.report.comparison import ComparedTables, FaultsSeen, tables_of
from khiva_arena.records.store.db import Store

ERROR, SHARPEST = 0.05, 8
"""At most how often a whole comparison of equal bots says better or worse, and the
seeds by which its looks are tuned.
"""
OUT = "results/compare"


def comparison_settings(values: Mapping[str, Any], seats: int, parts: int) -> Settings:
    """Return the settings of a comparison, as ``comparison_of`` takes them. Raises
    ConfigError with every mistake.
    """
    rule = Comparison(ERROR / parts, SHARPEST)
    return settings_from(
        {"out": OUT, **values, "seats": seats, "seeds": TEST_SEEDS}, comparison=rule
    )


def comparison_of(
    values: Mapping[str, Any], seats: int, parts: int, entrants: Sequence[Bot]
) -> CompetitionParts:
    """Return the settings of a comparison at a number of seats, and its bots.

    values: settings, with the two bots first and those against which they play after
        them.
    parts: how many comparisons share the errors that all together may make.

    Raises ConfigError with every mistake.
    """
    settings = comparison_settings(values, seats, parts)
    if len(entrants) > 2:
        settings = replace(settings, candidates=tuple(bot.name for bot in entrants[:2]))
    return playable((settings,), list(entrants))


def answer_of(folder: Path, event: str, at_a_time: int) -> ComparedTables:
    """Return the answer of a comparison's event, as it stands. ``at_a_time``:
    matches.
    """
    with Store.read(folder) as store:
        row = stored_event(store, event)
        timetable = timetable_of(store, row)
        test, seeds = so_far(row, timetable, (of_row(row, match) for match in store.matches(event)))
        assert isinstance(test, ComparisonTest)
        last = seeds * test.matches - 1
        forfeited = forfeits(store, event)[row.definition.candidate]
        faults = [0] * len(row.bots)
        for match in store.matches(event, 0, last, beside=()):
            for seat in match.seats:
                faults[seat.bot] += len(seat.faults)
        seconds = store.seconds(event)[: last + 1]
        around = around_matches(seconds, store.ends(event)[: last + 1])
        is_over = store.conclusion(event) is not None and not row.closed
    of_all = sum(seconds) * around / at_a_time
    return tables_of(
        test,
        row.id,
        timetable.seats,
        of_all,
        FaultsSeen(faults[0], faults[1], forfeited),
        is_over=is_over,
    )
