"""A person's seat in a real browser, around the match: other tabs, other pages, clocks,
hints, rules.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

import pytest
from arena import RANDOM, C, bots
from axe import load, violations
from browser import PHONE, WIDE, Page
from own_games import changed
from seated_page import HAND, OPPONENTS, record_of, seated, states, table
from wording import sentence

from khiva_arena.extensions.own_games import opening
from khiva_arena.games.asked import asking
from khiva_arena.games.registry import GAMES

pytestmark = pytest.mark.slow


ONE_CHOICE = """
const [button, told] = [document.querySelector('.options button'),
  document.querySelector('.story').textContent];
if (told === arguments[0]) button?.click();
return button && told !== arguments[0];
"""
"""The first choice, part by part, until the next question is there: what was told
before it is the argument.
"""


FOLD = "return document.querySelector('.board-svg').getBoundingClientRect().bottom"


def test_a_second_tab_is_told_that_the_seat_is_taken_and_the_first_plays_on(
    page: Page, tmp_path: Path
) -> None:
    with seated(page, tmp_path, *table("khiva")):
        address, first = page.driver.current_url, page.driver.current_window_handle
        page.driver.switch_to.new_window("tab")
        page.driver.get(address)
        page.until(
            "return document.querySelector('.status').textContent.startsWith('"
            + sentence("seats", "seat-open-another-page")
            + "')"
        )
        assert page.texts(".options button") == []
        assert page.texts(".said p") == []
        page.driver.close()
        page.driver.switch_to.window(first)
        page.js("document.querySelector('.options button').click()")
        page.until("return document.querySelectorAll('.options button').length")


HOSTILE = b"""<!doctype html><title>hostile</title><body><script>
const address = decodeURIComponent(location.hash.slice(1));
const found = window.found = {};
const tried = (name, promise) => promise
  .then((what) => { found[name] = what; }, () => { found[name] = "refused"; });
tried("socket", new Promise((done, fail) => {
  const socket = new WebSocket(address.replace("http", "ws") + "seat");
  socket.onopen = () => done("open");
  socket.onmessage = ({ data }) => done(data);
  socket.onerror = fail;
}));
tried("read", fetch(address).then((answer) => answer.text()));
tried("blind", fetch(address, { mode: "no-cors" })
  .then((answer) => answer.text().then((text) => text || "refused")));
