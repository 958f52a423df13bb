"""The page in which bots are written, as a league serves it: apart from its other
pages, whose form takes what it saves.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from author import Browser, press, status
from axe import load, violations
from browser import PHONE, WIDE, Page
from checker import checker
from firefox import firefox
from league_serving import LeagueServer, league_server
from signed_in import league_with_form
from waiting import until
from wording import pattern

from khiva_arena.display.page import released
from khiva_arena.display.page.html import BEGINNING
from khiva_arena.entrants.bots import load as load_bot
from khiva_arena.entrants.packing import pack
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.routes import served_page
from khiva_arena.extensions.league.submissions.queue import Queue

CLICK = (
    "[...document.querySelectorAll('button')].find((one) => "
    "one.textContent.startsWith(arguments[0])).click()"
)
LINK = 'href="/khiva-arena.html"'
SHOWN = "return document.querySelector('h1')?.textContent === arguments[0]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A league whose authors' pages take bots."""
    return league_with_form(tmp_path / "spring")


@pytest.mark.slow
def test_it_is_apart_and_its_hash_is_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(BEGINNING + served_page.WORKER)
    page = served_page.read(tmp_path / "page.html")
    with league_server(folder, "--page", str(tmp_path / "page.html"), is_forked=True) as server:
        answer = server.ask("/khiva-arena.html")
        assert answer.body == page.data
        assert (
            answer.headers["content-security-policy"]
            == "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
        )
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert server.ask("/khiva-arena.html", If_None_Match=answer.headers["etag"]).status == 304
        assert all(word in server.ask("/queue").text for word in (page.digest, LINK))
        for path in ("/", "/queue", "/author", "/author/entry"):
            assert "frame-ancestors 'none'" in server.ask(path).headers["content-security-policy"]
    with league_server(folder, is_forked=True) as server:
        assert server.ask("/khiva-arena.html").status == 404
        assert LINK not in server.ask("/queue").text


def test_what_is_no_page_is_not_served(tmp_path: Path) -> None:
    for other in (
        b"<script>alert(1)</script>",
        served_page.WORKER,
        BEGINNING + b"a page of results",
    ):
        (tmp_path / "other.html").write_bytes(other)
        with pytest.raises(ConfigError, match=pattern("league_serve", "no-page")):
            served_page.read(tmp_path / "other.html")
    with pytest.raises(ConfigError, match="No such file"):
        served_page.read(tmp_path / "none.html")


def test_the_hash_of_a_release_tells_its_page_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(released, "files", lambda _package: tmp_path)
    assert "you can compare" in released.whose_page("a" * 64)
    (tmp_path / released.HASH).write_text("a" * 64 + "\n")
    assert ["has another one" in released.whose_page(digit * 64) for digit in "ab"] == [False, True]


# --- in browsers ---


@pytest.fixture
def server(folder: Path, tmp_path: Path) -> Iterator[LeagueServer]:
    """A league that serves the page."""
    (tmp_path / "khiva-arena.html").write_text(checker())
    with league_server(
        folder, "--page", str(tmp_path / "khiva-arena.html"), is_forked=True
    ) as served:
        yield served


def at_the_bench(browser: Browser, server: LeagueServer) -> None:
    """Open the page as the league serves it, and play a deal in it: with workers, and
    without an origin or a cookie.
    """
    browser.visit(f"{server.origin}/khiva-arena.html")
    browser.until("return document.querySelector('main')?.childElementCount > 0")
    assert browser.js("return self.origin") == "null"
    browser.js(CLICK, "Write a bot")
    browser.until("return document.querySelector('.editor')")
    browser.js("document.querySelector('[name=matches]').value = 2")
    browser.js(CLICK, "Play")
    assert "2 matches were played" in status(browser, "Run digest")


@pytest.mark.soak
@pytest.mark.language
def test_a_bot_goes_from_the_page_of_a_league_into_its_queue(
    page: Page, server: LeagueServer, folder: Path, tmp_path: Path
) -> None:
    page.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    at_the_bench(page, server)
    page.js(CLICK, "Save for a league")
    said = status(page, "Saved as my-bot.entry")
    assert until((tmp_path / "my-bot.entry").is_file)
    assert page.wrong() == []
    press(page, "x")
    page.js(CLICK, "New in Python")  # the sandbox lets it ask nobody
    status(page, "Save the bot first")
    for path in ("/khiva-arena.html", "/author"):
        (tmp_path / "frame.html").write_text(
            f"<!doctype html><iframe src='{server.origin}{path}'></iframe>"
        )
        page.visit((tmp_path / "frame.html").as_uri())
        assert until(lambda: "frame-ancestors" in str(page.driver.get_log("browser")))
    with Queue(folder) as queue:
        token = queue.rotate(queue.add_author("ann").id)
        page.visit(f"{server.origin}/author")
        page.driver.find_element("name", "token").send_keys(token)
        page.click("main button")
        page.until(SHOWN, "Your bots")
        page.choose(tmp_path / "my-bot.entry")
        page.click("#upload button")
        page.until(SHOWN, "Send this bot?")
        assert said.rpartition(" ")[2].rstrip(".") in page.texts("main")[0]
        load(page)
        assert violations(page, "entry") == {}
        for size in (WIDE, PHONE):
            page.size(size)
            assert page.js("return document.documentElement.scrollWidth") <= size[0]
        assert queue.entries() == []
        page.click("main button")
        page.until(SHOWN, "Your bots")
        claimed = queue.claim()
    assert claimed
    assert (claimed[0].family_name, claimed[1]) == (
        "my-bot",
        (tmp_path / "my-bot.entry").read_bytes(),
    )
    assert claimed[1] == pack(load_bot(str(tmp_path / "my-bot.entry")))
    assert page.wrong() == []


@pytest.mark.soak
@pytest.mark.language
@pytest.mark.xdist_group("firefox")
def test_firefox_plays_in_the_page_of_a_league(server: LeagueServer) -> None:
    with firefox() as browser:
        at_the_bench(browser, server)
