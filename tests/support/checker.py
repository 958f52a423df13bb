"""The page that checks bundles, built once from a runtime that is fetched, and its check in Node."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from arena import ROOT
from tools import lacks, need

from khiva_arena.page.checker import checker_page

CHECK = ROOT / "protocol" / "verifier" / "check.mjs"
RUNTIME = ROOT / "interpreters" / "build" / "page-runtime.tar"
SECONDS = 600


@cache
def runtime() -> Path:
    """The archive of the runtime, where `make page` leaves it. Where it cannot be fetched a test is skipped, and fails in CI."""
    if not RUNTIME.exists():
        need("npm")
        words = [sys.executable, str(ROOT / ".ci" / "page_runtime.py"), str(RUNTIME)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode:
            lacks(f"the runtime of the page cannot be fetched: {done.stderr[-500:]}")
    return RUNTIME


@cache
def checker() -> str:
    """The page."""
    return checker_page(runtime())


def checked(page: Path, bundle: Path) -> list[dict[str, Any]]:
    """All events of a check of a bundle in Node."""
    need("node")
    words = ["nice", "node", str(CHECK), str(page), str(bundle), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events, done.stderr
    assert done.returncode == {"equal": 0, "differs": 1, "cannot tell here": 3}[events[-1]["verdict"]]
    return events
