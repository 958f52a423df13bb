"""A headless Firefox that opens pages from disk, over its own wire, Marionette: Debian
has no driver for it.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from arena import BROWSER_MARK
from browser import WATCHED
from tools import need

BROWSERS = ("firefox-esr", "firefox")
WAIT, PAUSE = 600, 0.2
PORT = "MarionetteActivePort"
"""The file of a profile with the port of its Firefox."""
PREFERENCES = "".join(
    f"user_pref({json.dumps(name)}, {value});\n"
    for name, value in {
        "marionette.port": "0",
        "datareporting.policy.dataSubmissionEnabled": "false",
        "devtools.console.stdout.content": "true",
    }.items()
)
FORGET = "Services.io.offline = true; Services.console.reset();"
ADVICE = "This site appears to use a scroll-linked positioning effect"
"""Advice of Firefox, from 153 on, about the editor of the page, some layers of which
move while it scrolls. It comes or not, by the times of frames.
"""
ERRORS = (
    "return Services.console.getMessageArray().map(String).filter((one) => /file: "
    '"(file|blob):/.test(one));'
)
"""The errors and warnings of pages from disk and their workers, among those of the
browser's own.
"""


class Firefox:
    """A page in Firefox."""

    def __init__(self, port: int, said: Path) -> None:
        self._said, self._before = said, 0
        self._wire = socket.create_connection(("127.0.0.1", port), timeout=WAIT)
        self._file = self._wire.makefile("rb")
        self._sent = 0
        self._frame()
        self._ask("WebDriver:NewSession")
        self._ask("WebDriver:SetTimeouts", script=1_000 * WAIT)

    def close(self) -> None:
        """Let go of the browser."""
        self._file.close()
        self._wire.close()

    def visit(self, address: str) -> None:
        """Open an address, as if for the first time, without a network."""
        self._ask("WebDriver:Navigate", url="about:blank")
        self._of_the_browser(FORGET)
        self._before = self._said.stat().st_size
        self._ask("WebDriver:Navigate", url=address)

    def choose(self, file: Path) -> None:
        """Choose a file, in the one place for that."""
        (element,) = self._ask(
            "WebDriver:FindElement", using="css selector", value="input[type=file]"
        )["value"].values()
        self._ask("WebDriver:ElementSendKeys", id=element, text=str(file))

    def js(self, script: str, *values: Any) -> Any:
        """What a script returns."""
        return self._ask("WebDriver:ExecuteScript", script=script, args=list(values))["value"]

    def until(self, script: str, seconds: float = WAIT) -> None:
        """Wait until a script returns something true."""
        end = time.monotonic() + seconds
        while not self.js(f"return Boolean((() => {{ {script} }})())"):
            assert time.monotonic() < end, script
            time.sleep(PAUSE)

    def watch(self, script: str, seconds: float) -> None:
        """Wait until a script returns something true without asking for it."""
        end = time.monotonic() + seconds
        while not self._ask("WebDriver:ExecuteAsyncScript", script=WATCHED % script, args=[])[
            "value"
        ]:
            assert time.monotonic() < end, script

    def texts(self, selector: str) -> list[str]:
        """What stands in all elements."""
        found: list[str] = self.js(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            selector,
        )
        return found

    def wrong(self) -> list[str]:
        """All that its console says since the page was opened."""
        errors: list[str] = self._of_the_browser(ERRORS)
        errors = [error for error in errors if ADVICE not in error]
        lines = self._said.read_bytes()[self._before :].decode(errors="replace").splitlines()
        return errors + [
            line for line in lines if line.startswith("console.") and "RSLoader" not in line
        ]  # it misses a network

    def _of_the_browser(self, script: str) -> Any:
        """Have the browser itself do something."""
        self._ask("Marionette:SetContext", value="chrome")
        try:
            return self.js(script)
        finally:
            self._ask("Marionette:SetContext", value="content")

    def _ask(self, command: str, **words: Any) -> Any:
        self._sent += 1
        data = json.dumps([0, self._sent, command, words]).encode()
        self._wire.sendall(b"%d:%b" % (len(data), data))
        _, _, error, result = self._frame()
        assert error is None, error
        return result

    def _frame(self) -> Any:
        digits = b""
        while (letter := self._file.read(1)) != b":":
            assert letter, "Firefox has ended"
            digits += letter
        return json.loads(self._file.read(int(digits)))


@contextmanager
def firefox() -> Iterator[Firefox]:
    """A browser for many pages. Without one the test is skipped."""
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        need(BROWSERS[0])
    with tempfile.TemporaryDirectory(prefix="khiva-firefox-", ignore_cleanup_errors=True) as folder:
        profile = Path(folder)
        (profile / "user.js").write_text(PREFERENCES)
        marked = os.environ | dict([BROWSER_MARK.decode().split("=")]) | {"HOME": folder}
        words = [
            str(program),
            "--headless",
            "--marionette",
            "--remote-allow-system-access",
            "--no-remote",
            "--profile",
            folder,
        ]
        with (profile / "said").open("wb") as said:
            running = subprocess.Popen(words, env=marked, stdout=said, stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + WAIT
            while not (profile / PORT).exists() and time.monotonic() < end:
                assert running.poll() is None, "Firefox has ended"
                time.sleep(PAUSE)
            with closing(Firefox(int((profile / PORT).read_text()), profile / "said")) as opened:
                yield opened
        finally:
            running.terminate()
            running.wait(60)
