"""``run --seeds 5`` after two: a second event of three, with a secret of its own, that
extends the first.
"""

import csv
import io
import json
import re
import shutil
import signal
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from arena import C, arena, bots, kill, wait_for_matches
from forging import forge
from forked_command import started
from once import made_once
from stores import NAIVE, TRUSTED
from wording import sentence

from khiva_arena.arbiter import live, match_queue
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.interface.commands.more_seeds import commands
from khiva_arena.records.replay import seeds
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow
RUN = ["run", *bots(C, NAIVE), *TRUSTED, "--rule", "max_turns=6", "--seats", "2", "--out", "out"]


@made_once
def chain(folder: Path) -> None:
    """Two seeds in "out", extended to five; stderr of both runs beside it."""
    (folder / "first").write_text(arena(*RUN, "--seeds", "2", cwd=folder).stderr)
    second = arena(*RUN, "--seeds", "5", cwd=folder)
    (folder / "second").write_text(second.stderr)
    (folder / "table").write_text(second.stdout)


def json_of(*words: str, cwd: Path) -> dict:
    return json.loads(arena(*words, "--json", cwd=cwd).stdout)


def test_an_extension_has_the_missing_seeds_and_a_secret_of_its_own(chain: Path) -> None:
    said = (chain / "second").read_text()
    assert "3 seeds x 1 line-up x 2 rotations = 6 matches" in said
    assert (
        sentence(
            "events",
            "extends-event-seeds-deals",
            number="1",
            known=sentence("events", "whose-results-known"),
            value="2",
            to="5",
        )
        in said
    )
    with Store.read(chain / "out") as store:
        first, second = store.events()
        assert (first.definition.extends, second.definition.extends) == (None, first.id)
        assert (first.definition.seeds, second.definition.seeds) == (2, 3)
        assert first.secret != second.secret
        secrets = [*store.reveals(first.id).values(), *store.reveals(second.id).values()]
    assert len(set(secrets)) == len(secrets) == 2 + 1 + 3 + 1


def test_one_table_has_all_seeds_of_a_chain(chain: Path) -> None:
    (table,) = json_of("standings", "out", cwd=chain)["standings"]
    first, second = table["events"]
    assert table["extends"] == {second: first}
    assert (table["blocks"], table["matches"], len(table["events"])) == (5, 10, 2)
    text = (chain / "table").read_text()
    assert text == arena("standings", "out", cwd=chain).stdout
    assert "events 1, 2 (extends 1, " + sentence("events", "whose-results-known") + ")" in " ".join(
        text.split()
    )


def test_a_match_and_the_exports_say_that_its_event_extends_another(chain: Path) -> None:
    first, second = (event["id"] for event in json_of("show", "out", cwd=chain)["events"])
    assert (
        "event 2 extends event 1, " + sentence("events", "whose-results-known")
        in arena("show", "out", "2/0", cwd=chain).stdout
    )
    assert "extends" not in arena("show", "out", "1/0", cwd=chain).stdout
    assert [json_of("show", "out", match, cwd=chain)["extends"] for match in ("1/0", "2/0")] == [
        None,
        first,
    ]
    rows = csv.DictReader(io.StringIO(arena("export", "out", "--format", "csv", cwd=chain).stdout))
    assert {(row["event"], row["extends"]) for row in rows} == {(first, ""), (second, first)}
    objects = map(
        json.loads, arena("export", "out", "--format", "jsonl", cwd=chain).stdout.splitlines()
    )
    assert {(one["event"], one["extends"]) for one in objects} == {(first, None), (second, first)}


def test_the_same_command_plays_nothing_more(chain: Path) -> None:
    for number, words in (("2", ["--seeds", "5"]), ("1", ["--seeds", "2"])):
        again = arena(*RUN, *words, cwd=chain)
        assert (
            f"event {number} is over; "
            + sentence("competition", "no-other-event-these")
            + ": nothing is played"
            in again.stderr
        )


def test_another_event_at_the_same_seed_says_that_its_deals_are_known(tmp_path: Path) -> None:
    arena(*RUN, "--seeds", "1", "--seed", "abc", cwd=tmp_path)
    again = arena(*RUN, "--seeds", "2", "--seed", "abc", "--new-event", cwd=tmp_path).stderr
    assert (
        "warning: event 1 was played with this --seed, so its deals, which are revealed, are dealt "
        "again: another --seed, or none, gives new ones"
    ) in again
    other = arena(*RUN, "--seeds", "2", "--seed", "abcd", "--new-event", cwd=tmp_path).stderr
    assert "dealt again" not in other


