"""What workers are asked before a run: which bots they cannot start, how long matches
take, how many they play at a time.
"""

import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from arena import C_GREEDY, C, arena, arena_process, bots, wait_for_matches
from dask_cluster import DaskCluster
from made_up_workers import GOOD, crew, worker
from trial_bots import ILLEGAL, write
from waiting import PATIENCE
from wording import pattern, sentence

from khiva_arena.bots.sandbox.level import TRUSTING
from khiva_arena.competition.events.durations import MatchTime
from khiva_arena.competition.playing.starts import Entrants
from khiva_arena.competition.run.announcing import _estimate
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.extensions.cluster.access import Access
from khiva_arena.extensions.cluster.workers import RecruitStage
from khiva_arena.records.store import trial_results
from khiva_arena.records.store.db import Store

CRASHES = 'name = "crash"\nrun = "{python} main.py"\nfiles = ["main.py"]\n'
NOT_BUILT = (
    'name = "unbuilt"\nbuild = "{python} no.py"\nrun = "{python} main.py"\nfiles = ["main.py"]\n'
)


def broken_bots(folder: Path) -> None:
    for name, manifest in (("crash", CRASHES), ("unbuilt", NOT_BUILT)):
        (folder / name).mkdir()
        (folder / name / "bot.toml").write_text(manifest)
        (folder / name / "main.py").write_text("raise SystemExit(4)\n")


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_bots_that_start_on_no_worker_are_left_out_as_on_one_machine(
    cluster: DaskCluster, tmp_path: Path
) -> None:
    broken_bots(tmp_path)
    words = [
        "run",
        *bots(C, C_GREEDY, "crash", "unbuilt", "none"),
        "--skip-broken",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--seed",
        "x",
    ]
    here = arena(*words, "--out", "here", cwd=tmp_path)
    there = arena_process(*words, "--out", "there", *cluster.flags, cwd=tmp_path)
    assert re.search(
        r"warning: crash is left out: on worker (ann|bob), .*exited with code 4", there.stderr
    )
    assert re.search(
        r"warning: unbuilt is left out: on worker (ann|bob), its build .*; next: khiva-arena check",
        there.stderr,
    )
    assert "warning: none is left out: " in there.stderr
    assert "--skip-broken leaves out crash, unbuilt, none" in there.stderr
    digest = re.findall("run digest ([0-9a-f]{64})", here.stderr)
    assert re.findall("run digest ([0-9a-f]{64})", there.stderr) == digest != []


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_bots_are_tried_on_the_workers(cluster: DaskCluster, tmp_path: Path) -> None:
    write(tmp_path, wrong=ILLEGAL)
    words = [
        "run",
        *bots(C, C_GREEDY, "wrong"),
        "--probation",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--seed",
        "x",
    ]
    here = arena(*words, "--out", "here", cwd=tmp_path)
    there = arena_process(*words, "--out", "there", *cluster.flags, cwd=tmp_path)
    for done in (here, there):
        assert re.search(
            r"warning: wrong is left out: .*: illegal at step \d+: choice 999 of .*; next: "
            r"khiva-arena match",
            done.stderr,
        )
    digest = re.findall("run digest ([0-9a-f]{64})", here.stderr)
    assert re.findall("run digest ([0-9a-f]{64})", there.stderr) == digest != []
    assert sorted(result.passed for result in trial_results.read(tmp_path / "there").values()) == [
        False,
        True,
        True,
    ]


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_a_budget_is_measured_on_the_workers(cluster: DaskCluster, tmp_path: Path) -> None:
    """A long one, which the start of workers on a busy machine does not use up, in a
    run that is interrupted.
    """
    words = [
        "run",
        *bots(C, C_GREEDY),
        "--seats",
        "2",
        "--budget",
        "120s",
        "--yes",
        "--out",
        "out",
        *cluster.flags,
    ]
    said = interrupted([*words, "-j", "2"], tmp_path, matches=1)
    assert said.count("--jobs 2 has no effect with --dask") == 1
    assert (
        " is ready" not in said.partition(sentence("competition", "budget-match-takes"))[0]
    )  # the run says it
    tried = re.search(
        pattern(
            "competition",
            "budget-match-takes-s",
            seconds=r"([\d.]+)",
            source=r"a try of (\d+) matches on the cluster",
        ),
        said,
    )
    assert tried
    fits = (
        r"(\d+) seeds? x 1 line-up x 2 rotations = \d+ matches at [12] match(es)? at a time: "
        r"about .* of 2 min"
    )
    planned = re.search(fits, said)
    assert planned, said
    assert re.search(
        "estimated time: about .* "
        + pattern("competition", "time-workers-ready", source="a try of"),
        said,
    )
    again = interrupted(words, tmp_path, matches=recorded(tmp_path / "out") + 1)
    assert re.search(
        rf"the {planned[1]} seeds? of event 1, ", again
    )  # what was begun with a budget is what it continues
    assert "tried" not in again


