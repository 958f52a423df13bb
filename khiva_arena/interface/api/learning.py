"""The learning curve of a training: ratings of its checkpoints by step."""

import html
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tabulate import tabulate

from khiva_arena.errors import ConfigError
from khiva_arena.interface.api.checkpoints import Checkpoint
from khiva_arena.interface.api.plots import altair
from khiva_arena.rating.ratings.contrasts import trend
from khiva_arena.rating.report.columns import TABLE, Standing
from khiva_arena.rating.report.contrasts import contrasts
from khiva_arena.rating.report.shapes import PairDifference
from khiva_arena.rating.report.standings import DIGITS
from khiva_arena.rating.report.text import chance, interval
from khiva_arena.rating.report.values import Standings

WIDE, HIGH = 480, 300
_FEWEST_OF_HALVES = 6  # checkpoints
SHOWN = ("name", "elo", "error", "rank_interval", "matches", "seeds", "faults")


class Rise(NamedTuple):
    """The rise of Elo along a straight line.

    first, last: the steps it runs between.
    elo: how far it rises.
    low, high: the 95 % interval of ``elo``.
    los: how likely it rises at all, in percent.
    """

    first: int
    last: int
    elo: float
    low: float
    high: float
    los: float

    def __str__(self) -> str:
        bounds = interval(self.low, self.high, 0, "+")
        return (
            f"from step {self.first} to {self.last}: {self.elo:+.0f} Elo (95 %: {bounds}), "
            f"rising {chance(self.los)} %."
        )


class LearningCurve:
    """Checkpoints by step, and the other bots of their table, the ladder.

    rows: pairs of a step and a row of the table, in the order of steps.
    ladder: the rows of the other bots, best first.
    title: the title of the table.
    """

    def __init__(self, table: Standings, title: str, checkpoints: Iterable[Checkpoint]) -> None:
        self.title = title
        self._standings = table
        steps = {checkpoint.name: checkpoint.step for checkpoint in checkpoints}
        rows = {row.name: row for row in table.rows}
        if names := [name for name in steps if name not in rows]:
            raise ConfigError([f"the table has no bot {name!r}" for name in names])
        if names := [name for name, step in steps.items() if step < 0]:
            raise ConfigError(
                [
                    f"{name}: the checkpoint has no step; give one, Checkpoint(..., step=...)"
                    for name in names
                ]
            )
        self.rows: tuple[tuple[int, Standing], ...] = tuple(
            sorted(((step, rows[name]) for name, step in steps.items()), key=lambda row: row[0])
        )
        self.ladder: tuple[Standing, ...] = tuple(
            row for name, row in rows.items() if name not in steps
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[int, Standing]]:
        return iter(self.rows)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return a list with a dict for each checkpoint: step, name, elo, error, low,
        high, bound, matches, seeds.
        """
        fields = ("name", "elo", "error", "low", "high", "bound", "matches", "seeds")
        return [
            {"step": step, **{field: getattr(row, field) for field in fields}}
            for step, row in self.rows
        ]

    def trend(self, since: int | None = None) -> Rise | None:
        """Return how far the straight line through the checkpoints rises from the first
        to the last, in Elo, with an error of its own.

        since: the first step that counts; all do by default. Name it before you see the
            curve.

        Return None with fewer than two steps, or if a checkpoint among them has only a
        bound or no error.
        """
        points = [(step, row) for step, row in self if since is None or step >= since]
        at = [self._standings.order.index(row.bot) for _, row in points]
        rise = trend(self._standings.ratings, at, [float(step) for step, _ in points])
        if (
            rise is None
            or rise.elo is None
            or rise.low is None
            or rise.high is None
            or rise.los is None
        ):
            return None
        numbers = (
            round(value, DIGITS) for value in (rise.elo, rise.low, rise.high, 100 * rise.los)
        )
        return Rise(points[0][0], points[-1][0], *numbers)

    def contrast(self, step: int, less: int) -> PairDifference:
        """Return how far the checkpoint of ``step`` is above the checkpoint of
        ``less``, with an interval of its own. The interval holds for two checkpoints
        that were named before the curve was seen. Raises ConfigError for an unknown
        step.
        """
        names = {step: row.name for step, row in self}
        if unknown := [number for number in (step, less) if number not in names]:
            raise ConfigError([f"there is no checkpoint of step {number}" for number in unknown])
        return contrasts(self._standings, [[names[step], names[less]]])[0].pairs[0]

    def _trends(self) -> list[str]:
        """Return the trend of all steps, and of their second half if there are enough
        checkpoints, as lines.
        """
        halves = [None, self.rows[len(self) // 2][0]] if len(self) >= _FEWEST_OF_HALVES else [None]
        return [f"Trend {rise}" for since in halves if (rise := self.trend(since)) is not None] or [
            "Trend: n/a."
        ]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        columns = [column for column in TABLE if column.field in SHOWN]
        rows: Sequence[tuple[str, Standing]] = [
            *((str(step), row) for step, row in self),
            *(("", row) for row in self.ladder),
        ]
        return ["step", *(column.head for column in columns)], [
            [step, *(c.text(row) for c in columns)] for step, row in rows
        ]

    def __str__(self) -> str:
        head, cells = self._cells()
        align = ["right", *("left" if name == "bot" else "right" for name in head[1:])]
        table: str = tabulate(cells, head, tablefmt="plain", disable_numparse=True, colalign=align)
        return "\n".join([self.title, table, *self._trends()])

    def __repr__(self) -> str:
        return f"<learning curve of {len(self)} checkpoints: {self.title}>"

    def _repr_html_(self) -> str:
        head, cells = self._cells()
        rows = tabulate(cells, head, tablefmt="html", disable_numparse=True)
        trends = "".join(f"<p>{html.escape(line)}</p>" for line in self._trends())
        return f"<p><b>{html.escape(self.title)}</b></p>{rows}{trends}"

    def plot(self) -> Any:
        """Return an Altair chart: Elo by step with its 95 % interval, and the ladder as
        lines. Raises ConfigError without Altair.
        """
        alt = altair()
        x, y = alt.X("step:Q", title="step of training"), alt.Y("elo:Q", title="Elo")
        points = alt.Chart(
            alt.Data(values=self.to_dict()), title=self.title, width=WIDE, height=HIGH
        ).encode(x=x)
        band = points.mark_errorbar().encode(y=alt.Y("low:Q", title="Elo"), y2="high:Q")
        band = band.transform_filter("isValid(datum.low) && isValid(datum.high)")
        tip = ["name:N", "step:Q", "elo:Q", "error:Q", "low:Q", "high:Q", "bound:N", "matches:Q"]
        rungs = alt.Chart(
            alt.Data(values=[{"bot": row.name, "elo": row.elo} for row in self.ladder])
        ).encode(y=y)
        # Beside the chart: in it they would lie over the intervals.
        names = rungs.mark_text(align="left", dx=4, color="gray").encode(
            text="bot:N", x=alt.value(WIDE)
        )
        return (
            rungs.mark_rule(strokeDash=[4, 3], color="gray").encode(tooltip=["bot:N", "elo:Q"])
            + names
            + band
            + points.mark_line(point=True).encode(y=y, tooltip=tip)
        )