def test_fewer_seeds_than_there_are_make_no_event_unasked(chain: Path, tmp_path: Path) -> None:
    shutil.copytree(chain / "out", tmp_path / "out")
    for number in ("1", "3", "4"):
        said = arena(*RUN, "--seeds", number, cwd=tmp_path, code=2).stderr
        assert (
            f"--seeds {number}: event 2 of these settings is over, and with it there are 5 seeds: "
            "give more to extend it, or --new-event to play"
        ) in said
    assert (
        sentence("events", "seeds-more-extends", chain="6")
        in arena(*RUN, "--seeds", "2", cwd=tmp_path).stderr
    )
    arena(*RUN, "--seeds", "1", "--new-event", cwd=tmp_path)
    assert "event 2 is over" in arena(*RUN, "--seeds", "5", cwd=tmp_path).stderr
    assert "event 3 is over" in arena(*RUN, "--seeds", "1", cwd=tmp_path).stderr
    assert "it extends event 2, " in arena(*RUN, "--seeds", "6", cwd=tmp_path).stderr
    with Store.read(tmp_path / "out") as store:
        first, second, third, last = store.events()
    assert [event.definition.seeds for event in (first, second, third, last)] == [2, 3, 1, 1]
    assert [event.definition.extends for event in (first, second, third, last)] == [
        None,
        first.id,
        None,
        second.id,
    ]


def test_what_is_not_extended_says_so(tmp_path: Path) -> None:
    words = [
        "run",
        *bots(C, NAIVE),
        "--seats",
        "2",
        "--isolation",
        "trusted",
        "--format",
        "swiss",
        "--rounds",
        "1",
        "--out",
        "out",
    ]
    arena(*words, "--seeds", "1", cwd=tmp_path)
    said = arena(*words, "--seeds", "2", cwd=tmp_path).stderr
    assert (
        "event 1 of these settings is over; a swiss is not extended: this is another, which" in said
    )
    assert (
        "is not extended" not in arena(*words, "--seeds", "3", "--new-event", cwd=tmp_path).stderr
    )


def test_show_verify_and_a_bundle_know_the_chain(chain: Path) -> None:
    assert (
        arena("show", "out", cwd=chain)
        .stdout.splitlines()[1]
        .endswith(", extends event 1, " + sentence("events", "whose-results-known"))
    )
    mark = "it extends event 1; the results of that event were known when it began"
    assert mark in arena("verify", "out", cwd=chain).stdout
    arena("bundle", "out", "both", cwd=chain)
    assert mark in arena("verify", "both", cwd=chain).stdout
    first = json_of("verify", "both", cwd=chain)["events"][0]["event"]
    arena("bundle", "out", "alone", "2", cwd=chain)
    (event,) = json_of("verify", "alone", cwd=chain)["events"]
    assert (event["extends"], event["extends_number"], event["problems"]) == (first, None, [])
    assert (
        "it extends " + f"event {first}, which was not checked here"
        in arena("verify", "alone", cwd=chain).stdout
    )


def test_verify_refuses_a_chain_that_cannot_be(chain: Path, tmp_path: Path) -> None:
    with Store.read(chain / "out") as store:
        first, second = store.events()
    for name, statements, problem in (
        (
            "settings",
            (
                "UPDATE events SET definition = replace(definition, '\"turn_ms\":1000', "
                f"'\"turn_ms\":999') WHERE id = '{first.id}'"
            ),
            "it extends event 1, which has other settings",
        ),
        (
            "secret",
            (
                "UPDATE events SET secret = (SELECT secret FROM events WHERE id = "
                f"'{first.id}') WHERE id = '{second.id}'"
            ),
            "its secret is that of event 1, which was revealed before",
        ),
        (
            "closed",
            f"INSERT INTO closures VALUES ('{first.id}', 'now', '')",
            "it extends event 1, which was closed before it was over",
        ),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "arena.db").write_bytes((chain / "out" / "arena.db").read_bytes())
        with closing(sqlite3.connect(folder / "arena.db")) as connection:
            forge(connection, statements)
        problems = [one for event in json_of_bad(folder)["events"] for one in event["problems"]]
        assert f"the event itself: {problem}" in problems


def json_of_bad(folder: Path) -> dict:
    return json.loads(arena("verify", str(folder), "--json", cwd=folder, code=1).stdout)


