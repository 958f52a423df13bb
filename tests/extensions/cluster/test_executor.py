"""A cluster is an executor as the processes of one machine are."""

import typing

from khiva_arena.competition.playing.executor import Executor, LocalExecutor
from khiva_arena.extensions.cluster.dask_executor import Cluster


def test_an_executor_has_all_that_a_run_and_a_budget_need() -> None:
    members = typing.get_type_hints(Executor).keys() | {
        name for name in vars(Executor) if not name.startswith("_")
    }
    for executor in (LocalExecutor, Cluster):
        missing = {name for name in members if not hasattr(executor, name)} - {
            "say"
        }  # which each object has
        assert missing == set()
