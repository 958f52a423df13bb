"""The one table of columns: it has every field of a row, and the pages and schemas that
come from it are current.
"""

import json

from generated_parts import with_parts
from make_columns_page import PAGE, parts
from make_schemas import FOLDER

from khiva_arena.rating.report.columns import (
    BETWEEN,
    COLUMNS,
    DETAILS,
    DISK,
    FIRST,
    LAST,
    ONLY_JSON,
    TABLE,
    Standing,
)


def test_every_field_of_a_row_is_explained_once() -> None:
    assert sorted(column.field for column in COLUMNS) == sorted(Standing.__struct_fields__)
    assert len({column.head for column in (*TABLE, *DETAILS)}) == len(TABLE) + len(DETAILS)
    assert all(column.doc and "|" not in column.doc for column in COLUMNS)
    assert not any(column.head for column in ONLY_JSON)


def test_only_what_says_who_and_how_strong_stays_in_every_table() -> None:
    stays = [column.head for column in TABLE if not column.leaves]
    assert stays == ["rank", "bot", "marks", "ranks", "elo", "+/-", "1st, 2nd, ..."]
    others = [column.leaves for column in TABLE if column.leaves and column.head != "disk"]
    assert DISK < BETWEEN < LAST < FIRST < min(others)
    assert [column.head for column in TABLE if column.leaves == DISK] == ["disk"]


def test_the_page_is_current() -> None:
    text = PAGE.read_text("utf-8")
    assert text == with_parts(text, parts()), "run `make schema` and read the diff"


def test_the_schema_says_what_each_field_is() -> None:
    schema = json.loads((FOLDER / "output" / "standings.json").read_text())
    fields = schema["$defs"]["Standing"]["properties"]
    assert {name: field["description"] for name, field in fields.items()} == {
        column.field: column.doc for column in COLUMNS
    }
