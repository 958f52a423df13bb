"""A full disk is exit code 1, a read-only one 2, at every stage: one line, nothing
lost, and with room again the same command ends as ever.
"""

import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from arena import C_GREEDY, C, arena, bots, living, started
from disks import fill, remount, small_disk
from in_targets import in_long
from killing import all_gone, below
from waiting import until
from wording import sentence

from khiva_arena.common.result import Measured
from khiva_arena.errors import StoreError
from khiva_arena.records.store.db import BotRow, MatchRow, SeatRow, Store

pytestmark = pytest.mark.soak

WORDS = ["run", *bots(C, C_GREEDY), "--seats", "2", "--seed", "x"]
FREE = "free some space"


def digest(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("run digest"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of a run with room enough."""
    return digest(
        arena(*WORDS, "--seeds", "12", "--out", "out", cwd=tmp_path_factory.mktemp("whole")).stderr
    )


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that says what is wrong."""
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("khiva-arena: error: ")]
    assert len(lines) == 1, done.stderr
    assert done.stderr.endswith(lines[0] + "\n")
    return lines[0]


@pytest.mark.parametrize("size", ["4k", "140k", "260k", *in_long(["40k", "170k"])])
def test_a_disk_that_fills_up(tmp_path: Path, whole: str, size: str) -> None:
    """From the store's own making to the middle of the run."""
    words = [*WORDS, "--seeds", "12", "--out", "disk/out"]
    with small_disk(tmp_path / "disk", size) as disk:
        assert FREE in refused(arena(*words, cwd=tmp_path, code=1))
        remount(disk, "size=64m")
        recorded = matches(disk / "out")
        done = arena(*words, cwd=tmp_path)
        assert (f"{recorded} " + sentence("competition", "recorded-before") in done.stderr) == bool(
            recorded
        )
        assert digest(done.stderr) == whole
        assert "24 of 24 matches are sound" in arena("verify", "disk/out", cwd=tmp_path).stdout


def matches(folder: Path) -> int:
    if not (folder / "arena.db").exists():
        return 0
    with Store.read(folder) as store:
        return sum(len(store.recorded(event.id)) for event in store.events())


def test_a_disk_that_fills_up_ends_every_bot(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "400k") as disk:
        running = started(*WORDS, "--seeds", "900", "--out", "disk/out", "-j", "2", cwd=tmp_path)
        assert until((disk / "out" / "arena.db").exists)
        seen: set[int] = set()
        fill(disk)
        while running.poll() is None:
            seen |= below(running.pid)
            time.sleep(0.01)
        _, said = running.communicate(timeout=60)
        assert running.returncode == 1
        assert FREE in said
        assert all_gone(lambda: living(seen))


def test_a_sound_store_on_a_full_disk_is_read(tmp_path: Path) -> None:
    """SQLite wants to write 32 KiB beside a store even to read it."""
    with small_disk(tmp_path / "disk", "64m") as disk:
        arena(*WORDS, "--seeds", "12", "--out", "disk/out", cwd=tmp_path)
        said = {
            command: arena(command, "disk/out", cwd=tmp_path).stdout
            for command in ("standings", "show", "verify")
        }
        fill(disk)
        assert {
            command: arena(command, "disk/out", cwd=tmp_path).stdout for command in said
        } == said
        with Store.read(disk / "out") as store:
            assert store.is_known_sound()


def test_what_a_kill_left_beside_a_store_on_a_full_disk_is_named_and_not_lost(
    tmp_path: Path,
) -> None:
    """SQLite cannot read what is left in a -wal file without room; without it, the
    store would be read as it was before.
    """
    write = (
        "import os, sqlite3, sys; store = sqlite3.connect(sys.argv[1]); "
        "store.execute('UPDATE events SET id = id'); "
        "store.commit(); os._exit(0)"
    )
    with small_disk(tmp_path / "disk", "64m") as disk:
        arena(*WORDS, "--seeds", "1", "--out", "disk/out", cwd=tmp_path)
        said = arena("show", "disk/out", cwd=tmp_path).stdout
        subprocess.run([sys.executable, "-c", write, disk / "out" / "arena.db"], check=True)
        assert (disk / "out" / "arena.db-wal").stat().st_size
        (disk / "out" / "arena.db-shm").unlink()
        ballast = fill(disk)
        for command in ("standings", "show", "verify"):
            assert FREE in refused(arena(command, "disk/out", cwd=tmp_path, code=1))
        ballast.unlink()
        assert arena("show", "disk/out", cwd=tmp_path).stdout == said


def test_a_log_that_cannot_be_written_ends_nothing(tmp_path: Path, whole: str) -> None:
    (tmp_path / "out").mkdir()
    log = tmp_path / "out" / "log.jsonl"
    log.touch()
    with small_disk(tmp_path / "disk", "8k") as disk:
        (disk / "log.jsonl").touch()
        fill(disk)
        subprocess.run(["mount", "--bind", disk / "log.jsonl", log], check=True)
        try:
            done = arena(*WORDS, "--seeds", "12", "--out", "out", cwd=tmp_path)
        finally:
            subprocess.run(["umount", "--lazy", log], check=True)
    assert digest(done.stderr) == whole
    assert done.stderr.count("warning: the log ends early: ") == 1


def test_a_full_cache(tmp_path: Path, whole: str) -> None:
    words = [*WORDS, "--seeds", "12", "--out", "out"]
    with small_disk(tmp_path / "cache", "8k") as cache:
        line = refused(arena(*words, cwd=tmp_path, code=2, env={"KHIVA_ARENA_CACHE": str(cache)}))
        assert "cannot be staged in" in line
        assert (
            "staged: No space left on device; make room there, or set KHIVA_ARENA_CACHE to "
            "a folder with room" in line
        )
        assert not (tmp_path / "out").exists()
        assert not list(cache.rglob("draft-*"))
        remount(cache, "size=64m")
        assert (
            digest(arena(*words, cwd=tmp_path, env={"KHIVA_ARENA_CACHE": str(cache)}).stderr)
            == whole
        )


def test_a_disk_that_turns_read_only(tmp_path: Path, whole: str) -> None:
    words = [*WORDS, "--seeds", "12", "--out", "disk/out"]
    with small_disk(tmp_path / "disk", "64m") as disk:
        arena(*WORDS, "--seeds", "12", "--out", "disk/out", cwd=tmp_path)
        remount(disk, "ro")
        for command in ("standings", "verify", "show"):
            arena(command, "disk/out", cwd=tmp_path)
        assert (
            digest(arena(*words, cwd=tmp_path).stderr) == whole
        )  # all is over, and nothing is to be written
        line = refused(arena(*words, "--turn", "2s", cwd=tmp_path, code=2))
        assert "Read-only file system" in line
        assert "same command" in line
        line = refused(arena(*words[:-1], "disk/new", cwd=tmp_path, code=2))
        assert "Read-only file system" in line
        remount(disk, "rw")
        assert digest(arena(*words, cwd=tmp_path).stderr) == whole


# --- the store alone, with large records: a disk that is full when SQLite moves its log
# into the file ---


def match(ordinal: int, record: str) -> MatchRow:
    seat = SeatRow(0, 0, 1, 5, "ok", [], 1, 0.1, 0.1, 1.0, 0, "", 0, 0, Measured(0.1))
    return MatchRow(
        "e", ordinal, f"m{ordinal}", 0, 0, ordinal, f"d{ordinal}", record, 1, 1, 0.5, "now", (seat,)
    )


def why_not(store: Store, row: MatchRow) -> str:
    """Why a match cannot be recorded, "" if it was."""
    try:
        store.add_match(row, {})
    except StoreError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("size", ["3m", "5m", "6m", "7m"])
def test_full_at_any_checkpoint(tmp_path: Path, size: str) -> None:
    """SQLite checkpoints at 1000 pages, 4 MB: before, at and after that what was said
    to be recorded is there.
    """
    record = random.Random(1).randbytes(60_000).hex()
    with small_disk(tmp_path / "disk", size) as disk:
        recorded = 0
        store = Store.write(disk / "out")
        store.add_event("e", "{}", "1", "c", b"s", [BotRow("a", "1", "", True, "a", "/")])
        while not (why := why_not(store, match(recorded, record))):
            recorded += 1
        assert FREE in why
        store.close()
        with Store.read(disk / "out") as reader:
            assert reader.recorded("e") == set(range(recorded))
        remount(disk, "size=64m")
        with Store.write(disk / "out") as again:
            again.add_match(match(recorded, record), {})
            assert again.changed("e") == []
            assert again.damage() == []
            assert [
                row.ordinal for row in again.matches("e") if row.intact and row.record == record
            ] == list(range(recorded + 1))


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """The same where nothing can be mounted: a limit on the size of files, in a process
    of its own.
    """
    script = f"ulimit -f 200; trap '' XFSZ; exec {sys.executable} -m khiva_arena " + " ".join(
        f"'{word}'" for word in [*WORDS, "--seeds", "12", "--out", "out"]
    )
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    refused(done)
    before = matches(tmp_path / "out")
    assert before
    assert (
        f"{before} " + sentence("competition", "recorded-before")
        in arena(*WORDS, "--seeds", "12", "--out", "out", cwd=tmp_path).stderr
    )
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    assert connection.execute("SELECT count(*) FROM matches").fetchone() == (24,)
    connection.close()
