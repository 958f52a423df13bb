"""A store that is locked, cut short, emptied, replaced, deleted or of another version:
one line, 2, and what to do next.
"""

import shutil
import signal
import sqlite3
from pathlib import Path

import pytest
from arena import C_GREEDY, C, arena, bots, started, wait_for_matches
from once import made_once
from waiting import until
from wording import sentence

from khiva_arena.interface.cli.main import run
from khiva_arena.records.store import files
from khiva_arena.records.store.db import VERSION, Store

pytestmark = pytest.mark.soak

WORDS = ["run", *bots(C, C_GREEDY), "--seats", "2", "--seed", "x"]
READERS = (
    ["standings", "out"],
    ["verify", "out"],
    ["show", "out"],
    ["match", "--from", "out", "1/0"],
)
CUTS = 24


@made_once
def whole(folder: Path) -> None:
    """A folder with a finished run in "out", and in "killed" what a kill -9 leaves of
    one: much of it in the -wal file.
    """
    arena(*WORDS, "--seeds", "3", "--out", "out", cwd=folder)
    running = started(*WORDS, "--seeds", "300", "--out", "killed", cwd=folder)
    wal = folder / "killed" / "arena.db-wal"
    assert until(lambda: wal.exists() and wal.stat().st_size > 150_000)
    running.kill()
    running.communicate(timeout=60)


def copied(whole: Path, tmp_path: Path, which: str = "out") -> Path:
    shutil.copytree(whole / which, tmp_path / "out")
    return tmp_path / "out" / "arena.db"


def refused(words: list[str], cwd: Path) -> str:
    done = arena(*words, cwd=cwd, code=2)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("khiva-arena: error: out")
    return done.stderr


def wait_for_event(folder: Path) -> None:
    """Until an event is announced: it is in the store, and its first match begins."""
    log = folder / "out" / "log.jsonl"
    assert until(lambda: log.exists() and "commitment" in log.read_text())


RUN = [*WORDS, "--seeds", "3", "--out", "out"]


@pytest.mark.parametrize(
    "content",
    [b"", b"rubbish" * 5000, b"SQLite format 3\0" + b"\xff" * 8000],
    ids=["empty", "rubbish", "half"],
)
def test_emptied_or_replaced(whole: Path, tmp_path: Path, content: bytes) -> None:
    path = copied(whole, tmp_path)
    path.write_bytes(content)
    for words in (*READERS, RUN):
        assert "restore a copy" in refused(words, tmp_path)
    assert path.read_bytes() == content


def test_what_is_left_beside_a_missing_or_empty_file_is_never_thrown_away(
    whole: Path, tmp_path: Path
) -> None:
    """SQLite would drop the log of an empty file, and lay that of a missing one over
    whatever comes next.
    """
    path = copied(whole, tmp_path, "killed")
    wal = path.with_name("arena.db-wal")
    before = wal.read_bytes()
    path.write_bytes(b"")
    for words in (*READERS, RUN):
        assert "it is empty, " + sentence(
            "store", "holds-left", name="arena.db"
        ) + ": restore a copy" in refused(words, tmp_path)
    path.unlink()
    for words in (*READERS, RUN):
        assert "it is missing, " + sentence(
            "store", "holds-left", name="arena.db"
        ) + ": put it back" in refused(words, tmp_path)
    assert wal.read_bytes() == before


def test_no_store_and_no_folder(tmp_path: Path) -> None:
    for words in READERS:
        assert "no results here" in refused(words, tmp_path)
    (tmp_path / "out").mkdir()
    for words in READERS:
        assert "no results here" in refused(words, tmp_path)


