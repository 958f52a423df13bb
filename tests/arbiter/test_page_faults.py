"""Page faults that read a disk are counted for each seat: a bot can leave its next self
a message in what is in memory.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from jobs import job
from levels import script_at
from tools import lacks

from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.level import Level, Sandbox

sys.path.insert(0, str(Path(__file__).parents[2] / "bots" / "broken"))
from touching import touch

pytestmark = pytest.mark.slow

SIZE = 8 << 20
TOUCHED = SIZE // os.sysconf("SC_PAGESIZE") // 32


def cool(file: Path) -> None:
    """Have its pages read from the disk again."""
    descriptor = os.open(file, os.O_RDWR)
    try:
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


@pytest.fixture
def cold(tmp_path: Path) -> Path:
    """A file on a disk, none of it in memory; skipped where there is no telling, as in
    a file system that is all in memory.
    """
    file = tmp_path / "system"
    file.write_bytes(os.urandom(SIZE))
    file.chmod(0o644)
    cool(file)
    if touch(str(file)) < TOUCHED // 2:
        lacks("files of this file system are in memory whatever one does", may=True)
    cool(file)
    return file


def majors(level: Level, file: Path, *how: str) -> tuple[list[int], list[str]]:
    """Of a match of bots that do this: what was counted for each seat, and what each
    said.
    """
    bots = [script_at(level, "touching.py", one, str(file)) for one in how]
    bots = [replace(bot, readable=(*bot.readable, str(file))) for bot in bots]
    outcome = play_one(job(bots, sandbox=Sandbox(level), startup_ms=60_000, bank_ms=60_000))
    assert outcome.record is not None
    assert not any(report.faults for report in outcome.seats)
    return [report.measured.page_faults for report in outcome.seats], [
        report.ending.notes for report in outcome.seats
    ]


@pytest.mark.parametrize("level", [Level.TRUSTED, Level.STANDARD], indirect=True)
def test_a_pair_of_bots_that_signals_through_the_page_cache_is_counted(
    cold: Path, level: Level
) -> None:
    """In the first match one touches the pages or leaves them; in the next the other
    finds out which. Whoever finds them cold has the page faults on its account.
    """
    counted, _ = majors(level, cold, "touches", "leaves")
    assert counted[0] >= TOUCHED // 2
    assert counted[1] < TOUCHED // 2
    counted, said = majors(level, cold, "leaves", "reads")
    assert int(said[1].partition("rose by ")[2].split()[0]) < TOUCHED // 2  # a one
    assert max(counted) < TOUCHED // 2
    cool(cold)
    counted, said = majors(level, cold, "leaves", "reads")
    assert int(said[1].partition("rose by ")[2].split()[0]) >= TOUCHED // 2  # a nought
    assert counted[1] >= TOUCHED // 2
