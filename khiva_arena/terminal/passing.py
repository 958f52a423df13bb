"""A line on a terminal that tells the progress of a long command, and gives way to other lines."""

import sys
import time
from collections.abc import Callable
from typing import TextIO

from khiva_arena.terminal.tty import NARROWEST, can_draw

EVERY_SECONDS = 0.5
_ERASE = "\r\x1b[K"


class PassingLine:
    """A line on stderr, if that is a terminal; else nothing is written. The first half second has no line."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._draws = can_draw(self._stream)
        self._is_there, self._at = False, clock()

    def say(self, text: str) -> None:
        """Show the progress, every half second at most."""
        if self._draws and self._clock() - self._at >= EVERY_SECONDS:
            self._write(f"{_ERASE}{text[: NARROWEST - 1]}")
            self._is_there, self._at = True, self._clock()

    def clear(self) -> None:
        """Take the line away, before another line is written."""
        if self._is_there:
            self._write(_ERASE)
            self._is_there = False

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # nobody reads it; a later message finds that out
            self._draws = False
