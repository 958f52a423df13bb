"""An event in ticks on a real cluster: the modules travel, the records are those of one
machine, and a liar is found.
"""

import json
import re
from pathlib import Path

import pytest
from arena import arena, arena_process, bots
from dask_cluster import dask_cluster
from scripted_modules import command, script, scripted

from khiva_arena.bots.sandbox.detect import best

pytestmark = [pytest.mark.language, pytest.mark.slow, pytest.mark.xdist_group("cluster")]

MODULES = {
    "honest": b"",
    "slow": script("t", command("s", 20), command("a"), at=3),
    "late": script("t", command("h"), at=5),
}
LIE = """
from msgspec.structs import replace

import msgspec

from khiva_arena.arbiter.match import Outcome
from khiva_arena.extensions.cluster import task
from khiva_arena.extensions.cluster.worker_messages import TABLE, encode

task.honest = getattr(task, "honest", task.converse)  # Dask loads this twice


def cheaper(frame):
    outcome = msgspec.msgpack.decode(frame, type=Outcome)
    start, (first, *others), *rows = outcome.record.ticks
    record = replace(outcome.record, ticks=(start, (first - 1, *others), *rows))
    return encode(replace(outcome, record=record))


def lying(asked, wanted):
    done = task.honest(asked, wanted)
    if asked.kind != TABLE:
        return done
    return replace(done, frames=[cheaper(frame) for frame in done.frames])


task.converse = lying
"""


def digest_of(store: str, folder: Path) -> str:
    """The run digest of the one event of a store, all of whose matches are sound."""
    done = arena("verify", store, "--json", cwd=folder)
    (event,) = json.loads(done.stdout)["events"]
    assert event["sound"] == event["planned"]
    return str(event["digest"])


def test_records_are_those_of_one_machine_and_a_worker_that_lies_is_found(tmp_path: Path) -> None:
    for name, text in MODULES.items():
        (tmp_path / f"{name}.wasm").write_bytes(scripted(text))
    (tmp_path / "lie.py").write_text(LIE)
    words = [
        "run",
        *bots(*(f"{name}.wasm" for name in MODULES)),
        "--clock",
        "ticks",
        "--seats",
        "3",
        "--seeds",
        "2",
    ]
    words += ["--turn", "50ms", "--bank", "0s", "--seed", "lie"]
    arena(*words, "--out", "here", cwd=tmp_path)
    with dask_cluster() as cluster:
        words = [*words, "--out", "out", *cluster.flags]
        cluster.start_worker("liar", "--preload", str(tmp_path / "lie.py"))
        alone = arena_process(
            *words, "--dask-rerun-bots", "100%", "--dask-wait", "20s", cwd=tmp_path, code=2
        ).stderr
        told = "worker liar is refused: its bots did not play so: match"
        assert re.search(rf"{told} [0-9]+: step 1, seat [0-2]: ", alone)
        assert json.loads(arena("show", "out", "--json", cwd=tmp_path).stdout)["matches"] == []
        cluster.start_worker("honest")
        both = arena_process(*words, "--dask-rerun-bots", "100%", cwd=tmp_path).stderr
        assert both.count(told) <= 1  # the other may have played all before the liar was ready
    assert digest_of("out", tmp_path) == digest_of("here", tmp_path)
    arena("verify", "out", "--rerun-bots", cwd=tmp_path)
    listed = json.loads(arena("show", "out", "--json", cwd=tmp_path).stdout)["matches"]
    assert {row["cell"] for row in listed} == {str(best())}
