"""``khiva-arena run`` from end to end with real bots: tables, resumption, equal
digests, and every refusal.
"""

import json
import re
import signal
import sqlite3
from pathlib import Path

import pytest
from arena import (
    FAULTY,
    ROOT,
    arena,
    bots,
    descendants,
    kill,
    started,
    until_gone,
    wait_for_matches,
    without_trust,
)
from arena import RANDOM as PYTHON
from forging import forge
from stores import FORFEITS, GREEDY, NAIVE, RANDOM
from wording import sentence

from khiva_arena.records.store.db import VERSION

pytestmark = pytest.mark.slow

TWO = bots(RANDOM, NAIVE)
THREE = bots(RANDOM, NAIVE, GREEDY)


def digest(text: str) -> str:
    found = re.search(r"run digest ([0-9a-f]{64})", text)
    assert found, text
    return found[1]


def test_a_competition_from_start_to_table(tmp_path: Path) -> None:
    done = arena(
        "run",
        *THREE,
        "--seats",
        "2",
        "--seeds",
        "2",
        "--seed",
        "demo",
        "--out",
        "out",
        cwd=tmp_path,
    )
    assert "2 seeds x 3 line-ups x 2 rotations = 12 matches" in done.stderr
    assert re.search(r"commitment [0-9a-f]{64}", done.stderr)
    assert "results are in out" in done.stderr
    assert "rank  bot" in done.stdout
    assert "random" in done.stdout
    assert sentence("report", "relative-anchor") in done.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if "-" not in path.name) == [
        "arena.db",
        "arena.lock",
        "arena.seal",
        "log.jsonl",
    ]
    lines = [json.loads(line) for line in (tmp_path / "out" / "log.jsonl").read_text().splitlines()]
    assert any("12 matches" in line["event"] for line in lines)
    verified = arena("verify", "out", cwd=tmp_path)
    assert "12 of 12 matches are sound" in verified.stdout
    assert digest(verified.stdout) == digest(done.stderr)


def test_json_of_every_command_that_prints_results(tmp_path: Path) -> None:
    done = arena(
        "run", *TWO, "--seats", "2", "--seeds", "2", "--out", "out", "--json", cwd=tmp_path
    )
    table = json.loads(done.stdout)["standings"][0]
    assert {row["name"] for row in table["rows"]} == {"random", "naive"}
    assert [row["matches"] for row in table["rows"]] == [4, 4]
    again = json.loads(arena("standings", "out", "--json", cwd=tmp_path).stdout)
    assert again["standings"][0] == table
    event = json.loads(arena("verify", "out", "--json", cwd=tmp_path).stdout)["events"][0]
    assert (event["sound"], event["planned"], event["problems"], event["unrevealed"]) == (
        4,
        4,
        [],
        0,
    )
    listed = json.loads(arena("show", "out", "--json", cwd=tmp_path).stdout)["matches"]
    assert [row["match"] for row in listed] == ["1/0", "1/1", "1/2", "1/3"]
    one = json.loads(arena("show", "out", "1/2", "--json", cwd=tmp_path).stdout)
    assert one["record"]["header"]["match"] == listed[2]["id"]
    assert [len(times) for times in one["times"]] == [seat["decisions"] for seat in one["seats"]]
    keys = {
        "seat",
        "bot",
        "rank",
        "score",
        "verdict",
        "faults",
        "decisions",
        "thought",
        "slowest",
        "bank_left",
        "status",
    }
    keys |= {
        "notes",
        "notes_total",
        "peak",
        "cpu",
        "paused",
        "major",
    }  # the keys of 0.2.0, which stay
    assert all(seat.keys() == keys and seat["cpu"] >= 0 for seat in one["seats"])
    names = {
        game["name"] for game in json.loads(arena("games", "--json", cwd=tmp_path).stdout)["games"]
    }
    assert "khiva" in names
    shipped = json.loads(arena("bots", "--json", cwd=tmp_path, env={"PATH": str(tmp_path)}).stdout)[
        "bots"
    ]
    assert {
        "random",
        "naive",
        "greedy",
        "search",
        "search-deep",
        "random-c",
        "random-javascript",
    } <= {row["name"] for row in shipped}


@pytest.mark.soak
def test_the_run_digest_is_equal_at_any_jobs_and_after_a_kill(tmp_path: Path) -> None:
    """-j 1, 2, 4, and a run killed twice with SIGKILL and resumed by the same command:
    one digest, no match lost or doubled.
    """
    three = bots(PYTHON, NAIVE, GREEDY)  # one that starts slowly, so that kills come in time
    words = ["run", *three, "--seats", "3", "--seeds", "4", "--seed", "demo"]
    digests = [
        digest(arena(*words, "-j", str(jobs), "--out", f"j{jobs}", cwd=tmp_path).stderr)
        for jobs in (1, 2, 4)
    ]
    for jobs, after in (("1", 2), ("2", 5)):
        running = started(*words, "-j", jobs, "--out", "killed", cwd=tmp_path)
        wait_for_matches(tmp_path / "killed" / "arena.db", after)
        below = descendants(running.pid)
        kill(running)
        running.communicate(timeout=30)
        assert until_gone(below), "processes outlived the arbiter"
    resumed = arena(*words, "-j", "2", "--out", "killed", cwd=tmp_path)
    assert sentence("competition", "recorded-before") in resumed.stderr
    digests.append(digest(resumed.stderr))
    assert len(set(digests)) == 1
    assert "12 of 12 matches are sound" in arena("verify", "killed", cwd=tmp_path).stdout


