"""Charts of rating tables: they hold the numbers of the tables."""

import sys
from pathlib import Path
from typing import Any

import pytest
from tools import lacks

import khiva_arena
from khiva_arena.errors import ConfigError
from khiva_arena.interface.api.notebook_tables import TableList

pytestmark = pytest.mark.slow


def drawn(chart: dict[str, Any], title: str) -> list[dict[str, Any]]:
    """The rows that the charts of a title draw, of all tables."""
    parts = [part for inner in chart["vconcat"] for part in inner.get("vconcat", [inner])]
    found = [
        part for part in parts if title in str(part.get("title", part["layer"][0].get("title")))
    ]
    return [row for part in found for row in part.get("data", chart.get("data"))["values"]]


@pytest.fixture
def tables(played: Path) -> TableList:
    try:
        import altair  # noqa: F401  (only whether it is there)
    except ImportError:
        lacks("altair is not installed")
    return khiva_arena.standings(played / "out", sections=["crosstable", "seats"])


def test_charts_hold_the_numbers_of_the_table(tables: TableList) -> None:
    chart = tables.plot().to_dict()
    rows = drawn(chart, "interval")
    assert [(row["bot"], row["elo"], row["low"], row["high"]) for row in rows] == [
        (row.name, row.elo, row.low, row.high) for row in tables.rows
    ]
    crosstables = [table.to_dict()["sections"]["crosstable"] for table in tables]
    scores = [pair["score"] for table in crosstables for cells in table for pair in cells if pair]
    assert [row["score"] for row in drawn(chart, "Crosstable")] == scores
    seats = [
        one["score"] for table in tables for one in table.to_dict()["sections"]["seats"]["seats"]
    ]
    assert [row["score"] for row in drawn(chart, "seat matter")] == seats
    last = {row["bot"]: row["elo"] for row in drawn(tables[0].plot("by_seeds").to_dict(), "seeds")}
    assert last == {row.name: pytest.approx(row.elo, abs=0.01) for row in tables[0]}


def test_one_chart_can_be_named(tables: TableList) -> None:
    assert len(tables[0].plot("crosstable").to_dict()["vconcat"]) == 1
    with pytest.raises(
        ConfigError,
        match=r"there is no chart 'seat'.*there are intervals, by_seeds, crosstable, seats",
    ):
        tables.plot("seat")


def test_without_altair_one_line_says_what_to_install(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(ConfigError) as caught:
        khiva_arena.standings(played / "out").plot()
    assert (
        str(caught.value)
        == "charts are drawn by Altair, which is not installed: pip install 'khiva-arena[plot]'"
    )
