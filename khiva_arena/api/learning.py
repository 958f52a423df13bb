"""How a training came along: the ratings of its checkpoints by step."""

import html
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tabulate import tabulate

from khiva_arena.api.checkpoints import Checkpoint
from khiva_arena.api.plots import altair
from khiva_arena.errors import ConfigError
from khiva_arena.report.columns import TABLE, Standing

WIDE, HIGH = 480, 300
SHOWN = ("name", "elo", "error", "rank_interval", "matches", "seeds", "faults")


class LearningCurve:
    """Checkpoints by step, and the other bots of their table, the ladder.

    rows: by step, each the step and the row of the table.
    ladder: the rows of the others, best first.
    title: of the table.
    """

    def __init__(self, table: Iterable[Standing], title: str, checkpoints: Iterable[Checkpoint]) -> None:
        self.title = title
        steps = {one.name: one.step for one in checkpoints}
        found = {row.name: row for row in table}
        if wrong := [name for name in steps if name not in found]:
            raise ConfigError([f"the table has no bot {name!r}" for name in wrong])
        if wrong := [name for name, step in steps.items() if step < 0]:
            raise ConfigError([f"{name}: say at which step it was, Checkpoint(..., step=...)" for name in wrong])
        self.rows: tuple[tuple[int, Standing], ...] = tuple(
            sorted(((step, found[name]) for name, step in steps.items()), key=lambda row: row[0])
        )
        self.ladder: tuple[Standing, ...] = tuple(row for name, row in found.items() if name not in steps)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[int, Standing]]:
        return iter(self.rows)

    def to_dict(self) -> list[dict[str, Any]]:
        """A list with a dict for each checkpoint: step, name, elo, error, low, high, bound, matches, seeds."""
        fields = ("name", "elo", "error", "low", "high", "bound", "matches", "seeds")
        return [{"step": step, **{field: getattr(row, field) for field in fields}} for step, row in self.rows]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        columns = [column for column in TABLE if column.field in SHOWN]
        rows: Sequence[tuple[str, Standing]] = [*((str(step), row) for step, row in self), *(("", row) for row in self.ladder)]
        return ["step", *(column.head for column in columns)], [[step, *(c.text(row) for c in columns)] for step, row in rows]

    def __str__(self) -> str:
        head, cells = self._cells()
        align = ["right", *("left" if name == "bot" else "right" for name in head[1:])]
        table: str = tabulate(cells, head, tablefmt="plain", disable_numparse=True, colalign=align)
        return f"{self.title}\n{table}"

    def __repr__(self) -> str:
        return f"<learning curve of {len(self)} checkpoints: {self.title}>"

    def _repr_html_(self) -> str:
        head, cells = self._cells()
        return f"<p><b>{html.escape(self.title)}</b></p>{tabulate(cells, head, tablefmt='html', disable_numparse=True)}"

    def plot(self) -> Any:
        """An Altair chart: Elo by step with its 95 % interval, and the ladder as lines. Raises ConfigError without Altair."""
        alt = altair()
        x, y = alt.X("step:Q", title="step of training"), alt.Y("elo:Q", title="Elo")
        points = alt.Chart(alt.Data(values=self.to_dict()), title=self.title, width=WIDE, height=HIGH).encode(x=x)
        band = points.mark_errorbar().encode(y=alt.Y("low:Q", title="Elo"), y2="high:Q")
        band = band.transform_filter("isValid(datum.low) && isValid(datum.high)")
        tip = ["name:N", "step:Q", "elo:Q", "error:Q", "low:Q", "high:Q", "bound:N", "matches:Q"]
        rungs = alt.Chart(alt.Data(values=[{"bot": row.name, "elo": row.elo} for row in self.ladder])).encode(y=y)
        # Beside the chart: in it they would lie over the intervals.
        names = rungs.mark_text(align="left", dx=4, color="gray").encode(text="bot:N", x=alt.value(WIDE))
        return (
            rungs.mark_rule(strokeDash=[4, 3], color="gray").encode(tooltip=["bot:N", "elo:Q"])
            + names
            + band
            + points.mark_line(point=True).encode(y=y, tooltip=tip)
        )
