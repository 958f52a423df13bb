"""A merge that is killed at any instant, or whose disk fills up, loses nothing, and the
next one completes it.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from in_targets import soak_but_every
from once import made_once
from synthesised import planned
from synthesised_shards import play_shard

import khiva_arena
from khiva_arena.errors import StoreFull
from khiva_arena.extensions.shards import merge, merge_target
from khiva_arena.extensions.shards.shard import WHOLE, Shard
from khiva_arena.records.store.db import FILE, Store

KILLS = Path(__file__).parent / "support" / "merge_kills.py"


@made_once
def played(folder: Path) -> None:
    """An event of one machine in "one", and its three shards."""
    event = planned(seeds=9)
    play_shard(folder / "one", event, WHOLE)
    for number in (1, 2, 3):
        play_shard(folder / str(number), event, Shard(number, 3))


@pytest.fixture(scope="module")
def shards(played: Path) -> tuple[list[Path], str]:
    """The stores of three shards, and the run digest of one machine."""
    with Store.read(played / "one") as store:
        (event,) = store.events()
        digest = store.conclusion(event.id)
    assert digest is not None
    return [played / str(number) for number in (1, 2, 3)], digest


@pytest.mark.soak
@pytest.mark.parametrize("kills", [12, pytest.param(30, marks=pytest.mark.long)])
def test_a_kill_loses_nothing_and_the_next_merge_goes_on(
    kills: int, shards: tuple[list[Path], str], tmp_path: Path
) -> None:
    stores, digest = shards
    words = [
        sys.executable,
        str(KILLS),
        str(kills),
        str(kills),
        str(tmp_path / "out"),
        *map(str, stores),
    ]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["left"]) == kills
    assert [one for one in found["left"] if one["lost"] or one["problems"]] == []
    assert len({one["recorded"] for one in found["left"]}) > 2, "no kill hit a merge at work"
    assert found["end"]["digest"] == digest
    assert khiva_arena.verify(tmp_path / "out").sound


@pytest.mark.parametrize(
    ("size", "held"), soak_but_every([(20_000, 0), (100_000, 0), (40_000, 1), (100_000, 1)], 2)
)
def test_a_full_disk_leaves_what_was_recorded(
    shards: tuple[list[Path], str],
    size: int,
    held: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No file may become longer: those that SQLite keeps beside a store, too."""
    monkeypatch.setattr(merge_target, "MATCHES_AT_ONCE", 2)
    stores, digest = shards
    out = tmp_path / "out"
    if held:
        merge.merge(stores[:held], out, lambda _: None)
    before = recorded(out)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        with pytest.raises(StoreFull, match="free some space") as error:
            merge.merge(stores, out, lambda _: None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert error.value.exit_code == 1
    assert recorded(out) >= before
    if recorded(out):
        assert khiva_arena.verify(out).sound
    assert merge.merge(stores, out, lambda _: None).digest == digest


def test_stores_that_cannot_be_written_are_merged(
    shards: tuple[list[Path], str], tmp_path: Path
) -> None:
    """As from a disk that is read-only: what is read is not changed in any byte."""
    stores, digest = shards
    copies = [Path(shutil.copytree(store, tmp_path / store.name)) for store in stores]
    for copy in copies:
        copy.chmod(0o500)
    before = [(copy / FILE).read_bytes() for copy in copies]
    try:
        assert merge.merge(copies, tmp_path / "out", lambda _: None).digest == digest
    finally:
        for copy in copies:
            copy.chmod(0o700)
    assert [(copy / FILE).read_bytes() for copy in copies] == before


@pytest.mark.soak
@pytest.mark.parametrize("tries", [5, pytest.param(60, marks=pytest.mark.long)])
def test_an_interrupt_at_any_instant_ends_a_merge_quietly(tmp_path: Path, tries: int) -> None:
    """As a terminal sends it: to all processes of the command at once, those that
    replay matches among them.
    """
    shards = [
        play_shard(tmp_path / name, planned(seeds=30), Shard(at, 2))
        for at, name in ((1, "one"), (2, "two"))
    ]
    words = [sys.executable, "-m", "khiva_arena", "merge", *map(str, shards), "-j", "2", "--out"]
    chance = Random(tries)
    codes = []
    for number in range(tries):
        command = [*words, str(tmp_path / f"out-{number}")]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while process.poll() is None and len(children.read_text().split()) < 2:
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.4))
            os.killpg(process.pid, signal.SIGINT)
            said = process.communicate(timeout=60)[1]
        assert "Traceback" not in said, said
        codes.append(process.returncode)
    assert set(codes) <= {0, 130}
    assert 130 in codes


def recorded(folder: Path) -> int:
    if not Store.check(folder):
        return 0
    with Store.read(folder) as store:
        return sum(len(store.recorded(event.id)) for event in store.events())
