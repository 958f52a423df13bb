"""``khiva-arena close``, what becomes of an event that was closed, and bots and events
that are left out of tables.
"""

import json
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from arena import arena, bots, kill, wait_for_matches
from forging import forge
from forked_command import started
from once import made_once
from pages import blocks
from stores import GREEDY, NAIVE, RANDOM, TRUSTED
from terminal import Terminal
from wording import sentence

import khiva_arena
from khiva_arena.errors import ConfigError
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow
FAST = [*TRUSTED, "--rule", "max_turns=6", "--seats", "2", "--out", "out"]
RUN = ["run", *bots(RANDOM, NAIVE, GREEDY), *FAST, "--seeds", "20000"]


MATCHES_OF_A_SEED = 6


@made_once
def left(folder: Path) -> None:
    """In "out" an event of three bots that was left within a seed, and one of two of
    them that is over.
    """
    matches = 0
    for _ in range(
        10
    ):  # an event that stops between two seeds has nothing to reveal, and is continued
        if matches % MATCHES_OF_A_SEED:
            break
        running = started(*RUN, cwd=folder)
        wait_for_matches(folder / "out" / "arena.db", matches + 20)
        kill(running, signal.SIGINT)
        running.communicate(timeout=60)
        with Store.read(folder / "out") as store:
            matches = len(store.recorded(store.events()[0].id))
    assert matches % MATCHES_OF_A_SEED
    arena("run", *bots(RANDOM, NAIVE), *FAST, "--seeds", "2", "--new-event", cwd=folder)


@pytest.fixture
def copy(left: Path, tmp_path: Path) -> Path:
    """A folder with a store that may be written."""
    shutil.copytree(left / "out", tmp_path / "out")
    return tmp_path


@pytest.fixture
def closed(copy: Path) -> Path:
    arena("close", "out", "1", "--yes", cwd=copy)
    return copy


def json_of(*words: str, cwd: Path) -> dict:
    return json.loads(arena(*words, "--json", cwd=cwd).stdout)


def test_closing_reveals_and_ends_an_event(copy: Path) -> None:
    before = json_of("verify", "out", cwd=copy)["events"]
    assert before[0]["unrevealed"] > 0
    done = arena("close", "out", "1", "--yes", cwd=copy)
    assert (
        f"event 1 is closed: run digest {before[0]['digest']}; its secrets are revealed"
        in done.stderr
    )
    after = json_of("verify", "out", cwd=copy)["events"]
    assert (after[0]["closed"], after[0]["unrevealed"], after[0]["problems"]) == (True, 0, [])
    assert [one["digest"] for one in after] == [one["digest"] for one in before]
    assert "are not played, since it was closed" in arena("verify", "out", cwd=copy).stdout
    shown = json_of("show", "out", cwd=copy)["events"]
    assert (bool(shown[0]["closed"]), shown[1]["closed"]) == (True, None)
    assert "before it was over" in arena("show", "out", cwd=copy).stdout.splitlines()[0]


def test_a_closed_event_is_never_continued(closed: Path) -> None:
    done = arena(*RUN, cwd=closed, code=1)
    assert "event 1 was closed at" in done.stderr
    assert (
        "is never continued: nothing is played; "
        + sentence("competition", "new-event-plays-another")
        in done.stderr
    )
    assert [one["number"] for one in json_of("verify", "out", cwd=closed)["events"]] == [1, 2]
    for number, why in (("1", "nothing is left to close"), ("2", "is over"), ("3", "no event")):
        assert why in arena("close", "out", number, "--yes", cwd=closed, code=2).stderr
    another = arena(*RUN[:-1], "2", "--new-event", cwd=closed)
    assert "12 matches" in another.stderr


