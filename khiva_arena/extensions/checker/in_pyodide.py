"""The door between a check of a bundle and JavaScript, under Pyodide."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from khiva_arena.arbiter.wire import HostFault
from khiva_arena.bots.sandbox import regular_files
from khiva_arena.competition.audit.replayed_match import SeatOrder, SeatResult
from khiva_arena.competition.events.in_bundle import match_in
from khiva_arena.errors import ArenaError
from khiva_arena.extensions.checker import in_page, plain_values
from khiva_arena.records.store import bundle

BUNDLE = Path("/tmp/bundle")  # in the memory of the page
"""The bundle, where the page has put it."""
_SEATED: list[Callable[[Mapping[str, Any]], None]] = []
"""Takes a message of the person who sat down last, once one has."""


class JavaScriptMachine:
    """A meter and a runner in JavaScript, as a ``Machine``. ``page``: the object of
    protocol/verifier/in_page.js.
    """

    def __init__(self, page: Any) -> None:
        self._page = page

    def take(self, digest: str, data: bytes) -> None:
        self._page.take(digest, data)

    def run(
        self, module: str, payload: str, pages: int, key: bytes, orders: Sequence[SeatOrder]
    ) -> Sequence[SeatResult]:
        from pyodide.ffi import can_run_sync, run_sync  # type: ignore[import-not-found]

        words = (module, payload, pages, key, [[*order] for order in orders])
        why, results = self._page.run(*words)
        if (
            why and can_run_sync()
        ):  # a worker's stack may be full too early, and a promise has one of its own
            why, results = run_sync(self._page.run_apart(*words))
        if why:
            raise HostFault(why)
        return [SeatResult(word, int(used), bytes(answer)) for word, used, answer in results]


def check(page: Any) -> None:
    """Check the bundle that a page was given."""
    in_page.check(
        BUNDLE.read_bytes(), JavaScriptMachine(page), lambda event: page.tell(json.dumps(event))
    )


async def go_on(page: Any, request: str) -> None:
    """Put another choice into a match of the bundle, let its modules play on, and tell
    both ends, or why that cannot be.

    Without a choice a person takes the seat over, whose messages ``hear`` takes.
    """
    # not above: a check needs none of it
    from khiva_arena.extensions.checker.workbench.going_on import HeldMatch, go_on
    from khiva_arena.extensions.checker.workbench.seats import LeftError
    from khiva_arena.extensions.checker.workbench.sitting import take_over

    def tell(event: Mapping[str, Any]) -> None:
        page.tell(json.dumps(event))

    asked = json.loads(request)
    is_choice = "choice" in asked
    name = str(asked["name"])
    try:
        with regular_files.open_file(BUNDLE) as file:
            record, secret = match_in(bundle.Reader(file), name, BUNDLE)
        definition, files = plain_values.event_of(BUNDLE, int(name.partition("/")[0]))
        held = HeldMatch(name, record, secret, definition, files)
        if is_choice:
            tell({"kind": "gone_on", **await go_on(page, held, asked)})
        else:
            await take_over(page, held, asked, tell, _seats)
    except LeftError:
        tell({"kind": "left"})
    except (ArenaError, HostFault, ValueError, RecursionError, MemoryError) as error:
        of = "go_on" if is_choice else "take_over"
        tell(
            {
                "kind": "refused",
                "of": of,
                "why": plain_values.shown(str(error) or type(error).__name__),
            }
        )


def hear(message: str) -> None:
    """Take a message of the person who sat down last, as JSON."""
    for take in _SEATED:
        take(json.loads(message))


def _seats(take: Callable[[Mapping[str, Any]], None]) -> None:
    _SEATED[:] = [take]


def replay(name: str) -> str:
    """Return a match of the bundle as JSON, or why it can't be shown. ``name``:
    EVENT/ORDINAL.
    """
    try:
        return json.dumps({"name": name, **plain_values.replay(BUNDLE, name)})
    except ArenaError as error:
        return json.dumps({"name": name, "why": plain_values.shown(str(error))})
