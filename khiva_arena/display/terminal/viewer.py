"""A viewer that follows a stream of events on a terminal: it reads new lines, draws,
and pauses.

The pauses keep it below a small share of the CPU time that the run itself uses.
"""

import os
import stat
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import TextIO

from khiva_arena.common.stream import (
    Any_line,
    Begin,
    LinkNews,
    MatchRecorded,
    Note,
    Round,
    RunEnded,
    StreamReader,
    VoidRecorded,
)
from khiva_arena.common.text import harmless
from khiva_arena.display.terminal.console import in_columns
from khiva_arena.display.terminal.ratings_so_far import MatchesSoFar, RatingsSoFar
from khiva_arena.display.terminal.screen import Screen, ScreenData, frame
from khiva_arena.display.terminal.state import RunState, rate, state_after
from khiva_arena.display.terminal.stream_messages import RunLines, text_of
from khiva_arena.errors import ConfigError

CHUNK = 1 << 20
QUICK, SLOW = 0.25, 2.0
"""The least and the most seconds between two frames."""
FRAME_SHARE, SHARE = 0.004, 0.014
"""Shares of the CPU seconds of the run: for frames, as far as SLOW allows, and for all
of this process with its fits, except one fit with each of ``PARTS``.
"""
PARTS = 10
"""The parts of a run, by matches, with each of which a fit comes at the latest."""
SHORT_SECONDS = 2.0
"""The time before which no part of a run makes a fit come: it is over too soon to be
watched.
"""
FIRST_FIT_SECONDS = 5.0
FIRST_FIT_COST = 0.5
"""The CPU seconds of a first fit, numpy included."""
PACE_SECONDS = 5.0
ABOVE = (LinkNews, Note, VoidRecorded)
"""The lines that stay above the screen; the rest is on the screen."""
LONGEST_TEXT = 2000


class Source:
    """A reader of lines from a descriptor.

    bytes_shown: bytes that it reads first and that the user has been shown already
    more: whether there may be more to read now
    closed: whether nobody writes any longer
    """

    def __init__(self, descriptor: int, bytes_shown: int = 0) -> None:
        self._descriptor = descriptor
        self._bytes_shown = bytes_shown
        self._fifo = stat.S_ISFIFO(os.fstat(descriptor).st_mode)
        self._reader = StreamReader()
        self.more = True
        self.closed = False

    @property
    def unread(self) -> int:
        """The number of lines that could not be read."""
        return self._reader.unread

    def take(self) -> list[tuple[Any_line, bool]]:
        """Return some of the lines that have come, each with whether it is new to the
        user. Raises NotAStream.
        """
        try:
            data = os.read(self._descriptor, min(CHUNK, self._bytes_shown) or CHUNK)
        except BlockingIOError:
            self.more = False
            return []
        new = self._bytes_shown == 0
        self._bytes_shown = max(0, self._bytes_shown - len(data))
        self.more, self.closed = bool(data), self._fifo and not data
        return [(line, new) for line in self._reader.feed(data)]

    def close(self) -> None:
        os.close(self._descriptor)


