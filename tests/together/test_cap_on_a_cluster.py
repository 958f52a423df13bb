"""A cap on a cluster ends an event between two tables, and the workers' transcripts are
kept.
"""

import json
import re
from pathlib import Path

import pytest
from arena import arena, arena_process, bots
from dask_cluster import dask_cluster
from stand_in import costly
from waiting import until
from wording import sentence

from khiva_arena.common.exit_codes import BAD_RESULT
from khiva_arena.competition.events.transcripts import transcripts_of
from khiva_arena.records.store.db import Store

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]


def test_a_cap_ends_an_event_between_tables_and_transcripts_are_kept(tmp_path: Path) -> None:
    named = bots(costly(tmp_path, "a"), costly(tmp_path, "b"), costly(tmp_path, "c"))
    how = (
        "--seats",
        "2",
        "--rule",
        "max_turns=2",
        "--isolation",
        "trusted",
        "--trust-bots",
        "--seed",
        "cap",
        "--out",
        "out",
    )
    run = ("run", *named, *how, "--transcripts", "1MB")
    arena(*run, "--seeds", "2", "--commit", cwd=tmp_path)
    with dask_cluster() as cluster:
        cluster.start_worker("ann")
        assert until(lambda: "Registered to" in cluster.log("ann"))
        said = arena_process(
            *run, "--spend", "0.0065", *cluster.flags, cwd=tmp_path, code=BAD_RESULT
        ).stderr
    assert sentence("spending", "ended", number="1") in said
    tried = (
        int(re.findall(r"stay; 0\.00(\d) of 0\.0065 EUR spent", said)[0]) * 1_000
    )  # no bot starts here and tells its currency
    with Store.read(tmp_path / "out") as store:
        (event,) = store.events()
        matches = list(store.matches(event.id))
        kept = [
            one.plain()
            for match in matches
            for one in transcripts_of(store, event, match.ordinal).values()
        ]
    logged = [
        int(amount)
        for match in matches
        for seat in match.seats
        for amount in re.findall("in all ([0-9]+)", seat.notes)
    ]
    tables = [(match.seed, match.lineup) for match in matches]
    assert {tables.count(table) for table in tables} == {2}
    assert len(kept) == len(logged) == 2 * len(matches) == 8
    assert all("in all 500" in json.dumps(one) for one in kept)
    (table,) = json.loads(arena("standings", "out", "--json", cwd=tmp_path).stdout)["standings"]
    (part,) = table["partial"]
    assert part["capped"] == {
        "cap": 6_500,
        "spent": tried + sum(logged),
        "at_least": False,
        "currency": "EUR",
    }
    assert (tried, sum(logged)) == (2_000, 4_000)
    assert f"{len(matches)} of 12 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout
