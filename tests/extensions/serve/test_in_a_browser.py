"""What a reader sees of a run that goes on: a real browser, and a stream and a page
that the test writes.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from arena import NAIVE, C, arena, bots
from browser import Page
from once import filled
from wording import sentence

pytestmark = pytest.mark.slow

RUN = ("run", *bots(NAIVE, C), "--seats", "2", "--trust-bots", "--seed", "served", "--out", "out")


class Served:
    """A page that is served from files of this test.

    address: of the page
    """

    def __init__(self, folder: Path, made: Path) -> None:
        self._folder, self._made = folder, made
        self._lines = (made / "events.jsonl").read_bytes().splitlines(keepends=True)
        self._stream = folder / "events.jsonl"
        self._stream.write_bytes(b"")
        with self._stream.open("rb") as file:
            words = [
                sys.executable,
                "-P",
                "-m",
                "khiva_arena.extensions.serve.watching",
                str(file.fileno()),
                str(folder / "page.html"),
                "",
            ]
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[file.fileno()],
                text=True,
            )
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()

    def lines(self, upto: int) -> None:
        """Write the lines up to and with so many matches."""
        matches = [at for at, line in enumerate(self._lines) if b'"type":"match"' in line]
        with self._stream.open("wb") as file:
            file.writelines(self._lines[: matches[upto - 1] + 1] if upto else self._lines[:1])

    def everything(self) -> None:
        """Write all lines."""
        self._stream.write_bytes(b"".join(self._lines))

    def page(self, name: str) -> None:
        """Put a page into the place of the one before, as ``report`` does."""
        shutil.copy(self._made / name, self._folder / "part")
        (self._folder / "part").replace(self._folder / "page.html")

    def end(self) -> None:
        """The command ends."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.stdin = None
        assert self.process.wait(timeout=20) == 0


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four seeds, and its pages after two of them and after all."""

    def fill(folder: Path) -> None:
        arena(*RUN, "--seeds", "2", "--report", "half.html", cwd=folder)
        shutil.rmtree(folder / "out")
        arena(
            *RUN,
            "--seeds",
            "4",
            "--report",
            "whole.html",
            "--events-file",
            "events.jsonl",
            cwd=folder,
        )

    return filled(tmp_path_factory, "served", fill)


@pytest.fixture
def serving(made: Path, tmp_path: Path) -> Iterator[Callable[[], Served]]:
    with _all_ended() as ends:

        def serve() -> Served:
            served = Served(tmp_path, made)
            ends.append(served)
            return served

        yield serve


@contextmanager
def _all_ended() -> Iterator[list[Served]]:
    served: list[Served] = []
    try:
        yield served
    finally:
        for one in served:
            if one.process.poll() is None:
                one.process.kill()
            one.process.communicate()


def opened(page: Page, served: Served, view: str = "") -> None:
    page.driver.get("about:blank")
    # the page of the test before this one has lost its server, and says so until it is
    # left
    page.wrong()
    page.driver.get(served.address + view)
    page.until("return document.querySelector('main')?.childElementCount > 0")


def says(page: Page, words: str) -> None:
    page.until(
        "return document.querySelector('section.live').textContent.includes(arguments[0])", words
    )


def test_progress_comes_line_by_line_and_the_first_page_by_itself(
    page: Page, serving: Callable[[], Served]
) -> None:
    served = serving()
    opened(page, served)
    says(page, "Waiting " + sentence("terminal", "first-match"))
    assert (
        "Tables, charts and matches appear here as soon as all matches of the first deal "
        "are recorded." in page.js("return document.querySelector('main').textContent")
    )
    served.lines(3)
    says(page, "3 of 8 matches, 1 of 4 seeds")
    assert page.js(
        "return [document.querySelector('progress').value, document.querySelector('progress').max]"
    ) == [3, 8]
    served.page("half.html")
    page.until("return document.querySelector('table.standings tbody tr')")
    says(page, "3 of 8 matches")
    assert page.wrong() == []


def test_a_newer_page_takes_nothing_from_the_reader(
    page: Page, serving: Callable[[], Served]
) -> None:
    served = serving()
    served.lines(4)
    served.page("half.html")
    page.size((1280, 500))
    opened(page, served)
    page.until("return document.querySelector('table.standings tbody tr')")
    page.js(
        "document.querySelectorAll('.sort')[1].click(); "
        "document.querySelectorAll('.sort')[1].click()"
    )
    page.js("document.querySelector('details.notes').open = true")
    page.js("document.querySelector('table.standings tbody a').focus()")
    page.js("scrollTo(0, 300); window.same = true")
    leads = page.js("return document.activeElement.getAttribute('href')")
    order = page.js(
        "return document.querySelectorAll('.standings th:has(.sort)')[1].getAttribute('aria-sort')"
    )
    before = page.js("return scrollY")
    matches = page.js("return document.querySelector('.more').textContent")
    assert (before, order) == (300, "descending")
    served.page("whole.html")
    page.until("return document.querySelector('.more').textContent !== arguments[0]", matches)
    page.until("return document.querySelector('main').style.minHeight === ''")
    assert page.js("return window.same") is True  # it was not loaded again
    assert (
        page.js(
            "return document.querySelectorAll('.standings "
            "th:has(.sort)')[1].getAttribute('aria-sort')"
        )
        == "descending"
    )
    assert page.js("return document.querySelector('details.notes').open")
    assert page.js("return document.activeElement.getAttribute('href')") == leads
    assert page.js("return scrollY") == before
    assert page.wrong() == []


def test_a_match_that_is_looked_at_stays_and_the_list_grows(
    page: Page, serving: Callable[[], Served]
) -> None:
    served = serving()
    served.lines(4)
    served.page("half.html")
    opened(page, served, "#match=1/0&step=2")
    page.until("return document.querySelector('.viewer .controls')")
    page.js("document.querySelector('.viewer').mine = true")
    served.lines(8)
    served.page("whole.html")
    says(page, "8 of 8 matches")
    page.until(
        "return document.querySelector('meta[name=khiva-page]') && document.querySelector('#data')"
    )
    page.keys("ArrowRight")
    page.until("return location.hash.includes('step=3')")
    assert page.js("return document.querySelector('.viewer').mine")
    page.go("#matches=all")
    page.until(
        "return document.querySelector('.matches h2').textContent.includes('8 matches of 8')"
    )
    page.go("#match=1/7")
    page.until("return document.querySelector('.viewer .controls')")
    assert page.wrong() == []


def test_a_filter_that_is_being_typed_is_left_alone(
    page: Page, serving: Callable[[], Served]
) -> None:
    served = serving()
    served.page("half.html")
    opened(page, served, "#matches=all")
    page.until("return document.querySelector('input[name=seed]')")
    page.js(
        "const box = document.querySelector('input[name=seed]'); box.focus(); box.value = "
        "'1'; box.mine = true"
    )
    number = page.js("return document.querySelector('#data').textContent.length")
    served.page("whole.html")
    page.until(
        "return document.querySelector('#data') && "
        "document.querySelector('#data').textContent.length !== arguments[0]",
        number,
    )
    page.js("return new Promise((done) => setTimeout(done, 1200))")
    assert page.js(
        "const box = document.querySelector('input[name=seed]'); return [box.mine, box.value]"
    ) == [True, "1"]
    page.js("document.activeElement.blur()")
    page.until("return document.querySelector('.matches h2').textContent.includes('of 8')")


def test_a_page_that_is_left_open_says_when_the_command_has_ended_and_keeps_what_it_has(
    page: Page, serving: Callable[[], Served]
) -> None:
    served = serving()
    served.page("half.html")
    opened(page, served)
    page.until("return document.querySelector('table.standings tbody tr')")
    matches = page.js("return document.querySelector('.more').textContent")
    served.everything()
    served.page("whole.html")
    served.end()
    says(
        page,
        "The run is over: all of it is recorded. The command has ended and this address is closed.",
    )
    page.until(
        "return document.querySelector('.more').textContent !== arguments[0]", matches
    )  # the last page, fetched in time
    page.go("#match=1/7")
    page.until("return document.querySelector('.viewer .controls')")
    assert page.wrong() == []


def test_a_page_whose_server_is_killed_says_so(page: Page, serving: Callable[[], Served]) -> None:
    served = serving()
    served.page("half.html")
    opened(page, served)
    page.until("return document.querySelector('table.standings tbody tr')")
    served.process.kill()
    says(page, "The command has ended and this address is closed.")
    page.go("#matches=all")
    page.until("return document.querySelector('.matches h2')")
    page.wrong()  # the browser says that it could not connect


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone(page: Page, serving: Callable[[], Served], dark: bool) -> None:
    served = serving()
    served.lines(5)
    served.page("half.html")
    page.size((360, 740), dark)
    opened(page, served)
    page.until("return document.querySelector('table.standings tbody tr')")
    says(page, "5 of 8 matches")
    assert page.js("return document.documentElement.scrollWidth <= 360")
    assert page.js("return [...document.scripts].every((one) => one.clientHeight === 0)")
    assert page.wrong() == []
