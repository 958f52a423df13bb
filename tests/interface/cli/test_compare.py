"""``khiva-arena compare`` with real bots: its answers, where it stops, and that it goes
on after a kill.
"""

import json
import shutil
import signal
import sqlite3
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from arena import RANDOM as PYTHON
from arena import C, arena, kill, started, wait_for_matches
from make_schemas import REPORTS, schema_of
from module_cup import vectors
from once import made_once
from stores import FORFEITS, GREEDY, NAIVE, RANDOM
from wording import sentence

from khiva_arena.competition.playing.comparing import answer_of
from khiva_arena.competition.playing.seed_limit import Most
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow
FAST = ("--isolation", "trusted", "--seed", "x", "--rule", "max_turns=4")


def answer(folder: Path, code: int, *words: str) -> dict[str, Any]:
    """Return what ``compare --json`` prints, which has the exit code of the command."""
    found: dict[str, Any] = json.loads(
        arena("compare", *words, *FAST, "--json", cwd=folder, code=code).stdout
    )
    jsonschema.Draft202012Validator(schema_of(REPORTS["compare"])).validate(found)
    assert found["code"] == code
    return found


def played(store: Path) -> list[tuple[int, int, int, int, str]]:
    """Return event, seed, line-up and rotation of each match, with its bots by seat."""
    connection = sqlite3.connect(store / "arena.db")
    try:
        return connection.execute(
            "SELECT number, seed, lineup, rotation, (SELECT group_concat(bot) FROM (SELECT "
            "bot FROM seats WHERE seats.event = "
            "matches.event AND seats.ordinal = matches.ordinal ORDER BY seat)) FROM "
            "matches JOIN events ON events.id = event "
            "ORDER BY number, ordinal"
        ).fetchall()
    finally:
        connection.close()


@made_once
def ended(folder: Path) -> None:
    """In "out" a comparison of equal bots that its number of matches ended."""
    done = arena(
        "compare", RANDOM, C, *FAST, "--matches", "15", "--out", "out", "--json", cwd=folder, code=4
    )
    (folder / "json").write_text(done.stdout)


def test_a_better_bot_is_told_at_a_look_with_code_0(tmp_path: Path) -> None:
    found = answer(tmp_path, 0, GREEDY, FORFEITS)
    assert (found["verdict"], found["faults"], found["minutes_to_clear"], found["least_told"]) == (
        "better",
        0,
        0,
        None,
    )
    assert found["matches"] == 14 == len(played(tmp_path / "results" / "compare"))
    [table] = found["tables"]
    assert table["clear"]
    assert table["old_faults"] >= 14
    assert found["low"] > 0
    assert found["high"] is None
    assert found["sentence"].startswith("greedy is better than forfeits: about ")
    assert found["next"] == [
        f"khiva-arena compare {GREEDY} shipped:python/search --isolation trusted --rule max_turns=4"
    ]
    assert "14 of 14 matches are sound" in arena("verify", "results/compare", cwd=tmp_path).stdout
    lost = arena(
        "replay", "results/compare", "--lost", "greedy", "--bot", GREEDY, cwd=tmp_path
    ).stdout
    assert sentence("replay", "nothing-lost") in lost


def test_a_worse_bot_ends_with_3_and_its_losses_are_named(tmp_path: Path) -> None:
    found = answer(tmp_path, 3, GREEDY, RANDOM)
    assert (found["verdict"], found["faults"]) == ("worse", 0)
    assert found["high"] < 0
    assert [line.split()[1] for line in found["next"]] == ["replay"]
    assert found["next"][0].endswith(f" --bot {RANDOM}"), (
        "it is known to be stronger, and no other bot is"
    )
    printed = arena("compare", GREEDY, RANDOM, *FAST, cwd=tmp_path, code=3)
    assert sentence("run", "first-bot-worse") in printed.stderr


def test_a_bot_that_forfeits_ends_with_6_and_is_told_its_mistakes(tmp_path: Path) -> None:
    opened = ("--network", "forfeits")
    found = answer(tmp_path, 6, FORFEITS, GREEDY, *opened)
    [table] = found["tables"]
    assert (found["verdict"], table["verdict"], found["low"]) == ("forfeited", "worse", None)
    assert found["high"] < 0
    assert found["forfeits"] == table["forfeits"] == found["matches"] == 14
    assert found["faults"] >= 14
    assert found["sentence"].startswith("forfeits forfeited 14 matches; ")
    assert [line.split()[1] for line in found["next"]] == ["check", "replay"]
    assert found["next"][0].endswith(" --network forfeits")
    printed = arena("compare", FORFEITS, GREEDY, *opened, *FAST, cwd=tmp_path, code=6)
    assert sentence("run", "first-bot-forfeited") in printed.stderr
    assert "next: khiva-arena check " in printed.stdout


