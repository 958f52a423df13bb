"""An author at the page: the keys that a person presses, in each browser, and what the
page then shows.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Page, browser
from checker import checker
from firefox import Firefox, firefox

Browser = Page | Firefox
SECONDS = 500
CONTROL, SHIFT, TAB, ENTER, ESCAPE, HOME = (
    "\ue009",
    "\ue008",
    "\ue004",
    "\ue007",
    "\ue00c",
    "\ue011",
)
NOTED = """
window.given = []; window.saved = null;
const start = window.Worker;
window.Worker = class extends start {
  postMessage(message, ...more) {
    given.push(...Object.keys(message.files ?? {}));
    super.postMessage(message, ...more);
  }
};
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => {
  if (blob.type === "application/zip") blob.arrayBuffer()
    .then((data) => { window.saved = [...new Uint8Array(data)]; });
  return make(blob);
};
"""
"""Has a page note which blocks its workers are given, and what it saves."""
CLICK = (
    "[...document.querySelectorAll('button')].find((one) => one.textContent === "
    "arguments[0]).click()"
)
SET = """
const field = document.querySelector(`[name=${arguments[0]}]`);
field.value = arguments[1];
field.dispatchEvent(new Event("change", { bubbles: true }));
"""
"""Chooses a value of a field, as a person does."""
COUNTED = """
const [picture, wanted, name] = [Uint8Array.from(atob(arguments[0]), (one) => one.charCodeAt(0)),
  arguments[1], arguments[2]];
createImageBitmap(new Blob([picture])).then((image) => {
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) count += wanted
    .every((value, part) => data[at + part] === value);
  window[name] = [count];
});
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page in a file."""
    path = tmp_path_factory.mktemp("page") / "khiva-arena.html"
    path.write_text(checker())
    return path


@pytest.fixture(scope="module")
def chromium() -> Iterator[Page]:
    """A browser without a network."""
    with browser() as opened:
        opened.driver.execute_cdp_cmd("Network.enable", {})
        limits = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        opened.driver.execute_cdp_cmd("Network.emulateNetworkConditions", limits)
        yield opened


@pytest.fixture(scope="module")
def other_browser() -> Iterator[Browser]:
    """Another browser."""
    with firefox() as opened:
        yield opened


def press(browser: Browser, *chords: str) -> None:
    """Press keys as a person does, wherever the focus is: those of a chord together."""
    acts = [
        {"type": kind, "value": key}
        for chord in chords
        for kind, keys in _of(chord)
        for key in keys
    ]
    _perform(browser, {"type": "key", "id": "keys", "actions": acts})


def tap(browser: Browser, at: tuple[float, float]) -> None:
    """Touch a point of the window as a finger does."""
    x, y = map(int, at)
    acts = [
        {"type": "pointerMove", "x": x, "y": y},
        {"type": "pointerDown", "button": 0},
        {"type": "pointerUp", "button": 0},
    ]
    _perform(
        browser,
        {
            "type": "pointer",
            "id": "finger",
            "parameters": {"pointerType": "touch"},
            "actions": acts,
        },
    )


def _perform(browser: Browser, actions: dict[str, Any]) -> None:
    if isinstance(browser, Page):
        browser.driver.execute("actions", {"actions": [actions]})
    else:
        browser._ask("WebDriver:PerformActions", actions=[actions])


def _of(chord: str) -> list[tuple[str, str]]:
    return [("keyDown", chord), ("keyUp", chord[::-1])]


def write(browser: Browser, text: str) -> None:
    """Type a text over all that the editor shows, whose own indentation each line
    replaces.
    """
    press(browser, CONTROL + "a")
    for number, line in enumerate(text.rstrip("\n").split("\n")):
        press(browser, *([ENTER, SHIFT + HOME] if number else []), *line)
    press(browser, ENTER)


def at_the_doors(browser: Browser, page: Path, view: str = "") -> None:
    """Open the page."""
    browser.visit(page.as_uri() + view)
    browser.until("return document.querySelector('main')?.childElementCount > 0")
    browser.js(NOTED)


def at_the_bench(
    browser: Browser, page: Path, view: str = "", door: str = "Write a bot in Python"
) -> None:
    """Open the page, and go through a door to the workbench by keys."""
    at_the_doors(browser, page, view)
    tab_to(browser, door)
    press(browser, ENTER)
    browser.until("return document.querySelector('.editor')?.matches(':focus-within')")


def tab_to(browser: Browser, words: str, tab: str = TAB) -> None:
    """Press Tab until something with these words has the focus. ``tab``: with Shift it
    goes back. Esc leaves the editor.
    """
    for _ in range(200):
        press(browser, ESCAPE, tab)
        if browser.js(
            "const at = document.activeElement; return [at.textContent, at.name, "
            "at.dataset.word].join(' ')"
        ).startswith(words):
            return
    raise AssertionError(f"no Tab comes to {words}")


def status(browser: Browser, words: str) -> str:
    """Wait until the status has these words, and return it."""
    browser.until(
        f"return document.querySelector('.status')?.textContent.includes({json.dumps(words)})",
        seconds=SECONDS,
    )
    return browser.texts(".status")[0]


def pixels(browser: Browser, variable: str) -> int:
    """How many points of a picture of the window have the colour of a variable of
    palette.css.
    """
    if isinstance(browser, Page):
        picture = browser.driver.get_screenshot_as_base64()
    else:
        picture = browser._ask("WebDriver:TakeScreenshot", full=False)["value"]
    shown: Any = browser.js(
        "return getComputedStyle(document.body).getPropertyValue(arguments[0])", variable
    ).strip()
    digits = shown[1:] if len(shown) == 7 else "".join(2 * digit for digit in shown[1:])
    browser.js("window.pixels = null")
    browser.js(COUNTED, picture, [*bytes.fromhex(digits)], "pixels")
    browser.until("return window.pixels")
    return int(browser.js("return window.pixels[0]"))


def saved(browser: Browser) -> bytes:
    """What the page gave the reader to save last."""
    browser.until("return window.saved")
    return bytes(browser.js("return window.saved"))