def test_version_1(whole: Path, tmp_path: Path) -> None:
    path = copied(whole, tmp_path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    for words in (*READERS, RUN):
        assert sentence(
            "store",
            "store-version-engine-reads-2",
            version="1",
            readable="2",
            version_2=str(VERSION),
        ) in (refused(words, tmp_path))


def test_cut_short(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At many lengths: refused in a line, or told apart match by match; never a bug,
    never called whole.
    """
    path = copied(whole, tmp_path)
    data = path.read_bytes()
    codes = set()
    for cut in range(1, CUTS):
        path.write_bytes(data[: len(data) * cut // CUTS // 512 * 512 + cut])
        for name in ("verify", "standings", "show"):
            code = run([name, str(path.parent)])
            err = capsys.readouterr().err
            assert "Traceback" not in err
            assert code == 2 or (name == "verify" and code == 1)
            assert err.count("\n") == (code == 2)
            codes.add(code)
    assert 2 in codes


def test_a_log_of_sqlite_that_was_cut_short_loses_the_end_and_no_more(
    whole: Path, tmp_path: Path
) -> None:
    """What is left is an earlier moment of the run, and sound; the same command plays
    the rest again.
    """
    path = copied(whole, tmp_path, "killed")
    wal = path.with_name("arena.db-wal")
    data = wal.read_bytes()
    counts = []
    for cut in (1.0, 0.7, 0.4, 0.1):
        shutil.copy(whole / "killed" / "arena.db", path)
        path.with_name("arena.db-shm").unlink(missing_ok=True)
        wal.write_bytes(data[: int(len(data) * cut)])
        with Store.read(path.parent) as store:
            counts.append(sum(len(store.recorded(event.id)) for event in store.events()))
        if counts[-1]:
            assert "are sound" in arena("verify", "out", cwd=tmp_path).stdout
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


def test_locked_by_another_program(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copied(whole, tmp_path)
    monkeypatch.setattr(files, "BUSY_SECONDS", 0.1)
    monkeypatch.chdir(tmp_path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    for words in (*READERS, RUN):
        assert run(words) == 2
        error = capsys.readouterr().err
        assert "database is locked; " + sentence("store", "another-program-holds-end") in error
        assert error.count("\n") == 1
    other.close()
    assert run(["verify", "out"]) == 0


def test_locked_in_the_middle_of_a_run(tmp_path: Path, whole: Path) -> None:
    """A program that begins to write to the store, and does not end: the run gives up
    in time, and goes on afterwards.
    """
    running = started(*WORDS, "--seeds", "300", "--out", "out", cwd=tmp_path)
    path = tmp_path / "out" / "arena.db"
    wait_for_event(tmp_path)
    other = sqlite3.connect(path, isolation_level=None, timeout=30)
    other.execute("BEGIN EXCLUSIVE")
    _, said = running.communicate(timeout=60)
    other.execute("ROLLBACK")
    other.close()
    assert running.returncode == 2
    assert (
        "database is locked; " + sentence("store", "another-program-holds-end")
        in said.splitlines()[-1]
    )
    assert "Traceback" not in said
    running = started(*WORDS, "--seeds", "300", "--out", "out", cwd=tmp_path)
    wait_for_matches(path, 1)
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=60)
    assert running.returncode == 130
    assert "are sound" in arena("verify", "out", cwd=tmp_path).stdout


@pytest.mark.parametrize("name", ["arena.db", "arena.lock"])
def test_deleted_in_the_middle_of_a_run(tmp_path: Path, name: str) -> None:
    running = started(*WORDS, "--seeds", "300", "--out", "out", cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 1)
    (tmp_path / "out" / name).unlink()
    _, said = running.communicate(timeout=60)
    assert running.returncode == 2
    last = said.splitlines()[-1]
    assert (
        "arena.db or arena.lock was deleted or replaced while this run was writing it: put it "
        "back, or give the same command again, which begins a new store"
    ) in last
    assert "Traceback" not in said


def test_a_second_arbiter_is_refused_at_once_and_readers_are_not(tmp_path: Path) -> None:
    words = [*WORDS, "--seeds", "300", "--out", "out"]
    running = started(*words, cwd=tmp_path)
    try:
        wait_for_event(tmp_path)
        wait_for_matches(tmp_path / "out" / "arena.db", 1)
        for more in ([], ["--turn", "2s", "--new-event"]):
            assert sentence("store", "another-arbiter-work-store") in refused(
                [*words, *more], tmp_path
            )
        for reader in (["standings", "out"], ["verify", "out"], ["show", "out"]):
            arena(*reader, cwd=tmp_path)
    finally:
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "error" not in said
    assert "are sound" in arena("verify", "out", cwd=tmp_path).stdout
