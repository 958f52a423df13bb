"""Who gets a table, who is refused, and what is played again: on workers that are made
up.
"""

import dataclasses
from typing import Any

import msgspec
import pytest
from made_up_workers import GOOD, crew, worker
from wording import sentence

from khiva_arena.bots.sandbox.level import TRUSTING
from khiva_arena.bots.sandbox.limits import GIB, Resources
from khiva_arena.extensions.cluster import offers
from khiva_arena.extensions.cluster.worker_messages import SeenWorker
from khiva_arena.extensions.cluster.workers import AGAIN_SECONDS, SILENT_SECONDS, Crew

OWN = offers.CommandHas("0.2.0", "abc", "3.11")
# --- what a worker has ---


@pytest.mark.parametrize(
    ("has", "why"),
    [
        ({}, ""),
        ({"version": "0.1.0"}, "it has khiva-arena 0.1.0, this is 0.2.0"),
        ({"source": "other"}, "its khiva-arena 0.2.0 has other files than this one"),
        ({"python": "3.12"}, "it runs Python 3.12, this is 3.11"),
        ({"clock": 800.0}, sentence("cluster", "clock-wrong-s", late="195")),
        ({"clock": 1200.0}, sentence("cluster", "clock-wrong-s", late="195")),
        ({"levels": {"trusted": "no"}}, "isolation trusted does not work there: no"),
        (
            {"memory": GIB // 2},
            "it has " + sentence("cluster", "memory-bot-may-use", has="512 MiB", needs="1 GiB"),
        ),
        ({"limits": {"NOFILE": 100}}, "processes may have 100 there (ulimit), and each bot 256"),
    ],
)
def test_a_worker_without_what_the_event_defines_is_refused(has: dict[str, Any], why: str) -> None:
    assert (
        offers.why_refused(msgspec.structs.replace(GOOD, **has), OWN, TRUSTING, 995.0, 1005.0)
        == why
    )


def test_limits_are_those_of_the_event() -> None:
    few = dataclasses.replace(TRUSTING, resources=Resources(open_files=64))
    assert (
        offers.why_refused(
            msgspec.structs.replace(GOOD, limits={"NOFILE": 100}), OWN, few, 995.0, 1005.0
        )
        == ""
    )


# --- one match for each core ---


@pytest.mark.parametrize(
    ("cores", "share", "threads", "slots"),
    [
        ([0, 1, 2, 3], None, 2, 2),
        ([0, 1], None, 16, 2),
        ([0, 1, 2, 3], 1.5, 16, 1),
        ([0], 0.5, 4, 1),
    ],
)
def test_a_worker_plays_one_match_for_each_core_that_it_has(
    cores: list[int], share: float | None, threads: int, slots: int
) -> None:
    assert offers.slots(msgspec.structs.replace(GOOD, cores=cores, share=share), threads) == slots


def test_the_workers_of_one_machine_share_its_cores() -> None:
    elsewhere = worker("c", msgspec.structs.replace(GOOD, machine="two"))
    made = crew(worker("a", threads=2), worker("b", threads=2), elsewhere)
    for number in range(3):
        best = made.best_for(set())
        assert best is not None
        best.tasks.add(str(number))
    assert made.best_for(set()) is None
    assert len(elsewhere.tasks) == 1


def test_a_table_goes_to_another_worker_unless_there_is_none() -> None:
    made = crew(worker("a"), worker("b"))
    assert made.best_for({"a"}) is made.workers["b"]
    made.workers["b"].tasks.add("one")
    assert made.best_for({"a"}) is None
    assert made.best_for({"a", "b"}) is made.workers["a"]


def test_a_worker_takes_no_more_matches_than_its_resource_says() -> None:
    told = {"name": "a", "nthreads": 8, "last_seen": 1.0, "resources": {}}
    workers = [
        told,
        told | {"resources": {"khiva-arena": 2.0}},
        told | {"resources": {"khiva-arena": 0}},
        told | {"resources": None},
    ]
    from khiva_arena.extensions.cluster.link import workers_seen  # not above: it imports Dask

    found = workers_seen(dict(zip("abcd", workers, strict=True)))
    assert [one.threads for one in found.values()] == [8, 2, 0, 8]
    made = Crew()
    made.update(found, 0.0)
    assert set(made.workers) == set("abd")


def test_workers_that_do_not_play_are_named_with_the_reason() -> None:
    made = Crew()
    told = {
        "a": SeenWorker("ann", 0, 1.0),
        "b": SeenWorker("bob", 1, 1.0),
        "c": SeenWorker("cleo", 1, 1.0),
    }
    made.update(told, 0.0)
    made.update(told | {"c": SeenWorker("cleo", 1, 30.0)}, SILENT_SECONDS + 1)
    assert made.absences() == [
        "worker ann: it offers 0 matches at a time (--resources khiva-arena=0)",
        "worker bob: it is silent",
        "worker cleo: it has not answered yet",
    ]


# --- who is there ---


def test_a_worker_that_is_not_heard_of_is_silent_until_it_is() -> None:
    made = Crew()
    assert made.update({"a": SeenWorker("a", 1, 5.0)}, 0.0) == []
    assert made.update({"a": SeenWorker("a", 1, 5.0)}, SILENT_SECONDS) == []
    one = made.workers["a"]
    assert made.update({"a": SeenWorker("a", 1, 5.0)}, SILENT_SECONDS + 1) == [one]
    assert one.silent
    assert not list(made.to_ask(SILENT_SECONDS + 1))
    assert made.update({"a": SeenWorker("a", 1, 5.0)}, SILENT_SECONDS + 2) == []
    assert made.update({"a": SeenWorker("a", 1, 6.0)}, SILENT_SECONDS + 3) == []
    assert not one.silent
    assert made.update({}, SILENT_SECONDS + 4) == [one]
    assert not made.workers


def test_one_that_was_too_slow_is_asked_again_later_and_one_that_lacks_something_never() -> None:
    made = crew(worker("slow"), worker("old"))
    made.refuse_for_now(made.workers["slow"], sentence("cluster", "too-slow"), 0.0)
    made.refuse(made.workers["old"], "it is old")
    assert not list(made.to_ask(AGAIN_SECONDS - 1))
    assert [one.name for one in made.to_ask(AGAIN_SECONDS)] == ["slow"]
    assert not made.hopeless()
    del made.workers["slow"]
    assert made.hopeless()
    assert made.refusals() == ["worker old: it is old"]
