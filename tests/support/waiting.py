"""Waits of tests: each ends with the event that it waits for. Only a machine where that
never comes uses the patience up.
"""

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 120.0
"""Seconds. A machine with ten times as much to do as it has cores needs a quarter of
them.
"""
T = TypeVar("T")


def until(look: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Look again and again until the result is true, and return the last result: a
    false one once the patience is used up.
    """
    ends = time.monotonic() + seconds
    while not (result := look()) and time.monotonic() < ends:
        time.sleep(0.02)
    return result
