"""The door between a check of a bundle and JavaScript, under Pyodide."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from khiva_arena.arbiter.wire import HostFault
from khiva_arena.competition.audit.replayed_match import SeatOrder, SeatResult
from khiva_arena.errors import ArenaError
from khiva_arena.extensions.checker import in_page

BUNDLE = Path("/tmp/bundle")  # in the memory of the page
"""The bundle, where the page has put it."""


class JavaScriptMachine:
    """A meter and a runner in JavaScript, as a ``Machine``. ``page``: the object of protocol/verifier/in_page.js."""

    def __init__(self, page: Any) -> None:
        self._page = page

    def take(self, digest: str, data: bytes) -> None:
        self._page.take(digest, data)

    def run(self, module: str, payload: str, pages: int, key: bytes, orders: Sequence[SeatOrder]) -> Sequence[SeatResult]:
        from pyodide.ffi import can_run_sync, run_sync  # type: ignore[import-not-found]

        words = (module, payload, pages, key, [[*order] for order in orders])
        why, results = self._page.run(*words)
        if why and can_run_sync():  # a worker's stack may be full too early, and a promise has one of its own
            why, results = run_sync(self._page.run_apart(*words))
        if why:
            raise HostFault(why)
        return [SeatResult(word, int(used), bytes(answer)) for word, used, answer in results]


def check(page: Any) -> None:
    """Check the bundle that a page was given."""
    in_page.check(BUNDLE.read_bytes(), JavaScriptMachine(page), lambda event: page.tell(json.dumps(event)))


def replay(name: str) -> str:
    """Return a match of the bundle as JSON, or why it can't be shown. ``name``: EVENT/ORDINAL."""
    try:
        return json.dumps({"name": name, **in_page.replay(BUNDLE, name)})
    except ArenaError as error:
        return json.dumps({"name": name, "why": in_page.shown(str(error))})
