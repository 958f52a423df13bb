"""A person's seat in the page, in Chromium and Firefox, from disk: to the end of each
game, by keys and by taps.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from author import CLICK, ENTER, SET, Browser, at_the_doors, press, status, tab_to, tap
from author import chromium as chromium
from author import other_browser as other_browser
from author import page as page
from browser import WIDE, Page
from scripted_seat import sat

pytestmark = [pytest.mark.soak, pytest.mark.language]
FIREFOX = pytest.mark.xdist_group("firefox")
HEARD = """
window.asks = 0; window.chosen = {}; window.made = [];
const start = window.Worker;
window.Worker = class extends start {
  constructor(...words) {
    super(...words);
    made.push(this);
    const asks_now = (event) =>
      /^{"kind": "seat", "message": {"type": "ask"/.test(event.data.workbench ?? "");
    this.addEventListener("message", (event) => { window.asks += asks_now(event); });
  }
  postMessage(message, ...more) {
    const { req, choice } = JSON.parse(message.workbench ?? "{}").message ?? {};
    if (req !== undefined) chosen[req] ??= choice;
    super.postMessage(message, ...more);
  }
};
"""
"""Has a page count the questions and note the choices, in their order."""
OVER = "document.querySelector('.after button')"
KEYS = (
    "[...document.querySelectorAll('.yourself :is(.options button, .board "
    "[data-choice]:not(:disabled)) kbd')]"
)
DROPS = """
const data = new DataTransfer();
data.items.add(new File(["x"], "bot.zip"));
dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
"""
BY_KEYS = f"""
if ({OVER}) return 'over';
return document.querySelector('.yourself .news') ? ' ' : {KEYS}
  .find((one) => one.checkVisibility())?.textContent;
"""
BY_TAPS = f"""
if ({OVER}) return 'over';
const go_on = document.querySelector('.news') &&
  document.querySelector('.yourself .options button');
const shown = (which) => [...document.querySelectorAll(`.tabletop ${{which}}`)]
  .filter((one) => one.checkVisibility()).at(-1);
const lain = ['.menu button:enabled', 'button:enabled:not(.held)', '.spot > summary',
  '[aria-pressed=false]:enabled'];
const place = go_on || lain.map(shown).find(Boolean);
if (!place) return null;
place.scrollIntoView({{ block: "center" }});
const {{ x, y, width, height }} = place.getBoundingClientRect();
return [x + width / 2, y + height / 2];
"""


class Sat(NamedTuple):
    """A match of a person: its digest, and the choices."""

    digest: str
    choices: list[int]


def seated(opened: Browser, page: Path, game: str, seats: int, view: str = "") -> None:
    """Go through the door to a seat by keys."""
    at_the_doors(opened, page, view)
    opened.js(HEARD)
    tab_to(opened, "Play yourself")
    press(opened, ENTER)
    for name, value in {
        "game": game,
        "seats": str(seats),
        "seed": "x",
        "against": "greedy",
    }.items():
        opened.js(SET, name, value)
    press(opened, ENTER)  # the door has led to the button


def played(opened: Browser, look: str, act: Callable[[str], None]) -> Sat:
    """Answer all questions. ``look``: returns what to act on, or "over"."""
    while (found := opened.js(look)) != "over":
        if found is None:
            opened.until(f"return (() => {{ {look} }})()")
            continue
        before = opened.js("return [asks, Object.keys(chosen).length]")
        act(found)
        if opened.js("return Object.keys(chosen).length") > before[1]:
            opened.until(f"return asks > {before[0]} || {OVER}")
    assert opened.wrong() == []
    (digest,) = re.findall(
        r"digest (?:of your match is )?([0-9a-f]{64})", opened.texts(".after")[0]
    )
    return Sat(digest, opened.js("return Object.values(chosen)"))


def by_keys(opened: Browser) -> Sat:
    return played(opened, BY_KEYS, lambda key: press(opened, " " if key == "space" else key))


def here(home: Path, sat_there: Sat, game: str, seats: int) -> str:
    """The digest of the same choices without a browser."""
    told = sat(home, lambda asked, legal: sat_there.choices[asked], game=game, seats=seats)
    return str(told[-1]["digest"])


def test_khiva_and_emira_by_keys_in_chromium(page: Path, tmp_path: Path, chromium: Page) -> None:
    chromium.size(WIDE)
    seated(chromium, page, "khiva", 2)
    chromium.until(
        "return document.querySelector('.yourself .news') && "
        "!document.querySelector('.rules').hidden"
    )
    first = by_keys(chromium)
    assert here(tmp_path, first, "khiva", 2) == first.digest
    chromium.js(f"{OVER}.nextSibling.click()")
    chromium.until(
        "return asks > 0 && document.querySelector('.yourself h2').textContent.endsWith('seat 1')"
    )
    assert chromium.js(
        "const leaves = new Event('beforeunload', { cancelable: true }); "
        "dispatchEvent(leaves); return leaves.defaultPrevented"
    )
    chromium.until("return document.querySelector('.yourself .options button')")
    chromium.js("made[0].onerror({ message: 'out of memory' })")
    lost = chromium.texts(".yourself .turn-line .status")[0]
    assert "out of memory" in lost
    assert "Take another seat" in lost
    assert chromium.texts(".after button") == ["again", "the same deal in another seat"]
    chromium.js(CLICK, "← back to your bot")
    chromium.js(SET, "matches", "2")
    chromium.js("document.querySelector('.go').click()")
    status(chromium, "Run digest")
    chromium.js("document.querySelector('.played button').click()")
    chromium.until("return document.querySelector('.going-on')")
    chromium.js("document.querySelector('.controls [aria-label^=last]').click()")
    chromium.js(CLICK, "Go on from here")
    chromium.js("document.querySelector('.offers button').click()")
    taken = by_keys(chromium)
    assert taken.choices
    assert chromium.texts("[data-what=digest]")[-1] == f"digest {taken.digest}"
    before = chromium.js("return asks")
    chromium.js(CLICK, "take it over again")
    chromium.until(f"return asks > {before}")
    chromium.js(DROPS)
    chromium.until(
        "return document.querySelector('.yourself .bar .status').textContent === 'Leave "
        "the match first.'"
    )
    chromium.js(CLICK, "Leave the match")
    status(chromium, "You have left the match.")
    chromium.js("document.querySelectorAll('.played button')[1].click()")
    chromium.until(
        "const of = document.querySelector('.match-head h2')?.textContent ?? '';"
        "return of.startsWith('Match 1/1') && document.querySelector('.going-on')"
    )
    chromium.js("document.querySelector('.controls [aria-label^=last]').click()")
    chromium.js(CLICK, "Go on from here")
    chromium.js("document.querySelector('.offers button').click()")
    chromium.until("return document.querySelector('.yourself .options button')")
    chromium.js("made.at(-1).postMessage = () => {}; made.at(-2).postMessage = () => {}")
    chromium.js(CLICK, "Leave the match")
    assert "The records of the last play went with it." in status(chromium, "A bot was still busy")
    seated(chromium, page, "khiva", 2, "#rerun")
    assert by_keys(chromium) == first, "without JSPI"
    seated(chromium, page, "emira", 3)
    third = by_keys(chromium)
    assert here(tmp_path, third, "emira", 3) == third.digest


@FIREFOX
def test_khiva_by_taps_and_silk_road_by_keys_in_firefox(
    page: Path, tmp_path: Path, other_browser: Browser
) -> None:
    seated(other_browser, page, "khiva", 2)
    first = played(other_browser, BY_TAPS, lambda at: tap(other_browser, at))
    assert here(tmp_path, first, "khiva", 2) == first.digest
    seated(other_browser, page, "silk_road", 2)
    second = by_keys(other_browser)
    assert here(tmp_path, second, "silk_road", 2) == second.digest
