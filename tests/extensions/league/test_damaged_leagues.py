"""A damaged store of a league is refused in words by every command, with exit code 2,
and no damage is a bug.
"""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from arena import arena
from damaging import damage, forge_league
from leagues import enter, league_in

from khiva_arena.common.say import say_nothing
from khiva_arena.errors import StoreError
from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.player.publish import Publisher
from khiva_arena.extensions.league.walked import walked
from khiva_arena.interface.cli.main import run
from khiva_arena.records.store.db import Store

Played = Callable[..., None]
COMMANDS = (
    ("league", "status", "L"),
    ("league", "status", "L", "--json"),
    ("standings", "L"),
    ("standings", "L", "--season", "all"),
    ("show", "L"),
    ("show", "L", "2"),
    ("verify", "L"),
    ("report", "L", "--out", "page.html"),
    ("bundle", "L", "cup.khiva"),
    ("league", "retire", "L", "quick v1"),
    ("league", "season", "L", "new"),
    ("league", "cancel", "L", "entry-1"),
    ("league", "author", "list", "L"),
)


@pytest.fixture
def folder(tmp_path: Path, played: Played) -> Path:
    """A league of two batches that are over, with an entry that waits, whose player has
    kept how far it is.
    """
    league = league_in(tmp_path / "spring")
    enter(league, "ann", "quick")
    enter(league, "bob", "slow")
    played(league, 2)
    enter(league, "eve", "new")
    return league.folder


def change(folder: Path, statements: str, *, sums: bool) -> None:
    """Change rows, and forge the sums over them. ``sums``: whether what the player has
    kept stays.
    """
    with closing(sqlite3.connect(folder / "arena.db")) as connection:
        forge_league(connection, statements)
    if not sums:
        shutil.rmtree(folder / "sums")


BATCH_2 = "(SELECT id FROM events WHERE number = 2)"


@pytest.mark.parametrize(
    ("statements", "sums"),
    [
        (f"DELETE FROM bots WHERE event = {BATCH_2}", False),
        (f"UPDATE bots SET identity = position WHERE event = {BATCH_2}", False),
        ("UPDATE events SET number = -2 WHERE number = 2", True),
        (
            (
                "UPDATE events SET definition = replace(definition, '\"tables\":[[', "
                "'\"tables\":[[],[')"
            ),
            False,
        ),
        ("UPDATE events SET definition = '[]'", False),
        ("UPDATE links SET text = '[]' WHERE number = 2", False),
        ("UPDATE links SET text = '' WHERE number = 2", False),
        ("UPDATE links SET text = replace(text, '\"version\":1', '\"version\":2')", False),
        (
            "UPDATE links SET text = (SELECT text FROM links WHERE number = 1) WHERE number = 0",
            False,
        ),
    ],
)
def test_a_damage_is_refused_in_words(folder: Path, statements: str, sums: bool) -> None:
    change(folder, statements, sums=sums)
    done = arena("league", "status", str(folder), cwd=folder.parent, code=2)
    (line,) = done.stderr.splitlines()
    assert line.startswith("khiva-arena: error: ")
    assert str(folder) in line


@pytest.mark.parametrize("text", ["[]", "", "{"])
def test_the_order_of_a_table_is_read_from_sound_links_alone(folder: Path, text: str) -> None:
    change(folder, f"UPDATE links SET text = '{text}' WHERE number = 2", sums=False)
    assert str(folder) in arena("standings", str(folder), cwd=folder.parent, code=2).stderr


def test_bots_of_another_batch_order_no_table(folder: Path) -> None:
    """The table of batch 2 alone counts the batches before it, which are read without
    their matches.
    """
    change(
        folder, "DELETE FROM bots WHERE event = (SELECT id FROM events WHERE number = 1)", sums=True
    )
    assert str(folder) in arena("standings", str(folder), "2", cwd=folder.parent, code=2).stderr


def test_a_table_that_is_not_there_cannot_be_set_aside(folder: Path) -> None:
    change(
        folder,
        "UPDATE links SET text = replace(text, '\"set_aside\":[]', '\"set_aside\":[[0,99]]') "
        "WHERE number = (SELECT max(number) FROM links)",
        sums=False,
    )
    with Store.read(folder) as store, Publisher(store, say_nothing) as public:
        now = walked(store)
        assert now is not None
        with pytest.raises(StoreError, match="99"):
            public.write(now.chain)


def test_a_seat_of_no_bot_ends_no_player_with_a_bug(folder: Path, played: Played) -> None:
    """The CPU of today is summed by bots, also those of batches before."""
    change(folder, f"UPDATE seats SET bot = 99 WHERE event = {BATCH_2}", sums=True)
    with pytest.raises(StoreError, match="99"):
        played(
            league_in(folder, options=LeagueOptions(retry_minutes=0, cpu_minutes=1)),
            1,
            new_terms=True,
        )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(60))
def test_no_damage_is_a_bug(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    seed: int,
) -> None:
    chance = Random(seed)
    monkeypatch.chdir(tmp_path)
    for number in range(4):
        copy = tmp_path / f"copy-{number}"
        shutil.copytree(folder, copy)
        what = damage(copy, chance)
        if chance.random() < 0.5:
            shutil.rmtree(copy / "sums", ignore_errors=True)
        for words in chance.sample(COMMANDS, 5):
            code = run([str(copy) if word == "L" else word for word in words])
            assert code in (0, 1, 2), f"{what}: {words}: {capsys.readouterr().err}"
            for name in ("page.html", "cup.khiva"):
                (tmp_path / name).unlink(missing_ok=True)
