"""A budget's trial plays no match after its time is up."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from khiva_arena.arbiter.match import Job
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import TRUSTING
from khiva_arena.competition.playing.executor import LocalExecutor, TriedTimes
from khiva_arena.competition.run import budget_try
from khiva_arena.competition.run.budget_try import Trial
from khiva_arena.competition.settings.define import definition_of
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.entrants.bots import load

NAMES = ("shipped:python/random", "shipped:python/naive", "shipped:python/greedy")


class Slow:
    """An executor of which each match takes longer than the trial may. ``played``: the
    ordinals of the matches of each table.
    ``deals``: their secrets.
    """

    trial_words = LocalExecutor.trial_words
    at_a_time = 1

    def __init__(self, clock: list[float], *, whole_tables: bool) -> None:
        self.whole_tables, self.played, self.deals = whole_tables, list[list[int]](), set[bytes]()
        self._clock = clock

    def try_tables(
        self, tables: Iterable[tuple[Job, ...]], take: Any, *, is_trial: bool = False
    ) -> TriedTimes:
        for table in tables:
            self.played.append([job.ordinal for job in table])
            self.deals.update(job.secret for job in table)
            for _ in table:
                self._clock[0] += 1_000
                take(SimpleNamespace(seconds=1_000.0))
        return TriedTimes([1_000.0, 1_000.0], 1.0)


@pytest.mark.parametrize(
    ("whole_tables", "played"), [(False, 1), (True, 3)], ids=["matches", "whole tables"]
)
def test_a_trial_ends_with_the_match_or_table_in_which_its_time_is_up(
    whole_tables: bool, played: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(budget_try.time, "monotonic", lambda: clock[0])
    definition = definition_of(
        settings_from({"bots": NAMES, "seats": 3}), [load(name) for name in NAMES], TRUSTING
    )
    executor: Any = Slow(clock, whole_tables=whole_tables)
    commands = [Command((name,), "/") for name in NAMES]
    Trial(definition, TRUSTING, 60.0, lambda _text, *, warning=False: None).measure(
        executor, commands
    )
    assert [len(table) for table in executor.played] == [played]
    assert len(executor.deals) == played, (
        "matches on one deal would wait for each other, and be read ahead of the time"
    )
