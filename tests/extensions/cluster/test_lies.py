"""A worker of a real cluster that sends matches with their places and points the other
way round.
"""

import json
from pathlib import Path

import pytest
from arena import C_GREEDY, C, arena, arena_process, bots
from dask_cluster import dask_cluster
from waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]

LIE = """
from msgspec.structs import replace

import msgspec

from khiva_arena.arbiter.match import Outcome
from khiva_arena.extensions.cluster import task
from khiva_arena.extensions.cluster.worker_messages import TABLE, encode

task.honest = getattr(task, "honest", task.converse)  # Dask loads this twice


def turned(frame):
    outcome = msgspec.msgpack.decode(frame, type=Outcome)
    record = replace(outcome.record, ranks=outcome.record.ranks[::-1],
      scores=outcome.record.scores[::-1])
    return encode(msgspec.structs.replace(outcome, record=record))


def lying(asked, wanted):
    done = task.honest(asked, wanted)
    if asked.kind != TABLE:
        return done
    return msgspec.structs.replace(done, frames=[turned(frame) for frame in done.frames])


task.converse = lying
"""


def test_nothing_of_a_worker_that_lies_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "lie.py").write_text(LIE)
    words = [
        "run",
        *bots(C, C_GREEDY),
        "--seats",
        "2",
        "--seeds",
        "2",
        "--seed",
        "lie",
        "--out",
        "out",
    ]
    with dask_cluster() as cluster:
        cluster.start_worker("liar", "--preload", str(tmp_path / "lie.py"))
        assert until(lambda: "Registered to" in cluster.log("liar"))
        alone = arena_process(*words, *cluster.flags, "--dask-wait", "5s", cwd=tmp_path, code=2)
        told = "worker liar is refused: it sent a match that breaks the rules: "
        assert told in alone.stderr
        assert json.loads(arena("show", "out", "--json", cwd=tmp_path).stdout)["matches"] == []
        cluster.start_worker("honest")
        both = arena_process(*words, *cluster.flags, cwd=tmp_path)
    assert both.stderr.count(told) <= 1  # the other may have played all before the liar was ready
    assert "4 of 4 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout
