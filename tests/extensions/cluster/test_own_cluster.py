"""What a cluster of one machine leaves when it is killed."""

import fcntl
import os
from pathlib import Path

import pytest

from khiva_arena.extensions.cluster import own_cluster


def test_folders_of_clusters_that_were_killed_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_cluster.tempfile, "gettempdir", lambda: str(tmp_path))
    for name in ("dead", "alive", "of-0.2.0"):
        (tmp_path / f"khiva-arena-dask-{name}" / "scratch").mkdir(parents=True)
    for name in ("dead", "alive"):
        (tmp_path / f"khiva-arena-dask-{name}" / "lock").touch()
    (tmp_path / "mine").mkdir()
    (tmp_path / "khiva-arena-dask-link").mkdir()
    (tmp_path / "khiva-arena-dask-link" / "lock").symlink_to(
        tmp_path / "khiva-arena-dask-dead" / "lock"
    )
    with (tmp_path / "khiva-arena-dask-alive" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        own_cluster._sweep()
    left = sorted(os.listdir(tmp_path))
    assert left == [
        "khiva-arena-dask-alive",
        "khiva-arena-dask-link",
        "khiva-arena-dask-of-0.2.0",
        "mine",
    ]
