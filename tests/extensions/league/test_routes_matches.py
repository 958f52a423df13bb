"""The way from a bot, and from its author, to matches as they are drawn."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from league_serving import LeagueServer, league_server
from msgspec import structs
from public_league import ANN, league_folder, public_bots, write_matches, write_public

from khiva_arena.errors import StoreError
from khiva_arena.extensions.league.folder import PUBLIC
from khiva_arena.extensions.league.public_state import MATCHES, PublicBot, PublicLeague
from khiva_arena.extensions.league.routes.public_folder import PublicFolder
from khiva_arena.extensions.league.routes.view import LOOK_BACK, LeagueView
from khiva_arena.extensions.league.submissions.queue import Queue


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return league_folder(tmp_path / "spring")


def view_of(folder: Path, league: PublicLeague) -> LeagueView:
    return LeagueView(league, PublicFolder(folder / PUBLIC), {}, ())


def bot_named(league: PublicLeague, name: str) -> PublicBot:
    return next(bot for bot in league.bots if bot.name == name)


def test_the_newest_matches_of_a_bot_come_first_with_its_seat(folder: Path) -> None:
    league = write_public(folder)
    own = list(view_of(folder, league).newest_matches(bot_named(league, "crow v2")))
    assert [(one.batch, one.match.key, one.rank) for one in own[:4]] == [
        (11, "11/2", 3),
        (11, "11/1", 1),
        (11, "11/0", 2),
        (10, "10/2", 3),
    ]
    crow = bot_named(league, "crow v2").identity
    assert all(one.identities[one.seat] == crow for one in own)
    assert {one.batch for one in own} == {9, 10, 11}


def test_a_batch_whose_secrets_are_not_public_is_not_looked_at(folder: Path) -> None:
    league = write_public(folder)
    hidden = tuple(structs.replace(batch, revealed=batch.number < 11) for batch in league.batches)
    own = view_of(folder, structs.replace(league, batches=hidden)).newest_matches(
        bot_named(league, "crow v2")
    )
    assert max(one.batch for one in own) == 10


def test_a_bot_that_left_long_ago_still_has_its_last_matches(folder: Path) -> None:
    league = write_public(folder, batches=100)
    public = folder / PUBLIC
    lines = (public / "history.jsonl").read_bytes().split(b"\n")
    crow = bot_named(league, "crow v1")
    gone = [
        line
        for number, line in enumerate(lines, 1)
        if number <= 30 or crow.identity.encode() not in line
    ]
    assert len(gone) < len(lines)
    (public / "history.jsonl").write_bytes(b"\n".join(gone) + b'{"batch":40,"ratings":[]}\n')
    sat = tuple(
        structs.replace(bot, state="active") if bot == crow else bot for bot in public_bots()
    )
    write_matches(public, sat, 29)
    own = list(view_of(folder, league).newest_matches(crow))
    assert {one.batch for one in own} == {29}


def test_a_bot_is_looked_for_in_few_batches(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = write_public(folder, batches=100)
    asked: list[int] = []
    public = PublicFolder(folder / PUBLIC)
    monkeypatch.setattr(public, "matches", asked.append)
    view = LeagueView(league, public, {}, ())
    assert list(view.newest_matches(bot_named(league, "crow v2"))) == []
    assert asked == list(range(99, 99 - LOOK_BACK, -1))


def test_a_list_that_is_damaged_is_said_to_be(folder: Path) -> None:
    write_public(folder)
    (folder / PUBLIC / MATCHES / "11.json").write_text("[]")
    with pytest.raises(
        StoreError, match="; the player writes a list that is removed anew when it starts"
    ):
        PublicFolder(folder / PUBLIC).matches(11)


@pytest.fixture
def server(folder: Path) -> Iterator[LeagueServer]:
    write_public(folder)
    with league_server(folder, is_forked=True) as one:
        yield one


@pytest.mark.slow
def test_the_page_of_a_bot_leads_to_drawings_and_to_all_of_its_matches(
    server: LeagueServer,
) -> None:
    page = server.ask("/bots/crow%20v2").text
    assert 'href="/batches/11.html#match=11/2&amp;step=0"' in page
    assert f'href="/batches/11.html#matches=all&amp;bot={2:064x}"' in page
    left = server.ask(f"/bots/{quote('heron v1')}").text
    assert f"No match is listed in its last {LOOK_BACK} batches that are public." in left


@pytest.mark.slow
def test_the_page_of_an_author_leads_to_the_last_match_that_was_lost(folder: Path) -> None:
    with Queue(folder) as queue:
        write_public(folder, authors={ANN: queue.add_author("cleo").id})
        cleo = queue.author("cleo")
        assert cleo
        with league_server(folder, is_forked=True) as server:
            form = {"Origin": server.origin, "Content_Type": "application/x-www-form-urlencoded"}
            signed = server.ask(
                "/author", "POST", urlencode({"token": queue.rotate(cleo.id)}), **form
            )
            page = server.ask("/author", Cookie=signed.headers["set-cookie"].partition(";")[0]).text
    assert re.search(
        r'crow v2</a>.*?href="/batches/11.html#match=11/2&amp;step=0">match 11/2</a>, batch 11',
        page,
    )
    assert re.search(
        r'crow v3</a>.*?href="/batches/11.html#match=11/1&amp;step=0">match 11/1</a>', page
    )  # it won 11/2
    none = "none in its last 20 batches"
    assert re.search(rf"crow v1</a>.*?{none}", page)