def test_an_extension_that_was_interrupted_is_resumed(tmp_path: Path) -> None:
    arena(*RUN, "--seeds", "2", cwd=tmp_path)
    running = started(*RUN, "--seeds", "30000", cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 8)
    kill(running, signal.SIGINT)
    running.communicate(timeout=60)
    refused = arena(*RUN, "--seeds", "40000", cwd=tmp_path, code=2)
    assert "--seeds 40000: event 2 is not over, " in refused.stderr
    assert (
        "of 59996 matches are recorded, and it brings event 1 to 30000 seeds: --seeds "
        "30000 continues it" in refused.stderr
    )
    assert (
        "--seeds 30000 goes on with event 2, which extends it"
        in arena(*RUN, "--seeds", "2", cwd=tmp_path).stderr
    )
    arena(*RUN, "--seeds", "2", "--new-event", cwd=tmp_path)
    with Store.read(tmp_path / "out") as store:
        recorded = sum(len(store.recorded(event.id)) for event in store.events())
    again = started(*RUN, "--seeds", "30000", cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", recorded + 4)
    kill(again, signal.SIGINT)
    _, said = again.communicate(timeout=60)
    assert sentence("competition", "recorded-before") in said
    assert (
        "it extends event 1, "
        + sentence("events", "whose-results-known")
        + ", from 2 to 30000 seeds"
        in said
    )
    with Store.read(tmp_path / "out") as store:
        assert len(store.events()) == 3


def test_a_given_seed_gives_the_extension_a_secret_that_the_first_one_does_not_tell(
    tmp_path: Path,
) -> None:
    for out in ("one", "two"):
        for number in ("1", "3"):
            done = arena(*RUN[:-1], out, "--seed", "demo", "--seeds", number, cwd=tmp_path)
        assert "it extends event 1" in done.stderr
    found = []
    for out in ("one", "two"):
        with Store.read(tmp_path / out) as store:
            first, second = store.events()
            assert (
                second.secret
                == seeds.extension_secret("demo", first.id)
                != first.secret
                == seeds.run_secret("demo")
            )
            found.append((second.id, store.conclusion(second.id)))
    assert found[0] == found[1]
    arena(*RUN[:-1], "hex", "--seed", "0f" * 32, "--seeds", "1", cwd=tmp_path)
    refused = arena(*RUN[:-1], "hex", "--seed", "0f" * 32, "--seeds", "2", cwd=tmp_path, code=2)
    assert (
        "is over, and these 64 hex digits, its secret, are revealed: give another seed, or "
        "none, for another event"
    ) in refused.stderr


def test_what_a_given_seed_draws_next_is_not_played_once_a_closed_extension_has_revealed_it(
    tmp_path: Path,
) -> None:
    run = [*RUN, "--seed", "demo"]
    arena(*run, "--seeds", "1", cwd=tmp_path)
    arena(*run, "--seeds", "3", "--commit", cwd=tmp_path)
    arena("close", "out", "2", "--yes", cwd=tmp_path)
    for number in ("3", "4"):
        refused = arena(*run, "--seeds", number, cwd=tmp_path, code=2)
        assert "event 2, which extended event 1, was closed" in refused.stderr
    drawn = arena(*RUN, "--seeds", "3", "--new-event", cwd=tmp_path)
    assert "extends" not in drawn.stderr


def test_another_event_can_still_be_begun(tmp_path: Path) -> None:
    arena(*RUN, "--seeds", "1", cwd=tmp_path)
    another = arena(*RUN, "--seeds", "2", "--new-event", cwd=tmp_path)
    assert "extends" not in another.stderr
    fewer = arena(*RUN, "--seeds", "1", "--turn", "2s", cwd=tmp_path)
    assert "extends" not in fewer.stderr
    longer = arena(*RUN, "--seeds", "3", cwd=tmp_path)
    assert (
        "it extends event 2, " + sentence("events", "whose-results-known") + ", from 2 to 3 seeds"
        in longer.stderr
    )


def test_a_swiss_is_not_extended(tmp_path: Path) -> None:
    """Its seeds are those of each round."""
    for number in ("1", "2"):
        done = arena(*RUN, "--format", "swiss", "--rounds", "1", "--seeds", number, cwd=tmp_path)
    assert "extends" not in done.stderr


def test_the_command_that_plan_names_extends_the_chain(chain: Path) -> None:
    with Store.read(chain / "out") as store:
        events = store.events()
    (line,) = commands(Path("out"), events, 2.0)
    assert re.search(r" --seeds 10 --out out$", line)


def test_an_event_that_an_outage_left_unfinished_is_completed_and_then_extended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host starts no bots from the third match on."""
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    sound, begun = live.Processes, count(1)

    def short(*words: Any, **how: Any) -> Any:
        if next(begun) > 2:
            raise HostFault("no free process")
        return sound(*words, **how)

    with monkeypatch.context() as outage:
        outage.setattr(live, "Processes", short)
        said = arena(*RUN, "--seeds", "2", cwd=tmp_path, code=1).stderr
    assert (
        "2 matches were not played, since every match tried was void at once; the same "
        "command tries them again"
    ) in said
    refused = arena(*RUN, "--seeds", "5", cwd=tmp_path, code=2).stderr
    assert "event 1 is not over" in refused
    assert sentence("events", "seeds-goes-once-over", total="2") in refused
    arena(*RUN, "--seeds", "2", cwd=tmp_path)
    assert "it extends event 1" in arena(*RUN, "--seeds", "5", cwd=tmp_path).stderr
    (table,) = json_of("standings", "out", cwd=tmp_path)["standings"]
    assert (table["blocks"], table["matches"]) == (5, 10)
    assert re.findall(
        r"\d+ of \d+ matches are sound", arena("verify", "out", cwd=tmp_path).stdout
    ) == [
        "4 of 4 matches are sound",
        "6 of 6 matches are sound",
    ]
