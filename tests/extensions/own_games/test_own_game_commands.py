"""A game in a file, from the command that makes it to the table that rates bots at it,
and what others make of its records.
"""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from arena import arena, bots
from own_games import changed
from own_table import RAN, table, two
from pages import blocks
from stores import NAIVE, RANDOM
from trial_bots import write
from wording import sentence

import khiva_arena
from khiva_arena.errors import GameMissing
from khiva_arena.extensions.own_games import opening
from khiva_arena.extensions.own_games.game import OutsideGame
from khiva_arena.records.store import trial_results
from khiva_arena.records.store.db import Store

__all__ = ["table"]

pytestmark = pytest.mark.slow

LATE = (
    "        check_choices(self.pending(), choices)\n",
    "        if len(self.played) == 3: 1 // 0\n",
)


def ran(folder: Path) -> list[int]:
    """The processes that the game ran in since the last call."""
    path = folder / "ran"
    found = [int(line) for line in path.read_text().split()] if path.exists() else []
    path.unlink(missing_ok=True)
    return found


def test_it_is_played_in_processes_of_its_own_and_known_by_its_hash(table: Path) -> None:
    found = ran(table)
    assert len(found) == 2
    assert os.getpid() not in found
    assert not [name for name in sys.modules if name.startswith("game_")]
    with Store.read(table / "out") as store:
        (event,) = store.events()
    version = event.definition.rules_version
    assert version.startswith("1+sha256:")
    assert opening.source_of(str(table / "game.py")).code == version.removeprefix("1+")


@pytest.mark.soak
def test_at_two_jobs_the_digest_is_the_same(table: Path) -> None:
    run = [
        "run",
        "--game",
        "game.py",
        *two(table),
        "--seats",
        "2",
        "--seeds",
        "2",
        "--seed",
        "demo",
        "--isolation",
        "trusted",
    ]
    arena(*run, "-j", "2", "--out", "two", cwd=table)
    with Store.read(table / "out") as first, Store.read(table / "two") as second:
        assert first.digests(first.events()[0].id) == second.digests(second.events()[0].id)
    ran(table)


@pytest.mark.parametrize(
    "words",
    [
        ["verify", "out"],
        ["report", "out", "--out", "page.html"],
        ["show", "out", "1/0"],
        ["match", "--from", "out", "1/0"],
    ],
)
def test_nothing_is_run_that_was_not_handed_over(table: Path, words: list[str]) -> None:
    ran(table)
    said = arena(*words, cwd=table, code=2).stderr
    digest = opening.source_of(str(table / "game.py")).code.partition(":")[2]
    assert said.count("\n") == 1
    assert sentence("games", "game-not-come-arena", name="'bidding'") + ": " in said
    assert f"the file whose SHA-256 is {digest}, as --game FILE" in said
    changed(table / "other.py", (RAN[0], RAN[1].format(folder=str(table)) + "\n"))
    assert (
        "what was handed over is another: sha256:"
        in arena(*words, "--game", "other.py", cwd=table, code=2).stderr
    )
    assert ran(table) == []


@pytest.mark.soak
def test_what_is_handed_over_is_compared_and_then_run(table: Path) -> None:
    assert (
        "4 of 4 matches are sound" in arena("verify", "out", "--game", "game.py", cwd=table).stdout
    )
    assert ran(table)
    assert (
        "4 of 4 matches are sound"
        in arena("verify", "out", "--game", "game.py", "-j", "2", cwd=table).stdout
    )
    shown = arena("show", "out", "1/0", "--game", "game.py", cwd=table).stdout
    assert "prize: points" in shown
    assert f"--game {table / 'game.py'} (add " in shown  # they played at trusted
    again = arena(
        "match", "--from", "out", "1/0", "--game", "game.py", "--isolation", "trusted", cwd=table
    ).stdout
    assert again.startswith(sentence("replay", "every-choice-same"))
    assert (
        "same"
        in arena(
            "replay",
            "out",
            "1/0",
            "--seat",
            "0",
            "--game",
            "game.py",
            "--isolation",
            "trusted",
            cwd=table,
        ).stdout
    )
    arena("report", "out", "--game", "game.py", "--out", "page.html", cwd=table)
    assert blocks(table / "page.html")["data"]["verify"] == "khiva-arena verify STORE --game FILE"
    assert "shipped:python/random" in arena("bots", "--game", "game.py", cwd=table).stdout
    assert ran(table)


