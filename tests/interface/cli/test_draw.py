"""What a draw hangs on: a commitment to definition and secret, and a public text; and
which event the same command means.
"""

import json
import shutil
import signal
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from arena import C, arena, bots, kill, wait_for_matches
from bundling import forged, lines_of
from forging import forge
from forked_command import started
from once import made_once
from published import command, published
from stores import NAIVE, RANDOM, TRUSTED
from wording import sentence

from khiva_arena.interface.cli.main import run
from khiva_arena.records.replay import seeds
from khiva_arena.records.store.db import EventRow, Store

pytestmark = pytest.mark.slow

TWO = [*bots(RANDOM, NAIVE), *TRUSTED, "--rule", "max_turns=6", "--seats", "2"]
RUN = ["run", *TWO, "--seeds", "1", "--out", "out"]
LONG = ["run", *TWO, "--seeds", "30000", "--out", "out"]


def events(folder: Path) -> list[EventRow]:
    with Store.read(folder) as store:
        return store.events()


def matches(folder: Path) -> dict[str, list[Any]]:
    """By event, each match's id and record."""
    with Store.read(folder) as store:
        return {
            row.id: [(match.id, json.loads(match.record)) for match in store.matches(row.id)]
            for row in store.events()
        }


@made_once
def committed(folder: Path) -> None:
    """A folder with a store that holds an event that was committed to."""
    arena(*RUN, "--commit", cwd=folder)


@pytest.fixture
def copy(committed: Path, tmp_path: Path) -> Path:
    shutil.copytree(committed / "out", tmp_path / "out")
    return tmp_path


# --- what binds what ---


def test_a_commitment_binds_the_definition_and_the_id_hangs_on_both(copy: Path) -> None:
    (event,) = events(copy / "out")
    assert event.commitment == seeds.commitment(event.definition.digest, event.secret)
    assert (
        event.id
        == seeds.event_id(event.definition.digest, event.commitment)
        != event.definition.digest[:16]
    )
    other = msgspec.structs.replace(
        event.definition, limits=replace(event.definition.limits, memory=2**29)
    )
    assert seeds.commitment(other.digest, event.secret) != event.commitment


def test_commit_prints_what_is_to_be_published_and_plays_nothing(copy: Path) -> None:
    before = (copy / "out" / "arena.db").read_bytes()
    (event,) = events(copy / "out")
    said = arena(*RUN, "--commit", cwd=copy)
    assert said.stdout.splitlines() == [
        f"event 1 ({event.id}): 0 of 2 matches are recorded",
        f"definition {event.definition.digest}",
        f"commitment {event.commitment}",
    ]
    assert "next: publish the commitment" in said.stderr
    told = json.loads(arena(*RUN, "--commit", "--json", cwd=copy).stdout)
    assert (told["event"], told["commitment"], told["recorded"], told["planned"]) == (
        event.id,
        event.commitment,
        0,
        2,
    )
    assert (copy / "out" / "arena.db").read_bytes() == before
    played = arena(*RUN, cwd=copy)
    assert f"commitment {event.commitment}" in played.stderr
    assert [row.id for row in events(copy / "out")] == [event.id]
    assert "2 of 2 matches are sound" in arena("verify", "out", cwd=copy).stdout


