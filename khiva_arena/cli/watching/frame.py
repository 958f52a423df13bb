"""One frame of the live screen: rows of text that follow from the state, the size of the terminal and the time alone. Pure."""

from dataclasses import dataclass
from math import ceil

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.progress_bar import ProgressBar
from rich.text import Text

from khiva_arena.cli.watching.fold import STOPS_ITSELF, Rate, State, rate, visible
from khiva_arena.cli.watching.leaders import Leader, Leaders
from khiva_arena.cli.watching.stream import Fault, Llr

FAULTS_SHOWN = 4
LEADERS_SHOWN = 12
NAME_WIDTH = 24
NARROW = 60
"""Columns: below this, only what matters most is shown."""
NOT_TOLD = "n/a"


@dataclass(frozen=True, slots=True)
class View:
    """All that a frame shows. ``seeds``: how many are over; ``unread``: lines that could not be read."""

    state: State
    leaders: Leaders | None = None
    seeds: int = 0
    unread: int = 0


def frame(view: View, width: int, height: int, now: float) -> list[RenderableType]:
    """Rows from the top, at most ``height`` - 1: the cursor stands below them. ``now``: seconds of the stream's clock."""
    state, room = view.state, max(1, height - 1)
    if state.began is None:
        return [Text("waiting for the first match")]
    rows: list[RenderableType] = [_bar(state, width), *_numbers(view, width, rate(state, now))]
    if state.llr:
        rows.append(_llr(state.llr, width))
    if room > len(rows):
        rows.insert(0, Text(_title(state), style="bold"))
    faults = _faults(state, min(FAULTS_SHOWN, max(0, (room - len(rows) - 4) // 2)))
    leaders = _leaders(view, width, min(LEADERS_SHOWN, room - len(rows) - len(faults) - 2), now)
    return [*rows, *leaders, *faults][:room]


def drawn(console: Console, rows: list[RenderableType]) -> list[str]:
    """The rows as the terminal gets them, each cut to its width."""
    with console.capture() as capture:
        for row in rows:
            console.print(row, no_wrap=True, overflow="ellipsis", crop=True)
    return capture.get().split("\n")[: len(rows)]


def _title(state: State) -> str:
    began = state.began
    assert began
    stage = f"{visible(began.stage, 64)}: " if began.stage else ""
    of = f" of {began.rounds}" if began.rounds > 1 else ""
    number = f", round {state.round.number + 1}{of}" if state.round and (began.rounds > 1 or state.round.number) else ""
    return f"{stage}{visible(began.format, 20)}, {visible(began.game, 20)} at {began.seats} seats{number}"


def _bar(state: State, width: int) -> RenderableType:
    began = state.began
    assert began
    share = f" {100 * state.fixed // began.matches} %" if began.matches else ""
    text = f"{state.fixed}/{began.matches} matches{share}"
    if began.format == STOPS_ITSELF:
        text = f"{state.fixed} of at most {began.matches} matches"
    long = width - len(text) - 2
    if long < 10:
        return Text(text)
    total = max(1, began.matches)
    bar = ProgressBar(total, state.fixed, long, style="dim", complete_style="green", finished_style="green")
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


def _numbers(view: View, width: int, speed: Rate) -> list[Text]:
    state = view.state
    assert state.began
    told = Text()
    told.append("n/a matches/s" if speed.rate is None else f"{_short(speed.rate)} matches/s")
    told.append(f"   left {_left(speed)}")
    if width < NARROW:
        counts = Text(f"seeds {view.seeds}/{state.began.seeds}  faults {state.faults}  voids {state.voids}")
        return [told, counts]
    told.append(f"   seeds {view.seeds}/{state.began.seeds}")
    counts = Text()
    for name, count in (("faults", state.faults), ("voids", state.voids), ("pauses", state.pauses)):
        counts.append(f"{name} {count}   ", style="yellow" if count else "")
    if state.set_aside:
        counts.append(f"tables set aside {state.set_aside}   ", style="red")
    if view.unread:
        counts.append(f"lines that cannot be read {view.unread}", style="red")
    counts.rstrip()
    return [told, counts]


def _short(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _left(speed: Rate) -> str:
    if speed.left is None or speed.error is None:
        return NOT_TOLD
    return f"{_time(speed.left)} +/- {_time(ceil(speed.left * speed.error))}"


def _time(seconds: float) -> str:
    whole = round(min(seconds, 1e8))
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _llr(llr: Llr, width: int) -> Text:
    """The test between its bounds: [-2.94 ----|---- 2.94] LLR 0.51 after 120 seeds."""
    low, high = f"[{llr.low:.2f} ", f" {llr.high:.2f}]"
    after = f"  LLR {llr.llr:.2f} after {llr.seeds} seeds" + (f": {visible(llr.decision, 40)}" if llr.decision else "")
    long = width - len(low) - len(high) - len(after)
    if long < 10 or llr.high <= llr.low:
        return Text(after.strip())
    at = round((llr.llr - llr.low) / (llr.high - llr.low) * (long - 1))
    bar = "-" * max(0, min(long - 1, at)) + "|"
    return Text(low + bar.ljust(long, "-") + high + after)


def _leaders(view: View, width: int, most: int, now: float) -> list[Text]:
    leaders = view.leaders
    if leaders is None or most < 1 or not leaders.rows:
        return []
    began = view.state.began
    assert began
    names = [visible(name, 64) for name in began.bots]
    shown = leaders.rows[:most]
    wide = min(max([3, *(cell_len(names[row.bot]) for row in shown)]), NAME_WIDTH, max(3, width - 22))
    heads = ["elo", "+/-", "score%", "matches"] if width >= NARROW else ["elo", "+/-"]
    cells = [_cells(row)[: len(heads)] for row in shown]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    rows = [Text(_row("", "bot", heads, wide, widths), style="bold")]
    for place, (row, cell) in enumerate(zip(shown, cells, strict=True), 1):
        rows.append(Text(_row(str(place), names[row.bot], cell, wide, widths)))
    return [*rows, Text(_basis(view, leaders, now), style="dim")]


def _row(place: str, name: str, cells: list[str], wide: int, widths: list[int]) -> str:
    fitted = name if cell_len(name) <= wide else set_cell_size(name, wide - 1) + "~"
    return "  ".join([place.rjust(3), set_cell_size(fitted, wide), *map(str.rjust, cells, widths)]).rstrip()


def _cells(row: Leader) -> list[str]:
    return [
        NOT_TOLD if row.elo is None else f"{row.bound}{row.elo + 0.0:.1f}",
        NOT_TOLD if row.error is None else f"{row.error:.1f}",
        NOT_TOLD if row.score is None else f"{100 * row.score:.1f}",
        str(row.matches),
    ]


def _basis(view: View, leaders: Leaders, now: float) -> str:
    began = view.state.began
    assert began
    more = f", {_time(max(0.0, now - leaders.t))} ago" if leaders.rated and view.state.end is None else ""
    rest = f"; {len(leaders.rows)} bots" if len(leaders.rows) > LEADERS_SHOWN else ""
    if not leaders.rated:
        return f"after {leaders.tables} whole tables; Elo is not fitted yet{rest}"
    return (
        f"Elo after {leaders.tables} whole tables{more}; +/- is 95 %, from {visible(began.bots[began.anchor], NAME_WIDTH)}{rest}"
    )


def _faults(state: State, most: int) -> list[Text]:
    if not state.last_faults or most < 1:
        return []
    return [_fault(state, fault) for fault in state.last_faults[-most:]]


def _fault(state: State, fault: Fault) -> Text:
    assert state.began
    name = visible(state.began.bots[fault.bot], NAME_WIDTH)
    line = Text(f"match {fault.match}  {name}  ")
    line.append(visible(fault.verdict, 20), style="yellow")
    return line.append(f"  {visible(fault.detail, 300)}")
