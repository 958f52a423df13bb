"""One line on a terminal that says how far a run is; nothing where stderr is no terminal."""

import sys
import time

from khiva_arena.cli.say import say

REDRAW_SECONDS = 0.1
CLEAR = "\r\x1b[K"


class Progress:
    """``done`` of ``total`` matches; of those, ``before`` were fixed before this run began."""

    def __init__(self, total: int, before: int) -> None:
        self._total = total
        self._before = before
        self._done = before
        self._began = time.monotonic()
        self._drawn = 0.0
        self._on = sys.stderr is not None and sys.stderr.isatty()

    def one(self) -> None:
        """Count one more, and redraw if it is time to."""
        self._done += 1
        now = time.monotonic()
        if self._on and now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            say(CLEAR + self.line(now), end="")

    def line(self, now: float) -> str:
        """The line as text; ``now`` on the monotonic clock."""
        played, elapsed = self._done - self._before, max(now - self._began, 1e-9)
        rate = played / elapsed
        left = (self._total - self._done) / rate if played else None
        eta = f"{left:.0f} s left" if left is not None else "no estimate yet"
        return f"{self._done}/{self._total} matches  {rate:.1f}/s  {eta}"

    def clear(self) -> None:
        """Take the line off, before something else is printed."""
        if self._on:
            say(CLEAR, end="")
