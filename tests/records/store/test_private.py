"""Nobody else reads a store: it holds the secret of every deal that is not revealed
yet. A bundle is for all.
"""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import arena, bots
from published import published
from stores import NAIVE, RANDOM

from khiva_arena.records.store.db import FILE, LOCK, BotRow, Store
from khiva_arena.records.store.files import LOG
from khiva_arena.records.store.seal import SEAL

UMASKS = (0, 0o022, 0o277)


@pytest.fixture
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.mark.parametrize("umask", UMASKS, ids=oct)
@pytest.mark.usefixtures("_umask")
def test_what_is_made_is_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "above" / "store"
    folder.parent.mkdir()
    os.umask(umask)
    with Store.write(folder) as store:
        store.add_event("e1", "{}", "1", "c", bytes(32), [BotRow("a", "1", "", True, "a", "/")])
        found = modes(folder)
        assert set(found) >= {FILE, LOCK, f"{FILE}-wal", f"{FILE}-shm"}
        assert set(found.values()) == {0o600}, found
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert set(modes(folder).values()) == {0o600}


@pytest.mark.usefixtures("_umask")
def test_a_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    os.umask(0)
    folder = tmp_path / "store"
    folder.mkdir(0o755)
    Store.write(folder).close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert set(modes(folder).values()) == {0o600}


def test_a_writer_narrows_what_is_there_and_a_reader_does_not(tmp_path: Path) -> None:
    folder = published("khiva-round-robin", tmp_path)
    (folder / LOG).touch()
    for path in folder.iterdir():
        path.chmod(0o664)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    elsewhere.chmod(0o664)
    (folder / SEAL).symlink_to(elsewhere)
    Store.read(folder).close()
    assert modes(folder)[FILE] == 0o664
    with Store.write(folder):
        assert modes(folder)[SEAL] == 0o664, "a link was followed"
    found = modes(folder)
    assert {found[FILE], found[LOG], found[LOCK]} == {0o600}


@pytest.mark.slow
def test_a_run_leaves_nothing_that_another_user_could_read_but_a_bundle(tmp_path: Path) -> None:
    """Root's bots are other users, at all levels but trusted."""
    shell = ["sh", "-c", 'umask 0; exec "$@"', "sh", sys.executable, "-m", "khiva_arena"]
    words = [
        "run",
        *bots(RANDOM, NAIVE),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--isolation",
        "trusted",
        "--out",
        "out",
    ]
    subprocess.run([*shell, *words], cwd=tmp_path, check=True, capture_output=True, timeout=120)
    subprocess.run(
        [*shell, "bundle", "out", "out.bundle"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=120,
    )
    assert set(modes(tmp_path / "out").values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "out.bundle").stat().st_mode) == 0o666
    assert "2 of 2 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout
