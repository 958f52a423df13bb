"""At most so many lines on stdout: the first ones, the last ones, and between them a
line that says how many are left out.

While last lines are kept, lines of stderr wait behind them. So a terminal shows all
lines in the order of writing.
"""

import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

MOST, LAST = 200, 60
FULL = "--full"


class Capped:
    """A text stream that writes the first lines at once, and keeps the last ones until
    ``finish``.
    """

    def __init__(self, stream: TextIO, most: int, last: int) -> None:
        self._stream = stream
        self._room = most - last - 1
        self._kept: deque[str] = deque(maxlen=last + 1)
        self._left_out = 0
        self._begun = ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            if self._room:
                self._room -= 1
                self._stream.write(f"{line}\n")
            else:
                self._left_out += len(self._kept) == self._kept.maxlen
                self._kept.append(line)
        return len(text)

    def finish(self) -> None:
        """Write the last lines, and before them how many were left out."""
        kept, begun = list(self._kept), self._begun
        if self._left_out:
            number = self._left_out + 1
            kept[0] = f"... {number:,} lines are left out here; {FULL} prints all"
        self._stream.write("".join(f"{line}\n" for line in kept) + begun)
        self._kept.clear()
        self._begun = ""

    @property
    def keeps(self) -> bool:
        """Whether lines are kept."""
        return bool(self._kept)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Behind:
    """A text stream whose text waits while lines of another one are kept."""

    def __init__(self, stream: TextIO, first: Capped) -> None:
        self._stream = stream
        self._first = first
        self._waiting: list[str] = []

    def write(self, text: str) -> int:
        if self._first.keeps:
            self._waiting.append(text)
        else:
            self._stream.write(text)
        return len(text)

    def finish(self) -> None:
        """Write the text that waited."""
        if self._waiting:
            self._stream.write("".join(self._waiting))
            self._stream.flush()
            self._waiting.clear()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def lines_capped(*, is_full: bool) -> Iterator[None]:
    """Let at most ``MOST`` lines get to stdout during this context, or all if they were
    asked for.
    """
    if is_full:
        yield
        return
    before = sys.stdout, sys.stderr
    capped = Capped(sys.stdout, MOST, LAST)
    behind = Behind(sys.stderr, capped)
    sys.stdout, sys.stderr = cast(TextIO, capped), cast(TextIO, behind)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        capped.finish()
        behind.finish()
