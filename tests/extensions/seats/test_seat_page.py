"""A person's seat in a real browser: whole matches by clicks and by keys, and what happens around them."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

import pytest
from arena import RANDOM, C, bots, started
from axe import load, violations
from browser import PHONE, WIDE, Page
from in_targets import in_long
from own_games import changed
from seat_client import addresses
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from table_choices import EMIRAS_CHOICES, HEARD, SILK_ROADS_CHOICES
from wording import sentence

from khiva_arena.extensions.own_games import opening
from khiva_arena.games.asked import asking
from khiva_arena.games.registry import GAMES
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.seeds import run_secret, seed_secret
from khiva_arena.records.replay.verify import verify

pytestmark = pytest.mark.slow
OPPONENTS = {"khiva": C, "emira": "shipped:python/random", "silk_road": "shipped:python/random"}
LAST_CHOICE = """
return [...document.querySelectorAll('.options button')].filter((one) => !one.textContent.includes('back')).at(-1);
"""
ONE_CHOICE = """
const [button, told] = [document.querySelector('.options button'), document.querySelector('.story').textContent];
if (told === arguments[0]) button?.click();
return button && told !== arguments[0];
"""
"""The first choice, part by part, until the next question is there: what was told before it is the argument."""
STATE = """
const options = [...document.querySelectorAll('.options button')];
return [document.querySelector('.controls') !== null, options.length, document.querySelector('.status')?.textContent ?? ''];
"""


MOST_LOOKS = 50_000
SECOND_KEY = """
const keys = [...document.querySelectorAll('.options kbd')].slice(0, 2).map((one) => one.textContent);
return keys.at(-1) === 'space' ? ' ' : keys.at(-1);
"""
"""The key of the second choice, or of the only one."""
HAND = """
return [...document.querySelectorAll('.held')].map((one) => [one.textContent, one.disabled, one.ariaPressed]);
"""
FOLD = "return document.querySelector('.board-svg').getBoundingClientRect().bottom"


@contextmanager
def seated(page: Page, cwd: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """The page of the one person at a table, with the first question on it."""
    process = started("play", "--no-open", "--seed", "demo", "--isolation", "trusted", "--json", *words, cwd=cwd)
    try:
        page.driver.get(addresses(process)[0])
        page.until("return document.querySelector('.options button')")
        yield process
    finally:
        page.driver.get("about:blank")
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def states(page: Page) -> Iterator[tuple[bool, int, str]]:
    """Yield the state of the page until its match is over."""
    for _ in range(MOST_LOOKS):
        state = page.js(STATE)
        if state[0]:
            return
        yield tuple(state)
    raise AssertionError(f"the match is not over after {MOST_LOOKS:,} looks at the page")


SHORTER: dict[str, list[str]] = {"khiva": [], "emira": ["--rule", "max_rounds=4"], "silk_road": ["--rule", "max_turns=24"]}
"""Matches that end sooner: each kind of choice comes in them, and the person has more than ten."""


def table(game: str) -> list[str]:
    return [*bots("person", OPPONENTS[game], OPPONENTS[game]), "--game", game]


def record_of(process: "subprocess.Popen[str]") -> Record:
    """The record that the command prints, verified."""
    assert process.stdout
    record = Record.from_json(process.stdout.readline().rstrip("\n"))
    verify(record, seed_secret(run_secret("demo"), 0))
    return record


@pytest.mark.parametrize(
    ("game", "rule"),
    [("silk_road", SHORTER["silk_road"]), *in_long([("khiva", SHORTER["khiva"]), ("silk_road", []), ("emira", [])])],
)
def test_a_whole_match_by_clicks(page: Page, tmp_path: Path, game: str, rule: list[str]) -> None:
    with seated(page, tmp_path, *table(game), *rule) as process:
        clicks = 0
        for state in states(page):
            # The last choice each time; of a long list in parts the last but one, since the last goes back.
            if state[1] and (last := page.js(LAST_CHOICE)) is not None:
                with suppress(StaleElementReferenceException):  # the choice before was still on its way
                    last.click()  # by the pointer: what lies over it would take the click
                    clicks += 1
        state = page.js(STATE)
        record = record_of(process)
        assert clicks >= sum(choice.seat == 0 for step in record.steps for choice in step) > 10
        assert record.verdicts[0] == "ok"
        assert f"with {record.scores[0]} points" in state[2]
        last = f"step {len(record.steps)} of {len(record.steps)}"
        page.until("return document.querySelector('.where')?.textContent === arguments[0]", last)
        assert page.wrong() == []
        process.send_signal(signal.SIGINT)  # a page that is left open keeps the replay, and says that nobody serves it any more
        assert process.wait(30) == 0
        page.until("return document.querySelector('.said').textContent.includes('no longer runs')")
        page.keys("Home")
        page.until("return document.querySelector('.where')?.textContent.startsWith('step 0 of')")


@pytest.mark.parametrize(
    ("game", "rule"),
    [("khiva", SHORTER["khiva"]), *in_long([("emira", SHORTER["emira"]), ("emira", []), ("silk_road", [])])],
)
def test_keys_alone_play_a_match_on_a_phone(page: Page, tmp_path: Path, game: str, rule: list[str]) -> None:
    """On the width of one, that is, which nothing ever exceeds."""
    page.size(PHONE)
    with seated(page, tmp_path, *table(game), *rule) as process:
        for state in states(page):
            if state[1]:
                assert page.js("return document.documentElement.scrollWidth") <= PHONE[0]
                ActionChains(page.driver, duration=0).send_keys(page.js(SECOND_KEY) or "").perform()
        assert record_of(process).verdicts[0] == "ok"
        assert page.wrong() == []


ON_THE_TABLE = """
const go_on = document.querySelector('.news') && document.querySelector('.options button');
const shown = (which) => [...document.querySelectorAll(`.tabletop ${which}`)].filter((one) => one.checkVisibility()).at(-1);
const lain = ['.menu button:not(:disabled)', 'button:not(:disabled, .held)', '.spot > summary', 'button:not(:disabled)'];
return go_on || lain.map(shown).find(Boolean);
"""
SMALL = """
return [...document.querySelectorAll('button')].filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
  .filter(({ width, height }) => width < arguments[0] || height < arguments[0]).length;
