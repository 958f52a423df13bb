"""The recorded stores that all rooms read hold what is said of them, and each command
that reads a store takes them.
"""

import json
from pathlib import Path

import pytest
from arena import arena

from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow

SHAPES = {
    "round_robin": ["round-robin"],
    "swiss": ["round-robin", "round-robin", "swiss"],
    "stages": ["round-robin", "knockout"],
}


@pytest.mark.parametrize("shape", [*SHAPES, pytest.param("ticks", marks=pytest.mark.language)])
def test_each_shape_is_read_by_every_command(shape: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(shape)
    verified = [
        json.loads(arena("verify", place, "--json", cwd=folder).stdout)["events"]
        for place in ("out", "out.khiva")
    ]
    for events in verified:
        assert all(event["sound"] == event["planned"] and not event["problems"] for event in events)
    assert [event["digest"] for event in verified[0]] == [event["digest"] for event in verified[1]]
    with Store.read(folder / "out") as store:
        assert [event.definition.format for event in store.events()] == SHAPES.get(
            shape, ["round-robin"]
        )
    for words in (
        ["show", "out", "1/0"],
        ["standings", "out", "--section", "all"],
        ["export", "out", "--format", "csv"],
    ):
        assert arena(*words, cwd=folder).stdout
    arena("report", "out", "--out", "page.html", cwd=folder)


def test_one_strikes_and_one_forfeits(round_robin: Path) -> None:
    (table,) = json.loads(arena("standings", "out", "--json", cwd=round_robin).stdout)["standings"]
    faults = {
        row["name"]: {fault for fault, times in row["faults"].items() if times}
        for row in table["rows"]
    }
    assert faults == {
        "random": set(),
        "naive": set(),
        "strikes": {"illegal"},
        "forfeits": {"crashed"},
    }