def interrupted(words: Sequence[str], folder: Path, matches: int) -> str:
    """What a run prints that is interrupted once so many matches are recorded."""
    with (folder / "said").open("w+") as said:
        command = [sys.executable, "-m", "khiva_arena", *words]
        running = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said)
        wait_for_matches(folder / "out" / "arena.db", matches)
        running.send_signal(signal.SIGINT)
        code = running.wait(PATIENCE)
        said.seek(0)
        text = said.read()
    assert code == 130, text
    return text


def recorded(store: Path) -> int:
    """How many matches a store has that nobody writes to."""
    with Store.read(store) as read:
        return sum(len(read.recorded(event.id)) for event in read.events())


def of_two(broken: dict[str, dict[str, str]]) -> Any:
    """A cluster whose workers are ready, except for those bots."""
    settings = settings_from({"bots": ["a", "b"], "dask": "local:2"})
    from khiva_arena.extensions.cluster.dask_executor import Cluster  # not above: it imports Dask

    made: Any = Cluster(
        Access("", 2, ()), settings, TRUSTING, 0.0, None, lambda _text, *, warning=False: None
    )
    made._crew.workers = {
        name: worker(name, msgspec.structs.replace(GOOD, machine=name)) for name in broken
    }
    for name, why in broken.items():
        made._crew.workers[name].broken = why
    return made


def test_a_bot_that_starts_somewhere_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = of_two({"ann": {"x": "no compiler", "y": "crashed"}, "bob": {"y": "crashed, too"}})
    monkeypatch.setattr(made._recruiting, "of", lambda *_words, **_keywords: None)
    monkeypatch.setattr(
        "khiva_arena.extensions.cluster.dask_executor.first_header", lambda *_words: None
    )
    assert made.who_starts_nowhere([]) == {"y": ("ann", "crashed")}


def test_a_worker_that_cannot_start_a_bot_that_others_can_is_refused_when_that_is_played() -> None:
    made = of_two({"ann": {"x": "no compiler"}, "bob": {}})
    made._recruiting._bots = {"x": None}
    for one in made._crew.ready_workers():
        made._recruiting._lacks(one)
    assert [one.name for one in made._crew.ready_workers()] == ["bob"]
    assert made._crew.refusals() == ["worker ann: no compiler"]


def test_matches_at_a_time_are_those_of_the_cores_of_each_machine() -> None:
    two_of_one = [worker(name, threads=2) for name in "ab"]  # GOOD has two cores
    alone = worker(
        "c", msgspec.structs.replace(GOOD, machine="other", cores=[0, 1, 2, 3]), threads=3
    )
    made = crew(*two_of_one, alone)
    assert made.at_a_time() == 2 + 3
    assert not made.undecided()
    alone.stage = RecruitStage.FITTING
    assert made.at_a_time() == 2
    assert made.undecided()
    alone.silent = True
    assert not made.undecided()


def test_recorded_matches_say_no_more_than_what_a_cluster_takes_at_least(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They leave out the start of a process for each table, which is most of a short
    match's time.
    """
    recorded = MatchTime(0.12, 0.02, "102 matches of event 1 in this store")
    monkeypatch.setattr(
        "khiva_arena.competition.events.durations.of_store", lambda *_words: recorded
    )
    play: Any = SimpleNamespace(done=range(20), planned=100, event=SimpleNamespace(definition=None))
    there: Any = settings_from({"bots": ["a", "b"], "dask": "local:2"})
    assert _estimate(None, there, play, 2, Entrants(()), None) == (  # type: ignore[arg-type]
        sentence(
            "competition",
            "more-process-table-starts",
            left="3 s, 2 matches " + sentence("competition", "ready-workers"),
            there="from 102 matches of event 1 in this store",
        )
    )
    tried = MatchTime(0.5, 0.1, "a try of 24 matches on the cluster")
    assert _estimate(None, there, play, 2, Entrants((), took=tried), None) == (  # type: ignore[arg-type]
        sentence("events", "about-load-machine-stays", about="20 s", low="12 s", high="30 s")
        + ", 2 matches "
        + sentence("competition", "time-workers-ready", source="a try of 24 matches on the cluster")
    )
