"""Workers, scheduler and command are killed and stopped: nothing is lost, doubled or blamed on a bot."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from cluster_killing import ClusterCompetition, run_through, troubled
from waiting import until
from wording import sentence

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]

KILLS = 6
SEED = 7
SEEDS = 10  # so many that the first kill comes before the end, however quick the machine is


def test_what_is_killed_comes_to_the_same(tmp_path: Path) -> None:
    marker = f"cluster-{os.getpid()}"
    whole = ClusterCompetition(tmp_path / "whole", marker, jobs=2, seeds=SEEDS)
    assert whole.start().wait() == 0
    with troubled(random.Random(SEED), KILLS) as troubles:
        run = ClusterCompetition(tmp_path / "run", marker, jobs=1, seeds=SEEDS, cluster=troubles.cluster)
        run_through(run, troubles, (0.1, 2.0))
    assert run.digest() == whole.digest()
    assert troubles.done


@pytest.mark.soak
def test_a_worker_that_stands_still_is_played_around_and_comes_back(tmp_path: Path) -> None:
    marker = f"cluster-{os.getpid()}"
    whole = ClusterCompetition(tmp_path / "whole", marker, jobs=2, seeds=8)
    assert whole.start().wait() == 0
    with troubled(random.Random(SEED), 0) as troubles:
        cluster = troubles.cluster
        run = ClusterCompetition(tmp_path / "run", marker, jobs=1, seeds=8, cluster=cluster)
        cluster.start_worker("still")
        process = run.start()
        said = run.folder / "said"
        assert until(lambda: "commitment" in said.read_text())
        time.sleep(1)
        cluster.kill("still", signal.SIGSTOP)
        cluster.start_worker("other")
        assert until(lambda: "worker still is silent; " + sentence("cluster", "table-played-elsewhere") in said.read_text(), 120)
        cluster.kill("still", signal.SIGCONT)
        assert process.wait(600) == 0
    assert run.digest() == whole.digest()
    assert run.voids() == 0
