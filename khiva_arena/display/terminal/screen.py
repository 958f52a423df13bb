"""The live screen: rows of text that depend only on the state, the terminal's size and
the time.

The cursor is neither hidden nor left inside the rows: if the process is killed at any
moment, the terminal still works.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.progress_bar import ProgressBar
from rich.text import Text

from khiva_arena.common.stream import FaultRecorded, Llr
from khiva_arena.common.text import harmless
from khiva_arena.display.terminal.ratings_so_far import BotSoFar, RatingsSoFar
from khiva_arena.display.terminal.state import STOPS_ITSELF, Rate, RunState, heading, rate
from khiva_arena.display.terminal.stream_messages import difference_text, match_word
from khiva_arena.rating.report.text import columns_of, cut

FAULTS_SHOWN = 4
BOTS_SHOWN = 12
NAME_WIDTH = 24
NARROW = 60
"""The columns below which only the most important numbers are shown."""
UNKNOWN = "n/a"
USUAL_SIZE = (80, 24)


@dataclass(frozen=True, slots=True)
class ScreenData:
    """The data of a frame.

    state: of the run
    ratings: of the last fit, None before it
    seeds: how many are over
    unread: lines of the stream that could not be read
    """

    state: RunState
    ratings: RatingsSoFar | None = None
    seeds: int = 0
    unread: int = 0


def frame(data: ScreenData, width: int, height: int, now: float) -> list[RenderableType]:
    """Return the rows from the top, at most ``height`` - 1: the cursor stands
    below. ``now``: seconds of the stream's clock.
    """
    state, room = data.state, max(1, height - 1)
    if state.began is None:
        return [Text("waiting for the first match")]
    rows: list[RenderableType] = [_bar(state, width), *_numbers(data, width, rate(state, now))]
    if state.llr:
        rows.append(_llr(state.llr, width))
    if state.difference:
        decision = harmless(state.difference.decision, 40)
        rows.append(Text(f"{difference_text(state.difference)} {decision}".rstrip()))
    if room > len(rows):
        rows.insert(0, Text(_title(state), style="bold"))
    faults = _faults(state, min(FAULTS_SHOWN, max(0, (room - len(rows) - 4) // 2)))
    ratings = _ratings(data, width, min(BOTS_SHOWN, room - len(rows) - len(faults) - 2), now)
    return [*rows, *ratings, *faults][:room]


def draw_rows(console: Console, rows: list[RenderableType]) -> list[str]:
    """Return the rows as the terminal gets them, each cut to its width."""
    with console.capture() as capture:
        for row in rows:
            console.print(row, no_wrap=True, overflow="ellipsis", crop=True)
    return capture.get().split("\n")[: len(rows)]


def _title(state: RunState) -> str:
    began = state.began
    assert began
    stage = f"{harmless(began.stage, 64)}: " if began.stage else ""
    of = f" of {began.rounds}" if began.rounds > 1 else ""
    number = (
        f", round {state.round.number + 1}{of}"
        if state.round and (began.rounds > 1 or state.round.number)
        else ""
    )
    return f"{stage}{heading(began)}{number}"


def _bar(state: RunState, width: int) -> RenderableType:
    began = state.began
    assert began
    share = f" {100 * state.recorded // began.matches} %" if began.matches else ""
    text = f"{state.recorded}/{began.matches} matches{share}"
    if began.format == STOPS_ITSELF:
        text = f"{state.recorded} of at most {began.matches} matches"
    long = width - len(text) - 2
    if long < 10:
        return Text(text)
    total = max(1, began.matches)
    bar = ProgressBar(
        total, state.recorded, long, style="dim", complete_style="green", finished_style="green"
    )
    return _Beside(bar, text)


class _Beside:
    """A bar and a text in one row."""

    def __init__(self, bar: ProgressBar, text: str) -> None:
        self._bar, self._text = bar, text

    def __rich_console__(self, console: Console, _options: ConsoleOptions) -> RenderResult:
        line = Text()
        for segment in console.render(self._bar):
            line.append(segment.text, segment.style)
        yield line.append(f"  {self._text}")


def _numbers(data: ScreenData, width: int, speed: Rate) -> list[Text]:
    state = data.state
    assert state.began
    head = (
        f"{UNKNOWN if speed.rate is None else _digits(speed.rate)} matches/s   left {_left(speed)}"
    )
    if width < NARROW:
        counts = Text(
            f"seeds {data.seeds}/{state.began.seeds}  faults {state.faults}  voids {state.voids}"
        )
        return [Text(head), counts]
    counts = Text()
    for name, count in (("faults", state.faults), ("voids", state.voids), ("pauses", state.pauses)):
        counts.append(f"{name} {count}   ", style="yellow" if count else "")
    if state.set_aside:
        counts.append(f"tables set aside {state.set_aside}   ", style="red")
    if data.unread:
        counts.append(f"lines that cannot be read {data.unread}", style="red")
    counts.rstrip()
    return [Text(f"{head}   seeds {data.seeds}/{state.began.seeds}"), counts]


def _digits(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _left(speed: Rate) -> str:
    if speed.left is None or speed.error is None:
        return UNKNOWN
    return f"{_time(speed.left)} +/- {_time(ceil(speed.left * speed.error))}"


def _time(seconds: float) -> str:
    total = round(min(seconds, 1e8))
    hours, in_hour = divmod(total, 3600)
    return (
        f"{hours}:{in_hour // 60:02}:{in_hour % 60:02}"
        if hours
        else f"{in_hour // 60}:{in_hour % 60:02}"
    )


def _llr(llr: Llr, width: int) -> Text:
    """Return the test between its bounds: [-2.94 ----|---- 2.94] LLR 0.51 after 120
    seeds.
    """
    low, high = f"[{llr.low:.2f} ", f" {llr.high:.2f}]"
    after = f"  LLR {llr.llr:.2f} after {llr.seeds} seeds" + (
        f": {harmless(llr.decision, 40)}" if llr.decision else ""
    )
    long = width - len(low) - len(high) - len(after)
    if long < 10 or llr.high <= llr.low:
        return Text(after.strip())
    at = round((llr.llr - llr.low) / (llr.high - llr.low) * (long - 1))
    bar = "-" * max(0, min(long - 1, at)) + "|"
    return Text(low + bar.ljust(long, "-") + high + after)


def _ratings(data: ScreenData, width: int, limit: int, now: float) -> list[Text]:
    ratings = data.ratings
    if ratings is None or limit < 1 or not ratings.rows:
        return []
    names = [harmless(name, 64) for name in data.state.bots]
    top = ratings.rows[:limit]
    wide = min(
        max([3, *(columns_of(names[row.bot]) for row in top)]), NAME_WIDTH, max(3, width - 22)
    )
    heads = ["elo", "+/-", "score%", "matches"] if width >= NARROW else ["elo", "+/-"]
    cells = [_cells(row)[: len(heads)] for row in top]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    marks = dict(enumerate(data.state.began.marks)) if data.state.began else {}
    rows = [Text(_row("", "bot", heads, wide, widths), style="bold")]
    for place, (row, cell) in enumerate(zip(top, cells, strict=True), 1):
        marks_text = harmless("".join(f"  {mark}" for mark in marks.get(row.bot, ())), 64)
        rows.append(Text(_row(str(place), names[row.bot], cell, wide, widths) + marks_text))
    return [*rows, Text(_basis(data.state, ratings, now), style="dim")]


def _row(place: str, name: str, cells: list[str], wide: int, widths: list[int]) -> str:
    fitted = name if columns_of(name) <= wide else cut(name, wide - 1) + "~"
    return "  ".join(
        [place.rjust(3), fitted + " " * (wide - columns_of(fitted)), *map(str.rjust, cells, widths)]
    ).rstrip()


def _cells(row: BotSoFar) -> list[str]:
    return [
        UNKNOWN if row.elo is None else f"{row.bound}{row.elo + 0.0:.1f}",
        UNKNOWN if row.error is None else f"{row.error:.1f}",
        UNKNOWN if row.score is None else f"{100 * row.score:.1f}",
        str(row.matches),
    ]


def _basis(state: RunState, ratings: RatingsSoFar, now: float) -> str:
    assert state.began
    bots = f"; {len(ratings.rows)} bots" if len(ratings.rows) > BOTS_SHOWN else ""
    if not ratings.fitted:
        return f"after {ratings.tables} whole tables; Elo is not fitted yet{bots}"
    age = f", {_time(max(0.0, now - ratings.t))} ago" if state.end is None else ""
    anchor = harmless(state.bots[state.began.anchor], NAME_WIDTH)
    looks = " at any look" if ratings.looked else ""
    return f"Elo after {ratings.tables} whole tables{age}; +/- is 95 %{looks}, from {anchor}{bots}"


def _faults(state: RunState, limit: int) -> list[Text]:
    if not state.last_faults or limit < 1:
        return []
    return [_fault(state, fault, times) for fault, times in state.last_faults[-limit:]]


def _fault(state: RunState, fault: FaultRecorded, times: int) -> Text:
    name = harmless(state.bots[fault.bot], NAME_WIDTH)
    line = Text(f"{match_word(state.in_store, fault.match).replace('=', ' ')}  {name}  ")
    line.append(harmless(fault.verdict, 20), style="yellow")
    line.append(f"  {times} times, the last:" if times > 1 else "")
    return line.append(f"  {harmless(fault.detail, 300)}")


class Screen:
    """Rows on a terminal that are drawn over, and lines that stay above
    them. ``stream``: the terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._rows = 0
        self._size = (0, 0)
        self._console: Console

    def size(self) -> tuple[int, int]:
        """Return columns and rows now; they may change at any time."""
        columns, lines = os.get_terminal_size(self._stream.fileno())
        size = (columns or USUAL_SIZE[0], lines or USUAL_SIZE[1])
        if size != self._size:
            self._size = size
            self._console = Console(
                file=self._stream,
                width=size[0],
                height=size[1],
                force_terminal=True,
                legacy_windows=False,
                markup=False,
                emoji=False,
                highlight=False,
            )
        return size

    def draw(self, rows: Sequence[RenderableType], above: Sequence[str] = ()) -> None:
        """Draw rows over the last ones, in one go; only after ``size`` was
        called. ``above``: harmless lines that scroll away.
        """
        texts = draw_rows(self._console, list(rows)) if rows else []
        up = f"\x1b[{self._rows}A" if self._rows else ""
        lines = "".join(f"\x1b[2K{text}\r\n" for text in (*above, *texts))
        self._write(f"\r{up}{lines}\x1b[J")
        self._rows = len(texts)

    def forget(self) -> None:
        """Draw the next rows below the lines that others have written since."""
        self._rows = 0

    def _write(self, text: str) -> None:
        data = text.encode(self._stream.encoding or "utf-8", "backslashreplace")
        while data:
            data = data[os.write(self._stream.fileno(), data) :]
