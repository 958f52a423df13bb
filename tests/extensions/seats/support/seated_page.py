"""A person's seat in a real browser."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena import C, bots, started
from browser import Page
from seat_client import addresses

from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.seeds import run_secret, seed_secret
from khiva_arena.records.replay.verify import verify

OPPONENTS = {"khiva": C, "emira": "shipped:python/random", "silk_road": "shipped:python/random"}


STATE = """
const options = [...document.querySelectorAll('.options button')];
return [document.querySelector('.controls') !== null, options.length,
  document.querySelector('.status')?.textContent ?? ''];
"""


MOST_LOOKS = 50_000


HAND = """
return [...document.querySelectorAll('.held')].map((one) =>
  [one.textContent, one.disabled, one.ariaPressed]);
"""


@contextmanager
def seated(page: Page, cwd: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """The page of the one person at a table, with the first question on it."""
    process = started(
        "play", "--no-open", "--seed", "demo", "--isolation", "trusted", "--json", *words, cwd=cwd
    )
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


def table(game: str) -> list[str]:
    return [*bots("person", OPPONENTS[game], OPPONENTS[game]), "--game", game]


def record_of(process: "subprocess.Popen[str]") -> Record:
    """The record that the command prints, verified."""
    assert process.stdout
    record = Record.from_json(process.stdout.readline().rstrip("\n"))
    verify(record, seed_secret(run_secret("demo"), 0))
    return record
