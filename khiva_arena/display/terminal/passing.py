"""The line that says how far a long command has come, on a terminal."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.common.time_in_words import in_time
from khiva_arena.display.terminal.console import HarmlessStream, say
from khiva_arena.display.terminal.tty import NARROWEST, can_draw
from khiva_arena.records.store.db import MatchRow, Store

EVERY_SECONDS = 0.5
FIRST_SECONDS = 1.0
"""The seconds of a command after which it shows how far it has come."""
_ERASE = "\r\x1b[2K"


class PassingLine:
    """A line on stderr, if that is a terminal; else nothing is written.

    after: seconds from now in which there is none.
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        after: float = EVERY_SECONDS,
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._draws = can_draw(self._stream)
        self._is_there, self._next = False, clock() + after

    @property
    def is_due(self) -> bool:
        """Whether a line would be shown now."""
        return self._draws and self._clock() >= self._next

    def say(self, text: str) -> None:
        """Show the progress, every half second at most."""
        if self.is_due:
            self._write(f"{_ERASE}{harmless(text)[: self._columns() - 1]}")
            self._is_there, self._next = True, self._clock() + EVERY_SECONDS

    def clear(self) -> None:
        """Take the line away, before another line is written; the next progress is
        shown at once.
        """
        if self._is_there:
            self._write(_ERASE)
            self._is_there, self._next = False, self._clock()

    def _columns(self) -> int:
        try:
            return max(NARROWEST, os.get_terminal_size(self._stream.fileno()).columns)
        except (OSError, ValueError):  # a terminal that does not say
            return NARROWEST

    def _write(self, text: str) -> None:
        try:
            write = (
                self._stream.draw
                if isinstance(self._stream, HarmlessStream)
                else self._stream.write
            )
            write(text)
            self._stream.flush()
        except OSError:  # nobody reads it; a later message finds that out
            self._draws = False


class PassingMatches:
    """The progress of a command that goes through matches, in a passing line.

    say: tells the user a line, instead of the passing one.
    """

    def __init__(self, line: PassingLine, clock: Callable[[], float] = time.monotonic) -> None:
        self._line, self._clock = line, clock
        self._what, self._done, self._from, self._began = "", 0, 0, clock()
        self._say: Say = say

    def say(self, text: str, *, warning: bool = False) -> None:
        self._line.clear()
        self._say(harmless(text), warning=warning)

    def far(self, what: str, done: int, of: int, unit: str = "matches") -> None:
        """Take the progress, very often: ``done`` of ``of`` units of something, in the
        words ``what``.
        """
        if (
            what != self._what or done < self._done
        ):  # it begins, or goes through all of it once more
            self._what, self._from, self._began = what, done, self._clock()
        self._done = done
        if self._line.is_due:
            self._line.say(f"{what}: {done:,} of {of:,} {unit}{self._left(done, of)}")

    def over(self) -> None:
        """Take the line away, since the part of which it tells is over."""
        self._line.clear()

    def watch(self, store: Store) -> None:
        """Say how far the reading of a store's matches has come, until the last one of
        an event is read.
        """
        totals: dict[str, tuple[str, int]] = {}
        counts: dict[str, tuple[int, int]] = {}

        def over(event: str, rows: Iterator[MatchRow]) -> Iterator[MatchRow]:
            for row in rows:
                last, number = counts.get(event, (-1, 0))
                number = number + 1 if row.ordinal > last else 1
                counts[event] = row.ordinal, number
                if self._line.is_due:
                    what, total = totals.get(event) or totals.setdefault(
                        event, _named(store, event)
                    )
                    self.far(what, number, max(number, total))
                yield row
            if event in totals and counts[event][1] >= totals[event][1]:
                self.over()

        store.over = over

    def _left(self, done: int, of: int) -> str:
        took = self._clock() - self._began
        return (
            f", {in_time(took * (of - done) / (done - self._from))} left"
            if done > self._from and took
            else ""
        )


def _named(store: Store, event: str) -> tuple[str, int]:
    """Return an event in words, and the number of its recorded matches."""
    row = store.event(event)
    return f"event {row.number if row else event}", len(store.recorded(event))


@contextmanager
def progress() -> Iterator[PassingMatches]:
    """Show how far a command has come once it takes a second, and take that line away
    at the end.
    """
    line = PassingLine(after=FIRST_SECONDS)
    try:
        yield PassingMatches(line)
    finally:
        line.clear()
