"""Workers, scheduler and command are killed and stopped: nothing is lost, doubled or blamed on a bot."""

import os
import random
from pathlib import Path

import pytest
from cluster_killing import ClusterCompetition, run_through, troubled

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]

KILLS = 6
SEED = 7


def test_what_is_killed_comes_to_the_same(tmp_path: Path) -> None:
    marker = f"cluster-{os.getpid()}"
    whole = ClusterCompetition(tmp_path / "whole", marker, jobs=2, seeds=3)
    assert whole.start().wait() == 0
    with troubled(random.Random(SEED), KILLS) as troubles:
        run = ClusterCompetition(tmp_path / "run", marker, jobs=1, seeds=3, cluster=troubles.cluster)
        run_through(run, troubles, (0.5, 3.0))
    assert run.digest() == whole.digest()
    assert troubles.done
