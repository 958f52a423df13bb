"""The data of batches that are kept: tables from them are those of all matches, bit for
bit, and what is lost is made again.
"""

import json
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from leagues import ends_in
from made_league import MadeLeague, Shape
from msgspec import structs

from khiva_arena.competition.events.pool_tables import TableRequest, tables_of
from khiva_arena.errors import StoreError
from khiva_arena.extensions.league.chain.links import Renewed, Season, StateChanged
from khiva_arena.extensions.league.chain.stored_chain import next_place
from khiva_arena.extensions.league.folder import PUBLIC, SUMS
from khiva_arena.extensions.league.player import sums
from khiva_arena.extensions.league.player.newest_table import newest_table, write_season
from khiva_arena.extensions.league.player.published_before import NewestTable
from khiva_arena.extensions.league.public_state import season_file
from khiva_arena.extensions.league.seasons import batches_of
from khiva_arena.rating.ratings.match_arrays import join_matches
from khiva_arena.rating.report.tally import Collected
from khiva_arena.records.store.db import Store


def grown(folder: Path, seed: int) -> MadeLeague:
    """Return a league of chance: bots come, go and are replaced, tables are lost, a
    season begins, terms change.
    """
    draw = Random(seed)
    league = MadeLeague(folder, Shape(seats=draw.choice((2, 3)), seeds=draw.choice((1, 2))))
    for number in range(draw.randint(2, 4)):
        league.enter(f"bot {number}", number + 1, number + 1)
    for number in range(4):
        if draw.random() < 0.5:
            league.enter(f"late {number}", 100 + number, 100 + number)
        retiring = [bot for bot in league.chain.active if bot.author]
        if len(retiring) > 2 and draw.random() < 0.5:
            gone = draw.choice(retiring).identity
            league.add(
                StateChanged(
                    **next_place(league.chain), identity=gone, state="retired", why="it is old"
                )
            )
        if number == 1:
            league.add(Season(**next_place(league.chain), name="autumn"))
        if number == 2 and draw.random() < 0.5:
            league.plain = structs.replace(
                league.plain, time=structs.replace(league.plain.time, turn_ms=500)
            )
            terms = structs.replace(league.chain.terms, conditions=league.conditions)
            league.add(Renewed(**next_place(league.chain), terms=terms))
        league.batch(lost=[0] if draw.random() < 0.5 else [])
    return league