"""


TAPPED = {"khiva": {"held", "target"}, "silk_road": {"card", "target", "pile"}}
AXE_RULES = SHORTER | {"khiva": ["--rule", "max_turns=10"]}


@pytest.mark.parametrize("game", TAPPED)
def test_taps_on_the_table_play_a_match_on_a_phone(page: Page, tmp_path: Path, game: str) -> None:
    """On cards, places and piles; the list beside them is not touched."""
    page.size(PHONE)
    with seated(page, tmp_path, *table(game), *AXE_RULES[game]) as process:
        kinds, asked = set(), set()
        page.js(HEARD)
        for state in states(page):
            if game == "silk_road" and (told := page.js(SILK_ROADS_CHOICES)):
                asked.add(told[0])
                assert told[1] == []
            if state[1] and (one := page.js(ON_THE_TABLE)) is not None:
                with suppress(StaleElementReferenceException):
                    kinds.update({"held", "target", "pile", "card"} & {*one.get_attribute("class").split()})
                    one.click()
        assert TAPPED[game] <= kinds
        assert game != "silk_road" or {"move", "draw", "sell", "jewel"} <= asked
        assert record_of(process).verdicts[0] == "ok"
        assert page.wrong() == []


def test_taps_on_emiras_table_play_a_match_on_a_phone(page: Page, tmp_path: Path) -> None:
    """Each choice of each question but a bid is on a thing of the table; a bid by its buttons."""
    page.size(PHONE)
    with seated(page, tmp_path, *table("emira"), *SHORTER["emira"]) as process:
        asked = set()
        for state in states(page):
            if state[1] and (one := page.js(EMIRAS_CHOICES)) is not None:
                with suppress(StaleElementReferenceException):
                    assert page.js("return document.documentElement.scrollWidth") <= PHONE[0]
                    one.click()
                    asked.add(state[2])
        assert page.js("return window.missing") == 0
        assert len(asked) > 4
        assert record_of(process).verdicts[0] == "ok"
        assert page.wrong() == []


def at_a_bid(page: Page) -> None:
    """On to the first question for a bid."""
    for state in states(page):
        if "bid" in state[2] and page.js("return document.querySelector('.bid-field')?.checkVisibility()"):
            return
        page.js("document.querySelector('.choose .options button, .emira .options button:not(:disabled)')?.click()")
    raise AssertionError("nobody asked for a bid")


BID = "return document.querySelector('.bid-field input').value"


def redrawn(page: Page, selector: str, size: tuple[int, int]) -> None:
    """Have the table drawn for another width, until the first of these is another one."""
    page.js("document.querySelector(arguments[0]).dataset.old = 'old'", selector)
    page.size(size)
    page.until("return document.querySelector(arguments[0]) && !document.querySelector('[data-old]')", selector)


def test_a_bid_is_made_by_a_field_with_a_lower_and_a_higher_one(page: Page, tmp_path: Path) -> None:
    page.size(PHONE)
    with seated(page, tmp_path, *table("emira"), *SHORTER["emira"]) as process:
        at_a_bid(page)
        least = int(page.js(BID))
        page.js("document.querySelector('.bid-field input').focus()")
        redrawn(page, ".bid-field input", (390, 844))
        assert page.js("return document.activeElement.matches('.bid-field input')")
        page.click("[aria-label='a higher bid']")
        page.click("[aria-label='a higher bid']")
        assert page.js(BID) == str(least + 20)
        page.click("[aria-label='a lower bid']")
        assert page.texts(".draft") == page.texts(".say")[0].split()[1:] == [str(least + 10)]
        field = page.driver.find_element("css selector", ".bid-field input")
        field.clear()
        field.send_keys(str(least + 5))  # no bid of the list
        assert not page.driver.find_element("css selector", ".say").is_enabled()
        field.clear()
        field.send_keys(str(least + 130))
        page.js("document.querySelector('.emira .options button:last-child').focus()")
        page.js("document.querySelectorAll('.emira .options button')[1].focus()")
        field.send_keys("\n")
        page.until("return document.querySelector('.story').textContent.includes(arguments[0])", f"ou bid {least + 130}")
        assert page.wrong() == []
        process.kill()


@pytest.mark.parametrize("game", AXE_RULES)
def test_axe_finds_nothing_at_any_question_or_after_the_match(page: Page, tmp_path: Path, game: str) -> None:
    with seated(page, tmp_path, *table(game), *AXE_RULES[game]):
        load(page)
        seen = set()
        for state in states(page):
            kind = " ".join(state[2].split()[:2])
            if state[1] and kind not in seen and not kind.startswith("Waiting"):
                seen.add(kind)
                page.js(f"document.querySelector('.{game.replace('_', '-')} :is([data-choice], .held, .target)')?.focus()")
                page.js("document.querySelector('.spot')?.toggleAttribute('open', true)")
                assert violations(page, kind) == {}
                assert page.js(SMALL, 44) == 0  # the last of them is on a phone
                page.size(WIDE)
                assert page.js(SMALL, 24) == 0
            if state[1] and (last := page.js(LAST_CHOICE)) is not None:
                with suppress(StaleElementReferenceException):
                    last.click()
        assert len(seen) > 3
        assert violations(page, "the end") == {}


def test_pointing_at_a_choice_shows_where_it_leads_and_the_card_stays_marked(page: Page, tmp_path: Path) -> None:
    lit = "return [...document.querySelectorAll('.pointed')].map((one) => one.dataset.camel ?? one.dataset.lead)"
    with seated(page, tmp_path, *table("khiva")):
        page.keys(" ")
        card = page.js(HAND)[0][0]
        page.js("document.querySelector('.held').focus()")
        assert page.js(lit) == [str("WBGPK".index(card[0]))]
        page.js("document.querySelectorAll('.options button')[1].focus()")
        assert page.js(lit) == [str("WBGPK".index(page.js(HAND)[1][0][0]))]
        page.js(
            "window.marked = new Set();"
            "const note = (one) => marked.add(one.classList.contains('to-play') + one.textContent);"
            "new MutationObserver(() => document.querySelectorAll('.to-play, .to-pass').forEach(note))"
            ".observe(document, { childList: true, subtree: true })"
        )
        other = page.js(HAND)[1][0]
        page.click(".held", 0)
        page.click(".held", 1)
        page.until("return document.querySelector('.status').textContent === 'What happened'")
        assert page.js("return [...marked].sort()") == [f"false{other}", f"true{card}"]


def test_pointing_at_a_place_shows_the_caravan_there_and_the_card_stays_marked(page: Page, tmp_path: Path) -> None:
    lit = "return [...document.querySelectorAll('.pointed .ghost, .says.pointed')].map((one) => one.textContent)"
    with seated(page, tmp_path, *table("silk_road")):
        page.keys(" ")
        assert page.js(lit) == []
        page.js("document.querySelector('.spot summary').focus()")
        ghost, says = page.js(lit)
        assert ghost.isdigit()  # the numbers of its camels
        assert says == page.js("return document.querySelector('.says').textContent")
        page.js("document.querySelector('.spot').open = true; document.querySelector('.menu button').focus()")
        assert page.js(lit) == [ghost, says]
        redrawn(page, ".spot", (1000, 800))
        assert page.js("return document.activeElement.closest('.spot[open] .menu') !== null")
        page.js(
            "window.marked = new Set();"
            "const note = (one) => marked.add(one.querySelector('.unseen').textContent);"
            "new MutationObserver(() => document.querySelectorAll('.to-play').forEach(note))"
            ".observe(document, { childList: true, subtree: true })"
        )
        words = page.js("return document.querySelector('.menu button').textContent")
        page.js("document.querySelector('.menu button').click()")
        page.until("return document.querySelector('.ring') && marked.size")
        (good,) = page.js("return [...marked]")
        assert f" of {good}, caravan" in words
        assert page.wrong() == []


MARKETS = """
const { texts, legal, kind } = window.heard ?? {};
const held = [...document.querySelectorAll('.held:not(:disabled)')];
if (kind !== 'move' || document.querySelector('.news')) return null;
return held.map((one) => one.dataset.held).find((word) => {
  const market = `(${word.slice(3)} market)`;
  const own = texts.filter((text) => text.includes(`${word}, `));
  return own.length > 1 && texts.some((text) => text.includes(market) && !own.includes(text));
});
"""
"""A card of the hand whose good has a market where a card of another good can take a caravan."""


def test_a_card_of_the_hand_stands_for_its_own_good_and_not_for_the_market_of_it(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("silk_road"), *SHORTER["silk_road"]) as process:
        page.js(HEARD)
        for state in states(page):
            if word := page.js(MARKETS):
                break
            if state[1] and (last := page.js(LAST_CHOICE)) is not None:
                with suppress(StaleElementReferenceException):
                    last.click()
        page.js("document.querySelector(`[data-held='${arguments[0]}']`).click()", word)
        about, left = page.texts(".choose > p")[0], page.texts(".choose .options button")
        assert word in about or [text for text in left if word not in text] == []
        assert len(left) > 1
        pressed = page.js("return [...document.querySelectorAll('.held:not(:disabled)')].map((one) => one.dataset.held)")
        assert pressed in ([word], [])  # of a card that was chosen, the rest is on the list
        assert page.wrong() == []
        process.kill()


def test_a_second_tab_is_told_that_the_seat_is_taken_and_the_first_plays_on(page: Page, tmp_path: Path) -> None:
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
const tried = (name, promise) => promise.then((what) => { found[name] = what; }, () => { found[name] = "refused"; });
tried("socket", new Promise((done, fail) => {
  const socket = new WebSocket(address.replace("http", "ws") + "seat");
  socket.onopen = () => done("open");
  socket.onmessage = ({ data }) => done(data);
  socket.onerror = fail;
}));
tried("read", fetch(address).then((answer) => answer.text()));
tried("blind", fetch(address, { mode: "no-cors" }).then((answer) => answer.text().then((text) => text || "refused")));
tried("posted", fetch(address, { method: "POST", body: "{}" }).then((answer) => answer.text()));
tried("framed", new Promise((done, fail) => {
  const frame = document.createElement("iframe");
  frame.onload = () => { try { done(frame.contentWindow.document.body.textContent || "refused"); } catch { fail(); } };
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


def test_a_hostile_page_of_another_origin_gets_nothing_even_if_it_knows_the_address(page: Page, tmp_path: Path) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(HOSTILE)

        def log_message(self, *_: object) -> None:
            pass

    with seated(page, tmp_path, *table("khiva")), ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            address, first = page.driver.current_url, page.driver.current_window_handle
            page.driver.switch_to.new_window("tab")
            page.driver.get(f"http://127.0.0.1:{server.server_port}/#{quote(address, safe='')}")
            found = page.until("return Object.keys(window.found).length === 6 && window.found")
            assert found == dict.fromkeys(("socket", "read", "blind", "posted", "framed", "script"), "refused")
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
        before = page.until("return document.querySelector('.options button') && document.querySelector('.story').textContent")
        page.keys(" ")  # from what happened to the question, which is there at once after it is loaded
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


def test_the_aim_comes_before_the_first_question_and_what_happened_before_the_next(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, *table("khiva")):
        assert page.texts(".status") == ["What the game is about"]
        assert page.texts(".news li") == [*asking(GAMES["khiva"]).aim]
        assert page.texts(".options button") == ["spacego on"]
        page.keys(" ")
        assert page.texts(".status") == ["Choose " + sentence("games", "play-and-pass")]
        for text in ("play", "pass"):
            page.until("return document.querySelector('.options button')?.textContent.includes(arguments[0])", text)
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
def test_cards_of_the_hand_are_clicked_to_play_and_to_pass(page: Page, tmp_path: Path, bots_at_table: int) -> None:
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


def test_the_table_is_above_the_fold_and_the_rules_are_behind_a_key(page: Page, tmp_path: Path) -> None:
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
def test_the_seat_fits_its_window_and_axe_finds_nothing(page: Page, tmp_path: Path, game: str) -> None:
    page.size(WIDE)
    with seated(page, tmp_path, *table(game)):
        for size, dark in ((WIDE, False), (PHONE, True)):
            page.size(size, dark)
            page.until("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
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
    """Its source is the same for every seat and deal; what it shows it hears on its socket
    (tests/extensions/seats/test_persons.py)."""
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
        page.until("return document.body.textContent.includes('" + sentence("seats", "no-hints-match") + "')")
        for _ in states(page):
            page.js(ONE_CHOICE, page.texts(".story")[0])
        record = record_of(process)
        assert len(record.steps) == 3
        assert page.wrong() == []
    opening.forget()
