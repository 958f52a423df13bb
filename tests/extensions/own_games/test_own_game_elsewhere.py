"""A game of a user's on other machines: by a plan, which names it by its hash, and on a
cluster, to which its files go.
"""

import os
import re
import shutil
from pathlib import Path

import msgspec
import pytest
from arena import arena, arena_process, bots
from dask_cluster import dask_cluster
from own_games import changed
from stores import RANDOM
from waiting import until
from wording import sentence

import khiva_arena
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.cluster.games import install, lies_here, pack
from khiva_arena.extensions.own_games import opening
from khiva_arena.extensions.shards.plan_file import read_plan
from khiva_arena.games.registry import get

pytestmark = pytest.mark.slow
NOTES = (
    '"""A bidding',
    'import os, sys\nopen({file!r}, "a").write(" ".join(sys.orig_argv) + chr(10))\n"""A bidding',
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where "mine" has a game and a bot of it."""
    arena("new", "game", "mine", cwd=tmp_path)
    return tmp_path


def run_of(game: str) -> list[str]:
    return [
        "run",
        "--game",
        game,
        *bots(RANDOM, "mine/bot"),
        "--seats",
        "2",
        "--seeds",
        "2",
        "--seed",
        "equal",
    ]


def digest(text: str) -> str:
    return re.findall("run digest ([0-9a-f]{64})", text)[-1]


# --- plans ---


@pytest.mark.soak
def test_shards_of_a_plan_play_it_and_a_merge_replays_it(folder: Path) -> None:
    run = [*run_of("mine/game.py"), "--isolation", "trusted"]
    whole = digest(arena(*run, "--out", "whole", cwd=folder).stderr)
    assert arena(*run, "--plan", "cup.plan", cwd=folder).stderr.endswith(
        " --out OUT --game mine/game.py\n"
    )
    assert read_plan(folder / "cup.plan").game == "mine/game.py"
    elsewhere = folder / "elsewhere"
    shutil.copytree(folder / "mine", elsewhere / "moved")
    shutil.copy(folder / "cup.plan", elsewhere)
    arena("run", "--from-plan", "cup.plan", "--shard", "1/2", "--out", "s1", cwd=folder)
    moved = ["--game", "moved/game.py", *bots(RANDOM, "moved/bot")]
    arena(
        "run", "--from-plan", "cup.plan", "--shard", "2/2", *moved, "--out", "../s2", cwd=elsewhere
    )
    assert "hand it over" in arena("merge", "s1", "s2", "--out", "all", cwd=folder, code=2).stderr
    assert not (folder / "all").exists()
    merged = arena("merge", "s1", "s2", "--out", "all", "--game", "mine/game.py", cwd=folder)
    assert digest(merged.stdout) == whole
    assert merged.stderr.endswith("khiva-arena verify all --game mine/game.py\n")
    assert (
        khiva_arena.merge(folder / "s1", out=folder / "all", game=folder / "mine/game.py").digest
        == whole
    )


def test_another_game_than_the_plans_is_refused_before_any_of_it_is_run(folder: Path) -> None:
    arena(*run_of("mine/game.py"), "--isolation", "trusted", "--plan", "cup.plan", cwd=folder)
    ran = folder / "ran"
    changed(folder / "other.py", (NOTES[0], NOTES[1].format(file=str(ran))))
    play = ["run", "--from-plan", "cup.plan", "--out", "out"]
    for words, why in (
        (
            ["--game", "other.py"],
            sentence("shards", "not-game-plan", word="other.py", there="sha256:"),
        ),
        (["--game", "none.py"], sentence("api", "no-file") + " none.py"),
    ):
        said = arena(*play, *words, cwd=folder, code=2).stderr
        assert why in said
        assert len(said.splitlines()) == 1
    (folder / "mine/game.py").write_text("1")
    assert "; --game says where it is here" in arena(*play, cwd=folder, code=2).stderr
    assert not ran.exists()
    arena(
        "run",
        *bots(RANDOM, "shipped:python/naive"),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--plan",
        "ours.plan",
        cwd=folder,
    )
    ours = ["run", "--from-plan", "ours.plan", "--out", "out", "--game", "emira"]
    assert (
        sentence("shards", "plan-says-played-leave", option="--game")
        in arena(*ours, cwd=folder, code=2).stderr
    )
    assert '"game": "mine' not in (folder / "ours.plan").read_text()


# --- clusters ---


def test_it_goes_to_workers_by_its_hash(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(folder / "cache"))
    (folder / "pack").mkdir()
    shutil.copy(folder / "mine/game.py", folder / "pack/__init__.py")
    (folder / "pack/more").mkdir()
    (folder / "pack/more/table.txt").write_text("1 2 3")
    for word in ("mine/game.py", "pack"):
        game = opening.open_game(str(folder / word))
        sent = pack(game)
        assert sent is not None
        assert not lies_here(sent.code)
        there = install(sent)
        assert lies_here(sent.code)
        assert there.startswith(str(folder / "cache/games"))
        assert opening.open_game(there).rules_version == game.rules_version
    (Path(there) / "more/table.txt").write_text("4")
    with pytest.raises(ConfigError, match="game pack has another version there"):
        install(sent)
    assert pack(get("khiva")) is None


def test_a_file_that_was_changed_since_does_not_go(folder: Path) -> None:
    game = opening.open_game(str(folder / "mine/game.py"))
    changed(folder / "mine/game.py", ('"""A bidding', '"""Another bidding'))
    with pytest.raises(ConfigError, match="it was changed since it was read"):
        pack(game)


@pytest.mark.xdist_group("cluster")
def test_workers_play_it_in_processes_of_their_own(folder: Path) -> None:
    ran = folder / "ran"
    changed(folder / "noted.py", (NOTES[0], NOTES[1].format(file=str(ran))))
    here = digest(arena(*run_of("noted.py"), "--out", "here", cwd=folder).stderr)
    ran.unlink()
    with dask_cluster() as cluster:
        cluster.start_worker("ann")
        assert until(lambda: "Registered to" in cluster.log("ann"))
        there = arena_process(*run_of("noted.py"), "--out", "there", *cluster.flags, cwd=folder)
        kept = [
            path for path in (cluster.folder / "cache/games").glob("*/*") if path.name == "noted.py"
        ]
        assert len(kept) == 1
    assert digest(there.stderr) == here
    programs = {line.split(" -m ")[1].split()[0] for line in ran.read_text().splitlines()}
    assert programs == {
        "khiva_arena.extensions.own_games.game_host"
    }  # neither the Dask worker nor the arbiter has imported it
    arena("verify", "there", "--game", "noted.py", cwd=folder)


def test_nothing_of_a_game_lies_outside_of_its_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(folder / "cache"))
    sent = pack(opening.open_game(str(folder / "mine/game.py")))
    assert sent is not None
    assert sent.files is not None
    (file,) = sent.files
    for name in ("../x.py", "/x.py"):
        bad = msgspec.structs.replace(sent, files=[msgspec.structs.replace(file, name=name)])
        with pytest.raises(ConfigError, match="lies outside"):
            install(bad)
    assert not list(folder.glob("cache/**/x.py"))
    assert os.listdir(folder / "cache/games") == []