@pytest.fixture(scope="module")
def three_batches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league of three batches."""
    folder = tmp_path_factory.mktemp("league") / "spring"
    with MadeLeague(folder) as made:
        made.enter("bot", 1)
        for lost in ([], [0], []):
            made.batch(lost)
    return folder


@pytest.fixture
def league(three_batches: Path, tmp_path: Path) -> Iterator[MadeLeague]:
    shutil.copytree(three_batches, tmp_path / "spring")
    with MadeLeague(tmp_path / "spring") as made:
        yield made


def newest(folder: Path) -> NewestTable:
    with Store.read(folder) as store:
        return newest_table(store)


def from_all_matches(folder: Path, *words: str) -> dict[str, Any]:
    """Return the newest table as `standings --json` prints it: from the matches
    themselves.
    """
    return {
        "standings": [tables_of(folder, words, TableRequest(names=("crosstable",)))[-1].to_json()]
    }


@pytest.mark.parametrize("seed", [0, 1, 3, 5, 7])  # of two and three seats, one deal and two
def test_a_table_from_kept_data_is_that_of_all_matches(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "spring"
    with grown(folder, seed):
        first, again = newest(folder), newest(folder)
        assert first.table == again.table
        (table,) = first.table["standings"]
        in_season = [event for event in batches_of(folder, "autumn") if event in table["events"]]
        assert first.table == from_all_matches(folder, *in_season)
        assert len(table["rows"]) > 3


def test_a_season_that_is_over_keeps_its_table(league: MadeLeague) -> None:
    for name in ("spring", "autumn", "winter"):
        league.add(Season(**next_place(league.chain), name=name))
        if name != "autumn":
            league.batch()
    assert [season.name for season in league.chain.seasons] == [
        "season 1",
        "spring",
        "winter",
    ]  # autumn had no batch
    write_season(league.folder, 2)
    expected = from_all_matches(league.folder, *batches_of(league.folder, "spring"))
    assert json.loads((league.folder / PUBLIC / season_file(2)).read_bytes()) == expected
    tables = newest(league.folder)
    assert tables.season == "winter"
    assert tables.table == from_all_matches(league.folder, *batches_of(league.folder, "winter"))


def test_kept_data_are_those_that_were_collected_at_once(league: MadeLeague) -> None:
    events = league.store.events()
    from_all = Collected(sums.results_of(league.store, *events)).data()
    parts = [Collected(sums.results_of(league.store, event)).data() for event in events]
    joined = join_matches([part.matches for part in parts])
    assert joined.events == from_all.matches.events
    for mine, other in zip(joined.sizes, from_all.matches.sizes, strict=True):
        for name in mine.__struct_fields__:
            column, expected = getattr(mine, name), getattr(other, name)
            assert column.dtype == expected.dtype, name
            assert np.array_equal(column, expected), name


def test_a_batch_that_was_kept_is_not_read_again(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = newest(league.folder)
    read = []
    monkeypatch.setattr(sums, "results_of", lambda store, event: read.append(event.number) or [])
    assert newest(league.folder) == before
    assert read == []
    monkeypatch.undo()
    league.batch()
    monkeypatch.setattr(sums, "results_of", lambda store, event: read.append(event.number) or [])
    newest(league.folder)
    assert read == [4]


def test_what_is_played_does_not_count_before_it_is_over(league: MadeLeague) -> None:
    before = newest(league.folder)
    play = league.play(league.draw())
    assert newest(league.folder) == before
    league.end(play)
    assert newest(league.folder).then.batch == before.then.batch + 1


@pytest.mark.parametrize("harm", ["lost", "empty", "cut", "bit", "other batch", "older"])
def test_data_that_are_lost_or_wrong_are_made_again(league: MadeLeague, harm: str) -> None:
    before = newest(league.folder)
    path, other = (league.folder / SUMS / event.id for event in league.store.events()[:2])
    whole = path.read_bytes()
    harmed = {
        "lost": b"",
        "empty": b"",
        "cut": whole[:-5],
        "bit": whole[:-1] + bytes([whole[-1] ^ 1]),
        "other batch": other.read_bytes(),
        "older": whole.replace(sums.HEAD, b"khiva-sums-0\n"),
    }
    path.unlink()
    if harm != "lost":
        path.write_bytes(harmed[harm])
    assert newest(league.folder) == before
    assert path.read_bytes() == whole


def test_data_of_other_matches_than_the_chain_names_are_not_taken(league: MadeLeague) -> None:
    event = league.store.events()[0]
    sums.data_of(league.store, [(event, ends_in(league.store)[0].run_digest)])
    with pytest.raises(StoreError) as refused:
        sums.data_of(league.store, [(event, "0" * 64)])
    assert (
        str(refused.value)
        == f"{league.folder}: the matches of event 1 are not those that the chain names; "
        "restore a copy"
    )


def test_a_damaged_match_gives_no_table(league: MadeLeague) -> None:
    with sqlite3.connect(league.folder / "arena.db") as connection:
        connection.execute(
            "UPDATE seats SET rank = 3 - rank WHERE event = ?", (league.store.events()[-1].id,)
        )
    with pytest.raises(StoreError, match="damaged"):
        newest(league.folder)


def test_a_table_set_aside_widens_no_interval(tmp_path: Path) -> None:
    with MadeLeague(tmp_path / "spring", Shape(seats=2)) as league:
        league.enter("bot", 1)
        league.batch()
        league.batch(lost=[0])
        assert newest(league.folder).table == from_all_matches(league.folder)
        (table,) = newest(league.folder).table["standings"]
        assert table["left_out"]["set_aside"]
        assert "looks" not in table


def test_a_large_league_has_no_crosstable(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert newest(league.folder).table["standings"][0]["sections"]["crosstable"]
    monkeypatch.setattr(sys.modules[newest_table.__module__], "MOST_IN_CROSSTABLE", 2)
    assert newest(league.folder).table["standings"][0]["sections"] == {}
