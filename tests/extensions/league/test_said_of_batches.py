"""What is said of batches: by a player that is interrupted, and by a verification in
which all is well.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from arena import arena
from forging import forge
from leagues import enter, league_in, player_of_names
from wording import sentence

from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.player import player
from khiva_arena.extensions.league.player.player import Player
from khiva_arena.extensions.league.settings import League


class Killed(Exception):
    """The end of a player that has drawn a batch."""


@pytest.fixture
def league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> League:
    """A league of three batches."""
    made = league_in(tmp_path / "spring", options=LeagueOptions(retry_minutes=0))
    enter(made, "ann", "quick")
    player_of_names(monkeypatch)(made, 3)
    return made


def test_a_player_says_that_a_batch_is_drawn(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def ends(self: Player, *_: object) -> None:
        said.append(self.how_far())
        raise Killed

    for step in ("_begun", "_play_batch"):
        with monkeypatch.context() as killed, pytest.raises(Killed):  # noqa: PT012
            killed.setattr(player.Player, step, ends)
            player_of_names(killed)(league)
    assert said == [
        sentence("league", "over-and", over="3 batches", other="no other begun"),
        sentence("league", "over-and", over="3 batches", other="batch 4 is drawn"),
    ]


def test_all_batches_that_are_well_have_one_line(league: League, tmp_path: Path) -> None:
    matches = 3 * 6
    arena("bundle", "spring", "spring.bundle", cwd=tmp_path)
    for what in ("spring", "spring.bundle"):
        first, second, *_ = arena("verify", what, cwd=tmp_path).stdout.splitlines()
        assert first == sentence("league", "all-sound", batches="1-3", matches=matches)
        assert not second.startswith("event")
    with closing(sqlite3.connect(league.folder / "arena.db")) as connection:
        forge(
            connection,
            "UPDATE matches SET record = '{}' WHERE event = (SELECT id FROM events ORDER "
            "BY rowid LIMIT 1) AND ordinal = 0",
        )
        connection.commit()
    lines = arena("verify", "spring", cwd=tmp_path, code=1).stdout.splitlines()
    assert [line for line in lines if line.startswith(("batches", "event 1 ", "event 2 "))] == [
        lines[0],
        lines[1],
    ]
    assert lines[0].startswith(
        sentence("league", "all-sound", batches="2-3", matches=2 * matches // 3)
    )
