"""The verbs of ``khiva-arena league``, typed: from a new folder to a table that is
verified, a season and a final.
"""

import json
import re
import shutil
from pathlib import Path

import pytest
from arena import NAIVE, arena, bots
from forked_command import started
from quick_leagues import quick_bot
from quick_leagues import quick_league as quick_league
from stores import GREEDY, RANDOM
from waiting import PATIENCE, until
from wording import sentence

from khiva_arena.common.say import say_nothing
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.chain.links import read_link
from khiva_arena.extensions.league.public_state import read_state
from khiva_arena.extensions.league.settings import league_of
from khiva_arena.records.store.db import Store

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]

OTHERS = (*bots(GREEDY, RANDOM), "--seats", "2", "--seeds", "1")


@pytest.fixture
def folder(quick_league: Path, tmp_path: Path) -> Path:
    """A folder with the league "spring", which is not founded, and the bot in "naive",
    which ann has entered.
    """
    return Path(shutil.copytree(quick_league, tmp_path / "folder"))


@pytest.mark.usefixtures("confined")
def test_from_a_new_folder_to_a_verified_table(tmp_path: Path) -> None:
    done = arena("league", "new", "spring", "--seats", "2", cwd=tmp_path)
    assert "league enter spring" in done.stderr
    assert {path.name for path in (tmp_path / "spring").iterdir()} == {"league.toml", "bots"}
    assert (
        "not founded yet; the first batch founds it"
        in arena("league", "status", "spring", cwd=tmp_path).stdout
    )
    done = arena("league", "enter", "spring", NAIVE, "--author", "ann", cwd=tmp_path)
    assert re.search(
        r"^naive: accepted; its check passed; its trial table: 2 matches, places \d, \d, no fault$",
        done.stdout,
        re.MULTILINE,
    )
    done = arena("league", "play", "spring", "--batches", "2", "-j", "2", cwd=tmp_path)
    links = re.findall(r"link (\d+) ([0-9a-f]{64})", done.stderr)
    assert [int(number) for number, _ in links if number != links[-1][0]][:1] == [1]
    status = json.loads(arena("league", "status", "spring", "--json", cwd=tmp_path).stdout)
    assert (status["link"], status["digest"]) == (int(links[-1][0]), links[-1][1])
    assert [(bot["name"], bot["author"]) for bot in status["bots"]] == [
        ("greedy", ""),
        ("random", ""),
        ("naive v1", "ann"),
    ]
    assert "naive v1" in arena("standings", "spring", cwd=tmp_path).stdout
    arena("bundle", "spring", "spring.bundle", cwd=tmp_path)
    receipt = tmp_path / "told.txt"
    receipt.write_text(f"link {links[0][0]} {links[0][1]}")
    for what in ("spring", "spring.bundle"):
        said = arena("verify", what, "--seen", "told.txt", cwd=tmp_path).stdout
        assert sentence("league", "drawn-again", batches="1-2") in said
        assert (
            sentence("league", "receipts-reach", seen=links[0][0], next=str(int(links[0][0]) + 1))
            in said
        )
    assert (
        len((tmp_path / "spring" / "public" / "chain.jsonl").read_text().splitlines())
        == status["link"] + 1
    )


@pytest.mark.usefixtures("confined")
def test_a_bot_that_is_entered_twice_or_fails_is_refused_in_words(folder: Path) -> None:
    twice = arena("league", "enter", "spring", "naive", "--author", "bob", cwd=folder, code=2)
    assert sentence("league", "very-same-bot") in twice.stderr
    assert "ann" not in twice.stderr
    broken = folder / "broken"
    broken.mkdir()
    (broken / "bot.toml").write_text(
        'name = "broken"\nrun = "{python} main.py"\nfiles = ["main.py"]\n'
    )
    (broken / "main.py").write_text("raise SystemExit('no brain')\n")
    refused = arena("league", "enter", "spring", "broken", "--author", "bob", cwd=folder, code=1)
    assert refused.stdout.startswith("broken: refused; its check failed:")
    assert "no brain" in refused.stdout
    assert (
        sum(path.is_dir() for path in (folder / "spring" / "bots").iterdir()) == 2
    )  # the anchors, and the first one
    assert "broken" not in arena("league", "status", "spring", cwd=folder).stdout


@pytest.mark.soak
def test_an_interrupted_player_resumes(folder: Path) -> None:
    player = started("league", "play", "spring", cwd=folder)
    chain = folder / "spring" / "public" / "chain.jsonl"
    until(lambda: chain.exists() and chain.read_text().count('"kind":"batch"') >= 3)
    player.send_signal(2)
    _, said = player.communicate(timeout=PATIENCE)
    assert player.returncode == 130
    assert "interrupted: " in said
    arena("league", "play", "spring", "--batches", "1", cwd=folder)
    assert (
        sentence("league", "drawn-again", batches="")
        in arena("verify", "spring", cwd=folder).stdout
    )
    second = started("league", "play", "spring", cwd=folder)
    until(lambda: Store.is_in_use(folder / "spring"))
    for verb in ("play", "final"):
        assert (
            "its player is at work; wait for it, or stop it and give the same command again"
            in arena("league", verb, "spring", cwd=folder, code=2).stderr
        )
    second.kill()
    second.communicate()


