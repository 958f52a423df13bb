"""Workers, scheduler and command are killed and stopped: nothing is lost, doubled or
blamed on a bot.
"""

import os
import random
import signal
from pathlib import Path

import pytest
from cluster_killing import ClusterCompetition, Troubles, run_through, troubled
from waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]

KILLS = 3
SEED = 7
SEEDS = 4  # so many that the first kill comes before the end, however quick the machine is


@pytest.fixture(scope="module")
def marker() -> str:
    return f"cluster-{os.getpid()}"


@pytest.fixture(scope="module")
def whole(marker: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of a run on this machine."""
    run = ClusterCompetition(tmp_path_factory.mktemp("whole") / "run", marker, jobs=2, seeds=SEEDS)
    assert run.start().wait() == 0
    return run.digest()


def test_what_is_killed_comes_to_the_same(marker: str, whole: str, tmp_path: Path) -> None:
    with troubled(random.Random(SEED), KILLS) as troubles:
        run = ClusterCompetition(
            tmp_path / "run", marker, jobs=1, seeds=SEEDS, cluster=troubles.cluster
        )
        run_through(run, troubles, (0.1, 2.0))
    assert run.digest() == whole
    assert troubles.done


@pytest.mark.soak
def test_a_worker_that_stands_still_is_played_around_and_comes_back(
    marker: str, whole: str, tmp_path: Path
) -> None:
    with troubled(random.Random(SEED), 0) as troubles:
        cluster = troubles.cluster
        run = ClusterCompetition(tmp_path / "run", marker, jobs=1, seeds=SEEDS, cluster=cluster)
        cluster.start_worker("still")
        process = run.start()
        said = run.folder / "said"
        assert until(
            lambda: "commitment" in said.read_text() and stop_at_its_table(troubles, "still")
        )
        cluster.start_worker("other")
        silent = "worker still is silent; its table is played elsewhere"
        assert until(lambda: silent in said.read_text()), said.read_text()
        cluster.kill("still", signal.SIGCONT)
        assert process.wait(600) == 0
    assert run.digest() == whole
    assert run.voids() == 0


def stop_at_its_table(troubles: Troubles, name: str) -> bool:
    """Stop a worker if it plays a table, and tell whether it does: a table that has
    just ended is not played elsewhere. A worker answers once the process that played
    has ended.
    """
    troubles.cluster.kill(name, signal.SIGSTOP)
    if troubles.players(name):
        return True
    troubles.cluster.kill(name, signal.SIGCONT)
    return False
