"""A page without a mouse, on paper, on a phone, and for those who want no motion."""

import base64
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from browser import PHONE, Page
from in_targets import in_long
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

Made = Callable[[str], tuple[Path, Path]]
# What can be used and is shown: each must be reached, or is one of a group of radio
# buttons, which arrows walk through.
CONTROLS = """
return [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
  .filter((one) =>
  one.checkVisibility() && !one.closest("[popover]") &&
    !(one.type === "radio" && !one.checked)).length
"""
FOCUSED = """
const one = document.activeElement;
if (one === document.body) return null;
one.dataset.reached = "yes";
const {outlineStyle, outlineWidth} = getComputedStyle(one);
return [outlineStyle !== "none" && parseFloat(outlineWidth) >= 2, one.outerHTML.slice(0, 120)];
"""
STEP = "return document.querySelector('.where').textContent"


def press(page: Page, *keys: str) -> None:
    """Press keys as hands do, unlike ``Page.keys``: the browser acts on them, too."""
    ActionChains(page.driver, duration=0).send_keys(*keys).perform()


def opened(page: Page, made: Made, view: str, case: str = "khiva-round-robin") -> None:
    page.open(made(case)[1], view)
    page.until("return !location.hash.startsWith('#match=1') || document.querySelector('.where')")


@pytest.mark.slow
@pytest.mark.parametrize("view", ["", "#matches=all", "#match=1/0&step=5"])
def test_tab_reaches_every_control_and_shows_where_it_is(page: Page, made: Made, view: str) -> None:
    opened(page, made, view)
    every = page.js(CONTROLS)
    assert every > 10
    for _ in range(every + 1):
        press(page, Keys.TAB)
        focused = page.js(FOCUSED)
        if focused is None:
            break
        visible, what = focused
        assert visible, f"no outline: {what}"
    assert (
        page.js(
            CONTROLS.replace(
                ").length", " && !one.dataset.reached).map((one) => one.outerHTML.slice(0, 120))"
            )
        )
        == []
    )


@pytest.mark.slow
def test_enter_sorts_and_the_focus_stays(page: Page, made: Made) -> None:
    opened(page, made, "")
    page.js("document.querySelectorAll('.standings .sort')[1].focus()")
    for direction in ("ascending", "descending"):
        press(page, Keys.ENTER)
        assert (
            page.js("return document.activeElement.closest('th').getAttribute('aria-sort')")
            == direction
        )
    assert page.wrong() == []


@pytest.mark.slow
def test_a_meaning_opens_and_escape_closes_it(page: Page, made: Made) -> None:
    opened(page, made, "")
    page.js("document.querySelector('.standings .what').focus()")
    press(page, Keys.ENTER)
    assert len(page.js("return document.querySelector('.meaning:popover-open').innerText")) > 20
    press(page, Keys.ESCAPE)
    assert page.js("return document.querySelectorAll(':popover-open').length") == 0
    assert page.js("return document.activeElement.className") == "what"


@pytest.mark.slow
def test_a_filter_keeps_the_focus_and_a_link_takes_it_to_the_content(
    page: Page, made: Made
) -> None:
    opened(page, made, "#matches=all")
    page.js("document.querySelector('select[name=bot]').focus()")
    press(page, Keys.ARROW_DOWN)
    page.until(
        "return location.hash.includes('bot=') && document.querySelector('select[name=against]')"
    )
    assert page.js("return document.activeElement.name") == "bot"
    page.js("document.querySelector('.list tbody a').focus()")
    press(page, Keys.ENTER)
    page.until("return document.querySelector('.where')")
    assert page.js("return document.activeElement.id") == "main"


@pytest.mark.slow
def test_the_viewer_obeys_its_keys(page: Page, made: Made) -> None:
    opened(page, made, "#match=1/0")
    last = page.js(STEP).split()[-1]
    for keys, step in (
        ([Keys.ARROW_RIGHT], "1"),
        ([Keys.ARROW_RIGHT, Keys.ARROW_LEFT], "1"),
        ([Keys.END], last),
        ([Keys.HOME], "0"),
    ):
        press(page, *keys)
        assert page.js(STEP) == f"step {step} of {last}", keys
    for key, eyes in (("1", "1"), ("p", "public"), ("a", "all")):
        press(page, key)
        assert page.js("return document.querySelector('.eyes input:checked').value") == eyes
    press(page, "t")
    turn = page.js(STEP)
    assert turn != f"step 0 of {last}"
    press(page, "T")
    assert page.js(STEP) == f"step 0 of {last}"
    press(page, Keys.SPACE)
    assert page.texts(".play") == ["pause"]
    page.until(f"{STEP} !== arguments[0]", f"step 0 of {last}")
    press(page, Keys.SPACE)
    assert page.texts(".play") == ["play"]
    press(page, "?")
    assert "next turn" in page.js("return document.querySelector(':popover-open').innerText")
    press(page, Keys.ESCAPE)
    assert page.js("return document.querySelector(':popover-open')") is None
    assert page.wrong() == []


