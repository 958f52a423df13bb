"""The pages of a league on a telephone: nothing is cut, nothing has to be moved aside,
and a match is two clicks away.
"""

from collections.abc import Iterator

import msgspec
import pytest
from browser import Page
from league_serving import LeagueServer, league_server
from public_league import ANN, league_folder, write_public
from selenium.webdriver.common.by import By

from khiva_arena.extensions.league.folder import PUBLIC
from khiva_arena.extensions.league.public_state import HISTORY, STATE, RatingThen, TableThen

pytestmark = pytest.mark.slow

SIZES = ((390, 800), (1280, 900))
LONG = "a-bot-with-a-name-as-long-as-a-league-takes v12"
VIEWS = (
    "/",
    "/batches",
    "/batches/3",
    "/bots/crow%20v2",
    f"/bots/{LONG}",
    f"/families/{ANN}f",
    "/queue",
    "/seasons",
    "/rules",
)
CUT = """
const width = document.documentElement.clientWidth;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const cut = [];
while (texts.nextNode()) {
  const node = texts.currentNode;
  const shown = node.parentElement.checkVisibility() && !node.parentElement.closest(".skip, thead");
  if (!shown || !node.textContent.trim()) continue;
  const range = document.createRange();
  range.selectNode(node);
  const box = range.getBoundingClientRect();
  const around = node.parentElement.closest("svg")?.getBoundingClientRect() ??
    { left: 0, right: width };
  if (box.left < around.left - 1 || box.right > Math.min(width, around.right) + 1)
    cut.push(node.textContent);
}
const wide = [...document.querySelectorAll(".scrolls")]
  .filter((one) => one.scrollWidth > one.clientWidth);
return [cut, wide.map((one) => one.ariaLabel)];
"""
"""The texts that reach beyond the window or their drawing, and the places that must be
moved aside to be read.
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LeagueServer]:
    """A league of a year with large numbers, a long name, and a bot that nothing is
    known of above.
    """
    folder = league_folder(tmp_path_factory.mktemp("league") / "spring")
    league = write_public(folder, extra=LONG, batches=250)
    newcomer = league.bots[-1]
    assert league.table
    row = league.table["standings"][0]["rows"][-1]
    row |= {
        "elo": 1770.0,
        "error": None,
        "low": None,
        "high": None,
        "bound": ">=",
        "matches": 12_345,
    }
    (folder / PUBLIC / STATE).write_bytes(msgspec.json.encode(league))
    last = TableThen(249, (RatingThen(newcomer.identity, -1770.0, None, None, None, "<="),))
    with (folder / PUBLIC / HISTORY).open("ab") as file:
        file.write(msgspec.json.encode(last) + b"\n")
    with league_server(folder, is_forked=True) as one:
        yield one


@pytest.mark.parametrize("path", VIEWS)
def test_nothing_is_cut(page: Page, server: LeagueServer, path: str) -> None:
    for size in SIZES:
        page.size(size)
        page.driver.get(server.origin + path)
        page.js("for (const one of document.querySelectorAll('details')) one.open = true")
        assert page.js(CUT) == [[], []], (path, size)


def test_a_match_is_two_clicks_away(page: Page, server: LeagueServer) -> None:
    page.size(SIZES[0])
    page.driver.get(server.origin)
    page.driver.find_element(By.LINK_TEXT, "crow v2").click()
    page.driver.find_element(By.LINK_TEXT, "match 249/0").click()
    assert page.driver.current_url == f"{server.origin}/batches/249.html#match=249/0&step=0"