def test_a_bundle_says_what_it_needs(table: Path) -> None:
    arena("bundle", "out", "out.bundle", cwd=table)
    ran(table)
    assert "hand it over" in arena("verify", "out.bundle", cwd=table, code=2).stderr
    assert ran(table) == []
    assert (
        "4 of 4 matches are sound"
        in arena("verify", "out.bundle", "--game", "game.py", cwd=table).stdout
    )
    assert "bidding with cards=13 at 2 seats" in arena("standings", "out", cwd=table).stdout


@pytest.mark.soak
def test_tables_of_two_versions_are_told_apart_by_their_hashes(table: Path) -> None:
    changed(table / "later.py", ("import Mapping", "import Mapping  # another version"))
    for name in ("game.py", "later.py"):
        run = [
            "run",
            "--game",
            name,
            *two(table),
            "--seats",
            "2",
            "--seeds",
            "1",
            "--isolation",
            "trusted",
        ]
        arena(*run, "--out", "versions", cwd=table)
    hashes = [
        opening.source_of(str(table / name)).code.partition(":")[2]
        for name in ("game.py", "later.py")
    ]
    headings = [
        line
        for line in arena("standings", "versions", cwd=table).stdout.splitlines()
        if line.startswith("bidding")
    ]
    assert [line.partition(" at ")[0] for line in headings] == [
        f"bidding with cards=13, rules version 1+sha256:{digest[:8]}" for digest in hashes
    ]
    refused = arena("verify", "versions", "--game", "later.py", cwd=table, code=2).stderr
    assert (
        "hand over several with a --game each; `khiva-arena verify STORE EVENT` needs that "
        "of the event alone" in refused
    )
    assert (
        "2 of 2 matches are sound"
        in arena("verify", "versions", "2", "--game", "later.py", cwd=table).stdout
    )
    assert (
        arena(
            "verify", "versions", "--game", "game.py", "--game", "later.py", cwd=table
        ).stdout.count("are sound")
        == 2
    )


def test_its_bots_are_tried_against_copies_of_themselves(tmp_path: Path) -> None:
    two(tmp_path)
    write(tmp_path, wrong="if times >= 3: return 999")
    run = [
        "run",
        "--game",
        "mine/game.py",
        *bots(RANDOM, NAIVE, "wrong"),
        "--seats",
        "3",
        "--copies",
        "2",
        "--seeds",
        "1",
    ]
    done = arena(*run, "--isolation", "trusted", "--probation", "--out", "out", cwd=tmp_path)
    (words,) = re.findall(
        r"wrong is left out: .*: illegal at step \d+: .*; next: khiva-arena (match .*)", done.stderr
    )
    assert words.startswith("match --bot wrong --bot wrong --bot wrong --seed ")
    assert words.endswith(f" --game {tmp_path}/mine/game.py --isolation trusted")
    assert "illegal: choice 999" in "".join(arena(*words.split(), cwd=tmp_path).stderr.splitlines())
    assert {result.passed for result in trial_results.read(tmp_path / "out").values()} == {
        True,
        False,
    }