@pytest.mark.slow
def test_a_line_of_the_story_is_gone_to_and_keeps_the_focus(page: Page, made: Made) -> None:
    opened(page, made, "#match=1/0")
    page.js("document.querySelectorAll('.story .step')[4].focus()")
    press(page, Keys.ENTER)
    page.until(f"{STEP}.startsWith('step 4 of')")
    assert page.js(
        "return [document.activeElement.className, document.activeElement.textContent]"
    ) == ["step", "4"]


@pytest.mark.slow
def test_a_key_that_is_held_down_writes_its_last_step_into_the_address(
    page: Page, made: Made
) -> None:
    """A browser refuses a page that writes hundreds of addresses in a moment, and says
    so in its log.
    """
    opened(page, made, "#match=1/0")
    page.js(
        "for (let times = 0; times < 120; times += 1) for (const key of ['ArrowRight', "
        "'ArrowLeft'])"
        " document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))"
    )
    page.keys("ArrowRight", "ArrowRight")
    page.until("return location.hash === '#match=1/0&step=2'")
    page.keys("End", "ArrowLeft")
    page.go("#matches=all")
    page.until("return document.querySelector('.list')")
    page.js("return new Promise((done) => setTimeout(done, 300))")
    assert page.js("return location.hash") == "#matches=all", (
        "the address of a view that is left was written"
    )
    assert page.wrong() == []


@pytest.mark.slow
def test_a_step_lights_another_line_of_a_story_that_stays(page: Page, made: Made) -> None:
    opened(page, made, "#match=1/0&step=3")
    lit = (
        "return [...document.querySelectorAll('.events li')]"
        ".map((one, at) => [at, one.className, "
        "one.getAttribute('aria-current')]).filter(([, kind]) => kind !== 'later')"
    )
    page.js("document.querySelector('.events li').kept = true")
    for key, step in (
        ("ArrowRight", 4),
        ("Home", 0),
        ("End", None),
        ("ArrowLeft", None),
        ("Home", 0),
    ):
        page.keys(key)
        *before, now = page.js(lit)
        assert now[1:] == ["now", "step"]
        assert step in (None, now[0])
        assert before == [[at, "", None] for at in range(now[0])]
    assert page.js("return document.querySelector('.events li').kept") is True
    page.keys("1")
    assert page.js("return document.querySelector('.events li').kept") is None, (
        "other eyes read the lines of these"
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", ["khiva-round-robin", "khiva-stages", "emira-round-robin"])
def test_a_print_holds_the_results_on_two_pages(page: Page, made: Made, case: str) -> None:
    opened(page, made, "", case)
    page.until(
        "return document.querySelectorAll('.chart svg, .cross').length > 2"
    )  # they come after the table
    printed = page.driver.execute_cdp_cmd(
        "Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True}
    )
    pdf = base64.b64decode(printed["data"])
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 2
    page.size((703, 1000))  # A4 without its margins
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = (
        "return [...document.querySelectorAll(arguments[0])].filter((one) => "
        "one.checkVisibility()).length"
    )
    try:
        assert page.js(shown, ".standings") >= 1
        hidden = (
            "return [...document.querySelectorAll('.chart svg, .cross')].filter((one) => "
            "!one.checkVisibility()).length"
        )
        assert page.js(hidden) == 0
        assert "commitment" in page.js("return document.querySelector('.facts').innerText")
        assert page.js(shown, "button.what, .filters, .top nav") == 0
        assert (
            page.js(
                "return [...document.querySelectorAll('.standings, .cross, .chart svg, .facts dl')]"
                ".filter((one) => one.getBoundingClientRect().right > innerWidth + "
                "1).map((one) => one.outerHTML.slice(0, 80))"
            )
            == []
        )
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.slow
@pytest.mark.parametrize("game", ["khiva", *in_long(["silk_road"])])
def test_who_wants_no_motion_sees_none(page: Page, made: Made, game: str) -> None:
    opened(page, made, "#match=1/0", f"{game}-round-robin")
    moving = {}
    for wish in ("no-preference", "reduce"):
        feature = {"name": "prefers-reduced-motion", "value": wish}
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        page.keys("Home")
        # Counted in the same breath as the step, since motion lasts a fifth of a
        # second.
        moving[wish] = page.js(
            "let most = 0; for (let step = 0; step < 40; step += 1) {"
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', "
            "bubbles: true, cancelable: true}));"
            "most = Math.max(most, document.getAnimations().length); } return most"
        )
    assert moving["no-preference"] > 0 == moving["reduce"]


@pytest.mark.slow
def test_on_a_phone_the_controls_of_the_viewer_stay_in_reach(page: Page, made: Made) -> None:
    page.size(PHONE)
    opened(page, made, "#match=1/0&step=5")
    seen = (
        "const {top, bottom} = document.querySelector('.controls').getBoundingClientRect();"
        "return top >= 0 && bottom <= innerHeight + 1"
    )
    assert page.js(
        "return document.querySelector('.stage').getBoundingClientRect().height > innerHeight"
    )
    for at in (0, 200, 400):
        page.js("scrollTo(0, document.querySelector('.stage').offsetTop + arguments[0])", at)
        assert page.js(seen), at
    small = page.js(
        "return [...document.querySelectorAll('.controls button')].map((one) => "
        "one.getBoundingClientRect())"
        ".filter(({width, height}) => width < 24 || height < 24).length"
    )
    assert small == 0
