"""The door between the workbench and JavaScript, under Pyodide."""

import json
from pathlib import Path
from typing import Any

from khiva_arena.bots.modules.released import newest
from khiva_arena.entrants.runtimes import USUAL_MAXIMUM
from khiva_arena.extensions.checker.workbench.seats import as_bytes
from khiva_arena.extensions.checker.workbench.workbench import Workbench

HOME = Path("/workbench")  # in the memory of the page
"""The folder of the bots, where the page has put the opponents, too."""
INTERPRETERS = ("python", "javascript")
_OPENED: list[Workbench] = []
"""The workbench of this page, once something was asked of it."""


def interpreters() -> str:
    """Return, as JSON, the hash of the module that each interpreter is, by its word."""
    return json.dumps({word: newest(word, USUAL_MAXIMUM) for word in INTERPRETERS})


async def work(page: Any, request: str, data: Any = None) -> None:
    """Do what a request asks for. ``data``: the bytes that come with it, or a list of
    them; None for none.
    """
    is_one = hasattr(data, "to_bytes") or isinstance(data, bytes | memoryview)
    files = [data] if is_one else data or ()
    await _workbench(page).work(json.loads(request), [as_bytes(one) for one in files])


def _workbench(page: Any) -> Workbench:
    if not _OPENED:  # not cached by the page, which is an object of JavaScript and has no hash
        opponents = json.loads((HOME / "opponents.json").read_bytes())
        _OPENED.append(
            Workbench(
                page, lambda event, *data: page.tell(json.dumps(event), *data), HOME, opponents
            )
        )
    return _OPENED[0]
