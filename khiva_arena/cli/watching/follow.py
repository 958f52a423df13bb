"""Follow a stream of events on a terminal: read what has come, fold it, draw, rest. The rests keep it below a small share of
what the run itself uses.
"""

import os
import stat
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import TextIO

from khiva_arena.cli.watching.fold import State, fold, plain, rate, visible
from khiva_arena.cli.watching.frame import View, frame
from khiva_arena.cli.watching.leaders import Leaders, Tables
from khiva_arena.cli.watching.painter import Painter
from khiva_arena.cli.watching.stream import Any_line, Begin, Match, Note, Reader, Round, Void
from khiva_arena.errors import ConfigError

CHUNK = 1 << 20
QUICK, SLOW = 0.25, 2.0
"""Seconds between two frames, at the least and at the most."""
FRAME_SHARE, SHARE = 0.004, 0.014
"""Of the CPU seconds of the run: what frames may take, as far as SLOW allows, and what all of this process, fits included."""
FIRST_FIT_SECONDS = 5.0
FIRST_FIT_COST = 0.5
"""CPU seconds, numpy and scipy included."""
PACE_SECONDS = 5.0
ABOVE = (Note, Void)


class Source:
    """Lines out of a descriptor. ``fresh``: bytes before it hold what was said already."""

    def __init__(self, descriptor: int, fresh: int = 0) -> None:
        self._descriptor = descriptor
        self._old = fresh
        self._fifo = stat.S_ISFIFO(os.fstat(descriptor).st_mode)
        self._reader = Reader()
        self.more = True
        self.closed = False

    @property
    def unread(self) -> int:
        return self._reader.unread

    def take(self) -> list[tuple[Any_line, bool]]:
        """What has come, some of it, each with whether it is news. ``more``: there may be more; ``closed``: nobody writes any
        longer. Raises NoStream."""
        try:
            data = os.read(self._descriptor, min(CHUNK, self._old) or CHUNK)
        except BlockingIOError:
            self.more = False
            return []
        news = self._old == 0
        self._old = max(0, self._old - len(data))
        self.more, self.closed = bool(data), self._fifo and not data
        return [(line, news) for line in self._reader.feed(data)]


def open_source(path: Path) -> Source:
    """A file or FIFO to follow; that of a FIFO waits for who writes it. Raises ConfigError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOCTTY)
        if not (stat.S_ISREG(mode := os.fstat(descriptor).st_mode) or stat.S_ISFIFO(mode)):
            raise ConfigError(f"{path}: it is neither a file nor a FIFO")
        os.set_blocking(descriptor, False)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # a NUL in the name
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    return Source(descriptor)


class Story:
    """What a stream has told so far, and who leads by it."""

    def __init__(self, source: Source, spent: Callable[[], float]) -> None:
        self.state = State()
        self.leaders: Leaders | None = None
        self.above: list[str] = []
        self._source = source
        self._tables: Tables | None = None
        self._zero = inf
        self._cost = FIRST_FIT_COST
        self._spent = spent
        self._marks = [(time.monotonic(), spent())]

    def take(self) -> None:
        """Read on. ``above``: safe lines that were said meanwhile. Raises NoStream."""
        for line, news in self._source.take():
            if news and isinstance(line, ABOVE) and (text := plain(self.state, line)):
                self.above.append(visible(text))
            self.state = fold(self.state, line)
            if isinstance(line, Begin):
                self._tables, self.leaders, self._zero = Tables(line), None, inf
            elif isinstance(line, Match) and self._tables:
                self._tables.add(line)
            elif isinstance(line, Round) and self._tables:
                self._tables.add_round(line)
            self._zero = min(self._zero, time.monotonic() - line.t)

    def now(self) -> float:
        """The time by the stream's clock, as nearly as can be told from when lines came."""
        if self.state.end or self._zero == inf:
            return self.state.t
        return max(self.state.t, time.monotonic() - self._zero)

    def pace(self) -> float:
        """CPU seconds a second that the run uses of late."""
        then, before = self._marks[0]
        now, spent = time.monotonic(), self._spent()
        if now - self._marks[-1][0] >= PACE_SECONDS:
            self._marks = [self._marks[-1], (now, spent)]
        return max(0.01, (spent - before) / max(now - then, 0.01))

    def fit(self, *, last: bool = False) -> None:
        """Fit ratings anew if there is something new and the run so far, or the first time as long as it will be, bears the
        cost."""
        tables = self._tables
        known = self.leaders.tables if self.leaders and self.leaders.rated else 0
        if tables is None or tables.whole == known or not (last or self._may_fit()):
            return
        began = time.process_time()
        self.leaders = tables.by_elo(self.now())
        self._cost = time.process_time() - began

    def _may_fit(self) -> bool:
        now, borne = self.now(), self._spent()
        if self.leaders is None:
            borne += (rate(self.state, now).left or 0.0) * self.pace()
        return now >= FIRST_FIT_SECONDS and time.process_time() + self._cost <= SHARE * borne

    def view(self) -> View:
        """What a frame is drawn from."""
        tables = self._tables
        leaders = self.leaders
        if tables and not (leaders and leaders.rated):
            leaders = tables.by_score(self.now())
        return View(self.state, leaders, tables.seeds if tables else 0, self._source.unread)


def follow(
    source: Source,
    stream: TextIO,
    rest: Callable[[float], object],
    *,
    gone: Callable[[], bool] = lambda: False,
    front: Callable[[], bool] = lambda: True,
    spent: Callable[[], float] = time.monotonic,
    viewer: bool = False,
) -> None:
    """Draw until the run is ``gone``, or nobody writes any longer. ``rest``: wait so many seconds; ``front``: whether to draw
    now; ``spent``: CPU seconds of the run so far, taken to be one each second where nobody knows; ``viewer``: the stream's end is
    the end here, too, and the last frame stays.

    Raises NoStream, and OSError when the terminal has gone.
    """
    painter, story = Painter(stream), Story(source, spent)
    while True:
        began = time.process_time()
        ends = source.closed or gone()  # asked before it is read on: what came until then is to be told
        story.take()
        done = not source.more and (ends or (viewer and story.state.end is not None))
        if done and viewer:
            story.fit(last=True)
        if not front():
            painter.forget()
        elif not source.more:
            _paint(painter, story, clear=done and not viewer)
        if done:
            break
        if not source.more:
            cost = time.process_time() - began
            story.fit()
            rest(min(max(cost / FRAME_SHARE / story.pace(), QUICK), SLOW))


def _paint(painter: Painter, story: Story, *, clear: bool) -> None:
    width, height = painter.size()
    above, story.above = story.above, []
    painter.paint([] if clear else frame(story.view(), width, height, story.now()), above)


def tell(source: Source, say: Callable[[str], None], rest: Callable[[float], object]) -> None:
    """What a stream tells until its end, as plain lines, where there is no terminal. Raises NoStream."""
    state = State()
    while True:
        ends = source.closed
        for line, _ in source.take():
            if text := plain(state, line):
                say(visible(text))
            state = fold(state, line)
        if not source.more:
            if ends or state.end:
                break
            rest(QUICK)