def test_runs_without_a_seed_share_nothing(
    copy: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    arena(*RUN, cwd=copy)
    arena(*RUN, cwd=elsewhere)
    (one,), (other,) = events(copy / "out"), events(elsewhere / "out")
    assert one.definition == other.definition
    assert one.id != other.id
    assert one.terms().key != other.terms().key
    (mine,), (theirs,) = matches(copy / "out").values(), matches(elsewhere / "out").values()
    assert not {match for match, _ in mine} & {match for match, _ in theirs}


def test_what_was_committed_to_and_is_not_played_is_told(copy: Path) -> None:
    (event,) = events(copy / "out")
    said = arena(*RUN, "--turn", "2s", cwd=copy).stderr
    assert f"event 1 (other settings, no match yet, commitment {event.commitment}) is kept" in said
    assert [len(found) for found in matches(copy / "out").values()] == [0, 2]


# --- which event the same command means ---


def test_what_is_over_is_not_played_again_unless_another_event_is_asked_for(tmp_path: Path) -> None:
    first = arena(*RUN, cwd=tmp_path)
    again = arena(*RUN, cwd=tmp_path)
    assert again.stdout == first.stdout
    assert (
        "event 1 is over; "
        + sentence("competition", "no-other-event-these")
        + ": nothing is played"
        in again.stderr
    )
    assert "give --new-event with --commit" in arena(*RUN, "--commit", cwd=tmp_path, code=2).stderr
    arena(*RUN, "--new-event", cwd=tmp_path)
    one, two = events(tmp_path / "out")
    assert one.definition == two.definition
    assert (one.id, one.secret) != (two.id, two.secret)
    assert "event 2 is over" in arena(*RUN, cwd=tmp_path).stderr
    assert len(events(tmp_path / "out")) == 2
    assert arena("verify", "out", cwd=tmp_path).stdout.count("2 of 2 matches are sound") == 2
    assert arena("standings", "out", cwd=tmp_path).stdout.count("rank  bot") == 1


def test_the_newest_that_is_not_over_goes_on_even_if_another_one_is_asked_for(
    tmp_path: Path,
) -> None:
    arena(*RUN, cwd=tmp_path)
    (first,) = events(tmp_path / "out")
    arena(*RUN, "--new-event", "--commit", cwd=tmp_path)
    second = events(tmp_path / "out")[1]
    for words in ([*RUN, "--new-event", "--commit"], [*RUN, "--commit"]):
        assert second.commitment in arena(*words, cwd=tmp_path).stdout
    arena(*RUN, "--new-event", cwd=tmp_path)
    assert [row.id for row in events(tmp_path / "out")] == [first.id, second.id]
    assert [len(found) for found in matches(tmp_path / "out").values()] == [2, 2]


def test_one_seed_gives_one_event(tmp_path: Path) -> None:
    words = [*RUN, "--seed", "x"]
    arena(*words, cwd=tmp_path)
    arena(*words[:-2], "--seed", "x", "--out", "other", cwd=tmp_path)
    assert events(tmp_path / "out")[0].id == events(tmp_path / "other")[0].id
    assert "nothing is played" in arena(*words, cwd=tmp_path).stderr
    error = arena(*words, "--new-event", cwd=tmp_path, code=2).stderr.splitlines()[-1]
    assert sentence("events", "new-event-same-settings", number="1") in error
    assert "once more, which is over; give another --seed or none, or another --out" in error
    assert len(events(tmp_path / "out")) == 1


# --- a public text ---


def test_a_public_text_is_mixed_into_deals_and_schedule_and_into_no_id(
    committed: Path, tmp_path: Path
) -> None:
    found = {}
    for name, more in (
        ("none", []),
        ("a", ["--public", "draw 17: 4 8 15"]),
        ("b", ["--public", "draw 17: 4 8 16"]),
    ):
        shutil.copytree(committed / "out", tmp_path / name / "out")
        said = arena(*RUN, *more, cwd=tmp_path / name).stderr
        assert "proves nothing" not in said
        (event,) = events(tmp_path / name / "out")
        found[name] = (event, matches(tmp_path / name / "out")[event.id])
        told = arena("verify", "out", cwd=tmp_path / name).stdout
        assert "2 of 2 matches are sound" in told
        assert ("public text 'draw 17" in told) == bool(more)
        arena("bundle", "out", "b.khiva", cwd=tmp_path / name)
        assert "2 of 2 matches are sound" in arena("verify", "b.khiva", cwd=tmp_path / name).stdout
    assert (
        len({event.id for event, _ in found.values()})
        == len({event.commitment for event, _ in found.values()})
        == 1
    )
    assert len({tuple(match for match, _ in rows) for _, rows in found.values()}) == 1
    assert len({event.terms().key for event, _ in found.values()}) == 3
    assert len({rows[0][1]["header"]["commit"] for _, rows in found.values()}) == 3
    assert [event.public for event, _ in found.values()] == [
        None,
        "draw 17: 4 8 15",
        "draw 17: 4 8 16",
    ]
    lines = lines_of(tmp_path / "a" / "b.khiva")
    for public in ("draw 17: 4 8 16", "", None, "x\x1b[2J", "x" * 1001):
        changed = [lines[0], {**lines[1], "public": public}, *lines[2:]]
        (tmp_path / "forged").write_bytes(forged(changed))
        said = arena("verify", "forged", cwd=tmp_path, code=1).stdout
        assert "\x1b" not in said
    without = {key: value for key, value in lines[1].items() if key != "public"}
    (tmp_path / "forged").write_bytes(forged([lines[0], without, *lines[2:]]))
    said = arena("verify", "forged", cwd=tmp_path, code=1).stdout
    assert (
        sentence(
            "audit",
            "not-runs-secret-gives",
            it=sentence("audit", "revealed-secret-seed") + " 0: it",
        )
        in said
    )


def test_a_public_text_comes_before_the_first_match_and_stays(copy: Path) -> None:
    arena(*LONG, "--commit", cwd=copy)
    for given, words in (
        ("first", ["--public", "first"]),
        ("first", ["--public", "first"]),
        ("first", []),
    ):
        before = matches(copy / "out")[events(copy / "out")[1].id]
        running = started(*LONG, *words, cwd=copy)
        wait_for_matches(copy / "out" / "arena.db", len(before) + 2)
        kill(running, signal.SIGINT)
        assert running.communicate(timeout=60)[1].count(f"public text '{given}'") == 1
        assert events(copy / "out")[1].public == given
    refused = arena(*LONG, "--public", "second", cwd=copy, code=2).stderr.splitlines()
    assert (
        "--public: event 2 has the public text 'first', which cannot change; give the same or none"
        in refused[-1]
    )
    assert len([line for line in refused if "error" in line]) == 1
    assert "are sound" in arena("verify", "out", "2", cwd=copy).stdout


def test_a_public_text_that_comes_too_late_is_refused(tmp_path: Path) -> None:
    running = started(*LONG, cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 2)
    kill(running, signal.SIGINT)
    running.communicate(timeout=60)
    before = matches(tmp_path / "out")
    refused = arena(*LONG, "--public", "late", cwd=tmp_path, code=2).stderr.splitlines()
    assert sentence("competition", "public-event-begun-without", number="1") in refused[-1]
    assert (matches(tmp_path / "out"), events(tmp_path / "out")[0].public) == (before, None)
    arena(*RUN, "--new-event", cwd=tmp_path)
    over = arena(*RUN, "--public", "late", cwd=tmp_path, code=2).stderr
    assert (
        "--public: these matches are already recorded, and were played without this text; "
        "leave it out" in over
    )


def test_a_public_text_that_came_with_the_commitment_is_said_to_prove_nothing(
    tmp_path: Path,
) -> None:
    assert (
        "nobody saw the commitment before this text was given, so it proves nothing"
        in arena(*RUN, "--public", "x", cwd=tmp_path).stderr
    )
    assert "nothing is played" in arena(*RUN, "--public", "x", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--public", "two\nlines"],
            "--public: "
            + sentence("events", "line-printable-characters-expected", public_most="1,000"),
        ),
        (
            ["--public", ""],
            "--public: "
            + sentence("events", "line-printable-characters-expected", public_most="1,000"),
        ),
        (
            ["--public", "x" * 1001],
            "--public: "
            + sentence("events", "line-printable-characters-expected", public_most="1,000"),
        ),
        (
            ["--public", "x", "--commit"],
            sentence("competition", "commit-public-publish-commitment"),
        ),
    ],
)
def test_what_is_no_public_text(tmp_path: Path, words: list[str], said: str) -> None:
    assert said in arena(*RUN, *words, cwd=tmp_path, code=2).stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("statement", "sums", "said"),
    [
        (
            "UPDATE beacons SET text = 'b'",
            False,
            "the row of its public text " + sentence("shards", "changed-since-written"),
        ),
        (
            "UPDATE beacons SET text = 'b'",
            True,
            sentence(
                "audit",
                "not-runs-secret-gives",
                it=sentence("audit", "revealed-secret-seed") + " 0",
            ),
        ),
        ("DELETE FROM beacons", False, "some were lost, added or changed"),
        (
            "DELETE FROM beacons",
            True,
            sentence(
                "audit",
                "not-runs-secret-gives",
                it=sentence("audit", "revealed-secret-seed") + " 0",
            ),
        ),
    ],
)
def test_a_public_text_that_was_changed_is_noticed(
    copy: Path, statement: str, sums: bool, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a store: by damage, and by a forger who works the sums out again."""
    with Store.write(copy / "out") as store:
        (event,) = store.events()
        store.add_public(event.id, "a")
    arena(*RUN, cwd=copy)
    with closing(sqlite3.connect(copy / "out" / "arena.db", isolation_level=None)) as connection:
        if sums:
            forge(connection, statement)
        else:
            connection.execute(statement)
    assert run(["verify", str(copy / "out")]) == 1
    assert said in capsys.readouterr().out


# --- stages, sequential tests, events of version 0.1.0 ---

STAGES = '[[stage]]\nname = "league"\nseeds = 1\n[[stage]]\nname = "final"\ntake = 2\nseeds = 1\n'


def test_stages_share_a_public_text_and_name_the_event_before(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(STAGES)
    words = ["run", "c.toml", *TWO, "--out", "out"]
    first = json.loads(arena(*words, "--commit", "--json", cwd=tmp_path).stdout)
    said = arena(*words, "--public", "dice 3 5", cwd=tmp_path).stderr
    assert "proves nothing" not in said
    league, final = events(tmp_path / "out")
    assert league.commitment == first["commitment"]
    assert (league.public, final.public) == ("dice 3 5", "dice 3 5")
    assert (league.definition.after, final.definition.after) == (None, league.id)
    assert arena("verify", "out", cwd=tmp_path).stdout.count("matches are sound") == 2
    assert "events 1, 2 are over" in arena(*words, cwd=tmp_path).stderr
    arena(*words, "--new-event", cwd=tmp_path)
    later = events(tmp_path / "out")[2:]
    assert [event.definition.stage for event in later] == [1, 2]
    assert later[1].definition.after == later[0].id
    assert [event.public for event in later] == [None, None]


def test_a_later_stage_can_have_a_commitment_and_a_text_of_its_own(tmp_path: Path) -> None:
    first, final = STAGES.split("\n[[stage]]\n")
    (tmp_path / "c.toml").write_text(first)
    words = ["run", "c.toml", *TWO, "--out", "out"]
    arena(*words, "--commit", cwd=tmp_path)
    arena(*words, "--public", "first text", cwd=tmp_path)
    (tmp_path / "c.toml").write_text(f"{first}\n[[stage]]\n{final}")
    assert "event 2 (" in arena(*words, "--commit", cwd=tmp_path).stdout
    assert "proves nothing" not in arena(*words, "--public", "second text", cwd=tmp_path).stderr
    assert [event.public for event in events(tmp_path / "out")] == ["first text", "second text"]
    assert arena("verify", "out", cwd=tmp_path).stdout.count("matches are sound") == 2


@pytest.mark.soak
def test_a_sequential_test_is_committed_to_as_well(tmp_path: Path) -> None:
    rates = ["--elo0", "-200", "--elo1", "300", "--alpha", "0.3", "--beta", "0.3"]
    any_verdict = ["--accept", "better,not-better,open"]
    words = [
        "sprt",
        NAIVE,
        C,
        *rates,
        *any_verdict,
        "--isolation",
        "trusted",
        "--rule",
        "max_turns=4",
        "--out",
        "out",
    ]
    said = arena(*words, "--commit", cwd=tmp_path).stdout
    (event,) = events(tmp_path / "out")
    assert f"commitment {event.commitment}" in said
    first = arena(*words, "--public", "17", cwd=tmp_path)
    assert events(tmp_path / "out")[0].public == "17"
    again = arena(*words, cwd=tmp_path)
    assert (again.stdout, "nothing is played" in again.stderr) == (first.stdout, True)
    assert "are sound" in arena("verify", "out", cwd=tmp_path).stdout


@pytest.mark.soak
def test_an_event_of_0_1_0_that_is_over_is_known_and_another_one_is_drawn_otherwise(
    tmp_path: Path,
) -> None:
    words = command("khiva", "knockout", tmp_path, published("khiva-knockout", tmp_path))
    assert "event 1 is over" in arena(*words, cwd=tmp_path).stderr
    assert len(events(tmp_path / "finished")) == 1
    arena(*words, "--new-event", "-j", "1", cwd=tmp_path, code=None)
    old, new = events(tmp_path / "finished")
    assert old.definition == new.definition
    assert (old.id, new.id) == (
        old.definition.digest[:16],
        seeds.event_id(new.definition.digest, new.commitment),
    )
    said = arena("verify", "finished", cwd=tmp_path).stdout
    assert said.count("matches are sound") == 2
    assert said.count("its schedule was drawn only from the settings, as version 0.1.0 did") == 1