@pytest.mark.soak
def test_a_final_is_an_event_of_its_own_and_counts_nowhere(folder: Path) -> None:
    early = arena("league", "final", "spring", cwd=folder, code=2)
    assert (
        "no batch is over yet, so nobody is first; `khiva-arena league play` plays some"
        in early.stderr
    )
    settings = folder / "spring" / "league.toml"
    with settings.open("a") as file:  # whose last table is [league]
        file.write('beacon = "dice"\nbeacon_begins = "2026-01-01T00:00:00Z"\n')
    settings.write_text(
        settings.read_text()
        .replace("beacon_seconds = 0", "beacon_seconds = 1")
        .replace("_ahead = 60", "_ahead = 0")
        .replace("fewest_batches = 5", "fewest_batches = 1")
    )
    line = ("--beacon", "echo line")
    quick_bot(folder / "other")
    arena("league", "enter", "spring", "other", "--author", "bob", cwd=folder)
    arena("league", "season", "spring", "first half", cwd=folder)
    arena("league", "play", "spring", "--batches", "1", *line, cwd=folder)
    before = arena("standings", "spring", "--json", cwd=folder).stdout
    final = arena("league", "final", "spring", "--top", "3", "--seeds", "2", *line, cwd=folder)
    assert "2 bots may sit in it: at most 1 bot of an author" in final.stderr
    assert "naive v1" in final.stdout
    assert "greedy" not in final.stdout
    assert arena("standings", "spring", "--json", cwd=folder).stdout == before
    assert (
        arena("standings", "spring", "--season", "first half", "--json", cwd=folder).stdout
        == before
    )
    assert '"kind":"final"' in (folder / "spring" / "public" / "chain.jsonl").read_text()
    chain = (folder / "spring" / "public" / "chain.jsonl").read_text().splitlines()
    state = read_state(folder / "spring")
    assert state is not None
    ((one, is_over),) = [(one, one.over) for one in state.finals]
    assert (one.number, set(one.bots), is_over) == (1, {"naive v1", "other v1"}, True)
    assert one.commitment in final.stderr
    for page, words in (  # each is a receipt of the link that was the newest when it was made
        ("finals/1.html", sentence("league", "newest-seen")),
        (
            "batches/1.html",
            sentence("league", "receipts-reach", seen=str(one.link - 1), next=str(one.link)),
        ),
    ):
        assert (
            words in arena("verify", "spring", "--seen", f"spring/public/{page}", cwd=folder).stdout
        )
    arena("verify", "spring/final-1", cwd=folder)
    with Store.read(folder / "spring" / "final-1") as store:
        [event] = store.events()
    assert event.public == f"line {read_link(chain[-1]).round}"
    told = arena("verify", "spring", "--beacon", "echo line", cwd=folder).stdout
    assert sentence("league", "finals-decided", finals="1 final", played="all over") in told
    told = arena("verify", "spring", "--beacon", "echo other", cwd=folder, code=1).stdout
    assert "batch 1: round " in told
    arena("run", *OTHERS, "--out", "spring/final-1", cwd=folder)  # another event where the final is
    number = (folder / "spring" / "public" / "chain.jsonl").read_text().count("\n") - 1
    told = arena("verify", "spring", cwd=folder, code=1).stdout
    assert (
        sentence("league", "other-final", number="1", out="spring/final-1", link=str(number))
        in told
    )


@pytest.mark.usefixtures("confined")
def test_other_commands_leave_a_league_alone(folder: Path) -> None:
    arena("league", "play", "spring", "--batches", "1", cwd=folder)
    refused = arena("run", *OTHERS, "--out", "spring", cwd=folder, code=2)
    assert sentence("league", "played-by-league-play") in refused.stderr
    arena("run", *OTHERS, "--out", "other", cwd=folder)
    assert (
        "--seen: only the chain of a league is compared with receipts; leave it out"
        in arena("verify", "other", "--seen", "spring/league.toml", cwd=folder, code=2).stderr
    )
    for word, words in (
        ("greedy", "greedy is an anchor, which plays in every batch and never changes"),
        ("nobody", "no bot called 'nobody' in"),
    ):
        assert words in arena("league", "retire", "spring", word, cwd=folder, code=2).stderr


def test_a_new_league_with_a_mistake_leaves_nothing_behind(tmp_path: Path) -> None:
    arena("league", "new", "spring", "--seats", "9", cwd=tmp_path, code=2)
    arena("league", "new", "x" * 90, cwd=tmp_path, code=2)
    assert list(tmp_path.iterdir()) == []
    arena("league", "new", "spring", "--seats", "5", cwd=tmp_path)


@pytest.mark.usefixtures("confined")
def test_settings_of_a_competition_that_a_league_lacks_are_told_with_their_lines(
    folder: Path,
) -> None:
    path = folder / "spring" / "league.toml"
    text = path.read_text().replace("\nversions = 2", "").replace("\nisolation", "\n#isolation")
    first = 'seed = "demo"\nformat = "swiss"\nisolation = "trusted"\n'
    path.write_text(f"{first}{text}color = 3\nversions = 0\n")
    with pytest.raises(ConfigError) as refused:
        league_of(folder / "spring", {}, say_nothing)
    said = "\n".join(refused.value.problems)
    assert f"{path}:1: seed: " in said
    assert f"{path}:2: format: " in said
    assert "at level trusted a bot could read the deals; leave isolation and trust_bots out" in said
    assert "unknown setting 'color' of a league" in said
    assert "versions: " in said
