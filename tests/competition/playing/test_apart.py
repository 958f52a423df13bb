"""Whole runs at several matches at a time: none begins beside one that shares a bot and
a deal with it, while another can.
"""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from apart import Watch, watched
from arena import C, arena, bots
from in_targets import soak_but_every
from msgspec.structs import replace

from khiva_arena.arbiter import match_queue
from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.competition.playing.sequential import SequentialPlay

pytestmark = pytest.mark.slow

GREEDY_C = str(Path(C).with_name("greedy"))
SHAPE = (*bots(C, GREEDY_C), "--seats", "2", "--seed", "x", "--rule", "max_turns=8")
Change = Callable[[Job, Outcome], Outcome]


def sound(_: Job, outcome: Outcome) -> Outcome:
    """Every match as it ended."""
    return outcome


def some_void(job: Job, outcome: Outcome) -> Outcome:
    """The first attempt of every fifth match is spoilt by the host, and that of the
    next one void by a seat.
    """
    if job.attempt > 1 or job.ordinal % 5 > 1:
        return outcome
    return replace(void(job, "the host slept", host=job.ordinal % 5 == 0), unsettled=0.0)


def wait_as_at_strict(patch: pytest.MonkeyPatch, level: Level) -> None:
    """Let matches at a level wait where nothing else is left. Few machines have strict,
    at which they do.
    """
    patch.setattr(match_queue, "Level", SimpleNamespace(STRICT=level))


def played(
    folder: Path,
    patch: pytest.MonkeyPatch,
    *words: str,
    cores: int = 2,
    change: Change = sound,
    code: int = 0,
) -> tuple[Watch, str]:
    """Watch a run of two bots in C. Gives what it says, too."""
    patch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    with watched(patch, cores=cores, change=change) as watch:
        run = arena("run", *SHAPE, "--out", "out", *words, cwd=folder, code=code)
    return watch, run.stderr


EIGHT = ("--isolation", "trusted", "--seeds", "8")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the same matches one at a time."""
    said = arena(
        "run", *SHAPE, *EIGHT, "--out", "alone", cwd=tmp_path_factory.mktemp("alone")
    ).stderr
    (digest,) = re.findall(r"run digest \w+", said)
    return digest


@pytest.mark.parametrize(
    ("cores", "slots", "change", "tries"),
    soak_but_every([(1, 2, some_void, 23), (2, 2, sound, 16), (2, 3, some_void, 23)], 3),
    ids=["one process", "two workers", "three slots of two"],
)
def test_rotations_of_a_table_are_not_played_side_by_side(
    cores: int,
    slots: int,
    change: Change,
    tries: int,
    alone: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watch, said = played(
        tmp_path, monkeypatch, *EIGHT, "-j", str(slots), cores=cores, change=change
    )
    assert len(watch.starts) == tries
    assert watch.overlapped > 4
    assert watch.needless() == []
    assert re.findall(r"run digest \w+", said) == [alone]


@pytest.mark.parametrize(
    "level", [Level.STRICT, Level.TRUSTED], ids=["strict", "trusted as strict"], indirect=True
)
@pytest.mark.parametrize(("cores", "slots"), [(1, 2), (2, 3)], ids=["one process", "two workers"])
def test_the_matches_of_a_single_deal_are_played_one_after_another_at_strict(
    cores: int, slots: int, level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_as_at_strict(monkeypatch, level)
    words = ["--isolation", level, "--seeds", "1", "--seats", "3", "--copies", "2"]
    watch, _ = played(
        tmp_path, monkeypatch, *words, "-j", str(slots), cores=cores, change=some_void
    )
    assert len(watch.starts) == 9
    assert watch.overlapped == 0


def test_below_strict_the_matches_of_a_single_deal_are_played_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/isolation.md says so."""
    watch, _ = played(tmp_path, monkeypatch, "--isolation", "trusted", "--seeds", "1", "-j", "2")
    assert len(watch.clashes()) == 1


def test_no_match_that_was_passed_over_is_played_once_its_table_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_void(job: Job, outcome: Outcome) -> Outcome:
        return outcome if job.ordinal else replace(void(job, "late", host=False), unsettled=0.0)

    wait_as_at_strict(monkeypatch, Level.TRUSTED)  # else it might be played beside the other
    words = ["--isolation", "trusted", "--seeds", "4", "-j", "2"]
    watch, _ = played(tmp_path, monkeypatch, *words, change=first_void, code=1)
    assert sorted(start.job.ordinal for start in watch.starts) == [0, 0, *range(2, 8)]


@pytest.mark.soak
def test_no_match_that_was_passed_over_is_played_once_a_test_has_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    real = SequentialPlay.record

    def record(play: SequentialPlay, outcome: Outcome, *, last: bool) -> list:
        rows = real(play, outcome, last=last)
        if play.complete:
            begun.append(len(watch.starts))
        return rows

    monkeypatch.setattr(SequentialPlay, "record", record)
    with watched(monkeypatch, cores=1, change=sound) as watch:
        arena(
            "sprt",
            GREEDY_C,
            C,
            "--elo1",
            "400",
            "--isolation",
            "trusted",
            "-j",
            "4",
            "--out",
            "out",
            cwd=tmp_path,
        )
    assert len(begun) > 1, "other matches were in flight at the decision"
    assert begun[0] == len(watch.starts)
