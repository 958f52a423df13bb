"""A headless Chromium that opens pages from disk, and notes what goes wrong in them."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import BROWSER_MARK
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from tools import need

if TYPE_CHECKING:  # as below: half a second, which a run without a browser need not wait for
    from selenium import webdriver

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is Chromium without its windows: the same pages cost a fifth less of the
processor's time.
"""
FLAGS = (
    *("--headless=new", "--disable-gpu", "--disable-dev-shm-usage"),
    *(
        "--disable-extensions",
        "--disable-component-update",
        "--disable-features=SpareRendererForSitePerProcess",
    ),
)
"""Without a screen, and without what starts processes or does work that no page asks
for, beside what its driver leaves out.
"""
WAIT, WATCH_SECONDS = 120, 500
WIDE, PHONE = (1280, 1000), (360, 740)
# Done with true once a script returns something true, which is looked at when the page
# changes; with false after a while.
WATCHED = """
const done = arguments[0], is = () => Boolean((() => { %s })());
if (is()) return done(true);
const seen = new MutationObserver(() => is() && end(true));
// the driver hears nothing for two minutes at most
const late = setTimeout(() => end(false), 90_000);
const end = (found) => { seen.disconnect(); clearTimeout(late); done(found); };
seen.observe(document, { subtree: true, childList: true, characterData: true });
"""
# They are drawn in the frame after they have got their width.
CHARTS = "[...document.querySelectorAll('.chart .drawing')]"
# What a page must never do: break its own policy, throw, or ask for anything.
WATCH = """
window.wrong = [];
addEventListener("securitypolicyviolation", ({violatedDirective, blockedURI}) =>
  window.wrong.push("policy: " + violatedDirective + " " + blockedURI));
addEventListener("error", (event) => window.wrong.push("error: " + event.message));
addEventListener("unhandledrejection", (event) => window.wrong.push("rejected: " + event.reason));
window.ran = false;
"""


class Page:
    """A page in a browser."""

    def __init__(self, driver: "webdriver.Chrome") -> None:
        self.driver = driver

    def visit(self, address: str) -> None:
        """Open an address, as if for the first time."""
        self.driver.get("about:blank")
        self.driver.get(address)

    def choose(self, file: Path) -> None:
        """Choose a file, in the one place for that."""
        self.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(file))

    def open(self, file: Path, view: str = "") -> None:
        """Open a file at a view."""
        self.visit(file.as_uri() + view)
        self.until("return document.querySelector('main')?.childElementCount > 0")
        # Charts are drawn in the frame after they have got their width.
        self.until(
            "return [...document.querySelectorAll('.chart .drawing')].every((one) => "
            "!one.clientWidth || one.childElementCount)"
        )

    def go(self, view: str) -> None:
        """Go to another view, as a link does."""
        self.js("location.hash = arguments[0]", view)

    def click(self, selector: str, nth: int = 0) -> None:
        """Click as a person does: after a click by script there may be no way back."""
        self.driver.find_elements(By.CSS_SELECTOR, selector)[nth].click()

    def js(self, script: str, *values: Any) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *values)

    def until(self, script: str, *values: Any, seconds: float = WAIT) -> Any:
        """Wait until a script returns something true, and return that. A page that
        takes another's place ends a look at it.
        """
        from selenium.webdriver.support.ui import WebDriverWait

        wait = WebDriverWait(
            self.driver, seconds, poll_frequency=0.1, ignored_exceptions=[WebDriverException]
        )
        return wait.until(lambda _: self.js(script, *values), script)

    def watch(self, script: str, seconds: float) -> None:
        """Wait until a script returns something true without asking for it, which costs
        a page as much as a small match.
        """
        end = time.monotonic() + seconds
        while not self.driver.execute_async_script(WATCHED % script):
            assert time.monotonic() < end, script

    def texts(self, selector: str) -> list[str]:
        """What stands in all elements."""
        found: list[str] = self.js(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            selector,
        )
        return found

    def keys(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        for key in keys:
            self.js(
                "(document.activeElement ?? document.body).dispatchEvent("
                "new KeyboardEvent('keydown', {key: arguments[0], bubbles: true, "
                "cancelable: true}))",
                key,
            )

    def size(self, size: tuple[int, int], dark: bool = False) -> None:
        """The window, and whether its user prefers dark colours."""
        width, height = size
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def wrong(self) -> list[str]:
        """All that went wrong since the page was opened."""
        logged = [f"{line['level']}: {line['message']}" for line in self.driver.get_log("browser")]
        noted: list[str] = self.js("return window.wrong ?? []")
        return noted + [line for line in logged if line not in noted]


@contextmanager
def browser() -> Iterator[Page]:
    """A browser for many pages. Without one the test is skipped."""
    need("chromedriver")
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        need("chromium")
    options = Options()
    options.binary_location = str(program)
    for word in (*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # A match in this process would take it for a stray of its bots: one without a mark
    # that began with it.
    marked = os.environ | dict([BROWSER_MARK.decode().split("=")])
    driver = webdriver.Chrome(
        options=options, service=Service(shutil.which("chromedriver"), env=marked)
    )
    try:
        driver.set_script_timeout(WATCH_SECONDS)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        driver.execute_cdp_cmd(
            "Emulation.setFocusEmulationEnabled", {"enabled": True}
        )  # one browser of several has none
        yield Page(driver)
    finally:
        started = _below(driver.service.process.pid)
        driver.quit()
        # of Debian's script that starts Chromium without windows, the driver ends the
        # shell alone
        for pid in started:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _below(pid: int) -> list[int]:
    """Return the processes that one has started, and those that they have."""
    children: list[int] = []
    with suppress(OSError):  # it ends meanwhile
        children += [
            int(word)
            for file in Path(f"/proc/{pid}/task").glob("*/children")
            for word in file.read_text().split()
        ]
    return [*children, *(below for child in children for below in _below(child))]