tried("posted", fetch(address, { method: "POST", body: "{}" }).then((answer) => answer.text()));
tried("framed", new Promise((done, fail) => {
  const frame = document.createElement("iframe");
  frame.onload = () => {
    try { done(frame.contentWindow.document.body.textContent || "refused"); } catch { fail(); }
  };
  frame.src = address;
  document.body.append(frame);
}));
tried("script", new Promise((done, fail) => {
  const script = document.createElement("script");
  script.onload = () => done("ran");
  script.onerror = fail;
  script.src = address;
  document.body.append(script);
}));
</script>"""


def test_a_hostile_page_of_another_origin_gets_nothing_even_if_it_knows_the_address(
    page: Page, tmp_path: Path
) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(HOSTILE)

        def log_message(self, *_: object) -> None:
            pass

    with (
        seated(page, tmp_path, *table("khiva")),
        ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server,
    ):
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            address, first = page.driver.current_url, page.driver.current_window_handle
            page.driver.switch_to.new_window("tab")
            page.driver.get(f"http://127.0.0.1:{server.server_port}/#{quote(address, safe='')}")
            found = page.until("return Object.keys(window.found).length === 6 && window.found")
            assert found == dict.fromkeys(
                ("socket", "read", "blind", "posted", "framed", "script"), "refused"
            )
            page.driver.close()
            page.driver.switch_to.window(first)
            page.js("document.querySelector('.options button').click()")  # the match goes on
            page.until("return document.querySelectorAll('.options button').length")
            page.wrong()  # the browser says what it refused
        finally:
            server.shutdown()
            thread.join()


def test_a_page_that_is_loaded_again_in_the_middle_goes_on(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva")):
        for _ in range(3):
            told = page.js("return document.querySelector('.story').textContent")
            page.until(ONE_CHOICE, told)
        before = page.until(
            "return document.querySelector('.options button') && "
            "document.querySelector('.story').textContent"
        )
        page.keys(
            " "
        )  # from what happened to the question, which is there at once after it is loaded
        options = page.texts(".options button")
        page.driver.refresh()
        page.until("return document.querySelector('.options button')")
        assert page.texts(".options button") == options
        assert page.js("return document.querySelector('.story').textContent") == before
        assert page.wrong() == []


def test_a_page_says_when_the_command_has_ended(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva")) as process:
        process.kill()
        page.until("return document.querySelector('.said').textContent.includes('no longer runs')")
        assert page.texts(".options button") == []


def test_a_hint_is_marked_among_the_choices(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva")):
        page.keys("?")  # which goes on to the question, too
        page.until("return document.querySelector('.options .hinted')")
        assert page.texts(".hint")[0].startswith("search would choose: ")
        played, passed = page.texts(".hint b")[0].split(", ")
        assert played in page.texts(".options .hinted")[0]
        assert page.texts(".held.hinted") == [played.split()[1]]
        page.js("document.querySelector('.options .hinted').click()")
        page.until("return document.querySelector('.options')?.textContent.includes('back')")
        assert passed in page.texts(".options .hinted")[0]


def test_the_aim_comes_before_the_first_question_and_what_happened_before_the_next(
    page: Page, tmp_path: Path
) -> None:
    with seated(page, tmp_path, *table("khiva")):
        assert page.texts(".status") == ["What the game is about"]
        assert page.texts(".news li") == [*asking(GAMES["khiva"]).aim]
        assert page.texts(".options button") == ["spacego on"]
        page.keys(" ")
        assert page.texts(".status") == ["Choose " + sentence("games", "play-and-pass")]
        for text in ("play", "pass"):
            page.until(
                "return document.querySelector('.options "
                "button')?.textContent.includes(arguments[0])",
                text,
            )
            page.js("document.querySelector('.options button').click()")
        page.until("return document.querySelector('.status').textContent === 'What happened'")
        told = page.texts(".news li")
        assert told[0].startswith("You pass ")
        assert any(line.startswith("Turn 1: you ") for line in told)
        page.driver.refresh()  # a page that is loaded again shows the question
        page.until("return document.querySelector('.options button')")
        assert page.texts(".news") == []
        assert page.wrong() == []


def test_while_a_clock_runs_the_question_comes_immediately(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva"), "--turn", "10m"):
        assert page.texts(".news") == []
        assert len(page.texts(".options button")) == 5


@pytest.mark.parametrize("bots_at_table", [1, 2])
def test_cards_of_the_hand_are_clicked_to_play_and_to_pass(
    page: Page, tmp_path: Path, bots_at_table: int
) -> None:
    """At two seats two cards are played and two passed."""
    cards = 2 if bots_at_table == 1 else 1
    with seated(page, tmp_path, *bots("person", *[C] * bots_at_table)):
        assert {disabled for _, disabled, _ in page.js(HAND)} == {True}  # the aim is shown
        page.keys(" ")
        hand = [card for card, _, _ in page.js(HAND)]
        play, pass_ = hand[1 : 1 + cards], hand[1 + cards : 1 + 2 * cards]
        for at, card in enumerate(play):
            page.click(".held", hand.index(card))
            if at < cards - 1:
                assert page.js(HAND)[hand.index(card)] == [card, False, "true"]
                assert all(card in text for text in page.texts(".options button"))
        assert page.texts(".choose p") == [f"play {' '.join(play)}, and then?"]
        assert page.js(HAND)[hand.index(play[0])][1:] == [True, "false"]
        for card in pass_:
            page.click(".held", hand.index(card))
        page.until("return document.querySelector('.status').textContent === 'What happened'")
        assert page.texts(".news li")[0].startswith(f"You pass {' '.join(pass_)} to ")


def test_the_table_is_above_the_fold_and_the_rules_are_behind_a_key(
    page: Page, tmp_path: Path
) -> None:
    page.size((1280, 900))
    with seated(page, tmp_path, *table("khiva")):
        page.keys(" ")
        bottom = page.js(FOLD)
        assert bottom < 600
        for key, name in (("r", "rules"), ("l", "legend")):
            assert not page.js("return document.querySelector(arguments[0]).open", f".{name}")
            page.keys(key)
            assert page.js("return document.querySelector(arguments[0]).open", f".{name}")
        assert page.js(FOLD) == bottom


def test_time_that_is_left_is_shown_if_there_is_a_clock(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva"), "--turn", "1m", "--bank", "0s"):
        assert page.until("return document.querySelector('.clock').textContent").endswith(" s left")
    with seated(page, tmp_path, *table("khiva")):
        assert page.texts(".clock") == [""]


@pytest.mark.parametrize("game", OPPONENTS)
def test_the_seat_fits_its_window_and_axe_finds_nothing(
    page: Page, tmp_path: Path, game: str
) -> None:
    page.size(WIDE)
    with seated(page, tmp_path, *table(game)):
        for size, dark in ((WIDE, False), (PHONE, True)):
            page.size(size, dark)
            page.until(
                "return new Promise((done) => requestAnimationFrame(() => "
                "requestAnimationFrame(() => done(true))))"
            )
            assert page.js("return document.documentElement.scrollWidth") <= size[0]
        load(page)
        assert violations(page, game) == {}
        assert len(page.texts(".player .points")) == (0 if game == "emira" else 3)


def test_the_title_says_which_of_the_others_is_a_person(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *bots("person:ann", C), "--game", "khiva"):
        assert page.texts("h1") == ["Khiva: you are ann, seat 0"]
    with seated(page, tmp_path, *bots("person:ann", C, "person:bob")):
        assert page.texts("h1") == ["Khiva: you are ann, seat 0; bob: person"]


def test_nothing_of_others_is_in_the_page(page: Page, tmp_path: Path) -> None:
    """Its source is the same for every seat and deal; what it shows it hears on its
    socket (tests/extensions/seats/test_persons.py).
    """
    with seated(page, tmp_path, *table("khiva")):
        source = page.js("return fetch(location.href).then((answer) => answer.text())")
    with seated(page, tmp_path, *bots(C, "person"), "--seed", "other"):
        assert page.js("return fetch(location.href).then((answer) => answer.text())") == source
    assert json.dumps("demo") not in source


def test_a_person_plays_a_game_of_ones_own(page: Page, tmp_path: Path) -> None:
    game = changed(tmp_path / "game.py", ('{"cards": 13', '{"cards": 4'))
    opening.offer([str(game)])  # for the record that is replayed here
    with seated(page, tmp_path, "--game", "game.py", *bots("person", RANDOM)) as process:
        assert not page.texts(".ask-hint")
        page.keys("?")
        page.until(
            "return document.body.textContent.includes('"
            + sentence("seats", "no-hints-match")
            + "')"
        )
        for _ in states(page):
            page.js(ONE_CHOICE, page.texts(".story")[0])
        record = record_of(process)
        assert len(record.steps) == 3
        assert page.wrong() == []
    opening.forget()
