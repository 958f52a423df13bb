"""The tasks of single players in the hub: an error in one of them ends that player's
part, and the others play on.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

LOGGER = logging.getLogger(__name__)


async def contained(task: Callable[..., Awaitable[None]], *parts: Any) -> None:
    """Run a task. An error in it is written to this process's stderr with its trace,
    for the organiser, and goes no further.
    """
    try:
        await task(*parts)
    except Exception:
        LOGGER.exception("an error ends one player's part here; the others play on")
