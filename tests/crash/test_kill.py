"""kill -9 at any moment: the same command goes on, to the digest of a run that nobody disturbed, with nothing left behind."""

import os
import random
import time
from pathlib import Path

import pytest
from arena import RANDOM
from killing import Competition, Kill, run_to_the_end

from khiva_arena.entrants import staging
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage

pytestmark = pytest.mark.soak

KILLS = 5
SEED = 20


def undisturbed(folder: Path, marker: str) -> tuple[str, float]:
    run = Competition(folder, marker, jobs=1)
    began = time.monotonic()
    run_to_the_end(run, random.Random(0), most=0, seconds=0)
    return run.digest(), time.monotonic() - began


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, float]:
    """The marker, digest and seconds of a run without a kill."""
    folder = tmp_path_factory.mktemp("whole")
    marker = f"crash-{os.getpid()}"
    return marker, *undisturbed(folder / "run", marker)


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_and_killed_again(tmp_path: Path, whole: tuple[str, str, float], jobs: int) -> None:
    marker, digest, seconds = whole
    chance = random.Random(SEED + jobs)
    kills: list[Kill] = []
    for number in range(KILLS):  # a run may end before it is killed
        run = Competition(tmp_path / f"run{number}", marker, jobs)
        kills += run_to_the_end(run, chance, KILLS - len(kills), seconds)
        assert run.digest() == digest
        assert {path.name for path in run.out.iterdir()} == {"arena.db", "arena.lock", "arena.seal", "log.jsonl"}
        if len(kills) == KILLS:
            break
    assert kills


def test_what_a_kill_leaves_of_staging_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft may still be another arbiter's; one of yesterday is nobody's."""
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path))
    drafts = [tmp_path / "staged" / f"{staging.DRAFT}{word}" for word in ("old", "new")]
    for draft in drafts:
        (draft / "inside").mkdir(parents=True)
    day = time.time() - staging.DRAFT_SECONDS - 60
    os.utime(drafts[0], (day, day))
    stage(load(RANDOM))
    assert [draft.exists() for draft in drafts] == [False, True]
