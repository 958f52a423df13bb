"""The same matches of modules, bots in JavaScript among them, come out equal, ticks
included.

They do however many are played at a time, on a machine that is busy, on other versions
of the VM, on another VM by the meter and runner of protocol/verifier, in other Pythons,
and on ARM64. ``python -m tests.tools modules-soak`` plays 1,000 matches, and names
folders with other versions of the VM; its tool ``modules-elsewhere`` names other
Pythons, and a folder for ARM64.
"""

import os
import subprocess
from collections import Counter
from pathlib import Path

import many_modules
import module_matches
import msgspec
import pytest
from arena import ROOT
from busy import busy
from elsewhere import OTHER_PYTHONS, Place, need_place, on_arm64
from many_modules import GAMES, matches, stage_modules
from second_vm import Part, again, overheard

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.entrants import module_runner, modules
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.verify import verify

pytestmark = [pytest.mark.language, pytest.mark.slow, pytest.mark.xdist_group("equal matches")]

MATCHES = int(os.environ.get("MATCHES", "24"))
SECOND_VM = MATCHES // 3
"""Matches that are played on another VM."""
OTHER_VMS = os.environ.get("OTHER_VMS", "").split()
"""Folders with other versions of the VM, as pip puts them there."""
LOAD = 30
Played = tuple[list[Record], list[Part]]


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Command]:
    return stage_modules(tmp_path_factory.mktemp("modules"))


@pytest.fixture(scope="module")
def played(commands: dict[str, Command]) -> Played:
    """The records of all matches, played one after the other, and the seats' parts in
    the first of them.
    """
    by_name = many_modules.identified()
    records, heard = [], []
    for job in matches(MATCHES, commands):
        record, parts = overheard(job, by_name)
        verify(record, job.secret)
        records.append(record)
        heard += parts if job.ordinal < SECOND_VM else []
    return records, heard


def play(commands: dict[str, Command], slots: int, workers: int) -> list[Record | None]:
    outcomes: list[Outcome] = []
    pool.play(matches(MATCHES, commands), slots, outcomes.append, workers)
    return [outcome.record for outcome in sorted(outcomes, key=lambda outcome: outcome.ordinal)]


def test_the_matches_have_every_game_and_every_end(played: Played) -> None:
    records, _ = played
    assert {record.header.game for record in records} == set(GAMES)
    assert {len(record.header.seats) for record in records} == {2, 3, 4, 5}
    counts = Counter(str(verdict) for record in records for verdict in record.verdicts)
    assert {"ok", "timeout", "crashed", "start_failed", "protocol"} <= counts.keys(), counts


def test_two_at_a_time_in_two_processes_play_the_same(
    played: Played, commands: dict[str, Command]
) -> None:
    assert play(commands, 2, 2) == played[0]


@pytest.mark.long
def test_a_busy_machine_plays_the_same(played: Played, commands: dict[str, Command]) -> None:
    with busy(LOAD):
        assert play(commands, 3, 1) == played[0]


def test_the_verifier_gives_every_frame_and_tick_on_another_vm(
    played: Played, tmp_path: Path
) -> None:
    for part, (answers, notes) in zip(played[1], again(played[1], tmp_path), strict=True):
        assert answers == part.answers
        assert notes == part.notes


@pytest.mark.parametrize("folder", OTHER_VMS)
def test_other_versions_of_the_vm_play_the_same(
    folder: str, played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = ROOT.joinpath(folder, *Path(module_runner.library()).parts[-3:])
    assert library.is_file()
    for file in (modules, module_runner):
        monkeypatch.setattr(file, "library", lambda: str(library))
    commands = stage_modules(tmp_path)
    assert str(library) in commands["probe"].module
    assert play(commands, 2, 1) == played[0]


@pytest.mark.parametrize("python", OTHER_PYTHONS)
def test_other_pythons_play_the_same(python: str, played: Played, open_folder: Path) -> None:
    """Arbiter, meter and runner are in that Python, and nothing is in its cache."""
    words = [
        python,
        str(ROOT / "tests" / "support" / "records_there.py"),
        str(MATCHES),
        str(open_folder),
    ]
    env = os.environ | {"KHIVA_ARENA_CACHE": str(open_folder)}
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=7_200, check=False, env=env
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert [msgspec.json.decode(line, type=Record) for line in done.stdout.splitlines()] == played[
        0
    ]


@pytest.mark.parametrize("place", on_arm64(), ids=str)
def test_arm64_plays_the_same(
    place: Place, played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meter, compiler and runner work on ARM64, and the arbiter here. Only level
    trusted allows what an emulator needs.
    """
    need_place(place)
    runner = module_runner.runner
    for file in (modules, module_runner):
        monkeypatch.setattr(file, "library", lambda: place.library)
    monkeypatch.setattr(
        modules, "runner", lambda work, *words: (*place.words, *runner(work, *words)[1:])
    )
    monkeypatch.setattr(module_matches, "BEST", lambda: Level.TRUSTED)
    commands = stage_modules(tmp_path)
    assert place.library in commands["probe"].module
    assert play(commands, 2, 1) == played[0]