def open_source(path: Path) -> Source:
    """Open a file or FIFO to follow; opening a FIFO waits for its writer. Raises
    ConfigError.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOCTTY)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # a NUL in the name
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    if not (stat.S_ISREG(mode := os.fstat(descriptor).st_mode) or stat.S_ISFIFO(mode)):
        os.close(descriptor)
        raise ConfigError(
            f"{path}: it is neither a file nor a FIFO; name the file that `khiva-arena run "
            "--events-file FILE` writes"
        )
    os.set_blocking(descriptor, False)
    return Source(descriptor)


class Viewer:
    """The state of a stream so far, with ratings as often as their cost is small beside
    the run's.

    state: after the lines that were read
    ratings: of the last fit
    above: harmless lines to be shown above the screen
    source: of the lines
    cpu_seconds: CPU seconds of the run so far; if nobody knows, take one each second
    """

    def __init__(self, source: Source, cpu_seconds: Callable[[], float] = time.monotonic) -> None:
        self.state = RunState()
        self.ratings: RatingsSoFar | None = None
        self.above: list[str] = []
        self.source = source
        self._matches: MatchesSoFar | None = None
        self._zero = inf
        self._cost = FIRST_FIT_COST
        self._part_fitted = 0
        self._cpu_seconds = cpu_seconds
        self._marks = [(time.monotonic(), cpu_seconds())]

    def take(self) -> None:
        """Read some of the lines that have come. Raises NotAStream."""
        for line, new in self.source.take():
            if (
                new
                and isinstance(line, ABOVE)
                and (text := text_of(line, self.state.bots, self.state.in_store))
            ):
                self.above.append(harmless(text, LONGEST_TEXT))
            self.state = state_after(self.state, line)
            if isinstance(line, Begin):
                self._matches, self.ratings, self._zero, self._part_fitted = (
                    MatchesSoFar(line),
                    None,
                    inf,
                    0,
                )
            elif isinstance(line, MatchRecorded) and self._matches:
                self._matches.add(line)
            elif isinstance(line, Round) and self._matches:
                self._matches.add_round(line)
            self._zero = min(self._zero, time.monotonic() - line.t)

    def now(self) -> float:
        """Return the time by the stream's clock, estimated from the moments when lines
        came.
        """
        if self.state.end or self._zero == inf:
            return self.state.t
        return max(self.state.t, time.monotonic() - self._zero)

    def pace(self) -> float:
        """Return the CPU seconds a second that the run has used of late."""
        then, before = self._marks[0]
        now, seconds = time.monotonic(), self._cpu_seconds()
        if now - self._marks[-1][0] >= PACE_SECONDS:
            self._marks = [self._marks[-1], (now, seconds)]
        return max(0.01, (seconds - before) / max(now - then, 0.01))

    def fit(self, *, last: bool = False) -> None:
        """Fit ratings if there are new tables, and the cost is small beside the CPU
        time of the run so far or another part of the run is over.

        For the first fit, the cost is compared with the CPU time of the whole run, its
        rest estimated.
        """
        tables = self.ratings.tables if self.ratings else 0
        if self._matches is None or self._matches.tables == tables:
            return
        is_due = self._part() > self._part_fitted and self.now() >= SHORT_SECONDS
        if not (last or is_due or self._may_fit()):
            return
        self._part_fitted = self._part()
        began = time.process_time()
        self.ratings = self._matches.ratings(self.now(), fitted=True)
        self._cost = time.process_time() - began

    def _part(self) -> int:
        """Return how many parts of the run are over."""
        began = self.state.began
        return PARTS * self.state.recorded // began.matches if began and began.matches else 0

    def _may_fit(self) -> bool:
        now, borne = self.now(), self._cpu_seconds()
        if self.ratings is None:
            borne += (rate(self.state, now).left or 0.0) * self.pace()
        return now >= FIRST_FIT_SECONDS and time.process_time() + self._cost <= SHARE * borne

    def data(self) -> ScreenData:
        """Return the data of a frame: by score before the first fit. Scores and matches
        are always those of now.
        """
        ratings = self.ratings
        if self._matches:
            ratings = (
                self._matches.since(ratings)
                if ratings
                else self._matches.ratings(self.now(), fitted=False)
            )
        return ScreenData(
            self.state, ratings, self._matches.seeds if self._matches else 0, self.source.unread
        )


def follow(
    viewer: Viewer,
    stream: TextIO,
    rest: Callable[[float], object],
    *,
    gone: Callable[[], bool] = lambda: False,
    front: Callable[[], bool] = lambda: True,
    to_the_end: bool = False,
) -> None:
    """Draw until the run is gone, or nobody writes any longer. Raises NotAStream, and
    OSError when the terminal has gone.

    stream: the terminal
    rest: waits so many seconds
    gone: whether the run has ended
    front: whether to draw now
    to_the_end: end with the stream, and leave the last frame on the terminal
    """
    screen, source = Screen(stream), viewer.source
    while True:
        began = time.process_time()
        ends = (
            source.closed or gone()
        )  # asked before reading: lines that came until then are to be shown
        viewer.take()
        is_over = not source.more and (ends or (to_the_end and viewer.state.end is not None))
        if is_over and to_the_end:
            viewer.fit(last=True)
        if not front():
            screen.forget()
        elif not source.more:
            _draw(screen, viewer, clear=is_over and not to_the_end)
        if is_over:
            break
        if not source.more:
            cost = time.process_time() - began
            viewer.fit()
            rest(min(max(cost / FRAME_SHARE / viewer.pace(), QUICK), SLOW))


def _draw(screen: Screen, viewer: Viewer, *, clear: bool) -> None:
    width, height = screen.size()
    above, viewer.above = viewer.above, []
    lines = [line for text in above for line in in_columns(text, width)]
    screen.draw([] if clear else frame(viewer.data(), width, height, viewer.now()), lines)


def print_lines(
    source: Source, say: Callable[[str], None], rest: Callable[[float], object]
) -> None:
    """Print the lines of a stream as plain text until it ends, for output that is no
    terminal. Raises NotAStream.
    """
    lines = RunLines()
    over = False
    while True:
        ends = source.closed
        for line, _ in source.take():
            for text in lines.of(line):
                say(harmless(text, LONGEST_TEXT))
            if isinstance(line, Begin):
                over = False
            over = over or isinstance(line, RunEnded)
        if not source.more:
            if ends or over:
                break
            rest(QUICK)
    for text in lines.untold_counts():
        say(harmless(text, LONGEST_TEXT))