def test_a_closed_event_is_not_pooled_by_accident(closed: Path) -> None:
    done = arena("standings", "out", "--json", cwd=closed)
    assert "event 1 was closed with " in done.stderr
    assert "name event 1 to include it" in done.stderr
    (table,) = json.loads(done.stdout)["standings"]
    alone = json_of("standings", "out", "2", cwd=closed)["standings"][0]
    assert table == alone
    both = json_of("standings", "out", "1", "2", cwd=closed)["standings"][0]
    assert both["matches"] > alone["matches"]
    assert "event 1 (closed before it was over)" in " ".join(
        arena("standings", "out", "--events", "1", cwd=closed).stdout.split()
    )
    ids = {
        json.loads(line)["event"]
        for line in arena("export", "out", "--format", "jsonl", cwd=closed).stdout.splitlines()
    }
    assert ids == set(alone["events"])
    arena("bundle", "out", "b", cwd=closed)
    assert len(json_of("verify", "b", cwd=closed)["events"]) == 1
    assert (
        "was closed before it was over, and only complete events are bundled"
        in arena("bundle", "out", "c", "1", cwd=closed, code=2).stderr
    )
    arena("report", "out", "1", "--replays", "none", "--out", "page.html", cwd=closed)


def test_nobody_is_closed_unasked(copy: Path) -> None:
    done = arena("close", "out", "1", cwd=copy, code=2)
    assert sentence("terminal", "nobody-can-asked-here", flag="--yes") in done.stderr
    for answer, end in (
        (b"n\n", "nothing was changed"),
        (b"\n", "nothing was changed"),
        (b"y\n", "event 1 is closed"),
    ):
        asked = Terminal(["close", "out", "1"], copy, stdout=True)
        assert asked.until(lambda text: "[y/N]" in text)
        asked.type(answer)
        asked.end()
        assert end in asked.shown.text


def test_verify_tells_a_closed_event_from_one_that_lost_matches(closed: Path) -> None:
    """A match that was deleted is noticed by the digest, whatever sums say; so is a
    closing that was taken back.
    """
    for statements, problem in (
        (
            "DELETE FROM seats WHERE ordinal = 3; DELETE FROM matches WHERE ordinal = 3",
            sentence("audit", "when-event-closed"),
        ),
        (
            "DELETE FROM closures",
            sentence("audit", "event-stored-end", value="not over", value_2=""),
        ),
        ("DELETE FROM reveals WHERE seed = 0", sentence("audit", "revealed-secrets-not-those")),
        (
            "UPDATE conclusions SET digest = 'x'",
            sentence("audit", "run-digest-when-event", value="x"),
        ),
    ):
        folder = closed / problem.split()[-1]
        shutil.copytree(closed / "out", folder)
        with closing(sqlite3.connect(folder / "arena.db")) as connection:
            forge(connection, statements)
        said = arena("verify", str(folder), "1", cwd=closed, code=1).stdout
        assert problem in said
        shutil.rmtree(folder)
    with closing(sqlite3.connect(closed / "out" / "arena.db")) as connection:
        connection.execute("UPDATE closures SET at = 'never'")
        connection.commit()
    assert (
        "the row of its closing was changed"
        in arena("standings", "out", "1", cwd=closed, code=2).stderr
    )


def test_an_extension_that_was_closed_is_passed_over(tmp_path: Path) -> None:
    """What it extended can be extended again, under another secret."""
    run = ["run", *bots(RANDOM, NAIVE), *FAST]
    arena(*run, "--seeds", "2", cwd=tmp_path)
    arena(*run, "--seeds", "9", "--commit", cwd=tmp_path)
    arena("close", "out", "2", "--yes", cwd=tmp_path)
    left = arena(*run, "--seeds", "9", "--json", cwd=tmp_path, code=1)
    assert "event 2 was closed at" in left.stderr
    assert (
        "nothing is played; "
        + "--seeds 10 or more extends event"
        + " 1; "
        + sentence("competition", "new-event-plays-another")
        in left.stderr
    )
    assert [len(table["events"]) for table in json.loads(left.stdout)["standings"]] == [1]
    assert "it extends event 1, " + sentence(
        "events", "whose-results-known"
    ) + ", from 2 to 3 seeds" in (arena(*run, "--seeds", "3", cwd=tmp_path).stderr)
    events = json_of("verify", "out", "--sample", "1", cwd=tmp_path)["events"]
    assert [(event["closed"], event["extends_number"]) for event in events] == [
        (False, None),
        (True, 1),
        (False, 1),
    ]
    with Store.read(tmp_path / "out") as store:
        assert len({event.secret for event in store.events()}) == 3
    assert "; events 1, 3 (extends 1, " in " ".join(
        arena("standings", "out", cwd=tmp_path).stdout.split()
    )


