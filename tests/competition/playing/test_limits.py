"""A limit of an event: tables begin in the order of the schedule, up to the first one
refused, and each attempt is counted.
"""

from pathlib import Path

import pytest
from arena import arena, bots
from stores import GREEDY, NAIVE, RANDOM

from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.playing.limits import TablePlace
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow


class Tables:
    """A limit that lets so many tables begin in each pass. ``asked``, ``noted``: the
    tables that were.
    """

    ended = ""

    def __init__(self, most: int) -> None:
        self.most, self.left = most, most
        self.asked, self.noted = list[tuple[TablePlace, int]](), list[TablePlace]()
        self.recorded = -1
        self.dear: TablePlace | None = None

    def may_begin(self, table: TablePlace, matches: int) -> bool:
        self.asked.append((table, matches))
        self.left -= 1
        return self.left >= 0

    def still_may_begin(self, table: TablePlace) -> bool:
        return table != self.dear

    def note(self, table: TablePlace, outcome: Outcome) -> None:
        self.noted.append(table)

    def goes_on(self) -> bool:
        self.left = self.most
        return True

    def end(self, recorded: int) -> None:
        self.recorded = recorded


@pytest.mark.parametrize("whole_tables", [False, True])
def test_tables_begin_in_their_order_up_to_the_first_that_is_refused(
    whole_tables: bool, tmp_path: Path
) -> None:
    how = ("--seats", "2", "--seeds", "2", "--isolation", "trusted", "--out", "out", "--commit")
    arena("run", *bots(RANDOM, NAIVE, GREEDY), *how, cwd=tmp_path)
    with Store.write(tmp_path / "out") as store:
        (event,) = store.events()
        play = Play(store, event, [Command((name,), "/") for name in ("a", "b", "c")])
        play.limit = limit = Tables(4)
        (draw,) = [play.timetable.round(0)]
        assert draw is not None
        assert not play.set_aside
        jobs = (
            [job for table in play.tables(draw) for job in table]
            if whole_tables
            else [*play.jobs(draw)]
        )
        assert sorted(job.ordinal for job in jobs) == list(range(8)), "two matches of each"
        assert limit.asked == [((0, 0), 2), ((0, 1), 2), ((0, 2), 2), ((1, 0), 2), ((1, 1), 2)]
        if not whole_tables:
            limit.dear = (0, 1)
            assert [job.ordinal for job in jobs if not play.is_wanted(job)] == [2, 3], (
                "with its second match"
            )
            limit.dear = None
        # A table that was set aside is not asked for again, and the next pass begins
        # behind it.
        rows = play.record(void(jobs[0], "a test"), last=True)
        assert len(rows) == 1
        assert limit.noted == [(0, 0)]
        assert play.goes_on()
        limit.asked.clear()
        again = (
            [job for table in play.tables(draw) for job in table]
            if whole_tables
            else [*play.jobs(draw)]
        )
        assert sorted(job.ordinal for job in again) == list(range(2, 10))
        assert limit.asked[0] == ((0, 1), 2)
        play.end()
        assert limit.recorded == 0
        play.limit = None
        assert not play.goes_on()
