"""The pages of a league in a real browser: nothing runs that is not ours, nothing keeps
anybody from using them, they grow.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe import load, violations
from browser import PHONE, WIDE, Page
from league_serving import LeagueServer, league_server
from public_league import ANN, BEN, HOSTILE, league_folder, write_public
from selenium.webdriver.common.by import By

from khiva_arena.extensions.league.routes.author_pages import COOKIE
from khiva_arena.extensions.league.submissions.queue import Queue

pytestmark = pytest.mark.slow

VIEWS = {
    "standings": "/",
    "batches": "/batches",
    "batch": "/batches/3",
    "bot": "/bots/crow%20v2",
    "family": f"/families/{ANN}f",
    "queue": "/queue",
    "seasons": "/seasons",
    "authors": "/author",
    "rules": "/rules",
    "nothing": "/nothing",
}
EVIL = (
    "/",
    "/bots/%3Cscript%3Eran=true%3C%2Fscript%3E",
    f"/families/{BEN}e",
    "/queue",
    "/batches/4.html",
)


class Place:
    """A league that is served.

    folder: of the league.
    server: it.
    token: of an author, one of whose bots was refused.
    """

    def __init__(self, folder: Path, server: LeagueServer) -> None:
        self.folder, self.server = folder, server
        with Queue(folder) as queue:
            author = queue.add_author("ann")
            self.token = queue.rotate(author.id)
            queue.add_entry(author.id, "wren", "f" * 64, b"files")
            number = queue.add_entry(author.id, "crow", "e" * 64, b"other files")
            queue.settle(number, "refused", f"its check failed: {HOSTILE}")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    folder = league_folder(tmp_path / "spring")
    write_public(folder)
    with league_server(folder, is_forked=True) as server:
        yield Place(folder, server)


def sign_in(page: Page, place: Place) -> None:
    page.driver.get(f"{place.server.origin}/author")
    page.driver.find_element(By.NAME, "token").send_keys(place.token)
    page.click("main button")
    page.until("return document.querySelector('h1')?.textContent === 'Your bots'")


@pytest.mark.parametrize("name", VIEWS)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    page: Page, place: Place, name: str
) -> None:
    page.driver.get(place.server.origin + VIEWS[name])
    load(page)
    page.js("for (const one of document.querySelectorAll('details')) one.open = true")
    assert violations(page, name) == {}
    for size in (WIDE, PHONE):
        page.size(size)
        assert page.js("return document.documentElement.scrollWidth") <= size[0]
    assert [line for line in page.wrong() if "404 ()" not in line] == []


def test_an_author_signs_in_and_out_with_keys_that_no_script_reads(
    page: Page, place: Place
) -> None:
    sign_in(page, place)
    assert page.js("return document.cookie") == ""
    (cookie,) = [one for one in page.driver.get_cookies() if one["name"] == COOKIE]
    assert (cookie["httpOnly"], cookie["secure"], cookie["sameSite"]) == (True, True, "Strict")
    assert HOSTILE in page.js("return document.querySelector('main pre').textContent")
    load(page)
    assert violations(page, "own") == {}
    page.click("main button")
    page.until("return document.querySelector('h1')?.textContent === 'Authors'")
    assert page.driver.get_cookies() == []
    assert page.js("return window.ran") is False
    assert page.wrong() == []


def test_names_that_are_scripts_do_not_run(page: Page, place: Place) -> None:
    write_public(place.folder, extra=HOSTILE)
    for path in EVIL:
        page.driver.get(place.server.origin + path)
        assert page.js("return window.ran") is False
        assert page.js("return document.querySelectorAll('main script').length") == 0
    page.wrong()


def test_a_page_grows_while_it_is_looked_at(page: Page, place: Place) -> None:
    page.driver.get(place.server.origin)
    page.js("window.same = true; document.querySelector('main .scrolls').focus()")
    write_public(place.folder, batches=13, link=42)
    page.js("document.activeElement.blur()")
    page.until("return document.querySelector('footer').textContent.includes('link 42')")
    assert page.until("return document.querySelector('main').textContent.includes('batch 13')")
    assert page.js("return window.same") is True
    assert page.wrong() == []
