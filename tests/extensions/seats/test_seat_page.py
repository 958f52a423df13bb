"""A person's seat in a real browser: whole matches by clicks and by keys, and what
happens around them.
"""

import signal
from contextlib import suppress
from pathlib import Path

import pytest
from axe import load, violations
from browser import PHONE, WIDE, Page
from in_targets import in_long
from seated_page import HAND, STATE, record_of, seated, states, table
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from table_choices import EMIRAS_CHOICES, HEARD, SILK_ROADS_CHOICES

pytestmark = pytest.mark.slow
LAST_CHOICE = """
return [...document.querySelectorAll('.options button')]
  .filter((one) => !one.textContent.includes('back')).at(-1);
"""
SECOND_KEY = """
const keys = [...document.querySelectorAll('.options kbd')].slice(0, 2)
  .map((one) => one.textContent);
return keys.at(-1) === 'space' ? ' ' : keys.at(-1);
"""
"""The key of the second choice, or of the only one."""
SHORTER: dict[str, list[str]] = {
    "khiva": [],
    "emira": ["--rule", "max_rounds=4"],
    "silk_road": ["--rule", "max_turns=24"],
}
"""Matches that end sooner: each kind of choice comes in them, and the person has more
than ten.
"""


@pytest.mark.parametrize(
    ("game", "rule"),
    [
        ("silk_road", SHORTER["silk_road"]),
        *in_long([("khiva", SHORTER["khiva"]), ("silk_road", []), ("emira", [])]),
    ],
)
def test_a_whole_match_by_clicks(page: Page, tmp_path: Path, game: str, rule: list[str]) -> None:
    with seated(page, tmp_path, *table(game), *rule) as process:
        clicks = 0
        for state in states(page):
            # The last choice each time; of a long list in parts the last but one, since
            # the last goes back.
            if state[1] and (last := page.js(LAST_CHOICE)) is not None:
                with suppress(
                    StaleElementReferenceException
                ):  # the choice before was still on its way
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
        process.send_signal(
            signal.SIGINT
        )  # a page that is left open keeps the replay, and says that nobody serves it any more
        assert process.wait(30) == 0
        page.until("return document.querySelector('.said').textContent.includes('no longer runs')")
        page.keys("Home")
        page.until("return document.querySelector('.where')?.textContent.startsWith('step 0 of')")


@pytest.mark.parametrize(
    ("game", "rule"),
    [
        ("khiva", SHORTER["khiva"]),
        *in_long([("emira", SHORTER["emira"]), ("emira", []), ("silk_road", [])]),
    ],
)
def test_keys_alone_play_a_match_on_a_phone(
    page: Page, tmp_path: Path, game: str, rule: list[str]
) -> None:
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
const shown = (which) => [...document.querySelectorAll(`.tabletop ${which}`)]
  .filter((one) => one.checkVisibility()).at(-1);
const lain = ['.menu button:not(:disabled)', 'button:not(:disabled, .held)', '.spot > summary',
  'button:not(:disabled)'];
return go_on || lain.map(shown).find(Boolean);
"""
SMALL = """
return [...document.querySelectorAll('button')].filter((one) => one.checkVisibility())
  .map((one) => one.getBoundingClientRect())
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
                    kinds.update(
                        {"held", "target", "pile", "card"} & {*one.get_attribute("class").split()}
                    )
                    one.click()
        assert TAPPED[game] <= kinds
        assert game != "silk_road" or {"move", "draw", "sell", "jewel"} <= asked
        assert record_of(process).verdicts[0] == "ok"
        assert page.wrong() == []


def test_taps_on_emiras_table_play_a_match_on_a_phone(page: Page, tmp_path: Path) -> None:
    """Each choice of each question but a bid is on a thing of the table; a bid by its
    buttons.
    """
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
        if "bid" in state[2] and page.js(
            "return document.querySelector('.bid-field')?.checkVisibility()"
        ):
            return
        page.js(
            "document.querySelector('.choose .options button, .emira .options "
            "button:not(:disabled)')?.click()"
        )
    raise AssertionError("nobody asked for a bid")


BID = "return document.querySelector('.bid-field input').value"


def redrawn(page: Page, selector: str, size: tuple[int, int]) -> None:
    """Have the table drawn for another width, until the first of these is another
    one.
    """
    page.js("document.querySelector(arguments[0]).dataset.old = 'old'", selector)
    page.size(size)
    page.until(
        "return document.querySelector(arguments[0]) && !document.querySelector('[data-old]')",
        selector,
    )


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
        page.until(
            "return document.querySelector('.story').textContent.includes(arguments[0])",
            f"ou bid {least + 130}",
        )
        assert page.wrong() == []
        process.kill()


@pytest.mark.parametrize("game", AXE_RULES)
def test_axe_finds_nothing_at_any_question_or_after_the_match(
    page: Page, tmp_path: Path, game: str
) -> None:
    with seated(page, tmp_path, *table(game), *AXE_RULES[game]):
        load(page)
        seen = set()
        for state in states(page):
            kind = " ".join(state[2].split()[:2])
            if state[1] and kind not in seen and not kind.startswith("Waiting"):
                seen.add(kind)
                page.js(
                    f"document.querySelector('.{game.replace('_', '-')} :is([data-choice], "
                    ".held, .target)')?.focus()"
                )
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


def test_pointing_at_a_choice_shows_where_it_leads_and_the_card_stays_marked(
    page: Page, tmp_path: Path
) -> None:
    lit = (
        "return [...document.querySelectorAll('.pointed')].map((one) => one.dataset.camel ?? "
        "one.dataset.lead)"
    )
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
            "new MutationObserver(() => document.querySelectorAll('.to-play, "
            ".to-pass').forEach(note))"
            ".observe(document, { childList: true, subtree: true })"
        )
        other = page.js(HAND)[1][0]
        page.click(".held", 0)
        page.click(".held", 1)
        page.until("return document.querySelector('.status').textContent === 'What happened'")
        assert page.js("return [...marked].sort()") == [f"false{other}", f"true{card}"]


def test_pointing_at_a_place_shows_the_caravan_there_and_the_card_stays_marked(
    page: Page, tmp_path: Path
) -> None:
    lit = (
        "return [...document.querySelectorAll('.pointed .ghost, .says.pointed')].map((one) => "
        "one.textContent)"
    )
    with seated(page, tmp_path, *table("silk_road")):
        page.keys(" ")
        assert page.js(lit) == []
        page.js("document.querySelector('.spot summary').focus()")
        ghost, says = page.js(lit)
        assert ghost.isdigit()  # the numbers of its camels
        assert says == page.js("return document.querySelector('.says').textContent")
        page.js(
            "document.querySelector('.spot').open = true; document.querySelector('.menu "
            "button').focus()"
        )
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
"""A card of the hand whose good has a market where a card of another good can take a
caravan.
"""


def test_a_card_of_the_hand_stands_for_its_own_good_and_not_for_the_market_of_it(
    page: Page, tmp_path: Path
) -> None:
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
        pressed = page.js(
            "return [...document.querySelectorAll('.held:not(:disabled)')].map((one) => "
            "one.dataset.held)"
        )
        assert pressed in ([word], [])  # of a card that was chosen, the rest is on the list
        assert page.wrong() == []
        process.kill()
