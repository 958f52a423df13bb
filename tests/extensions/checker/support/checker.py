"""The page that checks bundles, built once from a runtime that is fetched, and its
check in Node.
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from arena import ROOT
from browser import Page
from firefox import Firefox
from tools import lacks, need

from khiva_arena.extensions.checker.checker import checker_page

CHECK = ROOT / "protocol" / "verifier" / "check.mjs"
RUNTIME = ROOT / "interpreters" / "build" / "page-runtime.tar"
PINS = ROOT / "khiva_arena" / "extensions" / "checker" / "runtime.toml"
SECONDS = 600
STACK = "--stack-size=1800"
"""What Node needs of it. With this word the check is this process, and starts no
other.
"""


@cache
def runtime() -> Path:
    """The archive of the runtime, where `make page` leaves it. Where it cannot be
    fetched a test is skipped.
    """
    if not RUNTIME.exists() or RUNTIME.stat().st_mtime < PINS.stat().st_mtime:
        need("npm")
        words = [sys.executable, str(ROOT / ".ci" / "page_runtime.py"), str(RUNTIME)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode:
            lacks(f"the runtime of the page cannot be fetched: {done.stderr[-500:]}")
    return RUNTIME


@cache
def checker() -> str:
    """The page."""
    return checker_page(runtime().read_bytes())


def checked(page: Path, bundle: Path) -> list[dict[str, Any]]:
    """All events of a check of a bundle in Node."""
    need("node")
    words = ["nice", "node", str(CHECK), str(page), str(bundle), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events, done.stderr
    assert (
        done.returncode
        == {"equal": 0, "differs": 1, "cannot be read": 2, "cannot tell here": 3}[
            events[-1]["verdict"]
        ]
    )
    return events


def dropped(browser: Page | Firefox, page: Path, bundle: Path, view: str = "") -> str:
    """Open the page at a view, choose a bundle, and return the verdict's line."""
    browser.visit(page.as_uri() + view)
    browser.until("return document.querySelector('main')?.childElementCount > 0")
    browser.choose(bundle)
    browser.until("return document.querySelector('[data-what=verdict]')", seconds=SECONDS)
    return browser.texts("[data-what=verdict]")[0]


def memory_after(page: Path, bundle: Path, numbers: Sequence[int]) -> list[int]:
    """The memory of a check of a bundle in Node, in kB, each time when so many matches
    have been run again.
    """
    need("node")
    words = ["nice", "node", STACK, str(CHECK), str(page), str(bundle), "--json"]
    found, matches = [], 0
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout or ():
            matches += '"kind": "match"' in line
            if matches in numbers[len(found) : len(found) + 1]:
                status = Path(f"/proc/{running.pid}/status").read_text()
                found += map(int, re.findall(r"VmRSS:\s+(\d+)", status))
    assert running.returncode == 0
    return found
