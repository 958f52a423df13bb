"""Tables that were looked at before they were played on: extended events, events short
of their end, and planned looks.
"""

import json
from pathlib import Path

import pytest
from arena import C, arena, bots
from msgspec import structs
from once import made_once
from stores import NAIVE, TRUSTED
from wording import sentence

from khiva_arena.competition.events.looks import looks_of
from khiva_arena.competition.events.pools import results_of, standings_of
from khiva_arena.rating.ratings.looks import ONE_LOOK, planned, unplanned
from khiva_arena.rating.report.rating_table import to_json, to_text
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow
RUN = ["run", *bots(C, NAIVE), *TRUSTED, "--seats", "2", "--jobs", "1"]
SAID = sentence("report", "extended-short-planned-end")


@made_once
def folder(folder: Path) -> None:
    """Play "chain", six seeds, extended to eight; "looks", three seeds of two looks,
    and the second; "plain", six seeds.
    """
    for draw in range(20):
        arena(*RUN, "--seeds", "6", "--out", f"draw{draw}", cwd=folder)
        # Two draws in a hundred have the same score on every seed: such an event has no
        # error.
        if all(
            row["error"] is not None
            for row in json_of("standings", f"draw{draw}", cwd=folder)["rows"]
        ):
            break
    (folder / f"draw{draw}").rename(folder / "chain")
    arena(*RUN, "--seeds", "8", "--out", "chain", cwd=folder)
    for seeds in ("3", "6"):
        arena(*RUN, "--seeds", seeds, "--looks", "2", "--out", "looks", cwd=folder)
    arena(*RUN, "--seeds", "6", "--seed", "a", "--out", "plain", cwd=folder)


def json_of(*words: str, cwd: Path) -> dict:
    [table] = json.loads(arena(*words, "--json", cwd=cwd).stdout)["standings"]
    return table


@pytest.mark.soak
def test_an_extended_table_allows_for_looking_and_a_planned_one_is_plain(folder: Path) -> None:
    table = json_of("standings", "chain", cwd=folder)
    assert table["looks"]["kind"] == "mixture"
    assert table["looks"]["factor"] > 1.5
    assert SAID in arena("standings", "chain", cwd=folder).stdout
    for words in (["plain"], ["chain", "1"]):
        assert "looks" not in json_of("standings", *words, cwd=folder)
        assert SAID not in arena("standings", *words, cwd=folder).stdout


def test_an_event_that_is_short_of_its_end_may_be_stopped_there(folder: Path) -> None:
    """By Ctrl-C, a kill or anything else; once it has come to its end, the table is as
    planned.
    """
    with Store.read(folder / "plain") as store:
        events = store.events()
        results = list(results_of(store, events[0]))
    short, whole = standings_of(events, results[:10]), standings_of(events, results)
    assert short.ratings.widening.looks == unplanned(6)
    assert SAID in to_text(short)
    assert to_json(short)["looks"]["kind"] == "mixture"
    assert whole.ratings.widening.looks is ONE_LOOK


def test_planned_looks_are_recorded_before_the_first_match_and_are_hardly_wider_at_the_last(
    folder: Path,
) -> None:
    with Store.read(folder / "looks") as store:
        first, second = store.events()
    assert (first.definition.looks, second.definition.looks) == (2, 2)
    assert '"looks":2' in first.definition.text
    early, late = (
        json_of("standings", "looks", *words, cwd=folder)["looks"] for words in (["1"], [])
    )
    assert (early["kind"], late["kind"]) == ("planned", "planned")
    assert 1 < late["factor"] < 1.2 < early["factor"]
    assert looks_of([first]) == looks_of([first, second]) == planned(2, 6)
    further = structs.replace(
        second,
        id="f" * 16,
        text=structs.replace(second.definition, extends=second.id, seed="0" * 64).text,
    )
    assert looks_of([first, second, further]) == unplanned(3)  # more looks than were planned
    odd = structs.replace(second, text=structs.replace(second.definition, seeds=2).text)
    assert looks_of([first, odd]) == unplanned(3)  # not where they were planned


def test_events_without_looks_have_the_definitions_that_they_had(folder: Path) -> None:
    with Store.read(folder / "plain") as store:
        [event] = store.events()
    assert "looks" not in event.definition.text


def test_a_plan_says_what_extending_does_and_counts_with_it(folder: Path) -> None:
    said = " ".join(arena("plan", "chain", "1", "--gap", "400", cwd=folder).stdout.split())
    assert (
        "extend an event whose results you have seen: the errors of the table then hold "
        "however often one looks"
    ) in said
    given = " ".join(arena("plan", "plain", "--gap", "400", cwd=folder).stdout.split())
    assert (
        "extend an event" not in given
    )  # its seed was given: what is played next is drawn, and extends nothing


@pytest.mark.parametrize("words", [["--format", "swiss"], ["--format", "knockout"]])
def test_looks_are_of_what_can_be_extended(folder: Path, words: list[str]) -> None:
    wrong = arena(
        *RUN, *words, "--seeds", "2", "--looks", "3", "--out", "other", cwd=folder, code=2
    ).stderr
    assert (
        "--looks: only a round-robin or a gauntlet without stages can be extended after a "
        "look; leave it out" in wrong
    )
    assert "--looks" in arena(*RUN, "--looks", "21", "--out", "other", cwd=folder, code=2).stderr
