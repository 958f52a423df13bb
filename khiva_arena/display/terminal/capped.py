"""At most so many lines on stdout: the first ones, the last ones, and between them a line that says how many are left out."""

import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

MOST, LAST = 200, 60
FULL = "--full"


class Capped:
    """A text stream that writes the first lines at once, and keeps the last ones until ``finish``."""

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

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def lines_capped(*, is_full: bool) -> Iterator[None]:
    """Let at most ``MOST`` lines get to stdout during this context, or all if they were asked for."""
    if is_full:
        yield
        return
    before = sys.stdout
    capped = Capped(before, MOST, LAST)
    sys.stdout = cast(TextIO, capped)
    try:
        yield
    finally:
        sys.stdout = before
        capped.finish()