def test_an_open_answer_ends_with_4_and_says_how_long_would_do(ended: Path) -> None:
    found = json.loads((ended / "json").read_text())
    assert (found["verdict"], found["matches"]) == ("open", 14)
    assert found["low"] < 0 < found["high"]
    assert found["low"] <= found["elo"] <= found["high"]
    [line] = found["next"]
    is_worth_it = (
        found["elo"] > 0
        and found["minutes_to_clear"] is not None
        and found["minutes_to_clear"] <= 60
    )
    assert ("--new-event" in line) == is_worth_it
    assert found["least_told"] > 0
    assert "14 of 14 matches are sound" in arena("verify", "out", cwd=ended).stdout


def test_minutes_are_those_of_so_many_matches_at_a_time(ended: Path) -> None:
    with Store.read(ended / "out") as store:
        event = store.events()[0].id
        played = sum(store.seconds(event)) / 60
    one, two = (answer_of(ended / "out", event, at_a_time).minutes for at_a_time in (1, 2))
    assert one == pytest.approx(2 * two, abs=0.0002)
    assert played <= one + 0.0001


def test_the_same_command_prints_the_same_answer_and_plays_nothing(
    ended: Path, tmp_path: Path
) -> None:
    shutil.copytree(ended / "out", tmp_path / "out")
    again = arena(
        "compare", RANDOM, C, *FAST, "--for", "1h", "--out", "out", "--json", cwd=tmp_path, code=4
    )
    assert json.loads(again.stdout) == json.loads((ended / "json").read_text())
    another = arena(
        "compare",
        RANDOM,
        C,
        *FAST[:2],
        "--matches",
        "2",
        "--new-event",
        "--out",
        "out",
        cwd=tmp_path,
        code=4,
    )
    assert "event 2" in arena("verify", "out", cwd=tmp_path).stdout, another.stderr
    assert f", {Most(matches=2)}\n" in another.stderr
    assert (
        "random games" not in another.stderr
    )  # it is no worst case of all seeds that it might play


def test_a_comparison_that_goes_on_counts_the_time_before_and_plays_one_more_seed(
    tmp_path: Path,
) -> None:
    words = (
        RANDOM,
        PYTHON,
        *FAST,
        "--out",
        "out",
    )  # one that starts slowly, so that the kill comes in time
    running = started("compare", *words, "--for", "1h", cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 3)
    kill(running)
    running.communicate(timeout=30)
    before = len(played(tmp_path / "out"))
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    [(seconds,)] = connection.execute("SELECT sum(seconds) FROM matches").fetchall()
    connection.close()
    limit = f"{int(900 * seconds)}ms"  # it is over, and longer than the match that is missing
    answer = arena("compare", *words, "--for", limit, "--json", cwd=tmp_path, code=4).stdout
    whole = before - before % 2 + 2  # the whole seeds, and the next one: see begun_before
    assert json.loads(answer)["matches"] == whole == len(played(tmp_path / "out"))


def test_show_and_the_stream_call_a_comparison_by_its_name(ended: Path, tmp_path: Path) -> None:
    listed = arena("show", str(ended / "out"), cwd=tmp_path).stdout
    assert (
        ": compare, khiva with max_turns=4, 2 seats, at most 10000 seeds, given, "
        in listed.partition("\n")[0]
    )
    shutil.copytree(ended / "out", tmp_path / "out")
    arena(
        "compare", RANDOM, C, *FAST, "--out", "out", "--events-file", "events", cwd=tmp_path, code=4
    )
    began = json.loads((tmp_path / "events").read_text().partition("\n")[0])
    assert (began["format"], began["called"]) == ("sprt", "compare")


def test_a_comparison_that_has_ended_is_whole_in_a_bundle_too(ended: Path, tmp_path: Path) -> None:
    arena("bundle", str(ended / "out"), "bundle", cwd=tmp_path)
    assert "14 of 14 matches are sound" in arena("verify", "bundle", cwd=tmp_path).stdout


def test_copies_of_a_folder_are_called_as_their_folders(tmp_path: Path) -> None:
    arena("new", "python", "mine", cwd=tmp_path)
    shutil.copytree(tmp_path / "mine", tmp_path / "OLD")
    with (tmp_path / "OLD" / "main.py").open("a") as file:
        file.write("# before\n")
    found = answer(tmp_path, 4, "mine", "./OLD", "--matches", "2")
    assert (found["new"], found["old"]) == ("mine", "OLD")


def test_time_ends_the_beginning_of_seeds(tmp_path: Path) -> None:
    found = answer(tmp_path, 4, RANDOM, C, "--for", "1ms", "-j", "4")
    seeds = [seed for _, seed, *_ in played(tmp_path / "results" / "compare")]
    assert seeds == sorted(2 * [*range(found["tables"][0]["seeds"])]), (
        "each seed that was begun is whole"
    )
    assert found["matches"] == len(seeds) <= 8


def test_one_bot_by_two_words_is_the_same_and_plays_nothing(tmp_path: Path) -> None:
    shutil.copytree(GREEDY, tmp_path / "twin")
    found = answer(tmp_path, 5, GREEDY, "twin", "--seats", "2,3")
    assert (found["verdict"], found["tables"], found["elo"], found["matches"]) == (
        "same",
        [],
        None,
        0,
    )
    assert found["next"] == [], "a step that is no command is for people"
    assert not (tmp_path / "results").exists()
    error = arena("compare", GREEDY, RANDOM, "--against", "twin", cwd=tmp_path, code=2).stderr
    assert sentence("entrants", "same-bot") in error


