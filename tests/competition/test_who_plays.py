"""Each place where matches can be played has an executor."""

import typing

import pytest

from khiva_arena.playing.executor import Executor, LocalExecutor
from khiva_arena.settings.settings import settings_from


@pytest.mark.parametrize(("settings", "place"), [({}, ""), ({"dask": "local:2"}, "dask")])
def test_a_setting_names_the_place(settings: dict[str, str], place: str) -> None:
    assert settings_from({"bots": ("a", "b"), **settings}).place == place


def test_an_executor_has_all_that_a_run_and_a_budget_need() -> None:
    from khiva_arena.cluster.dask_executor import Cluster  # not above: it takes a second to import

    members = typing.get_type_hints(Executor).keys() | {name for name in vars(Executor) if not name.startswith("_")}
    for executor in (LocalExecutor, Cluster):
        missing = {name for name in members if not hasattr(executor, name)} - {"say"}  # which each object has
        assert missing == set()
