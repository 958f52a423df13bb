"""kill -9 at any moment: the same command goes on, to the digest of a run that nobody
disturbed, with nothing left behind.
"""

import os
import random
import tempfile
import time
from pathlib import Path

import pytest
from arena import RANDOM
from killing import Kill, run_to_the_end
from stopping import Stopped, instant
from tools import need

from khiva_arena.bots.sandbox.detect import best
from khiva_arena.entrants import staging
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage

pytestmark = pytest.mark.soak

KILLS = 3
SEED = 20


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("cc")
    return instant(tmp_path_factory.mktemp("instant"))


def killable(folder: Path, program: Path, jobs: int) -> Stopped:
    """A competition whose bots take next to no time of their own: what is killed is
    mostly the arbiter at work.
    """
    return Stopped(folder, f"crash-{os.getpid()}", jobs, best(), program, seeds=6)


@pytest.fixture(scope="module")
def whole(program: Path) -> tuple[str, float]:
    """The digest and seconds of a run without a kill."""
    with tempfile.TemporaryDirectory(prefix="khiva-arena-test-") as folder:
        Path(folder).chmod(0o755)
        run = killable(Path(folder) / "run", program, jobs=1)
        began = time.monotonic()
        run_to_the_end(run, random.Random(0), most=0, seconds=0)
        return run.digest(), time.monotonic() - began


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_and_killed_again(
    open_folder: Path, program: Path, whole: tuple[str, float], jobs: int
) -> None:
    digest, seconds = whole
    chance = random.Random(SEED + jobs)
    kills: list[Kill] = []
    for number in range(KILLS):  # a run may end before it is killed
        run = killable(open_folder / f"run{number}", program, jobs)
        kills += run_to_the_end(run, chance, KILLS - len(kills), seconds)
        assert run.digest() == digest
        assert {path.name for path in run.out.iterdir()} == {
            "arena.db",
            "arena.lock",
            "arena.seal",
            "log.jsonl",
        }
        if len(kills) == KILLS:
            break
    assert kills


def test_what_a_kill_leaves_of_staging_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A draft may still be another arbiter's; one of yesterday is nobody's."""
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path))
    drafts = [tmp_path / "staged" / f"{staging.DRAFT}{word}" for word in ("old", "new")]
    for draft in drafts:
        (draft / "inside").mkdir(parents=True)
    day = time.time() - staging.DRAFT_SECONDS - 60
    os.utime(drafts[0], (day, day))
    stage(load(RANDOM))
    assert [draft.exists() for draft in drafts] == [False, True]