@pytest.mark.soak
def test_it_is_extended_sampled_and_closed(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    sound = [
        "run",
        "--game",
        "mine/game.py",
        *two(tmp_path),
        "--seats",
        "2",
        "--isolation",
        "trusted",
    ]
    run = [*sound, *bots("broken"), "--skip-broken"]
    assert "broken is left out" in arena(*run, "--seeds", "2", "--out", "out", cwd=tmp_path).stderr
    assert "it extends event 1" in arena(*run, "--seeds", "3", "--out", "out", cwd=tmp_path).stderr
    arena(*run, "--seeds", "9", "--out", "out", "--commit", cwd=tmp_path)
    arena("close", "out", "3", "--yes", cwd=tmp_path)
    sampled = arena(
        "verify", "out", "--sample", "1", "--game", "mine/game.py", "--json", cwd=tmp_path
    )
    events = json.loads(sampled.stdout)["events"]
    assert [(event["closed"], event["extends_number"], event["sound"]) for event in events] == [
        (False, None, 1),
        (False, 1, 1),
        (True, 2, 0),
    ]
    assert arena("bundle", "out", "b", cwd=tmp_path).stderr.endswith(
        "next: khiva-arena verify b --game FILE\n"
    )
    (tmp_path / "my game.py").write_bytes((tmp_path / "mine/game.py").read_bytes())
    named = arena("bundle", "out", "c", "--game", "my game.py", cwd=tmp_path).stderr
    assert named.endswith("next: khiva-arena verify c --game 'my game.py'\n")


@pytest.mark.soak
def test_ten_sit_at_a_table(table: Path) -> None:
    changed(table / "ten.py", ("seats = (2, 3, 4, 5)", "seats = tuple(range(2, 11))"))
    run = [
        "run",
        "--game",
        "ten.py",
        *two(table),
        "--copies",
        "5",
        "--seeds",
        "1",
        "--isolation",
        "trusted",
    ]
    slowly = ["--turn", "20s", "--start", "60s"]
    done = arena(*run, "--seats", "10", *slowly, "--lineups", "1", "--out", "ten", cwd=table)
    assert "bidding with cards=13 at 10 seats" in done.stdout
    assert (
        sentence("schedule", "sits-next-after-whom", block="9", seats="10", seeds="1")
        in done.stderr
    )
    assert (
        "10 of 10 matches are sound" in arena("verify", "ten", "--game", "ten.py", cwd=table).stdout
    )
    arena("report", "ten", "--game", "ten.py", "--out", "ten.html", cwd=table)
    assert (
        "bidding is played with 2 to 10 seats, not 11"
        in arena(*run, "--seats", "11", "--out", "x", cwd=table, code=2).stderr
    )


def test_from_python(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(table)
    with pytest.raises(GameMissing, match="hand it over"):
        khiva_arena.verify("out")
    assert khiva_arena.verify("out", game=table / "game.py").sound
    first = next(khiva_arena.matches("out", game="game.py"))
    assert "prize: points" in first.story()
    assert first.replay()[0].events[0].data["type"] == "prize"
    assert khiva_arena.verify("out").sound  # it stays handed over, as the page says


def test_a_settings_file_names_it_from_where_it_lies(table: Path) -> None:
    (table / "deep").mkdir(exist_ok=True)
    (table / "deep" / "mine.toml").write_text(
        'game = "../game.py"\nseats = 2\nseeds = 2\nseed = "demo"\nisolation = "trusted"\n'
    )
    opens = ("--game", "deep/../game.py", "--isolation", "trusted")
    refused = arena("run", "deep/mine.toml", *two(table), "--out", "three", cwd=table, code=2)
    assert f"add: {' '.join(opens)} (or" in refused.stderr
    done = arena("run", "deep/mine.toml", *two(table), *opens, "--out", "three", cwd=table)
    assert "bidding with cards=13 at 2 seats" in done.stdout
    assert "5 to" not in done.stderr


@pytest.mark.soak
def test_a_match_of_a_game_that_raises_is_void_and_no_bot_is_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(tmp_path / "game.py", LATE)
    match = ["match", "--game", "game.py", *two(tmp_path), "--isolation", "trusted"]
    blame = (
        "game bidding (game.py): apply() raised ZeroDivisionError: integer division or modulo "
        "by zero, line 40 of game.py"
    )
    early = arena(*match, cwd=tmp_path, code=2).stderr.replace(
        "integer modulo", "integer division or modulo"
    )
    assert f"{blame}; `khiva-arena check --game" in early
    monkeypatch.setattr(OutsideGame, "vet", lambda *_: None)
    late = arena(*match, cwd=tmp_path, code=1).stderr
    assert late.splitlines()[-2:] == [
        f"the match is void, and is played again: {blame}",
        f"khiva-arena: error: the match failed twice on this machine: {blame}",
    ]
    run = [
        "run",
        "--game",
        "game.py",
        *two(tmp_path),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--isolation",
        "trusted",
        "--out",
        "out",
    ]
    done = arena(*run, cwd=tmp_path, code=1)
    with Store.read(tmp_path / "out") as store:
        (event,) = store.events()
        assert [row.why for row in store.voids(event.id)] == [
            blame
        ] * 2  # then its table is set aside
        assert not store.recorded(event.id)
    assert (
        f"match '1/0' in out is void: {blame}\n"
        in arena("show", "out", "1/0", cwd=tmp_path, code=2).stderr
    )
    assert "forfeit" not in done.stdout + done.stderr


@pytest.mark.soak
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_error_for_a_user_s_mistake_is_a_fault_in_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    """A RulesError in apply() ends no run, whoever plays it."""
    changed(
        tmp_path / "game.py",
        (LATE[0], "        if len(self.played) == 3: raise RulesError(['no such thing'])\n"),
    )
    monkeypatch.setattr(OutsideGame, "vet", lambda *_: None)
    run = [
        "run",
        "--game",
        "game.py",
        *two(tmp_path),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--isolation",
        "trusted",
        "--out",
        "out",
    ]
    assert "Traceback" not in arena(*run, "-j", jobs, cwd=tmp_path, code=1).stderr
    blame = "game bidding (game.py): apply() raised RulesError: no such thing, line 40 of game.py"
    with Store.read(tmp_path / "out") as store:
        assert {row.why for row in store.voids(store.events()[0].id)} == {blame}