@pytest.mark.soak
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_says_how_to_resume(tmp_path: Path, jobs: str, number: int) -> None:
    words = [
        "run",
        *THREE,
        "--seats",
        "3",
        "--seeds",
        "40000",
        "--seed",
        "x",
        "-j",
        jobs,
        "--out",
        "out",
    ]
    running = started(*words, cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 2)
    below = descendants(running.pid)
    kill(running, number)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130, said
    assert sentence("cli", "same-command-resumes") in said
    assert until_gone(below)
    verified = arena("verify", "out", cwd=tmp_path).stdout
    assert "are not played yet" in verified


def test_the_same_command_on_a_finished_event_plays_nothing(tmp_path: Path) -> None:
    words = ["run", *TWO, "--seats", "2", "--seeds", "2", "--out", "out"]
    first, second = arena(*words, cwd=tmp_path), arena(*words, cwd=tmp_path)
    assert "event 1 is over" in second.stderr
    assert (
        "nothing is played; "
        + sentence("events", "seeds-more-extends", chain="3")
        + "; "
        + sentence("competition", "new-event-plays-another")
        in second.stderr
    )
    assert (digest(first.stderr), first.stdout) == (digest(second.stderr), second.stdout)


def test_a_store_has_many_events_and_pools_what_may_be_pooled(tmp_path: Path) -> None:
    arena("run", *TWO, "--seats", "2", "--seeds", "2", "--out", "out", cwd=tmp_path)
    arena("run", *THREE, "--seats", "3", "--seeds", "2", "--out", "out", cwd=tmp_path)
    arena("run", *TWO, "--seats", "2", "--seeds", "2", "--turn", "2s", "--out", "out", cwd=tmp_path)
    table = arena("standings", "out", cwd=tmp_path).stdout
    assert "khiva at 2, 3 seats" in table
    assert table.count("rank  bot") == 2
    assert arena("standings", "out", "3", cwd=tmp_path).stdout.count("rank  bot") == 1
    assert arena("verify", "out", cwd=tmp_path).stdout.count("are sound") == 3


def test_a_fault_is_logged_and_stands_in_the_table(tmp_path: Path) -> None:
    faulty = bots(RANDOM, NAIVE, FORFEITS)
    done = arena("run", *faulty, "--seats", "3", "--seeds", "2", "--out", "out", cwd=tmp_path)
    assert "verdict=crashed" in done.stderr
    assert "exited with code 1" in done.stderr
    assert "Faults of forfeits: 6 crashed" in done.stdout
    shown = arena("show", "out", "1/0", "--notes", cwd=tmp_path).stdout
    assert "forfeits: crashed" in shown
    assert "RuntimeError: no idea what to play" in shown


def test_copies_fill_a_table(tmp_path: Path) -> None:
    done = arena(
        "run", *TWO, "--seats", "3", "--copies", "2", "--seeds", "1", "--out", "out", cwd=tmp_path
    )
    assert "1 seed x 2 line-ups x 3 rotations = 6 matches" in done.stderr


def test_a_subset_of_line_ups_is_announced(tmp_path: Path) -> None:
    done = arena(
        "run",
        *THREE,
        "--seats",
        "2",
        "--lineups",
        "2",
        "--seeds",
        "1",
        "--out",
        "out",
        cwd=tmp_path,
    )
    assert (
        "of 3 possible line-ups "
        + sentence("competition", "balanced-set-played", line_ups="2")
        + ": 1 of 3 pairs of "
        + sentence("competition", "bots-do-not-meet")
        + "; --lineups N"
        in done.stderr
    )


def test_settings_from_a_file_environment_and_flags(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        f'bots = ["{RANDOM}", "{NAIVE}"]\nseats = 2\nseeds = 3\nturn = "2s"\nout = '
        '"from-file"\n[rules]\novershoot = "bounce"\n'
    )
    done = arena(
        "run",
        "c.toml",
        "--seeds",
        "1",
        cwd=tmp_path,
        env={"KHIVA_ARENA_RUN_TURN": "3s", "KHIVA_ARENA_RUN_SEEDS": "2"},
    )
    assert "1 seed x" in done.stderr
    assert "turn 3000 ms" in done.stdout
    record = json.loads(arena("show", "from-file", "1/0", "--json", cwd=tmp_path).stdout)["record"]
    assert record["header"]["rules"]["overshoot"] == "bounce"


# --- refusals: one clear line each, exit 2, nothing written ---

