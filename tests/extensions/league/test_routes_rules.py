"""The rules of a league's game as a page: every mark of their text is known, and no
other game has such a page.
"""

import html
import re
from pathlib import Path

import pytest
from msgspec import structs
from public_league import league_folder, write_public
from wording import sentence

from khiva_arena.extensions.league.public_state import PublicLeague
from khiva_arena.extensions.league.routes import pages, rules
from khiva_arena.extensions.league.routes.markup import joined
from khiva_arena.extensions.league.routes.public_folder import PublicFolder
from khiva_arena.extensions.league.routes.view import LeagueView
from khiva_arena.games.registry import GAMES

NOWHERE = PublicFolder(Path(__file__).parent)
"""A folder without a file of a league."""


@pytest.fixture
def league(tmp_path_factory: pytest.TempPathFactory) -> PublicLeague:
    return write_public(league_folder(tmp_path_factory.mktemp("league") / "spring"))


def test_every_game_of_the_arena_has_rules() -> None:
    assert set(rules.TEXTS) == set(GAMES)


@pytest.mark.parametrize("game", sorted(rules.TEXTS))
def test_no_mark_of_the_text_is_left(game: str) -> None:
    page = rules.rendered(rules.TEXTS[game])
    said = re.sub(r"<code>.*?</code>", "", page)
    assert not re.search(r"[`#]|\|[-|]|\*\*|\*\w", html.unescape(re.sub("<[^>]*>", "", said)))
    assert page.count("<table") > 3
    assert page.count("<li>") >= 4


def test_marks_are_escaped_and_further_lines_belong_to_their_item() -> None:
    assert (
        rules.inline("a < *b* and `c * d * e` **f**")
        == "a &lt; <em>b</em> and <code>c * d * e</code> <strong>f</strong>"
    )
    assert rules.rendered("1. one\n   more\n2. two") == "<ol><li>one more</li><li>two</li></ol>"


def test_a_game_of_ones_own_has_no_page_of_rules(league: PublicLeague) -> None:
    def view(game: str) -> LeagueView:
        league_of_it = PublicLeague(
            **{name: getattr(league, name) for name in league.__struct_fields__} | {"game": game}
        )
        return LeagueView(league_of_it, NOWHERE, {}, ())

    page = pages.rules_of(view("emira"))
    assert page
    assert page.title == "The rules of emira"
    assert 'href="/rules"' in pages.standings(view("emira")).main
    assert pages.rules_of(view("my_game")) is None
    assert (
        "/rules"
        not in pages.standings(view("my_game")).main + pages.queue(view("my_game"), joined()).main
    )


def test_the_first_page_leads_to_how_a_bot_is_submitted(league: PublicLeague) -> None:
    view = LeagueView(league, NOWHERE, {}, ())
    assert 'href="/queue#submit"' in pages.standings(view).main
    queue = pages.queue(view, joined()).main
    assert 'id="submit"' in queue
    assert "khiva-arena submit my-bot --to https://THIS-ADDRESS --token-file token" in queue


def test_the_first_page_says_whose_chance_deals_are(league: PublicLeague) -> None:
    of_the_organiser, of_a_beacon = (
        sentence("league_serve", "organiser-may-choose"),
        sentence("league_serve", "nobody-chose"),
    )
    for beacon in ("", "drand quicknet"):
        page = pages.standings(
            LeagueView(structs.replace(league, beacon=beacon), NOWHERE, {}, ())
        ).main
        assert (of_the_organiser in page, of_a_beacon in page, "drand quicknet" in page) == (
            not beacon,
            bool(beacon),
            bool(beacon),
        )


def test_the_first_page_says_who_leads_and_whether_that_is_luck(league: PublicLeague) -> None:
    view = LeagueView(league, NOWHERE, {}, ())
    assert view.lead == f"anchor leads so far{sentence('report', 'could-be-luck')}."
    rows = view.rows.values()
    for row in rows:
        row["rank_interval"] = [1, len(rows)]
    assert (
        view.lead == f"anchor leads so far{sentence('report', 'could-be-luck')}: "
        f"{sentence('report', 'results-tell-none-apart')}."
    )
    next(iter(rows))["rank_interval"] = [1, 1]
    assert view.lead == f"anchor leads so far{sentence('report', 'more-than-luck')}."
    for row in rows:
        row["elo"] = None
    assert view.lead == ""
    assert 'class="lead"' not in pages.standings(view).main


def test_nobody_leads_before_two_bots_have_a_place(league: PublicLeague) -> None:
    view = LeagueView(league, NOWHERE, {}, ())
    first, *others = view.rows.values()
    for row in others:
        row["rank"] = None
    assert view.lead == ""
    others[0]["rank"] = 2
    assert view.lead.startswith("anchor leads")
    first["rank"] = others[0]["rank"] = None
    assert view.lead == ""
