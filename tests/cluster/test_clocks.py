"""A worker whose clock runs at another rate than ours, stands still or is set is refused, and nothing of it is recorded."""

import re
from pathlib import Path
from typing import Any

import pytest
from arena import NAIVE, RANDOM, arena, arena_process, bots
from dask_cluster import dask_cluster
from hypothesis import given
from hypothesis import strategies as st
from made_up_workers import crew, worker
from waiting import until
from wording import pattern, sentence

from khiva_arena.cluster import clocks
from khiva_arena.cluster.clocks import LEAST, SHARE, WINDOW_SECONDS, ClockReading, runs_fast, runs_slow
from khiva_arena.cluster.messages import TaskDone
from khiva_arena.cluster.workers import RecruitStage

HALF = """import sys, time
if any(word.endswith("dask_worker") for word in sys.orig_argv):
    right = time.clock_gettime
    began = right(time.CLOCK_BOOTTIME)
    time.clock_gettime = lambda clock: began + (right(clock) - began) / 2 if clock == time.CLOCK_BOOTTIME else right(clock)
"""
waits = st.floats(0, 100)


def readings(way_there: float, work: float, way_back: float, pause: float, rate: float, at: float = 0.0) -> list[ClockReading]:
    """Two tasks in a row on a worker whose clock runs at a rate of ours."""
    made = []
    for _ in range(2):
        sent, began = at, at + way_there
        ended, at = began + work, began + work + way_back
        made.append(ClockReading(sent, at, 7 + began * rate, 7 + ended * rate, 1e9 + ended * rate))
        at += pause
    return made


@given(waits, waits, waits, waits, st.floats(1 - SHARE / 2, 1 + SHARE / 2))
def test_no_delay_makes_a_right_clock_wrong(there: float, work: float, back: float, pause: float, rate: float) -> None:
    first, last = readings(there, work, back, pause, rate)
    for one, other in ((first, first), (last, last), (first, last)):
        assert (runs_fast(one, other), runs_slow(one, other)) == ("", "")


@given(waits, waits, waits, st.floats(0.1, 0.7))
def test_a_slow_clock_shows_as_soon_as_enough_has_passed_between_two_answers(
    there: float, work: float, back: float, rate: float
) -> None:
    # What the clock counts spans both tasks; what has passed for sure is the pause between them.
    pause = (LEAST + 2 * (there + work + back) + 0.1) / (1 - SHARE - rate) * 1.01
    first, last = readings(there, work, back, pause, rate)
    assert sentence("cluster", "clock-runs-slow-stood-2") in runs_slow(first, last)


def test_a_fast_clock_shows_at_the_first_answer() -> None:
    first, _ = readings(0.1, 10.0, 0.1, 0.0, 1.2)
    assert runs_fast(first, first) == sentence("cluster", "clock-runs-fast-counted", counted="12.0", most="10.2")


def test_a_time_of_day_that_is_set_shows() -> None:
    first, last = readings(0.1, 1.0, 0.1, 1.0, 1.0)
    assert runs_slow(first, last._replace(day=last.day - 3600)) == sentence("cluster", "time-day-set-s", jump="-3,600")
    assert runs_slow(first, last._replace(day=last.day + 30)) == ""


def of_two_answers(counted: float, passed: float, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[str]]:
    """A worker that answered, and once more after so much time, by its clock and by ours; and what is wrong with it."""
    made = crew(worker("slow"))
    one = made.workers["slow"]
    wrong = []
    for at, ours in ((100.0, 0.0), (100.0 + counted, passed)):
        monkeypatch.setattr(clocks, "now", lambda ours=ours: ours + 0.2)
        wrong.append(made.wrong_clock(one, TaskDone([], "", 0.1, at, at), ours, 50.0))
    return made, wrong


def test_a_machine_that_stood_still_gets_a_second_chance_and_no_third(monkeypatch: pytest.MonkeyPatch) -> None:
    made, wrong = of_two_answers(5.0, 30.0, monkeypatch)
    one = made.workers["slow"]
    assert wrong == ["", sentence("cluster", "clock-runs-slow-stood-3", counted="5.1", least="29.8")]
    assert one.again_at is not None
    assert made.wrong_clock(one, TaskDone([], "", 0.1, 105.0, 105.0), 30.0, 50.0)  # of another of its tables
    assert one.slow_clocks == 1
    one.stage = RecruitStage.READY
    assert made.wrong_clock(one, TaskDone([], "", 0.1, 106.0, 106.0), 60.0, 80.0)
    assert made.hopeless()


def test_a_clock_that_ran_right_for_hours_does_not_hide_that_it_no_longer_does(monkeypatch: pytest.MonkeyPatch) -> None:
    made, wrong = of_two_answers(WINDOW_SECONDS * 100, WINDOW_SECONDS * 100, monkeypatch)
    assert wrong == ["", ""]
    at, ours = 100.0 + WINDOW_SECONDS * 100 + 2, WINDOW_SECONDS * 100 + 4
    monkeypatch.setattr(clocks, "now", lambda: ours + 0.2)
    assert "runs slow" in made.wrong_clock(made.workers["slow"], TaskDone([], "", 0.1, at, at), ours, 50.0)


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_a_worker_at_half_speed_is_refused_and_what_it_played_is_played_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "half").mkdir()
    (tmp_path / "half/sitecustomize.py").write_text(HALF)
    words = ["run", *bots(RANDOM, NAIVE), "--seats", "2", "--seeds", "24", "--seed", "equal"]
    here = arena(*words, "--out", "here", cwd=tmp_path)
    with dask_cluster() as cluster:
        cluster.start_worker("half", PYTHONPATH=str(tmp_path / "half"))
        cluster.start_worker("ann")
        assert until(lambda: all("Registered to" in cluster.log(name) for name in ("half", "ann")))
        there = arena_process(*words, "--out", "there", *cluster.flags, cwd=tmp_path)
    line = "warning: worker half is refused: " + pattern("cluster", "clock-runs-slow-stood", counted=r"[\d.]+", least=r"[\d.]+")
    assert re.search(line, there.stderr), there.stderr
    assert "worker ann is refused" not in there.stderr
    digest = re.findall("run digest ([0-9a-f]{64})", here.stderr)
    assert re.findall("run digest ([0-9a-f]{64})", there.stderr) == digest != []