REFUSED = {
    "a command that is not there": (
        ["--bot", "no-such-bot", "--bot", NAIVE],
        [sentence("entrants", "no-such-folder-no")],
    ),
    "a folder without bot.toml": (
        ["--bot", str(ROOT / "bots"), "--bot", NAIVE],
        ["has no bot.toml"],
    ),
    "too many seats": ([*TWO, "--seats", "9"], ["khiva is played with 2 to 5 seats, not 9"]),
    "too few bots": ([*TWO, "--seats", "3"], ["--copies"]),
    "an unknown game": ([*TWO, "--game", "chess"], ["chess"]),
    "a turn that is no time": (
        [*TWO, "--seats", "2", "--turn", "soon"],
        [sentence("settings", "not-time-write-s", text="'soon'")],
    ),
    "two wrong rules": (
        [*TWO, "--seats", "2", "--rule", "overshoot=fly", "--rule", "nonsense=1"],
        ["overshoot", "nonsense"],
    ),
    "an unknown policy": ([*TWO, "--seats", "2", "--policy", "kind"], ["'kind' is not a policy"]),
    "no seeds and no jobs": (
        [*TWO, "--seats", "2", "--seeds", "0", "--jobs", "0"],
        ["--seeds", "--jobs"],
    ),
    "a bot twice": (bots(RANDOM, RANDOM), ["the same bot"]),
    "no bots": ([], ["no bots"]),
    "a bot that exits at the start": (
        [*bots(RANDOM, f"{FAULTY} start-exit"), "--seats", "2"],
        ["start_failed", "cannot find my weights"],
    ),
    "a bot that prints text at the start": (
        [*bots(RANDOM, f"{FAULTY} start-text"), "--seats", "2"],
        ["start_failed", "Hello! I am a bot."],
    ),
}


@pytest.mark.parametrize(("words", "said"), REFUSED.values(), ids=REFUSED)
def test_refused_with_nothing_written(tmp_path: Path, words: list[str], said: list[str]) -> None:
    done = arena("run", *words, "--out", "out", cwd=tmp_path, code=2)
    for part in said:
        assert part in done.stderr
    assert all(
        line.startswith(("khiva-arena: error: ", "  its ", "    ", "  hint: ", "  next: "))
        for line in without_trust(done.stderr).splitlines()
    )
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_every_mistake_in_a_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        'bots = ["x"]\nseats = "three"\nturn = 5\nseeeds = 3\n\n[rules]\novershoot = "fly"\n'
    )
    done = arena("run", "c.toml", cwd=tmp_path, code=2)
    errors = re.findall(r"c\.toml:(\d+)", done.stderr)
    assert errors == ["1", "2", "3", "4", "7"]
    assert done.stderr.count("\n") == 5


def test_a_store_of_another_version(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    later = VERSION + 1
    connection.executescript(
        f"PRAGMA application_id = {0x4B484956}; PRAGMA user_version = {later}; CREATE TABLE t (x)"
    )
    connection.close()
    before = (tmp_path / "out" / "arena.db").read_bytes()
    for words in (
        ["run", *TWO, "--seats", "2", "--out", "out"],
        ["standings", "out"],
        ["verify", "out"],
        ["show", "out"],
    ):
        assert (
            sentence(
                "store",
                "store-version-engine-reads",
                version=str(later),
                readable="2",
                version_2=str(VERSION),
            )
            in arena(*words, cwd=tmp_path, code=2).stderr
        )
    assert (tmp_path / "out" / "arena.db").read_bytes() == before


def test_an_event_of_another_engine_is_refused_or_marked(tmp_path: Path) -> None:
    words = ["run", *TWO, "--seats", "2", "--seeds", "1", "--out", "out"]
    arena(*words, cwd=tmp_path)
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    forge(connection, "UPDATE events SET engine = '0.0.1'")
    # SQLite keeps a file open in a process as long as one of its connections may hold a
    # lock of it
    connection.close()
    assert "nothing is played" in arena(*words, cwd=tmp_path).stderr
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    unfinished = (
        "DELETE FROM seats WHERE ordinal = 1; DELETE FROM matches WHERE ordinal = 1; DELETE "
        "FROM reveals;"
    )
    forge(connection, unfinished + "DELETE FROM conclusions")
    connection.close()
    assert (
        sentence("events", "begun-khiva-arena", engines="0.0.1")
        in arena(*words, cwd=tmp_path, code=2).stderr
    )
    again = arena(*words, "--any-engine", cwd=tmp_path, env={"COLUMNS": "200"})
    assert "played by khiva-arena 0.0.1, 0." in again.stdout
    arena(*words, cwd=tmp_path)


@pytest.mark.soak
def test_a_second_arbiter_on_a_store(tmp_path: Path) -> None:
    words = ["run", *TWO, "--seats", "2", "--seeds", "20000", "--out", "out"]
    running = started(*words, cwd=tmp_path)
    try:
        wait_for_matches(tmp_path / "out" / "arena.db", 1)
        assert (
            sentence("store", "another-arbiter-work-store")
            in arena(*words, cwd=tmp_path, code=2).stderr
        )
        arena("standings", "out", cwd=tmp_path)
    finally:
        kill(running, signal.SIGINT)
        running.communicate(timeout=30)
    assert running.returncode == 130
