"""Rating tables as values that a notebook shows."""

import html
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from tabulate import tabulate

from khiva_arena.common.say import say_nothing
from khiva_arena.competition.events.league_batches import public_words_of
from khiva_arena.competition.events.pool_tables import (
    PooledTable,
    TableRequest,
    effects_named,
    sections_named,
    tables_of,
)
from khiva_arena.competition.events.selection import Among, StoreSelection
from khiva_arena.errors import ConfigError
from khiva_arena.interface.api.checkpoints import Checkpoint
from khiva_arena.interface.api.keywords import as_path, by_keyword, several
from khiva_arena.interface.api.learning import LearningCurve
from khiva_arena.interface.api.plots import altair, plot
from khiva_arena.rating.report.columns import Standing
from khiva_arena.rating.report.contrasts import contrasts
from khiva_arena.rating.report.rating_table import shown_columns, to_text
from khiva_arena.rating.report.section_names import EFFECTS
from khiva_arena.rating.report.shapes import PairDifference
from khiva_arena.rating.report.values import Standings

if TYPE_CHECKING:
    import pandas

WIDE = 10_000


class Table:
    """The ratings of events that were played under equal conditions.

    rows: a bot each, best first; docs/standings.md says what the attributes of a row
        are.
    standings: the ratings with the data they were computed from.
    title: what was played, and under which conditions.
    """

    def __init__(self, pooled: PooledTable) -> None:
        self._pooled = pooled
        self.standings: Standings = pooled.standings
        self.rows: tuple[Standing, ...] = pooled.standings.rows
        self.title = pooled.title

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Standing]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> Standing:
        """Return the row of a bot by its name. Raises KeyError."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the table as ``khiva-arena standings --json`` prints it, without its
        sentence and the next commands.
        """
        return self._pooled.to_json()

    def by_step(self, checkpoints: Iterable[Checkpoint]) -> LearningCurve:
        """Return the checkpoints by the steps of their training, to print or to plot;
        the other bots of the table are the ladder. Raises ConfigError for a checkpoint
        that is not in the table.
        """
        return LearningCurve(self.standings, self.title, checkpoints)

    def contrast(self, *names: str) -> list[PairDifference]:
        """Return how far each two of the named bots are apart. The intervals hold 95 %
        for all of them at once, if the bots were named before the results were seen.
        Raises ConfigError for a bot that is not in the table.
        """
        [comparison] = contrasts(self.standings, [names])
        return comparison.pairs

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with a row for each bot and a column for each field. Needs
        pandas.
        """
        import pandas

        return pandas.DataFrame(
            [{name: getattr(row, name) for name in row.__struct_fields__} for row in self.rows]
        )

    def plot(self, *charts: str) -> Any:
        """Return the named Altair charts, one below the other, out of intervals,
        by_seeds, crosstable and seats; all of them without a name. Raises ConfigError
        for an unknown name, and without Altair.
        """
        return plot(self.standings, charts, self.title)

    def __repr__(self) -> str:
        return f"<table of {len(self.rows)} bots: {self.title}>"

    def __str__(self) -> str:
        return f"{self.title}\n{to_text(self.standings)}"

    def _repr_html_(self) -> str:
        columns = shown_columns(self.standings, wide=True)
        cells = [[column.text(row) for column in columns] for row in self.rows]
        align = ["left" if column.left else "right" for column in columns]
        table = tabulate(
            cells,
            [column.head for column in columns],
            tablefmt="html",
            disable_numparse=True,
            colalign=align,
        )
        notes = to_text(self.standings, WIDE).split("\n\n", 1)[-1].strip().splitlines()
        paragraphs = "".join(f"<p>{html.escape(line)}</p>" for line in notes)
        return f"<p><b>{html.escape(self.title)}</b></p>{table}{paragraphs}"


class TableList(Sequence[Table]):
    """The tables of a store: one for events that were played under equal conditions.
    Most stores have one.

    rows: of all tables, one after another.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = tuple(tables)
        self.rows = tuple(row for table in tables for row in table.rows)

    def __len__(self) -> int:
        return len(self._tables)

    @overload
    def __getitem__(self, index: int) -> Table: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Table, ...]: ...

    def __getitem__(self, index: int | slice) -> Table | tuple[Table, ...]:
        return self._tables[index]

    def to_dict(self) -> dict[str, Any]:
        """Return all tables as ``khiva-arena standings --json`` prints them, without
        the sentences and the next commands.
        """
        return {"standings": [table.to_dict() for table in self._tables]}

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with a row for each bot and a column for each field,
        indexed by table. Needs pandas.
        """
        import pandas

        frames = {number: table.to_pandas() for number, table in enumerate(self._tables, 1)}
        return (
            pandas.concat(frames, names=["table", None]).reset_index("table")
            if frames
            else pandas.DataFrame()
        )

    def plot(self, *charts: str) -> Any:
        """Return the charts of all tables, one below the other, drawn by
        ``Table.plot``. Raises ConfigError also if there is no table.
        """
        if not self._tables:
            raise ConfigError("there is no table to draw: no event yet")
        return altair().vconcat(*(table.plot(*charts) for table in self._tables))

    def __repr__(self) -> str:
        return repr(list(self._tables))

    def __str__(self) -> str:
        return "\n".join(map(str, self._tables))

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self._tables)


def standings(
    path: str | Path,
    *events: str | int,
    anchors: str | Sequence[str] = (),
    sections: str | Sequence[str] = (),
    effects: str | Sequence[str] = EFFECTS,
    only: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
) -> TableList:
    """Return the rating tables of a store.

    events: by number or the beginning of their ids; by default all but those closed
        before they were over.
    anchors: BOT, or BOT=ELO, or BOT=ELO:SD; by default the bot at 0 is the one that is
        stored with the event.
    sections: more about each table, in ``to_dict``: names as ``khiva-arena standings
        --section`` takes them. With points a table of all of a league is that of its
        batches whose secrets are public.
    effects: the effects that the section effects fits.
    only, exclude: names of bots. A match counts only if all its seats are bots of
        ``only`` and none is a bot of ``exclude``.

    Raises ConfigError for an unknown event, bot or section, StoreError for a store that
    cannot be read or is damaged.
    """
    with by_keyword():
        names = (
            sections_named(several("sections", sections)),
            effects_named(several("effects", effects)),
        )
        among = Among(tuple(several("only", only)), tuple(several("exclude", exclude)))
        folder, words = as_path("path", path), tuple(map(str, events))
        if "points" in names[0] and not words:
            words = public_words_of(folder, StoreSelection((), (), (), ()), say_nothing)
        tables = tables_of(folder, words, TableRequest(several("anchors", anchors), *names, among))
    return TableList([Table(table) for table in tables])