def test_matches_of_a_bot_that_withdrew_do_not_count(copy: Path) -> None:
    rows = json_of("standings", "out", "1", cwd=copy)["standings"][0]["rows"]
    assert {row["name"] for row in rows} == {"random", "naive", "greedy"}
    without = json_of("standings", "out", "1", "--exclude", "greedy", cwd=copy)["standings"][0]
    assert {row["name"] for row in without["rows"]} == {"random", "naive"}
    assert without["exclude"] == ["greedy"]
    only = json_of("standings", "out", "1", "--only", "naive", "--only", "random", cwd=copy)[
        "standings"
    ][0]
    assert only["rows"] == without["rows"]
    assert "; event 1; without greedy" in " ".join(
        arena("standings", "out", "1", "--exclude", "greedy", cwd=copy).stdout.split()
    )
    exported = arena(
        "export", "out", "1", "--format", "csv", "--exclude", "greedy", cwd=copy
    ).stdout
    assert "greedy" not in exported
    every = arena("export", "out", "1", "--format", "csv", cwd=copy).stdout
    of_greedy = {line.split(",")[2] for line in every.splitlines() if "greedy" in line}
    assert exported.splitlines() == [
        line for line in every.splitlines() if line.split(",")[2] not in of_greedy
    ]
    (table,) = khiva_arena.standings(copy / "out", 1, exclude="greedy")
    assert [row.name for row in table.rows] == [row["name"] for row in without["rows"]]
    arena(
        "report",
        "out",
        "1",
        "--exclude",
        "greedy",
        "--replays",
        "none",
        "--out",
        "page.html",
        cwd=copy,
    )
    (table,) = blocks(copy / "page.html")["data"]["tables"]
    with Store.read(copy / "out") as store:
        recorded = len(store.recorded(store.events()[0].id))
    assert table["title"].endswith(
        f"; event 1; without greedy; partial: {recorded} of 120000 matches of event 1"
    )
    assert {row["name"] for row in table["table"]["rows"]} == {"random", "naive"}


def test_the_anchor_moves_on_if_it_does_not_count(copy: Path) -> None:
    table = json_of("standings", "out", "1", "--exclude", "random", cwd=copy)["standings"][0]
    assert [row["elo"] for row in table["rows"] if row["bot"] == table["anchor"]] == [0.0]
    assert {row["name"] for row in table["rows"]} == {"naive", "greedy"}


def test_words_that_fit_nobody_are_refused(copy: Path) -> None:
    done = arena("standings", "out", "--exclude", "gredy", "--only", "rand", cwd=copy, code=2)
    assert "--exclude gredy: no bot called 'gredy' (did you mean greedy?)" in done.stderr
    assert "--only rand: no bot called 'rand'" in done.stderr
    with pytest.raises(ConfigError, match="gredy"):
        khiva_arena.standings(copy / "out", exclude="gredy")
    for words in (
        ["standings", "out"],
        ["export", "out", "--format", "csv"],
        ["report", "out", "--out", "page.html"],
    ):
        said = arena(*words, "--only", "greedy", cwd=copy, code=2).stderr
        assert sentence("events", "no-event-two-bots", said="only greedy") in said
    page = arena(
        "report", "out", "--out", "page.html", "--exclude", "greedy", "--replays", "none", cwd=copy
    ).stderr
    assert sentence("report", "open-browser") in page


def test_the_python_api_prints_nothing_of_a_closed_event(
    closed: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The command says on stderr which event is left out; a program that imports the
    arena has its stderr for itself.
    """
    capfd.readouterr()
    assert len(khiva_arena.standings(closed / "out")) == 1
    assert capfd.readouterr() == ("", "")
    assert "is not rated" in arena("standings", "out", cwd=closed).stderr