def test_bots_that_are_one_module_in_ticks_are_the_same(tmp_path: Path) -> None:
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.wasm").write_bytes(vectors({"bot": "honest"})["bot"])
        (folder / "notes.txt").write_text(name)
        about = (
            f'name = "{name}"\nmodule = "bot.wasm"\ngames = ["khiva"]\nfiles = ["bot.wasm", '
            '"notes.txt"]\n'
        )
        (folder / "bot.toml").write_text(about)
    words = ("--clock", "ticks", "--trust-bots")  # where no level works, the runner needs it, too
    found = json.loads(
        arena("compare", "one", "other", *words, "--json", cwd=tmp_path, code=5).stdout
    )
    assert (found["verdict"], found["new"], found["old"]) == ("same", "one", "other")


def test_two_numbers_of_seats_are_two_events_and_one_verdict(tmp_path: Path) -> None:
    found = answer(tmp_path, 0, GREEDY, FORFEITS, "--seats", "2,3")
    assert [(one["seats"], one["verdict"]) for one in found["tables"]] == [
        (2, "better"),
        (3, "better"),
    ]
    assert (found["elo"], found["low"]) == (None, None)
    assert found["matches"] == sum(one["matches"] for one in found["tables"])
    # at half the level a clean record takes one seed more
    assert found["tables"][0]["seeds"] == 8
    assert {
        bots.count("0")
        for number, *_, bots in played(tmp_path / "results" / "compare")
        if number == 2
    } == {1}


def test_against_others_both_sit_alike_on_the_same_deals(tmp_path: Path) -> None:
    words = (
        GREEDY,
        FORFEITS,
        "--against",
        NAIVE,
        "--against",
        RANDOM,
        "--seats",
        "3",
        "--matches",
        "36",
    )
    found = answer(tmp_path, 0, *words)
    assert found["against"] == ["naive", "random"]
    assert found["verdict"] == "better"
    tables: dict[tuple[int, int], list[str]] = {}
    for _, seed, lineup, rotation, bots in played(tmp_path / "results" / "compare"):
        tables.setdefault((seed, rotation), []).insert(lineup, bots)
    assert len(tables) >= 9
    assert all(mine == others.replace("1", "0") for mine, others in tables.values())
    assert len({bots for pair in tables.values() for bots in pair}) > 6, (
        "neighbours change from seed to seed"
    )


@pytest.mark.soak
def test_it_stops_at_the_same_seed_at_any_jobs_and_after_kills(tmp_path: Path) -> None:
    words = [
        "compare",
        C,
        PYTHON,
        *FAST,
        "--matches",
        "60",
    ]  # one that starts slowly, so that kills come in time
    whole = arena(*words, "-j", "1", "--out", "one", "--json", cwd=tmp_path, code=None)
    for after, number in ((9, signal.SIGKILL), (17, signal.SIGINT)):
        running = started(*words, "-j", "3", "--out", "out", cwd=tmp_path)
        wait_for_matches(tmp_path / "out" / "arena.db", after)
        kill(running, number)
        printed, _ = running.communicate(timeout=30)
    assert running.returncode == 130
    assert str(printed) == "", "there is no verdict"
    resumed = arena(
        *words, "-j", "3", "--out", "out", "--json", cwd=tmp_path, code=whole.returncode
    )
    one, other = (json.loads(done.stdout) for done in (whole, resumed))
    assert all(one[key] == other[key] for key in ("verdict", "elo", "low", "high", "matches"))
    assert played(tmp_path / "out") == played(tmp_path / "one")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([RANDOM], "is missing"),
        ([RANDOM, NAIVE, "--for", "4m", "--matches", "9"], sentence("run", "compare-give-one")),
        ([RANDOM, NAIVE, "--for", "soon"], "--for: 'soon'"),
        ([RANDOM, NAIVE, "--seats", "two"], "'two'"),
        ([RANDOM, NAIVE, "--seats", "2,2"], "'2,2'"),
        ([RANDOM, NAIVE, "--seats", "2,9"], "2 to 5 seats"),
        ([RANDOM, NAIVE, "--matches", "0"], "--matches"),
        ([RANDOM, "shipped:python/greedy_emira"], "emira"),
    ],
)
def test_a_command_that_makes_no_comparison_leaves_nothing(
    tmp_path: Path, words: list[str], said: str
) -> None:
    assert said in arena("compare", *words, cwd=tmp_path, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_match_that_was_taken_out_is_noticed(ended: Path, tmp_path: Path) -> None:
    """As a forger would have it who wants another verdict."""
    for ordinal in (13, 5):
        folder = tmp_path / str(ordinal)
        shutil.copytree(ended / "out", folder / "out")
        connection = sqlite3.connect(folder / "out" / "arena.db")
        for table in ("matches", "seats", "times"):
            connection.execute(f"DELETE FROM {table} WHERE ordinal = ?", (ordinal,))
        connection.commit()
        connection.close()
        assert "sound" in arena("verify", "out", cwd=folder, code=1).stdout
