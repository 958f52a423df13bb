"""What is hashed of a row: the plain definition beside the quick one, and reading many
rows beside reading one.
"""

import json
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from khiva_arena.records.store import sums, versions

VALUES = st.one_of(
    st.text(st.characters()),  # lone surrogates as well
    st.integers(),
    st.floats(),
    st.binary(),
    st.none(),
    st.booleans(),
)
ROWS = st.lists(
    st.text("abcdefg_", min_size=1, max_size=4), min_size=1, max_size=6, unique=True
).flatmap(
    lambda names: st.lists(
        st.fixed_dictionaries(dict.fromkeys(names, VALUES)), min_size=1, max_size=4
    )
)


def plain_sum(table: str, values: dict[str, Any]) -> str:
    """As stores of version 2 are written."""

    def plain(value: Any) -> Any:
        if isinstance(value, bytes):
            return ["blob", value.hex()]
        return int(value) if isinstance(value, float) and value.is_integer() else value

    text = json.dumps([table, *([name, plain(values[name])] for name in sorted(values))])
    return sha256(b"khiva-row-1\0" + text.encode()).hexdigest()[:16]


@given(ROWS)
def test_sums_are_those_of_the_definition(rows: list[dict[str, Any]]) -> None:
    due = [plain_sum("seats", row) for row in rows]
    assert [sums.row_sum("seats", row) for row in rows] == due
    names = tuple(rows[0])
    columns = (*((name, "TEXT", True) for name in names), ("sum", "TEXT", False))
    read = [(*(row[name] for name in names), said) for row, said in zip(rows, due, strict=True)]
    assert [intact for _, intact in sums.check_all("seats", columns, read)] == [True] * len(rows)


def test_a_sum_that_was_written_by_the_first_release() -> None:
    """A number, so that neither form can change unnoticed."""
    values = {
        "event": "e",
        "seed": 3,
        "secret": bytes(range(4)),
        "took": 2.0,
        "ratio": 0.1,
        "none": None,
        "text": 'é"%s\\',
    }
    assert sums.row_sum("reveals", values) == plain_sum("reveals", values) == "5094db365401baed"


@pytest.mark.parametrize("table", ["matches", "seats", "events", "voids"])
def test_rows_read_together_are_as_rows_read_alone(table: str) -> None:
    """Whatever a damaged row holds, in the company of sound ones."""
    columns = versions.columns(table)
    kinds = [sums.EMPTY[kind][0] for _, kind, _ in columns]
    sound = [{str: "text", int: 7, float: 1.5, bytes: b"b"}[kind] for kind in kinds]
    names = [name for name, _, _ in columns]
    sound[-1] = sums.row_sum(table, dict(zip(names[:-1], sound[:-1], strict=True)))
    damaged: list[list[Any]] = [
        [*sound[:at], wrong, *sound[at + 1 :]]
        for at in range(len(sound))
        for wrong in (None, b"x", 0.5)
    ]
    rows = [sound, *damaged, sound]
    together = sums.check_all(table, columns, rows)
    assert together == [alone for row in rows for alone in sums.check_all(table, columns, [row])]
    assert (together[0][1], together[-1][1]) == (True, True)
    assert [ok for _, ok in together[1:-1]] == [row == sound for row in damaged]
    for values, _ in together:
        assert all(
            isinstance(values[name], kind) or values[name] is None
            for name, kind in zip(names[:-1], kinds, strict=False)
        )
