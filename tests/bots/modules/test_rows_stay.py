"""Each row of the vectors of modules stays as it is under its price list, but for the
column ``rewritten``; rows may be added.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from makers import maker_at


@pytest.fixture(scope="module")
def keeper() -> Iterator[ModuleType]:
    """Load the program that keeps the digests, which is a module of this folder."""
    with maker_at(Path(__file__).with_name("keep_rows.py")) as module:
        yield module


def row_of(content: dict[str, Any]) -> dict[str, Any]:
    """Return the last row of a file of vectors that has columns."""
    rows: list[dict[str, Any]] = next(
        value for value in reversed(content.values()) if isinstance(value, list)
    )
    return rows[-1]


def test_every_row_is_as_it_was_and_new_ones_are_kept(keeper: ModuleType) -> None:
    held, now = keeper.kept(), keeper.standing()
    assert keeper.changed(held, now) == [], "another row is another price list"
    assert held == now, "`make vectors` keeps the rows that are new"


def test_each_column_of_a_row_is_held_but_what_a_meter_makes(keeper: ModuleType) -> None:
    held = 0
    for file in keeper.FILES:
        row = row_of(json.loads((keeper.VECTORS / file).read_text("utf-8")))
        for column, value in row.items():
            is_other = keeper.digest({**row, column: [value]}) != keeper.digest(row)
            assert is_other == (column != "rewritten"), (file, column)
            held += is_other
    assert held > 20


def test_a_row_that_differs_or_is_missing_is_named_and_one_that_is_new_is_not(
    keeper: ModuleType, tmp_path: Path
) -> None:
    for file in keeper.FILES:
        content = json.loads((keeper.VECTORS / file).read_text("utf-8"))
        rows = next(value for value in content.values() if isinstance(value, list))
        gone = rows.pop(1)
        rows[0]["added"] = 1
        rows.append({**gone, "name": "new"})
        (tmp_path / file).write_text(json.dumps(content), "utf-8")
    wrong = keeper.changed(keeper.kept(), keeper.standing(tmp_path))
    assert len(wrong) == 2 * len(keeper.FILES)
    assert {line.partition(": ")[0] for line in wrong} == set(keeper.FILES)
